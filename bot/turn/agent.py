"""Agent: one turn, from the member's message to the reply. `run_turn` is the loop; a step says what comes next.

Everything a step learns is committed before the next one starts, so a turn that was cut off goes on from its rows: the
agent keeps no state of a turn between steps.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.errors import words_for
from bot.mcp.toolbox import Toolbox
from bot.models.ceiling import Ceiling
from bot.turn.asides import Asides
from bot.turn.attachments.collecting import Attachments
from bot.turn.calling import Calling, leave_in_doubt
from bot.turn.claims.correction import correction
from bot.turn.claims.deeds import deeds_of
from bot.turn.prompt import PromptBuilder
from bot.turn.room import Room
from bot.turn.screen import Screen, stream_key
from bot.turn.stopped import stopped
from memory.catalogue import N_, _
from memory.errors import ModelFault, ModelSilent, PromptTooLong
from memory.messages import CallPart, MediaPart, Message, text_message
from memory.ports import Clock, Model, ModelReply, ModelRequest, estimate_request_tokens
from memory.space import Space
from memory.store.entries import Entry
from memory.store.jobs import COMPACT
from memory.store.sessions import Turn, TurnState
from tools.budget import GUARDRAIL, Budget
from tools.registry import Registry

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
CALL_DEADLINE_S = 120.0
LAST_WORDS_S = 30.0
"""What a turn over its time still gets for its final text."""
DEAF_STEPS = 2
"""How often a model may answer with calls although tools are off."""

CUT_OFF = N_("This answer was cut off at the model's length limit. Say “go on” and I continue.")
GAVE_UP = N_(
    "Something went wrong three times while I worked on this, so I stopped. Your message is kept; "
    "please send it again, perhaps in other words."
)
NO_WORDS = N_(
    "I used my tools but did not get to an answer within this turn's limits. What I found is kept; ask again."
)


@dataclass(frozen=True)
class RunAgain:
    """The model called tools and their results are stored: ask it again."""


@dataclass(frozen=True)
class FinalReply:
    """The turn is over: this is what the member reads, and the message of the model, if it has words of its own."""

    text: str
    message: Message | None = None
    reply: ModelReply | None = None
    estimated_tokens: int | None = None
    state: TurnState = "done"
    error: str | None = None


@dataclass(frozen=True)
class Limits:
    tool_calls: int = 15
    turn_s: float = 180.0
    compact_at_tokens: int = 24_000


@dataclass
class Running:
    """A turn under way: what it answers, and whether the member asked to stop."""

    turn: Turn
    entry: Entry
    should_stop: asyncio.Event = field(default_factory=asyncio.Event)
    said: str = ""
    """What the model has streamed of its newest message."""


class Agent:
    """Runs turns of one space, one at a time."""

    def __init__(
        self,
        space: Space,
        model: Model,
        registry: Registry,
        prompts: PromptBuilder,
        room: Room,
        screen: Screen,
        limits: Limits,
        ceiling: Ceiling,
        attachments: Attachments,
        toolbox: Toolbox | None = None,
    ) -> None:
        self._space = space
        self._clock: Clock = space.clock
        self._model = model
        self._calling = Calling(space, registry, screen)
        self._prompts = prompts
        self._room = room
        self._screen = screen
        self._limits = limits
        self._ceiling = ceiling
        self._attachments = attachments
        self._toolbox = toolbox
        self._asides = Asides(space, screen, ceiling, model=model.name)

    async def run_turn(self, running: Running) -> None:
        """Run the turn to its end. The reply then stands in the outbox and the turn's entries are done."""
        await self._screen.begin(running.turn.id, running.entry)
        try:
            if self._toolbox is not None:
                await self._toolbox.renew(running.turn.id, running.entry)
            outcome: RunAgain | FinalReply = RunAgain()
            while isinstance(outcome, RunAgain):
                outcome = await self._guarded_step(running)
        finally:
            await self._screen.end()
        await self.finish(running, outcome)

    async def _guarded_step(self, running: Running) -> RunAgain | FinalReply:
        """Take a step; a failure of the model, or the member's /stop, ends the turn with words."""
        stop = asyncio.create_task(running.should_stop.wait(), name=f"stop t{running.turn.id}")
        step = asyncio.create_task(self._step(running), name=f"step t{running.turn.id}")
        try:
            await asyncio.wait({stop, step}, return_when=asyncio.FIRST_COMPLETED)
            if step.done():
                return step.result()
        except ModelFault as fault:
            log.warning("turn failed: turn=%s fault=%s", running.turn.id, type(fault).__name__)
            return FinalReply(words_for(fault), state="failed", error=type(fault).__name__)
        finally:
            await _settle(stop, step)
        return FinalReply(await stopped(self._space, running.turn.id, running.said), state="stopped")

    async def _step(self, running: Running) -> RunAgain | FinalReply:
        """Go on from what is stored: take in what came with it, answer open calls, or ask the model."""
        turn = running.turn
        messages = await self._space.sessions.turn_messages(turn.id)
        if await self._attachments.are_waiting(turn):
            told = await self._attachments.take_in(turn)
            return RunAgain() if told is None else FinalReply(told, state="failed", error="NotTakenIn")
        if messages and messages[-1].calls:
            limit = 0 if _are_tools_off(messages) else self._limits.tool_calls
            await self._calling.answer(turn, running.entry, messages, limit=limit)
            return RunAgain()
        left_s = self._limits.turn_s - (self._clock.now() - turn.started_at).total_seconds()
        is_spent = Budget.of_turn(messages, self._limits.tool_calls).is_spent or left_s <= 0
        is_spent = is_spent or await self._ceiling.is_turn_over(turn.id)
        if is_spent and not _are_tools_off(messages):
            await self._switch_tools_off(turn)
        elif _deaf_steps(messages) >= DEAF_STEPS:
            return FinalReply(_(NO_WORDS), state="failed", error="DeafModel")
        request = await self._request(
            turn, tools_enabled=not is_spent, deadline_s=min(CALL_DEADLINE_S, max(left_s, LAST_WORDS_S))
        )
        try:
            reply = await self._ask(running, request)
        except PromptTooLong:
            if not await self._room.make_at_once(turn):
                raise
            return RunAgain()
        return await self._take(turn, request, reply)

    async def _request(self, turn: Turn, *, tools_enabled: bool, deadline_s: float) -> ModelRequest:
        """Return the next request, after making room where it is larger than the threshold."""
        with_block = await self._with_block(turn)
        while True:
            request = await self._prompts.request(with_block, tools_enabled=tools_enabled, deadline_s=deadline_s)
            # What is shown for this turn alone does not make the talk longer.
            is_over = await self._room.is_lacking(estimate_request_tokens(replace(request, shown=())))
            if not is_over or not await self._room.make(turn):
                return request

    async def _switch_tools_off(self, turn: Turn) -> None:
        async with self._space.db.transaction():
            await self._store(turn, text_message("notice", GUARDRAIL, self._clock.now(), origin="program"))

    async def _ask(self, running: Running, request: ModelRequest) -> ModelReply:
        async def show(text: str) -> None:
            running.said = text
            await self._screen.show_text(text)

        running.said = ""
        reply = await self._model.generate(request, on_text=show)
        if not any(isinstance(part, CallPart) for part in reply.parts) and not reply.text.strip():
            raise ModelSilent("blank")
        return reply

    async def _take(self, turn: Turn, request: ModelRequest, reply: ModelReply) -> RunAgain | FinalReply:
        """Store a message with calls at once; the last words are stored together with the end of the turn."""
        message = Message(role="model", parts=reply.parts, at=self._clock.now(), origin="model")
        estimated = estimate_request_tokens(request)
        if not message.calls:
            text = message.text if not reply.was_cut else f"{message.text}\n\n_{_(CUT_OFF)}_"
            return FinalReply(text, message, reply, estimated)
        async with self._space.db.transaction():
            await self._store(turn, message)
            await self._record(turn, reply, estimated)
        return RunAgain()

    async def _with_block(self, turn: Turn) -> Turn:
        """Return the turn with its memory block, building it on the first step."""
        stored = await self._space.sessions.turn(turn.id)
        if stored.block is None:
            built = await self._prompts.block(stored)
            async with self._space.db.transaction():
                await self._space.sessions.keep_block(turn.id, built.text, built.trace)
            stored = await self._space.sessions.turn(turn.id)
        return stored

    async def finish(self, running: Running, final: FinalReply) -> None:
        """Commit the last message, the outbox and the end of the turn together.

        What the answer claims and no row bears out is set right by a line of the program, also for later prompts; so
        is said above it that it is not the model's.
        """
        turn = running.turn
        heading = self._asides.heading(final.reply)
        async with self._space.db.transaction():
            await leave_in_doubt(self._space, turn.id)
            await self._attachments.keep(turn)
            line = await self._correction(turn, final)
            if final.message is not None:
                await self._store(turn, final.message)
            notice = final.text if final.message is None else "\n".join(filter(None, [heading, line]))
            if notice:
                await self._store(turn, text_message("notice", notice, self._clock.now(), origin="program"))
            if final.reply is not None:
                await self._record(turn, final.reply, final.estimated_tokens)
            text = "\n\n".join(filter(None, [heading and f"_{heading}_", final.text, line]))
            for ordinal, piece in enumerate(self._screen.render(text, running.entry)):
                key = stream_key(turn.id, ordinal)
                if ordinal or not await self._space.mailbox.end_stream(key, piece):
                    await self._space.mailbox.post(key, piece, turn_id=turn.id)
            await self._asides.post(turn.id, running.entry, final.reply)
            await self._space.mailbox.finish_turn(turn.id)
            await self._space.sessions.end_turn(turn.id, final.state, error=final.error)
            await self._compact_if_large(turn)

    async def _correction(self, turn: Turn, final: FinalReply) -> str | None:
        return correction(final.message.text, await deeds_of(self._space, turn.id)) if final.message else None

    async def _compact_if_large(self, turn: Turn) -> None:
        size = (await self._space.sessions.turn(turn.id)).prompt_tokens or 0
        if size > self._limits.compact_at_tokens:
            await self._space.jobs.add(COMPACT, f"{COMPACT}:t{turn.id}", {"session": turn.session_id})

    async def _store(self, turn: Turn, message: Message) -> None:
        for part in message.parts:
            if isinstance(part, MediaPart) and part.data is not None:
                await self._space.media.put(part.data, part.mime_type, name=part.name)
        stored = await self._space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
        await self._space.segments.store(stored)

    async def _record(self, turn: Turn, reply: ModelReply, estimated: int | None) -> None:
        usage = reply.usage
        if usage.is_estimate and estimated:
            usage = replace(usage, prompt_tokens=max(usage.prompt_tokens, estimated))
        await self._space.sessions.record_usage(
            usage, task="chat", model=reply.model, turn_id=turn.id, estimated_prompt_tokens=estimated
        )


def _are_tools_off(messages: Sequence[Message]) -> bool:
    return any(message.role == "notice" and message.text == GUARDRAIL for message in messages)


def _deaf_steps(messages: Sequence[Message]) -> int:
    """Return how many messages with calls came after tools were switched off."""
    off = next((n for n, m in enumerate(messages) if m.role == "notice" and m.text == GUARDRAIL), len(messages))
    return sum(1 for message in messages[off:] if message.calls)


async def _settle(*tasks: asyncio.Task[Any]) -> None:
    """Cancel what still runs and wait for it."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
