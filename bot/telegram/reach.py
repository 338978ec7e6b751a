"""Reach: whether Telegram answers, knows the operator, and brings updates the way the settings say. For `doctor`."""

from urllib.parse import urlsplit

from telegram import Bot, WebhookInfo
from telegram.error import BadRequest, InvalidToken, RetryAfter, TelegramError

from bot.health import OutOfReach
from bot.settings import Settings
from bot.telegram.connection import Connection, seconds_of
from bot.telegram.retry import REFUSED
from bot.telegram.webhook import is_same, stuck

ANSWER_S = 4.0
"""Three questions fit into the time that `doctor` gives a service."""


async def reach_telegram(settings: Settings) -> str:
    """Ask Telegram who the bot is and how it is served, and return that in a few words. Raises: OutOfReach."""
    connection = Connection(settings, answer_s=ANSWER_S)
    try:
        await connection.open()
        name = f"answers as @{connection.bot.username}"
        await _ask_for_operator(connection.bot, settings, name)
        info = await connection.bot.get_webhook_info()
    except InvalidToken:
        raise OutOfReach(REFUSED) from None
    except RetryAfter as error:
        raise OutOfReach(f"wants to be left alone for {seconds_of(error):.0f} s; try again then") from None
    except TelegramError as error:
        raise OutOfReach(f"no answer ({type(error).__name__}); check the network and TELEGRAM_BASE_URL") from None
    finally:
        await connection.close()
    return f"{name}{_served(info, settings.telegram_webhook_url, name)}"


async def _ask_for_operator(bot: Bot, settings: Settings, name: str) -> None:
    """Raises: OutOfReach when the operator and the bot have never met; TelegramError."""
    operator_id = settings.telegram_owner_id
    assert operator_id is not None
    try:
        await bot.get_chat(operator_id)
    except BadRequest:
        raise OutOfReach(
            f"{name}, but has not met the person of TELEGRAM_OWNER_ID: open https://t.me/{bot.username} and press "
            "Start; if you did, the id is not yours"
        ) from None


def _served(info: WebhookInfo, url: str | None, name: str) -> str:
    """Return how updates come. Raises: OutOfReach when they do not come as the settings say."""
    if url is None:
        if info.url:
            raise OutOfReach(
                f"{name}, but brings updates to {_host(info.url)}, and polling gets none: the start of the server "
                "ends that; if another program serves this bot, stop it"
            )
        return ""
    if not info.url:
        return "; no webhook yet: the server sets it when it starts"
    if not is_same(info.url, url):
        raise OutOfReach(
            f"{name}, but brings updates to {_host(info.url)} and not to TELEGRAM_WEBHOOK_URL: start the server, which "
            "sets it; if another program serves this bot, stop it"
        )
    trouble = stuck(info)
    if trouble is not None:
        raise OutOfReach(
            f"{name}. {trouble}; check that the server runs and that TELEGRAM_WEBHOOK_URL leads by https to "
            "TELEGRAM_WEBHOOK_LISTEN"
        )
    return f", by webhook, {info.pending_update_count} waiting"


def _host(url: str) -> str:
    """Return where an address leads, without its path: that may be a secret of its owner."""
    return urlsplit(url).hostname or "another address"
