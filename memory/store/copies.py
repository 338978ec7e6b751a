"""Copies of database files: made consistent beside a running server, looked into, and joined to what replaced them.

Works on files that no `Database` has open here, whatever version of the schema they are of, and blocks until it is
done: call it in a thread. Nothing is migrated and no row of a memory is changed.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory.errors import DamagedDatabase, NewerSchema, StorageFull
from memory.store.database import BUSY_TIMEOUT_MS
from memory.store.migrations import Schema, migrations

_COUNTED = ("messages", "facts")
_SKIPPED_IDS = next(one.sql for one in migrations("memory") if one.name == "skipped_ids")


@dataclass(frozen=True)
class Contents:
    """What a database file holds. `space_id`, `messages` and `facts` are a memory's."""

    schema: int
    space_id: str | None = None
    messages: int = 0
    facts: int = 0


def copy_database(source: Path, target: Path) -> None:
    """Write a consistent copy, the rows of the write-ahead log included. `target` must not exist.

    Raises: DamagedDatabase, StorageFull.
    """
    with _faults(source), closing(_opened(source)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


def contents_of(path: Path, schema: Schema) -> Contents:
    """Check a file that nobody writes, and return what it holds.

    Raises: DamagedDatabase, also for a file that is no database of ours; NewerSchema.
    """
    with _faults(path), closing(_opened(path, is_at_rest=True)) as connection:
        if connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
            raise DamagedDatabase(path, "its check fails")
        version = int(connection.execute("SELECT max(version) FROM migrations").fetchone()[0])
        known = migrations(schema)[-1].version
        if version > known:
            raise NewerSchema(path, version, known)
        if schema == "bot":
            connection.execute("SELECT 1 FROM tombstones")
            return Contents(version)
        (space_id,) = connection.execute("SELECT space_id FROM profile").fetchone() or (None,)
        counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _COUNTED]
        return Contents(version, space_id, *counts)


def keep_ids_unused(path: Path, former: Path) -> None:
    """Let a file give no id that another one gave: what was shown under it must not come to mean something else.

    Which ids are left out is noted, so that nobody takes their rows for lost. Raises: DamagedDatabase, naming the
    former file when that cannot be read.
    """
    with _faults(former), closing(_opened(former)) as connection:
        given = connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
    with _faults(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(_SKIPPED_IDS)
        for name, number in given:
            there = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()[0]
            if there is None and connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone():
                connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, number))
            elif there is not None and there < number:
                connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (number, name))
            else:
                continue
            skipped = (name, (there or 0) + 1, number)
            connection.execute("INSERT OR REPLACE INTO skipped_ids (name, first, last) VALUES (?, ?, ?)", skipped)


def _opened(path: Path, *, is_at_rest: bool = False) -> sqlite3.Connection:
    rest = "&immutable=1" if is_at_rest else ""
    uri = f"{path.absolute().as_uri()}?mode=ro{rest}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, TypeError) as error:
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")):
            raise StorageFull(path) from error
        raise DamagedDatabase(path, str(error)) from error
