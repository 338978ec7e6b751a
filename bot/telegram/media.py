"""Media: the bytes of what members send, fetched from Telegram."""

import asyncio

from telegram import Bot
from telegram.error import BadRequest, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.telegram.backoff import Backoff
from bot.telegram.connection import seconds_of
from bot.turn.attachments.downloads import MAX_DOWNLOAD_BYTES, NotFetched
from memory.ports import Clock
from memory.store.entries import Attachment

DEADLINE_S = 90.0
TRIES = 3
FIRST_WAIT_S, MOST_WAIT_S = 1.0, 10.0


class TelegramDownloads:
    """Implements `Downloads` over one bot."""

    def __init__(self, bot: Bot, clock: Clock) -> None:
        self._bot = bot
        self._clock = clock

    async def fetch(self, attachment: Attachment) -> bytes:
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await self._fetch(attachment)
        except TimeoutError:
            raise NotFetched("unreachable") from None

    async def _fetch(self, attachment: Attachment) -> bytes:
        waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        for number in range(1, TRIES + 1):
            try:
                return await self._try(attachment.file_id)
            except (NetworkError, RetryAfter) as error:
                if number == TRIES:
                    break
                await self._clock.sleep(seconds_of(error) if isinstance(error, RetryAfter) else waits.next_s())
        raise NotFetched("unreachable")

    async def _try(self, file_id: str) -> bytes:
        """Ask for the address of a file and read it. Raises: NotFetched; NetworkError, RetryAfter: try again."""
        try:
            file = await self._bot.get_file(file_id)
            if (file.file_size or 0) > MAX_DOWNLOAD_BYTES:
                raise NotFetched("too big")
            # The client says that of an address which is not there, too.
            return bytes(await file.download_as_bytearray())
        except (BadRequest, Forbidden, InvalidToken) as error:
            raise NotFetched("too big" if "too big" in error.message.lower() else "gone") from None
        except (NetworkError, RetryAfter):
            raise
        except (TelegramError, RuntimeError):
            raise NotFetched("gone") from None
