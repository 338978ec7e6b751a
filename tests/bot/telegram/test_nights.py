"""Nights as a member meets them on Telegram: the quiet line, the alarm with its buttons, the recovery."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from memory.ports import ModelReply, ModelRequest, OnText
from tests.bot.probing.examinations import ScriptedExamination, known, lost
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, Bot, Talk, serving
from tests.bot.turn.house import change
from tests.fakes.model import extracts
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown

RENT = "My rent is 850 euros a month."
DAY_S = 86_400.0


class Reader(Talk):
    """A talk whose facts are read."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "extract" and RENT in str(request.messages):
            return extracts(change("rent", "850 euros", RENT, critical=True))
        return await super().generate(request, on_text=on_text)


@asynccontextmanager
async def told_once(
    telegram: FakeTelegram, home: Path, examination: ScriptedExamination, *, chat_id: int = OWNER
) -> AsyncIterator[Bot]:
    """Serve a chat in which the rent was told, with the first healthy night behind it."""
    async with serving(telegram, home, Reader(), examination=examination) as bot:
        telegram.say(OWNER, RENT if chat_id == OWNER else f"/remember@remembrancer_bot {RENT}", chat_id=chat_id)
        await telegram.until(lambda: any("850 euros" in text and "·" in text for text in telegram.texts(chat_id)))
        await morning(bot)
        await telegram.until(lambda: telegram.texts(chat_id)[-1].startswith("Memory 1/1"))
        yield bot


async def morning(bot: Bot) -> None:
    """Let a day pass and look for the night and the morning in it."""
    bot.clock.advance(DAY_S)
    await bot.look()


def newest(telegram: FakeTelegram, chat_id: int = OWNER) -> Shown:
    return telegram.sent[chat_id][-1]


def data_of(shown: Shown, label: str) -> str:
    rows = (shown.keyboard or {}).get("inline_keyboard", [])
    return next(str(button["callback_data"]) for row in rows for button in row if button["text"] == label)


async def test_a_healthy_night_is_one_silent_line(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with told_once(telegram, tmp_path, ScriptedExamination((known("f1"),))):
        shown = newest(telegram)
    assert shown.text == "Memory 1/1 · sources 1/1 · canary ok · integrity ok · 1.8 ¢"
    assert shown.is_silent
    assert shown.keyboard is None


async def test_a_regressed_night_rings_and_its_buttons_restore_show_and_examine_again(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with told_once(telegram, tmp_path, examination) as bot:
        examination.then(lost("f1", "indexed"))
        await morning(bot)
        await telegram.until(lambda: "amiss" in newest(telegram).text)
        alarm = newest(telegram)
        assert not alarm.is_silent
        assert RENT in alarm.text
        assert any(entity["type"] == "blockquote" for entity in alarm.entities)

        telegram.press(OWNER, alarm, data_of(alarm, "Show source"))
        await telegram.until(lambda: newest(telegram).text.startswith("m1 · "))
        examination.then(known("f1"))
        telegram.press(OWNER, alarm, data_of(alarm, "Restore from source"))
        await telegram.until(lambda: newest(telegram).text.startswith("✓ Well again: rent: 850 euros (f1)."))
        labels = [b["text"] for row in alarm_now(telegram, alarm).keyboard["inline_keyboard"] for b in row]  # type: ignore[index]
        assert labels == ["Run again"]
        telegram.press(OWNER, alarm_now(telegram, alarm), "prun:")
        await telegram.until(lambda: newest(telegram).text.startswith("Memory 1/1"))
        assert "Well again" not in newest(telegram).text


def alarm_now(telegram: FakeTelegram, alarm: Shown) -> Shown:
    return next(shown for shown in telegram.sent[OWNER] if shown.message_id == alarm.message_id)


async def test_a_dismissed_alarm_stays_quiet(telegram: FakeTelegram, tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with told_once(telegram, tmp_path, examination) as bot:
        examination.then(lost("f1", "read"))
        await morning(bot)
        await telegram.until(lambda: "amiss" in newest(telegram).text)
        telegram.press(OWNER, newest(telegram), data_of(newest(telegram), "Dismiss"))
        await telegram.until(lambda: newest(telegram).text.startswith("Dismissed"))
        await morning(bot)
        await telegram.until(lambda: newest(telegram).text.startswith("Memory 0/1"))
        assert "still" not in newest(telegram).text
        assert newest(telegram).is_silent


async def test_a_night_that_is_well_again_says_so(telegram: FakeTelegram, tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with told_once(telegram, tmp_path, examination) as bot:
        examination.then(lost("f1", "indexed"))
        await morning(bot)
        await telegram.until(lambda: "amiss" in newest(telegram).text)
        examination.then(known("f1"))
        await morning(bot)
        await telegram.until(lambda: newest(telegram).text.endswith("✓ Well again: rent (f1)."))
        assert newest(telegram).is_silent


async def test_a_groups_report_goes_to_the_group_and_to_nobody_else(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.open_chat(FRIEND)
    examination = ScriptedExamination((known("f1"),))
    async with told_once(telegram, tmp_path, examination, chat_id=GROUP) as bot:
        examination.then(lost("f1", "indexed"))
        await morning(bot)
        await telegram.until(lambda: "amiss" in newest(telegram, GROUP).text)
    assert telegram.texts(OWNER) == telegram.texts(FRIEND) == []


async def test_on_sundays_the_line_is_the_caption_of_a_picture(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with told_once(telegram, tmp_path, ScriptedExamination((known("f1"),))) as bot:
        for _ in range(4):
            await morning(bot)
        await telegram.until(lambda: newest(telegram).photo, timeout=30)
    shown = newest(telegram)
    assert shown.text.startswith("Memory 1/1")
    assert shown.is_silent


async def test_serving_stops_cleanly_while_an_examination_is_under_way(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with told_once(telegram, tmp_path, ScriptedExamination((known("f1"),))) as bot:
        bot.serving.cancel()
    assert bot.serving.done()
