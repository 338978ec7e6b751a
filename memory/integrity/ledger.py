"""The ledger against itself and against the words it rests on."""

import re
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import dataclass

from memory.catalogue import N_
from memory.forget.masking import MASK
from memory.integrity.fault import Fault, fault
from memory.integrity.pages import count, paged
from memory.ledger.support import NotSupported, Words, anchored, quoted_span, supported_value
from memory.store.database import Database, from_utc_text
from memory.store.preferences import Zones

_QUERIES = (
    (
        N_("facts have lost the message they come from"),
        (
            "SELECT count(*) FROM facts f LEFT JOIN messages m ON m.id = f.message_id"
            " WHERE f.status IN ('active', 'superseded', 'pending') AND f.message_id IS NOT NULL AND m.id IS NULL"
        ),
    ),
    (
        N_("subjects have two values that hold"),
        ("SELECT count(*) FROM (SELECT 1 FROM facts WHERE status = 'active' GROUP BY subject_key HAVING count(*) > 1)"),
    ),
    (
        N_("facts hold although another that holds has replaced them"),
        (
            "SELECT count(*) FROM facts f WHERE f.status = 'active' AND EXISTS"
            " (SELECT 1 FROM facts n WHERE n.replaces = f.id AND n.status = 'active')"
        ),
    ),
    (
        N_("facts hold although they have ended"),
        "SELECT count(*) FROM facts WHERE status = 'active' AND until IS NOT NULL",
    ),
    (
        N_("facts hold although a later value of their subject does not"),
        (
            "SELECT count(*) FROM facts f WHERE f.status = 'active' AND EXISTS (SELECT 1 FROM facts n WHERE"
            " n.subject_key = f.subject_key AND n.status = 'superseded' AND n.withdrawn_at IS NULL"
            " AND n.since > f.since)"
        ),
    ),
    (
        N_("facts have given way to nothing"),
        (
            "SELECT count(*) FROM facts f WHERE f.status = 'superseded' AND f.withdrawn_at IS NULL AND NOT EXISTS"
            " (SELECT 1 FROM facts n WHERE n.subject_key = f.subject_key AND n.id <> f.id AND n.withdrawn_at IS NULL"
            " AND n.status IN ('active', 'superseded', 'retracted') AND n.since >= f.since)"
        ),
    ),
)
_ADDED = re.compile(r"\s*\([^()]*\)$")


@dataclass(frozen=True)
class _Said:
    """A message that states a fact, and the words in it that do."""

    words: Words
    quote: str


async def ledger_faults(database: Database, zones: Zones) -> AsyncIterator[Fault]:
    """Histories that no order of words gives, quotes that nobody said, values that their quotes do not support."""
    for words, sql in _QUERIES:
        yield fault("facts", words, count=await count(database, sql))
    sql = (
        "SELECT f.id, f.quote, m.text FROM facts f JOIN messages m ON m.id = f.message_id"
        " WHERE f.status IN ('active', 'superseded', 'pending') AND f.id > ? ORDER BY f.id LIMIT ?"
    )
    async for row in paged(database, sql):
        if _folded(row["quote"]) not in _folded(row["text"]):
            yield fault("facts", N_("facts have a quote that does not stand in their message"))
    async for _ in _unsupported(database, zones):
        yield fault("facts", N_("facts have a value that nobody said"))


async def _unsupported(database: Database, zones: Zones) -> AsyncIterator[int]:
    """Yield the facts that hold and whose value follows from no message that states them.

    Not those of which a source is forgotten, and no secret: its words are masked in the talk.
    """
    sql = (
        "SELECT f.id, f.kind, f.subject_key, f.value FROM facts f WHERE f.status = 'active' AND NOT f.private"
        " AND f.message_id IS NOT NULL AND f.id > ? ORDER BY f.id LIMIT ?"
    )
    async for row in paged(database, sql):
        said = await _said(database, row["id"], zones)
        if any(MASK in one.words.text for one in said):
            continue
        others = await _other_values(database, row["subject_key"], row["value"])
        if not any(_follows(row["value"], row["kind"], one, others) for one in said):
            yield row["id"]


async def _said(database: Database, fact_id: int, zones: Zones) -> list[_Said]:
    """Return all statements of a fact, those that were taken back too: its value may be worded as the first."""
    rows = await database.fetch_all(
        "SELECT m.text, m.at, s.quote FROM (SELECT message_id, quote FROM facts WHERE id = ?1"
        " UNION ALL SELECT message_id, quote FROM fact_sources WHERE fact_id = ?1"
        # A value that was said again later has a row of its own, worded as the first.
        " UNION ALL SELECT o.message_id, o.quote FROM facts o JOIN facts f ON f.subject_key = o.subject_key"
        " AND f.value_key = o.value_key AND f.id = ?1 AND o.id <> f.id) s JOIN messages m ON m.id = s.message_id",
        (fact_id,),
    )
    moments = [from_utc_text(row["at"]) for row in rows]
    said = zip(rows, moments, strict=True)
    return [_Said(Words(row["text"], at, zones.zone_at(at)), row["quote"]) for row, at in said]


async def _other_values(database: Database, subject_key: str, value: str) -> list[str | None]:
    """Return what the value may have replaced: part of a moment may stay unsaid ("make it 18:00")."""
    rows = await database.fetch_all(
        "SELECT DISTINCT value FROM facts WHERE subject_key = ? AND value <> ?", (subject_key, value)
    )
    return [None, *(row["value"] for row in rows)]


def _follows(value: str, kind: str, said: _Said, others: list[str | None]) -> bool:
    if _folded(value) in _folded(said.words.text):
        return True
    return any(_is_supported(value, kind, said, other) for other in others)


def _is_supported(value: str, kind: str, said: _Said, replaced: str | None) -> bool:
    try:
        supported_value(said.words, said.quote, value, replaced=replaced)
    except NotSupported:
        plain = _ADDED.sub("", value)
        return plain != value and _is_anchored(plain, value, kind, said, replaced)
    return True


def _is_anchored(plain: str, value: str, kind: str, said: _Said, replaced: str | None) -> bool:
    """Tell whether a value is one that was said, with the date beside it that code adds."""
    try:
        span = quoted_span(said.words, said.quote)
        supported = supported_value(said.words, said.quote, plain, replaced=replaced)
    except NotSupported:
        return False
    return anchored(said.words, span, supported, is_deadline=kind == "deadline") == value


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
