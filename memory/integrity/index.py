"""What is derived from the words so that they are found: terms, full text, vectors. All of it can be made anew."""

import json
from collections.abc import AsyncIterator

from memory.catalogue import N_
from memory.errors import DamagedDatabase
from memory.integrity.fault import Fault, fault
from memory.integrity.pages import count, paged
from memory.ledger.subjects import terms as fact_terms
from memory.recall.embed import VectorStore
from memory.recall.terms import NORMALISER, terms
from memory.store.database import Database

NEWEST = "NOT EXISTS (SELECT 1 FROM messages n WHERE n.replaces = coalesce(m.replaces, m.id) AND n.id > m.id)"
MISSHAPEN = (
    "length(vector) NOT IN (0, (SELECT length(vector) FROM vectors WHERE length(vector) > 0"
    " GROUP BY 1 ORDER BY count(*) DESC LIMIT 1))"
)
_QUERIES = (
    (
        "index",
        N_("segments are not in the index, or by older rules"),
        (
            f"SELECT count(*) FROM segments s JOIN messages m ON m.id = s.message_id LEFT JOIN segment_terms t"
            f" ON t.segment_id = s.id WHERE {NEWEST} AND t.normaliser IS NOT {NORMALISER}"
        ),
    ),
    (
        "index",
        N_("rows are in the index without a segment of a current message"),
        (
            "SELECT count(*) FROM segment_terms t LEFT JOIN segments s ON s.id = t.segment_id"
            f" LEFT JOIN messages m ON m.id = s.message_id AND {NEWEST} WHERE m.id IS NULL"
        ),
    ),
    (
        "vectors",
        N_("vectors are of segments that are not in the index"),
        (
            "SELECT count(*) FROM vectors v LEFT JOIN segment_terms t ON t.segment_id = v.segment_id"
            " WHERE t.segment_id IS NULL"
        ),
    ),
    (
        "vectors",
        N_("segments have neither a vector nor a place in the queue for one"),
        (
            "SELECT count(*) FROM segment_terms t WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.segment_id ="
            " t.segment_id) AND NOT EXISTS (SELECT 1 FROM vectors_due d WHERE d.segment_id = t.segment_id)"
        ),
    ),
    (
        "vectors",
        N_("vectors have another length than their embedder's"),
        f"SELECT count(*) FROM vectors WHERE {MISSHAPEN}",
    ),
)
"""What one query can compare: what it is about, what is wrong, how often."""


async def index_faults(database: Database) -> AsyncIterator[Fault]:
    """The index both ways, its terms, the full text, the vectors, the terms of facts."""
    for about, words, sql in _QUERIES:
        yield fault(about, words, count=await count(database, sql), can_be_rebuilt=True)
    if not await _is_full_text_whole(database):
        yield fault("index", N_("full-text index that is not what its terms say"), can_be_rebuilt=True)
    async for _ in stale_segments(database):
        yield fault("index", N_("segments have terms that are not those of their words"), can_be_rebuilt=True)
    async for _ in misindexed_facts(database):
        yield fault("index", N_("facts are not found by their words"), can_be_rebuilt=True)
    outdated = await VectorStore(database, None).outdated()
    yield fault("vectors", N_("vectors were made of other words"), count=len(outdated), can_be_rebuilt=True)


async def stale_segments(database: Database) -> AsyncIterator[int]:
    """Yield the segments whose terms are not what their words give by the present rules."""
    sql = (
        "SELECT s.id, s.start, s.stop, m.text, t.body FROM segment_terms t JOIN segments s ON s.id = t.segment_id"
        f" JOIN messages m ON m.id = s.message_id WHERE t.normaliser = {NORMALISER} AND s.id > ? ORDER BY s.id LIMIT ?"
    )
    async for row in paged(database, sql):
        if " ".join(terms(row["text"][row["start"] : row["stop"]])) != row["body"]:
            yield row["id"]


async def misindexed_facts(database: Database) -> AsyncIterator[tuple[int, list[str]]]:
    """Yield the facts whose terms are not what their words give by the present rules, with those."""
    sql = (
        "SELECT f.id, f.subject, f.value, f.quote, f.status, (SELECT json_group_array(t.term) FROM fact_terms t"
        " WHERE t.fact_id = f.id) AS held FROM facts f WHERE f.id > ? ORDER BY f.id LIMIT ?"
    )
    async for row in paged(database, sql):
        wanted = fact_terms(row["subject"], row["value"], row["quote"]) if row["status"] == "active" else []
        if set(json.loads(row["held"])) != set(wanted):
            yield row["id"], wanted


async def _is_full_text_whole(database: Database) -> bool:
    """Compare the full-text index with the terms it is made of (SQLite's own comparison, rank 1)."""
    try:
        async with database.transaction():
            await database.execute("INSERT INTO segments_fts (segments_fts, rank) VALUES ('integrity-check', 1)")
    except DamagedDatabase:
        return False
    return True
