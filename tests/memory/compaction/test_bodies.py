"""Long results of tools leave the prompt and stay whole in storage; nothing else is shortened."""

import json

from memory.compaction.bodies import LONG_CHARS
from memory.messages import CallPart, Message, ResultPart, text_message
from memory.store.results import whole_result
from tests.memory.compaction.world import World

LONG = "a line of the catalogue, " * 400


async def steps(world: World, *outputs: str) -> None:
    """Have one turn, still running, in which a tool was called again and again."""
    async with world.db.transaction():
        turn = await world.sessions.begin_turn()
        await world.append(text_message("user", "Read the catalogue.", world.clock.now()), turn.session_id, turn.id)
        for number, output in enumerate(outputs):
            call = CallPart(call_id=f"c{number}", name="files")
            result = ResultPart(call_id=f"c{number}", name="files", response={"output": output})
            for role, part in (("model", call), ("tool", result)):
                message = Message.model_validate({"role": role, "parts": (part,), "at": world.clock.now()})
                await world.append(message, turn.session_id, turn.id)


async def test_all_but_the_newest_long_results_are_shown_short_and_can_be_read_whole(world: World) -> None:
    await steps(world, LONG + "1", "short", LONG + "2", LONG + "3")

    assert await world.compactor().set_aside(await world.session()) == 2

    first, second, third, last = [m.results[0] for m in await world.tail() if m.role == "tool"]
    assert (second.response, last.response) == ({"output": "short"}, {"output": LONG + "3"})
    for result, end in ((first, "1"), (third, "2")):
        assert len(whole_result(result)) <= LONG_CHARS
        whole = world.media.read(result.whole or "")
        assert whole is not None
        assert json.loads(whole) == {"output": LONG + end}


async def test_a_second_time_there_is_nothing_to_set_aside(world: World) -> None:
    await steps(world, LONG, LONG)
    compactor = world.compactor()
    assert await compactor.set_aside(await world.session()) == 1
    before = await world.tail()

    assert await compactor.set_aside(await world.session()) == 0
    assert await world.tail() == before


async def test_a_prompt_that_cannot_be_shortened_otherwise_loses_long_results_first(world: World) -> None:
    await steps(world, LONG, "short")

    outcome = await world.compactor(threshold_tokens=800).compact(await world.session())

    assert (outcome.state, outcome.set_aside, outcome.must_be_told) == ("nothing", 1, False)
