"""ChatAssistant: the chat over one open memory, for whoever examines it; implements `memory.ports.Assistant`.

It assembles, asks and talks by the same parts that serve a member, and its screen keeps what would have been sent. It
is for a copy of a memory: what waited in it (entries, a turn that was cut off, background work, messages not delivered
yet) is laid aside before the first word is said, so that an answer is one to what was said here, and nothing is paid
for that the memory itself still pays for.
"""

import logging
from collections.abc import Mapping
from itertools import count

from bot.models.spend import Purse, SpendingModel
from bot.turn.prompt import PromptBuilder
from bot.turn.runner import Runner
from bot.turn.screen import QuietScreen
from memory.errors import ModelSilent
from memory.ports import Assembled, ModelReply, ModelRequest, Spent, Task
from memory.space import Space
from memory.store.entries import Entry
from memory.store.mailbox import OutRow

_log = logging.getLogger(__name__)

ASK_DEADLINE_S = 90.0
LAID_ASIDE = "LaidAside"


class AnswerScreen(QuietScreen):
    """Implements `Screen` for nobody: what is delivered is kept in `rows`, in order."""

    def __init__(self) -> None:
        self.rows: list[OutRow] = []

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        self.rows.append(row)
        return None

    async def say(self, text: str) -> None:
        _log.warning("the storage of a copy failed")


class ChatAssistant:
    """Implements `Assistant` over the space of `runner`. `purse` is what the calls of `model` are paid from."""

    def __init__(
        self, runner: Runner, prompts: PromptBuilder, screen: AnswerScreen, model: SpendingModel, purse: Purse
    ) -> None:
        self._runner = runner
        self._space: Space = runner.space
        self._prompts = prompts
        self._screen = screen
        self._model = model
        self._purse = purse
        self._numbers = count(1)

    @property
    def model_name(self) -> str:
        return self._model.name

    async def assemble(self, question: str) -> Assembled:
        """Return the prompt of a fresh conversation that begins with this question. Opens no transaction."""
        return await self._prompts.opening(question, deadline_s=ASK_DEADLINE_S)

    async def ask(self, request: ModelRequest) -> ModelReply:
        """Have a request answered. Raises: ModelFault, also where another model stood in for the one examined."""
        reply = await self._model.generate(request)
        if reply.fault is not None:
            raise reply.fault
        return reply

    async def say(self, text: str) -> str:
        """Say something as the member would, do all that follows from it, and return what was answered.

        Raises: ModelFault when the turn got no answer.
        """
        number = next(self._numbers)
        if number == 1:
            await self._lay_aside()
        entry = Entry(
            source=f"assistant:{number}:{self._space.clock.now().isoformat()}",
            kind="command" if text.startswith("/") else "message",
            text=text,
            at=self._space.clock.now(),
        )
        self._screen.rows.clear()
        await self._runner.receive(entry)
        await self._runner.drain()
        if entry.kind == "command":
            return self._answered(f"answer:{entry.source}:")
        return await self._replied()

    def spent(self) -> Mapping[Task, Spent]:
        return self._purse.spent()

    async def _replied(self) -> str:
        turn = await self._space.sessions.last_turn()
        assert turn is not None
        if turn.state == "failed":
            raise self._model.fault or ModelSilent("blank")
        return self._answered(f"turn:{turn.id}:")

    def _answered(self, key: str) -> str:
        return "\n\n".join(row.message.text for row in self._screen.rows if row.key.startswith(key))

    async def _lay_aside(self) -> None:
        """Let nothing that waited in the memory be taken up, sent, answered or worked off here."""
        space = self._space
        running = await space.sessions.running_turn()
        waiting, undelivered = await space.mailbox.waiting(), await space.mailbox.undelivered()
        async with space.db.transaction():
            if running is not None:
                await space.sessions.end_turn(running.id, "stopped", error=LAID_ASIDE)
            for row in waiting:
                await space.mailbox.finish(row.id)
            for sent in undelivered:
                await space.mailbox.drop(sent.id, LAID_ASIDE)
            await space.jobs.drop_waiting(LAID_ASIDE)
            await space.vectors.drop_due()
