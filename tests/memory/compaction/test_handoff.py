"""How handoffs stand in the prompt: all together small, whatever the number."""

import pytest

from memory.compaction.handoff import MAX_PROMPT_TOKENS, Covered, ManifestLine, PinnedLine
from memory.errors import UnknownId
from memory.messages import estimate_tokens
from tests.memory.compaction.world import World


async def hand_off(world: World, n: int, *, text: str = "", pinned: int = 0) -> None:
    session = await world.session()
    await world.say(f"Message number {n}", "Yes.")
    row = await world.db.fetch_one("SELECT max(id) AS last FROM messages")
    segment = await world.db.fetch_one("SELECT max(id) AS last FROM segments")
    assert row is not None
    assert segment is not None
    async with world.db.transaction():
        await world.handoffs.add(
            await world.handoffs.next_id(),
            Covered(f"key {n}", session, row["last"] - 1, row["last"], 7000),
            text=text or f"Handoff h{n}. " + "It was about jam. " * 100,
            origin="excerpt",
            manifest=[ManifestLine(segment["last"], "00")],
            pinned=[
                PinnedLine(segment["last"], f"Pinned {n}.{line}: the jam costs {n * 10 + line} euros")
                for line in range(pinned)
            ],
        )
    world.clock.advance(86_400)


async def test_nothing_stands_in_a_new_prompt(world: World) -> None:
    assert await world.handoffs.in_prompt() == []
    assert await world.handoffs.last_covered(await world.session()) == 0


async def test_a_few_handoffs_stand_whole_oldest_first(world: World) -> None:
    for n in (1, 2, 3):
        await hand_off(world, n)

    assert [view.ref for view in await world.handoffs.in_prompt()] == ["h1", "h2", "h3"]


@pytest.mark.parametrize("count", [6, 30, 90])
async def test_many_handoffs_stay_under_the_ceiling_and_each_is_named(world: World, count: int) -> None:
    for n in range(1, count + 1):
        await hand_off(world, n, pinned=2)

    views = await world.handoffs.in_prompt()

    assert sum(view.tokens for view in views) <= MAX_PROMPT_TOKENS
    assert estimate_tokens("\n".join(view.text for view in views)) <= MAX_PROMPT_TOKENS
    assert [view.ref for view in views[:2]] == ["handoff index", "pinned lines"]
    assert views[-1].ref == f"h{count}"
    folded = count - len(views) + 2
    index = views[0].text
    assert f"h{folded}:" in index
    assert f"h{folded + 1}" not in index
    assert "- h1:" in index or "- h1 to h" in index
    assert f"Pinned {count}.1" in views[1].text


async def test_an_index_line_is_dated(world: World) -> None:
    for n in range(1, 8):
        await hand_off(world, n)

    assert "- h1: 2 March 2027\n- h2: 3 March 2027" in (await world.handoffs.in_prompt())[0].text


async def test_a_handoff_that_is_too_long_alone_still_stands(world: World) -> None:
    await hand_off(world, 1, text="Ж" * 6000)

    assert [view.ref for view in await world.handoffs.in_prompt()] == ["h1"]


async def test_what_is_covered_counts_by_session(world: World) -> None:
    await hand_off(world, 1)
    first = await world.session()
    async with world.db.transaction():
        second = await world.sessions.start_session()

    assert await world.handoffs.last_covered(first) == 2
    assert await world.handoffs.last_covered(second) == 0


async def test_an_unknown_handoff_says_so(world: World) -> None:
    with pytest.raises(UnknownId, match="h7"):
        await world.handoffs.handoff(7)
