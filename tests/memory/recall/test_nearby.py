"""What stands around a hit: which segments are one talk, and how far a word reaches in it."""

from memory.recall.items import EVERYWHERE, Scope
from memory.recall.nearby import REACH, stretches
from memory.recall.scoring import NEAR
from tests.memory.recall.conftest import Memory


async def talks(memory: Memory, *hits: int) -> list[list[int]]:
    """Return the ids of the segments around these, talk by talk."""
    return [[placed.id for placed in stretch] for stretch in await stretches(memory.db, hits, EVERYWHERE)]


async def test_a_long_silence_ends_a_talk(memory: Memory) -> None:
    await memory.say("alpha")
    await memory.say("bravo")
    memory.clock.advance(3600)
    await memory.say("charlie")
    assert await talks(memory, 2) == [[1, 2], [3]]


async def test_a_new_session_ends_a_talk(memory: Memory) -> None:
    await memory.say("alpha")
    async with memory.db.transaction():
        await memory.sessions.start_session()
    await memory.say("bravo")
    assert await talks(memory, 2) == [[1], [2]]


async def test_no_more_is_read_than_what_counts(memory: Memory) -> None:
    for number in range(30):
        await memory.say(f"entry {number}")
    assert max(abs(step) for step in NEAR) <= REACH
    assert await talks(memory, 15) == [list(range(15 - REACH, 15 + REACH + 1))]


async def test_hits_side_by_side_share_their_surroundings(memory: Memory) -> None:
    for number in range(30):
        await memory.say(f"entry {number}")
    assert await talks(memory, 12, 14) == [list(range(12 - REACH, 14 + REACH + 1))]


async def test_stretches_of_one_talk_with_unread_entries_between_are_no_neighbours(memory: Memory) -> None:
    for number in range(40):
        await memory.say(f"entry {number}")
    assert [len(talk) for talk in await talks(memory, 8, 30)] == [2 * REACH + 1, 2 * REACH + 1]


async def test_an_edit_stands_at_the_place_of_what_it_replaces(memory: Memory) -> None:
    first = await memory.say("alpha")
    await memory.say("bravo")
    await memory.say("alpha, rather", replaces=first)
    assert await talks(memory, 3) == [[3, 2]]


async def test_what_lies_outside_the_scope_is_context_only(memory: Memory) -> None:
    await memory.say("What was the name of the hotel in Lisbon?", role="model")
    await memory.say("Miramar.")
    found = await memory.recall.search("hotel Lisbon", k=5, scope=Scope(role="user"))
    assert [item.text for item in found.items] == ["Miramar."]


async def test_a_word_reaches_four_places_on_and_no_further(memory: Memory) -> None:
    await memory.say("Zanzibar.")
    for number in range(7):
        await memory.say(f"entry {number}")
    found = await memory.found("Zanzibar", k=20)
    assert found == ["Zanzibar.", *(f"entry {number}" for number in range(4))]
