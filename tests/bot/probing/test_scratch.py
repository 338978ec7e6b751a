import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.home import Home
from bot.probing.astray import KEPT, astray, last_full
from bot.probing.scratch import night_backup, scratch_of, sweep
from bot.telegram.chats import ChatStore
from memory.errors import StorageFull
from memory.forget.everything import rows_of_everything
from memory.messages import text_message
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Burial, Tombstones
from tests.bot.turn.house import ZONE
from tests.fakes.clock import FakeClock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
async def space(home: Home, clock: FakeClock) -> AsyncIterator[Space]:
    space = await Space.open(home.create_space("7").path, default_zone=ZONE, clock=clock, backups=home.backups)
    async with space.db.transaction():
        said = text_message("user", "I live in Oslo", clock.now())
        await space.segments.store(await space.sessions.append(said, session_id=None, turn_id=None))
    yield space
    await space.close()


@pytest.fixture
async def shared(home: Home, clock: FakeClock) -> AsyncIterator[Database]:
    shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
    yield shared
    await shared.close()


@pytest.fixture
async def tombstones(shared: Database, clock: FakeClock) -> Tombstones:
    stones = Tombstones(shared, clock)
    await stones.add("7", [Burial("message", "I lived in Bergen")])
    await stones.add("8", [Burial("message", "I live in Rome")])
    return stones


def rows(database: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as reader:
        return reader.execute(sql).fetchall()


async def test_the_last_full_backup_outlives_an_empty_memory_that_nobody_emptied(
    home: Home, space: Space, shared: Database, tombstones: Tombstones, clock: FakeClock, tmp_path: Path
) -> None:
    async with scratch_of(home, space, tombstones, clock):
        pass
    chats = ChatStore(shared, clock)
    empty = await Space.open(tmp_path / "new" / "7", default_zone=ZONE, clock=clock, backups=home.backups)
    for _ in range(2):
        async with scratch_of(home, empty, tombstones, clock):
            pass
        (finding,) = await astray(empty, home, chats, tombstones, elsewhere=(), clock=clock)
        assert finding.words == KEPT
    assert rows(last_full(home, "7"), "SELECT text FROM messages") == [("I live in Oslo",)]

    await tombstones.add_space("7")
    assert await astray(empty, home, chats, tombstones, elsewhere=(), clock=clock) == []
    await empty.close()


async def test_a_memory_emptied_on_request_leaves_no_full_backup(
    home: Home, space: Space, tombstones: Tombstones, clock: FakeClock
) -> None:
    async with scratch_of(home, space, tombstones, clock):
        pass
    async with space.db.transaction():
        await rows_of_everything(space, tombstones)
    async with scratch_of(home, space, tombstones, clock):
        pass

    assert not last_full(home, "7").exists()
    assert rows(night_backup(home, "7"), "SELECT count(*) FROM messages") == [(0,)]


async def test_it_holds_the_restored_backup_and_the_tombstones_of_that_space_alone(
    home: Home, space: Space, tombstones: Tombstones, clock: FakeClock
) -> None:
    async with scratch_of(home, space, tombstones, clock) as scratch:
        copy = scratch.space("7").database

        assert copy.read_bytes() == night_backup(home, "7").read_bytes()
        assert rows(copy, "SELECT text FROM messages") == [("I live in Oslo",)]
        assert rows(scratch.database, "SELECT DISTINCT space_id FROM tombstones") == [("7",)]
        assert scratch.space_ids() == ["7"]
        assert {path.stat().st_mode & 0o777 for path in (home.scratch, scratch.root)} == {0o700}
        for path in scratch.root.rglob("*"):
            assert not path.is_file() or str(home.root).encode() not in path.read_bytes()

    assert list(home.scratch.iterdir()) == []


async def test_what_is_written_there_is_not_written_here(
    home: Home, space: Space, tombstones: Tombstones, clock: FakeClock
) -> None:
    async with scratch_of(home, space, tombstones, clock) as scratch:
        with closing(sqlite3.connect(scratch.space("7").database)) as copy:
            copy.execute("UPDATE profile SET zone = 'UTC'")
            copy.commit()

    assert rows(space.db.path, "SELECT zone FROM profile") == [(ZONE.key,)]


async def test_without_room_for_two_copies_nothing_is_begun(
    home: Home, space: Space, tombstones: Tombstones, clock: FakeClock
) -> None:
    with pytest.raises(StorageFull):
        async with scratch_of(home, space, tombstones, clock, free=lambda _: 1_000_000):
            raise AssertionError("there is no room")

    assert not night_backup(home, "7").exists()
    assert not home.scratch.exists()


def test_what_a_killed_process_left_is_swept(home: Home) -> None:
    assert sweep(home) == 0
    for number in range(3):
        folder = home.scratch / str(number) / "spaces" / "7"
        folder.mkdir(parents=True)
        (folder / "memory.db").write_bytes(os.urandom(100))

    assert sweep(home) == 3
    assert list(home.scratch.iterdir()) == []


async def test_it_is_gone_however_it_ends(home: Home, space: Space, tombstones: Tombstones, clock: FakeClock) -> None:
    with pytest.raises(KeyError):
        async with scratch_of(home, space, tombstones, clock):
            raise KeyError

    assert list(home.scratch.iterdir()) == []
