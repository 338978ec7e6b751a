"""Integrity: does a memory still hold what its rows claim? Every hash, and every pair of rows that must agree.

`examine` only reads (the check of the full-text index writes nothing, but SQLite wants a writable file: give it a
copy). `rebuild` makes anew what is derived: index, terms, journal files. What a person said, its hashes and what was
decided about it are never touched: damage there is reported, and a backup is what mends it.
"""

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import ValidationError

from memory.errors import DamagedDatabase
from memory.forget.steps import FORGOTTEN_MEDIA
from memory.ledger.subjects import terms as fact_terms
from memory.messages import parts_from_json, text_of
from memory.ports import Clock
from memory.recall.segments import digest
from memory.recall.terms import NORMALISER, terms
from memory.space import Space
from memory.store.database import Database, Row, to_utc_text

PAGE = 2_000
OLD_JOB = timedelta(days=1)
WAITING_JOBS = "jobs have waited for more than a day"
REBUILD = "stop the server and run this again: it can be made anew"
RESTORE = "stop the server and put a backup from `backups` in its place"

_DERIVED = frozenset({"vectors", "vector_sources", "vectors_due", "fact_terms"})
"""Tables that the repair fills anew: a row of theirs that names nothing is no loss."""
_MISSHAPEN = (
    "length(vector) NOT IN (0, (SELECT length(vector) FROM vectors WHERE length(vector) > 0"
    " GROUP BY 1 ORDER BY count(*) DESC LIMIT 1))"
)

_NEWEST = "NOT EXISTS (SELECT 1 FROM messages n WHERE n.replaces = coalesce(m.replaces, m.id) AND n.id > m.id)"


@dataclass(frozen=True)
class Fault:
    """Something that does not agree: how often, in words, and whether it can be made anew from what is there."""

    about: str
    count: int
    words: str
    can_be_rebuilt: bool = False

    def line(self) -> str:
        """Return it for a person, with what to do."""
        if self.words == WAITING_JOBS:
            return f"{self.about}: {self.count} {self.words}; the log says why (grep: job failed)"
        advice = REBUILD if self.can_be_rebuilt else RESTORE
        return f"{self.about}: {self.count} {self.words}; {advice}"


# The pairs that must agree and that one query can compare: what it is about, what is wrong, whether it can be rebuilt.
_QUERIES: tuple[tuple[str, str, bool, str], ...] = (
    (
        "index",
        "segments are not in the index, or by older rules",
        True,
        (
            f"SELECT count(*) FROM segments s JOIN messages m ON m.id = s.message_id LEFT JOIN segment_terms t"
            f" ON t.segment_id = s.id WHERE {_NEWEST} AND t.normaliser IS NOT {NORMALISER}"
        ),
    ),
    (
        "index",
        "rows are in the index without a segment of a current message",
        True,
        (
            "SELECT count(*) FROM segment_terms t LEFT JOIN segments s ON s.id = t.segment_id"
            f" LEFT JOIN messages m ON m.id = s.message_id AND {_NEWEST} WHERE m.id IS NULL"
        ),
    ),
    (
        "manifests",
        "entries name a hash that their segment has not",
        False,
        "SELECT count(*) FROM manifest a LEFT JOIN segments s ON s.id = a.segment_id WHERE s.sha256 IS NOT a.sha256",
    ),
    (
        "handoffs",
        "handoffs cover messages that are not in their session",
        False,
        (
            "SELECT count(*) FROM handoffs h WHERE h.first_message_id > h.last_message_id OR NOT EXISTS (SELECT 1 FROM"
            " messages m WHERE m.id = h.last_message_id AND m.session_id = h.session_id)"
        ),
    ),
    (
        "handoffs",
        "pairs of handoffs cover the same messages",
        False,
        (
            "SELECT count(*) FROM handoffs a JOIN handoffs b ON b.session_id = a.session_id AND b.id > a.id"
            " AND b.first_message_id <= a.last_message_id AND a.first_message_id <= b.last_message_id"
        ),
    ),
    (
        "facts",
        "facts have lost the message they come from",
        False,
        (
            "SELECT count(*) FROM facts f LEFT JOIN messages m ON m.id = f.message_id"
            " WHERE f.status IN ('active', 'superseded', 'pending') AND f.message_id IS NOT NULL AND m.id IS NULL"
        ),
    ),
)
_VECTOR_QUERIES: tuple[tuple[str, str, bool, str], ...] = (
    (
        "vectors",
        "vectors are of segments that are not in the index",
        True,
        (
            "SELECT count(*) FROM vectors v LEFT JOIN segment_terms t ON t.segment_id = v.segment_id"
            " WHERE t.segment_id IS NULL"
        ),
    ),
    (
        "vectors",
        "segments have neither a vector nor a place in the queue for one",
        True,
        (
            "SELECT count(*) FROM segment_terms t WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.segment_id ="
            " t.segment_id) AND NOT EXISTS (SELECT 1 FROM vectors_due d WHERE d.segment_id = t.segment_id)"
        ),
    ),
    (
        "vectors",
        "vectors have another length than their embedder's",
        True,
        f"SELECT count(*) FROM vectors WHERE {_MISSHAPEN}",
    ),
)


async def examine(database: Database, folder: Path, clock: Clock) -> list[Fault]:
    """Return everything that does not agree in a memory; `folder` is where its media and journal lie.

    `database` is the memory or a copy of it, opened for writing.
    """
    found = [*await _file(database), *await _pairs(database), *await _full_text(database)]
    counts = Counter[Fault]()
    for look in (_segments, _messages, _turns, _terms, _facts, _fact_terms):
        async for fault in look(database):
            counts[fault] += 1
    found += [Fault(one.about, count, one.words, one.can_be_rebuilt) for one, count in counts.items()]
    found += await _media(database, folder / "media")
    found += await _jobs(database, clock)
    return [fault for fault in found if fault.count]


async def rebuild(space: Space) -> None:
    """Make the index, its terms and the journal files anew from the words. Needs the only writer of the memory."""
    stale = [segment_id async for segment_id in _stale(space.db)]
    async with space.db.transaction():
        # Rows of older rules: the repair makes them anew.
        await space.db.execute(
            "UPDATE segment_terms SET normaliser = 0 WHERE segment_id IN (SELECT value FROM json_each(?))",
            (json.dumps(stale),),
        )
        await space.db.execute(
            "DELETE FROM segment_terms WHERE segment_id NOT IN (SELECT s.id FROM segments s JOIN messages m"
            f" ON m.id = s.message_id WHERE {_NEWEST})"
        )
        await space.db.execute("INSERT INTO segments_fts (segments_fts) VALUES ('rebuild')")
        await _rebuild_fact_terms(space.db)
        if await _has_vectors(space.db):
            await space.db.execute(
                "DELETE FROM vector_sources WHERE segment_id NOT IN (SELECT segment_id FROM vectors)"
                " OR source_id NOT IN (SELECT id FROM segments)"
            )
            await space.db.execute("DELETE FROM vectors_due WHERE segment_id NOT IN (SELECT id FROM segments)")
            await space.db.execute(
                f"DELETE FROM vectors WHERE segment_id NOT IN (SELECT segment_id FROM segment_terms) OR {_MISSHAPEN}"
            )
            await space.db.execute(
                "INSERT OR IGNORE INTO vectors_due (is_imported, segment_id) SELECT m.session_id IS NULL, s.id"
                " FROM segment_terms t JOIN segments s ON s.id = t.segment_id JOIN messages m ON m.id = s.message_id"
                " WHERE s.id NOT IN (SELECT segment_id FROM vectors)"
            )
    await space.segments.repair()
    await space.journal.project()


async def _file(database: Database) -> list[Fault]:
    rows = await database.fetch_all("PRAGMA integrity_check(1)")
    is_well = str(rows[0][0]) == "ok"
    lost = Counter(row[0] in _DERIVED for row in await database.fetch_all("PRAGMA foreign_key_check"))
    return [
        Fault("file", int(not is_well), "fault found by SQLite's own check"),
        Fault("rows", lost[False], "rows name others that are not there"),
        Fault("index", lost[True], "derived rows name others that are not there", can_be_rebuilt=True),
    ]


async def _pairs(database: Database) -> list[Fault]:
    more = _VECTOR_QUERIES if await _has_vectors(database) else ()
    faults = []
    for about, words, can_be_rebuilt, sql in (*_QUERIES, *more):
        row = await database.fetch_one(sql)
        faults.append(Fault(about, int(row[0]) if row else 0, words, can_be_rebuilt))
    return faults


async def _full_text(database: Database) -> list[Fault]:
    """Compare the full-text index with the terms it is made of (SQLite's own comparison, rank 1)."""
    try:
        async with database.transaction():
            await database.execute("INSERT INTO segments_fts (segments_fts, rank) VALUES ('integrity-check', 1)")
    except DamagedDatabase:
        return [Fault("index", 1, "full-text index that is not what its terms say", can_be_rebuilt=True)]
    return []


async def _segments(database: Database) -> AsyncIterator[Fault]:
    """Every stretch against its hash, and the stretches of a message against its text."""
    covered: dict[int, int] = {}
    lengths: dict[int, int] = {}
    sql = (
        "SELECT s.id, s.message_id, s.start, s.stop, s.sha256, m.text FROM segments s JOIN messages m"
        " ON m.id = s.message_id WHERE s.id > ? ORDER BY s.id LIMIT ?"
    )
    async for row in _paged(database, sql):
        if digest(row["text"][row["start"] : row["stop"]]) != row["sha256"]:
            yield Fault("segments", 1, "stretches of text are not what was hashed")
        covered[row["message_id"]] = covered.get(row["message_id"], 0) + row["stop"] - row["start"]
        lengths[row["message_id"]] = len(row["text"])
    for message_id, chars in covered.items():
        if chars != lengths[message_id]:
            yield Fault("segments", 1, "messages are not wholly covered by their segments")
    row_count = await database.fetch_one(
        "SELECT count(*) FROM messages m WHERE role IN ('user', 'model') AND trim(text, ' \t\r\n') <> ''"
        " AND NOT EXISTS (SELECT 1 FROM segments s WHERE s.message_id = m.id)"
    )
    for _ in range(int(row_count[0]) if row_count else 0):
        yield Fault("segments", 1, "messages are not cut into segments", can_be_rebuilt=True)


async def _messages(database: Database) -> AsyncIterator[Fault]:
    async for row in _paged(database, "SELECT id, text, body FROM messages WHERE id > ? ORDER BY id LIMIT ?"):
        try:
            same = text_of(parts_from_json(row["body"])) == row["text"]
        except ValidationError:
            yield Fault("messages", 1, "messages cannot be read")
            continue
        if not same:
            yield Fault("messages", 1, "messages have other words in their parts than in their text")


async def _turns(database: Database) -> AsyncIterator[Fault]:
    """Calls and results of turns that ended well: each call has exactly one result, each result a call."""
    sql = (
        "SELECT t.id, json_group_array(json(m.body)) AS bodies FROM turns t JOIN messages m ON m.turn_id = t.id"
        " AND m.replaces IS NULL AND m.role IN ('model', 'tool') AND json_valid(m.body)"
        " WHERE t.state = 'done' AND t.id > ? GROUP BY t.id ORDER BY t.id LIMIT ?"
    )
    async for row in _paged(database, sql):
        calls, results = _calls(row["bodies"])
        if calls - results:
            yield Fault("tools", 1, "turns have a call without a result")
        if results - calls:
            yield Fault("tools", 1, "turns have a result without a call")


def _calls(bodies: str) -> tuple[Counter[str], Counter[str]]:
    calls, results = Counter[str](), Counter[str]()
    for body in json.loads(bodies):
        for part in body:
            if part.get("kind") == "call":
                calls[part["call_id"]] += 1
            elif part.get("kind") == "result":
                results[part["call_id"]] += 1
    return calls, results


async def _terms(database: Database) -> AsyncIterator[Fault]:
    async for _ in _stale(database):
        yield Fault("index", 1, "segments have terms that are not those of their words", can_be_rebuilt=True)


async def _stale(database: Database) -> AsyncIterator[int]:
    """Yield the segments whose terms are not what their words give by the present rules."""
    sql = (
        "SELECT s.id, s.start, s.stop, m.text, t.body FROM segment_terms t JOIN segments s ON s.id = t.segment_id"
        f" JOIN messages m ON m.id = s.message_id WHERE t.normaliser = {NORMALISER} AND s.id > ? ORDER BY s.id LIMIT ?"
    )
    async for row in _paged(database, sql):
        if " ".join(terms(row["text"][row["start"] : row["stop"]])) != row["body"]:
            yield row["id"]


async def _facts(database: Database) -> AsyncIterator[Fault]:
    """The quote of every fact against the message it was taken from."""
    sql = (
        "SELECT f.id, f.quote, m.text FROM facts f JOIN messages m ON m.id = f.message_id"
        " WHERE f.status IN ('active', 'superseded', 'pending') AND f.id > ? ORDER BY f.id LIMIT ?"
    )
    async for row in _paged(database, sql):
        if _folded(row["quote"]) not in _folded(row["text"]):
            yield Fault("facts", 1, "facts have a quote that does not stand in their message")


async def _fact_terms(database: Database) -> AsyncIterator[Fault]:
    async for _ in _misindexed(database):
        yield Fault("index", 1, "facts are not found by their words", can_be_rebuilt=True)


async def _misindexed(database: Database) -> AsyncIterator[tuple[int, list[str]]]:
    """Yield the facts whose terms are not what their words give by the present rules, with those."""
    sql = (
        "SELECT f.id, f.subject, f.value, f.quote, f.status, (SELECT json_group_array(t.term) FROM fact_terms t"
        " WHERE t.fact_id = f.id) AS held FROM facts f WHERE f.id > ? ORDER BY f.id LIMIT ?"
    )
    async for row in _paged(database, sql):
        wanted = fact_terms(row["subject"], row["value"], row["quote"]) if row["status"] == "active" else []
        if set(json.loads(row["held"])) != set(wanted):
            yield row["id"], wanted


async def _rebuild_fact_terms(database: Database) -> None:
    """Joins the caller's transaction."""
    await database.execute("DELETE FROM fact_terms WHERE fact_id NOT IN (SELECT id FROM facts)")
    for fact_id, wanted in [one async for one in _misindexed(database)]:
        await database.execute("DELETE FROM fact_terms WHERE fact_id = ?", (fact_id,))
        await database.execute(
            "INSERT INTO fact_terms (term, fact_id) SELECT value, ? FROM json_each(?)", (fact_id, json.dumps(wanted))
        )


async def _media(database: Database, folder: Path) -> list[Fault]:
    missing = changed = 0
    for row in await database.fetch_all("SELECT sha256 FROM media WHERE mime_type <> ?", (FORGOTTEN_MEDIA,)):
        try:
            is_same = hashlib.sha256((folder / row["sha256"]).read_bytes()).hexdigest() == row["sha256"]
        except FileNotFoundError:
            missing += 1
        else:
            changed += not is_same
    return [Fault("media", missing, "files are missing"), Fault("media", changed, "files are not what was hashed")]


async def _jobs(database: Database, clock: Clock) -> list[Fault]:
    row = await database.fetch_one(
        "SELECT count(*) FROM jobs WHERE state = 'ready' AND created_at < ?", (to_utc_text(clock.now() - OLD_JOB),)
    )
    return [Fault("jobs", int(row[0]) if row else 0, WAITING_JOBS)]


async def _has_vectors(database: Database) -> bool:
    return await database.fetch_one("SELECT 1 FROM sqlite_master WHERE name = 'vectors'") is not None


async def _paged(database: Database, sql: str) -> AsyncIterator[Row]:
    """Yield the rows of a query by id, page by page: a large memory does not fit at once."""
    last = 0
    while rows := await database.fetch_all(sql, (last, PAGE)):
        for row in rows:
            yield row
        last = rows[-1]["id"]


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
