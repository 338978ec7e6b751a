"""/settings on Telegram, with the real client: pressed, replied to, over a restart, and what changes with each."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.catalogue import language
from memory.ports import ModelRequest
from tests.bot.probing.examinations import ScriptedExamination, known
from tests.bot.telegram.house import OWNER, Bot, HeldClock, Talk, serving, words_of
from tests.bot.telegram.test_buttons import keyboard, last, last_of
from tests.bot.telegram.test_nights import data_of
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown

SENT = 1_803_978_000
"""When messages are sent: Tuesday 2 March 2027, 10:00 in Berlin, as the clock of the tests shows."""
MINUTE, HOUR = 60.0, 3600.0


async def said(telegram: FakeTelegram, text: str, beginning: str, **fields: Any) -> Shown:
    """Say something and return its answer, once that is the newest."""
    telegram.say(OWNER, text, date=SENT, **fields)
    await telegram.until(lambda: telegram.texts(OWNER)[-1:] and telegram.texts(OWNER)[-1].startswith(beginning))
    return last(telegram)


async def pressed(telegram: FakeTelegram, menu: Shown, label: str, beginning: str) -> Shown:
    """Press a button of a menu and return its new form."""
    telegram.press(OWNER, last_of(telegram, menu), data_of(last_of(telegram, menu), label))
    await telegram.until(lambda: last_of(telegram, menu).text.startswith(beginning))
    return last_of(telegram, menu)


def now_line(request: ModelRequest) -> str:
    return next(line for line in (request.memory_block or "").splitlines() if line.startswith("Now: "))


async def test_a_menu_is_pressed_through_in_its_place_and_takes_a_reply(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        menu = await said(telegram, "/settings", "Settings of this memory")
        page = await pressed(telegram, menu, "Tone", "Tone: as I am")
        assert [text for text, _ in keyboard(page)[-1]] == ["‹ Settings", "Close"]
        await said(
            telegram, "short & <b>dry</b>", "✓ I speak so from now on: “short & <b>dry</b>”", reply_to=menu.message_id
        )
        menu_again = await pressed(telegram, menu, "‹ Settings", "Settings of this memory")
        assert "• Tone: “short & <b>dry</b>”" in menu_again.text
        closed = await pressed(telegram, menu, "Close", "The settings are closed.")
        assert keyboard(closed) == []
        (row,) = await bot.space_rows(OWNER, "SELECT count(*) AS turns FROM turns")
        assert row["turns"] == 0


async def test_a_zone_that_changes_while_the_bot_runs_holds_at_once_everywhere(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    clock, talk, examination = HeldClock(), Talk(), ScriptedExamination((known("f1"),))
    async with serving(telegram, tmp_path, talk, clock=clock, examination=examination) as bot:
        await said(telegram, "hello", "You said: hello")
        assert now_line(talk.requests[-1]) == "Now: Tuesday 2 March 2027, 10:00 (Europe/Berlin)"
        await said(telegram, "/remind 18:00 tea", "⏰ Reminder n1 set: today 18:00")

        menu = await said(telegram, "/settings zone", "Time zone: Europe/Berlin")
        await pressed(telegram, menu, "Europe", "Time zones of Europe, page 1")
        await pressed(telegram, menu, "2 ›", "Time zones of Europe, page 2")
        told = await pressed(telegram, menu, "Lisbon", "✓ Time zone: Europe/Lisbon.")
        assert "There it is Tue 2 Mar 09:00. 1 reminder keeps its time of day" in told.text

        await said(telegram, "hello again", "You said: hello again")
        assert now_line(talk.requests[-1]) == "Now: Tuesday 2 March 2027, 09:00 (Europe/Lisbon)"
        await rings(telegram, clock, until=datetime(2027, 3, 2, 18, 0, tzinfo=UTC), text="⏰ tea")

        # Eight in the morning there is nine in Berlin.
        await mornings(bot, until=datetime(2027, 3, 3, 7, 59, tzinfo=UTC))
        assert not any(text.startswith("Memory 1/1") for text in telegram.texts(OWNER))
        await mornings(bot, until=datetime(2027, 3, 3, 8, 0, tzinfo=UTC))
        await telegram.until(lambda: telegram.texts(OWNER)[-1].startswith("Memory 1/1"))
    async with serving(telegram, tmp_path, talk, clock=clock, examination=examination):
        await said(telegram, "hello once more", "You said: hello once more")
        assert now_line(talk.requests[-1]) == "Now: Wednesday 3 March 2027, 08:00 (Europe/Lisbon)"
    assert examination.nights == [datetime(2027, 3, 3, tzinfo=UTC).date()]


async def rings(telegram: FakeTelegram, clock: HeldClock, *, until: datetime, text: str) -> None:
    """Let the time come on which a reminder rings, and see that it does not before."""
    await clock.until_asleep(MINUTE)
    clock.advance((until - clock.now()).total_seconds() - MINUTE)
    await clock.until_asleep(MINUTE)
    assert text not in telegram.texts(OWNER)
    clock.advance(MINUTE)
    await telegram.until(lambda: telegram.texts(OWNER)[-1] == text)


async def mornings(bot: Bot, *, until: datetime) -> None:
    bot.clock.advance((until - bot.clock.now()).total_seconds())
    await bot.look()


async def test_the_language_is_that_of_the_members_program_until_one_is_chosen(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk(answer=lambda request: f"{words_of(request)}: {language()}")
    german: dict[str, Any] = {"from": {"id": OWNER, "is_bot": False, "first_name": "Ida", "language_code": "de-CH"}}
    async with serving(telegram, tmp_path, talk) as bot:
        await said(telegram, "one", "one: en", **german)
        telegram.say(OWNER, "/start", date=SENT, **german)
        await said(telegram, "two", "two: de", **german)
        telegram.say(OWNER, "/settings language English", date=SENT, **german)
        telegram.say(OWNER, "/start", date=SENT, **german)
        await said(telegram, "three", "three: en")
        telegram.say(OWNER, "/settings language de", date=SENT)
        await said(telegram, "four", "four: de")
        assert len(await bot.space_rows(OWNER, "SELECT 1 FROM profile WHERE language = 'de'")) == 1
    async with serving(telegram, tmp_path, talk):
        await said(telegram, "five", "five: de")


async def test_a_secret_in_the_tone_is_never_stored(telegram: FakeTelegram, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, f"/settings tone dry {token}", date=SENT)
        await telegram.until(lambda: any(text.startswith("✓ I speak so") for text in telegram.texts(OWNER)))
        (row,) = await bot.space_rows(OWNER, "SELECT tone FROM profile")
    assert row["tone"].startswith("dry ")
    assert token not in row["tone"]
    assert all(token.encode() not in path.read_bytes() for path in tmp_path.rglob("memory.db*"))
