"""The jobs of a space, one after another: extraction, compaction, the effects of forget, then vectors.

A job's model call happens outside any transaction; what it brings commits together with the job's end and with the
line the member gets.
"""

import logging
from datetime import datetime, timedelta
from typing import Protocol

from memory.errors import MemoryFault, ModelBusy, ModelMisconfigured, ModelQuotaSpent, OperatorMustAct
from memory.space import Space
from memory.store.jobs import EMBED, Job

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
FIRST_WAIT_S = 60.0
OUTAGE_WAIT_S = 1800.0


class Handler(Protocol):
    async def __call__(self, job: Job) -> None:
        """Do the job and finish it, in one transaction with its result.

        Raises: MemoryFault when it could not be done now.
        """
        ...


class Worker:
    """Does the jobs of one space, either those that take long or the others. A job that fails is postponed, longer each
    time, and while the model is out of reach so are those like it: each would wait for it anew. After the fifth failure
    it is given up and reported. While the model cannot answer at all (a spent quota, a wrong key), or the storage
    fails, jobs wait and nothing counts. A job that an earlier process left may be what ended
    it: its tries count before they are made.
    """

    def __init__(self, space: Space, handlers: dict[str, Handler], report: Handler, *, is_long: bool = False) -> None:
        self._space = space
        self._handlers = handlers
        self._report = report
        self._is_long = is_long
        self._last_inherited: int | None = None
        self._unharmed: int | None = None
        """The job whose last try the storage broke off: that counts as none."""

    async def work(self) -> bool:
        """Do the next job whose time has come; False when there is none.

        Raises: OperatorMustAct when the storage fails.
        """
        if self._last_inherited is None:
            self._last_inherited = await self._space.jobs.newest()
        job = await self._space.jobs.next_ready(is_long=self._is_long)
        if job is None and await self._queue_vectors():
            job = await self._space.jobs.next_ready(is_long=self._is_long)
        if job is None:
            return False
        if job.id > self._last_inherited or await self._count(job):
            await self.do(job)
        return True

    async def do(self, job: Job) -> None:
        """Do a job now; one that fails is put off.

        Raises: OperatorMustAct when the storage fails.
        """
        try:
            await self._handlers[job.kind](job)
        except OperatorMustAct:
            self._unharmed = job.id
            raise
        except MemoryFault as fault:
            await self._put_off(job, fault)
        except Exception as error:
            # The boundary of background work: one bad job must not stop the others.
            log.exception("job broke: job=%s kind=%s", job.id, job.kind)
            await self._put_off(job, error)

    async def next_time(self) -> datetime | None:
        """Return when a postponed job becomes ready; None when none waits."""
        return await self._space.jobs.next_time(is_long=self._is_long)

    async def _queue_vectors(self) -> bool:
        """Queue a batch of vectors, if any are due: they come when nothing else is to be done."""
        key = None if self._is_long else await self._space.vectors.due()
        if key is None or await self._space.jobs.is_waiting(EMBED):
            return False
        async with self._space.db.transaction():
            return await self._space.jobs.add(EMBED, f"{EMBED}:{key}", {})

    async def _count(self, job: Job) -> bool:
        """Count a try before it is made; False, and the job is given up, when it had all of its tries."""
        if self._unharmed == job.id:
            self._unharmed = None
            return True
        async with self._space.db.transaction():
            if job.attempts >= MAX_ATTEMPTS:
                log.error("job given up: job=%s kind=%s error=Died", job.id, job.kind)
                await self._space.jobs.fail(job.id, "Died")
                await self._report(job)
                return False
            await self._space.jobs.count_attempt(job.id)
        return True

    async def _put_off(self, job: Job, error: Exception) -> None:
        name = type(error).__name__
        is_outage = isinstance(error, ModelQuotaSpent | ModelMisconfigured)
        gives_up = job.attempts + 1 >= MAX_ATTEMPTS and not is_outage
        log.warning("job failed: job=%s kind=%s error=%s attempts=%s", job.id, job.kind, name, job.attempts + 1)
        async with self._space.db.transaction():
            if gives_up:
                await self._space.jobs.fail(job.id, name)
                await self._report(job)
            else:
                wait = OUTAGE_WAIT_S if is_outage else FIRST_WAIT_S * 2**job.attempts
                again_at = self._space.clock.now() + timedelta(seconds=wait)
                attempts = job.attempts + (not is_outage)
                await self._space.jobs.postpone(job.id, again_at, name, attempts=attempts)
                if is_outage or isinstance(error, ModelBusy):
                    await self._space.jobs.rest(job.kind, again_at)
