"""What the manifest of a handoff names and what it leaves out."""

from datetime import UTC, datetime

import pytest

from memory.compaction.route import Route, route
from memory.messages import Message, Role, TextPart
from memory.recall.segments import Segment

AT = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)


def segment(number: int, text: str) -> Segment:
    return Segment(number, number, 0, 0, len(text), "", text)


def routes(*texts: str, role: Role = "user") -> list[Route]:
    messages = [Message(role=role, parts=(TextPart(text=text),), at=AT, id=n) for n, text in enumerate(texts)]
    return [item.route for item in route([segment(n, text) for n, text in enumerate(texts)], messages)]


@pytest.mark.parametrize(
    "text",
    [
        *("Hi!", "Good morning :)", "thanks a lot!", "Vielen Dank", "Спасибо большое", "Merci beaucoup !"),
        *("see above", "As I said before.", "f12", "see f12 and s3", "siehe oben!", "wie gesagt"),
    ],
)
def test_small_talk_and_references_are_dropped(text: str) -> None:
    assert routes(text) == ["DROP"]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, the meeting is on Friday",
        "Hello, I am Ana",
        "yes",
        "ok",
        "sure",
        "no",
        "👍",
        "Good morning?",
        "thanks 17",
        "Box 7 is in the cellar.",
        "As I said, the dog is ill",
        "see f12 about Ana",
        "Sehr gut, wir nehmen Postgres",
    ],
)
def test_prose_is_kept(text: str) -> None:
    assert routes(text, text) == ["KEEP", "DROP"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nthanks\n```",
        "run `make`",
        "git push",
        "/etc/hosts.d/thanks",
        "see https://example.org/a",
        "e3b0c44298fc",
        "ValueError",
        "Traceback (most recent call last):",
        "ana@example.org",
        "C:\\temp",
        "{",
        "$ ls",
    ],
)
def test_exact_text_is_kept_even_when_repeated(text: str) -> None:
    assert routes(text, text) == ["KEEP", "KEEP"]


def test_whatever_tools_and_the_program_said_is_kept() -> None:
    assert routes("thanks", role="tool") == ["KEEP"]
    assert routes("thanks", role="notice") == ["KEEP"]


def test_an_assistant_that_repeats_the_member_is_no_repeat() -> None:
    said = [
        Message(role=role, parts=(TextPart(text="The deadline is Friday."),), at=AT, id=n)
        for n, role in enumerate(("user", "model"))
    ]

    assert [item.route for item in route([segment(n, said[n].text) for n in (0, 1)], said)] == ["KEEP", "KEEP"]


def test_a_hostile_text_takes_no_time_to_speak_of() -> None:
    assert routes("see " + "and, " * 5000 + "x") == ["KEEP"]
