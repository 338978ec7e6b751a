"""What can be undone: a row for each change of the ledger that a member was told of or made by hand.

A row names the message whose word on a subject counts no longer once it is undone, or holds the columns of a fact as
they were before they were set. Undoing itself is the fact store's business.
"""

import json
from dataclasses import dataclass
from typing import Any

from memory.ports import Clock
from memory.store.database import Database, Row, to_utc_text


@dataclass(frozen=True)
class LedgerChange:
    """A change of `fact_id` or its subject: by what `message_id` said, or of the columns in `before`."""

    id: int
    fact_id: int
    message_id: int | None
    before: dict[str, Any]
    is_undone: bool


class ChangeLog:
    """The changes of one space's ledger, in the order they were made. Every write joins the caller's transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def note_said(self, fact_id: int, message_id: int) -> int:
        """Note what a message changed about a fact's subject, once; return the change's id."""
        row = await self._db.fetch_one(
            "SELECT id FROM fact_changes WHERE fact_id = ? AND message_id = ? AND undone_at IS NULL",
            (fact_id, message_id),
        )
        return int(row["id"]) if row else await self._insert(fact_id, message_id, None)

    async def note_set(self, fact_id: int, before: dict[str, Any]) -> int:
        """Note that columns of a fact were set, with what they held; return the change's id."""
        return await self._insert(fact_id, None, json.dumps(before, ensure_ascii=False))

    async def change(self, change_id: int) -> LedgerChange | None:
        """Return a change; None when it is not known, or went with a fact that was forgotten."""
        row = await self._db.fetch_one("SELECT * FROM fact_changes WHERE id = ?", (change_id,))
        return _change(row) if row else None

    async def last(self) -> LedgerChange | None:
        """Return the newest change that is not undone."""
        row = await self._db.fetch_one("SELECT * FROM fact_changes WHERE undone_at IS NULL ORDER BY id DESC LIMIT 1")
        return _change(row) if row else None

    async def last_of(self, subject_key: str) -> LedgerChange | None:
        """Return the newest change about a subject that is not undone."""
        row = await self._db.fetch_one(
            "SELECT c.* FROM facts f JOIN fact_changes c ON c.fact_id = f.id"
            " WHERE f.subject_key = ? AND c.undone_at IS NULL ORDER BY c.id DESC LIMIT 1",
            (subject_key,),
        )
        return _change(row) if row else None

    async def mark_undone(self, change_id: int) -> None:
        await self._db.execute(
            "UPDATE fact_changes SET undone_at = ? WHERE id = ?", (to_utc_text(self._clock.now()), change_id)
        )

    async def _insert(self, fact_id: int, message_id: int | None, before: str | None) -> int:
        written = await self._db.execute(
            "INSERT INTO fact_changes (fact_id, message_id, before, at) VALUES (?, ?, ?, ?)",
            (fact_id, message_id, before, to_utc_text(self._clock.now())),
        )
        return written.rowid


def _change(row: Row) -> LedgerChange:
    before = json.loads(row["before"]) if row["before"] else {}
    return LedgerChange(row["id"], row["fact_id"], row["message_id"], before, row["undone_at"] is not None)
