"""Dates and times in a member's words, resolved against the moment they were said, in the member's zone.

Pure. The rules here find the words and decide about weekdays, "next", clock parts and missing years; dateparser, in one
fixed language at a time, reads month names and distances ("in two weeks"). What cannot be known is flagged.

- A weekday alone is the coming one, today included. "Next Tuesday" is that of the coming calendar week (Monday first),
  "last Tuesday" the latest before today.
- A date without a year is the next such date, today included; if a weekday is named with it that fits only the
  previous such date, at most half a year back, it is that one.
- "At 5" or "halb drei" may be in the night or after noon: hours from one to six without a word for the half of the day
  give no time, only the day (`is_hour_unsure`).
- A time that the clocks skip is the first they show after the gap ("02:30" is 03:00, `is_skipped`), of one that they
  show twice it is the first (`memory/store/wall_times.py`, the one rule).
- Days are counted from the local day of the message, hours and minutes from its moment (so over a change of clocks).
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory.ledger.calendar_words import BEFORE_NOON, EARLY_WORDS, LATE, LATE_WORDS
from memory.ledger.clocks import ClockMention, afternoon, find_clocks
from memory.ledger.days import Found, Said, date_or_none, find_days
from memory.ledger.marks import places_of, without_marks
from memory.store.wall_times import moment

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
UNSURE_UNTIL = 6
_HALF_A_YEAR = timedelta(days=183)
_END_OF_DAY = time(23, 59, 59)

_CLOCK_GAP = re.compile(
    rf"[\s,]*(?:(?:{LATE}|{BEFORE_NOON})\b)?[\s,]*"
    r"(?:(?:still|again|weiterhin|wieder|immer noch|по-прежнему|снова)\s+)?"
    r"(?:(?:not later than|at|by|around|before|um|gegen|bis|ab|в|к|до|a las|à|@|–|-)\s*)?",
    re.IGNORECASE,
)
_DAY_GAP = re.compile(r"[\s,]*(?:(?:on|am|the|by|the day|в|во|el|le)\s+)?", re.IGNORECASE)
_WEEKDAY_GAP = re.compile(r"[\s,(]*(?:(?:the|den|dem|der|el|le)\s+)?", re.IGNORECASE)


@dataclass(frozen=True)
class DateMention:
    """A date, a time or both, at `start`–`end` of the text, in the words of the member (`wording`, unseen marks aside).

    `day` is None when only a time was said (`is_clock_alone`) or when the numbers can be read in two ways
    (`is_ambiguous`; both are in `readings`, day first and month first). `is_weekday_wrong`: the weekday said is not
    that of the date; the date stands. `is_hour_unsure`: the wording names an hour that may be in the night or after
    noon, so `clock` is None. `is_skipped`: there is no such time on that day, the clocks are put forward over it.
    `moment` is the exact moment of "in 20 minutes".
    """

    start: int
    end: int
    wording: str
    day: date | None
    clock: time | None = None
    readings: tuple[date, ...] = ()
    is_weekday_wrong: bool = False
    is_hour_unsure: bool = False
    is_skipped: bool = False
    moment: datetime | None = None

    @property
    def is_ambiguous(self) -> bool:
        return len(self.readings) > 1

    @property
    def is_clock_alone(self) -> bool:
        return self.day is None and not self.readings

    def instant(self, zone: ZoneInfo) -> datetime | None:
        """Return the moment meant (UTC), or the end of the day when no time was said; None when the day is unknown."""
        if self.day is None:
            return None
        if self.clock is None:
            return datetime.combine(self.day, _END_OF_DAY, zone).astimezone(UTC)
        return moment(datetime.combine(self.day, self.clock), zone)


def find_dates(text: str, at: datetime, zone: ZoneInfo) -> list[DateMention]:
    """Return the dates and times named in a text that was said at `at` (aware), in order, without overlaps."""
    said, plain = Said(at=at, zone=zone), without_marks(text)
    days = _with_weekdays(plain, find_days(plain, said), said)
    found = _with_clocks(plain, days, find_clocks(plain))
    mentions = [replace(one, is_skipped=_is_skipped(one, zone)) for one in found]
    if plain == text:
        return mentions
    places = places_of(text)
    return [replace(one, start=places[one.start], end=places[one.end - 1] + 1) for one in mentions]


def day_and_clock(instant: datetime, zone: ZoneInfo) -> tuple[date, time | None]:
    """Return a moment made by `DateMention.instant` as the clocks show it; no time where it means the whole day."""
    local = instant.astimezone(zone)
    return local.date(), None if local.time() == _END_OF_DAY else local.time()


def format_when(day: date, clock: time | None = None) -> str:
    """Return a date, and a time if there is one, as shown everywhere: `Fri 12 Mar 2027 17:30`."""
    shown = f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"
    return f"{shown} {clock:%H:%M}" if clock else shown


def _is_skipped(mention: DateMention, zone: ZoneInfo) -> bool:
    instant = mention.instant(zone)
    return mention.clock is not None and instant is not None and day_and_clock(instant, zone)[1] != mention.clock


def _with_weekdays(text: str, days: list[Found], said: Said) -> list[Found]:
    """Join a weekday with the date beside it ("Friday 12 March", "12.03.2027, Freitag") and compare the two."""
    joined: list[Found] = []
    for found in days:
        before = joined[-1] if joined else None
        if before is not None and _WEEKDAY_GAP.fullmatch(text, before.end, found.start):
            if before.weekday is not None and found.weekday is None:
                joined[-1] = _confirmed(found, before, said)
                continue
            if found.weekday is not None and before.weekday is None and "(" not in text[before.end : found.start]:
                joined[-1] = _confirmed(before, found, said)
                continue
        joined.append(found)
    return [found for found in joined if not found.needs_date]


def _confirmed(dated: Found, named: Found, said: Said) -> Found:
    start, end = min(dated.start, named.start), max(dated.end, named.end)
    fitting = [day for day in dated.readings if day.weekday() == named.weekday]
    if dated.day is None:
        day = fitting[0] if len(fitting) == 1 else None
        return replace(dated, start=start, end=end, day=day, readings=() if day else dated.readings)
    day = dated.day
    if dated.lacks_year and day.weekday() != named.weekday:
        previous = _previous_date(day, said.today)
        day = previous if previous is not None and previous.weekday() == named.weekday else day
    return replace(dated, start=start, end=end, day=day, is_weekday_wrong=day.weekday() != named.weekday)


def _with_clocks(text: str, days: list[Found], clocks: list[ClockMention]) -> list[DateMention]:
    """Give each day the time beside it; a time with no day stays alone, a bare number with none is no time."""
    left = [clock for clock in clocks if all(clock.end <= day.start or clock.start >= day.end for day in days)]
    mentions: list[DateMention] = []
    for index, found in enumerate(days):
        limit = days[index + 1].start if index + 1 < len(days) else len(text)
        floor = days[index - 1].end if index else 0
        clock = None if found.clock else _clock_beside(text, found, left, floor, limit)
        if clock is not None:
            left = [other for other in left if other.start != clock.start]
        mentions.append(_mention(text, found, clock))
    alone = [
        DateMention(clock.start, clock.end, text[clock.start : clock.end], None, clock.clock)
        for clock in left
        if not clock.is_bare
    ]
    return sorted((*mentions, *alone), key=lambda mention: mention.start)


def clock_beside(text: str, found: Found) -> ClockMention | None:
    """Return the time that belongs to words of a text which name a day or days, in the half of the day they say."""
    return _clock_beside(text, found, find_clocks(text), 0, len(text))


def is_unsure(clock: ClockMention) -> bool:
    """Whether an hour may be in the night or after noon."""
    return clock.is_bare and not clock.has_half and 1 <= clock.clock.hour <= UNSURE_UNTIL


def _clock_beside(text: str, found: Found, clocks: list[ClockMention], floor: int, limit: int) -> ClockMention | None:
    for clock in clocks:
        if found.end <= clock.start < limit and _CLOCK_GAP.fullmatch(text, found.end, clock.start):
            return _in_half(clock, found, text[found.end : clock.start])
    for clock in clocks:
        if floor <= clock.start and clock.end <= found.start and _DAY_GAP.fullmatch(text, clock.end, found.start):
            return _in_half(clock, found, "")
    return None


def _in_half(clock: ClockMention, found: Found, between: str) -> ClockMention:
    """Return the time in the half of the day that the words around it name, if they name one."""
    if clock.has_half:
        return clock
    if found.is_late or LATE_WORDS.search(between):
        return replace(clock, clock=afternoon(clock.clock), has_half=True)
    return replace(clock, has_half=EARLY_WORDS.search(between) is not None)


def _mention(text: str, found: Found, clock: ClockMention | None) -> DateMention:
    start = min(found.start, clock.start) if clock else found.start
    end = max(found.end, clock.end) if clock else found.end
    is_hour_unsure = clock is not None and is_unsure(clock)
    return DateMention(
        start,
        end,
        text[start:end],
        found.day,
        None if is_hour_unsure else clock.clock if clock else found.clock,
        found.readings if found.day is None else (),
        found.is_weekday_wrong,
        is_hour_unsure,
        moment=found.moment,
    )


def _previous_date(day: date, today: date) -> date | None:
    years = (date_or_none(today.year - back, day.month, day.day) for back in range(2))
    return next((found for found in years if found is not None and timedelta() < today - found < _HALF_A_YEAR), None)
