"""Words that say that something comes again ("every weekday", "am letzten Tag jedes Monats", "по будням"), as rules.

English, German and Russian. Finds the words and says which rule they make once a time of day is known; the time beside
them is found by `memory.ledger.dates`, and what is left of the sentence is the business of `asked_times`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, time
from typing import Literal

from memory.catalogue import N_
from memory.ledger.days import Said, find_days
from memory.store.recurrence import LAST_DAY, WORKDAYS, Daily, Monthly, MonthlyWeekday, Recurrence, Weekly, Yearly, cron
from memory.store.wall_times import UnclearTime, wall_of

_SINGLE = (
    r"monday|montag|понедельник[ае]?",
    r"tuesday|dienstag|вторник[ае]?",
    r"wednesday|mittwoch|сред[ауеы]",
    r"thursday|donnerstag|четверг[ае]?",
    r"friday|freitag|пятниц[ауеы]",
    r"saturday|samstag|sonnabend|суббот[ауеы]",
    r"sunday|sonntag|воскресень[еюя]",
)
_PLURAL = (
    r"mondays|montags|понедельникам",
    r"tuesdays|dienstags|вторникам",
    r"wednesdays|mittwochs|средам",
    r"thursdays|donnerstags|четвергам",
    r"fridays|freitags|пятницам",
    r"saturdays|samstags|sonnabends|субботам",
    r"sundays|sonntags|воскресеньям",
)
_SHORT = ("mon|mo|пн", "tue|di|вт", "wed|mi|ср", "thu|do|чт", "fri|fr|пт", "sat|sa|сб", "sun|so|вс")
_NAMES = [re.compile("|".join(names), re.IGNORECASE) for names in zip(_PLURAL, _SINGLE, _SHORT, strict=True)]
_ONE = "(?:" + "|".join([*_PLURAL, *_SINGLE]) + ")"
_ANY = "(?:" + "|".join([*_PLURAL, *_SINGLE, *_SHORT]) + r")\b"
_MANY = "(?:" + "|".join(_PLURAL) + ")"
_AND = r"(?:\s*(?:,|&|\+)\s*|\s+)(?:(?:and|und|и)\s+)?(?:(?:on|am|по|в|во|jeden|каждый)\s+)?"
_TO = r"\s*(?:-|–|\bto\b|\bthrough\b|\bbis\b|\bпо\b)\s*"
_DAYS = rf"{_ANY}(?:{_TO}{_ANY}|(?:{_AND}{_ANY})*)"
_PLURAL_DAYS = rf"{_MANY}(?:{_AND}{_MANY})*\b"

_EVERY = r"(?:every|each|an jedem|jede[nrms]?|(?:в\s+)?кажд(?:ый|ую|ое|ая))"
_OTHER = r"(?P<other>other|second|2nd|zweite[nrs]?|втор(?:ой|ую|ое|ая))"
_COUNTED = (
    (2, "two zwei два две"),
    (3, "three drei три"),
    (4, "four vier четыре"),
    (5, "five fünf пять"),
    (6, "six sechs шесть"),
    (7, "seven sieben семь"),
    (8, "eight acht восемь"),
    (9, "nine neun девять"),
    (10, "ten zehn десять"),
    (12, "twelve zwölf двенадцать"),
)
_COUNTS = {word: number for number, words in _COUNTED for word in words.split()}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})"
_EVERY_FEW = rf"(?:(?:every|alle|кажд(?:ые|ых))\s+{_COUNT}|{_EVERY}\s+{_OTHER})"
_NTH = (
    r"(?P<nth>first|1st|second|2nd|third|3rd|fourth|4th|last|ersten?|zweiten?|dritten?|vierten?|letzten?"
    r"|перв\w+|втор\w+|трет\w+|четв[её]рт\w+|последн\w+)"
)
_NTHS: tuple[tuple[str, Literal[1, 2, 3, 4, -1]], ...] = (
    (r"first|1st|erst|перв", 1),
    (r"second|2nd|zweit|втор", 2),
    (r"third|3rd|dritt|трет", 3),
    (r"fourth|4th|viert|четв", 4),
    (r"last|letzt|последн", -1),
)
_DOM = r"(?P<dom>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|\.|-?(?:го|е))?"
_OF_MONTH = (
    r"(?:of\s+(?:each|every|the|a)\s+month|(?:jedes|eines\s+jeden|des|jeden)\s+monats|im\s+monat|(?:каждого\s+)?месяца)"
)
_A_MONTH = r"(?:every\s+month|each\s+month|monthly|jeden\s+monat|monatlich|каждый\s+месяц|ежемесячно)"
_ON = r"(?:,?\s*(?:on|am|в|во)?\s*(?:the\s+)?(?:day\s+)?)"
_A_YEAR = r"(?:every\s+year|each\s+year|yearly|annually|jedes\s+jahr|jährlich|каждый\s+год|ежегодно)"
_LEAD_CHARS = 40


@dataclass(frozen=True)
class Again:
    """Words at `start`–`end` that name a rule; `rule_at` makes it with a time of day, or raises UnclearTime.

    `is_timed`: the words name all times themselves. `is_late`: they say the second half of the day.
    """

    start: int
    end: int
    rule_at: Callable[[time], Recurrence]
    is_timed: bool = False
    is_late: bool = False


_Build = Callable[[re.Match[str], datetime], Again]


def find_again(text: str, said: Said) -> list[Again]:
    """Return the rules named in a text, in order, without overlaps."""
    kept: list[Again] = []
    for found in _candidates(text, said):
        if all(found.end <= other.start or found.start >= other.end for other in kept):
            kept.append(found)
    return sorted(kept, key=lambda one: one.start)


def _candidates(text: str, said: Said) -> Iterator[Again]:
    now = wall_of(said.at, said.zone)
    yield from _yearly(text, said)
    for pattern, build in _SHAPES:
        for match in pattern.finditer(text):
            yield build(match, now)


def _yearly(text: str, said: Said) -> Iterator[Again]:
    """Yield a date of every year: "every 29 February", "29. Februar jedes Jahr"."""
    for day in find_days(text, said):
        if day.day is None or not day.lacks_year:
            continue
        before = _YEAR_BEFORE.search(text, max(0, day.start - _LEAD_CHARS), day.start)
        after = _YEAR_AFTER.match(text, day.end)
        if before or after:
            start = before.start() if before else day.start
            yield Again(start, after.end() if after else day.end, _year_rule(day.day.month, day.day.day))


def _year_rule(month: int, day: int) -> Callable[[time], Recurrence]:
    return lambda at: Yearly(month=month, day=day, at=at)


def _every(match: re.Match[str]) -> int:
    groups = match.groupdict()
    if groups.get("other"):
        return 2
    word = (groups.get("count") or "1").lower()
    return max(1, int(word) if word.isdecimal() else _COUNTS[word])


def _weekday(word: str) -> int:
    return next(number for number, pattern in enumerate(_NAMES) if pattern.fullmatch(word.strip()))


def _weekdays(words: str) -> tuple[int, ...]:
    """Return the weekdays of a list or of a stretch ("Monday to Friday")."""
    named = [_weekday(match.group()) for match in _ANY_DAY.finditer(words)]
    if len(named) == 2 and _STRETCH.fullmatch(words):
        length = (named[1] - named[0]) % 7
        return tuple(sorted((named[0] + ahead) % 7 for ahead in range(length + 1)))
    return tuple(sorted(set(named)))


def _nth_weekday(match: re.Match[str], now: datetime) -> Again:
    nth = next(number for stem, number in _NTHS if re.match(stem, match["nth"], re.IGNORECASE))
    weekday = _weekday(match["weekday"])
    return Again(*match.span(), lambda at: MonthlyWeekday(nth=nth, weekday=weekday, at=at))


def _last_day(match: re.Match[str], now: datetime) -> Again:
    return Again(*match.span(), lambda at: Monthly(day=LAST_DAY, at=at))


def _day_of_month(match: re.Match[str], now: datetime) -> Again:
    day, every = int(match["dom"]), _every(match)
    if every > 12:
        return _refused(match, N_("at most every 12 months; for longer, name one date"))
    return Again(*match.span(), lambda at: Monthly(day=day, every=every, at=at))


def _some_day_of_month(match: re.Match[str], now: datetime) -> Again:
    how = N_("on which day of the month? Say `monthly on the 15th` or `on the last day of each month`")
    return _refused(match, how)


def _weeks(match: re.Match[str], now: datetime) -> Again:
    days = _weekdays(match["days"]) if match.groupdict().get("days") else (now.weekday(),)
    every = _every(match)
    if every > 52:
        return _refused(match, N_("at most every 52 weeks; for longer, name one date"))
    return Again(*match.span(), lambda at: Weekly(weekdays=days, every=every, at=at))


def _workdays(match: re.Match[str], now: datetime) -> Again:
    return Again(*match.span(), lambda at: Weekly(weekdays=WORKDAYS, at=at))


def _weekends(match: re.Match[str], now: datetime) -> Again:
    return Again(*match.span(), lambda at: Weekly(weekdays=(5, 6), at=at))


def _days(match: re.Match[str], now: datetime) -> Again:
    every = _every(match)
    if every > 366:
        return _refused(match, N_("at most every 366 days; for longer, name one date"))
    is_late = bool(match.groupdict().get("late"))
    return Again(*match.span(), lambda at: Daily(every=every, at=at), is_late=is_late)


def _hours(match: re.Match[str], now: datetime) -> Again:
    every = _every(match)
    if 24 % every:
        how = N_("such hours would come at other times each day; say every 1, 2, 3, 4, 6, 8 or 12 hours")
        return _refused(match, how)
    return _by_cron(match, f"0 {'*' if every == 1 else f'*/{every}'} * * *", now)


def _minutes(match: re.Match[str], now: datetime) -> Again:
    every = _every(match)
    if every not in (15, 20, 30):
        return _refused(match, N_("every 15, 20 or 30 minutes, or every hour, is as often as I remind"))
    return _by_cron(match, f"*/{every} * * * *", now)


def _expression(match: re.Match[str], now: datetime) -> Again:
    return _by_cron(match, match["cron"], now)


def _by_cron(match: re.Match[str], expression: str, now: datetime) -> Again:
    return Again(*match.span(), lambda at: cron(expression, now), is_timed=True)


def _refused(match: re.Match[str], how: str) -> Again:
    """Return words that name no rule: only who wants to use them is told."""

    def rule_at(at: time) -> Recurrence:
        raise UnclearTime(how)

    return Again(*match.span(), rule_at, is_timed=True)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


_ANY_DAY = re.compile(_ANY, re.IGNORECASE)
_STRETCH = re.compile(rf"{_ANY}{_TO}{_ANY}", re.IGNORECASE)
_YEAR_BEFORE = re.compile(rf"(?<!\w)(?:{_A_YEAR}{_ON}|{_EVERY}\s+(?:the\s+)?)$", re.IGNORECASE)
_YEAR_AFTER = re.compile(rf",?\s*{_A_YEAR}(?!\w)", re.IGNORECASE)
_NTH_DAY = rf"(?:on\s+|am\s+|в\s+|во\s+)?(?:the\s+|{_EVERY}\s+)?{_NTH}\s+(?P<weekday>{_ONE})"
_LAST = r"(?:last\s+day|letzten(?:\s+tag)?|последн(?:ий|ее|его)\s+(?:день|числ[оа]))"
_MONTHS = r"(?:months?|monate?|месяц(?:а|ев)?)"
_CRON = r"@[a-z]+|[\d*][\d*,/-]*(?:\s+[\d*][\d*,/-]*){2}(?:\s+[a-z\d*][a-z\d*,/-]*){2}"
_SHAPES: tuple[tuple[re.Pattern[str], _Build], ...] = (
    (_pattern(rf"{_NTH_DAY}\s+{_OF_MONTH}"), _nth_weekday),
    (_pattern(rf"{_A_MONTH}{_ON}{_NTH_DAY}"), _nth_weekday),
    (
        _pattern(
            rf"(?:on\s+|am\s+|в\s+)?(?:the\s+|{_EVERY}\s+)?{_LAST}\s+{_OF_MONTH}|{_A_MONTH}{_ON}{_LAST}"
            r"|(?:am\s+|jeden\s+)?monatsletzten|(?:at\s+)?the\s+end\s+of\s+(?:each|every)\s+month"
            r"|(?:am|zum)\s+monatsende|в\s+конце\s+каждого\s+месяца"
        ),
        _last_day,
    ),
    (_pattern(rf"{_EVERY_FEW}\s+{_MONTHS}{_ON}{_DOM}(?:\s+числа)?"), _day_of_month),
    (
        _pattern(rf"(?:on\s+|am\s+)?(?:the\s+|{_EVERY}\s+)?(?:day\s+)?{_DOM}(?:\s+(?:day|числа))?\s+{_OF_MONTH}"),
        _day_of_month,
    ),
    (_pattern(rf"{_A_MONTH}{_ON}{_DOM}(?:\s+числа)?"), _day_of_month),
    (_pattern(rf"{_EVERY}\s+{_DOM}\s+числ[оа](?:\s+{_OF_MONTH})?"), _day_of_month),
    (_pattern(rf"{_A_MONTH}|{_EVERY_FEW}\s+{_MONTHS}"), _some_day_of_month),
    (re.compile(rf"^\s*`?(?P<cron>{_CRON})`?(?=\s|$)", re.IGNORECASE), _expression),
    (_pattern(rf"{_EVERY_FEW}\s+(?:weeks?|wochen?|недел[юиь])(?:{_ON}(?:по\s+)?(?P<days>{_DAYS}))?"), _weeks),
    (
        _pattern(
            r"(?:(?:on|an|в|по)\s+)?(?:every\s+|each\s+|jeden\s+|каждый\s+)?(?:weekdays?|workdays?|working\s+days?"
            r"|werktags?|werktagen|wochentags|wochentagen|arbeitstags?|arbeitstagen|(?:будний|рабочий)\s+день|будням"
            r"|будни|рабочим\s+дням)"
        ),
        _workdays,
    ),
    (
        _pattern(r"(?:on\s+)?(?:every\s+|each\s+)?weekends?|(?:am|jedes)\s+wochenende|an\s+wochenenden|по\s+выходным"),
        _weekends,
    ),
    (_pattern(rf"{_EVERY}\s+{_OTHER}\s+(?P<days>{_DAYS})"), _weeks),
    (_pattern(rf"{_EVERY}\s+(?P<days>{_DAYS})"), _weeks),
    (
        _pattern(
            rf"(?:every\s+week|each\s+week|weekly|jede\s+woche|wöchentlich|каждую\s+неделю|еженедельно)"
            rf"(?:{_ON}(?:по\s+)?(?P<days>{_DAYS}))?"
        ),
        _weeks,
    ),
    (_pattern(rf"(?:(?:on|an|по)\s+)?(?P<days>{_PLURAL_DAYS}|{_ONE}{_TO}{_ONE})"), _weeks),
    (_pattern(rf"{_EVERY_FEW}\s+(?:days?|tage?|день|дня|дней)"), _days),
    (
        _pattern(
            r"every\s+(?:single\s+)?day|each\s+day|daily|täglich|jeden\s+tag|каждый\s+день|ежедневно"
            r"|(?:every|each)\s+morning|jeden\s+(?:morgen|vormittag)|каждое\s+утро|по\s+утрам"
            r"|(?P<late>(?:every|each)\s+(?:evening|night|afternoon)|jeden\s+(?:abend|nachmittag)|каждый\s+вечер"
            r"|по\s+вечерам)"
        ),
        _days,
    ),
    (
        _pattern(
            r"every\s+hour|hourly|stündlich|jede\s+stunde|каждый\s+час|ежечасно"
            rf"|{_EVERY_FEW}\s+(?:hours?|stunden?|час(?:а|ов)?)"
        ),
        _hours,
    ),
    (_pattern(rf"(?:every|alle|каждые)\s+{_COUNT}\s+(?:min(?:ute)?s?|minuten|минут[уы]?)"), _minutes),
)
"""What is looked for, the more particular first."""
