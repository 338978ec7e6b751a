"""Reminder values: what is said when, for whom, and how a row of the store reads as one. Pure.

Nothing here is written; `ReminderStore` does that.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory.catalogue import N_
from memory.errors import MemberMustAct
from memory.store.database import Row, from_utc_text
from memory.store.recurrence import Cron, Recurrence, from_json
from memory.store.wall_times import UnclearTime, moment

State = Literal["waiting", "rung", "done", "deleted"]

MOST_CHARS = 1_000


class CannotRemind(MemberMustAct):
    """What is to be said is nothing, or too much."""


@dataclass(frozen=True)
class Timing:
    """When a reminder comes: exactly one of `wall` (naive, local) and `at` (aware); `repeats` goes with `wall`."""

    wall: datetime | None = None
    at: datetime | None = None
    repeats: Recurrence | None = None

    def moment(self, zone: ZoneInfo) -> datetime:
        """Return when it comes next, in UTC."""
        if self.wall is not None:
            return moment(self.wall, zone)
        assert self.at is not None
        return self.at


@dataclass(frozen=True)
class Asker:
    """Who asked for a reminder, and where in the chat they are told; all None: the space's own chat."""

    by: str | None = None
    by_id: int | None = None
    chat_id: int | None = None
    thread_id: int | None = None


@dataclass(frozen=True)
class Reminder:
    """One reminder. `next_at` is None unless it waits; `sent_due` is when what was said last was due, `has_arrived`
    whether it did.
    """

    id: int
    text: str
    state: State
    wall: datetime | None
    repeats: Recurrence | None
    next_at: datetime | None
    is_snoozed: bool
    asker: Asker
    sent_key: str | None
    sent_due: datetime | None
    has_arrived: bool
    version: int
    can_undo: bool

    @property
    def ref(self) -> str:
        return f"n{self.id}"


@dataclass(frozen=True)
class Due:
    """A reminder whose time has come: the last of its times so far, how many there were, and the next wall time."""

    reminder: Reminder
    at: datetime
    count: int
    next_wall: datetime | None


def retimed(reminder: Reminder, clock: time, now: datetime) -> Timing:
    """Return the timing of a reminder at another time of day: its rule stays, or its day if that lies ahead.

    `now` is a wall time. Raises: UnclearTime for a cron rule, which names its times itself.
    """
    rule = reminder.repeats
    if isinstance(rule, Cron):
        raise UnclearTime(
            N_("`{expression}` names its times itself; say the whole rule anew"), expression=rule.expression
        )
    if rule is not None:
        moved = rule.model_copy(update={"at": clock})
        return Timing(wall=moved.first(now), repeats=moved)
    day = reminder.wall.date() if reminder.wall is not None else now.date()
    wall = datetime.combine(day, clock)
    return Timing(wall=wall if wall > now else next_wall(clock, now))


def next_wall(clock: time, now: datetime) -> datetime:
    """Return the next wall time at which the clocks show a time of day: today's, or tomorrow's."""
    wall = datetime.combine(now.date(), clock)
    return wall if wall > now else wall + timedelta(days=1)


def checked_text(text: str) -> str:
    """Return what a reminder says, without the space around it. Raises: CannotRemind."""
    words = text.strip()
    if not words:
        raise CannotRemind(N_("say what the reminder is about, such as `/remind tomorrow 9:00 call the dentist`"))
    if len(words) > MOST_CHARS:
        raise CannotRemind(
            N_("a reminder holds at most {most} characters; this has {count}"), most=MOST_CHARS, count=len(words)
        )
    return words


def reminder_of(row: Row) -> Reminder:
    """Return a row as a value."""
    return Reminder(
        id=row["id"],
        text=row["text"],
        state=row["state"],
        wall=datetime.fromisoformat(row["wall"]) if row["wall"] else None,
        repeats=from_json(row["repeats"]) if row["repeats"] else None,
        next_at=from_utc_text(row["next_at"]) if row["next_at"] else None,
        is_snoozed=bool(row["is_snoozed"]),
        asker=Asker(row["by"], row["by_id"], row["chat_id"], row["thread_id"]),
        sent_key=row["sent_key"],
        sent_due=from_utc_text(row["sent_due"]) if row["sent_due"] else None,
        has_arrived=bool(row["has_arrived"]),
        version=row["version"],
        can_undo=row["was"] is not None or row["version"] == 1,
    )
