"""What holds for every test: no network but loopback, no settings of the machine, a clock that moves when told to."""

import logging
import os
import socket
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from tests.fakes.clock import FakeClock

SETTINGS = ("TELEGRAM_", "GEMINI_", "GOOGLE_", "REMEMBRANCER_")
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "", None, b"localhost", b"127.0.0.1"})


# The gate judges a change, so it draws the same examples each time and knows no clock. New ones are looked for with
# `pytest --hypothesis-profile=explore`; what that finds becomes an `@example` or a test of its own.
hypothesis.settings.register_profile("gate", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", max_examples=1_000, deadline=None)
hypothesis.settings.load_profile("gate")


LONGEST = (
    "turn/test_kills",
    "test_end_to_end",
    "test_a_day",
    "test_ledger",
    "test_isolation",
    "test_frozen_talk",
    "test_app",
)
"""Files that take longest: they go first, so that no worker is alone with one at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not any(f"{name}.py" in item.nodeid for name in LONGEST))


class NetworkUsed(AssertionError):
    """A test reached for the network; only servers on loopback may be asked."""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect, connect_ex, resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def checked(sock: socket.socket, address: Any) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOOPBACK:
            raise NetworkUsed(address)

    def guarded_connect(sock: socket.socket, address: Any) -> None:
        checked(sock, address)
        connect(sock, address)

    def guarded_connect_ex(sock: socket.socket, address: Any) -> int:
        checked(sock, address)
        return connect_ex(sock, address)

    def guarded_resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in LOOPBACK:
            raise NetworkUsed(host)
        return resolve(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_resolve)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(SETTINGS):
            monkeypatch.delenv(name)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def own_logs() -> Iterator[None]:
    """For tests that set up logging: afterwards everything is as it was."""
    root, raises = logging.getLogger(), logging.raiseExceptions
    handlers, level = list(root.handlers), root.level
    yield
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    logging.raiseExceptions = raises
