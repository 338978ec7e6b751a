"""The wired program with a key: what its ceiling keeps from the wire, and what it says when no model can be had."""

import io
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from bot import cli
from bot.__main__ import Remembrancer
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import say

TOLD = "Our vet is Dr. Brandt."
ASKED = "Who is our vet?"


@pytest.fixture
def fake() -> Iterator[FakeGemini]:
    with FakeGemini() as fake:
        yield fake


def chat(folder: Path, fake: FakeGemini, *lines: str, **settings: str) -> str:
    """Pipe lines into the program and return what it printed."""
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(io.StringIO()) as printed:
        patched.chdir(folder)
        names = {
            "GEMINI_API_KEY": fake.api_key,
            "GEMINI_BASE_URL": fake.url,
            "REMEMBRANCER_HOME": str(folder / "state"),
        }
        for name, value in {**names, **settings}.items():
            patched.setenv(name, value)
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
        assert cli.run(["chat"], Remembrancer) == 0
    return printed.getvalue()


@pytest.mark.usefixtures("own_logs")
def test_without_money_nothing_is_sent_and_memory_answers(tmp_path: Path, fake: FakeGemini) -> None:
    printed = chat(tmp_path, fake, TOLD, ASKED, "/usage", REMEMBRANCER_DAILY_USD="0")

    assert fake.requests == []
    assert printed.count("From memory, without the model: the operator allows no model calls.") == 2
    assert "Dr. Brandt" in printed.split(ASKED)[-1]
    assert "ceiling $0" in printed


@pytest.mark.usefixtures("own_logs")
def test_a_model_that_is_gone_is_stood_in_for_by_another_and_at_last_by_memory(
    tmp_path: Path, fake: FakeGemini
) -> None:
    fake.answer("chat", lambda request: say("I see."))
    fake.models.remove("gemini-3.8-flash")
    printed = chat(tmp_path, fake, TOLD)
    assert "I see." in printed
    assert printed.count("Answered by gemini-3.5-flash-lite, because gemini-3.8-flash is no longer to be had") == 1

    fake.models.clear()
    printed = chat(tmp_path, fake, ASKED)
    assert "From memory, without the model: it cannot be used as it is set up" in printed
    assert "Dr. Brandt" in printed
