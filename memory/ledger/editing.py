"""Edits by hand: what a member gives a fact in place of its value, its question or its patterns.

Pure. Their word is final as to the value, so nothing has to support it; code reads the dates in it and finds what
recognises it. A question that answers itself and a pattern that would recognise something else are refused: the fact
could not be examined by them.
"""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from memory.ledger.askable import Value, gives_away, usable_patterns
from memory.ledger.dates import find_dates
from memory.ledger.facts import Fact, Statement
from memory.ledger.patterns import literal_pattern
from memory.ledger.support import MAX_VALUE_CHARS, NotSupported, anchored, dated_key, due_moment
from memory.ledger.verify import Source, Stating
from memory.store.redaction import is_masked

MAX_QUESTION_CHARS = 300


def with_value(fact: Fact, source: Source) -> Stating:
    """Return the statement of a message that is nothing but a fact's new value. Raises: NotSupported."""
    words, said = source.words, source.words.text.strip()
    if not literal_pattern(said) or len(said) > MAX_VALUE_CHARS or is_masked(said):
        raise NotSupported("value")
    span, is_deadline = (0, len(words.text)), fact.kind == "deadline"
    shown = anchored(words, span, said, is_deadline=is_deadline)
    value = Value(shown, words.mentions_in(shown))
    question = f"{fact.subject}?" if gives_away(fact.question, value) else fact.question
    patterns = usable_patterns((), value, question=question, replaced=fact.value, rivals=())
    statement = Statement(
        kind=fact.kind,
        subject=fact.subject,
        value=shown,
        quote=said,
        question=question,
        patterns=patterns or (literal_pattern(said),),
        since=words.at,
        message_id=source.message_id,
        critical=fact.critical,
        due=due_moment(words, span, said) if is_deadline else None,
        by=source.by,
        value_key=dated_key(words, said, is_deadline=is_deadline),
        subject_key=fact.subject_key,
        private=fact.private,
    )
    return Stating(statement, fact.id, is_change=True)


def checked_question(fact: Fact, question: str, zone: ZoneInfo) -> str:
    """Return a question by which the fact may be asked for. Raises: NotSupported."""
    tidy = " ".join(question.split())
    if not tidy or len(tidy) > MAX_QUESTION_CHARS or gives_away(tidy, _value(fact, zone)):
        raise NotSupported("question")
    return tidy


def checked_patterns(fact: Fact, patterns: Sequence[str], zone: ZoneInfo) -> tuple[str, ...]:
    """Return the patterns if each recognises the whole value and nothing of the question. Raises: NotSupported."""
    usable = usable_patterns(patterns, _value(fact, zone), question=fact.question, replaced=None, rivals=())
    if not patterns or not set(patterns) <= set(usable):
        raise NotSupported("patterns")
    return tuple(dict.fromkeys(patterns))


def _value(fact: Fact, zone: ZoneInfo) -> Value:
    return Value(fact.value, find_dates(fact.value, fact.since, zone))
