"""Undo: a change is taken back once, later words stay, the history keeps no gap, and nothing forgotten returns."""

import asyncio
import tempfile
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import UnknownId
from memory.ledger.changes import LedgerChange
from memory.ledger.extract import apply_changes
from memory.ledger.facts import Fact, Statement
from memory.ledger.receipts import Receipt
from memory.ledger.verify import Retracting, Stating, Verified
from tests.memory.ledger.world import START, LedgerWorld, open_world


async def say(world: LedgerWorld, value: str | None, *, hour: int, replaces: int | None = None) -> list[Receipt]:
    """Have a message say a value of the vet, or that there is none any more, and return the receipts."""
    at = START + timedelta(hours=hour)
    quote = f"vet: {value}"
    message = await world.says(quote, at=at, replaces=replaces)
    assert message.id is not None
    changes: list[Verified] = []
    current = await world.facts.current("vet")
    if value is not None:
        statement = Statement("entity", "vet", value, quote, "Who?", (value,), at, message.id)
        changes = [Stating(statement, current.id if current else None, is_change=True)]
    elif current is not None:
        changes = [Retracting(current.id, at, quote)]
    async with world.db.transaction():
        return await apply_changes(world.facts, message.id, changes)


async def undo(world: LedgerWorld, change: LedgerChange | None) -> None:
    assert change is not None
    async with world.db.transaction():
        await world.facts.changes.undo(change)


async def undo_receipt(world: LedgerWorld, receipt: Receipt) -> None:
    assert receipt.undo is not None
    await undo(world, await world.facts.changes.change(receipt.undo))


async def test_a_change_is_taken_back_once(world: LedgerWorld) -> None:
    await say(world, "Brandt", hour=0)
    (receipt,) = await say(world, "Kern", hour=1)
    await undo_receipt(world, receipt)
    assert await world.values() == ["Brandt"]
    await say(world, "Wolf", hour=2)
    await undo_receipt(world, receipt)
    assert await world.values() == ["Wolf"]


async def test_what_was_said_later_stays(world: LedgerWorld) -> None:
    (first,) = await say(world, "Brandt", hour=0)
    await say(world, "Kern", hour=1)
    await undo_receipt(world, first)
    assert await world.values() == ["Kern"]
    assert [fact.value for fact in await world.facts.values_of("vet")] == ["Kern"]


async def test_a_value_goes_with_what_only_said_it_again(world: LedgerWorld) -> None:
    await say(world, "Brandt", hour=0)
    (receipt,) = await say(world, "Kern", hour=1)
    assert await say(world, "Kern", hour=2) == []
    await undo_receipt(world, receipt)
    assert await world.values() == ["Brandt"]


async def test_a_value_goes_with_what_said_it_again_in_a_row_of_its_own(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    await say(world, "Brandt", hour=4)
    await say(world, "Kern", hour=2)
    async with world.db.transaction():
        await world.facts.withdraw_message(3)
    await undo_receipt(world, receipt)
    assert await world.values() == []


async def test_what_went_with_a_value_does_not_bring_it_back_when_it_is_read_again(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    again = await world.says("vet: Brandt", at=START + timedelta(hours=1))
    assert again.id is not None
    statement = Statement("entity", "vet", "Brandt", "vet: Brandt", "Who?", ("Brandt",), again.at, again.id)
    for _ in range(2):
        async with world.db.transaction():
            await world.facts.add(statement)
        await undo_receipt(world, receipt)
        assert await world.values() == []


async def test_an_edit_of_what_only_said_a_value_again_is_taken_back_whole(world: LedgerWorld) -> None:
    (first,) = await say(world, "Brandt", hour=0)
    await say(world, "Brandt", hour=1)
    (edited,) = await say(world, "Kern", hour=2, replaces=2)
    async with world.db.transaction():
        await world.facts.withdraw_message(1)
    await undo_receipt(world, edited)
    assert await world.values() == ["Brandt"]
    assert (await world.facts.sources(first.fact.id)) == [2]


async def test_an_edit_of_the_first_of_two_that_say_a_value_is_taken_back_to_it(world: LedgerWorld) -> None:
    (first,) = await say(world, "Brandt", hour=0)
    await say(world, "Brandt", hour=1)
    (edited,) = await say(world, "Kern", hour=2, replaces=1)
    await undo_receipt(world, edited)
    assert await world.facts.sources(first.fact.id) == [1, 2]
    assert (await world.facts.fact(first.fact.id)).since == START


async def test_a_retraction_is_taken_back(world: LedgerWorld) -> None:
    await say(world, "Brandt", hour=0)
    (receipt,) = await say(world, None, hour=1)
    await undo_receipt(world, receipt)
    assert await world.values() == ["Brandt"]


async def test_an_edit_is_taken_back_to_the_version_before(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    await say(world, "Kern", hour=1, replaces=receipt.fact.message_id)
    (last,) = await say(world, "Wolf", hour=2, replaces=receipt.fact.message_id)
    await undo_receipt(world, last)
    assert await world.values() == ["Kern"]
    await undo(world, await world.facts.changes.last())
    assert await world.values() == ["Brandt"]


async def test_an_edit_that_took_a_retraction_back_is_taken_back(world: LedgerWorld) -> None:
    await say(world, "Brandt", hour=0)
    (gone,) = await say(world, None, hour=1)
    rows = await world.db.fetch_all("SELECT message_id FROM fact_retractions")
    (again,) = await say(world, "Kern", hour=2, replaces=rows[0]["message_id"])
    assert gone.change == "ended"
    await undo_receipt(world, again)
    assert await world.values() == []


async def test_a_pin_stays_with_the_subject(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    async with world.db.transaction():
        await world.facts.changes.set_pinned(receipt.fact.id, True)
        await world.facts.changes.set_pinned(receipt.fact.id, True)
    await say(world, "Kern", hour=1)
    (current,) = await world.facts.active()
    assert (current.value, current.pinned) == ("Kern", True)
    assert len(await world.db.fetch_all("SELECT id FROM fact_changes WHERE before IS NOT NULL")) == 1


async def test_what_was_set_goes_back_to_what_it_was(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    fact = receipt.fact
    async with world.db.transaction():
        await world.facts.changes.set_critical(fact.id, True)
        await world.facts.changes.set_question(fact.id, "Who treats the cat?")
        await world.facts.changes.set_patterns(fact.id, ["Brandt", "Brandts"])
    for _ in range(3):
        await undo(world, await world.facts.changes.last_of("vet"))
    assert await world.facts.fact(fact.id) == fact


async def test_what_was_set_anew_survives_a_second_undo_of_the_first(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    async with world.db.transaction():
        await world.facts.changes.set_pinned(receipt.fact.id, True)
    first = await world.facts.changes.last()
    assert first is not None
    await undo(world, first)
    async with world.db.transaction():
        await world.facts.changes.set_pinned(receipt.fact.id, True)
    await undo(world, await world.facts.changes.change(first.id))
    assert (await world.facts.fact(receipt.fact.id)).pinned


async def test_setting_a_fact_that_is_not_there_is_named(world: LedgerWorld) -> None:
    with pytest.raises(UnknownId):
        async with world.db.transaction():
            await world.facts.changes.set_pinned(77, True)


async def test_changes_of_a_forgotten_fact_are_gone_and_their_ids_with_them(world: LedgerWorld) -> None:
    (receipt,) = await say(world, "Brandt", hour=0)
    async with world.db.transaction():
        await world.facts.changes.set_question(receipt.fact.id, "Who treats the cat?")
        await world.db.execute("UPDATE facts SET status = 'forgotten' WHERE id = ?", (receipt.fact.id,))
    assert await world.facts.changes.last() is None
    assert await world.facts.changes.change(receipt.undo or 0) is None
    await say(world, "Kern", hour=1)
    assert await world.facts.changes.change(receipt.undo or 0) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(["Brandt", "Kern", "Wolf", None, "undo"])), min_size=1, max_size=9))
def test_undoing_back_to_front_passes_through_every_earlier_state(steps: list[str | None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_back_to_front(Path(folder), steps))


async def _back_to_front(folder: Path, steps: list[str | None]) -> None:
    async with open_world(folder) as world:
        states: list[list[str]] = [[]]
        for hour, step in enumerate(steps):
            if step != "undo":
                states += [await world.values()] if await say(world, step, hour=hour) else []
                states[-1] = await world.values()
            elif len(states) > 1:
                states.pop()
                await undo(world, await world.facts.changes.last())
            _check(await world.facts.values_of("vet"))
            assert await world.values() == states[-1]
        while (change := await world.facts.changes.last()) is not None:
            states.pop()
            await undo(world, change)
            assert await world.values() == states[-1]
            _check(await world.facts.values_of("vet"))
        assert len(states) == 1


def _check(history: list[Fact]) -> None:
    """Each value but the last ends, when the next begins or before, and only the last may be active."""
    for fact, following in pairwise(history):
        assert fact.status in ("superseded", "retracted")
        assert fact.until is not None
        assert fact.until <= following.since
