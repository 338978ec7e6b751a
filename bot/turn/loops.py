"""Loops: the tasks of one space, each of which works, rests until it is woken or a time has come, and works again.

A failure ends no loop: it is logged, and the work is tried again after a pause. What the work is, the loops don't know.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from bot.errors import words_for
from bot.turn.entries import PAUSE_S
from bot.turn.screen import Screen
from memory.catalogue import speak
from memory.errors import OperatorMustAct
from memory.space import Space

log = logging.getLogger(__name__)

Work = Callable[[], Awaitable[datetime | None]]
"""Does all that there is to do, and returns when there is more; None for not before somebody wakes it."""


class Loops:
    """The loops of one space, by the names of their work."""

    def __init__(self, space: Space, screen: Screen, work: Mapping[str, Work]) -> None:
        self._space = space
        self._screen = screen
        self._work = work
        self._wake = {name: asyncio.Event() for name in work}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._is_in_trouble = False
        self.are_ending = False
        """Nothing new is to be taken up."""

    def start(self) -> None:
        """Start them all."""
        self._tasks = {
            name: asyncio.create_task(self._forever(name, step), name=f"{name} of {self._space.id}")
            for name, step in self._work.items()
        }

    def wake(self, *names: str) -> None:
        """Let these look at once whether there is something to do; without a name, all."""
        for name in names or self._wake:
            self._wake[name].set()

    def end(self) -> None:
        """Let each end as soon as its work does."""
        self.are_ending = True
        self.wake()

    async def has_ended(self, name: str, *, within_s: float) -> bool:
        """Wait for the end of a loop; False if it was never started, or goes on."""
        task = self._tasks.get(name)
        if task is None:
            return False
        await asyncio.wait([task], timeout=within_s)
        return task.done()

    async def stop(self) -> None:
        """Stop what still runs, wherever it is."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _forever(self, name: str, work: Work) -> None:
        while not self.are_ending:
            self._wake[name].clear()
            speak(self._space.preferences.language)
            try:
                again_at = await work()
                self._is_in_trouble = False
            except Exception as error:
                # The boundary of a space: its rows are as they were, and other spaces go on.
                log.exception("space stumbled: space=%s task=%s error=%s", self._space.id, name, type(error).__name__)
                await self._tell(error)
                await self._space.clock.sleep(PAUSE_S)
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
        clock = self._space.clock
        await clock.sleep(max(0.0, (until - clock.now()).total_seconds()))

    async def _tell(self, error: Exception) -> None:
        """Tell the member once when the storage itself fails: nothing can be queued then."""
        if isinstance(error, OperatorMustAct) and not self._is_in_trouble:
            self._is_in_trouble = True
            await self._screen.say(words_for(error))
