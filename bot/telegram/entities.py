"""Telegram's message entities as plain values, and the rules by which they may overlap.

An `Entity` is the JSON the Bot API takes: `type`, and `offset` and `length` in UTF-16 units. The server drops without
a word what breaks its nesting rules, so `tidy` makes lists that keep them. Knows no Markdown and no splitting.
"""

import heapq
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

Entity = dict[str, Any]

_STYLES = ("bold", "italic", "underline", "strikethrough", "spoiler")
_QUOTES = ("blockquote", "expandable_blockquote")
_CODE = ("pre", "code")
_RANK = {kind: rank for rank, kind in enumerate((*_QUOTES, "text_link", *_STYLES, *_CODE))}

_INVISIBLE_CATEGORIES = {"Zs", "Zl", "Zp", "Cc", "Cf"}
_INVISIBLE_LETTERS = set("\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0\ufe0e\ufe0f")


def is_blank(text: str) -> bool:
    """Whether Telegram would refuse the text as empty: nothing but space and invisible characters."""
    return all(unicodedata.category(char) in _INVISIBLE_CATEGORIES or char in _INVISIBLE_LETTERS for char in text)


def is_linkable(url: str) -> bool:
    """Whether a text may carry this address: http or https with a full host name. A bad one costs the message."""
    if any(char.isspace() or ord(char) < 32 for char in url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and "." in host.strip(".")


def end_of(entity: Entity) -> int:
    return int(entity["offset"] + entity["length"])


def tidy(entities: Iterable[Entity]) -> list[Entity]:
    """Return the entities sorted and nested as Telegram allows; what is no use to it is left out.

    Code carries no style and no link, links hold no links, quotes hold no quotes, nothing crosses. Code gives way to a
    link around it; a style around code is cut in two.
    """
    known = sorted((e for e in entities if _is_usable(e)), key=_by_place)
    links = _disjoint(e for e in known if e["type"] == "text_link")
    code = _disjoint((e for e in known if e["type"] in _CODE), taken=links)
    quotes = _disjoint(e for e in known if e["type"] in _QUOTES)
    starts = [entity["offset"] for entity in code]
    styles = [cut for kind in _STYLES for run in _merged(known, kind) for cut in _without(run, code, starts)]
    return _nested([*quotes, *links, *styles, *code])


def clipped(entities: Iterable[Entity], start: int, end: int) -> list[Entity]:
    """Return the parts of the entities inside [start, end), measured from `start`."""
    parts = []
    for entity in entities:
        first, last = max(entity["offset"], start), min(end_of(entity), end)
        if first < last:
            parts.append(entity | {"offset": first - start, "length": last - first})
    return parts


def _is_usable(entity: Entity) -> bool:
    if entity["length"] <= 0 or entity["type"] not in _RANK:
        return False
    return entity["type"] != "text_link" or is_linkable(entity["url"])


def _by_place(entity: Entity) -> tuple[int, int, int]:
    return entity["offset"], -entity["length"], _RANK[entity["type"]]


def _disjoint(entities: Iterable[Entity], *, taken: Sequence[Entity] = ()) -> list[Entity]:
    """Return the entities that share no unit with an earlier one, nor with any of `taken` (sorted, disjoint)."""
    starts = [entity["offset"] for entity in taken]
    kept: list[Entity] = []
    for entity in entities:
        before = bisect_right(starts, end_of(entity) - 1) - 1
        is_free = before < 0 or end_of(taken[before]) <= entity["offset"]
        if is_free and (not kept or end_of(kept[-1]) <= entity["offset"]):
            kept.append(entity)
    return kept


def _merged(entities: Iterable[Entity], kind: str) -> list[Entity]:
    """Return the runs of one style: overlapping ones become one."""
    runs: list[Entity] = []
    for entity in entities:
        if entity["type"] != kind:
            continue
        if runs and entity["offset"] < end_of(runs[-1]):
            runs[-1]["length"] = max(end_of(runs[-1]), end_of(entity)) - runs[-1]["offset"]
        else:
            runs.append(dict(entity))
    return runs


def _without(run: Entity, code: Sequence[Entity], starts: Sequence[int]) -> list[Entity]:
    """Return what is left of a run when the code (sorted, disjoint, by its starts) inside it is taken out."""
    rest, position = [], run["offset"]
    first, last = bisect_right(starts, position), bisect_left(starts, end_of(run))
    for hole in code[max(0, first - 1) : last]:
        if hole["offset"] > position:
            rest.append(run | {"offset": position, "length": hole["offset"] - position})
        position = max(position, end_of(hole))
    if position < end_of(run):
        rest.append(run | {"offset": position, "length": end_of(run) - position})
    return rest


def _nested(entities: Iterable[Entity]) -> list[Entity]:
    """Return the entities sorted, one that crosses the end of another cut in two there."""
    waiting = [(*_by_place(entity), number, entity) for number, entity in enumerate(entities)]
    heapq.heapify(waiting)
    open_ends: list[int] = []
    nested: list[Entity] = []
    while waiting:
        *_, number, entity = heapq.heappop(waiting)
        while open_ends and open_ends[-1] <= entity["offset"]:
            open_ends.pop()
        if open_ends and end_of(entity) > open_ends[-1]:
            rest = entity | {"offset": open_ends[-1], "length": end_of(entity) - open_ends[-1]}
            heapq.heappush(waiting, (*_by_place(rest), number, rest))
            entity = entity | {"length": open_ends[-1] - entity["offset"]}
        open_ends.append(end_of(entity))
        nested.append(entity)
    return sorted(nested, key=_by_place)
