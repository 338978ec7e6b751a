"""A clock that moves only when told to, or when somebody sleeps on it."""

import asyncio
from datetime import UTC, datetime, timedelta


class FakeClock:
    """Starts at `at` (Tuesday 2 March 2027, 09:00 UTC); `sleep` returns at once and moves the time on."""

    def __init__(self, at: datetime = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self._now = at
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
