"""Endless repetition and calls written as text are found; ordinary writing is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.garble import NOT_RUN, has_written_call, is_repetition, without_written_calls

TOOLS = ["recall", "set_reminder"]

POEM = """The woods are quiet, the woods are deep,
And I have a promise, a promise to keep,
And miles to wander before I sleep,
And miles to wander before I sleep.
"""
REFRAIN = "Row, row, row your boat, gently down the stream.\n"
LISTS = "\n".join(f"- item {n}: buy {n * 3} apples" for n in range(200))
TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | 0 |" for n in range(300))
CHECKLIST = "\n".join(f"{n}. Call the office." for n in range(1, 150))
CODE = "    }\n" * 10 + "x = 0\n" * 8


@pytest.mark.parametrize(
    "unit",
    [
        "I cannot help with that. ",
        "Sorry.\n",
        "no ",
        "I am unable to do this, and I would rather talk about something else that is useful to you today. ",
        "Das kann ich leider nicht beantworten.\n\n",
        "ich " * 30 + "weiter. ",
        "к сожалению, я не могу. ",
    ],
)
def test_a_unit_repeated_to_the_end_is_found(unit: str) -> None:
    assert is_repetition("Well. " + unit * 200)
    assert is_repetition(unit * 200 + unit[: len(unit) // 2])


def test_a_repetition_is_found_early() -> None:
    unit = "I cannot help with that. "
    assert next(n for n in range(200) if is_repetition("Well. " + unit * n)) <= 15


@pytest.mark.parametrize(
    "text", [POEM * 3, REFRAIN * 4, LISTS, TABLE, CHECKLIST, CODE, "ha" * 40, "-" * 300, "", "word", "no, " * 20]
)
def test_lists_poems_and_laughter_are_not_repetitions(text: str) -> None:
    assert not is_repetition(text)


@given(st.text(max_size=400))
def test_short_texts_are_never_repetitions_unless_they_repeat(text: str) -> None:
    if is_repetition(text):
        assert len(text) >= 240


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "set_reminder", "args": {}}</tool_call>',
        'Sure!\n<tool_call>\n{"name": "x"}',
        '<function=set_reminder>{"at": "9"}</function>',
        "```tool_code\nprint(set_reminder(at='9'))\n```\nDone, the reminder is set.",
        'set_reminder(at="9:00", text="tea")',
        "Done!\n`set_reminder(at='9:00')`",
        "print(default_api.set_reminder(at='9'))",
        '{"name": "set_reminder", "arguments": {"at": "9"}}',
        "[TOOL_CALLS] set_reminder",
    ],
)
def test_a_call_written_as_text_is_found_and_cut_out(text: str) -> None:
    assert has_written_call(text, TOOLS)
    kept = without_written_calls(text, TOOLS)
    assert kept.endswith(NOT_RUN)
    assert not has_written_call(kept, TOOLS)
    assert "set_reminder" not in kept
    assert "<" not in kept


@pytest.mark.parametrize(
    "text",
    [
        "I can set a reminder with set_reminder (a tool of mine).",
        "Use `recall(query)` when you need it.",
        "```python\nrecall(1)\n```",
        "Models write <tool_call> tags when they slip.",
        '{"name": "Ida", "age": 4}',
        "print(other(3))",
        "",
    ],
)
def test_talk_about_calls_is_not_a_call(text: str) -> None:
    assert not has_written_call(text, TOOLS)
