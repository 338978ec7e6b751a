"""Runner: keeps one space going. Entries become turns or command answers, one at a time and in order.

Three tasks beside each other: turns, background jobs, delivery. Each finds its work in rows, so a killed process goes
on where it was; `drain` does the same work to its end without tasks, for scripts and tests.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from bot.errors import words_for
from bot.kept_secrets import keep_button
from bot.turn.agent import GAVE_UP, MAX_ATTEMPTS, Agent, FinalReply, Running
from bot.turn.answer import Answer, formed
from bot.turn.outbox import Delivery
from bot.turn.screen import Screen
from bot.turn.words import keep_words
from bot.turn.worker import Worker
from memory.errors import MemberMustAct, OperatorMustAct
from memory.messages import utf16_length
from memory.space import Space
from memory.store.mailbox import Entry, Waiting, place_of
from memory.store.sessions import Turn

log = logging.getLogger(__name__)

LONG_MESSAGE_UNITS = 4_000
"""A client splits a long paste near 4,096 UTF-16 units: a message of this size may have a continuation."""
NOT_YOURS = "Only the one who asked can use these buttons. /facts opens your own."
CONTINUATION_S = 1.0
PAUSE_S = 5.0
"""After an error of the storage itself: time before the next try."""
LAST_SENDS_S = 20.0
"""What a closing space still gets for its last deliveries."""

Work = Callable[[], Awaitable[datetime | None]]


class Commands(Protocol):
    """Answers what a member asked by command, button or awaited reply."""

    async def answer(self, entry: Entry) -> Answer:
        """Do what was asked and return the answer. Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        ...


class Runner:
    """One open space at work."""

    def __init__(
        self, space: Space, agent: Agent, commands: Commands, worker: Worker, delivery: Delivery, screen: Screen
    ) -> None:
        self.space = space
        self._agent = agent
        self._commands = commands
        self._worker = worker
        self._delivery = delivery
        self._screen = screen
        self._running: Running | None = None
        self._wake = {name: asyncio.Event() for name in ("turns", "jobs", "delivery")}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._is_closing = False
        self._is_in_trouble = False

    # Life

    def start(self) -> None:
        """Start the three tasks. What a crash left open is taken up first."""
        work: dict[str, Work] = {"turns": self._turns, "jobs": self._jobs, "delivery": self._delivery.drain}
        self._tasks = {
            name: asyncio.create_task(self._forever(name, step), name=f"{name} of {self.space.id}")
            for name, step in work.items()
        }

    async def close(self, *, grace_s: float = 0.0) -> None:
        """Take up nothing new, give the turn in flight `grace_s` to finish (else the next start resumes it), stop."""
        self._is_closing = True
        self._wake_up()
        if self._tasks and self._running is not None:
            await asyncio.wait([self._tasks["turns"]], timeout=grace_s)
        if self._tasks and grace_s:
            await self._deliver_last()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _deliver_last(self) -> None:
        """Send what the last turn left in the outbox, if that goes quickly; else the next start does."""
        delivery = self._tasks["delivery"]
        await asyncio.wait([delivery], timeout=LAST_SENDS_S)
        if delivery.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_SENDS_S):
                    await self._delivery.drain()

    async def receive(self, entry: Entry) -> bool:
        """Store an entry; False when it came before. Once this returns, the sender may be told that it arrived.

        Raises: OperatorMustAct when it could not be stored.
        """
        stops = is_stop(entry) and self._running is not None
        async with self.space.db.transaction():
            is_new = await self.space.mailbox.receive(entry)
            if stops:
                await self.space.mailbox.finish_source(entry.source)
        if is_new:
            self.space.held.hold(entry)
        if stops and self._running is not None:
            self._running.should_stop.set()
        self._wake_up()
        return is_new

    async def refusal(self, entry: Entry) -> str | None:
        """Return why a pressed button is not for the one who pressed it; None for what may be received."""
        shown = await self.space.mailbox.shown_at(entry.place) if entry.kind == "press" and entry.place else None
        is_anothers = shown is not None and shown.for_member not in {None, entry.author_id}
        return NOT_YOURS if is_anothers else None

    async def notify(self, entry: Entry) -> None:
        """Queue what the member must be told about an entry that is no turn. The same entry is told about once.

        Raises: OperatorMustAct when it could not be stored.
        """
        async with self.space.db.transaction():
            await self._post_notices(entry)
        self._wake["delivery"].set()

    async def retry_deliveries(self) -> None:
        """Try at once what was postponed: the member is there again.

        Raises: OperatorMustAct.
        """
        async with self.space.db.transaction():
            await self.space.mailbox.hurry()
        self._wake["delivery"].set()

    async def drain(self) -> None:
        """Do all that waits, to the end: turns, jobs whose time has come, deliveries."""
        is_busy = True
        while is_busy:
            is_busy = await self._next_entry() or await self._worker.work()
            await self._delivery.drain()

    # Entries

    async def _next_entry(self) -> bool:
        """Deal with what comes first; False when nothing waits."""
        interrupted = await self.space.sessions.running_turn()
        waiting = await self.space.mailbox.waiting()
        if interrupted is not None:
            await self._resume(interrupted, waiting)
        elif not waiting:
            return False
        elif (asked_for := await self._awaited(waiting[0].entry)) is not None:
            await self._answer(replace(waiting[0], entry=asked_for))
        elif waiting[0].entry.kind == "message":
            await self._start_turn(await self._with_continuations(waiting[0]))
        elif waiting[0].entry.kind == "edit":
            await self._take_edit(waiting[0])
        else:
            await self._answer(waiting[0])
        return True

    async def _awaited(self, entry: Entry) -> Entry | None:
        """Return a reply that a message of ours awaits, with what it is for; None for all else."""
        is_own = entry.kind == "message" and entry.origin == "own"
        place = place_of(entry.chat_id, entry.reply_to) if is_own else None
        asked = await self.space.mailbox.shown_at(place) if place else None
        if asked is None or asked.awaits is None or asked.for_member not in {None, entry.author_id}:
            return None
        return entry.model_copy(update={"press": asked.awaits})

    async def _start_turn(self, waiting: Sequence[Waiting]) -> None:
        async with self.space.db.transaction():
            turn = await self.space.sessions.begin_turn()
            await self.space.mailbox.take([row.id for row in waiting], turn.id)
            for row in waiting:
                await keep_words(self.space, row.entry, session_id=turn.session_id, turn_id=turn.id)
                await self._post_notices(row.entry)
        await self._run(Running(turn, waiting[0].entry))

    async def _resume(self, turn: Turn, waiting: Sequence[Waiting]) -> None:
        """Go on with a turn that was cut off; the third failure ends it with an apology."""
        running = Running(turn, next(row.entry for row in waiting if row.turn_id == turn.id))
        async with self.space.db.transaction():
            attempts = await self.space.sessions.count_attempt(turn.id)
            for row in waiting:
                if is_stop(row.entry):
                    await self.space.mailbox.finish(row.id)
                    running.should_stop.set()
        if attempts > MAX_ATTEMPTS:
            await self._agent.finish(running, FinalReply(GAVE_UP, state="failed", error="GaveUp"))
        else:
            await self._run(running)

    async def _run(self, running: Running) -> None:
        """Run a turn. If it breaks, its rows stay as they are and it is resumed."""
        self._running = running
        try:
            await self._agent.run_turn(running)
        finally:
            self._running = None

    async def _with_continuations(self, first: Waiting) -> list[Waiting]:
        """Return a message with the parts that a client split off it."""
        joined = [first]
        while utf16_length(joined[-1].entry.text) >= LONG_MESSAGE_UNITS:
            await self.space.clock.sleep(CONTINUATION_S)
            rest = [row for row in await self.space.mailbox.waiting() if row.id > joined[-1].id]
            if not rest or rest[0].entry.kind != "message" or rest[0].entry.author_id != first.entry.author_id:
                break
            joined.append(rest[0])
        return joined

    async def _take_edit(self, row: Waiting) -> None:
        """Append the new version of an edited message. No turn is made of it; its extraction is queued."""
        entry = row.entry
        async with self.space.db.transaction():
            old = await self.space.sessions.message_at(entry.place) if entry.place else None
            if old is not None and old.id is not None and old.text != entry.text:
                session_id = await self.space.sessions.session_of(old.id)
                await keep_words(self.space, entry, session_id=session_id, turn_id=old.turn_id, replaces=old.id)
            await self._post_notices(entry)
            await self.space.mailbox.finish(row.id)

    async def _answer(self, row: Waiting) -> None:
        """Answer a command or button; what it did, the answer and the entry's end commit together."""
        try:
            async with self.space.db.transaction():
                await self._post_answer(row, await self._commands.answer(row.entry))
        except OperatorMustAct:
            raise
        except Exception as error:
            # The boundary of a command: one that breaks is answered all the same, or all behind it would wait for ever.
            if not isinstance(error, MemberMustAct):
                log.exception("command broke: space=%s in=%s", self.space.id, row.id)
            async with self.space.db.transaction():
                await self._post_answer(row, Answer(words_for(error)))

    async def _post_answer(self, row: Waiting, answer: Answer) -> None:
        entry = row.entry
        pressed_at = entry.place if entry.kind == "press" else None
        for number, message in enumerate(formed(self._screen, answer, entry)):
            place = pressed_at if answer.where == "instead" and number == 0 else None
            await self.space.mailbox.post(f"answer:{entry.source}:{number}", message, place=place)
        if answer.is_spent and answer.where == "below" and pressed_at:
            await self._take_row(entry, pressed_at)
        await self._post_notices(entry)
        await self.space.mailbox.finish(row.id)

    async def _take_row(self, entry: Entry, place: str) -> None:
        """Take the pressed button and its row away from the message that carries them."""
        shown = await self.space.mailbox.shown_at(place)
        if shown is None:
            return
        rest = tuple(row for row in shown.buttons if all(button.data != entry.press for button in row))
        if rest != shown.buttons:
            message = shown.model_copy(update={"buttons": rest})
            await self.space.mailbox.post(f"spent:{entry.source}", message, place=place)

    async def _post_notices(self, entry: Entry) -> None:
        offer = keep_button(entry.source) if entry.has_offer else ()
        answers = [Answer(notice, () if number else offer) for number, notice in enumerate(entry.notices)]
        rendered = (message for answer in answers for message in formed(self._screen, answer, entry))
        for number, message in enumerate(rendered):
            await self.space.mailbox.post(f"notice:{entry.source}:{number}", message)

    # Tasks

    async def _turns(self) -> None:
        while not self._is_closing and await self._next_entry():
            self._wake["delivery"].set()
            self._wake["jobs"].set()

    async def _jobs(self) -> datetime | None:
        self.space.held.drop_expired()
        while not self._is_closing and await self._worker.work():
            self._wake["delivery"].set()
        times = [await self._worker.next_time(), self.space.held.next_time()]
        return min((time for time in times if time is not None), default=None)

    async def _forever(self, name: str, work: Work) -> None:
        """Work, then wait until woken or until the time the work named, until the space closes."""
        while not self._is_closing:
            self._wake[name].clear()
            try:
                again_at = await work()
                self._is_in_trouble = False
            except Exception as error:
                # The boundary of a space: its rows are as they were, and other spaces go on.
                log.exception("space stumbled: space=%s task=%s error=%s", self.space.id, name, type(error).__name__)
                await self._tell(error)
                await self.space.clock.sleep(PAUSE_S)
                continue
            await self._rest(self._wake[name], again_at)

    async def _rest(self, woken: asyncio.Event, until: datetime | None) -> None:
        """Wait for the event, or for a time if one is named."""
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(woken.wait())]
        if until is not None:
            seconds = max(0.0, (until - self.space.clock.now()).total_seconds())
            waits.append(asyncio.ensure_future(self.space.clock.sleep(seconds)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _tell(self, error: Exception) -> None:
        """Tell the member once when the storage itself fails: nothing can be queued then."""
        if isinstance(error, OperatorMustAct) and not self._is_in_trouble:
            self._is_in_trouble = True
            await self._screen.say(words_for(error))

    def _wake_up(self) -> None:
        for event in self._wake.values():
            event.set()


def is_stop(entry: Entry) -> bool:
    """Whether the entry is the command that ends the running turn."""
    return entry.kind == "command" and entry.text.split()[:1] == ["/stop"]
