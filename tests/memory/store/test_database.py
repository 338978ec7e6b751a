"""The one SQL connection: whole transactions, whole migrations, clear words for a file that is not well."""

import asyncio
import contextlib
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.errors import DamagedDatabase, MigrationFailed, NewerSchema, OlderSchema, StorageFull
from memory.store import private
from memory.store.database import Database
from memory.store.migrations import Schema, migrations, statements
from tests.fakes.clock import FakeClock

INSERT = "INSERT INTO sessions (started_at, ended_at) VALUES ('2027', '2027')"


async def opened(tmp_path: Path, **options: bool) -> Database:
    return await Database.open(
        tmp_path / "memory.db", "memory", clock=FakeClock(), backups=tmp_path / "backups", **options
    )


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await opened(tmp_path)
    yield database
    await database.close()


async def count(db: Database) -> int:
    row = await db.fetch_one("SELECT count(*) FROM sessions")
    assert row is not None
    return int(row[0])


async def test_a_transaction_commits_at_its_end(db: Database) -> None:
    async with db.transaction():
        await db.execute(INSERT)
    assert await count(db) == 1


async def test_an_exception_rolls_the_whole_transaction_back(db: Database) -> None:
    with pytest.raises(ValueError, match="no"):
        async with db.transaction():
            await db.execute(INSERT)
            raise ValueError("no")
    assert await count(db) == 0


async def test_the_reads_of_a_snapshot_see_one_state_although_a_writer_waits(db: Database) -> None:
    async def write() -> None:
        async with db.transaction():
            await db.execute(INSERT)

    async def look() -> list[int]:
        async with db.snapshot():
            return [await count(db), await count(db)]

    looking, writing = asyncio.create_task(look()), asyncio.create_task(write())
    assert await looking == [0, 0]
    await writing
    assert await count(db) == 1


async def test_a_snapshot_joins_a_transaction_and_does_not_write(db: Database) -> None:
    async with db.transaction():
        await db.execute(INSERT)
        async with db.snapshot():
            assert await count(db) == 1
    async with db.snapshot():
        with pytest.raises(RuntimeError, match="only reads"):
            async with db.transaction():
                pass
        with pytest.raises(RuntimeError, match="need a transaction"):
            await db.execute(INSERT)
    assert await count(db) == 1


async def test_a_write_outside_a_transaction_is_refused(db: Database) -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        await db.execute(INSERT)


async def test_a_transaction_inside_another_joins_it(db: Database) -> None:
    with pytest.raises(ValueError, match="no"):
        async with db.transaction():
            async with db.transaction():
                await db.execute(INSERT)
            raise ValueError("no")
    assert await count(db) == 0


async def test_a_cancelled_task_leaves_nothing_for_the_next_one_to_commit(db: Database) -> None:
    inside = asyncio.Event()

    async def half() -> None:
        async with db.transaction():
            await db.execute(INSERT)
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(half())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with db.transaction():
        await db.execute(INSERT)
    assert await count(db) == 1


@pytest.mark.parametrize("steps", range(8))
async def test_cancelling_at_any_moment_leaves_all_or_nothing_and_frees_the_lock(db: Database, steps: int) -> None:
    async def two() -> None:
        async with db.transaction():
            await db.execute(INSERT)
            await db.execute(INSERT)

    task = asyncio.create_task(two())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(5):
        async with db.transaction():
            pass
    assert await count(db) in {0, 2}


async def test_what_is_rolled_back_was_seen_inside_and_never_happened(db: Database) -> None:
    before = db.commits
    async with db.rolled_back():
        await db.execute(INSERT)
        async with db.transaction():
            await db.execute(INSERT)
        assert await count(db) == 2
    assert await count(db) == 0
    assert db.commits == before


async def test_a_failure_inside_is_raised_and_rolled_back_and_the_next_writer_is_served(db: Database) -> None:
    with pytest.raises(ValueError, match="no"):
        async with db.rolled_back():
            await db.execute(INSERT)
            raise ValueError("no")
    async with db.transaction():
        await db.execute(INSERT)
    assert await count(db) == 1


async def test_a_failed_transaction_inside_leaves_what_was_changed_before_it_until_the_end(db: Database) -> None:
    async with db.rolled_back():
        await db.execute(INSERT)
        with pytest.raises(ValueError, match="no"):
            async with db.transaction():
                raise ValueError("no")
        assert await count(db) == 1
    assert await count(db) == 0


async def test_nothing_is_rolled_back_inside_a_transaction_or_a_snapshot(db: Database) -> None:
    async with db.transaction():
        await db.execute(INSERT)
        with pytest.raises(RuntimeError, match="outside any transaction"):
            async with db.rolled_back():
                pass
    async with db.snapshot():
        with pytest.raises(RuntimeError, match="outside any transaction"):
            async with db.rolled_back():
                pass
    assert await count(db) == 1


@pytest.mark.parametrize("steps", range(1, 12))
async def test_cancelling_what_is_rolled_back_undoes_it_and_frees_the_lock(db: Database, steps: int) -> None:
    async def try_out() -> None:
        async with db.rolled_back():
            for _ in range(3):
                await db.execute(INSERT)
                await asyncio.sleep(0)

    task = asyncio.create_task(try_out())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    async with db.transaction():
        await db.execute(INSERT)
    assert await count(db) == 1


async def test_another_task_waits_until_all_is_undone_and_sees_nothing_of_it(db: Database) -> None:
    inside, go_on = asyncio.Event(), asyncio.Event()

    async def try_out() -> None:
        async with db.rolled_back():
            await db.execute(INSERT)
            inside.set()
            await go_on.wait()

    task = asyncio.create_task(try_out())
    await inside.wait()
    reading = asyncio.create_task(count(db))
    await asyncio.sleep(0)
    assert not reading.done()
    go_on.set()
    await task
    assert await reading == 0


async def test_tables_and_views_made_for_a_trial_are_gone_after_it(db: Database) -> None:
    async with db.rolled_back():
        await db.execute(INSERT)
        await db.execute("CREATE TEMP VIEW sessions AS SELECT * FROM main.sessions WHERE 0")
        assert await count(db) == 0
    async with db.transaction():
        await db.execute(INSERT)
    assert await count(db) == 1


async def test_a_reader_in_another_task_sees_committed_rows_only(db: Database) -> None:
    inside, seen = asyncio.Event(), asyncio.Event()

    async def writer() -> None:
        async with db.transaction():
            await db.execute(INSERT)
            inside.set()
            await asyncio.sleep(0)
            assert not seen.is_set()

    async def reader() -> int:
        await inside.wait()
        found = await count(db)
        seen.set()
        return found

    _, found = await asyncio.gather(writer(), reader())
    assert found == 1


async def test_a_second_connection_reads_beside_the_writer(tmp_path: Path, db: Database) -> None:
    async with db.transaction():
        await db.execute(INSERT)
    reader = await opened(tmp_path, read_only=True)
    assert await count(reader) == 1
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        async with reader.transaction():
            await reader.execute(INSERT)
    await reader.close()


async def test_a_backup_holds_what_was_committed_a_moment_ago(tmp_path: Path, db: Database) -> None:
    async with db.transaction():
        await db.execute(INSERT)
    await db.backup_to(tmp_path / "copy" / "memory.db")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["memory.db"]
    copy = sqlite3.connect(tmp_path / "copy" / "memory.db")
    assert copy.execute("SELECT count(*) FROM sessions").fetchone() == (1,)
    copy.close()


async def test_a_backup_waits_for_the_transaction_of_another_task(tmp_path: Path, db: Database) -> None:
    target = tmp_path / "copy" / "memory.db"
    async with db.transaction():
        await db.execute(INSERT)
        backup = asyncio.create_task(db.backup_to(target))
        await asyncio.sleep(0)
    await backup
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT count(*) FROM sessions").fetchone() == (1,)


async def test_opening_twice_applies_each_migration_once(tmp_path: Path) -> None:
    for _ in range(2):
        database = await opened(tmp_path)
        rows = await database.fetch_all("SELECT version FROM migrations")
        await database.close()
        assert [row["version"] for row in rows] == [migration.version for migration in migrations("memory")]


async def test_a_newer_schema_refuses_to_open_and_is_left_alone(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    async with database.transaction():
        await database.execute("INSERT INTO migrations VALUES (999, 'later', '', '')")
    await database.close()
    with pytest.raises(NewerSchema, match="999"):
        await opened(tmp_path)


async def test_reading_an_older_file_says_that_a_start_brings_it_up_to_date(tmp_path: Path) -> None:
    await (await opened(tmp_path)).close()
    older = sqlite3.connect(tmp_path / "memory.db")
    older.execute("DELETE FROM migrations WHERE version > 1")
    older.commit()
    older.close()
    with pytest.raises(OlderSchema, match="start the server or a chat once"):
        await Database.open(
            tmp_path / "memory.db", "memory", clock=FakeClock(), backups=tmp_path / "backups", read_only=True
        )


async def test_a_failing_migration_leaves_nothing_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    taken = sqlite3.connect(path)
    taken.execute("CREATE TABLE handoffs (id INTEGER)")  # stands in the way in the middle of the script
    taken.commit()
    taken.close()
    with pytest.raises(MigrationFailed, match="handoffs"):
        await opened(tmp_path)
    left = sqlite3.connect(path)
    assert left.execute("SELECT name FROM sqlite_master").fetchall() == [("handoffs",)]
    left.close()


async def test_a_file_that_is_no_database_is_named_and_kept(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(DamagedDatabase, match=re.escape(str(tmp_path / "memory.db"))):
        await opened(tmp_path)
    assert (tmp_path / "memory.db").read_bytes().startswith(b"not a database")


async def test_a_damaged_page_is_reported_as_damage(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    async with database.transaction():
        for _ in range(2000):
            await database.execute(INSERT)
    row = await database.fetch_one("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'")
    assert row is not None
    page = row[0]
    await database.close()
    with (tmp_path / "memory.db").open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    database = await opened(tmp_path)
    with pytest.raises(DamagedDatabase):
        await count(database)
    await database.close()


async def test_a_full_disk_says_so_and_stores_nothing(db: Database) -> None:
    await db.fetch_all("PRAGMA max_page_count = 1")  # SQLite clamps it to the present size
    with pytest.raises(StorageFull, match="nothing was stored"):
        async with db.transaction():
            for _ in range(5000):
                await db.execute(INSERT)
    assert await count(db) == 0
    await db.fetch_all("PRAGMA max_page_count = 1000000")
    async with db.transaction():
        await db.execute(INSERT)
    assert await count(db) == 1


def test_a_script_is_split_into_statements_with_triggers_whole() -> None:
    script = (
        "-- note; with a semicolon\nCREATE TABLE a (b);\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\nSELECT 1;\nEND;\n"
    )
    assert [statement.split("\n")[-1] for statement in statements(script)] == ["CREATE TABLE a (b);", "END;"]


@pytest.mark.parametrize("schema", ["memory", "bot"])
async def test_every_text_column_is_declared_private_or_plain(tmp_path: Path, schema: Schema) -> None:
    database = await Database.open(tmp_path / "x.db", schema, clock=FakeClock(), backups=tmp_path)
    rows = await database.fetch_all(
        "SELECT t.name || '.' || c.name AS name, c.type AS type FROM sqlite_master t, pragma_table_info(t.name) c"
        " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT GLOB 'segments_fts_*'"
    )
    await database.close()
    texts = {row["name"] for row in rows if row["type"] in {"TEXT", "BLOB", ""} and not row["name"].endswith("_fts")}
    fts_columns = {
        name for name in texts if name.startswith("segments_fts.") and name.endswith((".rank", ".segments_fts"))
    }
    undeclared = texts - fts_columns - private.PRIVATE_COLUMNS - private.PLAIN_COLUMNS
    assert not undeclared


async def test_the_register_names_no_column_that_is_gone(tmp_path: Path) -> None:
    found: set[str] = set()
    schemas: tuple[Schema, ...] = ("memory", "bot")
    for schema in schemas:
        database = await Database.open(tmp_path / f"{schema}.db", schema, clock=FakeClock(), backups=tmp_path)
        rows = await database.fetch_all(
            "SELECT t.name || '.' || c.name AS name FROM sqlite_master t, pragma_table_info(t.name) c"
            " WHERE t.type = 'table'"
        )
        found |= {row["name"] for row in rows}
        await database.close()
    assert found >= private.PRIVATE_COLUMNS | private.PLAIN_COLUMNS
