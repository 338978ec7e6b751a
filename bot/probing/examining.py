"""Examining on request: the job by which a member has their memory examined, how far it is, and the report at its end.

How a memory is examined, and that one comes after another, is the business of `Examination`.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from typing import Protocol

from bot.probing.regressions import PROBED, findings_of
from bot.probing.report import NOTHING_YET, report, run_again
from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from bot.turn.topics import in_topic
from memory.catalogue import N_, _
from memory.errors import MemoryFault, StorageFull
from memory.findings import Gate, Run
from memory.space import Space
from memory.store.entries import Outgoing
from memory.store.jobs import PROBE, Job

log = logging.getLogger(__name__)

Progress = Callable[[int, int], Awaitable[None]]
"""Called as an examination goes on, with how many cases are done and how many there are."""
SHARES = 4
"""So often at most is a progress shown."""
PROGRESS = N_("Examining my memory: {done} of {total}")
BROKE_OFF = N_(
    "The examination broke off; nothing is called lost by that, and your memory is as it was: I work on a copy. Try it "
    "again later; if it breaks off again, tell the operator."
)
NO_ROOM = N_(
    "There is not enough room on the disk for the copy that I examine; nothing is called lost by that. Please tell "
    "the operator."
)


class Examination(Protocol):
    @property
    def is_busy(self) -> bool:
        """Whether an examination is under way."""
        ...

    async def run(
        self, space: Space, *, night: date | None = None, only: Sequence[str] = (), on_progress: Progress | None = None
    ) -> tuple[Run, Gate]:
        """Examine a memory when its turn has come, store what was found and return it.

        `night` is the local date it counts for; `only` names the cases to examine, none of them: all there are.

        Raises: MemoryFault, OSError when it came to nothing.
        """
        ...


class AskedExaminations:
    """The handler of jobs by which members of one space ask for an examination. `wake` lets what was posted go out."""

    def __init__(self, space: Space, examination: Examination, screen: Screen, *, wake: Callable[[], None]) -> None:
        self._space = space
        self._examination = examination
        self._screen = screen
        self._wake = wake

    async def examine(self, job: Job) -> None:
        """Examine, showing how far it is, and end with the report."""
        try:
            await self._examination.run(self._space, on_progress=_Shown(self._space, self._screen, job, self._wake))
        except (MemoryFault, OSError) as error:
            log.warning("asked examination failed: space=%s error=%s", self._space.id, type(error).__name__)
            why = NO_ROOM if isinstance(error, StorageFull) else BROKE_OFF
            await self._end(job, Answer(_(why), ((run_again(),),)), key=f"unprobed:{job.id}")
        else:
            await self._end(job, await self._report(), key=f"{PROBED}{job.id}")

    async def _end(self, job: Job, told: Answer, *, key: str) -> None:
        async with self._space.db.transaction():
            for number, message in enumerate(in_topic(formed(self._screen, told, None), job.payload)):
                await self._space.mailbox.post(f"{key}:{number}", message)
            await self._space.jobs.finish(job.id)

    async def _report(self) -> Answer:
        stored = await self._space.probes.last_done()
        if stored is None:
            # Everything was forgotten meanwhile.
            return Answer(_(NOTHING_YET))
        return report(await findings_of(self._space, stored), self._space.zone).answer


class _Shown:
    """A progress, shown in the message that answered the command; where messages have no place, as work."""

    def __init__(self, space: Space, screen: Screen, job: Job, wake: Callable[[], None]) -> None:
        self._space = space
        self._screen = screen
        self._job = job
        self._wake = wake
        self._share = 0

    async def __call__(self, done: int, total: int) -> None:
        share = done * SHARES // total if total else 0
        if share <= self._share:
            return
        self._share = share
        words = _(PROGRESS).format(done=done, total=total)
        place = await self._space.mailbox.place_of(f"answer:{self._job.key.removeprefix(f'{PROBE}:')}:0")
        if place is None:
            await self._screen.show_work(words)
            return
        async with self._space.db.transaction():
            await self._space.mailbox.post(f"probing:{self._job.id}:{share}", Outgoing(text=words), place=place)
        self._wake()
