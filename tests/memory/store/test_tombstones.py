"""What was forgotten does not come back by an older source, and leaves no words behind."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.store.database import Database
from memory.store.tombstones import Burial, Tombstones
from tests.fakes.clock import FakeClock

QUOTE = "the safe code is Zanzibar-77"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "bot.db", "bot", clock=clock, backups=tmp_path / "backups")
    yield database
    await database.close()


@pytest.fixture
def tombstones(database: Database, clock: FakeClock) -> Tombstones:
    return Tombstones(database, clock)


async def test_a_forgotten_message_is_known_again_whatever_its_punctuation(
    tombstones: Tombstones, clock: FakeClock
) -> None:
    await tombstones.add("ana", [Burial("message", "Meet me at Zanzibar, tomorrow!")])

    assert await tombstones.covers("ana", "meet me at zanzibar tomorrow", said_at=clock.now())
    assert not await tombstones.covers("ana", "Meet me at Zanzibar, tomorrow! And bring jam.", said_at=clock.now())
    assert not await tombstones.covers("ana", "tomorrow", said_at=clock.now())


async def test_a_forgotten_fact_is_known_inside_a_longer_text(tombstones: Tombstones, clock: FakeClock) -> None:
    await tombstones.add("ana", [Burial("fact", QUOTE)])

    assert await tombstones.covers("ana", "Hello! The safe code is “Zanzibar 77”, keep it.", said_at=clock.now())
    assert not await tombstones.covers("ana", "The safe code is secret", said_at=clock.now())
    assert not await tombstones.covers("ana", "", said_at=clock.now())


async def test_a_later_own_statement_wins(tombstones: Tombstones, clock: FakeClock) -> None:
    await tombstones.add("ana", [Burial("fact", QUOTE)])

    assert not await tombstones.covers("ana", QUOTE, said_at=clock.now() + timedelta(seconds=1))


async def test_what_is_forgotten_a_second_time_binds_what_was_said_between(
    tombstones: Tombstones, clock: FakeClock
) -> None:
    assert await tombstones.add("ana", [Burial("fact", QUOTE)]) == 1
    clock.advance(3600)
    said_again = clock.now()
    clock.advance(3600)
    assert await tombstones.add("ana", [Burial("fact", QUOTE)]) == 0

    assert await tombstones.covers("ana", QUOTE, said_at=said_again)


async def test_a_space_knows_nothing_of_what_another_forgot(tombstones: Tombstones, clock: FakeClock) -> None:
    await tombstones.add("ana", [Burial("fact", QUOTE)])

    assert not await tombstones.covers("ben", QUOTE, said_at=clock.now())


async def test_no_word_and_no_comparable_hash_is_kept(tombstones: Tombstones, database: Database) -> None:
    await tombstones.add("ana", [Burial("fact", QUOTE)])
    await tombstones.add("ben", [Burial("fact", QUOTE)])

    rows = await database.fetch_all("SELECT * FROM tombstones")
    assert "zanzibar" not in "".join(str(tuple(row)) for row in rows).casefold()
    assert len({bytes(row["digest"]) for row in rows}) == 2


async def test_what_has_no_words_leaves_no_tombstone(tombstones: Tombstones, clock: FakeClock) -> None:
    assert await tombstones.add("ana", [Burial("message", " … 👍")]) == 0
    assert not await tombstones.covers("ana", "👍", said_at=clock.now())
