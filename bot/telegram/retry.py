"""Retry: a call of the Bot API that is repeated until it succeeds, however long that takes."""

import logging
from collections.abc import Awaitable, Callable

from telegram.error import BadRequest, InvalidToken, RetryAfter, TelegramError

from bot.health import OutOfReach
from bot.telegram.backoff import Backoff
from bot.telegram.connection import seconds_of
from memory.ports import Clock

log = logging.getLogger(__name__)

FIRST_WAIT_S, MOST_WAIT_S = 1.0, 60.0

REFUSED = (
    "Telegram does not accept the bot token; set TELEGRAM_BOT_TOKEN to the one BotFather shows"
    " (and check TELEGRAM_BASE_URL, if it is set)"
)


async def until_done(name: str, call: Callable[[], Awaitable[object]], clock: Clock) -> None:
    """Repeat a call with growing waits, or those that Telegram names; what fails is logged once.

    Raises: OutOfReach when the token is refused.
    """
    waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
    is_told = False
    while True:
        try:
            await call()
        except InvalidToken:
            raise OutOfReach(REFUSED) from None
        except TelegramError as error:
            if not is_told:
                log.warning("Telegram not reached, trying on: call=%s error=%s", name, said_by(error))
            is_told = True
            wait_s = waits.next_s()
            await clock.sleep(seconds_of(error) if isinstance(error, RetryAfter) else wait_s)
        else:
            return


def said_by(error: TelegramError) -> str:
    """Return the name of an error and, where Telegram refused what we sent, its reason."""
    name = type(error).__name__
    return f"{name} ({error.message})" if isinstance(error, BadRequest) else name
