"""Runner: keeps one space going. Entries become turns or command answers, one at a time and in order.

Five tasks beside each other: turns, background jobs, those that take long, reminders, delivery. Each finds its work in
rows, so a killed process goes on where it was; `drain` does the same work to its end without tasks, for scripts and
tests.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from bot.errors import words_for
from bot.turn.agent import GAVE_UP, MAX_ATTEMPTS, Agent, FinalReply, Running
from bot.turn.answer import Answer, formed
from bot.turn.entries import PAUSE_S, Commands, Entries, readable
from bot.turn.outbox import Delivery
from bot.turn.reminding import Reminding
from bot.turn.screen import Screen
from bot.turn.worker import Worker
from memory.errors import OperatorMustAct, Unreadable
from memory.space import Space
from memory.store.mailbox import Entry, Waiting
from memory.store.sessions import Turn

log = logging.getLogger(__name__)

MAX_APOLOGIES = 3
"""How often a turn that failed for good is tried to be ended with its apology, before it is ended without."""
NOT_YOURS = "Only the one who asked can use these buttons. /facts opens your own."
LAST_SENDS_S = 20.0
"""What a closing space still gets for its last deliveries."""

Work = Callable[[], Awaitable[datetime | None]]


class Runner:
    """One open space at work."""

    def __init__(
        self,
        space: Space,
        agent: Agent,
        commands: Commands,
        worker: Worker,
        delivery: Delivery,
        screen: Screen,
        *,
        patient: Worker | None = None,
        reminding: Reminding | None = None,
    ) -> None:
        self.space = space
        self._agent = agent
        self._entries = Entries(space, commands, screen)
        self._worker = worker
        self._patient = patient
        """Does what takes long, beside all else; None where such work is left undone."""
        self._reminding = reminding
        """Rings what is due; None where nobody is to be reminded."""
        self._delivery = delivery
        self._screen = screen
        self._running: Running | None = None
        self._unharmed: int | None = None
        """The turn whose last attempt the storage broke off: that counts as none."""
        self._wake = {name: asyncio.Event() for name in ("turns", "jobs", "long jobs", "reminders", "delivery")}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._is_closing = False
        self._is_in_trouble = False

    # Life

    def start(self) -> None:
        """Start the five tasks. What a crash left open is taken up first."""
        work: dict[str, Work] = {
            "turns": self._turns,
            "jobs": self._jobs,
            "long jobs": self._long_jobs,
            "reminders": self._reminders,
            "delivery": self._delivery.drain,
        }
        self._tasks = {
            name: asyncio.create_task(self._forever(name, step), name=f"{name} of {self.space.id}")
            for name, step in work.items()
        }

    async def close(self, *, grace_s: float = 0.0) -> None:
        """Take up nothing new, give the turn in flight `grace_s` to finish (else the next start resumes it), stop."""
        self._is_closing = True
        self.wake()
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
        stopped = self._stopped_by(entry)
        async with self.space.db.transaction():
            is_new = await self.space.mailbox.receive(entry)
            if stopped is not None:
                await self.space.mailbox.finish_source(entry.source)
        if is_new:
            self._entries.arrived(entry)
            self.space.held.hold(entry)
        if stopped is not None:
            stopped.should_stop.set()
        self.wake()
        return is_new

    def _stopped_by(self, entry: Entry) -> Running | None:
        """Return the running turn if the entry ends it: not one from before it, whose update comes again."""
        is_later = self._running is not None and entry.at >= self._running.entry.at
        return self._running if is_later and is_stop(entry) else None

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
            await self._entries.post_notices(entry)
        self._wake["delivery"].set()

    async def tell(self, key: str, answer: Answer, *, is_silent: bool = False) -> None:
        """Queue what the program says by itself, once under a key.

        Raises: OperatorMustAct when it could not be stored.
        """
        async with self.space.db.transaction():
            for number, message in enumerate(formed(self._screen, answer, None)):
                told = message.model_copy(update={"is_silent": is_silent})
                await self.space.mailbox.post(f"{key}:{number}", told)
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
            is_busy = (
                await self._next_entry()
                or await self._worker.work()
                or await self._has_long_job()
                or await self._has_reminder()
            )
            await self._delivery.drain()

    # Entries

    async def _next_entry(self) -> bool:
        """Deal with what comes first; False when nothing waits."""
        interrupted = await self.space.sessions.running_turn()
        waiting = await self.space.mailbox.waiting()
        if interrupted is not None:
            await self._resume(interrupted, waiting)
        elif waiting:
            begun = await self._entries.take_up(waiting[0])
            if begun is not None:
                await self._run(begun)
        return interrupted is not None or bool(waiting)

    async def _resume(self, turn: Turn, waiting: Sequence[Waiting]) -> None:
        """Go on with a turn that was cut off; the third failure ends it with an apology, or at last with that alone."""
        stops = [row for row in waiting if (entry := readable(row)) is not None and is_stop(entry)]
        async with self.space.db.transaction():
            attempts = await self._attempts(turn)
            for row in stops:
                await self.space.mailbox.finish(row.id)
        if attempts > MAX_ATTEMPTS + MAX_APOLOGIES:
            await self._abandon(turn)
            return
        running = Running(turn, _entry_of(turn, waiting))
        if stops:
            running.should_stop.set()
        if attempts > MAX_ATTEMPTS:
            await self._agent.finish(running, FinalReply(GAVE_UP, state="failed", error="GaveUp"))
        else:
            await self._run(running)

    async def _attempts(self, turn: Turn) -> int:
        """Return which attempt at a turn comes now; joins the transaction that counts it."""
        if self._unharmed == turn.id:
            self._unharmed = None
            return turn.attempts
        return await self.space.sessions.count_attempt(turn.id)

    async def _abandon(self, turn: Turn) -> None:
        """End a turn that can be neither gone on with nor finished; its entries are kept whole for the operator."""
        log.error("turn abandoned: space=%s turn=%s", self.space.id, turn.id)
        async with self.space.db.transaction():
            await self.space.mailbox.bury_turn(turn.id, "Abandoned")
            await self.space.sessions.end_turn(turn.id, "failed", error="Abandoned")
            for number, message in enumerate(self._screen.render(GAVE_UP, None)):
                await self.space.mailbox.post(f"dead:t{turn.id}:{number}", message)

    async def _run(self, running: Running) -> None:
        """Run a turn. If it breaks, its rows stay as they are and it is resumed."""
        self._running = running
        try:
            await self._agent.run_turn(running)
        except OperatorMustAct:
            # The storage failed, not the turn.
            self._unharmed = running.turn.id
            raise
        finally:
            self._running = None

    # Tasks

    async def _turns(self) -> None:
        while not self._is_closing and await self._next_entry():
            for name in ("delivery", "jobs", "long jobs", "reminders"):
                self._wake[name].set()

    async def _jobs(self) -> datetime | None:
        self.space.held.drop_expired()
        while not self._is_closing and await self._worker.work():
            self._wake["delivery"].set()
        times = [await self._worker.next_time(), self.space.held.next_time()]
        return min((time for time in times if time is not None), default=None)

    async def _long_jobs(self) -> datetime | None:
        while not self._is_closing and await self._has_long_job():
            self._wake["delivery"].set()
        return await self._patient.next_time() if self._patient else None

    async def _reminders(self) -> datetime | None:
        if await self._has_reminder():
            self._wake["delivery"].set()
        return await self._reminding.next_time() if self._reminding else None

    async def _has_reminder(self) -> bool:
        """Ring the reminders whose time has come; False when there are none."""
        return self._reminding is not None and await self._reminding.ring()

    async def _has_long_job(self) -> bool:
        """Do the next job that takes long; False when there is none."""
        return self._patient is not None and await self._patient.work()

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
            waits.append(asyncio.create_task(self._sleep_until(until)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _sleep_until(self, until: datetime) -> None:
        clock = self.space.clock
        await clock.sleep(max(0.0, (until - clock.now()).total_seconds()))

    async def _tell(self, error: Exception) -> None:
        """Tell the member once when the storage itself fails: nothing can be queued then."""
        if isinstance(error, OperatorMustAct) and not self._is_in_trouble:
            self._is_in_trouble = True
            await self._screen.say(words_for(error))

    def wake(self) -> None:
        """Let all look at once whether there is something to do: rows were written."""
        for event in self._wake.values():
            event.set()


def _entry_of(turn: Turn, waiting: Sequence[Waiting]) -> Entry:
    """Return what a turn answers. Raises: Unreadable."""
    for row in waiting:
        if row.turn_id == turn.id:
            return row.entry
    raise Unreadable(f"nothing in the inbox began turn {turn.id}")


def is_stop(entry: Entry) -> bool:
    """Whether the entry is the command that ends the running turn."""
    return entry.kind == "command" and entry.text.split()[:1] == ["/stop"]
