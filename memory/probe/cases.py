"""What is examined: one case for each fact that holds, and for each question a member added; and when a text states it.

A text is looked at unit by unit: a line of the ledger, a recalled text, a sentence of a handoff, a procedure. Patterns
that ask for parts in any order would otherwise join what two lines say.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

import regex

from memory.errors import MemoryFault, UnknownId
from memory.ledger.askable import REFUSALS, Value, usable_patterns
from memory.ledger.dates import find_dates
from memory.ledger.facts import Fact, Kind
from memory.ledger.marks import without_marks
from memory.ledger.render import MAX_VALUE_CHARS
from memory.ports import Assembled, Piece
from memory.probe.prose import retold, retold_sentences
from memory.space import Space
from memory.store.probe_questions import ProbeQuestion

PATTERN_TIMEOUT_S = 1.0
"""For one pattern on one unit: slow enough for a busy machine, and no pattern that was checked comes near it."""

_PARTS_IN_ANY_ORDER = ("(?s)\\A(?", "\\A(?", "(?=")

Former = tuple[str, tuple[str, ...]]
"""A value that held before, with the patterns that recognise it."""


class UnsoundPattern(MemoryFault):
    """A pattern that is broken or never ends: the fact cannot be examined by it."""


@dataclass(frozen=True)
class Case:
    """One fact under examination, or one question of a member's.

    `fact_id` is None where a question's answer stands in the talk alone; `message_id` is where the fact was first
    said. `former` are values that held before, the oldest first.
    """

    ref: str
    question: str
    value: str
    quote: str
    patterns: tuple[str, ...]
    critical: bool
    kind: Kind | Literal["question"]
    fact_id: int | None = None
    message_id: int | None = None
    former: tuple[Former, ...] = ()
    is_private: bool = False


async def cases_of(space: Space) -> list[Case]:
    """Return the cases of a memory: its active facts by id, then the members' questions by id."""
    facts = sorted(await space.facts.active(), key=lambda fact: fact.id)
    of_facts = [await _of_fact(space, fact) for fact in facts]
    asked = [await _of_question(space, question, of_facts) for question in await space.probes.questions.all()]
    return [*of_facts, *(case for case in asked if case is not None)]


def is_askable(case: Case) -> bool:
    """Tell whether there is a question, and whether all patterns can tell its answer from no answer."""
    if not case.question.strip() or not case.patterns:
        return False
    try:
        return not any(stated(case.patterns, text) for text in ("", case.question, *REFUSALS))
    except UnsoundPattern:
        return False


def stated(patterns: Iterable[str], text: str) -> bool:
    """Tell whether one of the patterns matches, case ignored. Raises: UnsoundPattern."""
    return any(_matches(pattern, text) for pattern in patterns)


def retells(patterns: Iterable[str], text: str) -> bool:
    """Tell whether a handoff, a pinned line or a journal entry states it, sentence by sentence where order is free.

    Raises: UnsoundPattern.
    """
    return any(_retells(pattern, text) for pattern in patterns)


def pieces_that_state(case: Case, assembled: Assembled) -> list[Piece]:
    """Return what in a prompt states the value, in order. Raises: UnsoundPattern.

    A value too long for the ledger's line is stated by its beginning there.
    """
    return [piece for piece in assembled.pieces if states(case, piece)]


def states(case: Case, piece: Piece) -> bool:
    """Tell whether a piece of a prompt states the value. Raises: UnsoundPattern."""
    if piece.layer == "handoff":
        return retells(case.patterns, piece.text)
    return stated(case.patterns, piece.text) or (is_own_line(case, piece) and _is_shortened(case.value, piece.text))


def is_own_line(case: Case, piece: Piece) -> bool:
    """Tell whether a piece is the ledger's line of the very fact."""
    return piece.layer == "ledger" and piece.ref == f"f{case.fact_id}"


def patterns_of(fact: Fact, *, zone: ZoneInfo, replaced: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the patterns as stored, and after them those that code would make today.

    These come only where the stored ones recognise the value: a row that contradicts itself is not mended here.
    """
    stored = _stored(fact)
    if fact.private or not _is_recognised(stored, fact.value):
        return stored
    plain = without_marks(fact.value)
    value = Value(plain, find_dates(plain, fact.since, zone))
    last = replaced[-1] if replaced else None
    own = usable_patterns((), value, question=fact.question, replaced=last, rivals=())
    sound = (pattern for pattern in own if not any(_is_recognised([pattern], text) for text in replaced))
    return tuple(dict.fromkeys([*stored, *sound]))


async def _of_fact(space: Space, fact: Fact) -> Case:
    before = await former_values(space, fact)
    is_past = fact.due is not None and fact.due < space.clock.now()
    known = {one.value: patterns_of(one, zone=space.zone_at(one.since)) for one in before}
    return Case(
        ref=fact.ref,
        question=fact.question,
        value=fact.value,
        quote=fact.quote,
        patterns=patterns_of(fact, zone=space.zone_at(fact.since), replaced=[one.value for one in before]),
        critical=fact.pinned or (fact.critical and not is_past),
        kind=fact.kind,
        fact_id=fact.id,
        message_id=fact.message_id,
        former=tuple(known.items()),
        is_private=fact.private,
    )


async def former_values(space: Space, fact: Fact) -> list[Fact]:
    """Return the rows of other values that held of the same subject, the oldest first."""
    rows = await space.facts.values_of(fact.subject_key)
    return [one for one in rows if one.status != "active" and one.value_key != fact.value_key]


async def _of_question(space: Space, asked: ProbeQuestion, of_facts: Sequence[Case]) -> Case | None:
    """Return the case of a question. One whose fact has changed asks for what holds now; None when nothing does."""
    alone = Case(asked.ref, asked.question, asked.answer, "", asked.patterns, critical=True, kind="question")
    if asked.fact_id is None:
        return alone
    try:
        fact = await space.facts.fact(asked.fact_id)
    except UnknownId:
        return alone
    now = await space.facts.current(fact.subject_key)
    held = next((case for case in of_facts if now is not None and case.fact_id == now.id), None)
    if held is None:
        return None
    is_same = now is not None and now.value_key == fact.value_key
    return Case(
        ref=asked.ref,
        question=asked.question,
        value=asked.answer if is_same else held.value,
        quote=held.quote,
        patterns=asked.patterns if is_same else held.patterns,
        critical=True,
        kind="question",
        fact_id=held.fact_id,
        message_id=held.message_id,
        former=held.former,
        is_private=held.is_private,
    )


def _stored(fact: Fact) -> tuple[str, ...]:
    """Return the patterns of a row; none when they cannot be read."""
    try:
        return tuple(pattern for pattern in fact.patterns if pattern)
    except (json.JSONDecodeError, TypeError):
        return ()


def _is_recognised(patterns: Sequence[str], value: str) -> bool:
    try:
        return stated(patterns, value)
    except UnsoundPattern:
        return False


def _is_shortened(value: str, line: str) -> bool:
    flat = " ".join(value.split())
    return len(flat) > MAX_VALUE_CHARS and flat[: MAX_VALUE_CHARS - 1] in line


def _retells(pattern: str, text: str) -> bool:
    if not pattern.startswith(_PARTS_IN_ANY_ORDER):
        return _matches(pattern, retold(text))
    # Parts that are not all in the text are in no sentence of it; one to be missing may be missing there.
    is_worth_it = "(?!.*" in pattern or _matches(pattern, retold(text))
    return is_worth_it and any(_matches(pattern, sentence) for sentence in retold_sentences(text))


def _matches(pattern: str, text: str) -> bool:
    try:
        return _compiled(pattern).search(text, timeout=PATTERN_TIMEOUT_S) is not None
    except (regex.error, TimeoutError) as error:
        raise UnsoundPattern(type(error).__name__) from None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)
