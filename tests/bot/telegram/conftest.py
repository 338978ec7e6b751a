"""A fake Telegram and the real client on it."""

from collections.abc import AsyncIterator, Iterator

import pytest
from telegram import Bot
from telegram.request import HTTPXRequest

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
