"""The benchmark of handoffs: its data is what it says, and its reader is one that can be wrong."""

import re

import pytest

from bench import handoff
from bench.quoting import UNKNOWN, QuotingReader, best_sentence
from memory.messages import text_message
from memory.ports import ModelRequest, ToolSpec
from tests.fakes.clock import FakeClock

DATA = handoff._data()
RECALL = ToolSpec("recall", "", {})


def test_the_talk_has_49_segments_of_which_36_distract() -> None:
    questions = handoff._questions(DATA["questions"])
    texts = [row["text"] for row in DATA["segments"]]
    evidence = [text for text in texts if any(re.search(q.accept or handoff.NOT_KNOWN, text) for q in questions)]

    assert len(texts) == 49
    assert len(evidence) == 12
    assert sum("revision r51" in text for text in texts) == 1
    assert len({question.kind for question in questions}) == 12


def test_the_right_sentence_is_taken_and_the_newer_one_of_two() -> None:
    lines = ["The port of the gate is 81.", "The lamp is green.", "The port of the gate is 82 now."]

    assert best_sentence("Which port has the gate?", lines) == ("The port of the gate is 82 now.", 1.0)


@pytest.mark.parametrize("line", ["Which port has the gate?", "“The port of the gate is 8…”"])
def test_questions_and_cut_sentences_state_nothing(line: str) -> None:
    assert best_sentence("Which port has the gate?", [line]) == ("", 0.0)


def test_a_value_of_something_else_is_no_right_answer() -> None:
    question = next(one for one in handoff._questions(DATA["questions"]) if one.kind == "port")

    assert question.is_answered_by("It listens on port 8447.")
    assert not question.is_answered_by("It listens on port 8474.")
    assert not question.is_answered_by("Either 8447 or 8474.")


@pytest.mark.parametrize("calls_recall", [False, True])
async def test_a_reader_that_finds_nothing_recalls_or_says_so(clock: FakeClock, calls_recall: bool) -> None:
    reader = QuotingReader(calls_recall=calls_recall)
    request = ModelRequest("chat", "task: chat", [text_message("user", "Who?", clock.now())], tools=[RECALL])

    reply = await reader.generate(request)

    assert (reply.parts[0].kind == "call") is calls_recall
    assert reader.answers == ([] if calls_recall else [UNKNOWN])
