import logging
from pathlib import Path

import pytest

from bot import logs
from memory.errors import StorageFull
from memory.store.redaction import Redactor

TOKEN = "123456789:AAcanary-canary-canary-canary"
log = logging.getLogger("bot.something")


@pytest.fixture
def written(tmp_path: Path, own_logs: None) -> "Log":
    logs.set_up(Redactor([TOKEN]), folder=tmp_path, on_stderr=None)
    return Log(tmp_path / "remembrancer.log")


class Log:
    def __init__(self, path: Path) -> None:
        self.path = path

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")


def test_a_secret_is_masked_wherever_it_stands(written: Log) -> None:
    log.warning("asked %s of %s", "getMe", f"https://example.org/bot{TOKEN}/getMe")
    try:
        raise OSError(5, f"no route to {TOKEN}")
    except OSError:
        log.exception("failed for %r", {"token": TOKEN})

    assert "asked getMe" in written.text()
    assert "canary" not in written.text()


def test_of_a_foreign_exception_the_place_is_kept_and_the_words_are_not(written: Log) -> None:
    def inner() -> None:
        raise ValueError("a person's words")

    try:
        try:
            inner()
        except ValueError as error:
            raise RuntimeError("more of a person's words") from error
    except RuntimeError:
        log.exception("turn broke: turn=%s", 7)

    assert "turn broke: turn=7" in written.text()
    assert "in inner\nbuiltins.ValueError\nthen:\n" in written.text()
    assert "builtins.RuntimeError" in written.text()
    assert "person's words" not in written.text()


def test_of_our_own_errors_the_words_are_kept(written: Log) -> None:
    try:
        raise StorageFull(Path("/data/memory.db"))
    except StorageFull:
        log.exception("could not store")

    assert "memory.errors.StorageFull: no space left to write /data/memory.db" in written.text()


@pytest.mark.parametrize("name", ["httpx", "httpx2", "telegram.ext", "google_genai.models"])
def test_libraries_that_log_addresses_are_quiet(written: Log, name: str) -> None:
    logging.getLogger(name).info("HTTP Request: POST ...")
    logging.getLogger(name).warning("a warning")

    assert "HTTP Request" not in written.text()
    assert "a warning" in written.text()


def test_the_log_is_for_its_owner_alone(written: Log) -> None:
    assert oct(written.path.stat().st_mode & 0o777) == "0o600"


def test_setting_up_again_writes_each_line_once(written: Log, tmp_path: Path) -> None:
    logs.set_up(Redactor([TOKEN]), folder=tmp_path, on_stderr=None)

    log.info("once")

    assert written.text().count("once") == 1
