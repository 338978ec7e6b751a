"""Reminding: puts the reminders whose time has come into the outbox, each once, and says when to look again.

The message and the reminder's next time commit together, so whatever crashes it is neither lost nor said twice; the
outbox takes it to the member. No model is asked. A time that was missed comes late, once, and says so.
"""

from datetime import datetime, timedelta

from bot.turn.answer import formed
from bot.turn.reminder_words import lateness, rings
from bot.turn.screen import Screen
from memory.space import Space
from memory.store.database import to_utc_text
from memory.store.entries import Entry
from memory.store.reminder_rows import Asker, Due

LOOK_S = 60.0
"""The longest sleep: the clock of a host may have been set, or have slept, meanwhile."""


class Reminding:
    """The reminders of one space."""

    def __init__(self, space: Space, screen: Screen) -> None:
        self._space = space
        self._screen = screen

    async def ring(self) -> bool:
        """Queue the message of every reminder that is due; False when none was.

        Raises: OperatorMustAct when it could not be stored.
        """
        store, now = self._space.reminders, self._space.clock.now()
        next_at = await store.next_time()
        if next_at is None or (next_at > now and not await store.is_elsewhere()):
            return False
        async with self._space.db.transaction():
            await store.move()
            all_due = await store.due()
            for due in all_due:
                await self._ring(due)
        return bool(all_due)

    async def next_time(self) -> datetime | None:
        """Return when to look again; None while no reminder waits."""
        next_at = await self._space.reminders.next_time()
        return None if next_at is None else min(next_at, self._space.clock.now() + timedelta(seconds=LOOK_S))

    async def _ring(self, due: Due) -> None:
        reminder, asker = due.reminder, due.reminder.asker
        if reminder.sent_key is not None:
            # Of a reminder that could not be delivered for long, the newest is enough.
            await self._space.mailbox.withdraw(reminder.sent_key)
        key = f"remind:{reminder.id}:{to_utc_text(due.at)}"
        for number, message in enumerate(formed(self._screen, rings(due), None, for_member=asker.by_id)):
            where = {"chat_id": asker.chat_id, "thread_id": asker.thread_id, "late": lateness(due, self._space.zone)}
            # What is longer than one message is numbered; the first is what the reminder is known by.
            await self._space.mailbox.post(f"{key}:{number}" if number else key, message.model_copy(update=where))
        await self._space.reminders.ring(due, key)


def asker_of(space: Space, entry: Entry) -> Asker:
    """Return who asks by an entry, and where they are to be told; names matter only where several people speak."""
    return Asker(entry.author if space.is_shared else None, entry.author_id, entry.chat_id, entry.thread_id)
