"""The only SQL connection: open, migrate, transaction, backup. Knows no table by name.

A `Database` owns one connection in autocommit mode. Writes happen inside `transaction()`, which holds a lock, so that
two tasks never share a transaction; reads outside a transaction wait for that lock and see committed rows only. A
cancelled task rolls back before anybody else gets the lock. What may wait (for another process, for the disk, for a
search) runs on the connection's thread; the row-sized statements between BEGIN and COMMIT, and single rows that are
looked up, run at once: a trip to the thread costs ten times such a statement. Migrations are numbered .sql files that
are applied one by one, each in one transaction with its record.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self

import aiosqlite

from memory.errors import (
    ClosedFolder,
    DamagedDatabase,
    MemoryFault,
    MigrationFailed,
    NewerSchema,
    OlderSchema,
    StorageFull,
    StorageInTrouble,
)
from memory.ports import Clock
from memory.store.migrations import Migration, Schema, migrations, statements

Row = sqlite3.Row
Params = Sequence[Any] | Mapping[str, Any]

BUSY_TIMEOUT_MS = 10_000

_log = logging.getLogger(__name__)

_RECORDS = """
CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True)
class Written:
    """What a statement did: the row it inserted and how many it touched."""

    rowid: int
    count: int


class Database:
    """One SQLite file, open. Use `Database.open`."""

    def __init__(
        self, path: Path, connection: aiosqlite.Connection, direct: sqlite3.Connection, *, is_read_only: bool
    ) -> None:
        self.path = path
        self.is_read_only = is_read_only
        self.commits = 0
        """How many transactions this connection has committed."""
        self._connection = connection
        self._direct = direct
        """The same connection, for what runs at once."""
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[Any] | None = None
        self._reader: asyncio.Task[Any] | None = None
        self._at_end: list[Callable[[bool], None]] = []

    @classmethod
    async def open(cls, path: Path, schema: Schema, *, clock: Clock, backups: Path, read_only: bool = False) -> Self:
        """Open the file, creating and migrating it unless `read_only`.

        An existing file is copied to `backups` before a migration touches it.

        Raises: DamagedDatabase, ClosedFolder, NewerSchema, MigrationFailed, StorageFull; OlderSchema or
        FileNotFoundError when `read_only`.
        """
        if read_only and not path.exists():
            raise FileNotFoundError(path)
        with _faults(path):
            connection, direct = await _connect(path, read_only=read_only)
            database = cls(path, connection, direct, is_read_only=read_only)
            try:
                await database._prepare(schema, clock=clock, backups=backups)
            except BaseException:
                await connection.close()
                raise
        return database

    async def close(self) -> None:
        """Close the connection; a writer leaves an empty WAL behind where no reader and no full disk is in the way."""
        try:
            if not self.is_read_only:
                await self._connection.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            # Nothing is lost: what was committed stands in the log, and the next to open the file reads it there.
            _log.warning("log not emptied at close: error=%s", getattr(error, "sqlite_errorname", "unknown"))
        finally:
            await self._connection.close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Hold the write lock; commit at the end, roll back on any exception. Inside a transaction it joins it.

        Await nothing but this database inside: every other writer waits.

        Raises: StorageFull, DamagedDatabase.
        """
        if self._owner is asyncio.current_task():
            yield
            return
        if self._reader is asyncio.current_task():
            raise RuntimeError("a snapshot only reads")
        await self._begin()
        try:
            yield
        except BaseException:
            await self._finish("ROLLBACK")
            raise
        with _faults(self.path):
            await self._finish("COMMIT")
        self.commits += 1

    @asynccontextmanager
    async def rolled_back(self) -> AsyncIterator[None]:
        """Hold the write lock, let anything be changed and read, and undo all of it at the end. Transactions join it.

        For a copy that nobody else uses: every other writer waits, whatever is awaited inside.

        Raises: RuntimeError inside a transaction, StorageInTrouble, DamagedDatabase.
        """
        if self._is_inside:
            raise RuntimeError("what is to be undone begins outside any transaction")
        await self._begin()
        try:
            yield
        finally:
            await self._finish("ROLLBACK")

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[None]:
        """Let several reads see one state: no transaction of this connection begins meanwhile. Inside one it joins it.

        Await nothing but this database inside: every writer waits.
        """
        if asyncio.current_task() in (self._owner, self._reader):
            yield
            return
        async with self._lock:
            self._reader = asyncio.current_task()
            try:
                yield
            finally:
                self._reader = None

    async def execute(self, sql: str, params: Params = ()) -> Written:
        """Run one writing statement inside the caller's transaction.

        Raises: RuntimeError outside a transaction; StorageFull, DamagedDatabase.
        """
        if self._owner is not asyncio.current_task():
            raise RuntimeError("writes need a transaction")
        with _faults(self.path):
            cursor = self._direct.execute(sql, params)
        return Written(cursor.lastrowid or 0, cursor.rowcount)

    async def fetch_all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return all rows. Outside a transaction it waits for the one that is open."""
        with _faults(self.path):
            if self._is_inside:
                return self._direct.execute(sql, params).fetchall()
            if self.is_read_only:
                return list(await self._connection.execute_fetchall(sql, params))
            async with self._lock:
                return list(await self._connection.execute_fetchall(sql, params))

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row, or None."""
        with _faults(self.path):
            if self._is_inside or self.is_read_only:
                return self._first(sql, params)
            async with self._lock:
                return self._first(sql, params)

    def _first(self, sql: str, params: Params) -> Row | None:
        rows: list[Row] = self._direct.execute(sql, params).fetchall()
        return rows[0] if rows else None

    @property
    def is_writing(self) -> bool:
        """Whether the running task has a transaction open."""
        return self._owner is not None and self._owner is asyncio.current_task()

    def at_end(self, told: Callable[[bool], None]) -> None:
        """Call once the transaction that is open has ended, with whether it was committed."""
        self._at_end.append(told)

    @property
    def _is_inside(self) -> bool:
        """Whether the running task has the connection to itself, in a transaction or a snapshot."""
        return asyncio.current_task() in (self._owner, self._reader)

    async def backup_to(self, target: Path) -> None:
        """Write a consistent copy; a half-written one never has the final name.

        It waits for the transaction that is open: not for use inside one.

        Raises: StorageFull, DamagedDatabase.
        """
        async with self._lock:
            with _faults(self.path):
                await _vacuum_into(self._connection, target)

    async def checkpoint(self) -> bool:
        """Empty the write-ahead log into the file; False when a reader stood in the way."""
        rows = await self.fetch_all("PRAGMA wal_checkpoint(TRUNCATE)")
        return bool(rows[0][0] == 0)

    async def rewrite(self) -> None:
        """Write the whole file anew: no byte of what was deleted is left in it, and free pages are given back.

        Raises: StorageFull (it needs room for a second copy), DamagedDatabase.
        """
        async with self._lock:
            with _faults(self.path):
                await self._connection.execute_fetchall("VACUUM")

    async def _prepare(self, schema: Schema, *, clock: Clock, backups: Path) -> None:
        known = migrations(schema)
        version = await _version(self._connection)
        if version > known[-1].version:
            raise NewerSchema(self.path, version, known[-1].version)
        missing = [migration for migration in known if migration.version > version]
        if not missing:
            return
        if self.is_read_only:
            raise OlderSchema(self.path)
        backup = None
        if version:
            backup = backups / f"{self.path.parent.name}-{self.path.stem}-before-{missing[0].version}.db"
            await _vacuum_into(self._connection, backup)
        for migration in missing:
            await self._migrate(migration, backup=backup, clock=clock)

    async def _migrate(self, migration: Migration, *, backup: Path | None, clock: Clock) -> None:
        try:
            async with self.transaction():
                await self.execute(_RECORDS)
                for statement in statements(migration.sql):
                    await self.execute(statement)
                await self.execute(
                    "INSERT INTO migrations VALUES (?, ?, ?, ?)",
                    (migration.version, migration.name, migration.sha256, to_utc_text(clock.now())),
                )
        except MemoryFault:
            raise
        except sqlite3.Error as error:
            raise MigrationFailed(self.path, migration.version, backup, str(error)) from error

    async def _begin(self) -> None:
        """Take the lock and begin; the running task then owns the connection."""
        await self._lock.acquire()
        try:
            with _faults(self.path):
                await self._shielded("BEGIN IMMEDIATE")
        except BaseException:
            await self._finish("ROLLBACK")
            raise
        self._owner = asyncio.current_task()

    async def _finish(self, statement: Literal["COMMIT", "ROLLBACK"]) -> None:
        """End the transaction and free the lock, even when the waiting task is cancelled meanwhile."""

        async def finish() -> None:
            is_committed = False
            try:
                if statement == "ROLLBACK":
                    # A cancelled BEGIN may still stand in the connection's queue: let it pass before looking.
                    await self._run("SELECT 1")
                if self._connection.in_transaction:
                    await self._end(statement)
                    is_committed = statement == "COMMIT"
            finally:
                told, self._at_end = self._at_end, []
                for tell in told:
                    tell(is_committed)
                self._owner = None
                self._lock.release()

        await asyncio.shield(asyncio.create_task(finish(), name=f"sqlite {statement.lower()}"))

    async def _end(self, statement: Literal["COMMIT", "ROLLBACK"]) -> None:
        try:
            await self._connection.execute_fetchall(statement)
        except sqlite3.Error:
            if self._connection.in_transaction:
                await self._connection.execute_fetchall("ROLLBACK")
            raise

    async def _shielded(self, statement: str) -> None:
        await asyncio.shield(asyncio.create_task(self._run(statement), name=f"sqlite {statement.lower()}"))

    async def _run(self, statement: str) -> None:
        await self._connection.execute_fetchall(statement)


def to_utc_text(moment: datetime) -> str:
    """Return a moment as stored: UTC, fixed width, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def from_utc_text(text: str) -> datetime:
    """Return a stored moment."""
    return datetime.fromisoformat(text)


async def _connect(path: Path, *, read_only: bool) -> tuple[aiosqlite.Connection, sqlite3.Connection]:
    """Open a file; return its connection twice, as its thread has it and as it is.

    Two threads use it, one at a time but for a statement whose waiter was cancelled; SQLite queues those.
    """
    mode = "ro" if read_only else "rwc"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    direct = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    direct.row_factory = Row
    connection = aiosqlite.Connection(lambda: direct, iter_chunk_size=1)
    # The worker thread would keep a process alive that forgot to close (aiosqlite 0.22 has no public switch).
    connection._thread.daemon = True
    pragmas = ["foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}"]
    if not read_only:
        # FULL: an acknowledgement to the other side follows our commits.
        pragmas += ["journal_mode=WAL", "synchronous=FULL", "journal_size_limit=16777216", "secure_delete=ON"]
    try:
        await connection
        for pragma in pragmas:
            await connection.execute_fetchall(f"PRAGMA {pragma}")
    except BaseException:
        await connection.close()
        direct.close()
        raise
    return connection, direct


async def _version(connection: aiosqlite.Connection) -> int:
    rows = list(await connection.execute_fetchall("SELECT 1 FROM sqlite_master WHERE name = 'migrations'"))
    if not rows:
        return 0
    (row,) = await connection.execute_fetchall("SELECT coalesce(max(version), 0) FROM migrations")
    return int(row[0])


async def _vacuum_into(connection: aiosqlite.Connection, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    await connection.execute_fetchall("VACUUM INTO ?", (str(unfinished),))
    unfinished.replace(target)


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    """Map what SQLite says of the file itself; constraint and syntax errors stay what they are."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise DamagedDatabase(path, str(error)) from error
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")):
            raise StorageFull(path) from error
        if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY_")):
            raise ClosedFolder(path, str(error)) from error
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_PROTOCOL")):
            advice = "end what else uses it, or look at its disk"
            raise StorageInTrouble(path, f"{error}:", advice=advice) from error
        raise
