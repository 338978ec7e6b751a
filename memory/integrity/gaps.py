"""Rows that are not there any more: no message and no fact is ever deleted, and their ids are given one by one.

Ids that were skipped on purpose are on record. What is forgotten keeps its row. Only forgetting everything empties a
memory, and then it starts anew at a later id.
"""

from collections.abc import AsyncIterator

from memory.catalogue import N_
from memory.integrity.fault import Fault, fault
from memory.store.database import Database
from memory.store.tombstones import Tombstones

_GONE = {
    "messages": N_("messages are gone without being forgotten"),
    "facts": N_("facts are gone without being forgotten"),
}


async def gap_faults(database: Database, space_id: str, tombstones: Tombstones | None) -> AsyncIterator[Fault]:
    """Yield how many rows are missing. Without tombstones what is missing before the oldest row is not counted: it may
    have been forgotten with everything else.
    """
    starts_at_one = tombstones is not None and not await tombstones.has_everything(space_id)
    for table, words in _GONE.items():
        row = await database.fetch_one(
            "SELECT count(*) AS rows, min(id) AS first,"
            f" (SELECT seq FROM sqlite_sequence WHERE name = '{table}') AS last FROM {table}"
        )
        assert row is not None
        last = row["last"] or 0
        first = 1 if starts_at_one else row["first"] or last + 1
        skipped = await database.fetch_one(
            "SELECT coalesce(sum(last - max(first, ?2) + 1), 0) AS ids FROM skipped_ids WHERE name = ?1 AND last >= ?2",
            (table, first),
        )
        assert skipped is not None
        yield fault(table, words, count=max(0, last - first + 1 - row["rows"] - skipped["ids"]))
