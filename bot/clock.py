"""The clock on the wall."""

import asyncio
from datetime import UTC, datetime


class SystemClock:
    """Implements `memory.ports.Clock` over the system's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
