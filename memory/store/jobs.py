"""Background work as rows. A job is applied in one transaction with its state, so it happens once whatever crashes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.ports import Clock
from memory.store.database import Database, from_utc_text, to_utc_text

EXTRACT = "extract"
REMEMBERED = "remembered"
"""Extraction of words the member asked to keep: the answer comes in any case."""
COMPACT = "compact"
FORGET_EFFECTS = "forget_effects"


@dataclass(frozen=True)
class Job:
    """Work to do. `payload` holds ids and counts, never text."""

    id: int
    kind: str
    key: str
    payload: Mapping[str, int]
    attempts: int


class JobStore:
    """The jobs of one space. Every write joins the caller's transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def add(self, kind: str, key: str, payload: Mapping[str, int]) -> bool:
        """Queue work; False when work with this key was queued before (done or not)."""
        written = await self._db.execute(
            "INSERT OR IGNORE INTO jobs (kind, key, state, payload, created_at) VALUES (?, ?, 'ready', ?, ?)",
            (kind, key, json.dumps(dict(payload)), to_utc_text(self._clock.now())),
        )
        return written.count == 1

    async def next_ready(self) -> Job | None:
        """Return the next job whose time has come, the oldest first."""
        row = await self._db.fetch_one(
            "SELECT * FROM jobs WHERE state = 'ready' AND (not_before IS NULL OR not_before <= ?)"
            " ORDER BY priority, id LIMIT 1",
            (to_utc_text(self._clock.now()),),
        )
        if row is None:
            return None
        return Job(row["id"], row["kind"], row["key"], json.loads(row["payload"]), row["attempts"])

    async def next_time(self) -> datetime | None:
        """Return when the earliest postponed job becomes ready; None when none waits."""
        row = await self._db.fetch_one("SELECT min(not_before) FROM jobs WHERE state = 'ready'")
        return from_utc_text(row[0]) if row and row[0] else None

    async def finish(self, job_id: int) -> None:
        await self._end(job_id, "done", None)

    async def finish_key(self, key: str) -> None:
        """The same by the job's key."""
        await self._db.execute(
            "UPDATE jobs SET state = 'done', ended_at = ? WHERE key = ?", (to_utc_text(self._clock.now()), key)
        )

    async def fail(self, job_id: int, error: str) -> None:
        """Give the job up for good."""
        await self._end(job_id, "failed", error)

    async def postpone(self, job_id: int, not_before: datetime, error: str, *, is_outage: bool = False) -> None:
        """Try again then. A failed attempt is counted, unless nothing could have succeeded (an outage)."""
        await self._db.execute(
            "UPDATE jobs SET attempts = attempts + ?, not_before = ?, error = ? WHERE id = ?",
            (int(not is_outage), to_utc_text(not_before), error, job_id),
        )

    async def waiting_reads(self) -> dict[int, int]:
        """Return the messages whose facts are still to be read, with the job that will."""
        rows = await self._db.fetch_all(
            "SELECT id, json_extract(payload, '$.message') AS message FROM jobs"
            " WHERE state = 'ready' AND kind IN (?, ?)",
            (EXTRACT, REMEMBERED),
        )
        return {int(row["message"]): int(row["id"]) for row in rows}

    async def _end(self, job_id: int, state: str, error: str | None) -> None:
        await self._db.execute(
            "UPDATE jobs SET state = ?, error = ?, ended_at = ? WHERE id = ?",
            (state, error, to_utc_text(self._clock.now()), job_id),
        )
