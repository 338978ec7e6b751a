"""Background work as rows. A job is applied in one transaction with its state, so it happens once whatever crashes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

EXTRACT = "extract"
REMEMBERED = "remembered"
"""Extraction of words the member asked to keep: the answer comes in any case."""
IMPORTED = "imported"
"""Extraction of an imported message: after everything else, and told in one line when the last is done."""
COMPACT = "compact"
EMBED = "embed"
"""A batch of vectors; queued when nothing else is to be done."""
FORGET_EFFECTS = "forget_effects"
PROBE = "probe"
"""An examination that a member asked for."""
EXPIRE = "expire"
"""An approval nobody has answered: its time is over."""
RESTORE = "restore"
"""What an examination found lost, made anew from its source and examined again."""

LIVE, LATER = 0, 1
"""Priorities: what was imported waits until all else is done."""
LONG = (PROBE, RESTORE)
"""Kinds that take so long that the others are not made to wait for them."""
_IS_FREE = (
    "iif(json_valid(payload), coalesce(json_extract(payload, '$.message'), 0), 0) NOT IN"
    " (SELECT id FROM messages WHERE turn_id = (SELECT id FROM turns WHERE state = 'running'))"
)
"""Work on a message waits until the turn that answers it is over: what comes of it is told behind the reply."""


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

    async def add(self, kind: str, key: str, payload: Mapping[str, int], *, priority: int = LIVE) -> bool:
        """Queue work; False when work with this key was queued before (done or not)."""
        written = await self._db.execute(
            "INSERT OR IGNORE INTO jobs (kind, key, state, priority, payload, created_at)"
            " VALUES (?, ?, 'ready', ?, ?, ?)",
            (kind, key, priority, json.dumps(dict(payload)), to_utc_text(self._clock.now())),
        )
        return written.count == 1

    async def begin(self, kind: str, key: str, payload: Mapping[str, int], *, until: datetime) -> Job | None:
        """Queue work that the caller does at once; if it is not finished, it becomes ready `until`.

        None when work with this key was queued before.
        """
        if not await self.add(kind, key, payload):
            return None
        await self._db.execute("UPDATE jobs SET not_before = ? WHERE key = ?", (to_utc_text(until), key))
        row = await self._db.fetch_one("SELECT id FROM jobs WHERE key = ?", (key,))
        assert row is not None
        return Job(row["id"], kind, key, payload, attempts=0)

    async def next_ready(self, *, is_long: bool = False) -> Job | None:
        """Return the next job whose time has come, the oldest first; of those that take long, or of the others."""
        row = await self._db.fetch_one(
            f"SELECT * FROM jobs WHERE state = 'ready' AND (not_before IS NULL OR not_before <= ?1) AND {_IS_FREE}"
            " AND (kind IN (SELECT value FROM json_each(?2))) = ?3 ORDER BY priority, id LIMIT 1",
            (to_utc_text(self._clock.now()), json.dumps(LONG), is_long),
        )
        return _job(row) if row else None

    async def next_of(self, kind: str) -> Job | None:
        """Return the next job of a kind whose time has come."""
        row = await self._db.fetch_one(
            "SELECT * FROM jobs WHERE state = 'ready' AND kind = ? AND (not_before IS NULL OR not_before <= ?)"
            " ORDER BY priority, id LIMIT 1",
            (kind, to_utc_text(self._clock.now())),
        )
        return _job(row) if row else None

    async def count_waiting(self, kind: str) -> int:
        """Return how many jobs of a kind are queued, ready or postponed."""
        row = await self._db.fetch_one("SELECT count(*) FROM jobs WHERE state = 'ready' AND kind = ?", (kind,))
        return int(row[0]) if row else 0

    async def waiting_error(self, job_id: int) -> str | None:
        """Return why a job was postponed; None when it does not wait."""
        row = await self._db.fetch_one("SELECT error FROM jobs WHERE id = ? AND state = 'ready'", (job_id,))
        return row["error"] if row else None

    async def hurry(self, kind: str) -> None:
        """Let all jobs of a kind that were postponed be done now."""
        await self._db.execute("UPDATE jobs SET not_before = NULL WHERE state = 'ready' AND kind = ?", (kind,))

    async def newest(self) -> int:
        """Return the id of the job that was queued last; 0 when there was none."""
        row = await self._db.fetch_one("SELECT coalesce(max(id), 0) FROM jobs")
        return int(row[0]) if row else 0

    async def id_of(self, key: str) -> int | None:
        """Return the job that was queued under a key, done or not."""
        row = await self._db.fetch_one("SELECT id FROM jobs WHERE key = ?", (key,))
        return int(row["id"]) if row else None

    async def count_attempt(self, job_id: int) -> None:
        """Note a try before it is made."""
        await self._db.execute("UPDATE jobs SET attempts = attempts + 1 WHERE id = ?", (job_id,))

    async def next_time(self, *, is_long: bool = False) -> datetime | None:
        """Return when the earliest postponed job becomes ready; None when none waits, or only for the end of a turn."""
        row = await self._db.fetch_one(
            f"SELECT min(not_before) FROM jobs WHERE state = 'ready' AND {_IS_FREE}"
            " AND (kind IN (SELECT value FROM json_each(?1))) = ?2",
            (json.dumps(LONG), is_long),
        )
        return from_utc_text(row[0]) if row and row[0] else None

    async def is_waiting(self, kind: str) -> bool:
        """Whether work of this kind is queued, ready or postponed."""
        row = await self._db.fetch_one("SELECT 1 FROM jobs WHERE state = 'ready' AND kind = ? LIMIT 1", (kind,))
        return row is not None

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

    async def drop_waiting(self, error: str) -> None:
        """Give up all that waits, whenever it would be ready: for a copy of a memory, whose work is done elsewhere."""
        await self._db.execute(
            "UPDATE jobs SET state = 'failed', error = ?, ended_at = ? WHERE state = 'ready'",
            (error, to_utc_text(self._clock.now())),
        )

    async def postpone(self, job_id: int, not_before: datetime, error: str, *, attempts: int) -> None:
        """Try again then. `attempts` is how many have failed so far."""
        await self._db.execute(
            "UPDATE jobs SET attempts = ?, not_before = ?, error = ? WHERE id = ?",
            (attempts, to_utc_text(not_before), error, job_id),
        )

    async def rest(self, kind: str, until: datetime) -> None:
        """Let all work of a kind wait at least so long; no try counts by it."""
        await self._db.execute(
            "UPDATE jobs SET not_before = ?1 WHERE state = 'ready' AND kind = ?2"
            " AND (not_before IS NULL OR not_before < ?1)",
            (to_utc_text(until), kind),
        )

    async def waiting_reads(self) -> dict[int, int]:
        """Return the messages whose facts are still to be read, with the job that will."""
        rows = await self._db.fetch_all(
            "SELECT id, payload FROM jobs WHERE state = 'ready' AND kind IN (?, ?, ?)", (EXTRACT, REMEMBERED, IMPORTED)
        )
        reads = {_payload(row["payload"]).get("message"): int(row["id"]) for row in rows}
        return {message_id: job_id for message_id, job_id in reads.items() if message_id is not None}

    async def _end(self, job_id: int, state: str, error: str | None) -> None:
        await self._db.execute(
            "UPDATE jobs SET state = ?, error = ?, ended_at = ? WHERE id = ?",
            (state, error, to_utc_text(self._clock.now()), job_id),
        )


def _job(row: Row) -> Job:
    return Job(row["id"], row["kind"], row["key"], _payload(row["payload"]), row["attempts"])


def _payload(text: str) -> dict[str, int]:
    """Return a stored payload; an empty one for what we did not write: the job then fails like any other."""
    try:
        payload = json.loads(text)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}
