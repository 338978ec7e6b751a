"""Health: what a memory holds, whether it can be searched whole, and what still waits. Counts and times, no text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.space import Space
from memory.store.database import from_utc_text

_COUNTS = {
    "messages": (
        "SELECT count(*) FROM messages WHERE role IN ('user', 'model') AND origin <> 'document' AND trim(text) <> ''"
    ),
    "segments": "SELECT count(*) FROM segments",
    "facts": "SELECT count(*) FROM facts WHERE status = 'active'",
    "pending facts": "SELECT count(*) FROM facts WHERE status = 'pending'",
    "procedures": "SELECT count(*) FROM procedure_versions WHERE status = 'active'",
    "pending procedures": "SELECT count(*) FROM procedure_versions WHERE status = 'pending'",
    "handoffs": "SELECT count(*) FROM handoffs",
    "unindexed": (
        "SELECT count(*) FROM segments s WHERE NOT EXISTS (SELECT 1 FROM segment_terms t WHERE t.segment_id = s.id)"
        " AND NOT EXISTS (SELECT 1 FROM messages n JOIN messages m ON n.replaces = coalesce(m.replaces, m.id)"
        " WHERE m.id = s.message_id AND n.id > m.id)"
    ),
    "phantoms": "SELECT abs((SELECT count(*) FROM segments_fts_docsize) - (SELECT count(*) FROM segment_terms))",
}
"""`unindexed` leaves out older versions of edited messages: only the newest is searched."""


@dataclass(frozen=True)
class WaitingWork:
    """Jobs of one kind that are not done, and since when the oldest waits."""

    kind: str
    count: int
    since: datetime


@dataclass(frozen=True)
class MemoryHealth:
    """`counts` by what is counted; `size` in bytes of all files of the space."""

    counts: dict[str, int]
    since: datetime | None
    waiting: Sequence[WaitingWork]
    compacted_at: datetime | None
    size: int

    @property
    def is_index_complete(self) -> bool:
        return not self.counts["unindexed"] and not self.counts["phantoms"]


async def memory_health(space: Space) -> MemoryHealth:
    """Return the health of a memory. Reads only."""
    counts = {}
    for name, sql in _COUNTS.items():
        row = await space.db.fetch_one(sql)
        counts[name] = int(row[0]) if row else 0
    jobs = await space.db.fetch_all(
        "SELECT kind, count(*) AS count, min(created_at) AS since FROM jobs WHERE state = 'ready' GROUP BY kind"
    )
    return MemoryHealth(
        counts=counts,
        since=await _time(space, "SELECT min(at) FROM messages WHERE role IN ('user', 'model')"),
        waiting=[WaitingWork(row["kind"], row["count"], from_utc_text(row["since"])) for row in jobs],
        compacted_at=await _time(space, "SELECT max(created_at) FROM handoffs"),
        size=sum(path.stat().st_size for path in space.folder.rglob("*") if path.is_file()),
    )


async def last_answered(space: Space) -> datetime | None:
    """Return when a model last answered in the chat."""
    return await _time(space, "SELECT max(at) FROM usage WHERE task = 'chat'")


async def born(space: Space) -> datetime:
    """Return when a memory was made."""
    made = await _time(space, "SELECT created_at FROM profile")
    assert made is not None
    return made


async def _time(space: Space, sql: str) -> datetime | None:
    row = await space.db.fetch_one(sql)
    return from_utc_text(row[0]) if row and row[0] else None
