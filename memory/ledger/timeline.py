"""The history of one subject, arranged by the time of what was said, never by the order in which it was learned.

Pure. Statements of one subject and the retractions about it go in; runs come out: stretches in which one value held,
each with how it ended. Two statements belong to one run when they say the same value and nothing lies between them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Key = tuple[datetime, float, int]
Word = tuple[datetime, float]
"""When something was said, and in which message."""


@dataclass(frozen=True)
class Stated:
    """One statement: of which fact, when, in which message. `is_main`: it is the one the fact's row quotes."""

    fact_id: int
    since: datetime
    message_id: int | None
    quote: str
    by: str | None
    value_key: str
    is_main: bool

    @property
    def key(self) -> Key:
        return (self.since, self.message_id or 0, self.fact_id)


@dataclass(frozen=True)
class Ending:
    """A retraction. In one message it comes before what is said anew; without a message it comes last."""

    at: datetime
    message_id: int | None

    @property
    def key(self) -> Key:
        return (self.at, float("inf") if self.message_id is None else self.message_id, -1)


@dataclass(frozen=True)
class Run:
    """A stretch of one value. `owner` is the fact whose row stands for it, None when it needs a new one."""

    stated: tuple[Stated, ...]
    status: Literal["active", "superseded", "retracted"]
    until: datetime | None

    @property
    def first(self) -> Stated:
        return self.stated[0]

    @property
    def owner(self) -> int | None:
        return next((one.fact_id for one in self.stated if one.is_main), None)


def arrange(stated: Iterable[Stated], endings: Iterable[Ending]) -> list[Run]:
    """Return the runs, oldest first; each lasts until the next begins or a retraction, and at most one is active."""
    ends = sorted(endings, key=lambda ending: ending.key)
    groups: list[list[Stated]] = []
    for one in sorted(stated, key=lambda one: one.key):
        if groups and _continues(groups[-1], one, ends):
            groups[-1].append(one)
        else:
            groups.append([one])
    return [_run(group, groups[n][0] if n < len(groups) else None, ends) for n, group in enumerate(groups, start=1)]


def _continues(group: Sequence[Stated], one: Stated, ends: Sequence[Ending]) -> bool:
    if group[-1].value_key != one.value_key or ending_between(group[-1].key, one.key, ends):
        return False
    # Two rows of their own are never merged: ids that a person has seen keep their meaning.
    return not (one.is_main and any(other.is_main for other in group))


def _run(group: Sequence[Stated], following: Stated | None, ends: Sequence[Ending]) -> Run:
    ending = ending_between(group[-1].key, following.key if following else None, ends)
    if ending:
        return Run(tuple(group), "retracted", ending.at)
    if following:
        return Run(tuple(group), "superseded", following.since)
    return Run(tuple(group), "active", None)


def newest_word(stated: Iterable[Stated], endings: Iterable[Ending]) -> Word | None:
    """Return when and in which message a subject was spoken of last; what was ended by hand comes last."""
    said = [*(one.key for one in stated), *(end.key for end in endings)]
    return max(said)[:2] if said else None


def ending_between(after: Key, before: Key | None, ends: Sequence[Ending]) -> Ending | None:
    """Return the first retraction after a key and before another; None: there is none."""
    return next((end for end in ends if end.key > after and (before is None or end.key < before)), None)
