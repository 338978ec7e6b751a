"""The ledger: one active value per subject, the one whose source message is the newest; history kept.

Every write joins the caller's transaction and touches the rows of one subject only, so its cost does not grow with the
ledger. The history of a subject is arranged anew after each change (`timeline`), whatever the order in which
statements, retractions and second thoughts arrive. Nothing here judges whether a statement is true or supported.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from memory.ledger.changes import ChangeLog
from memory.ledger.fact_rows import FactRows
from memory.ledger.facts import Candidates, Fact, Statement
from memory.ledger.history import SubjectHistory
from memory.ledger.pending import PendingFacts
from memory.ledger.subjects import normalise_subject, terms, value_key
from memory.ports import Clock
from memory.store.database import Database, to_utc_text


class FactStore:
    """The facts of one space."""

    def __init__(self, database: Database, clock: Clock, *, is_shared: bool = False) -> None:
        self.is_shared = is_shared
        """Whether several people speak here: what they say of themselves is kept apart."""
        self._db = database
        self._rows = FactRows(database, clock)
        self._subjects = SubjectHistory(database, clock)
        self.changes = ChangeLog(database, clock, self._rows, self._subjects)
        self.pending = PendingFacts(database, self._rows, self._subjects)

    # Reading

    async def active(self) -> list[Fact]:
        """Return what holds now, the oldest first."""
        return await self._rows.find("WHERE f.status = 'active' ORDER BY f.since, f.id")

    async def candidates(self, query: str, *, now: datetime, limit: int) -> Candidates:
        """Return what may stand in a prompt: the first `limit` each of what always comes first, shares words with the
        query, or is newest. The cost does not grow with the ledger.
        """
        alike = await self._sharing_terms(query, limit)
        found = await self._rows.find(
            "WHERE f.id IN (SELECT * FROM (SELECT id FROM facts WHERE status = 'active' AND (pinned OR critical)"
            " AND (pinned OR due IS NULL OR due >= ?1) ORDER BY pinned DESC, since DESC, id DESC LIMIT ?2)"
            " UNION SELECT * FROM (SELECT id FROM facts WHERE status = 'active' ORDER BY since DESC, id DESC LIMIT ?2)"
            " UNION SELECT value FROM json_each(?3)) ORDER BY f.id",
            to_utc_text(now),
            limit,
            json.dumps(list(alike)),
        )
        row = await self._db.fetch_one("SELECT count(*) FROM facts WHERE status = 'active'")
        assert row is not None
        return Candidates(tuple(found), alike, int(row[0]) - len(found))

    async def listed(self) -> list[Fact]:
        """Return what holds now and what waits for the member's yes."""
        return await self._rows.find("WHERE f.status IN ('active', 'pending') ORDER BY f.id")

    async def history(self) -> list[Fact]:
        """Return every row, subject by subject, each from its first value to its last."""
        return await self._rows.find("ORDER BY f.subject_key, f.since, f.id")

    async def values_of(self, subject_key: str) -> list[Fact]:
        """Return what held and holds about a subject, from its first value to its last."""
        return await self._rows.find(
            "WHERE f.subject_key = ? AND f.withdrawn_at IS NULL AND f.status IN ('active', 'superseded', 'retracted')"
            " ORDER BY f.since, f.id",
            subject_key,
        )

    async def fact(self, fact_id: int) -> Fact:
        """Raises: UnknownId."""
        return await self._rows.fact(fact_id)

    async def current(self, subject_key: str) -> Fact | None:
        """Return what holds now about a subject."""
        found = await self._rows.find("WHERE f.subject_key = ? AND f.status = 'active'", subject_key)
        return found[0] if found else None

    async def from_messages(self, message_ids: Sequence[int]) -> list[Fact]:
        """Return the facts that were stated, first or again, in any of these messages."""
        ids = json.dumps(list(message_ids))
        return await self._rows.find(
            "WHERE f.id IN (SELECT id FROM facts WHERE message_id IN (SELECT value FROM json_each(?1))"
            " UNION SELECT fact_id FROM fact_sources WHERE message_id IN (SELECT value FROM json_each(?1)))"
            " ORDER BY f.id",
            ids,
        )

    async def touched_by(self, message_ids: Sequence[int]) -> list[Fact]:
        """Return the facts that these messages stated, and those whose subject they retracted."""
        ids = json.dumps(list(message_ids))
        return await self._rows.find(
            "WHERE f.withdrawn_at IS NULL AND f.id IN (SELECT id FROM facts WHERE message_id IN"
            " (SELECT value FROM json_each(?1)) UNION SELECT fact_id FROM fact_sources WHERE message_id IN"
            " (SELECT value FROM json_each(?1)) AND withdrawn_at IS NULL"
            " UNION SELECT e.id FROM facts e JOIN fact_retractions r ON r.subject_key = e.subject_key"
            " AND r.at = e.until AND r.withdrawn_at IS NULL"
            " WHERE r.message_id IN (SELECT value FROM json_each(?1))) ORDER BY f.id",
            ids,
        )

    async def versions_before(self, message_id: int) -> list[int]:
        """Return the ids of the earlier versions of a message, oldest first; empty for one that is no edit."""
        rows = await self._db.fetch_all(
            "SELECT v.id FROM messages m JOIN messages v ON v.id < m.id AND (v.id = m.replaces OR"
            " v.replaces = m.replaces) WHERE m.id = ? ORDER BY v.id",
            (message_id,),
        )
        return [int(row["id"]) for row in rows]

    async def is_outdated(self, message_id: int) -> bool:
        """Tell whether a later version of the message is stored."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM messages m JOIN messages v ON v.replaces = coalesce(m.replaces, m.id) AND v.id > m.id"
            " WHERE m.id = ? LIMIT 1",
            (message_id,),
        )
        return row is not None

    async def sources(self, fact_id: int) -> list[int]:
        """Return the ids of the messages that state a fact, in the order they were said."""
        return await self._rows.sources(fact_id)

    async def quotes(self, fact_ids: Sequence[int]) -> list[str]:
        """Return the words in which facts were stated, each once."""
        rows = await self._db.fetch_all(
            "SELECT quote FROM facts WHERE id IN (SELECT value FROM json_each(?1)) AND quote <> ''"
            " UNION SELECT quote FROM fact_sources WHERE fact_id IN (SELECT value FROM json_each(?1))",
            (json.dumps(list(fact_ids)),),
        )
        return [row["quote"] for row in rows]

    async def nearest(self, text: str, limit: int) -> list[Fact]:
        """Return active facts that share words with a text, rarest words first; the newest facts fill a third."""
        alike = list(await self._sharing_terms(text, limit))
        newest = await self._db.fetch_all(
            "SELECT id FROM facts WHERE status = 'active' ORDER BY since DESC, id DESC LIMIT ?", (limit,)
        )
        recent = [row["id"] for row in newest]
        share = max(limit - len(alike), limit // 3)
        wanted = list(dict.fromkeys([*alike[: limit - limit // 3], *recent[:share], *alike]))[:limit]
        found = await self._rows.find("WHERE f.id IN (SELECT value FROM json_each(?))", json.dumps(wanted))
        return sorted(found, key=lambda fact: wanted.index(fact.id))

    async def about(self, text: str, limit: int) -> list[Fact]:
        """Return only the active facts that share words with a text, rarest words first."""
        wanted = list(await self._sharing_terms(text, limit))
        found = await self._rows.find("WHERE f.id IN (SELECT value FROM json_each(?))", json.dumps(wanted))
        return sorted(found, key=lambda fact: wanted.index(fact.id))

    # Writing

    async def add(self, statement: Statement, *, subject_key: str | None = None) -> Fact:
        """Enter a statement into the history of its subject and return the fact that holds it.

        The same value again is noted as a further source; the same message never states the same twice, not even
        after it was taken back. An older statement than the current one enters as superseded.
        """
        key = subject_key or statement.subject_key or normalise_subject(statement.subject)
        same = statement.value_key or value_key(statement.value)
        known = await self._rows.stated_in(statement.message_id, key, same)
        if known is not None:
            return await self.fact(known)
        holder = await self._subjects.neighbour(key, same, since=statement.since, message_id=statement.message_id)
        if holder is None:
            fact_id = await self._rows.insert(statement, key, same)
        else:
            fact_id = holder
            await self._subjects.note_source(holder, statement.message_id, statement.quote)
        await self._subjects.settle(key)
        held_by = await self._rows.stated_in(statement.message_id, key, same)
        return await self.fact(fact_id if held_by is None else held_by)

    async def retract(self, fact_id: int, *, at: datetime, message_id: int | None = None) -> Fact:
        """End what was current about the fact's subject at that time. Raises: UnknownId."""
        fact = await self.fact(fact_id)
        known = await self._db.fetch_one(
            "SELECT 1 FROM fact_retractions WHERE subject_key = ? AND message_id IS ? AND at = ?",
            (fact.subject_key, message_id, to_utc_text(at)),
        )
        if known is None:
            await self._db.execute(
                "INSERT INTO fact_retractions (subject_key, at, message_id) VALUES (?, ?, ?)",
                (fact.subject_key, to_utc_text(at), message_id),
            )
            await self._subjects.settle(fact.subject_key)
        return await self.fact(fact_id)

    async def set_aside(self, fact_id: int) -> None:
        """Take a damaged row out of its subject's history, so that its message, read anew, is entered anew.

        Raises: UnknownId.
        """
        fact = await self.fact(fact_id)
        await self._subjects.withdraw(fact.id)
        # A message never states the same twice, and this row no longer stands for what was said.
        await self._rows.write(fact.id, {"value_key": f"damaged:{fact.id}"})
        await self._subjects.settle(fact.subject_key)

    async def settle(self, subject_key: str) -> None:
        """Make the rows of a subject say again what its statements and retractions amount to."""
        await self._subjects.settle(subject_key)

    async def renumber(self, fact_id: int, to: int) -> None:
        """Give a fact the id of a row that was lost, so that what names that id finds it again."""
        await self._rows.renumber(fact_id, to)

    async def withdraw_message(self, message_id: int, *, by: int | None = None) -> None:
        """Take back all that a message stated or retracted, `by` a later version of it that says something else.

        A fact that was stated elsewhere too stands on that other message from then on.
        """
        facts = await self.from_messages([message_id])
        rows = await self._db.fetch_all(
            "SELECT DISTINCT subject_key FROM fact_retractions WHERE message_id = ?", (message_id,)
        )
        for fact in facts:
            if fact.status == "pending":
                await self._subjects.withdraw(fact.id, by=by)
        for key in dict.fromkeys([*(fact.subject_key for fact in facts), *(row["subject_key"] for row in rows)]):
            await self._subjects.take_back_answered(key, message_id, by=by)
            await self._subjects.take_back(key, message_id, by=by)

    async def _sharing_terms(self, text: str, limit: int) -> dict[int, float]:
        """Return the active facts that share words with a text, with the weight of the words; rare words weigh more."""
        rows = await self._db.fetch_all(
            "WITH asked (term) AS (SELECT value FROM json_each(?)),"
            " weight AS (SELECT t.term, 1.0 / count(*) AS w FROM fact_terms t JOIN asked USING (term) GROUP BY t.term)"
            " SELECT t.fact_id AS id, sum(w) AS weight FROM weight JOIN fact_terms t USING (term)"
            " GROUP BY t.fact_id ORDER BY weight DESC, t.fact_id DESC LIMIT ?",
            (json.dumps(terms(text)), limit),
        )
        return {int(row["id"]): float(row["weight"]) for row in rows}
