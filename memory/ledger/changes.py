"""What can be undone: a row for each change of the ledger that a member was told of or made by hand.

A row names the message whose word on a subject counts no longer once it is undone, or holds the columns of a fact as
they were before they were set here.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.ledger.fact_rows import FactRows
from memory.ledger.history import SubjectHistory
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

    def __init__(self, database: Database, clock: Clock, rows: FactRows, subjects: SubjectHistory) -> None:
        self._db = database
        self._clock = clock
        self._rows = rows
        self._subjects = subjects

    # Noted

    async def note_said(self, fact_id: int, message_id: int) -> int:
        """Note what a message changed about a fact's subject, once; return the change's id."""
        row = await self._db.fetch_one(
            "SELECT id FROM fact_changes WHERE fact_id = ? AND message_id = ? AND undone_at IS NULL",
            (fact_id, message_id),
        )
        return int(row["id"]) if row else await self._insert(fact_id, message_id, None)

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

    async def is_overtaken(self, change: LedgerChange) -> bool:
        """Whether what the message of a change said counts no longer already: a later version of it does not say so."""
        fact = await self._rows.fact(change.fact_id)
        return fact.message_id == change.message_id is not None and fact.withdrawn_at is not None

    # Set by hand

    async def set_pinned(self, fact_id: int, is_pinned: bool) -> None:
        """Let a fact always stand first in prompts, or no longer. Raises: UnknownId."""
        await self._set(fact_id, {"pinned": int(is_pinned)})

    async def set_critical(self, fact_id: int, is_critical: bool) -> None:
        """Let a fact be one that must not be lost, or no longer. Raises: UnknownId."""
        await self._set(fact_id, {"critical": int(is_critical)})

    async def set_question(self, fact_id: int, question: str) -> None:
        """Give a fact another question, checked by the caller. Raises: UnknownId."""
        await self._set(fact_id, {"question": question})

    async def set_patterns(self, fact_id: int, patterns: Sequence[str]) -> None:
        """Give a fact other patterns, checked by the caller. Raises: UnknownId."""
        await self._set(fact_id, {"patterns": json.dumps(list(patterns), ensure_ascii=False)})

    # Taken back

    async def undo(self, change: LedgerChange) -> None:
        """Take a change back, once. A value goes with the messages that only said it again; other later ones stay."""
        if change.is_undone:
            return
        fact = await self._rows.fact(change.fact_id)
        await self._db.execute(
            "UPDATE fact_changes SET undone_at = ? WHERE id = ?", (to_utc_text(self._clock.now()), change.id)
        )
        if change.message_id is None:
            await self._rows.write(fact.id, change.before)
        else:
            repeats = await self._subjects.repeats(fact.subject_key, change.message_id)
            told = await self._told(fact.subject_key)
            again = [message_id for message_id in repeats if message_id not in told]
            await self._subjects.bring_back(fact.subject_key, change.message_id)
            for message_id in [*reversed(again), change.message_id]:
                await self._subjects.take_back(fact.subject_key, message_id)

    async def _told(self, subject_key: str) -> set[int]:
        """Return the messages with a change of their own about a subject."""
        rows = await self._db.fetch_all(
            "SELECT c.message_id FROM facts f JOIN fact_changes c ON c.fact_id = f.id"
            " WHERE f.subject_key = ? AND c.message_id IS NOT NULL",
            (subject_key,),
        )
        return {int(row["message_id"]) for row in rows}

    async def _set(self, fact_id: int, values: Mapping[str, str | int]) -> None:
        """Set columns of a fact and note what they held; nothing is noted when they hold that already."""
        fact = await self._rows.fact(fact_id)
        held = {"pinned": int(fact.pinned), "critical": int(fact.critical)}
        before = {**held, "question": fact.question, "patterns": fact.patterns_json}
        if any(before[column] != value for column, value in values.items()):
            noted = {column: before[column] for column in values}
            await self._insert(fact_id, None, json.dumps(noted, ensure_ascii=False))
            await self._rows.write(fact_id, values)

    async def _insert(self, fact_id: int, message_id: int | None, before: str | None) -> int:
        written = await self._db.execute(
            "INSERT INTO fact_changes (fact_id, message_id, before, at) VALUES (?, ?, ?, ?)",
            (fact_id, message_id, before, to_utc_text(self._clock.now())),
        )
        return written.rowid


def _change(row: Row) -> LedgerChange:
    before = json.loads(row["before"]) if row["before"] else {}
    return LedgerChange(row["id"], row["fact_id"], row["message_id"], before, row["undone_at"] is not None)
