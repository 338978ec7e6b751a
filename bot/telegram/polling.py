"""Polling: updates fetched from Telegram by asking for them again and again.

Telegram forgets an update once a later one is asked for, so the offset moves only past what was taken. It is kept
nowhere: after a start Telegram gives again what it was not told to forget. No task is made of an update: a flood waits
at Telegram.
"""

import logging

from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from bot.health import Heartbeat, OutOfReach
from bot.telegram.backoff import Backoff
from bot.telegram.connection import Connection, seconds_of
from bot.telegram.intake import Take
from bot.telegram.retry import FIRST_WAIT_S, MOST_WAIT_S, REFUSED, until_done
from memory.ports import Clock

log = logging.getLogger(__name__)


class Polling:
    """The loop over one bot's updates; a `Source`."""

    def __init__(self, connection: Connection, clock: Clock, heartbeat: Heartbeat) -> None:
        self._connection = connection
        self._clock = clock
        self._heartbeat = heartbeat
        self._offset = 0
        self._poll_waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        self._take_waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        self._trouble: str | None = None

    async def run(self, take: Take) -> None:
        """Take updates for ever. Raises: OutOfReach when the token is refused."""
        # Polling is refused while a webhook is set. What waits at Telegram stays there for us.
        await until_done("delete webhook", self._connection.bot.delete_webhook, self._clock)
        while True:
            try:
                updates = await self._connection.updates(self._offset)
            except InvalidToken:
                raise OutOfReach(REFUSED) from None
            except TelegramError as error:
                await self._after_trouble(error)
                continue
            self._note_success()
            for update in updates:
                if not await take(update):
                    await self._clock.sleep(self._take_waits.next_s())
                    break
                self._take_waits.reset()
                self._offset = update["update_id"] + 1

    async def _after_trouble(self, error: TelegramError) -> None:
        """Wait before the next poll; a trouble of one kind is logged once, however long it lasts."""
        name = type(error).__name__
        if self._trouble != name:
            self._trouble = name
            log.warning("no updates from Telegram: error=%s; %s", name, _advice(error))
        wait_s = self._poll_waits.next_s()
        await self._clock.sleep(seconds_of(error) if isinstance(error, RetryAfter) else wait_s)

    def _note_success(self) -> None:
        if self._trouble is not None:
            log.info("updates from Telegram again")
            self._trouble = None
        self._poll_waits.reset()
        self._heartbeat.try_to_beat()


def _advice(error: TelegramError) -> str:
    if not isinstance(error, Conflict):
        return "polling goes on, with growing waits"
    if "webhook" in error.message.lower():
        return "another program set a webhook for this bot: stop it, then start this one anew"
    return "another program polls with the same token: stop it (each bot can be served by one program only)"
