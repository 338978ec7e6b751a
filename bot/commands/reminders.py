"""What a member does with reminders: set, list and read them, put them off, mark them done, edit, delete, take back.

Each is reached by a button and by a typed command, and both end in the same method. When a time comes is not decided
here (`bot/turn/reminding.py`); here is only what a member wants and what they are told of it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from bot.commands.facts import Press
from bot.commands.menus import page_of, turning
from bot.commands.rights import Rights
from bot.turn.answer import Answer
from bot.turn.reminder_words import card, list_line, receipt, tomorrow_of
from bot.turn.reminding import asker_of
from memory.catalogue import N_, _, ngettext
from memory.ledger.asked_times import HOW, Asked, read_asked
from memory.space import Space
from memory.store.entries import Button, Entry
from memory.store.reminder_rows import CannotRemind, Reminder, Timing, retimed
from memory.store.wall_times import UnclearTime, wall_of
from tools.tool import Change, Reminded

A_PAGE = 8
A_ROW = 4
ADD_HOW = N_(
    "What shall I remind you of, and when? Reply to this message, or send for example:\n"
    "• `/remind tomorrow 9:00 call the dentist`\n"
    "• `/remind in 20 minutes tea`\n"
    "• `/remind every weekday at 9 standup` (also `every Monday`, `daily at 18:00`, `monthly on the 31st`, "
    "`on the last day of each month`, `every 29 February`)\n"
    "• `/remind 0 9 * * mon-fri standup` (cron; 0 and 7 are Sunday)"
)
NO_REMINDERS = N_("No reminder waits.")
HOW_TO = N_(
    "`/reminders` lists them, `/reminders n12` shows one, `/reminders n12 done`, `… snooze 10 min` (or `1 h`, "
    "`tomorrow`, any time), `… edit` and the new time or text, `… delete`, `… undo`."
)
STALE = N_("That was changed since, or its time is over; /reminders shows how it is now.")
EDIT_HOW = N_("Reply to this message with the new time, the new text or both.")
UNTIL_HOW = N_("say until when: `10 min`, `1 h`, `tomorrow` or a time such as `18:00`")

_REF = re.compile(r"n([0-9]{1,18})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")
_SNOOZE = re.compile(r"(?P<count>[0-9]{1,4})\s*(?P<unit>min\w*|m|h|hours?|std|stunden?|ч\w*|мин\w*)?", re.IGNORECASE)
_TOMORROW = re.compile(r"tomorrow|morgen|завтра", re.IGNORECASE)


class ReminderCommands:
    """/remind, /reminders and the buttons of reminders, in one space. Every write joins the caller's transaction."""

    def __init__(self, space: Space, rights: Rights) -> None:
        self._space = space
        self._rights = rights
        self._store = space.reminders

    def presses(self) -> dict[str, Press]:
        """Return the handlers of presses, and of awaited replies, by prefix."""
        return {
            "nadd": self._take_reply,
            "nlist": self._press_page,
            "ncard": self._press_card,
            "ndone": self._press_done,
            "nlater": self._press_later,
            "nedit": self._press_edit,
            "ndel": self._press_delete,
            "nundo": self._press_undo,
        }

    # Typed

    async def remind(self, rest: str, entry: Entry) -> Answer:
        """Answer `/remind tomorrow 9:00 call the dentist`. Raises: UnclearTime, CannotRemind."""
        if not rest:
            return Answer(_(ADD_HOW), awaits="nadd:")
        asked = read_asked(rest, entry.at, self._space.zone)
        if asked.timing is None:
            raise UnclearTime(HOW)
        added = await self._store.add(asked.text, asked.timing, asker_of(self._space, entry))
        return self._told(added, "set", asked.notes)

    async def reminders(self, rest: str, entry: Entry) -> Answer:
        """Answer `/reminders`, `/reminders 2`, `… n12`, `… n12 done`, and so on.

        Raises: UnknownId, UnclearTime, CannotRemind, NotTheirs.
        """
        first, *more = rest.split(maxsplit=1)[:2] or [""]
        match = _REF.fullmatch(first)
        if match:
            return await self._about(await self._store.reminder(int(match[1])), more[0] if more else "", entry)
        if first == "" or (_NUMBER.fullmatch(first) and not more):
            return await self._page(int(first or 1))
        return Answer(_(HOW_TO))

    async def _about(self, reminder: Reminder, asked: str, entry: Entry) -> Answer:
        verb, _space, rest = asked.partition(" ")
        match verb.lower():
            case "":
                return card(reminder, self._space.zone)
            case "done":
                return await self._done(reminder, entry)
            case "snooze":
                return await self._put_off(reminder, self._snooze(rest.strip(), reminder, entry), entry)
            case "edit":
                return await self._edited(reminder, rest, entry) if rest.strip() else self._edit_question(reminder)
            case "delete":
                return await self._deleted(reminder, entry)
            case "undo":
                return await self._undone(reminder, reminder.version, entry)
            case _other:
                return Answer(_(HOW_TO))

    # Pressed

    async def _take_reply(self, entry: Entry, rest: str) -> Answer:
        return await self.remind(entry.text, entry) if entry.kind == "message" else Answer()

    async def _press_page(self, entry: Entry, rest: str) -> Answer:
        return replace(await self._page(int(rest) if _NUMBER.fullmatch(rest) else 1), where="instead")

    async def _press_card(self, entry: Entry, rest: str) -> Answer:
        return replace(card(await self._reminder(rest), self._space.zone), where="instead")

    async def _press_done(self, entry: Entry, rest: str) -> Answer:
        return replace(await self._done(await self._reminder(rest), entry), is_spent=True)

    async def _press_later(self, entry: Entry, rest: str) -> Answer:
        number, _, until = rest.partition(":")
        reminder = await self._reminder(number)
        return replace(await self._put_off(reminder, self._snooze(until, reminder, entry), entry), is_spent=True)

    async def _press_edit(self, entry: Entry, rest: str) -> Answer:
        """Ask for the new time or text, and take the reply that brings it."""
        reminder = await self._reminder(rest)
        if entry.kind == "message":
            return await self._edited(reminder, entry.text, entry)
        return self._edit_question(reminder)

    async def _press_delete(self, entry: Entry, rest: str) -> Answer:
        return replace(await self._deleted(await self._reminder(rest), entry), is_spent=True)

    async def _press_undo(self, entry: Entry, rest: str) -> Answer:
        number, _, version = rest.partition(":")
        reminder = await self._reminder(number)
        of = int(version) if _NUMBER.fullmatch(version) else 0
        return replace(await self._undone(reminder, of, entry), is_spent=True)

    # Done

    async def _page(self, number: int) -> Answer:
        waiting, rung = await self._store.waiting(), await self._store.rung()
        found = [*waiting, *rung]
        if not found:
            return Answer(f"{_(NO_REMINDERS)} {_(ADD_HOW)}", awaits="nadd:")
        last = -(-len(found) // A_PAGE)
        at = min(max(number, 1), last)
        shown = found[(at - 1) * A_PAGE : at * A_PAGE]
        lines = [list_line(one, self._space.zone) for one in shown]
        how = _("`/reminders {ref}` shows one, `/remind` sets one").format(ref=shown[0].ref)
        turned = [page_of(at, last)] if last > 1 else []
        foot = " · ".join([_counts(len(waiting), len(rung)), self._space.zone.key, *turned, how])
        text = "\n".join([*lines, "", foot])
        turns = turning(at, last, lambda page: (f"nlist:{page}", f"/reminders {page}"))
        return Answer(text, (*_rows(shown), *turns), shows=tuple(one.ref for one in shown))

    async def _done(self, reminder: Reminder, entry: Entry) -> Answer:
        self._rights.over_own(reminder.asker.by_id, entry)
        finished = await self._store.finish(reminder.id)
        await self._forgo(reminder)
        return self._told(finished, "done")

    async def _put_off(self, reminder: Reminder, timing: Timing, entry: Entry) -> Answer:
        self._rights.over_own(reminder.asker.by_id, entry)
        return self._told(await self._store.snooze(reminder.id, timing), "put off")

    async def _edited(self, reminder: Reminder, text: str, entry: Entry) -> Answer:
        self._rights.over_own(reminder.asker.by_id, entry)
        asked = read_asked(text, entry.at, self._space.zone)
        if asked.timing is None and not asked.text:
            raise CannotRemind(EDIT_HOW)
        timing = self._new_timing(reminder, asked)
        changed = await self._store.change(reminder.id, text=asked.text or None, timing=timing)
        return self._told(changed, "changed", asked.notes)

    def _new_timing(self, reminder: Reminder, asked: Asked) -> Timing | None:
        """Return the new timing: with a time of day alone, the rule or the day stays. Raises: UnclearTime."""
        if asked.clock is None:
            return asked.timing
        return retimed(reminder, asked.clock, wall_of(self._space.clock.now(), self._space.zone))

    async def _deleted(self, reminder: Reminder, entry: Entry) -> Answer:
        self._rights.over_own(reminder.asker.by_id, entry)
        deleted = await self._store.delete(reminder.id)
        await self._forgo(reminder)
        return self._told(deleted, "deleted")

    async def _undone(self, reminder: Reminder, version: int, entry: Entry) -> Answer:
        self._rights.over_own(reminder.asker.by_id, entry)
        undone = await self._store.undo(reminder.id, version)
        if undone is None:
            return Answer(_(STALE))
        return self._told(undone, "deleted" if undone.state == "deleted" else "restored")

    async def _forgo(self, reminder: Reminder) -> None:
        """Let a message of it that has not been sent yet stay unsent."""
        if reminder.sent_key is not None:
            await self._space.mailbox.withdraw(reminder.sent_key)

    def _snooze(self, until: str, reminder: Reminder, entry: Entry) -> Timing:
        """Return the time to which a member puts a reminder off. Raises: UnclearTime."""
        now, zone = self._space.clock.now(), self._space.zone
        match = _SNOOZE.fullmatch(until.removeprefix("for ").removeprefix("in "))
        if match:
            is_hours = (match["unit"] or "m").lower().startswith(("h", "st", "ч"))
            return Timing(at=now + timedelta(minutes=int(match["count"]) * (60 if is_hours else 1)))
        if _TOMORROW.fullmatch(until):
            return Timing(wall=tomorrow_of(reminder, now, zone))
        timing = read_asked(until, entry.at, zone).timing
        if timing is None or timing.repeats is not None:
            raise UnclearTime(UNTIL_HOW)
        return timing

    def _edit_question(self, reminder: Reminder) -> Answer:
        shown = card(reminder, self._space.zone)
        return Answer(f"{_(EDIT_HOW)}\n{shown.text}", awaits=f"nedit:{reminder.id}", shows=(reminder.ref,))

    def _told(self, reminder: Reminder, change: Change, notes: Sequence[str] = ()) -> Answer:
        told = Reminded(reminder, change, tuple(notes))
        return receipt(told, self._space.zone, self._space.clock.now())

    async def _reminder(self, number: str) -> Reminder:
        """Raises: UnknownId."""
        return await self._store.reminder(int(number) if _NUMBER.fullmatch(number) else 0)


def _counts(waiting: int, rung: int) -> str:
    counts = [ngettext("{count} waits", "{count} wait", waiting).format(count=waiting)]
    if rung:
        counts.append(
            ngettext("{count} rang and is not done", "{count} rang and are not done", rung).format(count=rung)
        )
    return ", ".join(counts)


def _rows(shown: Sequence[Reminder]) -> list[tuple[Button, ...]]:
    cards = [Button(text=one.ref, data=f"ncard:{one.id}") for one in shown]
    return [tuple(cards[start : start + A_ROW]) for start in range(0, len(cards), A_ROW)]
