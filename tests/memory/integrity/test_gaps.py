"""Rows that are gone although nothing ever deletes them, and messages that cannot be read: each is named."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.forget.everything import rows_of_everything
from memory.integrity import examine_rows, read_by_text
from tests.fakes.clock import FakeClock
from tests.memory.probe.world import World, open_world


@pytest.fixture
async def world(tmp_path: Path, clock: FakeClock) -> AsyncIterator[World]:
    async with open_world(tmp_path, clock) as opened:
        for name in ("Motte", "Pelle", "Quax"):
            await opened.tell(f"One cat is called {name}", f"cat {name}", name, question="What is one cat called?")
        yield opened


async def words(world: World, *, has_tombstones: bool = True) -> list[str]:
    tombstones = world.tombstones if has_tombstones else None
    found = await examine_rows(world.space.db, "ana", world.clock, tombstones=tombstones)
    return [f"{one.about}: {one.count} {one.words}" for one in found]


def without(table: str, where: str) -> tuple[str, ...]:
    """Return what leaves no other trace of rows than the ids that are missing."""
    if table == "facts":
        return (
            "DELETE FROM fact_terms WHERE fact_id IN (SELECT id FROM facts)",
            "DELETE FROM fact_changes",
            f"DELETE FROM facts WHERE {where}",
        )
    segments = f"(SELECT id FROM segments WHERE message_id IN (SELECT id FROM messages WHERE {where}))"
    return (
        "DELETE FROM fact_terms",
        "DELETE FROM fact_changes",
        "DELETE FROM facts",
        f"DELETE FROM segment_terms WHERE segment_id IN {segments}",
        f"DELETE FROM vectors_due WHERE segment_id IN {segments}",
        f"DELETE FROM segments WHERE id IN {segments}",
        f"DELETE FROM messages WHERE {where}",
    )


@pytest.mark.parametrize("table", ["messages", "facts"])
@pytest.mark.parametrize("where", ["id = 1", "id = 2", "id = 3", "1"])
async def test_a_row_that_is_gone_is_missed_wherever_it_stood(world: World, table: str, where: str) -> None:
    (row,) = await world.space.db.fetch_all(f"SELECT count(*) AS gone FROM {table} WHERE {where}")
    await world.damage(*without(table, where))

    assert f"{table}: {row['gone']} {table} are gone without being forgotten" in await words(world)


async def test_without_tombstones_what_is_before_the_oldest_row_may_have_been_forgotten(world: World) -> None:
    await world.damage(*without("facts", "id = 1"))
    assert not any("gone" in one for one in await words(world, has_tombstones=False))

    await world.damage(*without("facts", "id = 3"))
    assert "facts: 1 facts are gone without being forgotten" in await words(world, has_tombstones=False)


async def test_a_memory_that_was_emptied_on_request_misses_nothing(world: World) -> None:
    async with world.space.db.transaction():
        await rows_of_everything(world.space, world.tombstones)
    assert await words(world) == []

    await world.tell("The dog is called Rex", "dog", "Rex", question="What is the dog called?")
    assert await words(world) == []


async def test_what_is_undone_and_what_is_forgotten_leaves_no_gap(world: World) -> None:
    async with world.space.db.rolled_back():
        await world.says("Said and taken away")
    await world.forget("f2")
    await world.says("And on we go")

    assert await words(world) == []


async def test_messages_that_cannot_be_read_are_named_and_a_copy_reads_them_by_their_text(world: World) -> None:
    await world.damage("UPDATE messages SET body = '[{' WHERE id = 3")
    assert "messages: 1 messages cannot be read: m3" in await words(world)

    await world.damage("UPDATE messages SET body = 'none'")
    assert "messages: 6 messages cannot be read: m1, m2, m3, m4, m5, …" in await words(world)

    await read_by_text(world.space.db)
    assert await words(world) == []
    assert (await world.space.sessions.message(3)).text == "One cat is called Pelle"
