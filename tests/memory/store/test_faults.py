"""What a disk, a crash and another process do to a database: what was acknowledged stays, and nothing is half."""

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memory.errors import ClosedFolder, StorageFull, StorageInTrouble
from memory.store.database import Database
from tests.fakes.clock import FakeClock

ROOT = Path(__file__).parents[3]
INSERT = "INSERT INTO sessions (started_at, ended_at) VALUES (?, '')"
WRITER = """
import asyncio, sys
from pathlib import Path
from memory.store.database import Database
from tests.fakes.clock import FakeClock

async def main():
    path = Path(sys.argv[1])
    database = await Database.open(path, "memory", clock=FakeClock(), backups=path.parent / "backups")
    while True:
        async with database.transaction():
            for _ in range(20):
                written = await database.execute(
                    "INSERT INTO sessions (started_at, ended_at) VALUES (?, '')", ("x" * 500,)
                )
        print(written.rowid, flush=True)

asyncio.run(main())
"""
READER = """
import sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=10)
print("reading", flush=True)
while True:
    database.execute("SELECT count(*), max(length(started_at)) FROM sessions").fetchall()
"""


async def opened(folder: Path) -> Database:
    return await Database.open(folder / "memory.db", "memory", clock=FakeClock(), backups=folder / "backups")


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Let every write beyond a size fail, as a full disk lets it fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@contextmanager
def process(code: str, path: Path) -> Iterator[Callable[[], str]]:
    """Run code beside this process and yield how to read its next line; at the end it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline
        finally:
            running.kill()


async def test_killed_in_a_burst_of_writes_beside_a_reader_it_keeps_all_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    await (await opened(tmp_path)).close()
    chance = random.Random(5)
    acknowledged = 0
    with process(READER, path) as read:
        assert read() == "reading\n"
        for _ in range(4):
            with process(WRITER, path) as read_id:
                for _ in range(chance.randint(1, 30)):
                    acknowledged = int(read_id())
            with closing(sqlite3.connect(path, timeout=10)) as database:
                assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                count, last = database.execute("SELECT count(*), max(id) FROM sessions").fetchone()
                assert (count, last % 20) == (last, 0)
                assert last >= acknowledged


async def test_a_log_that_a_reader_held_open_shrinks_once_the_reader_is_gone(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    log = tmp_path / "memory.db-wal"
    with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sessions").fetchall()
        for _ in range(25):
            async with database.transaction():
                await database.execute(INSERT, ("x" * 1_000_000,))
        await database.fetch_all("PRAGMA busy_timeout = 50")
        held = log.stat().st_size
        assert not await database.checkpoint()
    for _ in range(2):  # one write empties the log, the next begins it anew and cuts it
        async with database.transaction():
            await database.execute(INSERT, ("x",))

    assert held > 20_000_000
    assert log.stat().st_size <= 16_777_216
    await database.close()
    assert not log.exists() or log.stat().st_size == 0


async def test_a_disk_that_fills_up_says_so_and_what_was_stored_is_there_when_there_is_room_again(
    tmp_path: Path,
) -> None:
    database = await opened(tmp_path)
    async with database.transaction():
        await database.execute(INSERT, ("first",))
    with files_no_larger_than((tmp_path / "memory.db-wal").stat().st_size + 50_000):
        with pytest.raises(StorageFull):
            async with database.transaction():
                for _ in range(100):
                    await database.execute(INSERT, ("x" * 4_000,))
        assert [row[0] for row in await database.fetch_all("SELECT started_at FROM sessions")] == ["first"]
    async with database.transaction():
        await database.execute(INSERT, ("second",))

    assert [row[0] for row in await database.fetch_all("SELECT started_at FROM sessions")] == ["first", "second"]
    await database.close()


async def test_a_file_that_another_program_locks_is_in_trouble_and_works_again_after(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    await database.fetch_all("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageInTrouble, match="locked"):
            async with database.transaction():
                await database.execute(INSERT, ("first",))
    async with database.transaction():
        await database.execute(INSERT, ("second",))

    assert [row[0] for row in await database.fetch_all("SELECT started_at FROM sessions")] == ["second"]
    await database.close()


async def test_closing_on_a_full_disk_is_no_failure_and_loses_nothing(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    async with database.transaction():
        for _ in range(100):
            await database.execute(INSERT, ("x" * 4_000,))
    with files_no_larger_than((tmp_path / "memory.db").stat().st_size):
        await database.close()

    again = await opened(tmp_path)
    assert [tuple(row) for row in await again.fetch_all("SELECT count(*) FROM sessions")] == [(100,)]
    await again.close()


async def test_a_backup_that_could_not_be_finished_has_no_final_name(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    target = tmp_path / "copies" / "memory.db"
    with files_no_larger_than(20_000), pytest.raises(StorageFull):
        await database.backup_to(target)
    assert not target.exists()

    await database.backup_to(target)
    await database.close()

    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [path.name for path in target.parent.iterdir()] == ["memory.db"]


async def test_a_file_that_cannot_be_opened_where_it_lies_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()

    with pytest.raises(ClosedFolder, match=r"memory\.db"):
        await opened(tmp_path)


def test_opening_fails_without_leaving_a_thread_that_holds_the_process(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database" * 1_000)
    code = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom memory.store.database import Database\n"
        "from tests.fakes.clock import FakeClock\npath = Path(sys.argv[1])\n"
        'asyncio.run(Database.open(path, "memory", clock=FakeClock(), backups=path.parent))'
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "memory.db")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, b"DamagedDatabase" in done.stderr) == (1, True)
