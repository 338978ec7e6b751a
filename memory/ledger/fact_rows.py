"""The rows of the ledger's facts: read in one order of columns, inserted in one way.

Every write joins the caller's transaction. Which row is current is not decided here.
"""

import json
from collections.abc import Mapping

from memory.errors import UnknownId
from memory.ledger.facts import Fact, Statement
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

# In the order of the fields of `Fact`: a turn reads the whole ledger, and access by name would double its cost.
_READ = (
    "SELECT f.id, f.kind, f.subject, f.subject_key, f.value, f.value_key, f.due, f.quote, f.question, f.patterns,"
    " f.critical, f.pinned, f.status, f.since, f.until, f.replaces, f.by, f.message_id, m.turn_id, f.withdrawn_at,"
    " f.private"
    " FROM facts f LEFT JOIN messages m ON m.id = f.message_id"
)

_MOMENTS = (6, 13, 14, 19)  # due, since, until, withdrawn_at
_FLAGS = (10, 11, 20)  # critical, pinned, private
_NAMED_IN = (
    ("facts", "replaces"),
    ("fact_sources", "fact_id"),
    ("fact_changes", "fact_id"),
    ("fact_terms", "fact_id"),
    ("probe_questions", "fact_id"),
)


class FactRows:
    """The table of facts of one space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def find(self, where: str, *params: str | int) -> list[Fact]:
        """Return the facts that a condition on `f` (and on the source message `m`) picks, in its order."""
        return [_fact(row) for row in await self._db.fetch_all(f"{_READ} {where}", params)]

    async def fact(self, fact_id: int) -> Fact:
        """Raises: UnknownId."""
        found = await self.find("WHERE f.id = ?", fact_id)
        if not found:
            raise UnknownId(f"f{fact_id}")
        return found[0]

    async def sources(self, fact_id: int) -> list[int]:
        """Return the ids of the messages that state a fact, in the order they were said."""
        rows = await self._db.fetch_all(
            "SELECT m.id FROM messages m WHERE m.id = (SELECT message_id FROM facts WHERE id = ?1)"
            " OR m.id IN (SELECT message_id FROM fact_sources WHERE fact_id = ?1 AND withdrawn_at IS NULL)"
            " ORDER BY m.at, m.id",
            (fact_id,),
        )
        return [int(row["id"]) for row in rows]

    async def stated_in(self, message_id: int, key: str, same: str) -> int | None:
        """Return the fact, in whatever state, as which a message states this value of a subject."""
        row = await self._db.fetch_one(
            "SELECT f.id FROM facts f WHERE f.subject_key = ?1 AND f.value_key = ?2 AND (f.message_id = ?3"
            " OR EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact_id = f.id AND s.message_id = ?3))",
            (key, same, message_id),
        )
        return int(row["id"]) if row else None

    async def insert(self, statement: Statement, key: str, same: str) -> int:
        """Add a row that holds nothing yet (`superseded`) and return its id."""
        written = await self._db.execute(
            "INSERT INTO facts (kind, subject, subject_key, value, value_key, due, quote, question, patterns, critical,"
            " pinned, private, status, since, by, message_id, created_at)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
            # What is pinned or private is the subject: a new value stands where the old one stood.
            " coalesce((SELECT pinned FROM facts WHERE subject_key = ?3 AND status = 'active'), 0),"
            " coalesce((SELECT max(private, ?15) FROM facts WHERE subject_key = ?3 AND status = 'active'), ?15),"
            " 'superseded', ?11, ?12, ?13, ?14)",
            (
                statement.kind,
                statement.subject,
                key,
                statement.value,
                same,
                to_utc_text(statement.due) if statement.due else None,
                statement.quote,
                statement.question,
                json.dumps(statement.patterns, ensure_ascii=False),
                int(statement.critical),
                to_utc_text(statement.since),
                statement.by,
                statement.message_id,
                to_utc_text(self._clock.now()),
                int(statement.private),
            ),
        )
        return written.rowid

    async def write(self, fact_id: int, values: Mapping[str, str | int]) -> None:
        """Set columns of a row."""
        columns = ", ".join(f"{column} = ?" for column in values)
        await self._db.execute(f"UPDATE facts SET {columns} WHERE id = ?", (*values.values(), fact_id))

    async def renumber(self, fact_id: int, to: int) -> None:
        """Give a row an id that no other has, wherever it is named; what a lost row of that id left gives way."""
        await self._db.execute("PRAGMA defer_foreign_keys = ON")
        await self._db.execute("UPDATE facts SET id = ? WHERE id = ?", (to, fact_id))
        for table, column in _NAMED_IN:
            await self._db.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?", (to, fact_id))


def _fact(row: Row) -> Fact:
    values = list(row)
    for place in _MOMENTS:
        values[place] = from_utc_text(values[place]) if values[place] else None
    for place in _FLAGS:
        values[place] = bool(values[place])
    return Fact(*values)
