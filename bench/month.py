"""The scripted month: what one person wrote in 120 messages, and the ledger that a careful human would keep of it.

`data/month.jsonl` holds a message a line: when (local time), what it `is` (fact, correction, retraction, ambiguous,
again, asking, nothing) and what it `holds`. Each change names its subject, patterns for what it may be called (`about`)
and what its value must show, or the moment it is `due`; `plain` marks what plain rules can read. Nothing here knows how
a ledger is made: `Line` is one entry of any.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from importlib.resources import files
from typing import Any, Literal
from zoneinfo import ZoneInfo

from bench.house import ZONE
from memory.ledger.dates import day_and_clock, find_dates

What = Literal["fact", "correction", "retraction", "ambiguous", "again", "asking", "nothing"]
Op = Literal["add", "replace", "retract"]

_ZONE = ZoneInfo(ZONE)
_WORDING = re.compile(r'\("[^"]*"\)')


@dataclass(frozen=True)
class Line:
    """An entry of a ledger. `key` stays the same while the value changes."""

    key: str
    kind: str
    subject: str
    value: str
    since: datetime
    due: datetime | None = None

    def moment(self) -> tuple[date, time | None] | None:
        """Return the day, and the time if there is one, that the entry means."""
        if self.due is not None:
            return day_and_clock(self.due, _ZONE)
        return next(iter(self.moments()), None)

    def moments(self) -> list[tuple[date, time | None]]:
        """Return every moment that the entry's words name, read as on the day they were said."""
        mentions = find_dates(_WORDING.sub("", self.value), self.since, _ZONE)
        return [(one.day, one.clock) for one in mentions if one.day is not None]


@dataclass(frozen=True)
class Kept:
    """What a careful human holds about one subject."""

    subject: str
    about: re.Pattern[str]
    kinds: tuple[str, ...]
    said: str
    """The value in the words of the message."""
    value: tuple[re.Pattern[str], ...]
    due: datetime | None
    has_clock: bool
    is_plain: bool

    def is_about(self, line: Line) -> bool:
        return self.about.search(f"{line.subject} {line.value}") is not None

    def is_said_by(self, line: Line) -> bool:
        """Tell whether an entry shows this value."""
        if self.due is None:
            return all(part.search(f"{line.subject} {line.value}") for part in self.value)
        wanted = (self.due.date(), self.due.time() if self.has_clock else None)
        return line.moment() == wanted if line.due is not None else wanted in line.moments()

    def is_right(self, line: Line) -> bool:
        """Tell whether an entry is this one."""
        return line.kind in self.kinds and self.is_about(line) and self.is_said_by(line)


@dataclass(frozen=True)
class Change:
    """A change of the ledger; for one that retracts, `kept` is what held until then."""

    op: Op
    kept: Kept
    is_plain: bool


@dataclass(frozen=True)
class Said:
    """One message. Of an ambiguous one, an entry matching `about` says too much if it has what `certain` names."""

    at: datetime
    text: str
    what: What
    changes: tuple[Change, ...]
    about: re.Pattern[str] | None
    certain: Literal["any", "due", "clock"]

    def is_too_certain(self, line: Line) -> bool:
        """Tell whether an entry made of this ambiguous message decides what its words leave open."""
        moment = line.moment()
        match self.certain:
            case "any":
                return True
            case "due":
                return moment is not None
            case "clock":
                return moment is not None and moment[1] is not None


def month() -> list[Said]:
    """Return the messages, in order."""
    kept: dict[str, Kept] = {}
    lines = files("bench").joinpath("data", "month.jsonl").read_text(encoding="utf-8").splitlines()
    return [_said(json.loads(line), kept) for line in lines]


def _said(row: dict[str, Any], kept: dict[str, Kept]) -> Said:
    return Said(
        datetime.fromisoformat(row["at"]).replace(tzinfo=_ZONE),
        row["text"],
        row["is"],
        tuple(_change(held, kept) for held in row.get("holds", [])),
        _pattern(row["about"]) if "about" in row else None,
        row.get("certain", "any"),
    )


def _change(held: dict[str, Any], kept: dict[str, Kept]) -> Change:
    op: Op = held.get("op", "add")
    before = kept.get(held["subject"])
    if op != "retract":
        due = held.get("due")
        kept[held["subject"]] = Kept(
            held["subject"],
            before.about if before else _pattern(held["about"]),
            before.kinds if before else tuple(held["kind"].split("|")),
            held["said"],
            tuple(_pattern(part) for part in held.get("value", [])),
            datetime.fromisoformat(due).replace(tzinfo=_ZONE) if due else None,
            due is not None and "T" in due,
            held["plain"],
        )
    return Change(op, kept[held["subject"]], held["plain"])


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


@dataclass(frozen=True)
class Entered:
    """An entry that a message led to, and what a careful human thinks of it."""

    said: Said
    line: Line
    verdict: Literal["right", "twice", "undecided", "wrong", "from nothing"]


class Careful:
    """The careful human: keeps their own ledger beside another and marks what that one does."""

    def __init__(self) -> None:
        self._holds: dict[str, Kept] = {}
        self._former: list[Kept] = []
        self._subjects: dict[str, str] = {}
        """Of each key of the other ledger that was ever right: the subject it stands for."""
        self.entered: list[Entered] = []
        self.done: list[tuple[Said, Change]] = []
        self.missed: list[tuple[Said, Change]] = []
        self.wrong_current: dict[tuple[str, bool], Said] = {}
        """Subject, and whether all that was said of it is plain; the message after which it first stood wrong."""
        self._not_plain: set[str] = set()

    def stale(self, lines: Sequence[Line]) -> list[Line]:
        """Return the entries that show a value which no longer holds, and not the one that does."""
        return [line for line in lines if any(self._is_stale(line, kept) for kept in self._former)]

    def mark(self, said: Said, before: Sequence[Line], after: Sequence[Line], entered: Sequence[Line]) -> None:
        """Mark what became of a message: the entries before and after it, and those it led to."""
        for change in said.changes:
            self._take(change)
        for line in entered:
            self.entered.append(Entered(said, line, self._verdict(said, line, after)))
        for change in said.changes:
            (self.done if self._is_done(change, before, after) else self.missed).append((said, change))
        for subject in self._wrong_subjects(after):
            self.wrong_current.setdefault((subject, subject not in self._not_plain), said)

    def _take(self, change: Change) -> None:
        subject = change.kept.subject
        if not change.is_plain:
            self._not_plain.add(subject)
        if subject in self._holds:
            self._former.append(self._holds.pop(subject))
        if change.op != "retract":
            self._holds[subject] = change.kept

    def _verdict(
        self, said: Said, line: Line, after: Sequence[Line]
    ) -> Literal["right", "twice", "undecided", "wrong", "from nothing"]:
        if said.what in ("nothing", "asking"):
            return "from nothing"
        if said.what == "ambiguous":
            is_meant = said.about is not None and said.about.search(f"{line.subject} {line.value}")
            return "undecided" if is_meant and not said.is_too_certain(line) else "wrong"
        meant = [*(change.kept for change in said.changes if change.op != "retract"), *self._holds.values()]
        subject = next((kept.subject for kept in meant if kept.is_right(line)), None)
        if subject is None:
            return "wrong"
        self._subjects.setdefault(line.key, subject)
        others = [one for one in after if one.key != line.key and self._holds[subject].is_right(one)]
        return "twice" if any(one.since < line.since for one in others) else "right"

    def _is_done(self, change: Change, before: Sequence[Line], after: Sequence[Line]) -> bool:
        if change.op == "retract":
            return any(change.kept.is_right(line) for line in before) and not self._shown(change.kept, after)
        stale = [line for line in self.stale(after) if change.kept.is_about(line)]
        return any(change.kept.is_right(line) for line in after) and not stale

    def _wrong_subjects(self, lines: Sequence[Line]) -> list[str]:
        bound = {self._subjects[line.key]: line for line in lines if line.key in self._subjects}
        wrong = [
            subject
            for subject, line in bound.items()
            if subject not in self._holds or not self._holds[subject].is_said_by(line)
        ]
        return [*wrong, *(kept.subject for kept in self._former for line in lines if self._is_stale(line, kept))]

    def _is_stale(self, line: Line, former: Kept) -> bool:
        now = self._holds.get(former.subject)
        return self._shown(former, [line]) and (now is None or not now.is_said_by(line))

    def _shown(self, kept: Kept, lines: Sequence[Line]) -> bool:
        return any(kept.is_about(line) and kept.is_said_by(line) for line in lines)
