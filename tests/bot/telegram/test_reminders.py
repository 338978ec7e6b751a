"""Reminders on Telegram, with the real client: set, killed, due, put off, done; late, blocked, in topics and groups."""

from pathlib import Path

from bot.turn.runner import NOT_YOURS
from memory.ports import ModelReply, ModelRequest, OnText
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, HeldClock, Talk, serving
from tests.bot.telegram.test_buttons import command, keyboard, last, last_of, settled
from tests.fakes.model import calls
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import refused, reset
from tests.fakes.telegram_world import Shown

MINUTE = 60.0
SENT = 1_803_978_000
"""When messages are sent: Tuesday 2 March 2027, 10:00 in Berlin, as the clock of the tests shows."""
IN_TOPIC = {"is_topic_message": True, "message_thread_id": 55}
TEA = "⏰ tea"
LATE_TEA = "⏰ tea\n(Late: this was due on Tue 2 Mar 2027 10:20.)"


class Reminding(Talk):
    """Sets a reminder where it is asked to."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        newest = request.messages[-1]
        if request.task == "chat" and newest.role == "user" and "remind me" in newest.text:
            return calls(("reminders", {"action": "set", "text": "call mom", "at": "2027-03-03T17:00Z"}))
        return await super().generate(request, on_text=on_text)


async def arrived(telegram: FakeTelegram, text: str, chat_id: int = OWNER) -> Shown:
    """Wait until a message of exactly this text is the newest, and return it."""
    await telegram.until(lambda: telegram.texts(chat_id)[-1:] == [text])
    return last(telegram, chat_id)


async def said(telegram: FakeTelegram, text: str, beginning: str) -> Shown:
    """Send a command and return its answer, once that is known to have arrived."""
    telegram.say(OWNER, text, date=SENT)
    await telegram.until(lambda: any(one.startswith(beginning) for one in telegram.texts(OWNER)))
    answer = last(telegram)
    await settled(telegram)
    return answer


async def test_set_killed_due_put_off_and_done(telegram: FakeTelegram, tmp_path: Path) -> None:
    clock = HeldClock()
    async with serving(telegram, tmp_path, clock=clock):
        await said(telegram, "/remind in 20 minutes tea", "⏰ Reminder n1 set: today 10:20")
    async with serving(telegram, tmp_path, clock=clock):
        await clock.until_asleep(MINUTE)
        clock.advance(20 * MINUTE)
        rang = await arrived(telegram, TEA)
        assert not rang.is_silent
        assert [text for text, _ in keyboard(rang)[0]] == ["Done", "⏱ 10 min", "⏱ 1 h", "⏱ tomorrow"]
        await settled(telegram)
        telegram.press(OWNER, rang, "nlater:1:10")
        await telegram.until(
            lambda: any("put off: today 10:30 (Europe/Berlin)" in text for text in telegram.texts(OWNER))
        )
        await telegram.until(lambda: keyboard(last_of(telegram, rang)) == [])
        await settled(telegram)
    async with serving(telegram, tmp_path, clock=clock):
        await clock.until_asleep(MINUTE)
        clock.advance(10 * MINUTE)
        again = await arrived(telegram, TEA)
        await settled(telegram)
        telegram.press(OWNER, again, "ndone:1")
        await telegram.until(lambda: any(text.startswith("⏰ Reminder n1 done") for text in telegram.texts(OWNER)))
    assert telegram.texts(OWNER).count(TEA) == 2


async def test_what_was_due_while_the_server_was_down_comes_once_and_late(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    clock = HeldClock()
    async with serving(telegram, tmp_path, clock=clock):
        await said(telegram, "/remind in 20 minutes tea", "⏰ Reminder n1 set")
    clock.advance(6 * 60 * MINUTE)
    for _ in range(3):
        async with serving(telegram, tmp_path, clock=clock):
            await telegram.until(lambda: LATE_TEA in telegram.texts(OWNER))
            await settled(telegram)
    assert telegram.texts(OWNER).count(LATE_TEA) == 1


async def test_a_network_that_is_down_for_twenty_minutes_loses_nothing(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await said(telegram, "/remind in 20 minutes tea", "⏰ Reminder n1 set")
        telegram.fail_next("sendMessage", refused(502, "Bad Gateway"), times=None)
        await bot.clock.until_asleep(MINUTE)
        bot.clock.advance(20 * MINUTE)
        await telegram.until(lambda: telegram.count("sendMessage") > 2)
        assert await bot.space_rows(OWNER, "SELECT 1 FROM outbox WHERE key LIKE 'remind:%' AND state = 'sent'") == []
        telegram.heal()
        for _ in range(8):
            bot.clock.advance(5 * MINUTE)
        await telegram.until(lambda: any(TEA in text for text in telegram.texts(OWNER)))
        (told,) = [text for text in telegram.texts(OWNER) if TEA in text]
        assert "(Late: this was due on Tue 2 Mar 2027 10:20.)" in told


async def test_killed_between_the_acceptance_and_its_note_it_comes_once_more_and_says_so(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    clock = HeldClock()
    async with serving(telegram, tmp_path, clock=clock):
        await said(telegram, "/remind in 20 minutes tea", "⏰ Reminder n1 set")
        telegram.fail_next("sendMessage", reset(accepted=True))
        await clock.until_asleep(MINUTE)
        clock.advance(20 * MINUTE)
        await telegram.until(lambda: TEA in telegram.texts(OWNER))
    async with serving(telegram, tmp_path, clock=clock):
        await telegram.until(lambda: sum(TEA in text for text in telegram.texts(OWNER)) == 2)
        await settled(telegram)
    assert [text for text in telegram.texts(OWNER) if TEA in text][1].startswith("(Sent again")


async def test_who_blocked_the_bot_holds_up_nobody_and_gets_it_when_they_are_back(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.open_chat(FRIEND)
    async with serving(telegram, tmp_path) as bot:
        await said(telegram, "/remind in 20 minutes tea", "⏰ Reminder n1 set")
        telegram.say(FRIEND, "/remind in 20 minutes tea", date=SENT)
        await telegram.until(lambda: telegram.texts(FRIEND))
        telegram.block(OWNER)
        before = telegram.count("sendMessage", chat_id=OWNER)
        await bot.clock.until_asleep(MINUTE)
        bot.clock.advance(20 * MINUTE)
        await arrived(telegram, TEA, FRIEND)
        await bot.clock.until_asleep(86_400)
        bot.clock.advance(60 * MINUTE)
        assert telegram.count("sendMessage", chat_id=OWNER) == before + 1
        telegram.block(OWNER, is_blocked=False)
        telegram.say(OWNER, "I am back")
        await telegram.until(lambda: LATE_TEA in telegram.texts(OWNER))


async def test_in_a_group_it_rings_in_its_topic_and_only_who_asked_may_press(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.open_chat(GROUP, topics=(55,))
    async with serving(telegram, tmp_path) as bot:
        text = "/remind@Remembrancer_Bot in 20 minutes tea"
        telegram.say(OWNER, text, chat_id=GROUP, thread_id=55, date=SENT, entities=command(24), **IN_TOPIC)
        await telegram.until(lambda: telegram.texts(GROUP))
        assert last(telegram, GROUP).thread_id == 55
        await settled(telegram, GROUP)
        await bot.clock.until_asleep(MINUTE)
        bot.clock.advance(20 * MINUTE)
        rang = await arrived(telegram, f"⏰ User{OWNER}: tea", GROUP)
        assert rang.thread_id == 55
        await settled(telegram, GROUP)
        telegram.press(FRIEND, rang, "ndone:1")
        await telegram.until(lambda: NOT_YOURS in telegram.answered_presses.values())
        telegram.press(OWNER, rang, "ndone:1")
        await telegram.until(lambda: any("n1 done" in text for text in telegram.texts(GROUP)))


async def test_a_topic_that_is_gone_loses_no_reminder(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.open_chat(GROUP, topics=(55,))
    async with serving(telegram, tmp_path) as bot:
        text = "/remind@Remembrancer_Bot in 20 minutes tea"
        telegram.say(OWNER, text, chat_id=GROUP, thread_id=55, date=SENT, entities=command(24), **IN_TOPIC)
        await telegram.until(lambda: telegram.texts(GROUP))
        await settled(telegram, GROUP)
        telegram.fail_next("sendMessage", refused(400, "Bad Request: message thread not found"))
        await bot.clock.until_asleep(MINUTE)
        bot.clock.advance(20 * MINUTE)
        assert (await arrived(telegram, f"⏰ User{OWNER}: tea", GROUP)).thread_id is None


async def test_a_group_that_moved_keeps_its_reminders(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.open_chat(GROUP)
    async with serving(telegram, tmp_path) as bot:
        telegram.say(
            OWNER, "/remind@Remembrancer_Bot in 20 minutes tea", chat_id=GROUP, date=SENT, entities=command(24)
        )
        await telegram.until(lambda: telegram.texts(GROUP))
        await settled(telegram, GROUP)
        telegram.migrate(GROUP, -1001)
        await bot.clock.until_asleep(MINUTE)
        bot.clock.advance(20 * MINUTE)
        await arrived(telegram, f"⏰ User{OWNER}: tea", -1001)


async def test_asked_in_chat_the_program_confirms_with_local_time_and_a_tap_takes_it_back(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path, Reminding(answer=lambda request: "I'll remind you.")) as bot:
        telegram.say(OWNER, "remind me tomorrow at 5 pm to call mom")
        await telegram.until(lambda: "I'll remind you." in telegram.texts(OWNER))
        receipt = telegram.sent[OWNER][0]
        assert receipt.text.startswith("⏰ Reminder n1 set: tomorrow 17:00 (Europe/Berlin)\n(The mark Z was left out")
        assert "the time is Europe/Berlin time" in receipt.text
        await settled(telegram)
        telegram.press(OWNER, receipt, "nundo:1:1")
        await telegram.until(lambda: any("n1 deleted" in text for text in telegram.texts(OWNER)))
        assert await bot.space_rows(OWNER, "SELECT state FROM reminders WHERE state = 'waiting'") == []


async def test_a_reply_to_a_reminder_shows_the_model_what_it_replies_to(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        await said(telegram, "/remind in 20 minutes tea", "⏰ Reminder n1 set")
        await bot.clock.until_asleep(MINUTE)
        bot.clock.advance(20 * MINUTE)
        rang = await arrived(telegram, TEA)
        telegram.say(OWNER, "move it to 7", reply_to=rang.message_id)
        await telegram.until(lambda: talk.requests)
        quoted = [message.text for message in talk.requests[0].messages if TEA in message.text]
        assert len(quoted) == 1


async def test_what_waited_for_the_start_is_read_as_of_when_it_was_sent(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.say(OWNER, "/remind in 20 minutes tea", date=SENT - 21 * 60)
    telegram.say(OWNER, "/remind tomorrow 9:00 bank", date=SENT - 21 * 60)
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        late, set_ = telegram.texts(OWNER)
        assert late.startswith("Tue 2 Mar 2027 09:59 is over: it is Tue 2 Mar 2027 10:00 now")
        assert set_.startswith("⏰ Reminder n1 set: tomorrow 09:00 (Europe/Berlin)\n")
