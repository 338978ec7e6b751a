from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.home import Home
from bot.probing.astray import astray
from bot.telegram.chats import ChatStore
from memory.findings import Finding
from memory.forget.everything import rows_of_everything
from memory.messages import text_message
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones
from tests.bot.turn.house import ZONE
from tests.fakes.clock import FakeClock


@asynccontextmanager
async def opened(home: Home, clock: FakeClock, *, space_id: str = "7", says: str = "") -> AsyncIterator[Space]:
    folder = home.create_space(space_id).path
    space = await Space.open(folder, default_zone=ZONE, clock=clock, backups=home.backups)
    try:
        if says:
            async with space.db.transaction():
                await space.sessions.append(text_message("user", says, clock.now()), session_id=None, turn_id=None)
        yield space
    finally:
        await space.close()


async def found(home: Home, clock: FakeClock, *elsewhere: Path, says: str = "", forgets: bool = False) -> list[Finding]:
    home.create()
    shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
    try:
        chats, tombstones = ChatStore(shared, clock), Tombstones(shared, clock)
        async with opened(home, clock, says=says) as space:
            if forgets:
                await rows_of_everything(space, tombstones)
            return await astray(space, home, chats, tombstones, elsewhere=elsewhere, clock=clock)
    finally:
        await shared.close()


async def noted_chat(home: Home, at: datetime) -> None:
    """Let a chat of the space be known since then."""
    clock = FakeClock(at)
    shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
    await ChatStore(shared, clock).pause(7)
    await shared.close()


@pytest.mark.parametrize("place", ["beside", "elsewhere/data"])
async def test_an_empty_memory_where_another_home_has_a_full_one_is_a_finding(
    tmp_path: Path, clock: FakeClock, place: str
) -> None:
    full = Home(tmp_path / place)
    async with opened(full, clock, says="I live in Oslo"):
        pass

    (finding,) = await found(Home(tmp_path / "here"), clock, full.root)

    assert finding.count == 1
    assert "Oslo" not in finding.model_dump_json()


async def test_a_memory_in_which_something_was_said_is_where_it_should_be(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(Home(tmp_path / "beside"), clock, says="I live in Oslo"):
        pass

    assert await found(Home(tmp_path / "here"), clock, says="Hello") == []


async def test_homes_that_hold_nothing_of_this_memory_are_no_finding(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(Home(tmp_path / "empty"), clock), opened(Home(tmp_path / "b"), clock, space_id="8", says="Hi"):
        pass
    broken = Home(tmp_path / "broken").create_space("7")
    broken.database.write_bytes(b"no database" * 1_000)

    assert await found(Home(tmp_path / "here"), clock, tmp_path / "not there") == []


async def test_a_chat_that_is_older_than_its_empty_memory_is_a_finding(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path / "here")
    home.create()
    await noted_chat(home, clock.now() - timedelta(days=16))

    (finding,) = await found(home, clock)

    assert "older" in finding.words
    assert "say anything here" in finding.words, "what to do when it is meant"


async def test_a_chat_of_the_same_day_is_none(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path / "here")
    home.create()
    await noted_chat(home, clock.now() - timedelta(hours=20))

    assert await found(home, clock) == []


async def test_a_memory_that_was_emptied_on_request_is_not_missed(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2027, 3, 2, 9, 0, tzinfo=UTC))
    home = Home(tmp_path / "here")
    async with opened(Home(tmp_path / "beside"), clock, says="I live in Oslo"):
        pass

    assert await found(home, clock, says="I live in Oslo", forgets=True) == []
    assert await found(home, clock) == []
