"""Astray: whether an empty memory is empty because the program looks in the wrong place.

A wrong path or a volume that was not mounted gives a well-formed, empty memory, and whoever asks it is told that
nothing was ever said. Looks only, and only where a memory is empty.
"""

import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from bot.home import Home
from bot.telegram.chats import ChatStore
from memory.catalogue import N_
from memory.errors import MemoryFault
from memory.findings import Finding
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database, from_utc_text
from memory.store.tombstones import Tombstones

ABOUT = "an empty memory"
MEANT = N_("if a new beginning is meant, say anything here, and this is over")
ELSEWHERE = "; ".join([N_("homes beside this one hold a memory of this name"), MEANT])
KEPT = "; ".join([N_("backup of it holds messages, and is kept"), MEANT])
OLDER = "; ".join([N_("chat is older than the memory it is about"), MEANT])
LATE = timedelta(days=1)
"""A memory is made with the first message; a chat that is so much older had one before."""


async def astray(
    space: Space, home: Home, chats: ChatStore, tombstones: Tombstones, *, elsewhere: Sequence[Path], clock: Clock
) -> list[Finding]:
    """Return what says that this memory should not be empty; nothing where it is not empty, or was emptied on request.

    `elsewhere` are further homes to look into, besides those that lie beside this one, and the backup that is kept.
    """
    row = await space.db.fetch_one("SELECT (SELECT count(*) FROM messages) AS said, created_at FROM profile")
    if row is None or row["said"] or await tombstones.has_everything(space.id):
        return []
    found = []
    full = [path async for path in _full(space.id, _others(home, elsewhere), clock)]
    if full:
        found.append(Finding(about=ABOUT, count=len(full), words=ELSEWHERE))
    if last_full(home, space.id).exists():
        found.append(Finding(about=ABOUT, count=1, words=KEPT))
    oldest = await chats.oldest(space.id)
    if oldest is not None and oldest < from_utc_text(row["created_at"]) - LATE:
        found.append(Finding(about=ABOUT, count=1, words=OLDER))
    return found


def _others(home: Home, elsewhere: Iterable[Path]) -> Iterator[Home]:
    here = home.root.absolute()
    beside: list[Path] = []
    with suppress(OSError):
        beside = sorted(here.parent.iterdir())
    for path in dict.fromkeys([*beside, *elsewhere]):
        if path.absolute() != here:
            yield Home(path)


async def _full(space_id: str, homes: Iterable[Home], clock: Clock) -> AsyncIterator[Path]:
    for home in homes:
        with suppress(OSError, MemoryFault, sqlite3.Error):
            if home.space(space_id).exists and await has_messages(home.space(space_id).database, clock):
                yield home.root


def last_full(home: Home, space_id: str) -> Path:
    """Return where the last nightly backup that held something is kept, once a memory is empty."""
    return home.backups / f"{space_id}-last-full.db"


async def has_messages(path: Path, clock: Clock) -> bool:
    """Tell whether anything was said in a memory. Raises: MemoryFault, sqlite3.Error."""
    database = await Database.open(path, "memory", clock=clock, backups=path.parent, read_only=True)
    try:
        return await database.fetch_one("SELECT 1 FROM messages LIMIT 1") is not None
    finally:
        await database.close()
