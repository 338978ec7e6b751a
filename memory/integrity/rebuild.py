"""Making anew what is derived: index, terms, vectors' places in the queue, journal files."""

import json

from memory.integrity.index import MISSHAPEN, NEWEST, misindexed_facts, stale_segments
from memory.space import Space
from memory.store.database import Database


async def rebuild(space: Space) -> None:
    """Make the index, its terms and the journal files anew from the words. Needs the only writer of the memory."""
    stale = [segment_id async for segment_id in stale_segments(space.db)]
    outdated = await space.vectors.outdated()
    async with space.db.transaction():
        # Rows of older rules: the repair makes them anew.
        await space.db.execute(
            "UPDATE segment_terms SET normaliser = 0 WHERE segment_id IN (SELECT value FROM json_each(?))",
            (json.dumps(stale),),
        )
        await space.db.execute(
            "DELETE FROM segment_terms WHERE segment_id NOT IN (SELECT s.id FROM segments s JOIN messages m"
            f" ON m.id = s.message_id WHERE {NEWEST})"
        )
        await space.db.execute("INSERT INTO segments_fts (segments_fts) VALUES ('rebuild')")
        await _fact_terms(space.db)
        await _vectors(space.db, outdated)
    await space.segments.repair()
    await space.journal.project()


async def _fact_terms(database: Database) -> None:
    await database.execute("DELETE FROM fact_terms WHERE fact_id NOT IN (SELECT id FROM facts)")
    for fact_id, wanted in [one async for one in misindexed_facts(database)]:
        await database.execute("DELETE FROM fact_terms WHERE fact_id = ?", (fact_id,))
        await database.execute(
            "INSERT INTO fact_terms (term, fact_id) SELECT value, ? FROM json_each(?)", (fact_id, json.dumps(wanted))
        )


async def _vectors(database: Database, outdated: list[int]) -> None:
    """Delete the vectors that are none of these words, and put every segment without one into the queue."""
    await database.execute(
        "DELETE FROM vector_sources WHERE segment_id NOT IN (SELECT segment_id FROM vectors)"
        " OR source_id NOT IN (SELECT id FROM segments)"
    )
    await database.execute("DELETE FROM vectors_due WHERE segment_id NOT IN (SELECT id FROM segments)")
    await database.execute(
        f"DELETE FROM vectors WHERE segment_id NOT IN (SELECT segment_id FROM segment_terms) OR {MISSHAPEN}"
        " OR segment_id IN (SELECT value FROM json_each(?))",
        (json.dumps(outdated),),
    )
    await database.execute(
        "INSERT OR IGNORE INTO vectors_due (is_imported, segment_id) SELECT m.session_id IS NULL, s.id"
        " FROM segment_terms t JOIN segments s ON s.id = t.segment_id JOIN messages m ON m.id = s.message_id"
        " WHERE s.id NOT IN (SELECT segment_id FROM vectors)"
    )
