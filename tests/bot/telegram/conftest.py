"""A fake Telegram and the real client on it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from telegram import Bot
from telegram.request import HTTPXRequest

from bot.telegram.chats import ChatStore
from bot.telegram.delivery import Sender
from bot.telegram.screen import TelegramScreen
from bot.turn.outbox import Delivery
from memory.space import Space
from memory.store.database import Database
from tests.bot.telegram.chat import Chat
from tests.bot.telegram.house import OWNER, HeldClock
from tests.bot.turn.house import ZONE
from tests.fakes.blank import lay_blank
from tests.fakes.telegram import FakeTelegram


@pytest.fixture(autouse=True)
def _waits_as_timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's coming way to give `retry_after`; the old one warns at each 429."""
    monkeypatch.setenv("PTB_TIMEDELTA", "true")


@pytest.fixture
def telegram() -> Iterator[FakeTelegram]:
    with FakeTelegram() as server:
        server.open_chat(7)
        yield server


@pytest.fixture
async def bot(telegram: FakeTelegram) -> AsyncIterator[Bot]:
    async with client_of(telegram) as client:
        yield client


@pytest.fixture(params=[OWNER])
async def chat(request: pytest.FixtureRequest, telegram: FakeTelegram, tmp_path: Path) -> AsyncIterator[Chat]:
    clock = HeldClock()
    telegram.open_chat(request.param, topics=(55,))
    await lay_blank(tmp_path / "bot.db", "bot")
    await lay_blank(tmp_path / str(request.param) / "memory.db")
    shared = await Database.open(tmp_path / "bot.db", "bot", clock=clock, backups=tmp_path)
    space = await Space.open(tmp_path / str(request.param), default_zone=ZONE, clock=clock, backups=tmp_path)
    async with client_of(telegram, read_timeout_s=0.5) as bot:
        chats = ChatStore(shared, clock)
        screen = TelegramScreen(
            space, Sender(space.id, bot, chats, clock, picture=space.media.read, file=space.files.read)
        )
        yield Chat(telegram, clock, space, screen, Delivery(space, screen), chats, request.param)
        await screen.end()
    await space.close()
    await shared.close()


def client_of(telegram: FakeTelegram, *, token: str | None = None, read_timeout_s: float = 5.0) -> Bot:
    """Return python-telegram-bot's client (not yet initialised) for the server."""
    plain_http = {"verify": False}  # spares the loading of certificates
    return Bot(
        token or telegram.token,
        base_url=telegram.base_url,
        base_file_url=telegram.base_file_url,
        request=HTTPXRequest(connection_pool_size=4, read_timeout=read_timeout_s, httpx_kwargs=plain_http),
        get_updates_request=HTTPXRequest(read_timeout=read_timeout_s, httpx_kwargs=plain_http),
    )
