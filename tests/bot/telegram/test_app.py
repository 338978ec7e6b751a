"""The bot as a member meets it: messages in, replies out, whatever happens between."""

import asyncio
import logging
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot import logs
from bot.commands.offered import COMMANDS
from bot.health import OutOfReach
from bot.telegram.delivery import AGAIN
from bot.telegram.reach import reach_telegram
from memory.ports import ModelRequest
from memory.store.redaction import Redactor
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, HeldClock, Talk, environment, serving, settings_for, words_of
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import Failure, refused, reset, server_error, too_many_requests


def redelivered(update_id: int, text: str) -> dict[str, object]:
    """Return the owner's first message as Telegram gives it again."""
    chat, sender = {"id": OWNER, "type": "private"}, {"id": OWNER, "is_bot": False, "first_name": "Ida"}
    message = {"message_id": 1, "date": 1_800_000_000, "chat": chat, "from": sender, "text": text}
    return {"update_id": update_id, "message": message}


async def test_a_message_gets_one_reply(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "hello")
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
    assert telegram.count("sendMessage") == 1


async def test_commands_are_registered_and_answered(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "/help@Remembrancer_Bot")
        await telegram.until(lambda: telegram.texts(OWNER))
    assert [command["command"] for command in telegram.commands] == [command.name for command in COMMANDS]
    assert "/facts" in telegram.texts(OWNER)[0]


async def test_what_was_sent_while_the_bot_was_off_is_answered(telegram: FakeTelegram, tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        telegram.say(OWNER, text, date=1_700_000_000)
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 3)
    assert telegram.texts(OWNER) == ["You said: one", "You said: two", "You said: three"]
    (call,) = [call for call in telegram.calls if call.method == "deleteWebhook"]
    assert not call.params.get("drop_pending_updates")


async def test_an_update_that_comes_again_after_each_start_counts_once(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    update_id = telegram.say(OWNER, "log 5 km run")
    again = redelivered(update_id, "log 5 km run")
    for _ in range(4):
        telegram.push_raw(again)
        async with serving(telegram, tmp_path, talk) as bot:
            await telegram.until(lambda: not telegram.pending and telegram.texts(OWNER))
            assert len(await bot.space_rows(OWNER, "SELECT * FROM turns")) == 1
    assert len(talk.requests) == 1
    assert telegram.count("sendMessage") == 1


async def test_a_server_that_is_killed_answers_each_message_once(telegram: FakeTelegram, tmp_path: Path) -> None:
    said = "The tax report is due on Friday 12 March at 17:30."
    update_id = telegram.say(OWNER, said)
    kills: tuple[Callable[[], object], ...] = (
        lambda: telegram.count("sendChatAction") or telegram.count("sendMessage"),
        lambda: telegram.texts(OWNER),
        lambda: sum("/facts" in text for text in telegram.texts(OWNER)) == 1,
    )
    for number, is_time in enumerate(kills):
        if number:
            telegram.push_raw(redelivered(update_id, said))
        if number == len(kills) - 1:
            telegram.say(OWNER, "/help")
        await serve_and_kill(environment(telegram, tmp_path), telegram, is_time)
    (database,) = tmp_path.glob("spaces/*/memory.db")
    with closing(sqlite3.connect(database)) as rows:
        assert rows.execute("SELECT count(*) FROM turns").fetchone() == (1,)
        assert rows.execute("SELECT count(*) FROM messages WHERE role = 'user'").fetchone() == (1,)
        assert rows.execute("SELECT count(*) FROM facts").fetchone() == (1,)
    first_copies = [text for text in telegram.texts(OWNER) if not text.startswith(AGAIN)]
    assert len(first_copies) == len(set(first_copies))


async def serve_and_kill(environment: dict[str, str], telegram: FakeTelegram, is_time: Callable[[], object]) -> None:
    """Start the real program and kill it the hard way as soon as it is time."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", env=os.environ | environment, stdout=DEVNULL, stderr=DEVNULL
    )
    try:
        await telegram.until(is_time, timeout=60)
    finally:
        server.kill()
        await server.wait()


async def test_an_update_that_comes_again_during_its_turn_is_dropped(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk):
        update_id = telegram.say(OWNER, "slow")
        await telegram.until(lambda: talk.requests)
        telegram.push_raw(redelivered(update_id, "slow"))
        telegram.say(OWNER, "next")
        await telegram.until(lambda: not telegram.pending)
        talk.gates["slow"].set()
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
    assert [words_of(request) for request in talk.requests] == ["slow", "next"]


async def test_a_turn_that_was_cut_off_is_answered_once_after_the_next_start(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    telegram.say(OWNER, "slow")
    async with serving(telegram, tmp_path, talk):
        await telegram.until(lambda: talk.requests)
    assert telegram.texts(OWNER) == []
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: telegram.texts(OWNER))
    assert telegram.texts(OWNER) == ["You said: slow"]


async def test_a_signal_lets_the_turn_in_flight_finish_and_its_reply_arrive(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk, REMEMBRANCER_TURN_SECONDS="20") as bot:
        telegram.say(OWNER, "slow")
        telegram.say(OWNER, "later")
        await telegram.until(lambda: talk.requests and not telegram.pending)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0)
        assert not bot.serving.done()
        talk.gates["slow"].set()
        await bot.serving
    assert telegram.texts(OWNER) == ["You said: slow"]
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
    assert telegram.texts(OWNER)[1] == "You said: later"


async def test_a_slow_chat_does_not_hold_up_another(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk):
        telegram.say(OWNER, "slow")
        await telegram.until(lambda: talk.requests)
        telegram.say(FRIEND, "quick")
        await telegram.until(lambda: telegram.texts(FRIEND) == ["You said: quick"])
        assert telegram.texts(OWNER) == []
        talk.gates["slow"].set()
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: slow"])


async def test_a_chat_that_is_told_to_wait_does_not_hold_up_another(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.open_chat(FRIEND)
    telegram.fail_next("sendMessage", too_many_requests(149), chat_id=OWNER)
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, "one")
        await bot.clock.until_asleep(149)
        telegram.say(FRIEND, "two")
        await telegram.until(lambda: telegram.texts(FRIEND) == ["You said: two"])
        assert telegram.count("sendMessage", chat_id=OWNER) == 1
    assert telegram.texts(OWNER) == []
    clock = HeldClock()
    async with serving(telegram, tmp_path, clock=clock) as bot:
        await clock.until_asleep(149)
        assert telegram.texts(OWNER) == []
        clock.advance(149)
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: one"])
    assert telegram.texts(OWNER) == ["You said: one"]


async def test_stop_ends_the_running_turn(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk):
        telegram.say(OWNER, "slow")
        await telegram.until(lambda: talk.requests)
        telegram.say(OWNER, "/stop@remembrancer_bot")
        await telegram.until(lambda: telegram.texts(OWNER) == ["Stopped. Nothing had been changed."])


async def test_a_flood_is_stored_and_answered_in_order_by_one_turn_at_a_time(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    most = 0

    def answer(request: ModelRequest) -> str:
        nonlocal most
        most = max(most, len([task for task in asyncio.all_tasks() if task.get_name().startswith("step ")]))
        return "ok"

    talk = Talk(answer, gates={"flood 0": asyncio.Event()})
    for number in range(500):
        telegram.say(OWNER, f"flood {number}")
    async with serving(telegram, tmp_path, talk) as bot:
        await telegram.until(lambda: not telegram.pending, timeout=60)
        assert len(asyncio.all_tasks()) < 24
        rows = await bot.space_rows(OWNER, "SELECT state FROM inbox ORDER BY id")
        assert len(rows) == 500
        talk.gates["flood 0"].set()
        await telegram.until(lambda: len(talk.requests) >= 10, timeout=60)
    assert [words_of(request) for request in talk.requests[:10]] == [f"flood {number}" for number in range(10)]
    assert most == 1


async def test_a_blocked_member_is_left_alone_until_they_write_again(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk) as bot:
        telegram.say(OWNER, "slow")
        await telegram.until(lambda: talk.requests)
        telegram.block(OWNER)
        talk.gates["slow"].set()
        await bot.clock.until_asleep(86_400)
        tries = telegram.count("sendMessage", chat_id=OWNER)
        bot.clock.advance(86_400)
        await bot.clock.until_asleep(86_400)
        assert telegram.count("sendMessage", chat_id=OWNER) == tries <= 1
        telegram.say(FRIEND, "hi")
        await telegram.until(lambda: telegram.texts(FRIEND) == ["You said: hi"])
        telegram.block(OWNER, is_blocked=False)
        telegram.say(OWNER, "back")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
    assert telegram.texts(OWNER) == ["You said: slow", "You said: back"]


async def test_letting_the_bot_in_again_sends_what_waited(telegram: FakeTelegram, tmp_path: Path) -> None:
    def membership(status: str) -> dict[str, object]:
        chat, user = {"id": OWNER, "type": "private"}, {"id": OWNER, "is_bot": False}
        return {"my_chat_member": {"chat": chat, "from": user, "date": 1, "new_chat_member": {"status": status}}}

    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk) as bot:
        telegram.say(OWNER, "slow")
        await telegram.until(lambda: talk.requests)
        telegram.push_raw(membership("kicked"))
        await telegram.until(lambda: not telegram.pending)
        talk.gates["slow"].set()
        await bot.clock.until_asleep(86_400)
        assert telegram.count("sendMessage") == 0
        telegram.push_raw(membership("member"))
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: slow"])


async def test_a_reply_that_may_have_arrived_is_sent_once_more_and_says_so(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.fail_next("sendMessage", reset(accepted=True))
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "hello")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
    first, second = telegram.texts(OWNER)
    assert first == "You said: hello"
    assert second == "(Sent again: a copy of this may have arrived before.)\n\nYou said: hello"


async def test_an_outage_loses_no_reply(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("sendMessage", server_error(502))
    telegram.fail_next("getMe", server_error(502), skip=1, times=3)
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, "hello")
        for wait_s in (2, 4, 8):
            await bot.clock.until_asleep(wait_s)
            bot.clock.advance(wait_s)
        await telegram.until(lambda: telegram.texts(OWNER))
    (text,) = telegram.texts(OWNER)
    assert text.endswith("You said: hello")
    assert telegram.count("sendMessage") == 2


async def test_a_long_answer_comes_in_order_and_whole(telegram: FakeTelegram, tmp_path: Path) -> None:
    lines = "\n".join(f"{number}. item of a long list 😀" for number in range(1, 400))
    async with serving(telegram, tmp_path, Talk(lambda request: lines)):
        telegram.say(OWNER, "list")
        await telegram.until(lambda: telegram.texts(OWNER) and "399. " in telegram.texts(OWNER)[-1])
    texts = telegram.texts(OWNER)
    assert len(texts) == 3
    assert [int(line.split(".")[0]) for text in texts for line in text.splitlines() if line.strip()] == list(
        range(1, 400)
    )


async def test_a_flood_of_an_answer_is_its_beginning_and_a_file(telegram: FakeTelegram, tmp_path: Path) -> None:
    lines = "\n".join(f"{number}. item of a long list 😀" for number in range(1, 700))
    async with serving(telegram, tmp_path, Talk(lambda request: lines)):
        telegram.say(OWNER, "list")
        await telegram.until(lambda: len(telegram.sent.get(OWNER, [])) == 2)
    first, second = telegram.sent[OWNER]
    assert first.text.startswith("1. item of a long list")
    assert second.document is not None
    assert second.document.data.decode() == lines


async def test_a_group_keeps_its_memory_when_it_becomes_a_supergroup(telegram: FakeTelegram, tmp_path: Path) -> None:
    new = -1001
    ask = "@remembrancer_bot hi"
    mention = [{"type": "mention", "offset": 0, "length": 17}]
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, ask, chat_id=GROUP, entities=mention)
        await telegram.until(lambda: telegram.texts(GROUP))
        telegram.migrate(GROUP, new)
        telegram.say(OWNER, None, chat_id=new, migrate_from_chat_id=GROUP)
        telegram.say(OWNER, None, chat_id=GROUP, migrate_to_chat_id=new)
        telegram.say(OWNER, ask, chat_id=new, entities=mention)
        await telegram.until(lambda: telegram.texts(new) == [f"You said: {ask}"])
        assert bot.opened == [str(GROUP)]
        assert len(await bot.space_rows(GROUP, "SELECT * FROM turns")) == 2
        assert telegram.sent[new][0].reply_to is not None


async def test_a_group_that_moved_unnoticed_is_found_when_something_is_sent(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk(gates={"@remembrancer_bot hi": asyncio.Event()})
    async with serving(telegram, tmp_path, talk) as bot:
        mention = [{"type": "mention", "offset": 0, "length": 17}]
        telegram.say(OWNER, "@remembrancer_bot hi", chat_id=GROUP, entities=mention)
        await telegram.until(lambda: talk.requests)
        telegram.migrate(GROUP, -1001)
        talk.gates["@remembrancer_bot hi"].set()
        await telegram.until(lambda: telegram.texts(-1001) == ["You said: @remembrancer_bot hi"])
        assert [tuple(row) for row in await bot.rows("SELECT chat_id, space_id FROM chats")] == [(-1001, str(GROUP))]


async def test_the_start_waits_for_the_network(
    telegram: FakeTelegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.fail_next("getMe", server_error(502), times=3)
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, "hello")
        for wait_s in (1, 2, 4):
            await bot.clock.until_asleep(wait_s)
            bot.clock.advance(wait_s)
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
    assert len([record for record in caplog.records if "not reached" in record.message]) == 1


@pytest.mark.parametrize("when", ["at start", "later"])
async def test_a_refused_token_ends_the_program_with_words_and_without_the_token(
    telegram: FakeTelegram, tmp_path: Path, when: str
) -> None:
    telegram.is_revoked = when == "at start"
    async with serving(telegram, tmp_path) as bot:
        if when == "later":
            await telegram.until(lambda: telegram.count("getUpdates"))
            telegram.is_revoked = True
        with pytest.raises(OutOfReach, match="TELEGRAM_BOT_TOKEN") as caught:
            await bot.serving
    assert telegram.token not in repr(caught.value)
    assert caught.value.__suppress_context__


async def test_doctor_learns_the_bots_name(telegram: FakeTelegram, tmp_path: Path) -> None:
    settings = settings_for(telegram, tmp_path)
    assert await reach_telegram(settings) == "answers as @remembrancer_bot"
    telegram.fail_next("getMe", server_error(502))
    with pytest.raises(OutOfReach, match="no answer"):
        await reach_telegram(settings)
    telegram.is_revoked = True
    with pytest.raises(OutOfReach, match="TELEGRAM_BOT_TOKEN"):
        await reach_telegram(settings)


async def test_no_log_line_holds_the_token_or_a_members_words(telegram: FakeTelegram, tmp_path: Path) -> None:
    names = ("", *logs.QUIET)
    before = {name: logging.getLogger(name).level for name in names}
    handlers = list(logging.getLogger().handlers)
    logging.getLogger().handlers = []
    (tmp_path / "logs").mkdir()
    logs.set_up(Redactor([telegram.token]), folder=tmp_path / "logs", on_stderr=None)
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        telegram.fail_next("getUpdates", refused(409, "Conflict"))
        cut_off = '{"ok": true, "result": {"message_id": 3, "text": "the walrus'
        telegram.fail_next("sendMessage", Failure(200, cut_off, manner="page"), skip=1)
        async with serving(telegram, tmp_path) as bot:
            telegram.say(OWNER, "walrus", quote={"text": 5})
            telegram.say(OWNER, "the walrus is asleep")
            await bot.clock.until_asleep(1)
            bot.clock.advance(1)
            await telegram.until(lambda: len(telegram.texts(OWNER)) >= 2)
        for handler in logging.getLogger().handlers:
            handler.close()
        written = (tmp_path / "logs" / "remembrancer.log").read_text()
    finally:
        logging.getLogger().handlers = handlers
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
    assert "serving" in written
    assert telegram.token not in written
    assert telegram.token.split(":")[1] not in written
    assert "walrus" not in written
