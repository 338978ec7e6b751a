"""Schedule: lets work look once a minute whether something is due. The one home of the scheduling library.

It keeps no memory and no times of its own: which night or report is due is decided by whoever looks, from rows and the
clock, so a tick that came late, twice or not at all changes nothing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Self

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

log = logging.getLogger(__name__)

TICK_S = 60.0

Look = Callable[[], Awaitable[None]]


class Schedule:
    """Ticks for each of `looks`, by name, while the context is open; a look that takes longer than a tick is not
    begun again meanwhile. Leaving the context cuts off what is under way and waits for its end.
    """

    def __init__(self, looks: Mapping[str, Look], *, tick_s: float = TICK_S) -> None:
        self._looks = looks
        self._tick_s = tick_s
        self._scheduler = AsyncIOScheduler(timezone="UTC")
        self._at_work: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        for name in self._looks:
            self._scheduler.add_job(
                self._tick,
                IntervalTrigger(seconds=self._tick_s),
                args=[name],
                id=name,
                misfire_grace_time=None,
                coalesce=True,
                max_instances=1,
                replace_existing=True,
            )
        self._scheduler.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scheduler.shutdown(wait=False)
        # The library stops at the next turn of the loop.
        await asyncio.sleep(0)
        for task in self._at_work.values():
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)

    async def _tick(self, name: str) -> None:
        """Begin a look as a task of ours: those of the library are cut off without anybody waiting for their end."""
        running = self._at_work.get(name)
        if running is None or running.done():
            self._at_work[name] = asyncio.create_task(self._look(name), name=f"look for {name}")

    async def _look(self, name: str) -> None:
        try:
            await self._looks[name]()
        except Exception:
            # The boundary of a look: the next one looks again.
            log.exception("look broke: look=%s", name)
