"""What was forgotten and is back, as from an old file, is named by its tombstones; what stays rightly is not."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.integrity import examine_rows
from memory.integrity.fault import IS_BACK, STILL_TOLD
from memory.store.instructions import Instructions
from tests.fakes.clock import FakeClock
from tests.memory.forget.world import QUOTE, World, everywhere, open_world


@pytest.fixture
async def world(tmp_path: Path, clock: FakeClock) -> AsyncIterator[World]:
    async with open_world(tmp_path, clock) as opened:
        yield opened


async def back(world: World) -> set[str]:
    found = await examine_rows(world.space.db, "ana", world.clock, tombstones=world.tombstones)
    return {one.words for one in found if one.about == "forgotten"}


async def restore(world: World, table: str, before: list[dict[str, object]]) -> None:
    """Put the rows of a table back as they were."""
    async with world.space.db.transaction():
        for row in before:
            columns = ", ".join(f"{name} = :{name}" for name in row)
            await world.space.db.execute(f"UPDATE {table} SET {columns} WHERE id = :id", row)


async def rows(world: World, table: str) -> list[dict[str, object]]:
    return [dict(row) for row in await world.space.db.fetch_all(f"SELECT * FROM {table}")]


@pytest.mark.parametrize(
    ("ref", "table", "words"),
    [
        ("f1", "facts", IS_BACK),
        ("f1", "messages", IS_BACK),
        ("m3", "messages", IS_BACK),
        ("f1", "handoffs", STILL_TOLD),
    ],
)
async def test_a_row_that_is_back_is_named(world: World, ref: str, table: str, words: str) -> None:
    await everywhere(world)
    assert await back(world) == set()
    before = await rows(world, table)
    await world.forget(ref)
    assert await back(world) == set()

    await restore(world, table, before)

    assert words in await back(world)


async def test_a_procedure_that_is_back_is_named(world: World) -> None:
    async with world.space.db.transaction():
        await world.space.procedures.teach(Instructions("bins", "Monday", ("put the bins out",)), by=None, by_id=None)
    kept = [await rows(world, "procedures"), await rows(world, "procedure_versions")]
    await world.forget("p1")
    assert await back(world) == set()

    async with world.space.db.transaction():
        for table, values in zip(("procedures", "procedure_versions"), kept, strict=True):
            for row in values:
                names = ", ".join(f":{name}" for name in row)
                await world.space.db.execute(f"INSERT INTO {table} VALUES ({names})", row)

    assert await back(world) == {IS_BACK}


@pytest.mark.parametrize(
    "into",
    ["pinned_lines (handoff_id, segment_id, text) VALUES (1, ?, ?)", "short_texts (segment_id, text) VALUES (?, ?)"],
)
async def test_a_line_of_a_segment_that_tells_it_again_is_named(world: World, into: str) -> None:
    await everywhere(world)
    (segment,) = await world.space.db.fetch_all("SELECT id FROM segments WHERE message_id = 3 LIMIT 1")
    await world.forget("f1")
    assert await back(world) == set()

    async with world.space.db.transaction():
        await world.space.db.execute(f"INSERT INTO {into}", (segment["id"], f"2 March: “{QUOTE}”"))

    assert await back(world) == {STILL_TOLD}


async def test_a_members_own_mention_elsewhere_is_not_back(world: World) -> None:
    await everywhere(world)
    async with world.space.db.transaction():
        await world.space.sessions.end_turn(8, "stopped")
    await world.turn(f"By the way, {QUOTE}.", world.answer("Understood."))
    await world.forget("f1")
    await world.forget("m3")
    await world.forget("m3")

    assert await back(world) == set()
