"""Rows that are not there any more: no message and no fact is ever deleted, and their ids are given one by one.

What is forgotten keeps its row. Only forgetting everything empties a memory, and then it starts anew at a later id.
"""

from collections.abc import AsyncIterator

from memory.integrity.fault import Fault, fault
from memory.store.database import Database
from memory.store.tombstones import Tombstones

_TABLES = ("messages", "facts")


async def gap_faults(database: Database, space_id: str, tombstones: Tombstones | None) -> AsyncIterator[Fault]:
    """Yield how many rows are missing. Without tombstones what is missing before the oldest row is not counted: it may
    have been forgotten with everything else.
    """
    starts_at_one = tombstones is not None and not await tombstones.has_everything(space_id)
    for table in _TABLES:
        row = await database.fetch_one(
            "SELECT count(*) AS rows, min(id) AS first,"
            f" (SELECT seq FROM sqlite_sequence WHERE name = '{table}') AS last FROM {table}"
        )
        assert row is not None
        last = row["last"] or 0
        first = 1 if starts_at_one else row["first"] or last + 1
        yield fault(table, f"{table} are gone without being forgotten", count=max(0, last - first + 1 - row["rows"]))
