"""The rows of a query, page by page: a large memory does not fit at once."""

from collections.abc import AsyncIterator

from memory.store.database import Database, Params, Row

PAGE = 2_000


async def paged(database: Database, sql: str) -> AsyncIterator[Row]:
    """Yield the rows of a query in order of `id`; it takes the last id and the number of rows."""
    last = 0
    while rows := await database.fetch_all(sql, (last, PAGE)):
        for row in rows:
            yield row
        last = rows[-1]["id"]


async def count(database: Database, sql: str, params: Params = ()) -> int:
    """Return the one number that a query gives."""
    row = await database.fetch_one(sql, params)
    return int(row[0]) if row and row[0] else 0
