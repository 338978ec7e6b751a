"""Whether a fact can be examined: its question and the patterns that recognise its value in an answer.

Pure. A pattern counts only if it stands for the *whole* value and for nothing else at hand: not the question, not the
value it replaces, not another current value of its kind, not a sentence that admits not to know. Patterns run in an
engine with a timeout, whoever wrote them. Patterns made here go beside those the extractor proposes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import regex

from memory.ledger.dates import DateMention
from memory.ledger.patterns import (
    clock_pattern,
    count_pattern,
    date_pattern,
    is_compilable,
    literal_pattern,
    number_patterns,
)
from memory.ledger.subjects import content_words, stem

PATTERN_TIMEOUT_S = 0.05
MAX_PATTERN_CHARS = 4_000
MAX_PATTERNS = 8
_MAX_PROPOSED_CHARS = 200
_MAX_WORDS = 4
_SOME_MONTHS = ("January", "Februar", "März", "April", "мая", "June")
_YEAR_ADDED = regex.compile(r"\s\(\d{4}\)$")
"""The year that the ledger adds to a day said without one: an answer need not hold it."""

REFUSALS = (
    "I don't know.",
    "I do not have that information.",
    "That is not recorded. You have not told me yet.",
    "That is not stored. Nothing about it is in my memory.",
    "Sorry, I can't find it. No information is available, unknown.",
    "Das weiß ich nicht. Dazu ist nichts gespeichert.",
    "Я не знаю. Об этом ничего не записано.",
    "No lo sé. Je ne sais pas.",
)
"""Sentences that admit not to know: a pattern that matches one would count a loss as a find."""


@dataclass(frozen=True)
class Value:
    """A value with the dates and times found in it."""

    text: str
    mentions: Sequence[DateMention]


def usable_patterns(
    proposed: Sequence[str], value: Value, *, question: str, replaced: str | None, rivals: Sequence[str]
) -> tuple[str, ...]:
    """Return the patterns that may stand, own ones first; empty when the value cannot be told from what is near it.

    `rivals` are other current values of the kind. An own pattern may match one of them: two facts may share a value.
    """
    parts = _parts(value, question)
    if not parts:
        return ()
    near = [question, *([replaced] if replaced else [])]
    own = _all_of(parts)
    if replaced and _matches(own, replaced):
        own = _without(own, value.text, replaced)
    kept = [own] if _stands(own, value.text, near) else []
    literal = literal_pattern(value.text)
    # With a date in it, the literal value is only one of many spellings: a last resort.
    if (not kept or not value.mentions) and _stands(literal, value.text, near):
        kept.append(literal)
    for one in proposed:
        is_bounded = 0 < len(one) <= _MAX_PROPOSED_CHARS and is_compilable(one)
        if is_bounded and _stands(one, value.text, [*near, *rivals]) and _is_whole(one, value, parts):
            kept.append(one)
    return tuple(dict.fromkeys(kept))[:MAX_PATTERNS]


def gives_away(question: str, value: Value) -> bool:
    """Tell whether the question holds its own answer."""
    literal = literal_pattern(value.text)
    return not _parts(value, question) or bool(literal and _matches(literal, question))


def _stands(pattern: str, value: str, near: Sequence[str]) -> bool:
    if not pattern or len(pattern) > MAX_PATTERN_CHARS or _matches(pattern, value) is not True:
        return False
    return all(_matches(pattern, text) is False for text in ("", *near, *REFUSALS))


def _matches(pattern: str, text: str) -> bool | None:
    """Return None when the pattern is broken or takes too long."""
    try:
        return regex.search(pattern, text, flags=regex.IGNORECASE, timeout=PATTERN_TIMEOUT_S) is not None
    except (regex.error, TimeoutError):
        return None


def _is_whole(pattern: str, value: Value, parts: Sequence[str]) -> bool:
    """A pattern that matches without one of the parts, or another day like it, stands for half the value only."""
    halves = [regex.sub(part, "…", value.text, flags=regex.IGNORECASE) for part in parts]
    others = [text for one in value.mentions if one.day for text in _days_like(one.day)]
    return not any(_matches(pattern, text) for text in [*halves, *others])


def _days_like(day: date) -> Iterator[str]:
    """Yield days of the same number in other months, and another day of the same month."""
    for name in (name for number, name in enumerate(_SOME_MONTHS, 1) if number != day.month):
        yield f"{name} {day.day}, {day.day}. {name} {day.year}"
    yield f"{day.replace(day=day.day % 28 + 1):%d. %B %Y, %B %d, %d.%m., %m/%d}"


def _parts(value: Value, question: str) -> list[str]:
    """Return a pattern for each part that an answer must hold; none when the question holds all of them."""
    exact = [part for part in _exact_parts(value) if not _matches(part, question)]
    asked = {stem(word) for word in content_words(question)}
    free = [word for word in _plain_words(value) if stem(word.casefold()) not in asked]
    capital = [word for word in free if word[0].isupper()]
    names = [word for word in capital if len(word) > 2] or capital  # "Dr" tells nobody apart
    words = names or ([] if exact else sorted(free, key=len, reverse=True))
    return exact + [_word_pattern(word) for word in words[:_MAX_WORDS]]


def _exact_parts(value: Value) -> list[str]:
    """Return a pattern for each date, time, number and id of a value."""
    return list(dict.fromkeys([*_moment_parts(value), *(_span_pattern(span) for span in _spans(value))]))


def _moment_parts(value: Value) -> list[str]:
    """Return none for the moment that the ledger adds in brackets where the words name one on that day themselves."""
    added = value.text.rfind("(")
    named = {one.day for one in value.mentions if one.day and one.clock and one.start < added}
    said = (one for one in value.mentions if not (0 <= added < one.start and one.day in named))
    return [part for one in said for part in _parts_of(one, value)]


def _parts_of(mention: DateMention, value: Value) -> list[str]:
    """Return none for a day or a time named by words alone ("Friday", "at 9"): those are asked for by their words."""
    has_year = mention.day is not None and str(mention.day.year) in value.text
    parts = [date_pattern(mention.day, has_year=has_year)] if mention.day else []
    parts += [clock_pattern(mention.clock)] if mention.clock else []
    return [part for part in parts if _matches(part, value.text)]


def _spans(value: Value) -> list[str]:
    found: list[str] = regex.findall(r"\w+(?:[-./,:_+@'’]+\w+)*", _without_moments(value))
    years = {str(one.day.year) for one in value.mentions if one.day}
    return [span for span in found if any(char.isdigit() for char in span) and span not in years]


def _span_pattern(span: str) -> str:
    """Numbers match whatever stands between their digits; ids as they are."""
    is_number = not any(char.isalpha() for char in span)
    numbers = number_patterns(span) if is_number else []
    if len(numbers) == 1:
        return numbers[0]
    written = rf"(?<![\w.,:/-]){regex.escape(span)}(?![\w:/-]|[.,]\d)"
    words = count_pattern(int(span)) if len(span) == 1 and span.isdecimal() else ""
    return f"(?:{written}|{words})" if words else written


def _plain_words(value: Value) -> Iterator[str]:
    meaningful = set(content_words(value.text))
    for word in regex.findall(r"(?<![\w-])[^\W\d_]{2,}(?![\w])", _without_moments(value)):
        if word.casefold().replace("ё", "е") in meaningful:
            yield word


def _without_moments(value: Value) -> str:
    text = _YEAR_ADDED.sub("", value.text) if value.mentions else value.text
    for one in sorted(value.mentions, key=lambda mention: mention.start, reverse=True):
        if _parts_of(one, value):
            text = f"{text[: one.start]} {text[one.end :]}"
    return text


def _word_pattern(word: str) -> str:
    """Inflected forms meet: a plural or genitive s, and endings of words outside ASCII."""
    if word.isascii() or len(word) <= 4:
        singular = word.removesuffix("s") if word.islower() and len(word) > 4 else word
        return rf"(?<!\w){regex.escape(singular)}(?:e?s)?(?!\w)"
    return rf"(?<!\w){regex.escape(word[:-1])}"


def _all_of(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else r"(?s)\A" + "".join(rf"(?=.*?{part})" for part in parts)


def _without(pattern: str, value: str, replaced: str) -> str:
    """Tell a value from a longer one that it replaces ("Postgres" from "Postgres 16") by what only that one has."""
    mine = {stem(word) for word in content_words(value)}
    gone = [word for word in content_words(replaced) if stem(word) not in mine]
    if not gone:
        return ""
    return rf"(?s)\A(?!.*?(?<!\w){regex.escape(gone[0])}(?!\w))(?=.*?{pattern.removeprefix('(?s)')})"
