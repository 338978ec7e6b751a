"""Whose the file is, and whether work in it goes on."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.integrity import examine_rows
from memory.integrity.fault import AHEAD, STUCK_ENTRIES, WRONG_SPACE
from memory.store.entries import Entry
from tests.fakes.clock import FakeClock
from tests.memory.forget.world import World, open_world


@pytest.fixture
async def world(tmp_path: Path, clock: FakeClock) -> AsyncIterator[World]:
    async with open_world(tmp_path, clock) as opened:
        yield opened


async def words(world: World) -> list[tuple[str, int]]:
    return [(one.words, one.count) for one in await examine_rows(world.space.db, "ana", world.clock)]


async def arrives(world: World, source: str, *, kind: str = "message") -> int:
    """Have an entry in the inbox and return its id."""
    entry = Entry.model_validate({"source": source, "kind": kind, "text": "Good morning", "at": world.clock.now()})
    async with world.space.db.transaction():
        await world.space.mailbox.receive(entry)
    return (await world.space.mailbox.waiting())[-1].id


async def test_the_memory_of_another_space_is_named(world: World) -> None:
    found = await examine_rows(world.space.db, "ben", world.clock)

    assert [one.words for one in found] == [WRONG_SPACE]
    assert found[0].line().endswith("a folder is named like the space in it")
    assert await words(world) == []


async def test_a_clock_that_was_ahead_is_named(world: World) -> None:
    world.clock.advance(timedelta(days=2).total_seconds())
    await world.turn("Box 1 stands in the cellar.", world.answer("Understood."))
    world.clock.advance(-timedelta(hours=25).total_seconds())
    assert (await words(world))[0][0] == AHEAD
    world.clock.advance(timedelta(hours=2).total_seconds())

    assert await words(world) == []


async def test_an_entry_that_waits_for_more_than_a_day_is_named(world: World) -> None:
    await arrives(world, "tg:1")
    world.clock.advance(timedelta(hours=23).total_seconds())
    assert await words(world) == []
    world.clock.advance(timedelta(hours=2).total_seconds())

    assert await words(world) == [(STUCK_ENTRIES, 1)]


async def test_a_message_that_was_answered_and_is_not_stored_is_named(world: World) -> None:
    inbox_id = await arrives(world, "tg:1")
    turn = await world.turn("Good morning", world.answer("Good morning."), source="tg:1")
    async with world.space.db.transaction():
        await world.space.mailbox.take([inbox_id], turn)
        await world.space.mailbox.finish_turn(turn)
    assert await words(world) == []

    async with world.space.db.transaction():
        await world.space.db.execute("UPDATE messages SET source = NULL WHERE source = 'tg:1'")

    assert await words(world) == [("messages of the last two weeks were answered and are not stored", 1)]


async def test_commands_and_what_is_long_ago_are_not_missed(world: World) -> None:
    turn = await world.turn("Good morning", world.answer("Good morning."))
    inbox_id = await arrives(world, "tg:1")
    async with world.space.db.transaction():
        await world.space.mailbox.finish(await arrives(world, "tg:2", kind="command"))
        await world.space.mailbox.take([inbox_id], turn)
        await world.space.mailbox.finish_turn(turn)
    world.clock.advance(timedelta(days=15).total_seconds())

    assert await words(world) == []
