"""Every command answers something useful, whatever stands behind it."""

from pathlib import Path

import pytest

from bot.commands.member import NOT_READ
from bot.commands.offered import COMMANDS
from tests.bot.commands.test_facts import command
from tests.bot.turn.house import House, house

NONSENSE = (
    "",
    "qwzx blorp",
    "f999",
    "n999 done",
    "999999999999999999999",
    "-1",
    "0",
    "🤖🤖🤖",
    "'; DROP TABLE facts; --",
    "{} %s {0} \\ *_`[",
    "f12 f13 f14",
    "/facts",
    "\u202e\u0000\ud83e\udd16",
    "x" * 3_900,
    "word " * 800,
)
STATES = frozenset({"start", "help", "new", "remember", "stop", "health", "keepsecret", "export"})
"""Commands that nothing can be wrong with: what stands behind them is their text, or means nothing."""


async def told(h: House, typed: str) -> str:
    valid = typed.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return (await command(h, valid)).message.text


@pytest.mark.parametrize("name", [one.name for one in COMMANDS])
async def test_nonsense_gets_an_answer_with_a_way_on(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path) as h:
        for typed in NONSENSE:
            answer = await told(h, f"/{name} {typed}".strip())
            assert answer.strip(), typed
            assert "went wrong" not in answer, typed
            assert len(answer) < 3_000, typed
            if typed and name not in STATES:
                assert "/" in answer or "for example" in answer, (typed, answer)
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("/setings", "I don't know /setings. /help lists what I can do. Did you mean /settings?"),
        ("/qqqq", "I don't know /qqqq. /help lists what I can do."),
        (f"/{'q' * 200}", f"I don't know /{'q' * 32}. /help lists what I can do."),
        ("/", "I don't know /. /help lists what I can do."),
        ("/facts f9", "There is no f9 in this memory. Nothing was changed. /facts shows what there is."),
        ("/reminders n9", "There is no n9 in this memory. Nothing was changed. /reminders shows what there is."),
        ("/procedures p9", "There is no p9 in this memory. Nothing was changed. /procedures shows what there is."),
        (
            "/new what is new?",
            f"This is a fresh conversation already. My memory stays: /facts, /recall. {NOT_READ}",
        ),
        ("/help /undo", "/undo [f12] – take back the last change of the facts"),
    ],
)
async def test_what_is_nearly_right_is_told_what_would_be(tmp_path: Path, typed: str, answer: str) -> None:
    async with house(tmp_path) as h:
        assert await told(h, typed) == answer
