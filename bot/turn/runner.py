"""Runner: keeps one space going. Entries become turns or command answers, one at a time and in order.

Five tasks beside each other: turns, background jobs, those that take long, reminders, delivery. Each finds its work in
rows, so a killed process goes on where it was; `drain` does the same work to its end without tasks, for scripts and
tests.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from bot.turn.agent import GAVE_UP, MAX_ATTEMPTS, Agent, FinalReply, Running
from bot.turn.answer import Answer, formed
from bot.turn.calling import leave_in_doubt
from bot.turn.entries import Commands, Entries
from bot.turn.loops import Loops, Work
from bot.turn.notices import post_notices
from bot.turn.outbox import Delivery
from bot.turn.reminding import Reminding
from bot.turn.screen import Screen
from bot.turn.waiting import readable
from bot.turn.worker import Worker
from memory.catalogue import N_, _, speak, speaking
from memory.errors import OperatorMustAct, Unreadable
from memory.space import Space
from memory.store.entries import Entry
from memory.store.mailbox import Waiting
from memory.store.reactions import Reaction
from memory.store.sessions import Turn

log = logging.getLogger(__name__)

MAX_APOLOGIES = 3
"""How often a turn that failed for good is tried to be ended with its apology, before it is ended without."""
NOT_YOURS = N_("Only the one who asked can use these buttons. /facts opens your own.")
PRESS_LEEWAY = timedelta(minutes=1)
"""A press bears the time of our clock, a message that of the chat's: so far may they lie apart."""
LAST_SENDS_S = 20.0
"""What a closing space still gets for its last deliveries."""


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
        work: dict[str, Work] = {
            "turns": self._turns,
            "jobs": self._jobs,
            "long jobs": self._long_jobs,
            "reminders": self._reminders,
            "delivery": delivery.drain,
        }
        self._loops = Loops(space, screen, work)

    # Life

    def start(self) -> None:
        """Start the five tasks. What a crash left open is taken up first."""
        self._loops.start()

    async def close(self, *, grace_s: float = 0.0) -> None:
        """Take up nothing new, give the turn in flight `grace_s` to finish (else the next start resumes it), stop."""
        self._loops.end()
        if self._running is not None:
            await self._loops.has_ended("turns", within_s=grace_s)
        if grace_s:
            await self._deliver_last()
        await self._loops.stop()

    async def _deliver_last(self) -> None:
        """Send what the last turn left in the outbox, if that goes quickly; else the next start does."""
        if await self._loops.has_ended("delivery", within_s=LAST_SENDS_S):
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
                await self.space.mailbox.take_source(entry.source, stopped.turn.id)
        if is_new:
            self._entries.arrived(entry)
            self.space.held.hold(entry)
        if stopped is not None:
            stopped.should_stop.set()
        self.wake()
        return is_new

    def _stopped_by(self, entry: Entry) -> Running | None:
        """Return the running turn if the entry ends it: not one from before it, whose update comes again."""
        if self._running is None or not is_stop(entry):
            return None
        begun = self._running.entry
        leeway = PRESS_LEEWAY if begun.kind == "press" else timedelta()
        return self._running if entry.at >= begun.at - leeway else None

    async def refusal(self, entry: Entry) -> str | None:
        """Return why a pressed button is not for the one who pressed it; None for what may be received."""
        shown = await self.space.mailbox.shown_at(entry.place) if entry.kind == "press" and entry.place else None
        is_anothers = shown is not None and shown.for_member not in {None, entry.author_id}
        with speaking(self.space.preferences.language):
            return _(NOT_YOURS) if is_anothers else None

    async def note(self, reaction: Reaction) -> None:
        """Store what a member thinks of an answer. Raises: OperatorMustAct when it could not be stored."""
        async with self.space.db.transaction():
            await self.space.reactions.note(reaction)

    async def notify(self, entry: Entry) -> None:
        """Queue what the member must be told about an entry that is no turn. The same entry is told about once.

        Raises: OperatorMustAct when it could not be stored.
        """
        with speaking(self.space.preferences.language):
            async with self.space.db.transaction():
                await post_notices(self.space, self._screen, entry)
        self._loops.wake("delivery")

    async def tell(self, key: str, answer: Answer, *, is_silent: bool = False) -> None:
        """Queue what the program says by itself, once under a key.

        Raises: OperatorMustAct when it could not be stored.
        """
        with speaking(self.space.preferences.language):
            told = formed(self._screen, answer, None)
        async with self.space.db.transaction():
            for number, message in enumerate(told):
                await self.space.mailbox.post(f"{key}:{number}", message.model_copy(update={"is_silent": is_silent}))
        self._loops.wake("delivery")

    async def retry_deliveries(self) -> None:
        """Try at once what was postponed: the member is there again.

        Raises: OperatorMustAct.
        """
        async with self.space.db.transaction():
            await self.space.mailbox.hurry()
        self._loops.wake("delivery")

    async def drain(self) -> None:
        """Do all that waits, to the end: turns, jobs whose time has come, deliveries."""
        is_busy = True
        while is_busy:
            is_busy = (
                await self._next_entry()
                or await self._has_job()
                or await self._has_long_job()
                or await self._has_reminder()
            )
            await self._delivery.drain()

    # Entries

    async def _next_entry(self) -> bool:
        """Deal with what comes first; False when nothing waits."""
        self._speak()
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
        async with self.space.db.transaction():
            attempts = await self._attempts(turn)
        if attempts > MAX_ATTEMPTS + MAX_APOLOGIES:
            await self._abandon(turn)
            return
        running = Running(turn, _entry_of(turn, waiting))
        if attempts > MAX_ATTEMPTS:
            await self._agent.finish(running, FinalReply(_(GAVE_UP), state="failed", error="GaveUp"))
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
            await leave_in_doubt(self.space, turn.id)
            await self.space.sessions.end_turn(turn.id, "failed", error="Abandoned")
            for number, message in enumerate(self._screen.render(_(GAVE_UP), None)):
                await self.space.mailbox.post(f"dead:t{turn.id}:{number}", message)

    async def _run(self, running: Running) -> None:
        """Run a turn. If it breaks, its rows stay as they are and it is resumed."""
        self._running = running
        try:
            await self._heed_stops(running)
            await self._agent.run_turn(running)
        except OperatorMustAct:
            # The storage failed, not the turn.
            self._unharmed = running.turn.id
            raise
        finally:
            self._running = None

    async def _heed_stops(self, running: Running) -> None:
        """Let a /stop end a turn that it came for while the turn was being prepared, or was cut off."""
        rows = await self.space.mailbox.waiting()
        stops = [row.source for row in rows if (entry := readable(row)) is not None and is_stop(entry)]
        if stops:
            async with self.space.db.transaction():
                for source in stops:
                    await self.space.mailbox.take_source(source, running.turn.id)
            running.should_stop.set()

    # Tasks

    async def _turns(self) -> None:
        while not self._loops.are_ending and await self._next_entry():
            self._loops.wake("delivery", "jobs", "long jobs", "reminders")

    async def _jobs(self) -> datetime | None:
        self.space.held.drop_expired()
        while not self._loops.are_ending and await self._has_job():
            self._loops.wake("delivery")
        times = [await self._worker.next_time(), self.space.held.next_time()]
        return min((time for time in times if time is not None), default=None)

    async def _long_jobs(self) -> datetime | None:
        while not self._loops.are_ending and await self._has_long_job():
            self._loops.wake("delivery")
        return await self._patient.next_time() if self._patient else None

    async def _reminders(self) -> datetime | None:
        if await self._has_reminder():
            self._loops.wake("delivery")
        return await self._reminding.next_time() if self._reminding else None

    async def _has_reminder(self) -> bool:
        """Ring the reminders whose time has come; False when there are none."""
        self._speak()
        return self._reminding is not None and await self._reminding.ring()

    async def _has_job(self) -> bool:
        """Do the next job; False when there is none."""
        self._speak()
        return await self._worker.work()

    async def _has_long_job(self) -> bool:
        """Do the next job that takes long; False when there is none."""
        self._speak()
        return self._patient is not None and await self._patient.work()

    def _speak(self) -> None:
        """Speak the language of the space from here on: it may be another than a moment ago."""
        speak(self.space.preferences.language)

    def wake(self) -> None:
        """Let all look at once whether there is something to do: rows were written."""
        self._loops.wake()


def _entry_of(turn: Turn, waiting: Sequence[Waiting]) -> Entry:
    """Return what a turn answers. Raises: Unreadable."""
    for row in waiting:
        if row.turn_id == turn.id:
            return row.entry
    raise Unreadable(f"nothing in the inbox began turn {turn.id}")


def is_stop(entry: Entry) -> bool:
    """Whether the entry is the command that ends the running turn."""
    return entry.kind == "command" and entry.text.split()[:1] == ["/stop"]
