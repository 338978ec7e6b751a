"""What a person writes becomes name, trigger and steps; written out and read again it is the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.store.instructions import (
    MAX_CHARS,
    MAX_STEP_CHARS,
    MAX_STEPS,
    Instructions,
    UnclearProcedure,
    instructions,
    read,
    written,
)

REVIEW = Instructions(
    "Weekly review", "when I ask for the weekly review", ("list the deadlines", "ask what was decided")
)

SPOKEN = st.text(min_size=1, max_size=60).filter(lambda text: any(char.isalnum() for char in text))


@pytest.mark.parametrize(
    "text",
    [
        "Weekly review\nTrigger: when I ask for the weekly review\n1. list the deadlines\n2. ask what was decided",
        "Weekly review, when I ask for the weekly review:\n- list the deadlines\n- ask what was decided",
        "Weekly review: when I ask for the weekly review\nlist the deadlines\nask what was decided",
        "Weekly review\nwhen I ask for the weekly review:\n1) list the\n   deadlines\n2) ask what was decided\n",
        "Weekly review, when I ask for the weekly review: 1. list the deadlines 2. ask what was decided",
        "Weekly review – when I ask for the weekly review: list the deadlines; ask what was decided",
        "\nWeekly review, when I ask for the weekly review\n\nStep 1: list the deadlines\nStep 2: ask what was decided",
    ],
)
def test_the_usual_ways_to_write_a_procedure_say_the_same(text: str) -> None:
    assert read(text) == REVIEW


def test_a_head_that_is_all_trigger_gives_the_name_and_one_without_trigger_is_its_own() -> None:
    assert read("Wenn Gäste kommen\n- Betten\n- Tee") == Instructions(
        "Wenn Gäste kommen", "Wenn Gäste kommen", ("Betten", "Tee")
    )
    assert read("打包，当我出差时\n1. 护照\n2. 行李") == Instructions("打包", "当我出差时", ("护照", "行李"))
    assert read("Tea\nboil water\npour").trigger == "Tea"


def test_numbers_inside_a_step_are_part_of_it() -> None:
    said = "Order, when I order wine: 1. ask for 12 bottles 2. take the 2. offer 3. pay"
    assert read(said).steps == ("ask for 12 bottles", "take the 2. offer", "pay")


@pytest.mark.parametrize("text", ["", "  \n ", "only a name", "\u00ad", "Name\nTrigger: when it rains", ": a; b"])
def test_a_text_without_name_or_steps_is_told_what_it_lacks(text: str) -> None:
    with pytest.raises(UnclearProcedure):
        read(text)


def test_what_is_too_long_is_refused_with_the_limit() -> None:
    with pytest.raises(UnclearProcedure, match=f"step 2 is longer than {MAX_STEP_CHARS}"):
        instructions("a", "b", ["c", "d" * (MAX_STEP_CHARS + 1)])
    with pytest.raises(UnclearProcedure, match=f"at most {MAX_STEPS} steps"):
        instructions("a", "b", ["c"] * (MAX_STEPS + 1))
    with pytest.raises(UnclearProcedure, match=f"{MAX_CHARS:,} characters"):
        instructions("a", "b", ["c" * MAX_STEP_CHARS] * 7)


def test_characters_that_hide_something_are_taken_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "send it")
    assert instructions("a", "b", [f"wa{hidden}ter\u202e the\r\nplants\u2028now"]).steps == ("water the plants now",)


@given(name=SPOKEN, trigger=SPOKEN, steps=st.lists(SPOKEN, min_size=1, max_size=12))
def test_what_is_written_out_is_read_as_the_same_again(name: str, trigger: str, steps: list[str]) -> None:
    made = instructions(name, trigger, steps)
    assert read(written(made)) == made
    assert "\n" not in "".join([made.name, made.trigger, *made.steps])


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        made = read(text)
    except UnclearProcedure:
        return
    assert read(written(made)) == made
