"""What the program tells the member about the ledger: one line a change, made from rows that were read back.

A receipt compares what was current about a subject before and after; what changed nothing gets no line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.catalogue import DAY, MOMENT, MOMENT_OF_YEAR, WEEKDAY_OF_YEAR, _, written
from memory.ledger.dates import day_and_clock
from memory.ledger.facts import Fact
from memory.store.preferences import Zones

_MAX_VALUE_CHARS = 120
_MOMENT_ALONE = re.compile(r"(?:\d{4}-\d\d-\d\d)?\s?(?:\d\d:\d\d)?")
"""The key of a value that says nothing but when."""


@dataclass(frozen=True)
class Receipt:
    """A change that was committed (or is, with the caller's transaction). `fact` is the row now, or the one that ended.

    `was` is what a changed one replaced; `undo` is the id of the change for the one who wants to take it back. Four
    kinds ask: what waits are somebody else's words (`suggested`), the member's about a subject that others brought up
    (`unsure`), or a second value said at the same time (`unclear`); a fact was entered that may have ended `was`
    (`twin`).
    """

    change: Literal["new", "changed", "ended", "suggested", "unsure", "unclear", "twin"]
    fact: Fact
    was: Fact | None
    undo: int | None = None

    @property
    def is_question(self) -> bool:
        """Whether nothing was changed yet, or not all: the member is asked."""
        return self.change in ("suggested", "unsure", "unclear", "twin")

    def line(self, zones: Zones, *, is_undone: bool = False) -> str:
        """Return the line as the member sees it, with the fact's id; `is_undone`: it came by taking a change back."""
        if self.is_question:
            return self._question(zones)
        match self.change:
            case "new":
                told = f"{self.fact.about} → {shown_value(self.fact, zones)}"
            case "changed":
                assert self.was is not None
                told = _("{about} → {value} (was {was})").format(
                    about=self.fact.about, value=shown_value(self.fact, zones), was=shown_value(self.was, zones)
                )
            case "ended":
                told = _("no longer: {about} (was {was})").format(
                    about=self.fact.about, was=shown_value(self.fact, zones)
                )
        told = _("undone: {told}").format(told=told) if is_undone else told
        return f"✎ {told} · {self.fact.ref}"

    def _question(self, zones: Zones) -> str:
        what = f"{self.fact.about}: {shown_value(self.fact, zones)} · {self.fact.ref}"
        held = f"{shown_value(self.was, zones)} · {self.was.ref}" if self.was else ""
        now = _(" (now: {held})").format(held=held) if held else ""
        match self.change:
            case "suggested":
                who = self.fact.by or _("Somebody else")
                return _("❔ {who} wrote, not stored as a fact: {what}").format(who=who, what=what) + now
            case "unsure":
                return (
                    _("❔ Not sure that you mean this to be so, not stored as a fact: {what}").format(what=what) + now
                )
            case "unclear":
                assert self.was is not None
                holds = shown_value(self.was, zones)
                return _(
                    "❔ You said two things at the same time. {what}, or {held}? Until you say, {holds} holds."
                ).format(what=what, held=held, holds=holds)
            case _:
                assert self.was is not None
                return _("❔ Stored: {what}. Does that end {about}: {held}?").format(
                    what=what, about=self.was.about, held=held
                )


def receipts(before: Mapping[str, Fact | None], after: Mapping[str, Fact | None]) -> list[Receipt]:
    """Return a receipt for each subject whose current value is another one than before."""
    found = (_receipt(before.get(key), now) for key, now in after.items())
    return [receipt for receipt in found if receipt is not None]


def shown_value(fact: Fact, zones: Zones) -> str:
    """Return a value for one line: a deadline as its date, without the year it was said in; others cut to 120."""
    zone = zones.zone_at(fact.since)
    day, clock = day_and_clock(fact.due, zone) if fact.due else (None, None)
    said = re.findall(r"\d\d:\d\d", fact.value_key)
    is_shifted = clock is not None and said and f"{clock:%H:%M}" not in said  # the clocks skip what was said
    if day is None or is_shifted or not _MOMENT_ALONE.fullmatch(fact.value_key):
        return fact.value if len(fact.value) <= _MAX_VALUE_CHARS else f"{fact.value[: _MAX_VALUE_CHARS - 1]}…"
    is_this_year = day.year == fact.since.astimezone(zone).year
    if clock is None:
        return written(day, WEEKDAY_OF_YEAR if is_this_year else DAY)
    return written(datetime.combine(day, clock), MOMENT_OF_YEAR if is_this_year else MOMENT)


def _receipt(before: Fact | None, now: Fact | None) -> Receipt | None:
    if now is None:
        return Receipt("ended", before, None) if before else None
    if before is None:
        return Receipt("new", now, None)
    return Receipt("changed", now, before) if before.value_key != now.value_key else None
