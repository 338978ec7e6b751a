"""What was under way while something was forgotten does not bring it back."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from memory.errors import CompactionFailed, UnknownId
from memory.forget import rows_of_everything
from memory.ledger.extract import Extractor
from memory.ports import ModelReply, ModelRequest, OnText
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
    extractor = Extractor(world.space.facts, world.space.sessions, model, world.clock, ZONE)
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
