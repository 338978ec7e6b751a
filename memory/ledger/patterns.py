"""Patterns that recognise a fact's value in other phrasings: dates, times, numbers, words.

Each function returns the source of a regular expression (for the `regex` module, case ignored) that stands for all of
what it was given. Nothing is run here, and whether a pattern is good enough to examine a fact with is decided
elsewhere.
"""

import re
from datetime import date, time

_MONTHS = (
    r"jan(?:uary|uar|\.)?|янв\w*",
    r"feb(?:ruary|ruar|\.)?|фев\w*",
    r"mar(?:ch|\.)?|märz|мар\w*",
    r"apr(?:il|\.)?|апр\w*",
    r"may|mai|мая|май",
    r"june?|juni|июн\w*",
    r"july?|juli|июл\w*",
    r"aug(?:ust|\.)?|авг\w*",
    r"sep(?:t(?:ember)?|\.)?|сен\w*",
    r"oct(?:ober|\.)?|okt(?:ober|\.)?|окт\w*",
    r"nov(?:ember|\.)?|ноя\w*",
    r"dec(?:ember|\.)?|dez(?:ember|\.)?|дек\w*",
)
_NUMBER = re.compile(r"(?<!\w)[+-]?\d[\d.,:/ -]*\d|\d")
_WORD = re.compile(r"[^\W_]+")
_EDGE_WORDS = frozenset({"a", "an", "the", "is", "are", "to", "in", "at", "on", "of", "by", "am", "der", "die", "das"})


def date_pattern(day: date) -> str:
    """Return a pattern for a day, with or without its year, in words or numbers."""
    month = _MONTHS[day.month - 1]
    number, of_month = f"0?{day.day}", f"0?{day.month}"
    return (
        rf"(?<!\d)(?:{number}(?:st|nd|rd|th|\.)?\s*(?:of\s+)?(?:{month})(?!\w)"
        rf"|\b(?:{month})\s+{number}(?:st|nd|rd|th)?(?!\d)"
        rf"|{day:%Y}-{day:%m}-{day:%d}|{number}[./]{of_month}(?:[./](?:20)?{day:%y})?(?!\d))"
    )


def clock_pattern(clock: time) -> str:
    """Return a pattern for a time of day on either clock."""
    minutes = f"[:.]{clock:%M}" if clock.minute else "(?:[:.]00)?"
    half, twelve = ("p" if clock.hour >= 12 else "a"), clock.hour % 12 or 12
    on_24 = rf"(?<![\d:.]){'0?' if clock.hour < 10 else ''}{clock.hour}"
    plain = rf"{on_24}[:.]{clock:%M}(?!\d)" if clock.minute else rf"{on_24}(?:[:.]00(?!\d)|\s*(?:uhr|h\b|o['’]clock))"
    return rf"(?:{plain}|(?<![\d:.]){twelve}{minutes}\s*{half}\.?\s?m\b)"


def moment_pattern(day: date, clock: time | None) -> str:
    """Return a pattern for a day and, when there is one, its time, in either order and close together."""
    if clock is None:
        return date_pattern(day)
    first, second = date_pattern(day), clock_pattern(clock)
    return rf"(?:{first}.{{0,30}}?{second}|{second}.{{0,30}}?{first})"


def literal_pattern(words: str) -> str:
    """Return a pattern for words as they stand, whatever the spaces and the punctuation between them."""
    tokens = _WORD.findall(words)
    while len(tokens) > 1 and tokens[0].casefold() in _EDGE_WORDS:
        tokens = tokens[1:]
    return r"(?<!\w)" + r"[\W_]+".join(re.escape(token) for token in tokens) + r"(?!\w)" if tokens else ""


def number_patterns(words: str) -> list[str]:
    """Return a pattern for each number of at least two digits, digit for digit, separators free."""
    patterns = []
    for match in _NUMBER.finditer(words):
        digits = re.findall(r"\d", match.group())
        if len(digits) >= 2:
            patterns.append(r"(?<!\d)" + r"[\s.,:/-]?".join(digits) + r"(?!\d)")
    return patterns
