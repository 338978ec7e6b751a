"""The arms of the examination: what the prompts hold with a fact, without its ledger, and without the fact itself."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory.ports import Assembled, Piece
from memory.probe.arms import control_for, gather, never_told, never_told_questions
from memory.probe.cases import cases_of
from memory.store.instructions import instructions
from tests.fakes.clock import FakeClock
from tests.memory.probe.assistant import Assembler
from tests.memory.probe.world import World, grow, open_world

DAY = 86_400


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path, FakeClock()) as opened:
        yield opened


async def whole(world: World) -> None:
    """Tell a fact, let it seep into handoff and journal, and another one beside it."""
    await world.tell(
        "The code of the shed is Zanzibar-77", "shed code", "Zanzibar-77", question="What is the code of the shed?"
    )
    await world.tell(
        "Our vet is Dr. Okonkwo in Lindgasse", "vet", "Dr. Okonkwo", question="Who is our vet?", answer="A good choice."
    )
    for n in range(6):
        await world.says(f"Box {n} stands in the cellar of house {n + 500} with jam and a broken lamp in it.")
    await world.compact()


# All is well


async def test_a_fact_that_is_told_and_forgotten_cleanly_passes_every_arm(world: World) -> None:
    await whole(world)
    evidence = await world.examine("f1")

    assert evidence.present_layers >= {"ledger", "recalled"}
    assert (evidence.source, evidence.leak, evidence.stale, evidence.mentions) == ("pass", "", "", 0)
    assert evidence.control_is_found is True
    assert evidence.absent is not None
    assert "Zanzibar" not in f"{evidence.absent.request}"
    assert "Okonkwo" in (evidence.absent.request.memory_block or "")


async def test_what_is_examined_is_unchanged_after_it(world: World) -> None:
    await whole(world)
    before = await state(world)
    await world.examine("f1")
    assert await state(world) == before


async def test_the_only_fact_of_a_memory_has_no_control(world: World) -> None:
    await world.tell("Our vet is Dr. Okonkwo", "vet", "Dr. Okonkwo", question="Who is our vet?")
    evidence = await world.examine()
    assert evidence.control_is_found is None
    assert evidence.absent is not None


async def test_a_memory_that_grows_as_memories_do_raises_no_alarm(world: World) -> None:
    await grow(world)
    cases = await cases_of(world.space)
    assert len(cases) >= 40

    found = [await gather(world.space, world.assistant, one, control=control_for(one, cases)) for one in cases]
    unlike = [
        (one.case.ref, one.present_layers, one.leak, one.stale, one.control_is_found)
        for one in found
        if not one.present_layers or one.leak or one.stale or one.absent is None or one.control_is_found is False
    ]
    assert unlike == []
    assert [one.case.ref for one in found if one.source == "lost"] == []
    assert sum(one.mentions for one in found) > 0


# Damage, layer by layer


async def test_a_handoff_that_keeps_what_was_forgotten_is_a_leak(world: World) -> None:
    await whole(world)
    await world.damage(
        "CREATE TRIGGER unstruck BEFORE UPDATE ON handoffs WHEN old.text LIKE '%Zanzibar%' BEGIN"
        " SELECT RAISE(IGNORE); END"
    )
    evidence = await world.examine("f1")
    assert evidence.leak == "handoff"
    assert evidence.absent is None


async def test_a_text_that_was_not_masked_is_a_leak_though_a_mention_in_its_window_stays(world: World) -> None:
    await world.says("A note hangs at the shed: Zanzibar-77, and the key.")
    await whole(world)
    assert (await world.examine("f1")).leak == ""
    await world.damage("CREATE TRIGGER kept BEFORE UPDATE ON journal BEGIN SELECT RAISE(IGNORE); END")
    assert (await world.examine("f1")).leak == "journal"


async def test_a_text_that_holds_the_parts_of_a_value_apart_is_no_leak(world: World) -> None:
    await world.tell("Our notary is Anna Weber", "notary", "Anna Weber", question="Who is our notary?")
    for said in ("Tea is out.", "Anna paints the hall, and the drill by Weber is broken again."):
        await world.says(said)
        for n in range(6):
            await world.says(f"Box {n} stands in the cellar of house {n + 500} with jam and a broken lamp in it.")
        await world.compact()
    assert (await world.examine("f1")).leak == ""


async def test_a_journal_that_keeps_what_was_forgotten_is_a_leak(world: World) -> None:
    await whole(world)
    await world.damage("CREATE TRIGGER kept BEFORE UPDATE ON journal BEGIN SELECT RAISE(IGNORE); END")
    evidence = await world.examine("f1")
    assert evidence.leak == "journal"
    assert evidence.absent is not None, "no prompt holds the journal"


async def test_a_pinned_line_that_keeps_what_was_forgotten_is_a_leak(world: World) -> None:
    await whole(world)
    await world.damage(
        "INSERT INTO pinned_lines (handoff_id, segment_id, text)"
        " VALUES (1, 1, '2 March 2027, s1: “the shed opens with Zanzibar-77”')",
        "CREATE TRIGGER kept BEFORE UPDATE ON pinned_lines BEGIN SELECT RAISE(IGNORE); END",
    )
    assert (await world.examine("f1")).leak == "pinned line"


async def test_a_summary_in_other_words_that_forgetting_does_not_know_is_a_leak(world: World) -> None:
    await world.tell(
        "The choir sings on 12 March at 18:00",
        "choir",
        "12 March at 18:00",
        question="When does the choir sing?",
        kind="entity",
    )
    await world.damage(
        "INSERT INTO journal (day, at, handoff_id, text) VALUES ('2027-03-02', '2027', NULL,"
        " '- 10:00 you: six in the evening on the twelfth of March')"
    )
    assert (await world.examine("f1")).leak == "journal"


async def test_a_procedure_that_keeps_what_was_forgotten_is_a_leak(world: World) -> None:
    await whole(world)
    async with world.space.db.transaction():
        await world.space.procedures.teach(
            instructions(
                "garden round", "when I say garden round", ["open the shed with Zanzibar-77", "water the roses"]
            )
        )
    await world.damage("CREATE TRIGGER kept BEFORE UPDATE ON procedure_versions BEGIN SELECT RAISE(IGNORE); END")
    assert (await world.examine("f1")).leak == "procedure"


async def test_a_row_of_the_ledger_that_outlives_forgetting_is_a_leak(world: World) -> None:
    await whole(world)
    await world.damage(
        "CREATE TRIGGER kept BEFORE UPDATE ON facts WHEN old.id = 1 AND new.status = 'forgotten' BEGIN"
        " SELECT RAISE(IGNORE); END"
    )
    assert (await world.examine("f1")).leak == "ledger"


async def test_a_running_prompt_that_keeps_what_was_forgotten_is_a_leak(world: World) -> None:
    await whole(world)
    async with world.space.db.transaction():
        running = await world.space.sessions.begin_turn()
        await world.space.sessions.keep_block(running.id, "- [entity] shed code: Zanzibar-77", [])
    await world.damage("CREATE TRIGGER kept BEFORE UPDATE ON turns BEGIN SELECT RAISE(IGNORE); END")
    assert (await world.examine("f1")).leak == "prompt"


async def test_a_prompt_that_holds_the_value_by_a_way_nobody_named_is_a_leak(world: World) -> None:
    class Profiled(Assembler):
        async def assemble(self, question: str) -> Assembled:
            made = await super().assemble(question)
            block = f"About the member: the shed opens with Zanzibar-77\n{made.request.memory_block}"
            return replace(made, request=replace(made.request, memory_block=block))

    await whole(world)
    world.assistant = Profiled(world.space)
    evidence = await world.examine("f1")
    assert (evidence.leak, evidence.absent) == ("prompt", None)


async def test_recall_that_answers_from_a_cache_is_a_leak(world: World) -> None:
    class Cached(Assembler):
        async def assemble(self, question: str) -> Assembled:
            made = await super().assemble(question)
            return replace(made, pieces=(*made.pieces, Piece("recalled", "s1", "the shed: Zanzibar-77", 1)))

    await whole(world)
    world.assistant = Cached(world.space)
    evidence = await world.examine("f1")
    assert (evidence.leak, evidence.absent) == ("recalled", None)


async def test_an_index_that_is_empty_loses_the_source_and_not_the_fact(world: World) -> None:
    await whole(world)
    await world.damage("DELETE FROM segment_terms")
    evidence = await world.examine("f1")
    assert evidence.present_layers == {"ledger", "handoff"}
    assert evidence.source == "lost"


async def test_a_control_that_goes_with_the_fact_is_missed(world: World) -> None:
    await whole(world)
    await world.damage(
        "CREATE TRIGGER too_much AFTER UPDATE ON journal BEGIN UPDATE facts SET status = 'pending' WHERE id = 2;"
        " DELETE FROM segment_terms; UPDATE handoffs SET text = ''; END"
    )
    assert (await world.examine("f1")).control_is_found is False


async def test_a_value_that_was_altered_is_not_present_though_its_line_stands(world: World) -> None:
    await whole(world)
    await world.damage("UPDATE facts SET value = 'Zanzibar-78' WHERE id = 1")
    assert (await world.examine("f1")).present_layers == set()


async def test_a_value_altered_with_its_patterns_is_not_present(world: World) -> None:
    await whole(world)
    await world.damage("UPDATE facts SET value = 'Madagascar-81', patterns = '[\"Madagascar-81\"]' WHERE id = 1")
    assert (await world.examine("f1")).present_layers == set()


async def test_a_broken_pattern_leaves_nothing_to_examine(world: World) -> None:
    await whole(world)
    await world.damage("UPDATE facts SET patterns = '[\"(\"]' WHERE id = 1")
    evidence = await world.examine("f1")
    assert evidence.present_layers == set()
    assert evidence.absent is None


# What is not current


async def test_a_changed_value_is_present_and_the_old_one_is_marked(world: World) -> None:
    await world.tell("The fair is on 12 March", "fair", "12 March", question="When is the fair?")
    world.clock.advance(DAY)
    await world.tell("The fair is on 14 March now", "fair", "14 March", question="When is the fair?", replaces="f1")
    evidence = await world.examine("f2")
    assert evidence.case.former[0][0] == "12 March"
    assert any(piece.is_outdated for piece in evidence.present.pieces)
    assert (evidence.stale, "ledger" in evidence.present_layers) == ("", True)


@pytest.mark.parametrize(
    "damage",
    [
        ("UPDATE facts SET status = 'superseded' WHERE id = 2", "UPDATE facts SET status = 'active' WHERE id = 1"),
        ("UPDATE facts SET status = 'active', subject_key = 'the fair' WHERE id = 1",),
        ("DROP INDEX one_active_value", "UPDATE facts SET status = 'active' WHERE id = 1"),
    ],
)
async def test_an_old_value_that_stands_as_current_is_stale(world: World, damage: tuple[str, ...]) -> None:
    await world.tell("The fair is on 12 March", "fair", "12 March", question="When is the fair?")
    world.clock.advance(DAY)
    await world.tell("The fair is on 14 March now", "fair", "14 March", question="When is the fair?", replaces="f1")
    await world.damage(*damage)
    assert (await world.examine("f1")).stale == "ledger"


async def test_a_recalled_text_that_lost_its_mark_is_stale(world: World) -> None:
    class Unmarked(Assembler):
        async def assemble(self, question: str) -> Assembled:
            made = await super().assemble(question)
            return replace(made, pieces=tuple(replace(piece, is_outdated=False) for piece in made.pieces))

    await world.tell("The fair is on 12 March", "fair", "12 March", question="When is the fair?")
    world.clock.advance(DAY)
    await world.tell("The fair is on 14 March now", "fair", "14 March", question="When is the fair?", replaces="f1")
    world.assistant = Unmarked(world.space)
    assert (await world.examine("f2")).stale == "recalled"


async def test_a_procedure_older_than_the_change_that_still_tells_the_old_value_is_stale(world: World) -> None:
    await world.tell("The fair is on 12 March", "fair", "12 March", question="When is the fair?")
    async with world.space.db.transaction():
        await world.space.procedures.teach(
            instructions("fair plan", "when is the fair planned", ["the fair is on 12 March", "pack the tent"])
        )
    world.clock.advance(DAY)
    await world.tell("The fair is on 14 March now", "fair", "14 March", question="When is the fair?", replaces="f1")
    assert (await world.examine("f2")).stale == "procedure"


# Mentions


async def test_what_another_message_says_too_is_a_mention_and_goes_as_well(world: World) -> None:
    await whole(world)
    world.clock.advance(DAY)
    await world.says("Write it on a note for the shed: Zanzibar-77, and hang up the key.")
    evidence = await world.examine("f1")
    assert (evidence.leak, evidence.mentions) == ("", 1)
    assert evidence.absent is not None
    assert "Zanzibar" not in f"{evidence.absent.request}"


async def test_two_facts_that_share_a_value_and_a_message_are_no_leak_of_each_other(world: World) -> None:
    text = "The kickoff and the demo are both on 12 March"
    first = await world.tell(text, "kickoff", "12 March", question="When is the kickoff?")
    assert first.message_id is not None
    await world.tell(text, "demo", "12 March", question="When is the demo?", message_id=first.message_id)
    evidence = await world.examine("f1")
    assert (evidence.leak, evidence.mentions) == ("", 1)
    assert evidence.absent is not None


# Never told


async def test_questions_about_nothing_are_new_with_each_seed_and_the_same_with_one(world: World) -> None:
    asked = never_told_questions(7, 3)
    assert len(set(asked)) == 3
    assert never_told_questions(7, 3) == asked != never_told_questions(8, 3)


async def test_memory_is_silent_about_what_nobody_told(world: World) -> None:
    await grow(world)
    for question in never_told_questions(1, 20):
        _, is_silent = await never_told(world.space, world.assistant, question)
        assert is_silent, question


async def test_memory_that_is_asked_for_what_was_told_is_not_silent(world: World) -> None:
    await whole(world)
    _, is_silent = await never_told(world.space, world.assistant, "What is the code of the shed?")
    assert not is_silent


async def state(world: World) -> str:
    """Return every row of the memory, and its schema."""
    db = world.space.db
    tables = await db.fetch_all("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    rows = [tuple(one) for row in tables for one in await db.fetch_all(f'SELECT * FROM "{row["name"]}"')]
    temporary = await db.fetch_all("SELECT name FROM sqlite_temp_master")
    return f"{rows} {[tuple(row) for row in tables]} {[tuple(row) for row in temporary]}"
