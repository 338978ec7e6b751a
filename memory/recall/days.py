"""What was said on which local day: to offer days where a member asks by dates. Reads only."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory.recall.items import Scope
from memory.store.database import Database, from_utc_text, to_utc_text

_SAID = (
    " FROM messages WHERE role IN ('user', 'model') AND origin <> 'document' AND trim(text) <> ''"
    " AND at >= ? AND at < ? ORDER BY at, id"
)


@dataclass(frozen=True)
class SaidDay:
    """A local day and how many messages it holds."""

    day: date
    count: int


def scope_of(first: date | None, last: date | None, zone: ZoneInfo) -> Scope:
    """Return the scope of local days, both included; None leaves an end open."""
    return Scope(
        since=datetime.combine(first, time(), zone) if first else None,
        until=datetime.combine(last + timedelta(days=1), time(), zone) if last else None,
    )


async def days_with_words(database: Database, first: date | None, last: date | None, zone: ZoneInfo) -> list[SaidDay]:
    """Return the days on which something was said, oldest first."""
    rows = await database.fetch_all(f"SELECT at{_SAID}", _bounds(scope_of(first, last, zone)))
    counts = Counter(from_utc_text(row["at"]).astimezone(zone).date() for row in rows)
    return [SaidDay(day, count) for day, count in counts.items()]


async def said_on(database: Database, day: date, zone: ZoneInfo) -> Sequence[int]:
    """Return the ids of the messages of a day, in order."""
    rows = await database.fetch_all(f"SELECT id{_SAID}", _bounds(scope_of(day, day, zone)))
    return [int(row["id"]) for row in rows]


def _bounds(scope: Scope) -> tuple[str, str]:
    return to_utc_text(scope.since) if scope.since else "", to_utc_text(scope.until) if scope.until else "9999"
