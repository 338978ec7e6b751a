"""The places in a text that name a day, each resolved by itself against the moment the text was said.

Finds numbers, month names, weekdays, "tomorrow", "in two weeks". What stands beside a day (a weekday that confirms it,
a time) is joined by `memory.ledger.dates`, whose rules these are the parts of.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache, cached_property
from zoneinfo import ZoneInfo

import dateparser

from memory.ledger.calendar_words import (
    DAY_WORDS,
    GERMAN_MORGEN,
    HALF_HOURS,
    LANGUAGES,
    LATE_WORDS,
    MONTH_DATE,
    OF_CLOCK_UNIT,
    RECURRING,
    RELATIVE,
    SHORT_WEEKDAY,
    WEEKDAY,
    weekday_number,
)

_LEAD_CHARS = 24
_PLAIN_BASE = datetime(2027, 1, 1)  # noqa: DTZ001 (a distance is measured from it; no zone is meant)

_ISO = re.compile(
    r"(?<![\w/-])(?P<y>(?:19|20|21)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])"
    r"(?:[T ](?P<clock>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?P<offset>Z|[+-]\d\d:?\d\d)?(?![\d:]))?"
)
_DOTTED = re.compile(
    r"(?<![\w.,/:-])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>(?:19|20|21)\d\d|\d\d)(?![\d:]|\.\d)"
    r"|\b(?:am|bis(?: zum)?|vom|zum|den|der|ab|seit|\w+tag,?|mittwoch,?|[дс]о|к|на|с)\s+"
    r"(?P<d2>\d{1,2})\.\s?(?P<m2>\d{1,2})\.(?!\d)"
    r"|\b(?:am|bis(?: zum)?|vom|zum|до|к|на|с)\s+(?P<d3>\d{1,2})\.(?P<m3>\d\d)(?![\d.,])(?!\s*(?:uhr|[€$%₽]|euro|руб))"
    r"|(?<![\w.,/:-])(?P<d4>\d{1,2})\.\s?(?P<m4>\d{1,2})\.(?=,?\s+(?:um\s+)?\d{1,2}(?::\d\d|\s*uhr\b))",
    re.IGNORECASE,
)
_SLASHED = re.compile(
    r"(?<![\w/.,-])(?P<a>\d{1,2})(?P<sep>[/-])(?P<b>\d{1,2})(?P=sep)(?P<y>(?:19|20|21)\d\d|\d\d)(?![\w/-])"
    r"|(?<![\w/.,-])(?P<a2>\d\d)/(?P<b2>\d\d)(?![\w/-])"
    r"|\b(?:on|by|due|until|before|since)\s+(?P<a3>\d{1,2})/(?P<b3>\d{1,2})(?![\w/-])"
)
_DAY_AND_MONTH = re.compile(r"(?<![\w.,/:-])\d{1,2}\.\s?\d{1,2}\.(?!\d)")
_DAY_OF_MONTH = re.compile(r"\b(?:on|by|until|before) the (?P<d>\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:of\b|[A-Z]))")


@dataclass(frozen=True)
class Found:
    """Words that name a day: by themselves (`day`), in two readings, or by a weekday that may confirm another."""

    start: int
    end: int
    day: date | None = None
    clock: time | None = None
    readings: tuple[date, ...] = ()
    weekday: int | None = None
    needs_date: bool = False
    """An abbreviated weekday: it counts only beside a date."""
    lacks_year: bool = False
    is_weekday_wrong: bool = False
    is_late: bool = False
    """The words say the second half of the day ("tonight")."""
    moment: datetime | None = None
    """The exact moment, where a distance of hours or minutes was said: no zone and no change of clocks moves it."""


@dataclass(frozen=True)
class Said:
    """When and where the words were said."""

    at: datetime
    zone: ZoneInfo

    @cached_property
    def today(self) -> date:
        """The local day."""
        return self.at.astimezone(self.zone).date()


def find_days(text: str, said: Said) -> list[Found]:
    """Return the days named in a text, in order, without overlaps."""
    kept: list[Found] = []
    taken = bytearray(len(text))
    for found in _candidates(text, said):
        if not any(taken[found.start : found.end]):
            taken[found.start : found.end] = b"\x01" * (found.end - found.start)
            kept.append(found)
    return sorted(kept, key=lambda found: found.start)


def day_shaped(text: str) -> list[tuple[int, int]]:
    """Return the stretches that are written like a day of the calendar, be they one or none ("31 April")."""
    shapes = (_ISO, _DOTTED, _DAY_AND_MONTH, _SLASHED, *(MONTH_DATE[language] for language in LANGUAGES))
    return [match.span() for shape in shapes for match in shape.finditer(text)]


def _candidates(text: str, said: Said) -> Iterator[Found]:
    yield from _iso(text, said)
    yield from _dotted(text, said)
    yield from _slashed(text, said)
    yield from _named_months(text, said)
    yield from _distances(text, said)
    yield from _weekdays(text, said)
    yield from _day_words(text, said)
    yield from _days_of_month(text, said)


def _iso(text: str, said: Said) -> Iterator[Found]:
    for match in _ISO.finditer(text):
        day = date_or_none(int(match["y"]), int(match["m"]), int(match["d"]))
        if day is None:
            continue
        clock = _clock(match["clock"])
        if clock is None:
            yield Found(match.start(), match.end("d"), day)
        elif match["offset"]:
            offset = match["offset"].replace("Z", "+00:00")
            moment = datetime.fromisoformat(f"{day}T{clock:%H:%M}{offset}").astimezone(said.zone)
            yield Found(match.start(), match.end(), moment.date(), moment.time())
        else:
            yield Found(match.start(), match.end(), day, clock)


def _dotted(text: str, said: Said) -> Iterator[Found]:
    for match in _DOTTED.finditer(text):
        number = next(one for one in ("", "2", "3", "4") if match["d" + one])
        start, end = match.start("d" + number), match.end()
        day, month = int(match["d" + number]), int(match["m" + number])
        resolved = (
            date_or_none(_full_year(match["y"]), month, day) if match["y"] else _next_date(month, day, said.today)
        )
        if resolved is not None:
            yield Found(start, end, resolved, lacks_year=not match["y"])


def _slashed(text: str, said: Said) -> Iterator[Found]:
    for match in _SLASHED.finditer(text):
        number = "" if match["a"] else "2" if match["a2"] else "3"
        first, second = int(match["a" + number]), int(match["b" + number])
        readings = [
            date_or_none(_full_year(match["y"]), month, day) if match["y"] else _next_date(month, day, said.today)
            for day, month in dict.fromkeys(((first, second), (second, first)))
        ]
        possible = tuple(reading for reading in readings if reading is not None)
        if possible:
            day = possible[0] if len(possible) == 1 else None
            yield Found(match.start("a" + number), match.end(), day, readings=possible, lacks_year=not match["y"])


def _named_months(text: str, said: Said) -> Iterator[Found]:
    for language in LANGUAGES:
        for match in MONTH_DATE[language].finditer(text):
            groups = match.groupdict()
            number = "1" if groups["m1"] else "2"
            name, year = groups["m" + number], groups["y" + number]
            if number == "2" and name in {"may", "march", "mar"}:
                continue  # "you may 5 times", "we march 3 miles": as months these are written large
            month, day_number = _month_number(name.lower(), language), int(groups["d" + number])
            if month is None:
                continue
            day = date_or_none(int(year), month, day_number) if year else _next_date(month, day_number, said.today)
            if day is not None:
                yield Found(match.start(), match.end(), day, lacks_year=not year)


def _distances(text: str, said: Said) -> Iterator[Found]:
    for match in HALF_HOURS.finditer(text):
        yield _at_moment(match, said.at + timedelta(minutes=30), said.zone)
    for language in LANGUAGES:
        for match in RELATIVE[language].finditer(text):
            is_short = OF_CLOCK_UNIT.search(match.group()) is not None
            base = _PLAIN_BASE if is_short else datetime.combine(said.today, time())
            moved = dateparser.parse(match.group(), languages=[language], settings={"RELATIVE_BASE": base})
            if moved is None:
                continue
            if is_short:
                yield _at_moment(match, said.at + (moved.replace(tzinfo=None) - base), said.zone)
            else:
                yield Found(match.start(), match.end(), moved.date())


def _at_moment(match: re.Match[str], moment: datetime, zone: ZoneInfo) -> Found:
    local = moment.astimezone(zone)
    clock = local.time().replace(second=0, microsecond=0)
    return Found(match.start(), match.end(), local.date(), clock, moment=moment)


def _weekdays(text: str, said: Said) -> Iterator[Found]:
    for match in WEEKDAY.finditer(text):
        if RECURRING.search(text[max(0, match.start() - _LEAD_CHARS) : match.start()]):
            continue
        number = weekday_number(match["weekday"])
        ahead = (number - said.today.weekday()) % 7
        if match["next"] or match["week"]:
            ahead = 7 - said.today.weekday() + number
        elif match["last"]:
            ahead = ahead - 7
        has_lead = bool(match["next"] or match["week"] or match["last"] or match["coming"])
        is_late = bool(match["part"]) and LATE_WORDS.fullmatch(match["part"]) is not None
        day = said.today + timedelta(days=ahead)
        yield Found(match.start(), match.end(), day, weekday=None if has_lead else number, is_late=is_late)
    for match in SHORT_WEEKDAY.finditer(text):
        yield Found(match.start(), match.end(), weekday=weekday_number(match.group()), needs_date=True)


def _day_words(text: str, said: Said) -> Iterator[Found]:
    for words, offset in DAY_WORDS:
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            is_late = LATE_WORDS.fullmatch(match.group()) is not None
            yield Found(match.start(), match.end(), said.today + timedelta(days=offset), is_late=is_late)
    for match in GERMAN_MORGEN.finditer(text):
        yield Found(match.start(), match.end(), said.today + timedelta(days=1))


def _days_of_month(text: str, said: Said) -> Iterator[Found]:
    for match in _DAY_OF_MONTH.finditer(text):
        number, month = int(match["d"]), said.today.replace(day=1)
        for _ in range(3):
            day = date_or_none(month.year, month.month, number)
            if day is not None and day >= said.today:
                yield Found(match.start("d"), match.end(), day)
                break
            month = (month + timedelta(days=31)).replace(day=1)


@cache
def _month_number(name: str, language: str) -> int | None:
    """Return the number of a month by its name; the names are few, and a parse costs milliseconds."""
    parsed = dateparser.parse(f"1 {name} 2024", languages=[language], settings={"RELATIVE_BASE": _PLAIN_BASE})
    return parsed.month if parsed else None


def _next_date(month: int, day: int, today: date) -> date | None:
    years = (
        date_or_none(today.year + ahead, month, day) for ahead in range(9)
    )  # nine: a leap day may be eight years off
    return next((found for found in years if found is not None and found >= today), None)


def date_or_none(year: int, month: int, day: int) -> date | None:
    """Return the date, or None when the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _clock(words: str | None) -> time | None:
    try:
        return time.fromisoformat(words) if words else None
    except ValueError:
        return None


def _full_year(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)
