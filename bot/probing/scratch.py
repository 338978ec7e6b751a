"""Scratch: a folder in which a copy of one memory is examined, laid out like a home, and gone afterwards.

It holds a copy that was restored from the night's backup, the tombstones of that one space, and nothing that leads to
a live file. What a killed process left behind is swept when the next one begins.
"""

import asyncio
import secrets
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.home import PRIVATE, Home
from bot.probing.astray import has_messages, last_full
from memory.errors import MemoryFault, StorageFull
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones

NAME_BYTES = 8
COPIES = 2
"""The backup, and the copy that is restored from it."""
MARGIN_BYTES = 32 * 1024 * 1024
"""What an examination writes in its copy besides."""

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """Return how much may still be written where a folder lies."""
    return shutil.disk_usage(folder).free


def night_backup(home: Home, space_id: str) -> Path:
    """Return where the newest nightly backup of a space lies."""
    return home.backups / f"{space_id}-night.db"


def sweep(home: Home) -> int:
    """Remove what examinations that were killed left behind; return how many. Not while one is under way."""
    left = list(home.scratch.iterdir()) if home.scratch.is_dir() else []
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


@asynccontextmanager
async def scratch_of(
    home: Home, space: Space, tombstones: Tombstones, clock: Clock, *, free: FreeBytes = free_bytes
) -> AsyncIterator[Home]:
    """Back a space up and restore that backup into a scratch home, for the length of the context.

    Raises: StorageFull before anything is written that would not fit, DamagedDatabase.
    """
    size = sum(path.stat().st_size for path in space.folder.glob("memory.db*"))
    if free(home.root) < COPIES * size + MARGIN_BYTES:
        raise StorageFull(home.scratch)
    backup = night_backup(home, space.id)
    await _keep_full(home, space, tombstones, clock)
    await space.db.backup_to(backup)
    home.scratch.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    scratch = Home(home.scratch / secrets.token_hex(NAME_BYTES))
    try:
        await _fill(scratch, backup, space.id, tombstones, clock)
        yield scratch
    finally:
        shutil.rmtree(scratch.root, ignore_errors=True)


async def _keep_full(home: Home, space: Space, tombstones: Tombstones, clock: Clock) -> None:
    """Keep the backup of the night before from being overwritten by an empty one, where nobody asked for that."""
    before = night_backup(home, space.id)
    row = await space.db.fetch_one("SELECT 1 FROM messages LIMIT 1")
    if row is not None or not before.exists() or await tombstones.has_everything(space.id):
        return
    with suppress(MemoryFault, sqlite3.Error):
        if await has_messages(before, clock):
            before.replace(last_full(home, space.id))


async def _fill(scratch: Home, backup: Path, space_id: str, tombstones: Tombstones, clock: Clock) -> None:
    restored = scratch.create_space(space_id).database
    await asyncio.to_thread(shutil.copyfile, backup, restored)
    shared = await Database.open(scratch.database, "bot", clock=clock, backups=scratch.backups)
    try:
        await tombstones.copy_to(shared, space_id)
    finally:
        await shared.close()
