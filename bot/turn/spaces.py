"""Spaces: the memories at work. Each is opened on demand, once, and runs beside the others; all are closed together."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.turn.runner import Runner

OpenRunner = Callable[[str], Awaitable[Runner]]


class Spaces:
    """The open spaces of one process, by id."""

    def __init__(self, open_runner: OpenRunner) -> None:
        self._open_runner = open_runner
        self._runners: dict[str, Runner] = {}
        self._lock = asyncio.Lock()

    async def runner(self, space_id: str) -> Runner:
        """Return the runner of a space, opening and starting it on the first call.

        Raises: OperatorMustAct when its memory cannot be opened; the next call tries again.
        """
        async with self._lock:
            if space_id not in self._runners:
                runner = await self._open_runner(space_id)
                runner.start()
                self._runners[space_id] = runner
            return self._runners[space_id]

    def at_work(self) -> list[Runner]:
        """Return the runners of the spaces that are open, in the order of their ids."""
        return [self._runners[space_id] for space_id in sorted(self._runners)]

    async def close_one(self, space_id: str, *, grace_s: float) -> None:
        """Close one space, if it is open; it is opened again when it is asked for again."""
        async with self._lock:
            runner = self._runners.pop(space_id, None)
            if runner is not None:
                await _close(runner, grace_s)

    async def close(self, *, grace_s: float) -> None:
        """Close all spaces side by side; each gives its turn in flight `grace_s` to finish."""
        runners = list(self._runners.values())
        self._runners.clear()
        await asyncio.gather(*(_close(runner, grace_s) for runner in runners))


async def _close(runner: Runner, grace_s: float) -> None:
    try:
        await runner.close(grace_s=grace_s)
    finally:
        await runner.space.close()
