"""What a prompt gets of what was found, and why the rest stays out."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.messages import estimate_tokens
from tests.memory.recall.conftest import Memory


async def test_a_packed_line_has_id_date_speaker_and_the_exact_words(memory: Memory) -> None:
    await memory.say("The tax  report is due\non Friday.")
    await memory.say("I will remember the tax report.", role="model")
    await memory.say("So will I: tax report.", author="Maria")
    packed = await memory.pack("tax report")
    assert sorted(f"\n{packed.text}".split("\n[")[1:]) == [
        "s1 · Tue 2 Mar 2027 · you] The tax  report is due\non Friday.",
        "s2 · Tue 2 Mar 2027 · assistant] I will remember the tax report.",
        "s3 · Tue 2 Mar 2027 · Maria] So will I: tax report.",
    ]


@pytest.mark.parametrize("query", ["hi", "Hello there!", "thanks", "спасибо", "qwrtz asdfgh", "", "ok, great"])
async def test_greetings_and_nonsense_bring_nothing(memory: Memory, query: str) -> None:
    await memory.say("Hi, thanks, ok, hello there, great, спасибо: the invoice number is 4711.")
    packed = await memory.pack(query)
    assert packed.text == ""
    assert packed.items == []


async def test_a_match_in_a_small_part_of_the_query_stays_below_the_floor(memory: Memory) -> None:
    await memory.say("The last invoice of the printer was 240 euros.")
    packed = await memory.pack("Write a poem about autumn leaves falling on quiet printer roofs")
    assert packed.items == []
    assert [excluded.reason for excluded in packed.excluded] == ["floor"]
    found = await memory.search("Write a poem about autumn leaves falling on quiet printer roofs")
    assert len(found.items) == 1
    assert [excluded.reason for excluded in found.excluded] == ["floor"]


async def test_a_question_in_other_words_passes_the_floor_of_a_new_memory(memory: Memory) -> None:
    for text in ("The report is due on Friday.", "We decided to use Postgres for the archive.", "My dog is Biscuit."):
        await memory.say(text)
        await memory.say("Noted.", role="model")
    packed = await memory.pack("Which database did we pick for the archive?")
    assert "We decided to use Postgres for the archive." in [item.text for item in packed.items]


async def test_an_unrelated_sum_brings_no_stored_figures(memory: Memory) -> None:
    await memory.say("The last invoice of the printer was 240 euros.")
    assert (await memory.pack("Add 19% to 240")).items == []
    assert (await memory.pack("printer invoice 240")).items


async def test_what_stands_in_the_prompt_anyway_is_left_out(memory: Memory) -> None:
    old = await memory.say("The boiler is a Vaillant.")
    new = await memory.say("The boiler leaks.")
    packed = await memory.pack("boiler", in_window=frozenset({new}))
    assert [item.message for item in packed.items] == [old]
    assert [excluded.reason for excluded in packed.excluded] == ["window"]
    found = await memory.recall.search("boiler", in_window=frozenset({new}))
    assert {item.message for item in found.items} == {old, new}
    assert [excluded.reason for excluded in found.excluded] == ["window"]


async def test_the_same_words_enter_once_as_they_were_said_last(memory: Memory) -> None:
    said = [await memory.say("The boiler leaks.") for _ in range(3)]
    packed = await memory.pack("boiler")
    assert [item.message for item in packed.items] == said[-1:]
    assert [excluded.reason for excluded in packed.excluded] == ["duplicate", "duplicate"]


async def test_what_does_not_fit_is_skipped_and_smaller_ones_still_enter(memory: Memory) -> None:
    for number in range(40):
        await memory.say(f"The boiler was serviced, visit {number}, " + "and all is well " * (number % 4) + ".")
    packed = await memory.pack("boiler", budget_tokens=120)
    assert packed.items
    assert "budget" in {excluded.reason for excluded in packed.excluded}
    assert estimate_tokens(packed.text) <= 120


async def test_a_text_too_large_enters_as_its_best_lines(memory: Memory) -> None:
    filling = "\n".join(f"Line {number} about gardening and weather." for number in range(80))
    await memory.say(f"{filling}\nThe boiler's serial number is VX-77-3141.\n{filling[::-1][:300]}")
    packed = await memory.pack("boiler serial number", budget_tokens=200)
    (item,) = packed.items
    assert "The boiler's serial number is VX-77-3141." in packed.text
    assert "weather" not in item.text
    assert item.id == "s1"
    assert estimate_tokens(packed.text) <= 200


async def test_a_long_line_enters_as_its_best_sentences(memory: Memory) -> None:
    filling = "Here is a sentence about gardening and weather. " * 30
    await memory.say(f"{filling}The boiler's serial number is VX-77-3141. {filling}Its boiler room is dry. {filling}")
    packed = await memory.pack("boiler serial number", budget_tokens=200)
    assert [item.text for item in packed.items] == [
        "The boiler's serial number is VX-77-3141. … Its boiler room is dry."
    ]


async def test_a_search_with_a_budget_tells_what_a_prompt_would_leave_out(memory: Memory) -> None:
    for number in range(6):
        await memory.say(f"The boiler was serviced, visit {number}, " + "and all is well " * 5)
    found = await memory.recall.search("boiler", k=5, budget_tokens=60)
    assert len(found.items) == 5
    assert {excluded.reason for excluded in found.excluded} == {"budget", "k"}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 400), st.sampled_from(["boiler", "boiler serial", "the weather 会议 boiler"]))
async def test_no_pack_ever_exceeds_its_tokens(memory: Memory, budget: int, query: str) -> None:
    if not await memory.found("boiler"):
        for number in range(6):
            await memory.say(f"The boiler serial {number}. 会议 ünïcödé 🎉\n" * (number * 7 + 1))
    packed = await memory.pack(query, budget_tokens=budget)
    assert estimate_tokens(packed.text) <= budget
    for item in packed.items:
        exact = await _exact(memory, item.id)
        assert all(part in exact for part in item.text.split(" … "))


async def _exact(memory: Memory, ref: str) -> str:
    return (await memory.segments.segment(int(ref[1:]))).text
