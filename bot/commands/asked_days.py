"""What a request to recall names by date: a day, a stretch of days, and the question that is left.

Pure. A day without a year is the latest such day: what is recalled lies in the past. A date inside a question, without
"since" or "until", stays part of the question.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory.ledger.calendar_words import WEEKDAY
from memory.ledger.dates import DateMention, find_dates
from memory.ledger.days import date_or_none

_SINCE = r"since|from|after|seit|ab|von|с|со|desde|depuis|da"
_UNTIL = r"until|till|to|before|up to|through|bis|до|по|hasta|jusqu['’]à|fino a|–|-"
_MARK = re.compile(
    rf"(?:^|(?<=\s))(?:(?P<since>{_SINCE})|(?P<until>{_UNTIL}))\s*(?:(?:the|dem|den|der|el|le|il)\s+)?$", re.IGNORECASE
)
_REST = re.compile(r"[\s,.;:?!]*(?:(?:on|and|am|und|the)[\s,.;:?!]*)*", re.IGNORECASE)
_PAGE = re.compile(r"\s+page\s+([0-9]{1,4})$", re.IGNORECASE)
_YEAR = re.compile(r"[0-9]{4}")
_WEEK = timedelta(days=7)


@dataclass(frozen=True)
class AskedDays:
    """`first` and `last` are both included, None where an end is open; `question` is "" when only days were named."""

    question: str
    first: date | None = None
    last: date | None = None
    page: int = 1


@dataclass(frozen=True)
class _Named:
    start: int
    end: int
    day: date
    mark: str


def asked_days(text: str, now: datetime, zone: ZoneInfo) -> AskedDays:
    """Return what a request names; without a day it is a question as it stands."""
    turned = _PAGE.search(text)
    words = text[: turned.start()] if turned else text
    named = list(_named(words, now, zone))
    rest = _without(words, named)
    if named and _REST.fullmatch(rest):
        return _bounds("", named, page=int(turned[1]) if turned else 1)
    marked = [one for one in named if one.mark]
    if not marked:
        return AskedDays(text)
    return _bounds(_without(words, marked).strip(" ,.;:"), marked)


def _bounds(question: str, named: list[_Named], *, page: int = 1) -> AskedDays:
    days = [one.day for one in named]
    if len(named) == 1 and named[0].mark:
        first, last = (days[0], None) if named[0].mark == "since" else (None, days[0])
    else:
        first, last = min(days), max(days)
    return AskedDays(question, first, last, page)


def _named(text: str, now: datetime, zone: ZoneInfo) -> Iterator[_Named]:
    today = now.astimezone(zone).date()
    for mention in find_dates(text, now, zone):
        day = _latest(mention, today)
        if day is not None:
            mark = _MARK.search(text, 0, mention.start)
            start = mark.start() if mark else mention.start
            yield _Named(start, mention.end, day, (mark.lastgroup or "") if mark else "")


def _latest(mention: DateMention, today: date) -> date | None:
    """Return the day meant: of a day without a year the latest one, of two readings the later that is past."""
    readings = [mention.day] if mention.day else list(mention.readings)
    past = [_not_ahead(day, mention.wording, today) for day in readings]
    return max((day for day in past if day is not None), default=None)


def _not_ahead(day: date, wording: str, today: date) -> date | None:
    if day <= today or _YEAR.search(wording):
        return day
    if not any(char.isdecimal() for char in wording):
        return day - _WEEK if WEEKDAY.fullmatch(wording.strip()) else day
    return date_or_none(day.year - 1, day.month, day.day)


def _without(text: str, named: list[_Named]) -> str:
    pieces, position = [], 0
    for one in named:
        pieces.append(text[position : one.start])
        position = one.end
    return " ".join([*pieces, text[position:]]).strip()
