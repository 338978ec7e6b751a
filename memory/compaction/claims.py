"""What a text claims that can be checked by code: numbers, dates, names and addresses.

Used twice: a summary may claim nothing that its window does not hold, and what a window held must be found again by
recall. Pure; it judges wording, never truth.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory.recall.stopwords import STOPWORDS
from memory.recall.terms import fold

Kind = Literal["address", "number", "date", "name"]

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"'“”«»]*[^\s<>\"'“”«»().,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"(?<![\w.,])[+-]?\d+(?:[.,:/\- ]\d+)*(?!\w)|\d+")
_MONTH = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|"
    r"sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|январ\w|феврал\w|марта?|апрел\w|ма[йя]|июн\w|"
    r"июл\w|августа?|сентябр\w|октябр\w|ноябр\w|декабр\w"
)
_DATE = re.compile(
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?:{_MONTH})\b(?:,?\s+\d{{4}})?"
    rf"|\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_CAPITALISED = re.compile(r"[^\W\d_](?:[^\W_]|[-'’](?=[^\W_]))*")
_NOT_NAMES = frozenset({"i", "i'm", "i'll", "i've", "i'd", "the", "member", "assistant", "ok", "open"})
_NOUNS_ARE_CAPITALISED = 0.3
"""From this share of capitals inside sentences on (German), a capital tells no name."""

_WORD = re.compile(r"[^\W\d_]{5,}")
_STEM_CHARS = 5
_REPORTING_WORDS = """member assistant asked answered discussed talked mentioned wanted decided agreed planned about
which their there where while after before later other topics conversation during between covered shared explained
mitglied assistent fragte besprach erwähnte участник помощник спросил обсудил рассказал"""
_REPORTING = frozenset(word[:_STEM_CHARS] for word in _REPORTING_WORDS.split())
_SHORT_WORD = re.compile(r"[^\W\d_]{3,}")
_ENOUGH_STEMS = 3
"""With fewer longer words than these, a sentence is judged by its short ones too: an invention may have no other."""
_MIN_SUPPORT = 0.5
_DONE = re.compile(
    r"\b(set|saved|sent|created|deleted|booked|scheduled|stored|cancelled|ordered|paid|updated)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Claim:
    """A value in a text: where it stands there and what it is compared by."""

    kind: Kind
    text: str
    start: int
    stop: int


def claims(text: str) -> list[Claim]:
    """Return the addresses, dates, numbers and names of a text, in order, none inside another."""
    found: list[Claim] = []
    kinds: tuple[tuple[Kind, Iterator[tuple[int, int]]], ...] = (
        ("address", _spans(_ADDRESS, text)),
        ("date", _spans(_DATE, text)),
        ("number", _spans(_NUMBER, text)),
        ("name", _names(text)),
    )
    taken = [False] * len(text)
    for kind, spans in kinds:
        for start, stop in spans:
            if not any(taken[start:stop]):
                taken[start:stop] = [True] * (stop - start)
                found.append(Claim(kind, text[start:stop], start, stop))
    return sorted(found, key=lambda claim: claim.start)


class Source:
    """A text that claims are compared with."""

    def __init__(self, text: str) -> None:
        self._text = unicodedata.normalize("NFC", text).casefold()
        self._numbers = _numbers(text)
        self._words = _folded_words(text)
        self._stems = _stems(text)
        self._short = _telling_words(text)

    def holds(self, claim: Claim) -> bool:
        """Tell whether the text holds a claimed value, however it is spelled here."""
        if claim.kind == "address":
            return claim.text.casefold().rstrip("/") in self._text
        if claim.kind == "number":
            return _digits(claim.text) in self._numbers
        if claim.kind == "date":
            days = re.findall(r"\d+", claim.text)
            return all(_digits(number) in self._numbers for number in days) and _month(claim.text) in self._text
        return claim.text.casefold() in self._words

    def bears_out(self, sentence: str) -> bool:
        """Tell whether at least half of the words of a sentence that tell something stand in the text."""
        content, held = content_stems(sentence), self._stems
        if len(content) < _ENOUGH_STEMS:
            content, held = _telling_words(sentence), self._short
        return not content or len(content & held) / len(content) >= _MIN_SUPPORT


def unsupported(summary: str, source: Source, *, said_by_model: str) -> list[str]:
    """Return what a summary claims and its source does not hold; empty means that code found nothing against it.

    Values one by one, sentences by their longer words, and finished actions by whether the assistant itself said so
    (`said_by_model`): a member's wish is no deed.
    """
    against = [claim.text for claim in claims(summary) if not source.holds(claim)]
    against += [sentence for sentence in sentences(summary) if not source.bears_out(sentence)]
    spoken = {word.casefold() for word in _DONE.findall(said_by_model)}
    return against + [word for word in _DONE.findall(summary) if word.casefold() not in spoken]


def sentences(text: str) -> list[str]:
    """Return the sentences (or lines) of a text."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        yield match.span()


def _names(text: str) -> Iterator[tuple[int, int]]:
    """Find capitalised words inside sentences; none where every noun has a capital."""
    inside = [match for match in _CAPITALISED.finditer(text) if not _opens_sentence(text, match.start())]
    capitals = [match for match in inside if match.group()[0].isupper()]
    if not inside or (len(inside) >= 12 and len(capitals) / len(inside) > _NOUNS_ARE_CAPITALISED):
        return
    for match in capitals:
        word = re.sub(r"['’]s$", "", match.group())
        if len(word) > 1 and word.casefold().replace("’", "'") not in _NOT_NAMES:
            yield match.start(), match.start() + len(word)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“”„«»(*_-•")
    return not before or before[-1] in ".!?…:\n"


def _numbers(text: str) -> set[str]:
    """Return the digits of each number, of the whole (`17:30` is 1730) and of its parts."""
    found: set[str] = set()
    for match in _NUMBER.finditer(text):
        found.add(_digits(match.group()))
        found.update(_digits(part) for part in re.findall(r"\d+", match.group()))
    return found


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0") or "0"


def _month(date: str) -> str:
    match = re.search(r"[^\W\d_]{3,}$|[^\W\d_]{3,}(?=\W)", re.sub(r"\b(?:of|st|nd|rd|th)\b", "", date))
    return match.group()[:3].casefold() if match else date.casefold()


def _folded_words(text: str) -> set[str]:
    words = (re.sub(r"['’]s$", "", match.group()) for match in _CAPITALISED.finditer(text))
    return {word.casefold() for word in words}


def content_stems(text: str) -> set[str]:
    """Return the beginnings of the longer words of a text, without the words that any report uses."""
    return _stems(text) - _REPORTING


def _telling_words(text: str) -> set[str]:
    """Return the beginnings of the words of three letters or more that say something."""
    words = set(_SHORT_WORD.findall(fold(text))) - STOPWORDS
    return {word[:_STEM_CHARS] for word in words} - _REPORTING


def _stems(text: str) -> set[str]:
    folded = unicodedata.normalize("NFC", text).casefold()
    return {word[:_STEM_CHARS] for word in _WORD.findall(folded)}
