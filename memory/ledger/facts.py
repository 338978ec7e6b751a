"""The ledger's rows: one active value per subject, the one whose source message is the newest; history kept.

Every write joins the caller's transaction and touches the rows of one subject only, so its cost does not grow with the
ledger. The history of a subject is arranged anew after each change (`timeline`), whatever the order in which
statements, retractions and second thoughts arrive. Nothing here judges whether a statement is true or supported.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from memory.errors import UnknownId
from memory.ledger.changes import ChangeLog, LedgerChange
from memory.ledger.history import SubjectHistory
from memory.ledger.speakers import is_marked
from memory.ledger.subjects import normalise_subject, terms, value_key
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

Kind = Literal["deadline", "decision", "constraint", "entity", "user_attribute"]
Status = Literal["active", "superseded", "retracted", "forgotten", "pending"]

KINDS: tuple[Kind, ...] = get_args(Kind)

# In the order of the fields of `Fact`: a turn reads the whole ledger, and access by name would double its cost.
_READ = (
    "SELECT f.id, f.kind, f.subject, f.subject_key, f.value, f.value_key, f.due, f.quote, f.question, f.patterns,"
    " f.critical, f.pinned, f.status, f.since, f.until, f.replaces, f.by, f.message_id, m.turn_id, f.withdrawn_at,"
    " f.private"
    " FROM facts f LEFT JOIN messages m ON m.id = f.message_id"
)

_MOMENTS = (6, 13, 14, 19)  # due, since, until, withdrawn_at
_FLAGS = (10, 11, 20)  # critical, pinned, private


@dataclass(frozen=True)
class Statement:
    """What a member said of a subject in one message: not yet a row."""

    kind: Kind
    subject: str
    value: str
    quote: str
    question: str
    patterns: tuple[str, ...]
    since: datetime
    message_id: int
    critical: bool = False
    due: datetime | None = None
    by: str | None = None
    value_key: str = field(default="")
    """Equal for wordings of one value; made from the value where it is not given."""
    subject_key: str = ""
    """Made from the subject where it is not given."""
    private: bool = False
    """It is a secret that the member wanted kept: for their own prompts and lists alone."""


@dataclass(frozen=True)
class Fact:
    """A row of the ledger. `turn_id` is that of the source message; None for imports and forgotten sources."""

    id: int
    kind: Kind
    subject: str
    subject_key: str
    value: str
    value_key: str
    due: datetime | None
    quote: str
    question: str
    patterns_json: str
    critical: bool
    pinned: bool
    status: Status
    since: datetime
    until: datetime | None
    replaces: int | None
    by: str | None
    message_id: int | None
    turn_id: int | None
    withdrawn_at: datetime | None
    private: bool = False

    @property
    def ref(self) -> str:
        return f"f{self.id}"

    @property
    def about(self) -> str:
        """The subject as shown: where several people speak, what one says of themselves names them."""
        return f"{self.subject} ({self.by})" if self.by and is_marked(self.subject_key) else self.subject

    @property
    def patterns(self) -> tuple[str, ...]:
        """The regular expressions that match the value in an answer, case ignored."""
        return tuple(json.loads(self.patterns_json))


@dataclass(frozen=True)
class Candidates:
    """Facts among which a prompt chooses. `relevance` is the weight of the words shared with the query, by id;
    `others` is how many active facts were not looked at.
    """

    facts: tuple[Fact, ...]
    relevance: Mapping[int, float]
    others: int


class FactStore:
    """The facts of one space."""

    def __init__(self, database: Database, clock: Clock, *, is_shared: bool = False) -> None:
        self.is_shared = is_shared
        """Whether several people speak here: what they say of themselves is kept apart."""
        self._db = database
        self._clock = clock
        self._subjects = SubjectHistory(database, clock)
        self.changes = ChangeLog(database, clock)

    # Reading

    async def active(self) -> list[Fact]:
        """Return what holds now, the oldest first."""
        return await self._facts("WHERE f.status = 'active' ORDER BY f.since, f.id")

    async def candidates(self, query: str, *, now: datetime, limit: int) -> Candidates:
        """Return what may stand in a prompt: the first `limit` each of what always comes first, shares words with the
        query, or is newest. The cost does not grow with the ledger.
        """
        alike = await self._sharing_terms(query, limit)
        found = await self._facts(
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
        return await self._facts("WHERE f.status IN ('active', 'pending') ORDER BY f.id")

    async def history(self) -> list[Fact]:
        """Return every row, subject by subject, each from its first value to its last."""
        return await self._facts("ORDER BY f.subject_key, f.since, f.id")

    async def values_of(self, subject_key: str) -> list[Fact]:
        """Return what held and holds about a subject, from its first value to its last."""
        return await self._facts(
            "WHERE f.subject_key = ? AND f.withdrawn_at IS NULL AND f.status IN ('active', 'superseded', 'retracted')"
            " ORDER BY f.since, f.id",
            subject_key,
        )

    async def fact(self, fact_id: int) -> Fact:
        """Raises: UnknownId."""
        found = await self._facts("WHERE f.id = ?", fact_id)
        if not found:
            raise UnknownId(f"f{fact_id}")
        return found[0]

    async def current(self, subject_key: str) -> Fact | None:
        """Return what holds now about a subject."""
        found = await self._facts("WHERE f.subject_key = ? AND f.status = 'active'", subject_key)
        return found[0] if found else None

    async def from_messages(self, message_ids: Sequence[int]) -> list[Fact]:
        """Return the facts that were stated, first or again, in any of these messages."""
        ids = json.dumps(list(message_ids))
        return await self._facts(
            "WHERE f.id IN (SELECT id FROM facts WHERE message_id IN (SELECT value FROM json_each(?1))"
            " UNION SELECT fact_id FROM fact_sources WHERE message_id IN (SELECT value FROM json_each(?1)))"
            " ORDER BY f.id",
            ids,
        )

    async def touched_by(self, message_ids: Sequence[int]) -> list[Fact]:
        """Return the facts that these messages stated, and those whose subject they retracted."""
        ids = json.dumps(list(message_ids))
        return await self._facts(
            "WHERE f.withdrawn_at IS NULL AND f.id IN (SELECT id FROM facts WHERE message_id IN"
            " (SELECT value FROM json_each(?1)) UNION SELECT fact_id FROM fact_sources WHERE message_id IN"
            " (SELECT value FROM json_each(?1)) UNION SELECT e.id FROM facts e JOIN fact_retractions r"
            " ON r.subject_key = e.subject_key AND r.at = e.until AND r.withdrawn_at IS NULL"
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
        rows = await self._db.fetch_all(
            "SELECT m.id FROM messages m WHERE m.id = (SELECT message_id FROM facts WHERE id = ?1)"
            " OR m.id IN (SELECT message_id FROM fact_sources WHERE fact_id = ?1) ORDER BY m.at, m.id",
            (fact_id,),
        )
        return [int(row["id"]) for row in rows]

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
        found = await self._facts("WHERE f.id IN (SELECT value FROM json_each(?))", json.dumps(wanted))
        return sorted(found, key=lambda fact: wanted.index(fact.id))

    async def about(self, text: str, limit: int) -> list[Fact]:
        """Return only the active facts that share words with a text, rarest words first."""
        wanted = list(await self._sharing_terms(text, limit))
        found = await self._facts("WHERE f.id IN (SELECT value FROM json_each(?))", json.dumps(wanted))
        return sorted(found, key=lambda fact: wanted.index(fact.id))

    # Writing

    async def add(self, statement: Statement, *, subject_key: str | None = None) -> Fact:
        """Enter a statement into the history of its subject and return the fact that holds it.

        The same value again is noted as a further source; the same message never states the same twice, not even
        after it was taken back. An older statement than the current one enters as superseded.
        """
        key = subject_key or statement.subject_key or normalise_subject(statement.subject)
        same = statement.value_key or value_key(statement.value)
        known = await self._stated_before(key, same, statement.message_id)
        if known is not None:
            return await self.fact(known)
        holder = await self._subjects.neighbour(key, same, since=statement.since, message_id=statement.message_id)
        if holder is None:
            fact_id = await self._insert(statement, key, same)
        else:
            fact_id = holder
            await self._subjects.note_source(holder, statement.message_id, statement.quote)
        await self._subjects.settle(key)
        return (await self._holding(statement.message_id, key, same)) or await self.fact(fact_id)

    async def suggest(self, statement: Statement, *, subject_key: str, rival: int | None) -> Fact | None:
        """Enter a statement that waits for the member's yes; `rival` is the active fact that would end with it.

        None when the message said so before, or the same waits already.
        """
        same = statement.value_key or value_key(statement.value)
        waits = "SELECT 1 FROM facts WHERE subject_key = ? AND value_key = ? AND status = 'pending'"
        if await self._stated_before(subject_key, same, statement.message_id) is not None:
            return None
        if await self._db.fetch_one(waits, (subject_key, same)):
            return None
        fact_id = await self._insert(statement, subject_key, same)
        await self._db.execute("UPDATE facts SET status = 'pending', replaces = ? WHERE id = ?", (rival, fact_id))
        return await self.fact(fact_id)

    async def keep(self, fact_id: int, *, at: datetime) -> Fact:
        """Let a pending fact hold from the moment the member says so; any other stays as it is. Raises: UnknownId."""
        fact = await self.fact(fact_id)
        if fact.status == "pending":
            await self._db.execute(
                "UPDATE facts SET status = 'superseded', since = max(since, ?), replaces = NULL WHERE id = ?",
                (to_utc_text(at), fact_id),
            )
            await self._subjects.settle(fact.subject_key)
        return await self.fact(fact_id)

    async def drop(self, fact_id: int) -> Fact:
        """Take a pending fact away, for good; any other stays as it is. Raises: UnknownId."""
        if (await self.fact(fact_id)).status == "pending":
            await self._subjects.withdraw(fact_id)
        return await self.fact(fact_id)

    async def waiting(self, subject_key: str) -> list[Fact]:
        """Return what waits for the member's yes about a subject, the oldest first."""
        return await self._facts("WHERE f.subject_key = ? AND f.status = 'pending' ORDER BY f.id", subject_key)

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
            await self._subjects.take_back(key, message_id, by=by)

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

    async def undo(self, change: LedgerChange) -> None:
        """Take a change back, once. A value goes with the messages that only said it again; other later ones stay."""
        if change.is_undone:
            return
        fact = await self.fact(change.fact_id)
        await self.changes.mark_undone(change.id)
        if change.message_id is None:
            await self._write(fact.id, change.before)
        else:
            stated = await self.sources(fact.id)
            again = stated[stated.index(change.message_id) + 1 :] if change.message_id in stated else []
            await self._subjects.bring_back(fact.subject_key, change.message_id)
            for message_id in [*reversed(again), change.message_id]:
                await self._subjects.take_back(fact.subject_key, message_id)

    async def _set(self, fact_id: int, values: Mapping[str, str | int]) -> None:
        """Set columns of a fact and note what they held; nothing is noted when they hold that already."""
        fact = await self.fact(fact_id)
        held = {"pinned": int(fact.pinned), "critical": int(fact.critical)}
        before = {**held, "question": fact.question, "patterns": fact.patterns_json}
        if any(before[column] != value for column, value in values.items()):
            await self.changes.note_set(fact_id, {column: before[column] for column in values})
            await self._write(fact_id, values)

    async def _write(self, fact_id: int, values: Mapping[str, str | int]) -> None:
        columns = ", ".join(f"{column} = ?" for column in values)
        await self._db.execute(f"UPDATE facts SET {columns} WHERE id = ?", (*values.values(), fact_id))

    async def _insert(self, statement: Statement, key: str, same: str) -> int:
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

    async def _stated_before(self, key: str, same: str, message_id: int) -> int | None:
        row = await self._db.fetch_one(
            "SELECT f.id FROM facts f WHERE f.subject_key = ?1 AND f.value_key = ?2 AND (f.message_id = ?3"
            " OR EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact_id = f.id AND s.message_id = ?3))",
            (key, same, message_id),
        )
        return int(row["id"]) if row else None

    async def _holding(self, message_id: int, key: str, same: str) -> Fact | None:
        found = await self._stated_before(key, same, message_id)
        return await self.fact(found) if found is not None else None

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

    async def _facts(self, where: str, *params: str | int) -> list[Fact]:
        return [_fact(row) for row in await self._db.fetch_all(f"{_READ} {where}", params)]


def _fact(row: Row) -> Fact:
    values = list(row)
    for place in _MOMENTS:
        values[place] = from_utc_text(values[place]) if values[place] else None
    for place in _FLAGS:
        values[place] = bool(values[place])
    return Fact(*values)
