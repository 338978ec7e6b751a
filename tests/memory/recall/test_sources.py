"""Facts that point at the messages they were read from."""

from datetime import timedelta

import pytest

from memory.ledger.facts import Statement
from memory.recall.items import Scope
from tests.memory.recall.conftest import Memory

SAID = "We agreed to take the blue one."


@pytest.fixture
async def source(memory: Memory) -> int:
    """A message that says nothing of what its fact is about, far from others that share a word of it."""
    for number in range(8):
        await memory.say(f"The kitchen tiles were late, part {number}.")
        memory.clock.advance(7200)
    message_id = await memory.say(SAID)
    memory.clock.advance(7200)
    await enter(memory, message_id, quote="take the blue one")
    return message_id


async def enter(memory: Memory, message_id: int, *, quote: str) -> None:
    statement = Statement(
        kind="decision",
        subject="kitchen wallpaper",
        value="blue",
        quote=quote,
        question="Which wallpaper was chosen for the kitchen?",
        patterns=("blue",),
        since=(await memory.sessions.message(message_id)).at,
        message_id=message_id,
    )
    async with memory.db.transaction():
        await memory.facts.add(statement)


@pytest.mark.usefixtures("source")
async def test_a_fact_that_matches_lifts_the_message_it_was_read_from(memory: Memory) -> None:
    segments = [item for item in (await memory.search("kitchen wallpaper?")).items if item.layer == "segment"]
    assert segments[0].text == SAID
    assert SAID in (await memory.pack("kitchen wallpaper?")).text


@pytest.mark.usefixtures("source")
async def test_a_fact_of_something_else_lifts_nothing(memory: Memory) -> None:
    assert SAID not in await memory.found("late tiles", k=20)


async def test_where_a_fact_was_said_again_is_lifted_too(memory: Memory, source: int) -> None:
    before = memory.clock.now()
    again = await memory.say("Yes, blue it is, as I said.")
    await enter(memory, again, quote="blue it is")
    assert {SAID, "Yes, blue it is, as I said."} <= set(await memory.found("kitchen wallpaper", k=4))
    earlier = await memory.recall.search("kitchen wallpaper", k=20, scope=Scope(until=before))
    assert "Yes, blue it is, as I said." not in [item.text for item in earlier.items]


@pytest.mark.usefixtures("source")
async def test_a_source_outside_the_scope_is_not_lifted(memory: Memory) -> None:
    since = memory.clock.now() - timedelta(hours=1)
    for scope in (Scope(since=since), Scope(role="model"), Scope(until=since - timedelta(days=1))):
        found = await memory.recall.search("kitchen wallpaper", k=20, scope=scope)
        assert SAID not in [item.text for item in found.items]


async def test_an_edited_source_is_lifted_in_its_newest_words_only(memory: Memory, source: int) -> None:
    await memory.say("We agreed to take the green one.", replaces=source)
    assert SAID not in await memory.found("kitchen wallpaper", k=20)


async def test_of_a_long_message_the_part_that_states_the_fact_is_lifted(memory: Memory) -> None:
    long = "Plain words about nothing much. " * 200 + SAID + " Then more of it." * 200
    await enter(memory, await memory.say(long), quote="take the blue one")
    found = [item for item in (await memory.search("kitchen wallpaper")).items if item.layer == "segment"]
    assert [SAID in item.text for item in found] == [True]
