"""Line: what a failed call of the Bot API means for one space's messages, and when Telegram is to be left alone.

Every failure becomes a `DeliveryFault`, named by what is known: it did certainly not arrive, it can never arrive, it
may have arrived. Nothing is sent here.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from bot.telegram.backoff import Backoff
from bot.telegram.chats import ChatStore
from bot.telegram.connection import certainly_failed, seconds_of
from bot.turn.screen import DeliverLater, DeliveryUnknown
from memory.ports import Clock

log = logging.getLogger(__name__)

FIRST_WAIT_S, MOST_WAIT_S = 2.0, 300.0
PAUSED_S = 86_400.0
"""How long a blocked chat's message waits at most; it goes out at once when the member comes back."""
NEW_TOKEN_WAIT_S = 60.0
BLOCKED = "the member blocked the bot"


class Line:
    """The line of one space to Telegram. While it is to be left alone (`is_quiet`), it makes no call."""

    def __init__(self, space_id: str, chats: ChatStore, clock: Clock) -> None:
        self._space_id = space_id
        self._chats = chats
        self._clock = clock
        self._backoff = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        self._quiet_until: datetime | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether Telegram asked to be left alone, or is out of reach, and that time is not over."""
        return self._quiet_until is not None and self._clock.now() < self._quiet_until

    @asynccontextmanager
    async def mapped(self, chat_id: int | None, *, is_harmless: bool) -> AsyncIterator[None]:
        """Map what a call of the Bot API raises; `is_harmless` if doing it twice changes nothing.

        Raises: DeliverLater, DeliveryUnknown; BadRequest and ChatMigrated as they are.
        """
        if self._quiet_until is not None and self.is_quiet:
            raise DeliverLater(self._quiet_until, "Telegram is left alone")
        try:
            yield
        except (BadRequest, ChatMigrated):
            self._backoff.reset()
            raise
        except Forbidden as error:
            if chat_id is not None:
                log.info("chat paused: space=%s", self._space_id)
                await self._chats.pause(chat_id)
            raise self.paused() from error
        except RetryAfter as error:
            raise self._quiet(seconds_of(error), "Telegram asked to wait") from error
        except InvalidToken as error:
            raise self._quiet(NEW_TOKEN_WAIT_S, "the token is refused") from error
        except TelegramError as error:
            if is_harmless or certainly_failed(error):
                raise self._quiet(self._backoff.next_s(), "Telegram is out of reach") from error
            raise DeliveryUnknown(type(error).__name__) from error
        else:
            self._backoff.reset()

    def paused(self) -> DeliverLater:
        """Return what holds for a chat whose member blocked the bot."""
        return DeliverLater(self._after(PAUSED_S), BLOCKED)

    def _quiet(self, seconds: float, reason: str) -> DeliverLater:
        """Make no call for a while."""
        self._quiet_until = self._after(seconds)
        return DeliverLater(self._quiet_until, reason)

    def _after(self, seconds: float) -> datetime:
        return self._clock.now() + timedelta(seconds=seconds)
