"""Packing: from a ranked list to the lines of a prompt, within its tokens, with a reason for whatever stays out.

Greedy in the order of rank, skipping what does not fit. A text that would take too much of the budget enters as those
of its lines that hold most of what the query asks for, each exactly as written. Pure.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

import regex

from memory.messages import estimate_tokens
from memory.recall.items import Excluded, Item, Packed, Reason

FLOOR = 0.32
"""The least share of the query's idf mass that one text must hold. One word in three passes, one in four does not; what
only stands around a text counts for less, and meaning adds or takes (`fuse.py`). Below it nothing is injected.
(Calibrated by `bench retrieval`.)
"""

ALONG = 0.05
"""What a text must hold to come along with one that passes the floor: an answer may use few of the question's words."""

_LARGEST_PART = 3
"""A text may take this part of the budget (a third); what is longer enters in excerpts."""

_SKIPPED = " … "
_LINE = regex.compile(r"[^\n]*\n|[^\n]+")
_SENTENCE = regex.compile(r"(?:[^.!?…。！？]|[.!?…](?!\s))*(?:[.!?…]+\s*|[。！？]|$)")

Weigh = Callable[[str], float]
"""How much of what the query asks for stands in a text."""


@dataclass
class Packer:
    """Decides item by item. `in_window` are messages that stand in the prompt anyway."""

    budget_tokens: int
    zone: ZoneInfo
    weigh: Weigh
    in_window: frozenset[int] = frozenset()
    _latest: dict[str | None, Item] = field(default_factory=dict)
    _lines: list[str] = field(default_factory=list)
    _items: list[Item] = field(default_factory=list)
    _excluded: list[Excluded] = field(default_factory=list)
    _spent: int = 0
    _floor: float = FLOOR

    def pack(self, items: Sequence[Item]) -> Packed:
        if any(item.share >= FLOOR for item in items):
            self._floor = ALONG
        reaching = [item for item in items if item.share >= self._floor]
        self._latest = {item.sha256: item for item in sorted(reaching, key=lambda item: (item.at, item.message or 0))}
        for item in items:
            reason = self._refused(item) or self._add(item)
            if reason:
                self._excluded.append(Excluded(item.id, reason))
        return Packed("\n".join(self._lines), self._items, self._excluded)

    def _refused(self, item: Item) -> Reason | None:
        if item.share < self._floor:
            return "floor"
        if item.message in self.in_window:
            return "window"
        is_older = item.sha256 is not None and item.id != self._latest[item.sha256].id
        return "duplicate" if is_older else None

    def _add(self, item: Item) -> Reason | None:
        left = self.budget_tokens - self._spent
        line = self._line(item, item.text)
        allowed = self.budget_tokens // _LARGEST_PART
        if estimate_tokens(line) > max(allowed, 1):
            head = estimate_tokens(self._line(item, ""))
            excerpt = excerpt_of(item.text, tokens=min(allowed, left) - head - 1, weigh=self.weigh)
            if not excerpt:
                return "budget"
            item = replace(item, text=excerpt)
            line = self._line(item, excerpt)
        tokens = estimate_tokens(line + "\n")
        if tokens > left:
            return "budget"
        self._spent += tokens
        self._lines.append(line)
        self._items.append(replace(item, tokens=tokens))
        return None

    def _line(self, item: Item, text: str) -> str:
        return f"[{heading(item, self.zone)}] {text}"


def heading(item: Item, zone: ZoneInfo) -> str:
    """Return what stands before the words: `s12 · Tue 2 Mar 2027 · you`."""
    day = item.at.astimezone(zone)
    parts = [item.id, f"{day:%a} {day.day} {day:%b %Y}", item.speaker]
    return " · ".join([*parts, "changed since"] if item.is_outdated else parts)


def excerpt_of(text: str, *, tokens: int, weigh: Weigh) -> str:
    """Return the lines (or sentences, of a text without lines) that weigh most and fit, in their order."""
    pieces = list(_pieces(text, tokens))
    weights = [weigh(piece) for piece in pieces]
    chosen: list[int] = []
    for i in sorted(range(len(pieces)), key=lambda i: -weights[i]):
        if weights[i] <= 0:
            break
        if estimate_tokens(_joined(pieces, sorted([*chosen, i]))) <= tokens:
            chosen = sorted([*chosen, i])
    return _joined(pieces, chosen)


def _pieces(text: str, tokens: int) -> Iterator[str]:
    for line in _LINE.findall(text):
        if estimate_tokens(line) <= tokens:
            yield line
        else:
            yield from (sentence for sentence in _SENTENCE.findall(line) if sentence)


def _joined(pieces: list[str], chosen: list[int]) -> str:
    """Join neighbours as they stood, others with a sign that something was skipped."""
    joined = ""
    for before, i in zip([None, *chosen], chosen, strict=False):
        follows = before is None or i == before + 1
        joined = joined + pieces[i] if follows else joined.rstrip() + _SKIPPED + pieces[i]
    return joined.strip()
