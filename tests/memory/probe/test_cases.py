"""The cases of a memory: what is asked for, by which patterns, and when a text states it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.messages import text_message
from memory.ports import Assembled, ModelRequest, Piece, PromptLayer
from memory.probe.cases import Case, UnsoundPattern, cases_of, is_askable, pieces_that_state, retells, stated
from tests.fakes.clock import FakeClock
from tests.memory.probe.world import DAY, World, open_world

BOTH = r"(?s)\A(?=.*?Anna)(?=.*?Lisbon)"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path, FakeClock()) as opened:
        yield opened


def case(value: str = "Lisbon", *patterns: str, question: str = "Where does Anna live?") -> Case:
    return Case("f1", question, value, value, patterns or (value,), critical=False, kind="entity", fact_id=1)


def prompt(*pieces: tuple[PromptLayer, str]) -> Assembled:
    request = ModelRequest("chat", "task: chat", [text_message("user", "?", FakeClock().now())])
    return Assembled(request, tuple(Piece(layer, f"f{n}", text) for n, (layer, text) in enumerate(pieces, 1)))


# Which there are


async def test_every_fact_that_holds_is_a_case_and_no_other(world: World) -> None:
    await world.tell("Our vet is Dr. Okonkwo", "vet", "Dr. Okonkwo", question="Who is our vet?")
    await world.tell("My gym is Ironworks", "gym", "Ironworks", question="What is my gym?")
    async with world.space.db.transaction():
        await world.space.facts.retract(2, at=world.clock.now())
    (only,) = await cases_of(world.space)
    assert (only.ref, only.value, only.message_id, only.former) == ("f1", "Dr. Okonkwo", 1, ())


async def test_a_case_knows_the_values_that_held_before_and_not_a_return_to_its_own(world: World) -> None:
    for day, value in enumerate(("18:00", "19:30", "18:00")):
        await world.tell(
            f"The rehearsal is at {value}", "rehearsal", value, question="When?", replaces=f"f{day}" if day else None
        )
        world.clock.advance(DAY)
    (only,) = await cases_of(world.space)
    assert (only.value, [value for value, _ in only.former]) == ("18:00", ["19:30"])
    assert stated(only.former[0][1], "half past seven in the evening")


async def test_a_deadline_that_is_past_is_no_longer_critical(world: World) -> None:
    await world.tell(
        "The report is due on 12 March", "report", "12 March", question="When is the report due?", kind="deadline"
    )
    assert (await world.case("f1")).critical
    world.clock.advance(20 * DAY)
    assert not (await world.case("f1")).critical


async def test_the_patterns_of_an_old_ledger_gain_what_code_knows_today_and_lose_nothing(world: World) -> None:
    await world.tell("The fair opens at 18:00", "fair", "18:00", question="When does the fair open?")
    await world.damage("UPDATE facts SET patterns = '[\"18[:]00\"]'")
    only = await world.case("f1")
    assert only.patterns[0] == "18[:]00"
    assert stated(only.patterns, "at six in the evening")


async def test_nothing_is_added_to_patterns_that_contradict_the_value(world: World) -> None:
    await world.tell("The fair opens at 18:00", "fair", "18:00", question="When does the fair open?")
    await world.damage("UPDATE facts SET value = '20:00'")
    assert not stated((await world.case("f1")).patterns, "20:00")


# Questions of members


async def test_a_question_of_a_member_is_a_case_of_its_own(world: World) -> None:
    await world.space.probes.questions.add("Which colour has the hall?", "sage", patterns=["sage"])
    (only,) = await cases_of(world.space)
    assert (only.ref, only.kind, only.critical, only.fact_id) == ("q1", "question", True, None)


async def test_a_question_asks_for_what_its_fact_says_now(world: World) -> None:
    await world.tell("The fair is on 12 March", "fair", "12 March", question="When is the fair?")
    await world.space.probes.questions.add("The fair, when?", "the 12th", patterns=["12th"], fact_id=1)
    assert (await world.case("q1")).patterns == ("12th",)

    world.clock.advance(DAY)
    await world.tell("The fair is on 14 March now", "fair", "14 March", question="When is the fair?", replaces="f1")
    now = await world.case("q1")
    assert (now.value, now.fact_id, now.former[0][0]) == ("14 March", 2, "12 March")


async def test_a_question_whose_fact_was_taken_back_is_not_asked(world: World) -> None:
    await world.tell("My gym is Ironworks", "gym", "Ironworks", question="What is my gym?")
    await world.space.probes.questions.add("The gym?", "Ironworks", patterns=["Ironworks"], fact_id=1)
    async with world.space.db.transaction():
        await world.space.facts.retract(1, at=world.clock.now())
    assert await cases_of(world.space) == []


# What can be asked


@pytest.mark.parametrize("pattern", ["(", ".*", "", "know", "live"])
def test_a_pattern_that_is_broken_or_matches_anything_makes_a_case_unaskable(pattern: str) -> None:
    assert is_askable(case("Lisbon", "Lisbon"))
    assert not is_askable(case("Lisbon", "Lisbon", pattern))


def test_a_case_without_question_or_patterns_is_unaskable() -> None:
    assert not is_askable(case(question=" "))
    assert not is_askable(Case("f1", "Where?", "x", "x", (), critical=False, kind="entity"))


async def test_patterns_that_cannot_be_read_make_a_case_unaskable(world: World) -> None:
    await world.tell("Our vet is Dr. Okonkwo", "vet", "Dr. Okonkwo", question="Who is our vet?")
    for broken in ("nonsense", "7", json.dumps(["("])):
        await world.damage(f"UPDATE facts SET patterns = '{broken}'")
        assert not is_askable(await world.case("f1"))


# What states it


def test_parts_that_two_pieces_say_are_stated_by_neither() -> None:
    apart = prompt(("ledger", "- [entity] friend: Anna"), ("recalled", "Lisbon was hot"))
    assert pieces_that_state(case("Anna in Lisbon", BOTH), apart) == []
    together = prompt(("recalled", "In Lisbon lives Anna"))
    assert len(pieces_that_state(case("Anna in Lisbon", BOTH), together)) == 1


def test_a_handoff_states_what_one_of_its_sentences_states() -> None:
    assert retells([BOTH], "They spoke of Anna. Lisbon came up.") is False
    assert retells([BOTH], "They spoke of jam. Anna moved to Lisbon.") is True
    assert retells([r"Dr\.\s+Weber"], "They saw Dr. Weber.") is True
    departure = r"(?s)\A(?=.*?28\. März)(?=.*?3:30)"
    assert retells([departure], "Sie fahren am 28. März um 3:30 los. Anna kommt mit.") is True
    assert retells([departure], "Sie fahren am 28. März los. Um 3:30 schläft Anna.") is False


@pytest.mark.parametrize(
    "line",
    [
        "Handoff h3: background from 12 March 2027, 9 member turns that left the prompt.",
        "The exact words are stored: manifest h12 names 12 segments.",
        "- h1 to h4: 12 March 2027",
        "12 Mar, member: “Nothing of note”",
        "- 12 March 2027, s12: “Nothing of note”",
        "- 17:30 you: nothing of note",
        "1217300312 “Nothing of note”",
        "Open then: “Anything else?” (m12)",
    ],
)
def test_what_the_program_writes_around_is_no_statement(line: str) -> None:
    assert retells([r"(?<!\d)12(?: Mar\w*)?|17:30"], line) is False


def test_a_value_too_long_for_its_line_is_stated_by_its_beginning_there() -> None:
    long = "room " * 60
    whole = case(long.strip(), "never matched by a line")
    line = f"- [entity] inventory: {long[:239]}… (f1)"
    assert len(pieces_that_state(whole, prompt(("ledger", line)))) == 1
    assert pieces_that_state(whole, prompt(("recalled", line))) == []


@pytest.mark.parametrize(("pattern", "text"), [("(", "anything"), (r"(a|aa|aaa)+$", f"{'a' * 60}!")])
def test_a_pattern_that_is_broken_or_never_ends_says_so(pattern: str, text: str) -> None:
    with pytest.raises(UnsoundPattern):
        stated([pattern], text)
