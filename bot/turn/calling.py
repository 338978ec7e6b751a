"""Calling: answers the calls of a turn's last message, each with exactly one result, in order.

What a call writes here commits together with its result and with what the member is told of it; that a call which
reaches beyond the program began is committed first, so that a crash never makes it happen twice unasked. What comes
after the results is the agent's business.
"""

from collections.abc import Sequence
from typing import Any

from bot.turn.answer import Answer, formed
from bot.turn.asking import ask
from bot.turn.reminder_words import receipt
from bot.turn.reminding import asker_of
from bot.turn.screen import Screen
from bot.turn.told import document, proposal, questions, receipt_buttons, receipt_lines
from memory.messages import CallPart, Message, ResultPart
from memory.space import Space
from memory.store.entries import Entry
from memory.store.results import shortened
from memory.store.sessions import Turn
from tools.budget import ANSWERS, Budget, Verdict
from tools.registry import SHOWN_CHARS, Registry, answer, oversized
from tools.tool import Context

MAY_HAVE_HAPPENED = (
    "Interrupted: the program was stopped while this ran, so it may have happened. Tell the member how it stands. The "
    "same call again asks them first."
)


async def leave_in_doubt(space: Space, turn_id: int) -> None:
    """Note of a turn that ends now which calls it leaves under way. Joins the caller's transaction."""
    under_way = await space.sessions.started_calls(turn_id)
    messages = await space.sessions.turn_messages(turn_id) if under_way else ()
    for call in messages[-1].calls if messages else ():
        if call.call_id in under_way:
            await space.approvals.doubt(call, turn_id=turn_id)


class Calling:
    """The calls of one space's turns."""

    def __init__(self, space: Space, registry: Registry, screen: Screen) -> None:
        self._space = space
        self._registry = registry
        self._screen = screen

    async def answer(self, turn: Turn, entry: Entry, messages: Sequence[Message], *, limit: int) -> None:
        """Give every call of the last message its result, and store them together. `limit`: as many run in a turn.

        Of the model's calls, those that wait for the member's yes are put to them instead; a call in a message of the
        program is one that they approved.
        """
        calls = messages[-1].calls
        is_approved = messages[-1].role == "notice"
        verdicts = Budget.of_turn(messages, limit).judge(calls)
        own = tuple(m.id for m in messages if m.role == "user" and m.id is not None)
        context = Context(self._space, turn.id, own, asker_of(self._space, entry))
        waiting = [
            verdict == "run" and not is_approved and await self._asks(call, context)
            for call, verdict in zip(calls, verdicts, strict=True)
        ]
        ahead = [
            None if waits else await self._ahead(call, verdict, context)
            for call, verdict, waits in zip(calls, verdicts, waiting, strict=True)
        ]
        async with self._space.db.transaction():
            complete = []
            for call, result, waits in zip(calls, ahead, waiting, strict=True):
                made = answer(call, await self._ask(call, turn, entry)) if waits else result
                complete.append(made or await self._registry.run(call, context))
            await self._store(turn, complete)
            await self._post_receipts(turn, entry, messages[-1], context)
        for call, result in zip(calls, complete, strict=True):
            await self._screen.show_tool(call, is_ok="error" not in result.response)

    async def _asks(self, call: CallPart, context: Context) -> bool:
        """Whether a call waits for the member's yes: its tool says so, or it was cut off and may have happened."""
        return await self._registry.asks(call, context) or await self._space.approvals.is_doubtful(call)

    async def _ask(self, call: CallPart, turn: Turn, entry: Entry) -> dict[str, Any]:
        return await ask(self._space, self._screen, call, turn, entry, warning=self._registry.warning(call))

    async def _ahead(self, call: CallPart, verdict: Verdict, context: Context) -> ResultPart | None:
        """Return the result of a call that writes nothing here; None for one that runs in the transaction.

        One that reaches beyond the program is never begun a second time.
        """
        if verdict != "run":
            return answer(call, {"error": ANSWERS[verdict]})
        await self._screen.show_call(call)
        effect = self._registry.effect_of(call)
        if effect == "local":
            return None
        if effect == "external" and not await self._begins(call, context.turn_id):
            return answer(call, {"error": MAY_HAVE_HAPPENED})
        return await self._registry.run(call, context)

    async def _begins(self, call: CallPart, turn_id: int) -> bool:
        """Note that a call begins; False when it began before and its result was lost."""
        async with self._space.db.transaction():
            is_first = await self._space.sessions.note_started(turn_id, call.call_id)
            if not is_first:
                await self._space.approvals.doubt(call, turn_id=turn_id)
        return is_first

    async def _store(self, turn: Turn, results: Sequence[ResultPart]) -> None:
        parts = tuple([await self._capped(result) for result in results])
        message = Message(role="tool", parts=parts, at=self._space.clock.now(), origin="tool")
        await self._space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)

    async def _capped(self, result: ResultPart) -> ResultPart:
        whole = oversized(result)
        if whole is None:
            return result
        stored = await self._space.media.put(whole, "application/json")
        return shortened(result, whole, stored.sha256, shown_chars=SHOWN_CHARS)

    async def _post_receipts(self, turn: Turn, entry: Entry, asked_by: Message, context: Context) -> None:
        """Tell the member what the tools changed and proposed, with the buttons of each, and give them what files were
        asked for, before the reply does.
        """
        receipts, zones = context.receipts, self._space.preferences
        buttons = (*receipt_buttons(receipts), *questions(receipts, zones).buttons)
        answers = [Answer(receipt_lines(receipts, zones), buttons), *(proposal(one) for one in context.proposals)]
        answers += [receipt(one, self._space.zone, self._space.clock.now()) for one in context.reminded]
        answers += [document(path) for path in context.documents]
        told = (piece for one in answers for piece in formed(self._screen, one, entry))
        for number, message in enumerate(told):
            await self._space.mailbox.post(f"receipt:t{turn.id}:m{asked_by.id}:{number}", message, turn_id=turn.id)
