"""The reminders tool: sets, lists, changes, puts off, finishes and deletes reminders.

The model gives the member's local wall time; the zone is applied here, never by the model. A `Z` on it is a habit of
models, not a meaning: it is dropped and said so. Another offset than the member's is refused, since nobody knows which
of the two was meant.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar, Literal

from pydantic import Field

from memory.catalogue import ENGLISH, N_, _, speaking
from memory.store.recurrence import WORKDAYS, Daily, Monthly, Recurrence, Weekly, Yearly, cron, next_times
from memory.store.reminder_rows import Reminder, Timing, next_wall, retimed
from memory.store.wall_times import moment, shown, skip_notes, wall_of
from tools.tool import Arguments, Change, Context, Effect, Reminded, Tool, ToolError

MAX_LISTED = 30
MOST_MINUTES = 366 * 24 * 60
MOST_YEARS = 100
MORNING = time(9)
_MINUTE = timedelta(minutes=1)
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_AT = re.compile(
    r"(?:(?P<day>\d{4}-\d\d-\d\d)(?:[T ](?P<clock>\d\d?:\d\d)(?::\d\d(?:\.\d+)?)?)?|(?P<alone>\d\d?:\d\d)(?::\d\d)?)"
    r"\s*(?P<mark>Z|[+-]\d\d(?::?\d\d)?)?",
    re.IGNORECASE,
)
_ID = re.compile(r"n?([0-9]{1,18})", re.IGNORECASE)
HOW_AT = "write `at` as the member's local wall time, 2027-03-12T17:30, without a zone mark"


class RemindersArguments(Arguments):
    action: Literal["set", "list", "change", "snooze", "done", "delete"] = Field(description="what to do")
    id: str = Field(default="", description="the reminder's id (n12), for all but set and list")
    text: str = Field(default="", description="what to say then, in the member's language and words")
    at: str = Field(
        default="",
        description="the member's own local time as YYYY-MM-DDTHH:MM, never converted, no Z and no offset; HH:MM alone "
        "means the next such time",
    )
    in_minutes: int = Field(default=0, ge=0, le=MOST_MINUTES, description="instead of at: so many minutes from now")
    repeat: Literal["once", "daily", "weekdays", "weekly", "monthly", "yearly", "cron"] = Field(
        default="once", description="weekdays: Monday to Friday; the time of day is that of at"
    )
    every: int = Field(default=1, ge=1, description="daily, weekly, monthly: every so many days, weeks, months")
    weekdays: list[Day] = Field(default_factory=list, description="weekly: on which days; empty: the day of at")
    day: int = Field(default=0, ge=0, le=31, description="monthly: day of the month, 31 for the last; 0: the day of at")
    cron: str = Field(default="", description="cron: five fields, such as 0 9 * * mon-fri")


class RemindersTool(Tool):
    name: ClassVar[str] = "reminders"
    description: ClassVar[str] = (
        "Reminders the program sends the member at a time, word for word. Use `set` whenever the member asks to be "
        "reminded; without it nobody reminds them. Give the time as the member says it on their own clock (see Now); "
        "the program knows their zone. If day or hour is unclear, ask first. `list` shows ids; `change`, `snooze`, "
        "`done` and `delete` take one. The member gets a receipt from the program."
    )
    help_line: ClassVar[str] = N_("set reminders you ask for, and change them")
    arguments: ClassVar[type[Arguments]] = RemindersArguments
    effect: ClassVar[Effect] = "local"
    is_reference: ClassVar[bool] = True

    async def run(self, arguments: RemindersArguments, context: Context) -> dict[str, Any]:
        if arguments.action == "list":
            return await _list(context)
        if arguments.action == "set":
            return await _set(arguments, context)
        reminder = await _own(arguments.id, context)
        store, turn_id = context.space.reminders, context.turn_id
        match arguments.action:
            case "change":
                return await _change(reminder, arguments, context)
            case "snooze":
                timing, notes = _timing(arguments, context)
                if timing is None:
                    raise ToolError("snooze needs in_minutes or at")
                return _told(await store.snooze(reminder.id, timing, turn_id=turn_id), "put off", context, notes)
            case "done":
                return _told(await store.finish(reminder.id, turn_id=turn_id), "done", context)
            case "delete":
                return _told(await store.delete(reminder.id, turn_id=turn_id), "deleted", context)


async def _list(context: Context) -> dict[str, Any]:
    store = context.space.reminders
    waiting, rung = await store.waiting(), await store.rung()
    shown_ones = [_as_result(one, context) for one in [*waiting, *rung][:MAX_LISTED]]
    return {"reminders": shown_ones, "of": len(waiting) + len(rung), "zone": context.space.zone.key}


async def _set(arguments: RemindersArguments, context: Context) -> dict[str, Any]:
    timing, notes = _timing(arguments, context)
    if timing is None:
        raise ToolError(f"no time was given: {HOW_AT}, or in_minutes; if it is unclear when, ask the member")
    at = timing.moment(context.space.zone)
    for one in await context.space.reminders.set_in(context.turn_id):
        if (one.text, one.next_at, one.repeats) == (arguments.text.strip(), at, timing.repeats):
            raise ToolError(f"that is set already, as {one.ref}; set it once")
    added = await context.space.reminders.add(arguments.text, timing, context.asker, turn_id=context.turn_id)
    return _told(added, "set", context, notes)


async def _change(reminder: Reminder, arguments: RemindersArguments, context: Context) -> dict[str, Any]:
    alone = _AT.fullmatch(arguments.at.strip())
    if alone and alone["alone"] and arguments.repeat == "once":
        clock = _clock(alone["alone"])
        notes = _notes_on_mark(alone["mark"], datetime.combine(_today(context), clock), context)
        timing: Timing | None = retimed(reminder, clock, _now(context))
    else:
        timing, notes = _timing(arguments, context)
    if timing is None and not arguments.text.strip():
        raise ToolError("change needs another text or another time")
    changed = await context.space.reminders.change(
        reminder.id, text=arguments.text or None, timing=timing, turn_id=context.turn_id
    )
    return _told(changed, "changed", context, notes)


async def _own(ref: str, context: Context) -> Reminder:
    """Return a reminder that the member of this turn may change. Raises: ToolError, UnknownId."""
    match = _ID.fullmatch(ref.strip())
    if match is None:
        raise ToolError(f"{ref!r} is not the id of a reminder; it looks like n12, and `list` shows them")
    reminder = await context.space.reminders.reminder(int(match[1]))
    if context.space.is_shared and reminder.asker.by_id != context.asker.by_id:
        raise ToolError("somebody else set it; in a group only they may change it")
    return reminder


# Times


def _timing(arguments: RemindersArguments, context: Context) -> tuple[Timing | None, tuple[str, ...]]:
    """Return when, None where nothing says so, and what was taken for granted. Raises: ToolError, UnclearTime."""
    if arguments.in_minutes:
        if arguments.at or arguments.repeat != "once":
            raise ToolError("give either in_minutes or at, and with repeat only at")
        return Timing(at=context.space.clock.now() + arguments.in_minutes * _MINUTE), ()
    if arguments.repeat == "cron":
        rule: Recurrence = cron(arguments.cron, _now(context))
        return Timing(wall=rule.first(_now(context)), repeats=rule), ()
    if not arguments.at:
        if arguments.repeat != "once":
            raise ToolError(f"repeat needs the time of day in `at`: {HOW_AT}, or HH:MM")
        return None, ()
    wall, has_day, notes = _wall(arguments.at, context)
    if arguments.repeat == "once":
        return Timing(wall=wall), (*notes, *skip_notes(wall, context.space.zone))
    rule = _rule(arguments, wall)
    start = max(_now(context), wall - _MINUTE) if has_day else _now(context)
    return Timing(wall=rule.first(start), repeats=rule), notes


def _wall(at: str, context: Context) -> tuple[datetime, bool, tuple[str, ...]]:
    """Return the wall time, whether a day was given, and what is to be said about it. Raises: ToolError."""
    match = _AT.fullmatch(at.strip())
    if match is None:
        raise ToolError(f"{at!r} is no time: {HOW_AT}")
    said = match["clock"] or match["alone"]
    clock = _clock(said) if said else MORNING
    notes = () if said else (f"no hour was given, so it is {clock:%H:%M}",)
    wall = datetime.combine(_date(match["day"]), clock) if match["day"] else next_wall(clock, _now(context))
    if abs(wall.year - _now(context).year) > MOST_YEARS:
        raise ToolError(f"the year {wall.year} is too far away; look at Now and give the year that is meant")
    return wall, match["day"] is not None, (*notes, *_notes_on_mark(match["mark"], wall, context))


def _notes_on_mark(mark: str | None, wall: datetime, context: Context) -> tuple[str, ...]:
    """Return what is said about a zone mark on a wall time. Raises: ToolError for one of another zone."""
    if not mark:
        return ()
    zone = context.space.zone
    here = moment(wall, zone).astimezone(zone)
    digits = re.sub(r"\D", "", mark).ljust(4, "0")
    if mark.upper() == "Z" or digits == "0000":
        return (_("the mark {mark} was left out: the time is {zone} time").format(mark=mark, zone=zone.key),)
    if f"{here:%z}" != f"{mark[0]}{digits}":
        raise ToolError(f"{mark} is not the member's offset then ({here:%z}, {zone.key}): {HOW_AT}")
    return ()


def _rule(arguments: RemindersArguments, wall: datetime) -> Daily | Weekly | Monthly | Yearly:
    at, every = wall.time(), arguments.every
    match arguments.repeat:
        case "weekdays":
            return Weekly(weekdays=WORKDAYS, at=at)
        case "weekly":
            days = tuple(_DAYS.index(day) for day in arguments.weekdays) or (wall.weekday(),)
            return Weekly(weekdays=days, every=min(every, 52), at=at)
        case "monthly":
            return Monthly(day=arguments.day or wall.day, every=min(every, 12), at=at)
        case "yearly":
            return Yearly(month=wall.month, day=wall.day, at=at)
        case _:
            return Daily(every=min(every, 366), at=at)


def _clock(text: str) -> time:
    """Raises: ToolError."""
    hour, minute = map(int, text.split(":"))
    if hour > 23 or minute > 59:
        raise ToolError(f"there is no time {text}; hours go from 00 to 23")
    return time(hour, minute)


def _date(text: str) -> date:
    """Raises: ToolError."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"there is no day {text}; look at Now and give a day of the calendar") from error


def _now(context: Context) -> datetime:
    return wall_of(context.space.clock.now(), context.space.zone)


def _today(context: Context) -> date:
    return _now(context).date()


# Results


def _told(reminder: Reminder, change: Change, context: Context, notes: Sequence[str] = ()) -> dict[str, Any]:
    context.reminded.append(Reminded(reminder, change, tuple(notes)))
    note = {"note": "; ".join(notes)} if notes else {}
    return {change: reminder.ref, **_as_result(reminder, context), "zone": context.space.zone.key, **note}


def _as_result(reminder: Reminder, context: Context) -> dict[str, Any]:
    zone = context.space.zone
    by = {"by": reminder.asker.by} if reminder.asker.by else {}
    result: dict[str, Any] = {"id": reminder.ref, "text": reminder.text, "state": reminder.state, **by}
    with speaking(ENGLISH):
        if reminder.next_at is not None:
            result["local"] = shown(wall_of(reminder.next_at, zone))
        if reminder.repeats is not None and reminder.wall is not None:
            result["repeats"] = reminder.repeats.words
            result["next"] = next_times(reminder.repeats, reminder.wall, zone)
    return result
