"""The spellings of something forgotten, and the mask that takes their place in texts and in JSON.

`wide` spellings are unmistakable (the quote, the whole value, the fact's own patterns): they go wherever something was
derived from the source. `close` ones add the value's parts (a number, a name, a day) and go only right beside the
source. Masking twice changes nothing. Pure.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from memory.compaction.claims import claims, content_stems, sentences
from memory.compaction.wording import is_frame
from memory.ledger.facts import Fact
from memory.ledger.patterns import clock_pattern, date_pattern, literal_pattern, moment_pattern
from memory.recall.terms import is_small_talk
from memory.store.preferences import Zones

MASK = "⟦forgotten⟧"

PATTERN_TIMEOUT_S = 1.0
MIN_LITERAL_CHARS = 3
MIN_CLIPPED_CHARS = 4
MAX_WHOLE_CHARS = 2_000
ELLIPSIS = "…"
MIN_SENTENCE_WORDS = 3
MIN_MESSAGE_CHARS = 6
_REFERS = re.compile(r"\\[1-9gk]|\(\?(?!:|=|!|<=|<!)")
_ALIKE = 0.5
"""From this share of its longer words on, a sentence of a summary retells what was forgotten."""


@dataclass(frozen=True)
class Spellings:
    """What finds something in any text: patterns, and wholes of which a text may hold a part cut off by an ellipsis."""

    patterns: tuple[regex.Pattern[str], ...] = ()
    wholes: tuple[str, ...] = ()

    def mask(self, text: str) -> str:
        """Return the text with every spelling masked."""
        if not self._may_stand_in(text):
            return text
        for pattern in self.patterns:
            text = MASK.join(_substituted(pattern, piece) for piece in text.split(MASK))
        for whole in self.wholes if ELLIPSIS in text else ():
            text = MASK.join(_without_cut_parts(piece, whole) for piece in text.split(MASK))
        return text

    def _may_stand_in(self, text: str) -> bool:
        """Tell at the cost of one search, for nearly all texts, that there is nothing to mask."""
        if self._any is None or ELLIPSIS in text:
            return True
        try:
            return self._any.search(text, timeout=PATTERN_TIMEOUT_S) is not None
        except TimeoutError:
            return True

    @cached_property
    def _any(self) -> regex.Pattern[str] | None:
        """All patterns as one; None where that would mean something else (groups by name or number)."""
        sources = [pattern.pattern for pattern in self.patterns]
        if not sources or any(_REFERS.search(source) for source in sources):
            return None
        joined = _compiled(["|".join(f"(?:{source})" for source in sources)])
        return joined[0] if joined else None

    def mask_tree(self, value: Any) -> Any:
        """Return a JSON value with every spelling masked, keys included."""
        match value:
            case str():
                return self.mask(value)
            case list():
                return [self.mask_tree(item) for item in value]
            case dict():
                return {self.mask(key): self.mask_tree(item) for key, item in value.items()}
            case _:
                return value

    def mask_json(self, body: str) -> str:
        """Return a JSON document with every spelling masked; the same text when there is none."""
        before = json.loads(body)
        after = self.mask_tree(before)
        return body if after == before else json.dumps(after, ensure_ascii=False)


@dataclass(frozen=True)
class Wording:
    """All ways to recognise what is forgotten: far from its source and close to it, and retold in a summary."""

    wide: Spellings
    close: Spellings
    stems: frozenset[str] = frozenset()

    def strike(self, text: str) -> str:
        """Return a handoff's text without spellings and without the sentences that retell the source."""
        lines = self.close.mask(text).split("\n")
        return "\n".join(line if is_frame(line) else self._struck(line) for line in lines)

    def _struck(self, line: str) -> str:
        retold = [sentence for sentence in sentences(line) if self._retells(sentence)]
        for sentence in retold:
            line = line.replace(sentence, MASK)
        return line

    def _retells(self, sentence: str) -> bool:
        content = content_stems(sentence.replace(MASK, ""))
        return bool(content) and len(content & self.stems) / len(content) >= _ALIKE


def of_facts(facts: Iterable[Fact], quotes: Iterable[str], zones: Zones) -> Wording:
    """Return how facts and the quotes they rest on are recognised."""
    facts = list(facts)
    quotes = list(quotes)
    wide = [*(_sound_patterns(fact) for fact in facts), *(_moment(fact, zones) for fact in facts)]
    literals = [*quotes, *(fact.value for fact in facts if _is_telling(fact.value))]
    parts = [part for fact in facts for part in _parts(fact.value)]
    days = [pattern for fact in facts for pattern in _day_and_clock(fact, zones)]
    found = [pattern for group in wide for pattern in group]
    return _wording([*_longest_first(literals), *found], [*_longest_first(parts), *days], clipped=literals)


def of_texts(own: Sequence[str], others: Sequence[str], facts: Iterable[Fact], zones: Zones) -> Wording:
    """Return how whole messages (and the facts that go with them) are recognised.

    A member's `own` messages are recognised by every telling sentence, `others` (answers) as wholes only.
    """
    facts = list(facts)
    from_facts = of_facts(facts, [fact.quote for fact in facts], zones)
    telling = [one for text in own for one in [text, *sentences(text)] if _is_unmistakable(one)]
    telling += [text for text in others if _is_unmistakable(text)]
    parts = [claim.text for text in (*own, *others) for claim in claims(text) if _is_telling(claim.text)]
    wording = _wording(_longest_first(telling), _longest_first(parts), clipped=telling)
    return Wording(
        wide=_joined(wording.wide, from_facts.wide),
        close=_joined(wording.close, from_facts.close),
        stems=frozenset(stem for text in own for stem in content_stems(text)),
    )


def of_procedure(ref: str, parts: Sequence[str], zones: Zones) -> Wording:
    """Return how the parts of a procedure are recognised, and its id."""
    return with_ids(of_texts(parts, [], [], zones), [ref])


def with_ids(wording: Wording, refs: Iterable[str]) -> Wording:
    """Return how something is recognised by these ids too, where one stands alone (in calls and results)."""
    named = Spellings(_compiled(rf"\A{ref}\Z" for ref in refs))
    return Wording(_joined(wording.wide, named), _joined(wording.close, named), wording.stems)


def _wording(wide: Sequence[str], parts: Sequence[str], *, clipped: Iterable[str]) -> Wording:
    whole = _compiled(wide)
    wholes = tuple(" ".join(text.split())[:MAX_WHOLE_CHARS] for text in dict.fromkeys(clipped))
    return Wording(wide=Spellings(whole, wholes), close=Spellings((*whole, *_compiled(parts)), wholes))


def _joined(one: Spellings, other: Spellings) -> Spellings:
    return Spellings((*one.patterns, *other.patterns), (*one.wholes, *other.wholes))


def _sound_patterns(fact: Fact) -> list[str]:
    """Return the fact's own patterns that match no text without the value, and of one with it a stretch."""
    if not _is_telling(fact.value):
        return []
    return [p for p in fact.patterns if not _matches_anything(p, fact.question) and _has_place(p, fact.value)]


def _has_place(pattern: str, value: str) -> bool:
    """Tell whether a pattern says where the value stands: one that looks ahead for parts in any order masks nothing."""
    found = _compiled([pattern])[0].search(value, timeout=PATTERN_TIMEOUT_S)
    return found is None or bool(found.group())


def _matches_anything(pattern: str, question: str) -> bool:
    compiled = _compiled([pattern])
    try:
        return not compiled or any(
            compiled[0].search(text, timeout=PATTERN_TIMEOUT_S) for text in ("", "I do not know that.", question)
        )
    except TimeoutError:
        return True


def _moment(fact: Fact, zones: Zones) -> list[str]:
    if fact.due is None:
        return []
    local = fact.due.astimezone(zones.zone_at(fact.since))
    return [moment_pattern(local.date(), local.time())]


def _day_and_clock(fact: Fact, zones: Zones) -> list[str]:
    if fact.due is None:
        return []
    local = fact.due.astimezone(zones.zone_at(fact.since))
    return [date_pattern(local.date()), clock_pattern(local.time())]


def _parts(value: str) -> list[str]:
    """Return what a value is made of: itself, however short, and its numbers, days, names and addresses."""
    return [value, *(claim.text for claim in claims(value))]


def _is_unmistakable(text: str) -> bool:
    """Tell whether a message's words can be looked for elsewhere: not an "ok" or a "thanks"."""
    is_short = len(text.split()) < MIN_SENTENCE_WORDS
    return not is_small_talk(text) and (not is_short or sum(map(str.isalnum, text)) >= MIN_MESSAGE_CHARS)


def _is_telling(text: str) -> bool:
    return sum(char.isalnum() for char in text) >= MIN_LITERAL_CHARS


def _longest_first(texts: Iterable[str]) -> list[str]:
    """Return literal patterns, the longest first, so that no shorter one leaves a rest of it."""
    return [literal_pattern(text) for text in sorted(set(texts), key=len, reverse=True)]


def _without_cut_parts(text: str, whole: str) -> str:
    """Mask the beginnings of `whole` that end in an ellipsis, and its ends that begin with one."""
    pieces = text.split(ELLIPSIS)
    for n, piece in enumerate(pieces[:-1]):
        length = _common(piece.rstrip(), whole, at_end=True)
        pieces[n] = piece.rstrip()[:-length] + MASK if length else piece
    for n, piece in enumerate(pieces[1:], start=1):
        length = _common(piece.lstrip(), whole, at_end=False)
        pieces[n] = MASK + piece.lstrip()[length:] if length else piece
    return ELLIPSIS.join(pieces)


def _common(piece: str, whole: str, *, at_end: bool) -> int:
    """Return how much of a piece's end is a beginning of `whole` (or of its beginning an end of it)."""
    least = whole[:MIN_CLIPPED_CHARS] if at_end else whole[-MIN_CLIPPED_CHARS:]
    if least.casefold() not in piece.casefold():
        return 0
    for length in range(min(len(piece), len(whole)), MIN_CLIPPED_CHARS - 1, -1):
        part, other = (piece[-length:], whole[:length]) if at_end else (piece[:length], whole[-length:])
        if part.casefold() == other.casefold():
            return length
    return 0


def _compiled(patterns: Iterable[str]) -> tuple[regex.Pattern[str], ...]:
    compiled = []
    for pattern in dict.fromkeys(filter(None, patterns)):
        try:
            compiled.append(regex.compile(pattern, regex.IGNORECASE))
        except regex.error:
            continue
    return tuple(compiled)


def _substituted(pattern: regex.Pattern[str], text: str) -> str:
    try:
        return str(pattern.sub(MASK, text, timeout=PATTERN_TIMEOUT_S))
    except TimeoutError:
        return text
