"""How large a prompt is: our estimates against the provider's counts, and what can never leave."""

from pathlib import Path

import pytest

from memory.compaction.load import PromptLoad
from memory.ports import Usage
from tests.memory.compaction.world import World, opened


async def count(world: World, counted: int, estimated: int | None, *, is_estimate: bool = False) -> None:
    async with world.db.transaction():
        usage = Usage(prompt_tokens=counted, is_estimate=is_estimate)
        await world.sessions.record_usage(
            usage, task="chat", model="m", turn_id=None, estimated_prompt_tokens=estimated
        )


async def test_until_a_provider_counted_our_estimate_stands(world: World) -> None:
    await count(world, 900, 1000, is_estimate=True)
    await count(world, 900, None)

    assert await PromptLoad(world.db).factor() == 1.0


async def test_the_newest_counts_correct_the_estimate(world: World) -> None:
    for _ in range(30):
        await count(world, 3000, 1000)
    for _ in range(20):
        await count(world, 1300, 1000)

    load = PromptLoad(world.db)
    assert await load.factor() == pytest.approx(1.3)
    assert await load.exceeds(800, 1000)
    assert not await load.exceeds(700, 1000)


@pytest.mark.parametrize(("counted", "factor"), [(1, 0.4), (1_000_000, 2.5)])
async def test_an_absurd_count_moves_it_only_so_far(world: World, counted: int, factor: float) -> None:
    await count(world, counted, 1000)

    assert await PromptLoad(world.db).factor() == factor


async def test_a_restart_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await count(world, 700, 1000)
        before = await PromptLoad(world.db).factor()
    async with opened(tmp_path) as world:
        assert await PromptLoad(world.db).factor() == before == pytest.approx(0.7)


async def test_a_prompt_that_is_large_because_its_window_is_still_small_is_no_reason_to_say_anything(
    world: World,
) -> None:
    """Over the threshold, but what stays is below it: the window leaves as soon as it is large enough."""
    await world.talk(6)
    async with world.db.transaction():
        await world.db.execute("UPDATE turns SET prompt_tokens = 9999")

    outcome = await world.compactor(threshold_tokens=700, keep_turns=2).compact(await world.session())

    assert outcome.state == "nothing"
    assert await world.count("overfull") == 0
