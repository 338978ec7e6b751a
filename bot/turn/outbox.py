"""Delivery: takes what waits in a space's outbox to the member, in order, and writes down what became of it."""

import logging
from datetime import datetime

from bot.turn.screen import DeliverLater, DeliverNever, DeliveryUnknown, Screen
from memory.space import Space
from memory.store.mailbox import OutRow

log = logging.getLogger(__name__)

MOST_COMPLETIONS = 10
"""Giving a message that stands in the chat its new form may be repeated at will, but not for ever."""


class Delivery:
    """Drains the outbox of one space. A row is `sending` before it leaves; what may have arrived is sent once more."""

    def __init__(self, space: Space, screen: Screen) -> None:
        self._space = space
        self._screen = screen

    async def drain(self) -> datetime | None:
        """Send all that waits, in order; return when to come back if something must wait, else None."""
        for row in await self._space.mailbox.undelivered():
            if row.not_before is not None and row.not_before > self._space.clock.now():
                return row.not_before
            later = await self._send(row)
            if later is not None:
                return later
        return None

    async def _send(self, row: OutRow) -> datetime | None:
        is_repeat = row.place is None and row.attempts > 0
        if row.attempts > (1 if is_repeat else MOST_COMPLETIONS):
            await self._give_up(row, "unconfirmed too often")
            return None
        async with self._space.db.transaction():
            await self._space.mailbox.mark_sending(row.id)
        message = row.message.sent_at(self._space.clock.now())
        try:
            place = await self._screen.deliver(row.model_copy(update={"message": message}), is_repeat=is_repeat)
        except DeliverLater as fault:
            async with self._space.db.transaction():
                await self._space.mailbox.postpone(row.id, fault.not_before, fault.reason)
            return fault.not_before
        except DeliverNever as fault:
            await self._give_up(row, str(fault))
            return None
        except DeliveryUnknown:
            log.warning("delivery unconfirmed: out=%s", row.id)
            return self._space.clock.now()
        async with self._space.db.transaction():
            await self._space.mailbox.mark_sent(row.id, place)
        return None

    async def _give_up(self, row: OutRow, reason: str) -> None:
        log.warning("message given up: out=%s reason=%s", row.id, reason)
        async with self._space.db.transaction():
            await self._space.mailbox.drop(row.id, reason)
