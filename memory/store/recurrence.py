"""Recurrence: rules by which something comes again, on the clock of the wall.

Pure. Rules know wall times alone and no zone. A day that a month or year has not got is its last day; cron expressions
keep cron's own meaning.
"""

import calendar
from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from memory.catalogue import MONTH, N_, WEEKDAY, _, ngettext, written
from memory.store.cron import expression_of, fields_of
from memory.store.wall_times import UnclearTime, moment, shown, wall_of

WORKDAYS = (0, 1, 2, 3, 4)
ORDINALS = {1: N_("first"), 2: N_("second"), 3: N_("third"), 4: N_("fourth"), -1: N_("last")}
LAST_DAY = 31
"""Of a month: every shorter one comes in on its own last day."""
SHOWN_TIMES = 3
MIN_GAP = timedelta(minutes=15)
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_MONDAY = date(2024, 1, 1)
_CRON_YEARS = 9
"""A leap day may be eight years off."""


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True)

    @property
    def note(self) -> str:
        """What may surprise about the rule; "" for nothing."""
        return ""


class _ByDay(_Rule, ABC):
    """A rule that names days, all with one time."""

    at: time

    def first(self, after: datetime) -> datetime:
        """Return the first time that lies after a wall time."""
        wall = datetime.combine(self._on_or_after(after.date()), self.at)
        return wall if wall > after else datetime.combine(self._on_or_after(after.date() + _DAY), self.at)

    def following(self, wall: datetime) -> datetime:
        """Return the time that comes after one of its own."""
        return datetime.combine(self._next(wall.date()), self.at)

    @abstractmethod
    def _on_or_after(self, day: date) -> date:
        """Return the first day of the rule from this one on."""

    def _next(self, day: date) -> date:
        return self._on_or_after(day + _DAY)


class Daily(_ByDay):
    """Every so many days."""

    kind: Literal["daily"] = "daily"
    every: int = Field(default=1, ge=1, le=366)

    @property
    def words(self) -> str:
        words = ngettext("every day at {at}", "every {count} days at {at}", self.every)
        return words.format(count=self.every, at=_clock(self.at))

    def _on_or_after(self, day: date) -> date:
        return day

    def _next(self, day: date) -> date:
        return day + self.every * _DAY


class Weekly(_ByDay):
    """On weekdays (Monday is 0), of every week or of every so many weeks."""

    kind: Literal["weekly"] = "weekly"
    weekdays: tuple[int, ...] = Field(min_length=1)
    every: int = Field(default=1, ge=1, le=52)

    @property
    def words(self) -> str:
        if self.every == 1 and tuple(sorted(self.weekdays)) == WORKDAYS:
            return _("every weekday (Monday to Friday) at {at}").format(at=_clock(self.at))
        days = ", ".join(_weekday(number) for number in sorted(self.weekdays))
        words = ngettext("every {days} at {at}", "every {count} weeks on {days} at {at}", self.every)
        return words.format(count=self.every, days=days, at=_clock(self.at))

    def _on_or_after(self, day: date) -> date:
        return next(one for one in _days_from(day) if one.weekday() in self.weekdays)

    def _next(self, day: date) -> date:
        later = [number for number in sorted(self.weekdays) if number > day.weekday()]
        if later:
            return day + (later[0] - day.weekday()) * _DAY
        return day + (7 * self.every - day.weekday() + min(self.weekdays)) * _DAY


class Monthly(_ByDay):
    """On a day of every month, or of every so many."""

    kind: Literal["monthly"] = "monthly"
    day: int = Field(ge=1, le=31)
    every: int = Field(default=1, ge=1, le=12)

    @property
    def words(self) -> str:
        on_last = ngettext(
            "on the last day of every month at {at}", "on the last day of every {count} months at {at}", self.every
        )
        on_day = ngettext(
            "on day {day} of every month at {at}", "on day {day} of every {count} months at {at}", self.every
        )
        words = on_last if self.day == LAST_DAY else on_day
        return words.format(count=self.every, day=self.day, at=_clock(self.at))

    @property
    def note(self) -> str:
        return _("in shorter months on their last day") if 28 < self.day < LAST_DAY else ""

    def _on_or_after(self, day: date) -> date:
        here = day_of(day.year, day.month, self.day)
        return here if here >= day else self._months_on(day, 1)

    def _next(self, day: date) -> date:
        return self._months_on(day, self.every)

    def _months_on(self, day: date, months: int) -> date:
        years, month = divmod(day.month - 1 + months, 12)
        return day_of(day.year + years, month + 1, self.day)


class MonthlyWeekday(_ByDay):
    """On the first, second, third, fourth or last (-1) such weekday of every month."""

    kind: Literal["monthly weekday"] = "monthly weekday"
    nth: Literal[1, 2, 3, 4, -1]
    weekday: int = Field(ge=0, le=6)

    @property
    def words(self) -> str:
        words = _("on the {ordinal} {weekday} of every month at {at}")
        return words.format(ordinal=_(ORDINALS[self.nth]), weekday=_weekday(self.weekday), at=_clock(self.at))

    def _on_or_after(self, day: date) -> date:
        return next(one for one in _days_from(day) if one.weekday() == self.weekday and self._is_nth(one))

    def _is_nth(self, day: date) -> bool:
        if self.nth == -1:
            return (day + 7 * _DAY).month != day.month
        return (day.day - 1) // 7 + 1 == self.nth


class Yearly(_ByDay):
    """On a date of every year."""

    kind: Literal["yearly"] = "yearly"
    month: int = Field(ge=1, le=12)
    day: int = Field(ge=1, le=31)

    @property
    def words(self) -> str:
        month = written(date(_MONDAY.year, self.month, 1), MONTH)
        return _("every year on {day} {month} at {at}").format(day=self.day, month=month, at=_clock(self.at))

    @property
    def note(self) -> str:
        return _("in years without it on 28 February") if (self.month, self.day) == (2, 29) else ""

    def _on_or_after(self, day: date) -> date:
        here = day_of(day.year, self.month, self.day)
        return here if here >= day else day_of(day.year + 1, self.month, self.day)

    def _next(self, day: date) -> date:
        return day_of(day.year + 1, self.month, self.day)


class Cron(_Rule):
    """By a cron expression of five fields; make it by `cron`, which reads it."""

    kind: Literal["cron"] = "cron"
    expression: str

    @property
    def words(self) -> str:
        return _("by cron `{expression}`").format(expression=self.expression)

    def first(self, after: datetime) -> datetime:
        """Return the first time after a wall time. Raises: UnclearTime when it never comes."""
        start = after.replace(second=0, microsecond=0) + _MINUTE
        days = (start.date() + number * _DAY for number in range(_CRON_YEARS * 366))
        for day in days:
            if not self._falls_on(day):
                continue
            for clock in self._clocks:
                wall = datetime.combine(day, clock)
                if wall >= start:
                    return wall
        raise UnclearTime(N_("`{expression}` names a date that never comes"), expression=self.expression)

    def following(self, wall: datetime) -> datetime:
        """Return the time that comes after one of its own."""
        return self.first(wall)

    @property
    def closest(self) -> timedelta:
        """The shortest time between two of its times of a day, or of a day and the next."""
        minutes = [clock.hour * 60 + clock.minute for clock in self._clocks]
        gaps = [later - earlier for earlier, later in pairwise([*minutes, minutes[0] + 24 * 60])]
        return timedelta(minutes=min(gaps))

    @cached_property
    def _fields(self) -> tuple[frozenset[int], ...]:
        return fields_of(self.expression)

    @cached_property
    def _clocks(self) -> tuple[time, ...]:
        minutes, hours, *_ = self._fields
        return tuple(time(hour, minute) for hour in sorted(hours) for minute in sorted(minutes))

    def _falls_on(self, day: date) -> bool:
        """Whether a date is meant: where both its number and its weekday are restricted, either is enough."""
        _, _, days, months, weekdays = self._fields
        if day.month not in months:
            return False
        is_day, is_weekday = day.day in days, (day.weekday() + 1) % 7 in weekdays
        words = self.expression.split()
        if words[2].startswith("*") or words[4].startswith("*"):
            return is_day and is_weekday
        return is_day or is_weekday


Recurrence = Annotated[
    Daily | Weekly | Monthly | MonthlyWeekday | Yearly | Cron,
    Field(discriminator="kind"),
]
_ADAPTER: TypeAdapter[Recurrence] = TypeAdapter(Recurrence)


def cron(expression: str, now: datetime) -> Cron:
    """Read a cron expression: five fields, names or numbers (0 and 7 are Sunday), or `@daily` and its like.

    `now` is a wall time. Raises: UnclearTime, also for one that never comes or comes too often.
    """
    rule = Cron(expression=expression_of(expression))
    if rule.closest < MIN_GAP:
        raise UnclearTime(
            N_("`{expression}` comes more often than every 15 minutes; choose fewer times"), expression=rule.expression
        )
    rule.first(now)
    return rule


def to_json(rule: Recurrence) -> str:
    """Return a rule as it is stored."""
    return _ADAPTER.dump_json(rule).decode()


def from_json(text: str) -> Recurrence:
    """Return a stored rule."""
    return _ADAPTER.validate_json(text)


def upcoming(rule: Recurrence, wall: datetime, count: int) -> list[datetime]:
    """Return so many times of a rule, beginning with one of its own."""
    times = [wall]
    while len(times) < count:
        times.append(rule.following(times[-1]))
    return times


def next_times(rule: Recurrence, wall: datetime, zone: ZoneInfo) -> list[str]:
    """Return the next three times of a rule, beginning with one of its own, as the clocks of a zone show them."""
    return [shown(wall_of(moment(one, zone), zone)) for one in upcoming(rule, wall, SHOWN_TIMES)]


def day_of(year: int, month: int, day: int) -> date:
    """Return a day of a month, or its last day where it has no such one."""
    return date(year, month, min(day, calendar.monthrange(year, month)[1]))


def _weekday(number: int) -> str:
    return written(_MONDAY + number * _DAY, WEEKDAY)


def _clock(at: time) -> str:
    return f"{at:%H:%M}"


def _days_from(day: date) -> Iterator[date]:
    while True:
        yield day
        day += _DAY
