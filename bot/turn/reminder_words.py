"""What a member reads of a reminder: the message when it rings, the receipt of a change, one line of a list.

Pure. What was asked to be said is shown letter for letter. The data of a button is ids alone; what a press does is the
business of `bot/commands/reminders.py`.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.catalogue import MOMENT, N_, _, ngettext, written
from memory.store.entries import Button, Buttons, Lateness
from memory.store.recurrence import next_times
from memory.store.reminder_rows import Due, Reminder
from memory.store.wall_times import wall_of
from tools.tool import Change, Reminded

LATE_S = 5.0
"""From so many seconds on a reminder says when it was due."""
MAX_LINE_CHARS = 120
SNOOZES = ((N_("10 min"), "10"), (N_("1 h"), "60"), (N_("tomorrow"), "tomorrow"))
"""What can be chosen without typing, each with how it stands in the data of its button."""
CHANGED: Mapping[Change, str] = {
    "set": N_("⏰ Reminder {ref} set"),
    "changed": N_("⏰ Reminder {ref} changed"),
    "put off": N_("⏰ Reminder {ref} put off"),
    "done": N_("⏰ Reminder {ref} done"),
    "deleted": N_("⏰ Reminder {ref} deleted"),
    "restored": N_("⏰ Reminder {ref} restored"),
}
_SOON = {0: N_("today {time}"), 1: N_("tomorrow {time}")}
"""By how many days away it is."""
STATES = {"waiting": N_("waiting"), "rung": N_("rung"), "done": N_("done"), "deleted": N_("deleted")}


def rings(due: Due) -> Answer:
    """Return the message of a reminder whose time has come."""
    reminder = due.reminder
    name = f"{literal(reminder.asker.by)}: " if reminder.asker.by else ""
    return Answer(f"⏰ {name}{literal(reminder.text)}", (_done_or_later(reminder),), shows=(reminder.ref,))


def lateness(due: Due, zone: ZoneInfo) -> Lateness:
    """Return what is added when the message goes out late."""
    note = ngettext(
        "(Late: this was due on {when}.)", "(Late: this was due on {when}, the last of {count} times.)", due.count
    ).format(when=_shown(due.at, zone), count=due.count)
    return Lateness(after=due.at + timedelta(seconds=LATE_S), note=note)


def receipt(told: Reminded, zone: ZoneInfo, now: datetime) -> Answer:
    """Return the line about a change of a reminder, with its Undo and Edit."""
    reminder = told.reminder
    head = _(CHANGED[told.change]).format(ref=reminder.ref)
    when = _soon(reminder, zone, now) or when_words(reminder, zone)
    lines = [f"{head}: {when}" if when else f"{head}.", *(f"({note[:1].upper()}{note[1:]}.)" for note in told.notes)]
    return Answer("\n".join([*lines, quotation(reminder.text)]), _receipt_buttons(reminder), shows=(reminder.ref,))


def when_words(reminder: Reminder, zone: ZoneInfo) -> str:
    """Return when a reminder comes, with the weekday and the zone; "" for one that does not come any more."""
    if reminder.next_at is None:
        return ""
    local = _shown(reminder.next_at, zone)
    if reminder.repeats is None or reminder.wall is None:
        return f"{local} ({zone.key})"
    times = next_times(reminder.repeats, reminder.wall, zone)
    note = f" ({reminder.repeats.note})" if reminder.repeats.note else ""
    told = _("put off to {when}, then {rule}, next {times} ({zone})")
    if not reminder.is_snoozed:
        told = _("{rule}, next {times} ({zone})")
    return told.format(when=local, rule=f"{reminder.repeats.words}{note}", times=" · ".join(times), zone=zone.key)


def _soon(reminder: Reminder, zone: ZoneInfo, now: datetime) -> str:
    """Return when a single reminder comes today or tomorrow, with the zone; "" for all others."""
    if reminder.next_at is None or reminder.repeats is not None:
        return ""
    local = wall_of(reminder.next_at, zone)
    pattern = _SOON.get((local.date() - wall_of(now, zone).date()).days)
    return f"{_(pattern).format(time=f'{local:%H:%M}')} ({zone.key})" if pattern else ""


def list_line(reminder: Reminder, zone: ZoneInfo) -> str:
    """Return one line of a list."""
    by = f"{literal(reminder.asker.by)}: " if reminder.asker.by else ""
    return f"• **{reminder.ref}** {_short_when(reminder, zone)} · {by}{literal(_first_line(reminder.text))}"


def card(reminder: Reminder, zone: ZoneInfo) -> Answer:
    """Return all about one reminder, with what can be done."""
    by = [_("asked by {name}").format(name=literal(reminder.asker.by))] if reminder.asker.by else []
    when = when_words(reminder, zone) or _(STATES[reminder.state])
    lines = [" · ".join([f"**{reminder.ref}**", when, *by]), quotation(reminder.text)]
    if reminder.sent_due is not None:
        last = _("Last time: {when}.") if reminder.has_arrived else _("Last time: {when}; it has not arrived yet.")
        lines.append("\n" + last.format(when=_shown(reminder.sent_due, zone)))
    edit = Button(text=_("Edit"), data=f"nedit:{reminder.id}", typed=f"/reminders {reminder.ref} edit …")
    delete = Button(text=_("Delete"), data=f"ndel:{reminder.id}", typed=f"/reminders {reminder.ref} delete")
    open_row = (_done_or_later(reminder),) if reminder.state in ("waiting", "rung") else ()
    rows = (*open_row, (edit, delete), (Button(text=_("‹ All reminders"), data="nlist:1"),))
    return Answer("\n".join(lines), rows, shows=(reminder.ref,))


def tomorrow_of(reminder: Reminder, now: datetime, zone: ZoneInfo) -> datetime:
    """Return tomorrow at the time of day of a reminder, as a wall time."""
    at = reminder.wall or wall_of(reminder.sent_due or reminder.next_at or now, zone)
    return datetime.combine(wall_of(now, zone).date() + timedelta(days=1), at.time().replace(second=0, microsecond=0))


def _done_or_later(reminder: Reminder) -> tuple[Button, ...]:
    typed = f"/reminders {reminder.ref}"
    done = Button(text=_("Done"), data=f"ndone:{reminder.id}", typed=f"{typed} done")
    later = [
        Button(text=f"⏱ {_(text)}", data=f"nlater:{reminder.id}:{data}", typed=f"{typed} snooze {text}")
        for text, data in SNOOZES
    ]
    return (done, *later)


def _receipt_buttons(reminder: Reminder) -> Buttons:
    typed = f"/reminders {reminder.ref}"
    edit = Button(text=_("Edit"), data=f"nedit:{reminder.id}", typed=f"{typed} edit …")
    undo = Button(text=_("Undo"), data=f"nundo:{reminder.id}:{reminder.version}", typed=f"{typed} undo")
    return ((undo, edit) if reminder.can_undo else (edit,),)


def _short_when(reminder: Reminder, zone: ZoneInfo) -> str:
    if reminder.next_at is None:
        if reminder.sent_due is None:
            return _(STATES[reminder.state])
        return _("rang {when}").format(when=_shown(reminder.sent_due, zone))
    repeats = f", {reminder.repeats.words}" if reminder.repeats else ""
    return f"{_shown(reminder.next_at, zone)}{repeats}"


def _shown(at: datetime, zone: ZoneInfo) -> str:
    return written(wall_of(at, zone), MOMENT)


def _first_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_LINE_CHARS else f"{flat[: MAX_LINE_CHARS - 1]}…"
