"""What was under way while something was forgotten does not bring it back."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from memory.errors import CompactionFailed, UnknownId
from memory.forget import rows_of_everything
from memory.ledger.extract import Extractor
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.preferences import Preferences
from tests.fakes.model import extracts, says
from tests.memory.forget.world import CANARY, QUOTE, TOLD, ZONE, World

Forgetting = Callable[[World], Awaitable[object]]


class HeldModel:
    """Answers once it is let go."""

    name = "held"

    def __init__(self, reply: ModelReply) -> None:
        self._reply = reply
        self.is_asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.is_asked.set()
        await self.may_answer.wait()
        return self._reply


STATES_IT = {
    "op": "add",
    "replaces": None,
    "kind": "entity",
    "subject": "safe code",
    "value": CANARY,
    "quote": QUOTE,
    "question": "What opens the safe?",
    "patterns": [CANARY],
    "critical": False,
}


async def the_message(world: World) -> None:
    await world.forget("m1")


async def everything(world: World) -> None:
    async with world.space.db.transaction():
        await rows_of_everything(world.space, world.tombstones)


@pytest.mark.parametrize("forgets", [the_message, everything])
async def test_an_extraction_in_flight_enters_nothing_of_it(world: World, forgets: Forgetting) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    model = HeldModel(extracts(STATES_IT))
    extractor = Extractor(world.space.facts, world.space.sessions, model, world.clock, Preferences(ZONE))
    reading = asyncio.create_task(extractor.run(1))
    await model.is_asked.wait()

    await forgets(world)
    model.may_answer.set()
    extraction = await reading

    async with world.space.db.transaction():
        try:
            assert await extractor.apply(extraction) == []
        except UnknownId:
            assert forgets is everything
    assert await world.columns_with("zanzibar") == {}


async def test_an_ending_in_flight_is_forgotten_with_its_message(world: World) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    fact = await world.learn(1)
    await world.turn("The safe code is no longer valid.")
    ends_it = {**STATES_IT, "op": "retract", "replaces": fact.ref, "quote": "The safe code is no longer valid."}
    model = HeldModel(extracts(ends_it))
    extractor = Extractor(world.space.facts, world.space.sessions, model, world.clock, Preferences(ZONE))
    reading = asyncio.create_task(extractor.run(3))
    await model.is_asked.wait()

    await world.forget("m3")
    model.may_answer.set()
    extraction = await reading

    assert len(extraction.changes) == 1
    async with world.space.db.transaction():
        assert await extractor.apply(extraction) == []
    assert [one.id for one in await world.space.facts.active()] == [fact.id]


async def test_a_message_that_waits_to_be_read_does_not_bring_a_forgotten_fact_back(world: World) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    fact = await world.learn(1)
    await world.turn(f"Once more: {QUOTE}. And the key hangs in the hall.")
    async with world.space.db.transaction():
        await world.space.jobs.add("extract", "extract:3", {"message": 3})

    receipt = await world.forget(fact.ref)

    assert "other messages" not in receipt
    assert await world.columns_with("zanzibar") == {}
    assert "the key hangs in the hall" in (await world.space.sessions.message(3)).text


@pytest.mark.parametrize("forgets", [the_message, everything])
async def test_a_summary_in_flight_is_thrown_away(world: World, forgets: Forgetting) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    for n in range(4):
        await world.turn(f"Box {n} stands in the cellar of house {n + 500} with jam.", world.answer("Understood."))
    model = HeldModel(says(f"The member said that {QUOTE}."))
    compacting = asyncio.create_task(world.compactor(model).compact(1))
    await model.is_asked.wait()

    await forgets(world)
    model.may_answer.set()

    with pytest.raises(CompactionFailed):
        await compacting
    assert await world.columns_with("zanzibar") == {}
