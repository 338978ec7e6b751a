"""What the program tells the member about the ledger: one line a change, made from rows that were read back.

A receipt compares what was current about a subject before and after; what changed nothing gets no line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from typing import Literal
from zoneinfo import ZoneInfo

from memory.ledger.dates import format_when
from memory.ledger.facts import Fact

_MAX_VALUE_CHARS = 120
_END_OF_DAY = time(23, 59, 59)


@dataclass(frozen=True)
class Receipt:
    """A change that was committed (or is, with the caller's transaction). `fact` is the row now, or the one that ended.

    `was` is what a changed one replaced.
    """

    change: Literal["new", "changed", "ended"]
    fact: Fact
    was: Fact | None

    def line(self, zone: ZoneInfo) -> str:
        """Return the line as the member sees it, with the fact's id."""
        match self.change:
            case "new":
                told = f"{self.fact.subject} → {shown_value(self.fact, zone)}"
            case "changed":
                assert self.was is not None
                told = f"{self.fact.subject} → {shown_value(self.fact, zone)} (was {shown_value(self.was, zone)})"
            case "ended":
                told = f"no longer: {self.fact.subject} (was {shown_value(self.fact, zone)})"
        return f"✎ {told} · {self.fact.ref}"


def receipts(before: Mapping[str, Fact | None], after: Mapping[str, Fact | None]) -> list[Receipt]:
    """Return a receipt for each subject whose current value is another one than before."""
    found = (_receipt(before.get(key), now) for key, now in after.items())
    return [receipt for receipt in found if receipt is not None]


def shown_value(fact: Fact, zone: ZoneInfo) -> str:
    """Return a value for one line: a deadline as its date, without the year it was said in; others cut to 120."""
    if fact.due is None or re.search(r"[^\W\d]", fact.value_key):
        return fact.value if len(fact.value) <= _MAX_VALUE_CHARS else f"{fact.value[: _MAX_VALUE_CHARS - 1]}…"
    due = fact.due.astimezone(zone)
    shown = format_when(due.date(), None if due.time() == _END_OF_DAY else due.time())
    is_this_year = due.year == fact.since.astimezone(zone).year
    return shown.replace(f" {due.year}", "", 1) if is_this_year else shown


def _receipt(before: Fact | None, now: Fact | None) -> Receipt | None:
    if now is None:
        return Receipt("ended", before, None) if before else None
    if before is None:
        return Receipt("new", now, None)
    return Receipt("changed", now, before) if before.value_key != now.value_key else None
