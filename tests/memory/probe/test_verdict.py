"""The verdict: a pass needs the value present and right, and absent and not known; everything else has its name."""

from dataclasses import replace
from itertools import product
from typing import Any, get_args

import pytest

from memory.findings import CaseResult, Verdict
from memory.probe.answers import Answers, Heard
from memory.probe.verdict import verdict
from tests.memory.probe.scripted import case_of, evidence_of, prompt

RIGHT, MISSING, STALE, UNKNOWN = Heard("right"), Heard("missing"), Heard("stale"), Heard(None)
JUDGED = Heard("right", is_judged=True)
WELL = Answers(RIGHT, MISSING)


def ruled(answers: Answers | None = WELL, *, judge: bool | None = True, **more: Any) -> CaseResult:
    return verdict(evidence_of(case_of(), **more), answers, judge_is_reliable=judge)


def test_right_while_it_is_there_and_not_known_when_it_is_gone_is_a_pass() -> None:
    result = ruled(mentions=2)

    assert (result.verdict, result.layer, result.is_answered) == ("pass", "", True)
    assert (result.present_is_right, result.absent_is_right) == (True, False)
    assert (result.ref, result.message_id, result.critical, result.source) == ("f1", 1, True, "pass")
    assert result.mentions == 2
    assert result.prompt_tokens > 0


def test_without_answers_the_prompts_alone_decide() -> None:
    result = ruled(None)

    assert (result.verdict, result.is_answered, result.present_is_right) == ("pass", False, None)


def test_a_value_that_is_read_wrong_is_lost_at_reading() -> None:
    result = ruled(Answers(MISSING, MISSING))

    assert (result.verdict, result.layer) == ("lost", "read")
    assert result.present_is_right is False


def test_a_former_value_in_the_answer_is_stale() -> None:
    assert (ruled(Answers(STALE, MISSING)).verdict, ruled(Answers(STALE, MISSING)).layer) == ("stale", "read")


def test_what_is_answered_without_its_being_there_can_be_guessed() -> None:
    result = ruled(Answers(RIGHT, RIGHT))

    assert result.verdict == "unaskable"
    assert result.absent_is_right is True


@pytest.mark.parametrize("answers", [Answers(UNKNOWN, MISSING), Answers(RIGHT, UNKNOWN), Answers(UNKNOWN, UNKNOWN)])
def test_an_answer_that_never_came_is_not_known(answers: Answers) -> None:
    result = ruled(answers)

    assert (result.verdict, result.is_answered) == ("unknown", False)


@pytest.mark.parametrize("reliable", [False, None])
@pytest.mark.parametrize(
    "answers",
    [
        Answers(JUDGED, MISSING),
        Answers(RIGHT, JUDGED),
        Answers(Heard("missing", is_judged=True), MISSING),
        Answers(Heard("stale", is_judged=True), MISSING),
        Answers(RIGHT, Heard("missing", is_judged=True)),
    ],
)
def test_what_rests_on_a_judge_that_failed_is_not_known(answers: Answers, reliable: bool | None) -> None:
    assert ruled(answers, judge=reliable).verdict == "unknown"
    assert ruled(answers, judge=True).verdict != "unknown"


@pytest.mark.parametrize("reliable", [True, False, None])
def test_what_the_patterns_decided_stands_without_a_judge(reliable: bool | None) -> None:
    assert ruled(WELL, judge=reliable).verdict == "pass"
    assert ruled(Answers(MISSING, MISSING), judge=reliable).verdict == "lost"


@pytest.mark.parametrize("answers", [None, WELL])
def test_what_the_prompts_show_comes_before_the_answers(answers: Answers | None) -> None:
    assert ruled(answers, layers=()).verdict == "lost"
    assert ruled(answers, layers=()).layer == ""
    leak = ruled(answers, leak="handoff")
    assert (leak.verdict, leak.layer) == ("leak", "handoff")
    stale = ruled(answers, stale="ledger")
    assert (stale.verdict, stale.layer) == ("stale", "ledger")
    assert ruled(answers, control_is_found=False).verdict == "unknown"
    assert ruled(answers, absent=None).verdict == "unknown"
    assert ruled(answers, control_is_found=None).verdict == "pass"


def test_a_case_that_cannot_tell_is_unaskable() -> None:
    for case in (case_of("16:00", ".*"), replace(case_of(), question=" "), replace(case_of(), patterns=())):
        evidence = replace(evidence_of(case_of()), case=case)
        assert verdict(evidence, WELL, judge_is_reliable=True).verdict == "unaskable"


def test_recall_that_does_not_bring_the_source_alone_is_told_and_fails_nothing() -> None:
    result = ruled(source="lost")

    assert (result.verdict, result.source) == ("pass", "lost")


def test_no_combination_passes_but_the_one_that_should() -> None:
    heard = [None, RIGHT, MISSING, STALE, UNKNOWN, JUDGED, Heard("missing", is_judged=True)]
    for present, absent, judge, leak, layers in product(heard, heard, (True, False), ("", "prompt"), ((), ("ledger",))):
        result = ruled(Answers(present, absent), judge=judge, leak=leak, layers=layers)
        assert result.verdict in get_args(Verdict)
        if result.verdict == "pass":
            assert (leak, bool(layers)) == ("", True)
            assert (result.present_is_right, result.absent_is_right) == (True, False)


def test_the_size_of_the_prompt_is_that_of_the_present_one() -> None:
    small, large = ruled(), ruled(present=prompt("When?", "word " * 400))

    assert large.prompt_tokens > small.prompt_tokens + 300
