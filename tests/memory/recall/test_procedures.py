"""Procedures stand in a prompt when the message asks for them: whole, within the tokens, never one that waits."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.messages import estimate_tokens
from memory.recall.items import Excluded, Scope
from memory.recall.procedures import MOST_IN_PROMPT, NOTE
from memory.store.instructions import Instructions
from memory.store.procedures import ProcedureStore
from tests.memory.recall.conftest import Memory

TAUGHT = (
    Instructions("Weekly review", "when I ask for the weekly review", ("list the deadlines", "ask what was decided")),
    Instructions("Guests", "when guests come to the house", ("open the windows", "make the beds")),
    Instructions("Backup", "as soon as I say backup", ("stop the server", "copy the archive")),
    Instructions("Koffer packen", "wenn ich verreise", ("Pass einstecken", "Heizung aus")),
    Instructions("Отчёт", "когда я прошу отчёт за месяц", ("собрать счета", "сложить суммы")),
    Instructions("打包", "当我出差时", ("带护照", "关窗户")),
    Instructions("Good morning", "when I say good morning", ("tell the date", "name the deadlines")),
)
ASKED = {
    "Time for the weekly review, please.": "p1",
    "let's do my weekly reviews": "p1",
    "The guests come at eight, what is to be done in the house?": "p2",
    "Please do a backup now": "p3",
    "Morgen verreise ich für zwei Wochen nach Rom.": "p4",
    "Сделай мне отчёт за этот месяц": "p5",
    "明天我出差": "p6",
    "Good morning!": "p7",
}
NOT_ASKED = (
    "Hello",
    "Good night, and thanks",
    "What did Anna say yesterday?",
    "Open the window, it is warm.",
    "How is the house in Lindau heated?",
    "The server in the archive was copied on Monday, they say.",
    "I want to know when the review of the film appears, they ask for it every day at work",
    "Was kostet ein Koffer?",
    "Stop",
    "",
    "???",
)


async def teach(memory: Memory, *taught: Instructions) -> None:
    store = ProcedureStore(memory.db, memory.clock)
    async with memory.db.transaction():
        for says in taught:
            await store.teach(says)


async def wanted(memory: Memory, text: str) -> list[str]:
    return [item.id for item in (await memory.recall.pack_procedures(text, budget_tokens=600)).items]


@pytest.mark.parametrize("in_a_talk", [False, True])
async def test_a_message_brings_the_procedure_it_asks_for_and_no_other(memory: Memory, in_a_talk: bool) -> None:
    await teach(memory, *TAUGHT)
    for n in range(40 if in_a_talk else 0):
        await memory.say(f"On day {n} we had guests for the review of house {n}, and spoke of the backup at work.")
    assert {text: await wanted(memory, text) for text in ASKED} == {text: [ref] for text, ref in ASKED.items()}
    assert {text: await wanted(memory, text) for text in NOT_ASKED} == {text: [] for text in NOT_ASKED}


async def test_a_procedure_stands_with_all_its_steps_under_a_note(memory: Memory) -> None:
    await teach(memory, TAUGHT[0])
    packed = await memory.recall.pack_procedures("the weekly review!", budget_tokens=600)
    assert packed.text.splitlines() == [
        NOTE,
        "- p1 · Weekly review",
        "  Trigger: when I ask for the weekly review",
        "  1. list the deadlines",
        "  2. ask what was decided",
    ]


async def test_what_waits_is_neither_packed_nor_found(memory: Memory) -> None:
    store = ProcedureStore(memory.db, memory.clock)
    async with memory.db.transaction():
        turn = await memory.sessions.begin_turn()
        await store.propose(TAUGHT[0], turn_id=turn.id)
    assert await wanted(memory, "the weekly review") == []
    assert (await memory.search("weekly review")).items == []


async def test_search_finds_a_procedure_also_by_its_steps_but_not_among_days(memory: Memory) -> None:
    await teach(memory, TAUGHT[1])
    (found,) = (await memory.search("who makes the beds?")).items
    assert (found.id, found.layer, found.message) == ("p1", "procedure", None)
    assert found.text == TAUGHT[1].text
    scope = Scope(since=memory.clock.now())
    assert (await memory.recall.search("beds", scope=scope)).items == []
    assert (await memory.recall.search("beds", scope=Scope(layers=frozenset({"segment"})))).items == []


async def test_no_more_than_three_stand_in_a_prompt_and_the_rest_is_named(memory: Memory) -> None:
    await teach(
        memory, *(Instructions(f"Review {n}", "when I ask for the review", (f"look at {n}",)) for n in range(5))
    )
    packed = await memory.recall.pack_procedures("the review!", budget_tokens=600)
    assert len(packed.items) == MOST_IN_PROMPT
    assert len(packed.excluded) == 2
    assert all(excluded.reason == "budget" for excluded in packed.excluded)


@given(budget=st.integers(0, 400), sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
async def test_whatever_the_budget_each_is_whole_or_left_out(memory: Memory, budget: int, sizes: list[int]) -> None:
    async with memory.db.transaction():
        await memory.db.execute("DELETE FROM procedure_versions")
    await teach(
        memory,
        *(Instructions(f"Tea {n}", "when I want tea", ("pour the water " * 9,) * size) for n, size in enumerate(sizes)),
    )
    packed = await memory.recall.pack_procedures("I want tea", budget_tokens=budget)
    assert estimate_tokens(packed.text) <= max(budget, 0)
    assert len(packed.items) + len(packed.excluded) == len(sizes)
    for item in packed.items:
        assert item.text.replace("\n", "\n  ") in packed.text
    assert all(excluded == Excluded(excluded.id, "budget") for excluded in packed.excluded)
