"""One proposed change of the ledger, held against the member's message: what comes out may become a row.

Pure. Who proposed it (a model, the offline reader, a tool call) does not matter: the member's own words must support
it (`support`), it must be askable (`askable`), and code decides which fact it concerns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeGuard

from pydantic import BaseModel, ConfigDict, Field

from memory.ledger.askable import Value, gives_away, usable_patterns
from memory.ledger.bearing import (
    Around,
    is_borrowed,
    is_change,
    is_correction,
    is_denied,
    is_ending,
    is_meant,
    is_statement,
    own_part,
    quoted_part,
)
from memory.ledger.facts import KINDS, Fact, Kind, Statement
from memory.ledger.marks import without_marks
from memory.ledger.patterns import literal_pattern
from memory.ledger.speakers import is_anothers, key_of
from memory.ledger.subjects import may_replace, normalise_subject
from memory.ledger.support import (
    MAX_SUBJECT_CHARS,
    NotSupported,
    Words,
    anchored,
    dated_key,
    due_moment,
    is_guess,
    quoted_span,
    require_assertion,
    sentence_around,
    sentence_span,
    supported_value,
)

_VAGUE = frozenset({"", "decision", "constraint", "entity", "fact", "note", "thing", "information", "it", "value"})


class Change(BaseModel):
    """A change as the extractor proposes it: the contract's JSON, nothing trusted yet."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    op: Literal["add", "replace", "retract"]
    replaces: str | int | None = None
    kind: str
    subject: str
    value: str = ""
    quote: str
    question: str = ""
    patterns: list[str] = Field(default_factory=list)
    critical: bool = False


@dataclass(frozen=True)
class Source:
    """The message a change is held against."""

    message_id: int
    words: Words
    by: str | None
    now: datetime
    around: Around = field(default_factory=Around)
    speaker: int | None = None
    """Who says it, where several people speak."""


@dataclass(frozen=True)
class Stating:
    """Enter the statement; under the subject of `target` where the member changed that fact.

    `is_change`: it ends what was said before, as the extractor read it or in so many words ("no wait, …"). `twin` is a
    fact that it named as changed although the subjects are another's: the words alone cannot tell. `is_doubtful`:
    others alone brought the subject up, nothing in the words speaks of a change, or the member only guesses or
    supposes.
    """

    statement: Statement
    target: int | None
    is_change: bool = False
    twin: int | None = None
    is_doubtful: bool = False

    @property
    def quote(self) -> str:
        return self.statement.quote


@dataclass(frozen=True)
class Retracting:
    """End what was current about the subject of `target` at that time."""

    target: int
    at: datetime
    quote: str


Verified = Stating | Retracting


def verified(change: Change, source: Source, known: Sequence[Fact]) -> Verified:
    """Return what may be done; `known` are the active facts that were offered or share the subject.

    Raises: NotSupported.
    """
    if not _is_kind(change.kind):
        raise NotSupported("kind")
    span = quoted_span(source.words, change.quote)
    require_assertion(source.words, span)
    known = [fact for fact in known if not is_anothers(fact.subject_key, source.speaker)]
    if change.op == "retract":
        return _retracting(change, span, source, known)
    return _stating(change, change.kind, span, source, known)


def _retracting(change: Change, span: tuple[int, int], source: Source, known: Sequence[Fact]) -> Retracting:
    target = _target(change, source, known)
    if target is None or not is_ending(target.subject, target.value, own_part(source.words.text)):
        raise NotSupported("replaces")
    return Retracting(target.id, source.words.at, source.words.text[slice(*span)])


def _stating(change: Change, kind: Kind, span: tuple[int, int], source: Source, known: Sequence[Fact]) -> Stating:
    words, is_deadline = replace(source.words, text=own_part(source.words.text)), kind == "deadline"
    target = _target(change, source, known)
    subject = target.subject if target else _subject(change.subject)
    plain = supported_value(
        words, words.text[span[0] : span[1]], change.value, replaced=target.value if target else None
    )
    if not is_statement(subject, plain, sentence_around(words.text, span), asked=source.around.asked):
        raise NotSupported("subject")
    if is_denied(plain, words.text):
        raise NotSupported("denied")
    value = anchored(words, span, plain, is_deadline=is_deadline)
    due = due_moment(words, span, plain) if is_deadline else None
    key = dated_key(words, plain, is_deadline=is_deadline)
    statement = Statement(
        kind=kind,
        subject=subject,
        value=value,
        quote=source.words.text[span[0] : span[1]],
        question=" ".join(change.question.split()),
        patterns=_patterns(change, value, source, _others(target, key, known, kind)),
        critical=change.critical or _is_critical(kind, value, is_past=due is not None and due < source.now),
        due=due,
        since=words.at,
        message_id=source.message_id,
        by=source.by,
        value_key=key,
        subject_key=target.subject_key if target else key_of(kind, subject, change.quote, source.speaker),
    )
    named = _named(change.replaces, known) if change.op == "replace" else None
    is_changing = (target is not None and target is named) or _sets_right(words.text, span, plain)
    twin = named.id if named is not None and target is None and named.kind == kind else None
    told = f"{source.around.told}\n{quoted_part(source.words.text)}"
    around = replace(source.around, told=told)
    if target is None:
        is_doubtful = is_borrowed(subject, words.text, around)
    else:
        is_doubtful = not is_change(f"{subject} {target.value}", plain, words.text, asked=around.asked)
    is_doubtful = is_doubtful or is_guess(sentence_around(words.text, span))
    return Stating(statement, target.id if target else None, is_changing, twin, is_doubtful)


def _sets_right(text: str, span: tuple[int, int], value: str) -> bool:
    """Tell whether the sentence of a quote sets right what was said before it, or what stands in it before the value.

    The first value of "Berlin, no wait, Hamburg" sets nothing right.
    """
    start, end = sentence_span(text, span)
    place = text.rfind(value, start, end)
    return is_correction(text[start : place if place > start else end])


def _is_critical(kind: Kind, value: str, *, is_past: bool) -> bool:
    """Deadlines ahead, decisions and limits with numbers are critical, whatever the extractor thinks."""
    has_limit = kind == "constraint" and re.search(r"\d", value) is not None
    return kind == "decision" or has_limit or (kind == "deadline" and not is_past)


@dataclass(frozen=True)
class _Others:
    """The values near a new one: the one it replaces, and current ones of its kind."""

    replaced: str | None
    rivals: tuple[str, ...]


def _others(target: Fact | None, key: str, known: Sequence[Fact], kind: Kind) -> _Others:
    is_changed = target is not None and target.value_key != key
    rivals = tuple(fact.value for fact in known if fact.kind == kind and fact is not target and fact.value_key != key)
    return _Others(target.value if target and is_changed else None, rivals)


def _patterns(change: Change, value: str, source: Source, others: _Others) -> tuple[str, ...]:
    question, plain = change.question.strip(), without_marks(value)
    asked = Value(plain, source.words.mentions_in(plain))
    if not question or gives_away(question, asked):
        raise NotSupported("question")
    patterns = usable_patterns(
        change.patterns, asked, question=question, replaced=others.replaced, rivals=others.rivals
    )
    if not patterns:
        raise NotSupported("patterns")
    # A prompt holds the value with its marks, an answer may come without them.
    return patterns if plain == value else tuple(dict.fromkeys([*patterns, literal_pattern(value)]))


def _target(change: Change, source: Source, known: Sequence[Fact]) -> Fact | None:
    """Return the active fact that the change is about: the one of its subject, or the one it names if that may be."""
    key = key_of(change.kind, change.subject, change.quote, source.speaker)
    same = next((fact for fact in known if fact.subject_key == key), None)
    named = _named(change.replaces, known)
    if same is not None or named is None or not may_replace(named.subject, change.subject):
        return same
    own, asked = own_part(source.words.text), source.around.asked
    return named if is_meant(named.subject, named.value, change.subject, own, asked=asked) else None


def _named(replaces: str | int | None, known: Sequence[Fact]) -> Fact | None:
    ref = f"f{replaces}" if isinstance(replaces, int) else replaces
    return next((fact for fact in known if fact.ref == ref), None)


def _subject(subject: str) -> str:
    tidy = " ".join(subject.split()).strip(" .:;,-")
    if len(tidy) > MAX_SUBJECT_CHARS or normalise_subject(tidy) in _VAGUE:
        raise NotSupported("subject")
    return tidy


def _is_kind(kind: str) -> TypeGuard[Kind]:
    return kind in KINDS
