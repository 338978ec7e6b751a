"""The file itself, its media, whose it is, and whether work in it goes on."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

from memory.catalogue import N_
from memory.forget.steps import FORGOTTEN_MEDIA
from memory.integrity.fault import AHEAD, STUCK_ENTRIES, WAITING_JOBS, WRONG_SPACE, Fault, fault
from memory.integrity.pages import count
from memory.ports import Clock
from memory.store.database import Database, to_utc_text

OLD = timedelta(days=1)
RECENT = timedelta(days=14)

_DERIVED = frozenset({"vectors", "vector_sources", "vectors_due", "fact_terms"})
"""Tables that the repair fills anew: a row of theirs that names nothing is no loss."""
_WRITTEN_AT = (
    *("sessions.started_at", "turns.started_at", "messages.stored_at", "inbox.received_at", "outbox.created_at"),
    *("jobs.created_at", "facts.created_at", "handoffs.created_at", "probe_runs.started_at"),
)
"""When our own clock said that a row was written."""


async def file_faults(database: Database) -> AsyncIterator[Fault]:
    """Yield what SQLite itself finds: pages, keys."""
    rows = await database.fetch_all("PRAGMA integrity_check(1)")
    if str(rows[0][0]) != "ok":
        yield fault("file", N_("fault found by SQLite's own check"))
    for row in await database.fetch_all("PRAGMA foreign_key_check"):
        if row[0] in _DERIVED:
            yield fault("index", N_("derived rows name others that are not there"), can_be_rebuilt=True)
        else:
            yield fault("rows", N_("rows name others that are not there"))


async def place_faults(database: Database, space_id: str) -> AsyncIterator[Fault]:
    """Yield that the file is not the memory of this space."""
    row = await database.fetch_one("SELECT space_id FROM profile")
    if row is None or row["space_id"] != space_id:
        yield fault("space", WRONG_SPACE)


async def work_faults(database: Database, clock: Clock) -> AsyncIterator[Fault]:
    """Yield what waits too long, is from times to come, or was answered and not kept."""
    now = clock.now()
    old, ahead, recent = (to_utc_text(moment) for moment in (now - OLD, now + OLD, now - RECENT))
    waiting = await count(database, "SELECT count(*) FROM jobs WHERE state = 'ready' AND created_at < ?", (old,))
    stuck = await count(
        database, "SELECT count(*) FROM inbox WHERE state IN ('new', 'taken') AND received_at < ?", (old,)
    )
    unkept = await count(
        database,
        "SELECT count(*) FROM inbox i WHERE i.kind = 'message' AND i.state = 'done' AND i.turn_id IS NOT NULL"
        " AND i.received_at >= ? AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.source = i.source)",
        (recent,),
    )
    times = [name.split(".") for name in _WRITTEN_AT]
    later = [await count(database, f"SELECT count(*) FROM {table} WHERE {name} > ?", (ahead,)) for table, name in times]
    yield fault("jobs", WAITING_JOBS, count=waiting)
    yield fault("inbox", STUCK_ENTRIES, count=stuck)
    yield fault("messages", N_("messages of the last two weeks were answered and are not stored"), count=unkept)
    yield fault("clock", AHEAD, count=sum(later))


async def media_faults(database: Database, folder: Path) -> AsyncIterator[Fault]:
    """Yield the files that are gone or changed; `folder` is the space's own."""
    for row in await database.fetch_all("SELECT sha256 FROM media WHERE mime_type <> ?", (FORGOTTEN_MEDIA,)):
        try:
            # In a thread: a server reads its live files so, and may have many.
            found = await asyncio.to_thread(_sha256, folder / "media" / row["sha256"])
        except FileNotFoundError:
            yield fault("media", N_("files are missing"))
        else:
            if found != row["sha256"]:
                yield fault("media", N_("files are not what was hashed"))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
