"""Nearby: the stretches of talk around what matched, so that the words around a message help to find it.

Context is read when it is asked for and stored nowhere: a segment's neighbours are those next to it in the index and in
the same talk. How much they count is decided in `scoring.py`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple, Self

from memory.recall.items import Scope
from memory.store.database import Database, to_utc_text

TALK_GAP = timedelta(hours=1)
"""A longer silence ends a talk: what was said before it is no context of what comes after."""

REACH = 4
"""How many segments to each side of a hit are read."""

_READ = (
    "SELECT span.key AS span, m.session_id, m.at, m.role, t.segment_id, t.body, t.speaker, t.date"
    " FROM json_each(?) span JOIN segment_terms t"
    " ON t.segment_id BETWEEN json_extract(span.value, '$[0]') AND json_extract(span.value, '$[1]')"
    " JOIN segments s ON s.id = t.segment_id JOIN messages m ON m.id = s.message_id"
    " ORDER BY span.key, m.session_id, coalesce(m.replaces, m.id), s.ordinal"
)


class Placed(NamedTuple):
    """A segment at its place in a talk, with the terms of its words, of who spoke, and of who and when."""

    id: int
    body: str
    """Its terms, a space before and after each: few of them are ever looked for, so they are not taken apart."""
    size: int
    """How many terms it has."""
    speaker: frozenset[str]
    when_and_who: frozenset[str]
    is_wanted: bool
    """Whether it lies within the scope; what does not is context only."""

    @classmethod
    def of(cls, segment_id: int, body: str, speaker: str, date: str, *, is_wanted: bool = True) -> Self:
        """Make one of terms as the index holds them."""
        return cls(segment_id, f" {body} ", body.count(" ") + 1 if body else 0, *_marks(speaker, date), is_wanted)

    @property
    def terms(self) -> list[str]:
        return self.body.split()


Stretch = Sequence[Placed]
"""What was said one after the other, without a silence that ends a talk."""


async def stretches(database: Database, hits: Iterable[int], scope: Scope) -> list[Stretch]:
    """Return the stretches of talk around these segments."""
    rows = await database.fetch_all(_READ, (json.dumps(list(_spans(hits))),))
    since = to_utc_text(scope.since) if scope.since else ""
    until = to_utc_text(scope.until) if scope.until else "9999"
    found: list[list[Placed]] = []
    last: tuple[int, int | None, str] | None = None
    for span, session_id, at, role, *placed in rows:
        here = (span, session_id, at)
        if last is None or _is_apart(last, here):
            found.append([])
        found[-1].append(Placed.of(*placed, is_wanted=since <= at < until and scope.role in {None, role}))
        last = here
    return list(found)


@lru_cache(maxsize=4096)
def _marks(speaker: str, date: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of a speaker, and these with those of a date."""
    names = frozenset(speaker.split())
    return names, names.union(date.split())


def _spans(hits: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of ids around the hits; ranges that meet are one."""
    ordered = sorted(hits)
    for n, hit in enumerate(ordered):
        if n == 0 or hit - ordered[n - 1] > 2 * REACH + 1:
            first = hit
        if n + 1 == len(ordered) or ordered[n + 1] - hit > 2 * REACH + 1:
            yield first - REACH, hit + REACH


def _is_apart(before: tuple[int, int | None, str], after: tuple[int, int | None, str]) -> bool:
    """Tell whether a talk ended between two places (span, session, time), or what lies between them was not read."""
    if before[:2] != after[:2]:
        return True
    if before[2][:13] == after[2][:13]:  # within the same hour
        return False
    return abs(datetime.fromisoformat(after[2]) - datetime.fromisoformat(before[2])) > TALK_GAP
