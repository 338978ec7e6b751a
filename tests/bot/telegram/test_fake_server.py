"""The fake Bot API refuses what Telegram refuses, loses what a test lets it lose, and delivers again."""

import asyncio
import struct
from datetime import timedelta
from typing import Any

import httpx
import pytest
from telegram import (
    Bot,
    BotCommand,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from tests.bot.telegram.conftest import client_of
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import conflict, reset, server_error, stall, too_many_requests


async def test_a_message_is_shown_as_it_was_sent(telegram: FakeTelegram, bot: Bot) -> None:
    bold = MessageEntity("bold", 0, 2)
    message = await bot.send_message(7, "Hi there", entities=[bold])
    assert message.entities == (bold,)
    assert telegram.texts(7) == ["Hi there"]


@pytest.mark.parametrize("text", ["   \n", "\u200b\u2060", "\u3164", "\ufe0f"])
async def test_a_text_that_shows_nothing_is_refused(bot: Bot, text: str) -> None:
    with pytest.raises(BadRequest, match="text is empty"):
        await bot.send_message(7, text)


async def test_length_is_counted_in_utf16_units(bot: Bot) -> None:
    await bot.send_message(7, "😀" * 2048)
    with pytest.raises(BadRequest, match="too long"):
        await bot.send_message(7, "😀" * 2048 + "a")


def entity(kind: str, offset: int, length: int, **more: Any) -> MessageEntity:
    return MessageEntity(kind, offset, length, **more)


@pytest.mark.parametrize(
    "entities",
    [
        pytest.param([entity("bold", 0, 9)], id="outside the text"),
        pytest.param([entity("bold", 0, 0)], id="empty"),
        pytest.param([entity("bold", -1, 2)], id="negative"),
        pytest.param([entity("bold", 0, 4)], id="through a surrogate pair"),
        pytest.param([entity("sparkle", 0, 1)], id="unknown type"),
        pytest.param([entity("bold", 0, 2), entity("italic", 1, 2)], id="crossing"),
        pytest.param([entity("bold", 0, 3), entity("code", 1, 1)], id="code inside bold"),
        pytest.param([entity("pre", 0, 3), entity("code", 1, 1)], id="code inside code"),
        pytest.param([entity("blockquote", 0, 3), entity("blockquote", 1, 1)], id="quote in quote"),
        pytest.param([entity("text_link", 0, 1, url="notes.md")], id="no address"),
        pytest.param([entity("text_link", 0, 1)], id="no url"),
        pytest.param([entity("bold", 0, 1)] * 101, id="more than a hundred"),
    ],
)
async def test_bad_entities_are_refused(bot: Bot, entities: list[MessageEntity]) -> None:
    with pytest.raises(BadRequest, match="entit"):
        await bot.send_message(7, "abc😀def", entities=entities)


async def test_good_nesting_is_accepted(bot: Bot) -> None:
    quote, bold, italic = entity("blockquote", 0, 8), entity("bold", 0, 5), entity("italic", 1, 2)
    code, link = entity("code", 5, 1), entity("text_link", 6, 2, url="https://example.org")
    await bot.send_message(7, "abc😀def", entities=[quote, bold, italic, code, link])


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("my_file_name_here", "Markdown"), ("a ` b", "Markdown"), ("1. one", "MarkdownV2"), ("*bold", "MarkdownV2"),
        ("<b>x", "HTML"), ("<b>x</i>", "HTML"), ("List<int>", "HTML"),
    ],
)  # fmt: skip
async def test_markup_that_does_not_balance_is_refused(bot: Bot, text: str, mode: str) -> None:
    with pytest.raises(BadRequest, match="parse entities"):
        await bot.send_message(7, text, parse_mode=mode)


async def test_an_unchanged_edit_is_refused_and_a_changed_one_replaces_the_text(
    telegram: FakeTelegram, bot: Bot
) -> None:
    message = await bot.send_message(7, "one")
    with pytest.raises(BadRequest, match="Message is not modified"):
        await bot.edit_message_text("one \n", 7, message.message_id)
    await bot.edit_message_text("two", 7, message.message_id)
    [shown] = telegram.sent[7]
    assert (shown.text, shown.edits) == ("two", 1)


async def test_only_messages_of_the_bot_that_exist_can_be_edited(telegram: FakeTelegram, bot: Bot) -> None:
    update_id = telegram.say(7, "Hello")
    with pytest.raises(BadRequest, match="not found"):
        await bot.edit_message_text("x", 7, 999)
    with pytest.raises(BadRequest, match="can't be edited"):
        await bot.edit_message_text("x", 7, telegram.message_id_of(update_id))


async def test_a_reply_to_a_missing_message_needs_leave(telegram: FakeTelegram, bot: Bot) -> None:
    with pytest.raises(BadRequest, match="replied not found"):
        await bot.send_message(7, "x", reply_parameters=ReplyParameters(999))
    await bot.send_message(7, "x", reply_parameters=ReplyParameters(999, allow_sending_without_reply=True))
    assert telegram.sent[7][0].reply_to is None


async def test_unknown_chats_topics_and_blocked_people_are_refused(telegram: FakeTelegram, bot: Bot) -> None:
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(8, "x")
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_message(7, "x", message_thread_id=55)
    telegram.block(7)
    with pytest.raises(Forbidden, match="blocked"):
        await bot.send_message(7, "x")


async def test_a_topic_that_exists_is_kept(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.open_chat(-100, topics=(55,))
    await bot.send_message(-100, "x", message_thread_id=55)
    assert telegram.sent[-100][0].thread_id == 55


async def test_a_migrated_group_names_its_new_id(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.migrate(-5, -1005)
    with pytest.raises(ChatMigrated) as refusal:
        await bot.send_message(-5, "x")
    assert refusal.value.new_chat_id == -1005


async def test_callback_data_has_64_bytes(bot: Bot) -> None:
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Keep", callback_data="é" * 32)]])
    await bot.send_message(7, "x", reply_markup=keyboard)
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Keep", callback_data="é" * 33)]])
    with pytest.raises(BadRequest, match="Button_data_invalid"):
        await bot.send_message(7, "x", reply_markup=keyboard)


async def test_a_press_is_answered_once_and_not_when_expired(telegram: FakeTelegram, bot: Bot) -> None:
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Keep", callback_data="keep")]])
    await bot.send_message(7, "x", reply_markup=keyboard)
    telegram.press(7, telegram.sent[7][0], "keep")
    telegram.press(7, telegram.sent[7][0], "keep", is_expired=True)
    fresh, expired = [update.callback_query for update in await bot.get_updates()]
    assert fresh is not None
    assert expired is not None
    assert await bot.answer_callback_query(fresh.id, "Kept")
    for press in (fresh, expired):
        with pytest.raises(BadRequest, match="too old"):
            await bot.answer_callback_query(press.id)
    await bot.edit_message_reply_markup(7, telegram.sent[7][0].message_id)
    assert telegram.sent[7][0].keyboard is None
    assert list(telegram.answered_presses.values()) == ["Kept"]


async def test_small_methods_do_what_they_say(telegram: FakeTelegram, bot: Bot) -> None:
    await bot.delete_webhook()
    await bot.set_my_commands([BotCommand("facts", "What I know")])
    await bot.send_chat_action(7, "typing")
    message = await bot.send_message(7, "x")
    await bot.set_message_reaction(7, message.message_id, "👍")
    assert telegram.sent[7][0].reaction == [{"type": "emoji", "emoji": "👍"}]
    await bot.delete_message(7, message.message_id)
    assert telegram.texts(7) == []
    assert telegram.commands == [{"command": "facts", "description": "What I know"}]
    assert (await bot.get_my_commands())[0].command == "facts"


@pytest.mark.parametrize("command", [BotCommand("Facts", "x"), BotCommand("a-b", "x"), BotCommand("facts", "")])
async def test_bad_commands_are_refused(bot: Bot, command: BotCommand) -> None:
    with pytest.raises(BadRequest, match="Bot_command"):
        await bot.set_my_commands([command])


async def test_a_draft_streams_until_the_message_is_sent(telegram: FakeTelegram, bot: Bot) -> None:
    await bot.send_message_draft(7, 1, "Hel")
    assert telegram.drafts(7) == {1: "Hel"}
    await bot.send_message(7, "Hello")
    assert telegram.drafts(7) == {}
    telegram.open_chat(-100)
    with pytest.raises(BadRequest, match="private chats"):
        await bot.send_message_draft(-100, 1, "Hel")


async def test_documents_travel_both_ways(telegram: FakeTelegram, bot: Bot) -> None:
    await bot.send_document(7, b"a,b\n", filename="facts.csv", caption="All facts")
    [shown] = telegram.sent[7]
    assert shown.document is not None
    assert (shown.document.name, shown.document.data, shown.document.caption) == ("facts.csv", b"a,b\n", "All facts")
    with pytest.raises(BadRequest, match="File name"):
        await bot.send_document(7, b"x", filename="x" * 61)
    telegram.add_file("voice1", b"OggS")
    file = await bot.get_file("voice1")
    assert bytes(await file.download_as_bytearray()) == b"OggS"


async def test_photos_are_taken_as_strictly_as_by_telegram(telegram: FakeTelegram, bot: Bot) -> None:
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 13, b"IHDR")
    good = header + struct.pack(">II", 900, 1200)
    await bot.send_photo(7, good, caption="c" * 1024)
    [shown] = telegram.sent[7]
    assert (shown.photo, shown.text) == (good, "c" * 1024)
    with pytest.raises(BadRequest, match=r"[Cc]aption is too long"):
        await bot.send_photo(7, good, caption="c" * 1025)
    with pytest.raises(BadRequest, match=r"(?i)dimensions"):
        await bot.send_photo(7, header + struct.pack(">II", 10, 1200))
    with pytest.raises(BadRequest, match=r"(?i)too big"):
        await bot.send_photo(7, good + b"x" * 10_500_000)
    with pytest.raises(BadRequest, match=r"(?i)process_failed"):
        await bot.send_photo(7, b"GIF89a")
    with pytest.raises(BadRequest, match="no text in the message"):
        await bot.edit_message_text("other words", 7, shown.message_id)


async def test_updates_come_again_until_an_offset_confirms_them(telegram: FakeTelegram, bot: Bot) -> None:
    first, second = telegram.say(7, "one"), telegram.say(7, "two")
    assert [u.update_id for u in await bot.get_updates()] == [first, second]
    async with client_of(telegram) as restarted:
        assert [u.update_id for u in await restarted.get_updates(offset=first)] == [first, second]
        assert [u.update_id for u in await restarted.get_updates(offset=second)] == [second]
        assert await restarted.get_updates(offset=second + 1) == ()
    assert telegram.pending == []


async def test_a_poll_waits_for_what_is_said_and_filters_kinds(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.push_raw({"my_chat_member": {}})
    poll = asyncio.create_task(bot.get_updates(timeout=1, allowed_updates=["message", "edited_message"]))
    await telegram.until(lambda: telegram.count("getUpdates") == 1)
    said = telegram.say(7, "/facts now")
    [update] = await poll
    assert update.update_id == said
    assert update.message is not None
    assert update.message.parse_entities(["bot_command"]) != {}


async def test_the_older_of_two_polls_ends_in_conflict(telegram: FakeTelegram, bot: Bot) -> None:
    async with client_of(telegram) as other:
        older = asyncio.create_task(bot.get_updates(timeout=1))
        await telegram.until(lambda: telegram.count("getUpdates") == 1)
        newer = asyncio.create_task(other.get_updates(timeout=1))
        with pytest.raises(Conflict):
            await older
        telegram.say(7, "Hello")
        assert len(await newer) == 1


async def test_edits_replies_and_media_arrive_as_telegram_sends_them(telegram: FakeTelegram, bot: Bot) -> None:
    said = telegram.message_id_of(telegram.say(7, "the 12th"))
    telegram.edit(7, said, "the 21st")
    telegram.say(7, "and this?", reply_to=said)
    telegram.say(7, None, photo=[{"file_id": "p", "file_unique_id": "p", "width": 1, "height": 1}])
    _, edited, reply, photo = await bot.get_updates()
    assert edited.edited_message is not None
    assert edited.edited_message.text == "the 21st"
    assert reply.message is not None
    assert reply.message.reply_to_message is not None
    assert reply.message.reply_to_message.text == "the 21st"
    assert photo.message is not None
    assert photo.message.text is None


async def test_a_scripted_wait_names_its_seconds_and_hits_the_right_chat_and_call(
    telegram: FakeTelegram, bot: Bot
) -> None:
    telegram.open_chat(8)
    telegram.fail_next("sendMessage", too_many_requests(30), chat_id=7, skip=1)
    await bot.send_message(8, "x")
    await bot.send_message(7, "x")
    with pytest.raises(RetryAfter) as wait:
        await bot.send_message(7, "y")
    assert wait.value.retry_after == timedelta(seconds=30)
    await bot.send_message(7, "y")
    assert telegram.texts(7) == ["x", "y"]
    assert [call.status for call in telegram.calls if call.chat_id == 7] == [200, 429, 200]


async def test_an_outage_lasts_until_it_heals(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.fail_next("*", server_error(502), times=None)
    for _ in range(3):
        with pytest.raises(NetworkError):
            await bot.send_message(7, "x")
    telegram.heal()
    await bot.send_message(7, "x")
    assert telegram.texts(7) == ["x"]


@pytest.mark.parametrize("accepted", [True, False])
async def test_an_answer_may_be_lost_after_the_message_was_accepted(telegram: FakeTelegram, accepted: bool) -> None:
    telegram.fail_next("sendMessage", stall(accepted=accepted))
    telegram.fail_next("sendMessage", reset(accepted=accepted))
    async with client_of(telegram, read_timeout_s=0.3) as bot:
        with pytest.raises(TimedOut):
            await bot.send_message(7, "x")
        with pytest.raises(NetworkError):
            await bot.send_message(7, "y")
    assert telegram.texts(7) == (["x", "y"] if accepted else [])


async def test_other_failures_are_what_the_client_knows(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.fail_next("getUpdates", conflict())
    with pytest.raises(Conflict):
        await bot.get_updates()
    telegram.fail_next("getMe", server_error(200))
    with pytest.raises(TelegramError, match="Invalid server response"):
        await bot.get_me()
    with pytest.raises(EndPointNotFound):
        await bot.do_api_request("sendTelepathy")


async def test_a_wrong_or_revoked_token_is_turned_away(telegram: FakeTelegram) -> None:
    for token in ("1:short", f"1:{'x' * 35}"):
        with pytest.raises(InvalidToken):
            async with client_of(telegram, token=token):
                pass
    telegram.is_revoked = True
    async with httpx.AsyncClient() as http:
        answer = await http.post(f"{telegram.base_url}{telegram.token}/getMe")
    assert answer.status_code == 401


async def test_waiting_for_what_never_comes_names_the_last_calls(telegram: FakeTelegram, bot: Bot) -> None:
    await bot.send_message(7, "x")
    with pytest.raises(TimeoutError, match="sendMessage"):
        await telegram.until(lambda: telegram.texts(7) == ["y"], timeout=0.05)


async def test_polling_is_refused_while_a_webhook_is_set(telegram: FakeTelegram, bot: Bot) -> None:
    await bot.set_webhook("http://127.0.0.1:9/x", secret_token="s", allowed_updates=["message"], max_connections=3)
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates()
    telegram.say(7, "hello")
    await telegram.until(lambda: telegram.courier.brought)
    info = await bot.get_webhook_info()
    assert (info.url, info.max_connections, info.pending_update_count) == ("http://127.0.0.1:9/x", 3, 1)
    assert info.last_error_message == "Connection refused"
    await bot.delete_webhook()
    assert (await bot.get_webhook_info()).url == ""
    assert len(await bot.get_updates()) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "ftp://example.org/x"},
        {"url": "http://127.0.0.1/x", "secret_token": "two words"},
        {"url": "http://127.0.0.1/x", "max_connections": 101},
    ],
)
async def test_a_webhook_that_cannot_be_is_refused(bot: Bot, fields: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        await bot.set_webhook(**fields)


async def test_a_group_is_left_once(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.open_chat(-100)
    assert (await bot.get_chat(-100)).title == "Group-100"
    await bot.leave_chat(-100)
    with pytest.raises(Forbidden):
        await bot.leave_chat(-100)
    with pytest.raises(BadRequest, match="not found"):
        await bot.get_chat(404)
