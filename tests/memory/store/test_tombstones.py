"""What was forgotten does not come back by an older source, and leaves no words behind."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.store.database import Database
from memory.store.tombstones import Burial, Graves, RowBurial, RowKind, StatementBurial, Tombstones
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


# Rows of an older file


async def graves(tombstones: Tombstones) -> Graves:
    return await tombstones.graves("ana", after="")


@pytest.mark.parametrize(
    ("kind", "number", "text", "hours", "is_known"),
    [
        ("erased", 7, QUOTE, 0, True),
        ("struck", 7, QUOTE, 0, False),
        ("erased", 8, QUOTE, 0, False),
        ("erased", 7, QUOTE, 1, False),
        ("erased", 7, "the safe code is another", 0, False),
    ],
)
async def test_a_row_is_known_by_its_number_its_time_and_its_words_together(
    tombstones: Tombstones, clock: FakeClock, kind: RowKind, number: int, text: str, hours: int, is_known: bool
) -> None:
    await tombstones.add("ana", [RowBurial("erased", 7, clock.now(), QUOTE)])

    row = RowBurial(kind, number, clock.now() + timedelta(hours=hours), text)
    assert (await graves(tombstones)).holds(row) is is_known


async def test_a_row_binds_no_text_that_comes_by_import(tombstones: Tombstones, clock: FakeClock) -> None:
    await tombstones.add("ana", [RowBurial("erased", 7, clock.now(), QUOTE)])

    assert not await tombstones.covers("ana", QUOTE, said_at=clock.now())


@pytest.mark.parametrize(
    "text",
    [
        f"Well, {QUOTE}!",
        "Well, THE safe, code is: Zanzibar  77…",
        "😀 the safe code is Ｚanzibar-77, and so on",
    ],
)
async def test_a_quote_is_found_where_it_stands_in_a_text(tombstones: Tombstones, text: str) -> None:
    await tombstones.add("ana", [Burial("fact", QUOTE)])

    ((start, stop),) = (await graves(tombstones)).spans(text)
    assert text[start:].casefold().startswith("the safe")
    assert text[:stop].endswith("77")


async def test_a_space_is_buried_whole_until_now(tombstones: Tombstones, clock: FakeClock) -> None:
    await tombstones.add_space("ana")
    first = await tombstones.newest("ana")
    clock.advance(60)
    await tombstones.add_space("ana")

    assert (await graves(tombstones)).is_whole_space
    assert not (await tombstones.graves("ana", after=await tombstones.newest("ana") or "")).is_whole_space
    assert first != await tombstones.newest("ana")
    assert await tombstones.newest("ben") is None


@pytest.mark.parametrize(
    ("subject", "value", "is_forgotten"),
    [
        ("locker code word", "Zanzibarfish", True),
        ("locker code", "ZANZIBARFISH!", True),
        ("code", "zanzibarfish", True),
        ("locker code word", "Pelikan", False),
        ("code name of the boat", "zanzibarfish", False),
        ("", "zanzibarfish", False),
    ],
)
async def test_a_statement_is_known_by_its_value_and_most_of_its_subject(
    tombstones: Tombstones, clock: FakeClock, subject: str, value: str, is_forgotten: bool
) -> None:
    said_at = clock.now()
    await tombstones.add("42", [StatementBurial("locker code word", "zanzibarfish")])
    clock.advance(60)
    stated = StatementBurial(subject, value)

    assert await tombstones.covers_statement("42", stated, said_at=said_at) is is_forgotten
    assert not await tombstones.covers_statement("42", stated, said_at=clock.now())
    assert not await tombstones.covers_statement("43", stated, said_at=said_at)
