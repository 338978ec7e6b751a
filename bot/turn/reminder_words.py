"""What a member reads of a reminder: the message when it rings, the receipt of a change, one line of a list.

Pure. What was asked to be said is shown letter for letter. The data of a button is ids alone; what a press does is the
business of `bot/commands/reminders.py`.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.store.mailbox import Button, Buttons, Lateness
from memory.store.recurrence import next_times
from memory.store.reminder_rows import Due, Reminder
from memory.store.wall_times import shown, wall_of
from tools.tool import Reminded

LATE_S = 5.0
"""From so many seconds on a reminder says when it was due."""
MAX_LINE_CHARS = 120
SNOOZES = (("10 min", "10"), ("1 h", "60"), ("tomorrow", "tomorrow"))
"""What can be chosen without typing, each with how it stands in the data of its button."""


def rings(due: Due) -> Answer:
    """Return the message of a reminder whose time has come."""
    reminder = due.reminder
    name = f"{literal(reminder.asker.by)}: " if reminder.asker.by else ""
    return Answer(f"⏰ {name}{literal(reminder.text)}", (_done_or_later(reminder),), shows=(reminder.ref,))


def lateness(due: Due, zone: ZoneInfo) -> Lateness:
    """Return what is added when the message goes out late."""
    more = f", the last of {due.count} times" if due.count > 1 else ""
    note = f"(Late: this was due on {shown(wall_of(due.at, zone))}{more}.)"
    return Lateness(after=due.at + timedelta(seconds=LATE_S), note=note)


def receipt(told: Reminded, zone: ZoneInfo) -> Answer:
    """Return the line about a change of a reminder, with its Undo and Edit."""
    reminder = told.reminder
    head = f"⏰ Reminder {reminder.ref} {told.change}"
    when = when_words(reminder, zone)
    lines = [f"{head}: {when}" if when else f"{head}.", *(f"({note[:1].upper()}{note[1:]}.)" for note in told.notes)]
    return Answer("\n".join([*lines, quotation(reminder.text)]), _receipt_buttons(reminder), shows=(reminder.ref,))


def when_words(reminder: Reminder, zone: ZoneInfo) -> str:
    """Return when a reminder comes, with the weekday and the zone; "" for one that does not come any more."""
    if reminder.next_at is None:
        return ""
    local = shown(wall_of(reminder.next_at, zone))
    if reminder.repeats is None or reminder.wall is None:
        return f"{local} ({zone.key})"
    times = next_times(reminder.repeats, reminder.wall, zone)
    put_off = f"put off to {local}, then " if reminder.is_snoozed else ""
    note = f" ({reminder.repeats.note})" if reminder.repeats.note else ""
    return f"{put_off}{reminder.repeats.words}{note}, next {' · '.join(times)} ({zone.key})"


def list_line(reminder: Reminder, zone: ZoneInfo) -> str:
    """Return one line of a list."""
    by = f"{literal(reminder.asker.by)}: " if reminder.asker.by else ""
    return f"• **{reminder.ref}** {_short_when(reminder, zone)} · {by}{literal(_first_line(reminder.text))}"


def card(reminder: Reminder, zone: ZoneInfo) -> Answer:
    """Return all about one reminder, with what can be done."""
    by = f" · asked by {literal(reminder.asker.by)}" if reminder.asker.by else ""
    when = when_words(reminder, zone) or reminder.state
    lines = [f"**{reminder.ref}** · {when}{by}", quotation(reminder.text)]
    if reminder.sent_due is not None:
        arrived = "" if reminder.has_arrived else "; it has not arrived yet"
        lines.append(f"\nLast time: {shown(wall_of(reminder.sent_due, zone))}{arrived}.")
    edit = Button(text="Edit", data=f"nedit:{reminder.id}", typed=f"/reminders {reminder.ref} edit …")
    delete = Button(text="Delete", data=f"ndel:{reminder.id}", typed=f"/reminders {reminder.ref} delete")
    open_row = (_done_or_later(reminder),) if reminder.state in ("waiting", "rung") else ()
    rows = (*open_row, (edit, delete), (Button(text="‹ All reminders", data="nlist:1"),))
    return Answer("\n".join(lines), rows, shows=(reminder.ref,))


def tomorrow_of(reminder: Reminder, now: datetime, zone: ZoneInfo) -> datetime:
    """Return tomorrow at the time of day of a reminder, as a wall time."""
    at = reminder.wall or wall_of(reminder.sent_due or reminder.next_at or now, zone)
    return datetime.combine(wall_of(now, zone).date() + timedelta(days=1), at.time().replace(second=0, microsecond=0))


def _done_or_later(reminder: Reminder) -> tuple[Button, ...]:
    typed = f"/reminders {reminder.ref}"
    done = Button(text="Done", data=f"ndone:{reminder.id}", typed=f"{typed} done")
    later = [
        Button(text=f"⏱ {text}", data=f"nlater:{reminder.id}:{data}", typed=f"{typed} snooze {text}")
        for text, data in SNOOZES
    ]
    return (done, *later)


def _receipt_buttons(reminder: Reminder) -> Buttons:
    edit = Button(text="Edit", data=f"nedit:{reminder.id}", typed=f"/reminders {reminder.ref} edit …")
    undo = Button(text="Undo", data=f"nundo:{reminder.id}:{reminder.version}", typed=f"/reminders {reminder.ref} undo")
    return ((undo, edit) if reminder.can_undo else (edit,),)


def _short_when(reminder: Reminder, zone: ZoneInfo) -> str:
    if reminder.next_at is None:
        return f"rang {shown(wall_of(reminder.sent_due, zone))}" if reminder.sent_due else reminder.state
    repeats = f", {reminder.repeats.words}" if reminder.repeats else ""
    return f"{shown(wall_of(reminder.next_at, zone))}{repeats}"


def _first_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_LINE_CHARS else f"{flat[: MAX_LINE_CHARS - 1]}…"
