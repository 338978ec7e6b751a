"""Nights: which local date is due, for work that is done once a date at a local time.

Pure: a moment, a zone and what was done before in, a date out. A time that a clock change skips comes at the first
moment after the gap, one that it repeats comes the first time. Nothing here starts any work or remembers any.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory.store.wall_times import moment

MAX_TRIES = 3
_WAITS = (timedelta(minutes=30), timedelta(minutes=5), timedelta(minutes=30))
"""After a try that does not count, after the first and after the second that came to nothing."""
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Night:
    """A date on which something is due, and on how many dates before it that was missed."""

    day: date
    missed: int = 0


def newest_night(now: datetime, at: time, zone: ZoneInfo) -> date:
    """Return the last local date on which the local time has come."""
    today = now.astimezone(zone).date()
    return today if now >= moment(datetime.combine(today, at), zone) else today - _DAY


def due_night(now: datetime, at: time, zone: ZoneInfo, *, last: date | None, began: datetime) -> Night | None:
    """Return the one date that is due now; None while nothing is.

    `last` is the newest date that was dealt with: neither it nor one before it comes again, whatever the clock or the
    zone does. Without one, the first date is that after `began`, or the newest if that is long ago.
    """
    newest = newest_night(now, at, zone)
    done = newest_night(began, at, zone) if last is None else last
    if newest <= done:
        return None
    return Night(newest, 0 if last is None else (newest - done).days - 1)


def may_try(now: datetime, tries: int, last_try: datetime | None) -> bool:
    """Whether a night that came to nothing `tries` times may be tried now: three times, with growing waits.

    `last_try` may be one that does not count. One that lies ahead (the clock was set back) holds up nothing.
    """
    if last_try is None:
        return True
    return tries < MAX_TRIES and not last_try <= now < last_try + _WAITS[tries]
