from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import certifi
import pytest

from bot.models.gemini import GeminiModel
from tests.bot.models.talk import new_model
from tests.fakes.clock import FakeClock
from tests.fakes.gemini import FakeGemini


@pytest.fixture(scope="session", autouse=True)
def small_trust_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Trust one authority: every client would read the whole bundle three times, and nothing here speaks TLS."""
    end = "-----END CERTIFICATE-----\n"
    store = tmp_path_factory.mktemp("trust") / "one.pem"
    store.write_text(Path(certifi.where()).read_text().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(store))
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[FakeGemini]:
    """One server for a module; `fake` gives each test a clean one."""
    with FakeGemini() as server:
        yield server


@pytest.fixture
def fake(server: FakeGemini) -> FakeGemini:
    server.reset()
    return server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def model(fake: FakeGemini, clock: FakeClock) -> AsyncIterator[GeminiModel]:
    async with new_model(fake, clock) as model:
        yield model
