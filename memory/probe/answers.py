"""What the model answers under the arms of a case, each answer heard by one rule: patterns first, the judge on misses.

Asks, and counts repeats; what follows for the fact is the business of `verdict`. A fault of the model leaves an answer
unknown; it is never a miss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from memory.errors import CeilingReached, ModelFault
from memory.ports import Assembled, Assistant
from memory.probe.arms import Evidence
from memory.probe.assertions import admits_ignorance, states_as_current
from memory.probe.cases import Case, UnsoundPattern, stated
from memory.probe.judge import Judge
from memory.probe.prose import whole_sentences

REPEATS = 2
"""How often a miss is asked again while the value stands in the prompt."""
ENOUGH = 2
"""So many answers out of all of them decide."""


@dataclass(frozen=True)
class Heard:
    """What an answer says of the value: it is stated ("right"), a former one is ("stale"), or neither ("missing").

    None: there was no finished answer, or no verdict on it. `is_judged`: it rests on the judge's word.
    """

    says: Literal["right", "stale", "missing"] | None
    is_judged: bool = False


@dataclass(frozen=True)
class Answers:
    """What was heard under each arm; None: it was not asked, for want of a prompt that could tell."""

    present: Heard | None
    absent: Heard | None


async def put(assistant: Assistant, judge: Judge, evidence: Evidence) -> Answers:
    """Put the prompts of a case to the model: the present one if the value stands in it, the absent one if it is clean.

    Raises: CeilingReached.
    """
    case = evidence.case
    present = await _insisting(assistant, judge, case, evidence.present) if evidence.present_layers else None
    absent = await _ask(assistant, judge, case, evidence.absent) if evidence.absent is not None else None
    return Answers(present, absent)


async def is_admitted(assistant: Assistant, assembled: Assembled) -> bool | None:
    """Ask what nobody ever told and return whether the answer admits that; None without a finished answer.

    Raises: CeilingReached.
    """
    text = await _text(assistant, assembled)
    return None if text is None else admits_ignorance(text)


def asserts(case: Case, text: str) -> bool:
    """Tell whether a text states the value of a case, and as what holds. Raises: UnsoundPattern."""
    return states_as_current(partial(_says, case.patterns), text, own=(case.quote, case.value))


async def hear(judge: Judge, case: Case, text: str) -> Heard:
    """Return what an answer says of the value of a case.

    Raises: CeilingReached.
    """
    try:
        return await _heard(judge, case, text)
    except CeilingReached:
        raise
    except (ModelFault, UnsoundPattern):
        return Heard(None)


async def _heard(judge: Judge, case: Case, text: str) -> Heard:
    if asserts(case, text):
        return Heard("right")
    said = whole_sentences(text)
    # An answer that begins so, and does not go on to guess, states nothing: no word of the judge is spent on it.
    if not said or (admits_ignorance(said[0]) and admits_ignorance(text)):
        return Heard("missing")
    if await judge.states(case, text):
        return Heard("right", is_judged=True)
    is_former = any(states_as_current(partial(_says, patterns), text, own=(value,)) for value, patterns in case.former)
    return Heard("stale" if is_former else "missing", is_judged=True)


async def _insisting(assistant: Assistant, judge: Judge, case: Case, assembled: Assembled) -> Heard:
    """Return what the model says of a value before its eyes; a miss is asked again, and most of the answers count."""
    first = await _ask(assistant, judge, case, assembled)
    if first.says is None or first.says == "right":
        return first
    return _most([first, *[await _ask(assistant, judge, case, assembled) for _ in range(REPEATS)]])


def _most(heard: Sequence[Heard]) -> Heard:
    right = [one for one in heard if one.says == "right"]
    wrong = [one for one in heard if one.says in ("stale", "missing")]
    most = max(right, wrong, key=len)
    if len(most) < ENOUGH:
        return Heard(None)
    says = "stale" if any(one.says == "stale" for one in most) else most[0].says
    return Heard(says, is_judged=any(one.is_judged for one in most))


async def _ask(assistant: Assistant, judge: Judge, case: Case, assembled: Assembled) -> Heard:
    text = await _text(assistant, assembled)
    return Heard(None) if text is None else await hear(judge, case, text)


async def _text(assistant: Assistant, assembled: Assembled) -> str | None:
    """Return the words of an answer; None when there was none to be had."""
    try:
        return (await assistant.ask(assembled.request)).text
    except CeilingReached:
        raise
    except ModelFault:
        return None


def _says(patterns: Sequence[str], text: str) -> bool:
    """Tell whether a pattern matches; one that looks for parts in any order sees one sentence at a time."""
    parts = [pattern for pattern in patterns if "(?=" in pattern]
    whole = [pattern for pattern in patterns if pattern not in parts]
    return stated(whole, text) or any(stated(parts, sentence) for sentence in whole_sentences(text))
