"""Excerpts: the stretch of a text that answers a question best, and where the question's words stand in it.

Pure. Words match as they do in search: by their terms, so inflected forms, accents and scripts without spaces count.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass

import regex

from memory.recall.terms import query, terms

EXCERPT_CHARS = 300
_BEFORE_MATCH = 60
"""So much of a long sentence is shown before its first match."""
_LONGEST_WORD = 40

_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}々〆ー]"
_RUN = regex.compile(rf"(?P<unspaced>{_UNSPACED}+)|(?:(?!{_UNSPACED})[\p{{L}}\p{{M}}\p{{N}}])+(?:['’]\p{{L}}+)*")
_SENTENCE = regex.compile(r"(?:[^.!?…。！？\n]|[.!?…](?!\s))+[.!?…。！？]*")
_WORD_GAP = regex.compile(r"\s+")

Span = tuple[int, int]


@dataclass(frozen=True)
class Excerpt:
    """A stretch of a text, an ellipsis where something was left out, and the spans of it that match."""

    text: str
    matches: tuple[Span, ...]
    is_whole: bool


@dataclass(frozen=True)
class Matched:
    """The words of a question, as they were asked, by whether a text holds them."""

    found: tuple[str, ...]
    missing: tuple[str, ...]


def excerpt(text: str, question: str, *, limit: int = EXCERPT_CHARS) -> Excerpt:
    """Return the part of a text around the sentence that holds most of the question's words."""
    text = "\n".join(line.strip() for line in text.strip().splitlines() if line.strip())
    asked = frozenset(query(question).terms)
    start, stop = _window(text, list(_matches(text, asked)), limit)
    head, tail = "…" if start else "", "…" if stop < len(text) else ""
    shown = f"{head}{text[start:stop]}{tail}"
    return Excerpt(shown, tuple(_matches(shown, asked)), is_whole=not head and not tail)


def matched(question: str, text: str) -> Matched:
    """Return which words of a question a text holds; those that say nothing are left out."""
    held, wanted = frozenset(terms(text)), frozenset(query(question).wanted)
    asked = (word.group() for word in _RUN.finditer(question) if set(terms(word.group())) & wanted)
    words = dict.fromkeys(asked)
    found = tuple(word for word in words if set(query(word).terms) & held)
    return Matched(found, tuple(word for word in words if word not in found))


def _matches(text: str, asked: Set[str]) -> Iterator[Span]:
    for run in _RUN.finditer(text):
        if run["unspaced"] is None:
            if asked & set(terms(run.group())):
                yield run.span()
        else:
            yield from _merged(_unspaced_matches(run.group(), run.start(), asked))


def _unspaced_matches(run: str, at: int, asked: Set[str]) -> Iterator[Span]:
    """Yield the pairs (and single characters, where one was asked) that match, in order."""
    for n in range(len(run)):
        if asked & set(terms(run[n : n + 1])):
            yield at + n, at + n + 1
        if len(run[n : n + 2]) == 2 and asked & {term for term in terms(run[n : n + 2]) if len(term) > 1}:
            yield at + n, at + n + 2


def _merged(spans: Iterator[Span]) -> Iterator[Span]:
    held: Span | None = None
    for start, stop in spans:
        if held is not None and start <= held[1]:
            held = (held[0], max(stop, held[1]))
            continue
        if held is not None:
            yield held
        held = (start, stop)
    if held is not None:
        yield held


def _window(text: str, matches: list[Span], limit: int) -> Span:
    if len(text) <= limit:
        return 0, len(text)
    sentences = [sentence.span() for sentence in _SENTENCE.finditer(text)]
    best = max(sentences, key=lambda span: _held(text, span, matches), default=(0, 0))
    inside = [match for match in matches if best[0] <= match[0] < best[1]]
    if best[1] - best[0] > limit and inside:
        starts = [max(best[0], match[0] - _BEFORE_MATCH) for match in inside]
        best = (max(starts, key=lambda at: _held(text, (at, at + limit), inside)), best[1])
    room = max(0, limit - (best[1] - best[0]))
    start = _gap_after(text, max(0, best[0] - room // 2), best[0])
    return start, _gap_before(text, min(len(text), start + limit))


def _held(text: str, span: Span, matches: list[Span]) -> int:
    return len({text[start:stop].casefold() for start, stop in matches if span[0] <= start < span[1]})


def _gap_after(text: str, at: int, latest: int) -> int:
    """Return the beginning of the first whole word from a place on."""
    gap = _WORD_GAP.search(text, at, min(latest, at + _LONGEST_WORD)) if at else None
    return int(gap.end()) if gap else at


def _gap_before(text: str, at: int) -> int:
    """Return the end of the last whole word before a place; the place itself where no word ends nearby."""
    gaps = [gap.start() for gap in _WORD_GAP.finditer(text, max(0, at - _LONGEST_WORD), at + 1)]
    return int(gaps[-1]) if gaps and at < len(text) else at
