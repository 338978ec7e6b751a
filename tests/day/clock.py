"""A clock that a test moves and a program in another process goes by: one number in a file that both have open."""

import asyncio
import os
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path

LOOK_S = 0.02
"""How often who sleeps looks whether it is time."""


class SharedClock:
    """Implements `memory.ports.Clock`. It stands still until somebody moves it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def now(self) -> datetime:
        (seconds,) = struct.unpack("d", os.pread(self._file, 8, 0))
        return datetime.fromtimestamp(seconds, UTC)

    async def sleep(self, seconds: float) -> None:
        wakes_at = self.now() + timedelta(seconds=seconds)
        while self.now() < wakes_at:  # noqa: ASYNC110 - who moves it is another process
            await asyncio.sleep(LOOK_S)

    def move_to(self, at: datetime) -> None:
        os.pwrite(self._file, struct.pack("d", at.timestamp()), 0)
