"""Connection: the client of the Bot API with our deadlines, and the raw poll beside it.

The client's own `get_updates` reads a batch as one, so that one update it does not understand would hold up all that
come after it; `updates` returns the JSON as it came. Nothing here waits or tries again.
"""

import json
import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal, TypeGuard
from urllib.parse import urlencode

import httpx
from telegram import Bot
from telegram.error import RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from bot.settings import Settings

POLL_S = 25
ANSWER_S = 25.0
"""An answer that comes later than this may still come from a message that arrived, so it is worth some patience."""
CONNECT_S = 10.0
CONNECTIONS = 64
BATCH = 100
Kind = Literal["message", "edited_message", "callback_query", "message_reaction", "my_chat_member"]
KINDS: tuple[Kind, ...] = ("message", "edited_message", "callback_query", "message_reaction", "my_chat_member")

_NEVER_LEFT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)

RawUpdate = dict[str, Any]


class _Request(HTTPXRequest):
    """The client's transport, which would otherwise write an answer it cannot read into the log, texts and all."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(payload)
        except (ValueError, RecursionError):
            raise TelegramError("the answer is no JSON") from None
        if not isinstance(answer, dict) or ("result" not in answer and answer.get("ok") is not False):
            raise TelegramError("the answer has another form")
        return answer


class Connection:
    """The way to one bot. Making it opens nothing; `open` does, and `close` must follow."""

    def __init__(self, settings: Settings, *, answer_s: float = ANSWER_S) -> None:
        assert settings.telegram_bot_token is not None
        # The client warns at each 429 unless it may say the wait in its coming way.
        os.environ.setdefault("PTB_TIMEDELTA", "true")
        self._polls = _request(1, answer_s)
        self.bot = Bot(
            settings.telegram_bot_token.get_secret_value(),
            request=_request(CONNECTIONS, answer_s),
            get_updates_request=self._polls,
            base_url=settings.telegram_base_url or "https://api.telegram.org/bot",
            base_file_url=settings.telegram_base_file_url or "https://api.telegram.org/file/bot",
        )

    async def open(self) -> None:
        """Ask Telegram who we are. May be called again after a failure.

        Raises: TelegramError; the message of an InvalidToken holds the token.
        """
        await self.bot.initialize()

    async def close(self) -> None:
        await self.bot.shutdown()

    async def updates(self, offset: int) -> Sequence[RawUpdate]:
        """Wait up to `POLL_S` seconds for updates from `offset` on, which confirms all before it.

        Each has a whole number as its `update_id`; nothing else about it is sure. Raises: TelegramError.
        """
        query = urlencode({
            "offset": offset,
            "limit": BATCH,
            "timeout": POLL_S,
            "allowed_updates": json.dumps(KINDS),
        })  # fmt: skip
        payload = await self._polls.retrieve(f"{self.bot.base_url}/getUpdates?{query}", read_timeout=POLL_S + 10)
        updates = _Request.parse_json_payload(payload).get("result")
        if not isinstance(updates, list) or not all(is_update(update) for update in updates):
            raise TelegramError("the updates have another form")
        return updates


def seconds_of(error: RetryAfter) -> float:
    """Return how long Telegram wants to be left alone."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def certainly_failed(error: TelegramError) -> bool:
    """Whether the request never reached the other side."""
    return isinstance(error.__cause__, _NEVER_LEFT)


def _request(connections: int, answer_s: float) -> _Request:
    return _Request(
        connection_pool_size=connections,
        read_timeout=answer_s,
        write_timeout=answer_s,
        connect_timeout=CONNECT_S,
        pool_timeout=CONNECT_S,
    )


def is_update(update: object) -> TypeGuard[RawUpdate]:
    """Whether a value is an update as far as that is sure: it has a number."""
    return isinstance(update, dict) and type(update.get("update_id")) is int
