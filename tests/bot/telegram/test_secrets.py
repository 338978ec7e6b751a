"""A password said in the chat: masked before anything is stored, kept on a tap, and in no log either way."""

import logging
from pathlib import Path

import pytest

from bot.turn.told import KEEP_ANYWAY
from tests.bot.telegram.house import OWNER, Talk, serving
from tests.bot.telegram.test_buttons import keyboard
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown

SECRET = "plum-otter-9"


def offer(telegram: FakeTelegram) -> Shown | None:
    """Return the message that offers to keep what was masked."""
    return next((one for one in telegram.sent[OWNER] if KEEP_ANYWAY in str(keyboard(one))), None)


def bytes_under(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


async def test_a_password_is_stored_nowhere_until_the_member_taps_keep(
    telegram: FakeTelegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        telegram.say(OWNER, f"My wifi password is {SECRET}, the router is upstairs.")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2 and offer(telegram))
        assert SECRET.encode() not in bytes_under(tmp_path)
        assert SECRET not in str(talk.requests)

        notice = offer(telegram)
        assert notice is not None
        telegram.press(OWNER, notice, keyboard(notice)[0][0][1])
        await telegram.until(lambda: any("Kept as a private fact" in text for text in telegram.texts(OWNER)))
        await telegram.until(lambda: offer(telegram) is None)
        (fact,) = await bot.space_rows(OWNER, "SELECT value, private FROM facts")
        assert tuple(fact) == (SECRET, 1)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith(("bot", "memory", "tools"))]
    assert ours
    assert SECRET not in "\n".join(ours)
