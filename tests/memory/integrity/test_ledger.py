"""The ledger against its own history and against what was said."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.integrity import examine_rows
from tests.fakes.clock import FakeClock
from tests.memory.probe.world import World, open_world

QUESTION = "When is the report due?"


@pytest.fixture
async def world(tmp_path: Path, clock: FakeClock) -> AsyncIterator[World]:
    async with open_world(tmp_path, clock) as opened:
        await opened.tell(
            "The report is due tomorrow at 10", "report", "tomorrow at 10", question=QUESTION, kind="deadline"
        )
        clock.advance(60)
        await opened.tell(
            "No, the report is due on 7 May at 17:30",
            *("report", "7 May at 17:30"),
            question=QUESTION,
            kind="deadline",
            replaces="f1",
        )
        await opened.tell("My sister Anna lives in Lisbon", "sister's home", "Lisbon", question="Where does Anna live?")
        assert await faults(opened) == []
        yield opened


async def faults(world: World) -> list[tuple[str, int]]:
    found = await examine_rows(world.space.db, "ana", world.clock)
    return [(one.words, one.count) for one in found if one.about == "facts"]


NOBODY = "facts have a value that nobody said"
TWICE = "UPDATE facts SET status = 'active' WHERE id = 1"
DAMAGE = {
    "a number of a value": ("UPDATE facts SET value = replace(value, '17:30', '18:30') WHERE id = 2", NOBODY),
    "a day of a value": ("UPDATE facts SET value = replace(value, '7 May', '8 May') WHERE id = 2", NOBODY),
    "a name of a value": ("UPDATE facts SET value = 'Porto' WHERE id = 3", NOBODY),
    "an old value beside the new": (TWICE, "subjects have two values that hold"),
    "a replaced value": (TWICE, "facts hold although another that holds has replaced them"),
    "an ended value": (TWICE, "facts hold although they have ended"),
    "an old value in place of the new": (
        "UPDATE facts SET status = iif(id = 1, 'active', 'superseded') WHERE id < 3",
        "facts hold although a later value of their subject does not",
    ),
    "a value that ended for nothing": (
        "UPDATE facts SET status = 'superseded' WHERE id = 3",
        "facts have given way to nothing",
    ),
    "a new value that is gone": ("DELETE FROM facts WHERE id = 2", "facts have given way to nothing"),
    "a quote": (
        "UPDATE facts SET quote = 'words nobody said' WHERE id = 3",
        "facts have a quote that does not stand in",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
async def test_what_was_changed_behind_the_programs_back_is_named(world: World, what: str) -> None:
    sql, words = DAMAGE[what]
    await world.damage("DROP INDEX one_active_value", sql)

    assert any(one.startswith(words) for one, _ in await faults(world))


async def test_a_date_that_code_added_is_compared_too(world: World) -> None:
    said = ("The dentist is on Thursday at 9", "dentist", "Thursday at 9")
    fact = await world.tell(*said, question="When is the dentist?", kind="deadline")
    assert "Mar 2027" in fact.value
    assert await faults(world) == []

    await world.damage(f"UPDATE facts SET value = replace(value, 'Mar', 'Apr') WHERE id = {fact.id}")

    assert await faults(world) == [(NOBODY, 1)]


async def test_what_the_ledger_does_by_itself_is_well(world: World) -> None:
    facts, now = world.space.facts, world.clock.now
    async with world.space.db.transaction():
        await facts.retract(3, at=now())
    world.clock.advance(60)
    await world.tell("My sister Anna lives in Lisbon", "sister's home", "Lisbon", question="Where does Anna live?")
    statements = [(one.id, one.message_id) for one in await facts.active() if one.message_id]
    async with world.space.db.transaction():
        await facts.withdraw_message(statements[0][1])
    assert await faults(world) == []
    await world.forget(f"f{statements[1][0]}")

    assert await faults(world) == []
