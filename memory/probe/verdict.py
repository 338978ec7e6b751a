"""The verdict on one case, from what its prompts held and what was answered. Pure.

Which layer lost a fact that stands in no prompt is not known here: the autopsy finds it.
"""

from dataclasses import dataclass

from memory.findings import CaseResult, Verdict
from memory.ports import estimate_request_tokens
from memory.probe.answers import Answers, Heard
from memory.probe.arms import Evidence
from memory.probe.cases import is_askable

GUESSED = "answered right from a prompt that does not hold it"
NO_QUESTION = "no question or pattern that could tell"
NO_CONTROL = "the control fact was gone too"
NOT_CLEAN = "no prompt without it could be made"
NO_ANSWER = "no finished answer"
JUDGE_FAILED = "it rests on the judge, which failed its own examination"
_TOLD_OTHERWISE = "it stands in the prompt, the answer says something else"
_NO_LINE = "its line does not stand in the ledger, and the answer says something else"
_TOLD_FORMER = "the answer holds a former value"


@dataclass(frozen=True)
class _Ruling:
    verdict: Verdict
    layer: str = ""
    detail: str = ""


def verdict(evidence: Evidence, answers: Answers | None, *, judge_is_reliable: bool | None) -> CaseResult:
    """Return what comes of a case. `answers` None: the model was not asked, the prompts alone decide.

    What is found in the prompts comes before what was answered. A lost fact that stands in no prompt has no layer yet.
    """
    case = evidence.case
    present = _right(answers.present, judge_is_reliable) if answers else None
    absent = _right(answers.absent, judge_is_reliable) if answers else None
    ruling = _of_prompts(evidence) or (_of_answers(evidence, answers, present, absent) if answers else _Ruling("pass"))
    return CaseResult(
        ref=case.ref,
        message_id=case.message_id,
        critical=case.critical,
        verdict=ruling.verdict,
        layer=ruling.layer,
        detail=ruling.detail,
        source=evidence.source,
        is_answered=answers is not None
        and _is_finished(answers.present, present)
        and _is_finished(answers.absent, absent),
        present_is_right=present,
        absent_is_right=absent,
        mentions=evidence.mentions,
        prompt_tokens=estimate_request_tokens(evidence.present.request),
    )


def _of_prompts(evidence: Evidence) -> _Ruling | None:
    """Return what needs no answer; None when the prompts are as they should be."""
    if not is_askable(evidence.case):
        return _Ruling("unaskable", detail=NO_QUESTION)
    if evidence.stale:
        return _Ruling("stale", evidence.stale)
    if not evidence.present_layers:
        return _Ruling("lost")
    if evidence.leak:
        return _Ruling("leak", evidence.leak)
    if evidence.control_is_found is False:
        return _Ruling("unknown", detail=NO_CONTROL)
    return None if evidence.absent else _Ruling("unknown", detail=NOT_CLEAN)


def _of_answers(evidence: Evidence, answers: Answers, present: bool | None, absent: bool | None) -> _Ruling:
    if absent:
        return _Ruling("unaskable", detail=GUESSED)
    if present is False:
        return _misread(evidence, answers)
    if present is None or absent is None:
        heard = (answers.present, answers.absent)
        has_spoken = all(one is not None and one.says is not None for one in heard)
        return _Ruling("unknown", detail=JUDGE_FAILED if has_spoken else NO_ANSWER)
    return _Ruling("pass")


def _misread(evidence: Evidence, answers: Answers) -> _Ruling:
    """Return where a value that stands in the prompt was lost: the ledger comes before the reading of it."""
    if answers.present is not None and answers.present.says == "stale":
        return _Ruling("stale", "read", _TOLD_FORMER)
    if evidence.case.fact_id is not None and "ledger" not in evidence.present_layers:
        return _Ruling("lost", "rendered", _NO_LINE)
    return _Ruling("lost", "read", _TOLD_OTHERWISE)


def _right(heard: Heard | None, judge_is_reliable: bool | None) -> bool | None:
    """Return whether an answer is right; None where it is not known."""
    if heard is None or heard.says is None or (heard.is_judged and not judge_is_reliable):
        return None
    return heard.says == "right"


def _is_finished(heard: Heard | None, is_right: bool | None) -> bool:
    return heard is None or is_right is not None
