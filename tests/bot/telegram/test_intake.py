"""Updates become entries of the right space, in order; strangers leave no trace and nothing stops the loop."""

import asyncio
import logging
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.health import Heartbeat
from bot.telegram.reader import NO_TEXT, Reader, Reading
from bot.telegram.updates import User, arrival_of
from memory.store.entries import Entry
from memory.store.redaction import Redacted, Redactor, notice
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, STRANGER, Talk, serving
from tests.fakes.clock import FakeClock
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import conflict, reset, server_error, too_many_requests

ME = User(id=123456, is_bot=True, first_name="Remembrancer", username="remembrancer_bot")
IDA = {"id": OWNER, "is_bot": False, "first_name": "Ida"}
OTHER = {"id": 99, "is_bot": False, "first_name": "Otto"}
PRIVATE = {"id": OWNER, "type": "private", "first_name": "Ida"}
SUPERGROUP = {"id": GROUP, "type": "supergroup", "title": "Home"}


def message(text: str | None = "hello", **fields: Any) -> dict[str, Any]:
    words = {} if text is None else {"text": text}
    return {"message_id": 5, "date": 1_800_000_000, "chat": PRIVATE, "from": IDA, **words, **fields}


def read(update: dict[str, Any]) -> Reading:
    arrival = arrival_of(update)
    reader = Reader(ME, frozenset({"facts", "stop"}), Redactor(["own-secret-word"]), FakeClock())
    return reader.read(arrival, "tg:123456:1") if arrival else None


def entry_of(body: dict[str, Any], kind: str = "message") -> Entry:
    entry = read({kind: body})
    assert isinstance(entry, Entry)
    return entry


def mark(kind: str, offset: int, length: int, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **fields}


def group(text: str, **fields: Any) -> dict[str, Any]:
    return message(text, chat=SUPERGROUP, **fields)


# Reading


def test_a_message_is_an_entry_with_its_author_time_and_place() -> None:
    entry = entry_of(message("hello"))
    assert (entry.kind, entry.text, entry.origin) == ("message", "hello", "own")
    assert (entry.author, entry.author_id) == ("Ida", 7)
    assert entry.at == datetime.fromtimestamp(1_800_000_000, UTC)
    assert entry.place == "tg:7:5"
    assert entry.notices == ()


def test_an_edit_names_the_message_and_its_time() -> None:
    entry = entry_of(message("new words", edit_date=1_800_000_600), "edited_message")
    assert (entry.kind, entry.text, entry.place) == ("edit", "new words", "tg:7:5")
    assert entry.at == datetime.fromtimestamp(1_800_000_600, UTC)


def test_an_edit_without_words_means_nothing() -> None:
    assert read({"edited_message": message(None)}) is None


def test_secrets_go_and_the_member_is_told() -> None:
    entry = entry_of(message("the key is own-secret-word, keep it"))
    assert "own-secret-word" not in entry.text
    assert len(entry.text) == len("the key is own-secret-word, keep it")
    assert entry.notices == (notice(Redacted("", ("this bot's own key",))),)


def test_a_secret_said_in_words_can_be_kept_by_its_member_and_a_forwarded_one_cannot() -> None:
    said = "The wifi password is plum-otter-9."
    entry = entry_of(message(said))
    assert [secret.value for secret in entry.secrets] == ["plum-otter-9"]
    assert entry.has_offer
    assert "/keepsecret" in entry.notices[0]

    origin = {"type": "hidden_user", "date": 1_800_000_000, "sender_user_name": "Somebody"}
    forwarded = entry_of(message(said, forward_origin=origin))
    assert "plum-otter-9" not in forwarded.text
    assert (forwarded.secrets, forwarded.has_offer) == ((), False)
    assert "/keepsecret" not in forwarded.notices[0]


def test_hidden_characters_do_not_hide_a_secret() -> None:
    assert "secret-word" not in entry_of(message("own-\u00adsecret-word")).text


@given(st.text(st.characters(), min_size=1))
def test_any_text_can_be_stored(text: str) -> None:
    entry = read({"message": message(text)})
    assert isinstance(entry, Entry)
    Entry.model_validate_json(entry.model_dump_json()).text.encode()


@pytest.mark.parametrize("text", ["\u200b\u200b", "\u2800", " \u3164\n"])
def test_a_message_that_shows_nothing_is_no_message_and_the_member_is_told(text: str) -> None:
    entry = entry_of(message(text))
    assert entry.text == ""
    assert entry.notices == (NO_TEXT,)


def test_half_a_character_is_replaced() -> None:
    assert entry_of(message("a\ud800b")).text == "a\ufffdb"


COMMAND_MARK = {"type": "bot_command", "offset": 0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/facts", "/facts"),
        ("/Facts@Remembrancer_bot  tax", "/facts tax"),
        ("/remember\nThe code is 4711.\nSecond line", "/remember The code is 4711.\nSecond line"),
    ],
)
def test_a_command_is_its_name_and_what_follows(text: str, expected: str) -> None:
    entry = entry_of(message(text, entities=[COMMAND_MARK | {"length": len(text.split(maxsplit=1)[0])}]))
    assert (entry.kind, entry.text) == ("command", expected)


def test_a_command_of_another_bot_is_not_ours() -> None:
    assert read({"message": message("/facts@other_bot", entities=[COMMAND_MARK | {"length": 16}])}) is None


def test_a_path_is_no_command() -> None:
    assert entry_of(message("/etc/hosts is broken")).kind == "message"


FORWARDS = [
    pytest.param({"type": "user", "sender_user": OTHER}, "Otto", id="user"),
    pytest.param({"type": "hidden_user", "sender_user_name": "Hidden Otto"}, "Hidden Otto", id="hidden user"),
    pytest.param({"type": "chat", "sender_chat": {"id": -5, "type": "group", "title": "Club"}}, "Club", id="chat"),
    pytest.param(
        {"type": "channel", "chat": {"id": -6, "type": "channel", "title": "News"}, "message_id": 3},
        "News",
        id="channel",
    ),
    pytest.param({"type": "something new"}, "somebody", id="unknown"),
]


@pytest.mark.parametrize(("origin", "name"), FORWARDS)
def test_a_forward_is_not_the_members_own_words(origin: dict[str, Any], name: str) -> None:
    entry = entry_of(message("I moved to Oslo", forward_origin={"date": 1, **origin}))
    assert (entry.origin, entry.forwarded_from, entry.kind) == ("forward", name, "message")


def test_a_forwarded_command_is_no_command() -> None:
    mark = [COMMAND_MARK | {"length": 7}]
    entry = entry_of(message("/forget f1", entities=mark, forward_origin={"type": "user", "sender_user": OTHER}))
    assert (entry.kind, entry.origin) == ("message", "forward")


def test_what_another_bot_made_is_not_the_members_own_words() -> None:
    entry = entry_of(message("It is 5 km", via_bot={"id": 4, "is_bot": True, "first_name": "Maps"}))
    assert (entry.origin, entry.forwarded_from) == ("forward", "the bot Maps")


EARLIER = {"message_id": 3, "date": 1, "chat": PRIVATE, "from": {"id": 123456, "is_bot": True}, "text": "Call at six?"}


def test_a_reply_brings_what_it_replies_to() -> None:
    entry = entry_of(message("move it to 7", reply_to_message=EARLIER))
    assert (entry.quote, entry.quoted_from, entry.reply_to) == ("Call at six?", "the assistant", 3)


def test_a_marked_part_counts_before_the_whole() -> None:
    entry = entry_of(message("this", reply_to_message=EARLIER, quote={"text": "at six", "position": 5}))
    assert entry.quote == "at six"


def test_a_quote_from_elsewhere_brings_its_author() -> None:
    other = {"origin": {"type": "user", "date": 1, "sender_user": OTHER}}
    entry = entry_of(message("is that so?", external_reply=other, quote={"text": "Oslo is closed", "position": 0}))
    assert (entry.quote, entry.quoted_from) == ("Oslo is closed", "Otto")


def test_a_quoted_secret_goes_too() -> None:
    entry = entry_of(message("this", reply_to_message={**EARLIER, "text": "it is own-secret-word"}))
    assert entry.quote is not None
    assert "own-secret-word" not in entry.quote


def test_the_beginning_of_a_topic_is_not_quoted() -> None:
    root = {"message_id": 55, "date": 1, "chat": PRIVATE, "forum_topic_created": {"name": "Tax"}}
    entry = entry_of(message(message_thread_id=55, is_topic_message=True, reply_to_message=root))
    assert (entry.thread_id, entry.quote, entry.reply_to) == (55, None, None)


def test_a_thread_outside_topics_is_left_out() -> None:
    assert entry_of(message(message_thread_id=55)).thread_id is None


@pytest.mark.parametrize("event", ["pinned_message", "new_chat_members", "left_chat_member", "forum_topic_created"])
def test_what_only_happens_in_a_chat_means_nothing(event: str) -> None:
    assert read({"message": message(None, **{event: [{"id": 1}]})}) is None


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(group("so, @Remembrancer_bot?", entities=[mark("mention", 4, 17)]), id="name"),
        pytest.param(group("😀 @remembrancer_bot", entities=[mark("mention", 3, 17)]), id="after emoji"),
        pytest.param(
            group("you", entities=[mark("text_mention", 0, 3, user={"id": 123456})]),
            id="link",
        ),
        pytest.param(group("and?", reply_to_message={**EARLIER, "chat": SUPERGROUP}), id="reply"),
        pytest.param(group("/facts", entities=[COMMAND_MARK | {"length": 6}]), id="command"),
        pytest.param(group("/nonsense@remembrancer_bot", entities=[COMMAND_MARK | {"length": 26}]), id="named command"),
    ],
)
def test_in_a_group_what_is_addressed_to_us_counts(body: dict[str, Any]) -> None:
    assert isinstance(read({"message": body}), Entry)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(group("what a day"), id="talk"),
        pytest.param(group("@other", entities=[mark("mention", 0, 6)]), id="somebody else"),
        pytest.param(group("sure", reply_to_message={**EARLIER, "from": OTHER}), id="reply to somebody else"),
        pytest.param(group("/ban", entities=[COMMAND_MARK | {"length": 4}]), id="another bot's command"),
        pytest.param(group("/facts@other", entities=[COMMAND_MARK | {"length": 12}]), id="command to another bot"),
        pytest.param(group("/facts", entities=[COMMAND_MARK | {"length": 6}], sender_chat=SUPERGROUP), id="anonymous"),
        pytest.param(
            group("/facts", entities=[COMMAND_MARK | {"length": 6}], sender_chat={"id": -9, "type": "channel"}),
            id="channel",
        ),
    ],
)
def test_in_a_group_the_talk_of_others_is_not_ours(body: dict[str, Any]) -> None:
    assert read({"message": body}) is None
    assert read({"edited_message": body}) is None


def test_a_press_is_an_entry_with_its_data() -> None:
    query = {"id": "q1", "from": IDA, "data": "keep:f1", "message": {"message_id": 9, "date": 0, "chat": PRIVATE}}
    entry = entry_of(query, "callback_query")
    assert (entry.kind, entry.press, entry.press_id, entry.place) == ("press", "keep:f1", "q1", "tg:7:9")


@pytest.mark.parametrize(
    "update",
    [
        {"message": "text"},
        {"message": message(date="yesterday")},
        {"message": message(entities=[{"type": "bold"}])},
        {"message": {**message(), "chat": {"id": 10**30, "type": "private"}}},
        {"callback_query": {"id": "1", "message": {"chat": PRIVATE}}},
    ],
)
def test_another_form_than_telegrams_is_refused(update: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read(update)


# Taking


ALL_KINDS = (
    "message", "edited_message", "channel_post", "edited_channel_post", "business_message", "inline_query",
    "chosen_inline_result", "callback_query", "shipping_query", "pre_checkout_query", "poll", "poll_answer",
    "my_chat_member", "chat_member", "chat_join_request", "message_reaction", "guest_message",
)  # fmt: skip


def from_stranger(kind: str) -> dict[str, Any]:
    user = {"id": STRANGER, "is_bot": False, "first_name": "X"}
    chat = {"id": STRANGER, "type": "private"}
    body = message(chat=chat) | {"from": user, "user": user, "id": "1"}
    if kind == "callback_query":
        body = {"id": "1", "from": user, "data": "x", "message": message(chat=chat)}
    return {kind: body}


async def test_a_stranger_leaves_no_trace_whatever_they_send(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    for kind in ALL_KINDS:
        telegram.push_raw(from_stranger(kind))
    telegram.say(STRANGER, "hello", chat_id=-500)
    telegram.say(OWNER, "a talk in a group nobody admitted", chat_id=-500)
    telegram.say(STRANGER, None, chat_id=-501, migrate_from_chat_id=-500)
    async with serving(telegram, tmp_path, talk) as bot:
        await telegram.until(lambda: not telegram.pending)
        assert bot.opened == []
        for table in ("chats", "dead_letters", "tombstones"):
            assert await bot.rows(f"SELECT * FROM {table}") == []
    assert talk.requests == []
    assert not (tmp_path / "spaces").exists()
    assert {call.method for call in telegram.calls} == {"getMe", "deleteWebhook", "setMyCommands", "getUpdates"}


async def test_only_the_kinds_we_take_are_asked_for(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: telegram.count("getUpdates"))
    polls = [call.params for call in telegram.calls if call.method == "getUpdates"]
    assert polls[0]["allowed_updates"] == [
        *("message", "edited_message", "callback_query", "message_reaction", "my_chat_member")
    ]


@pytest.mark.parametrize("chat_id", [OWNER, GROUP])
async def test_bots_and_anonymous_posts_are_ignored(telegram: FakeTelegram, tmp_path: Path, chat_id: int) -> None:
    talk = Talk()
    chat = {"id": chat_id, "type": "private" if chat_id > 0 else "supergroup"}
    for sender in ({"id": 5, "is_bot": True, "first_name": "Robot"}, None):
        said = message("@remembrancer_bot hi", chat=chat, entities=[mark("mention", 0, 17)])
        telegram.push_raw({"message": said | {"from": sender}})
    async with serving(telegram, tmp_path, talk) as bot:
        await telegram.until(lambda: not telegram.pending)
        assert bot.opened == []
    assert talk.requests == []


async def test_each_chat_has_a_space_of_its_own(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, "one")
        telegram.say(FRIEND, "two")
        telegram.say(STRANGER, "/facts", chat_id=GROUP)
        await telegram.until(lambda: telegram.texts(OWNER) and telegram.texts(FRIEND) and telegram.texts(GROUP))
        assert sorted(bot.opened) == sorted([str(OWNER), str(FRIEND), str(GROUP)])
        texts = [row["text"] for row in await bot.space_rows(FRIEND, "SELECT text FROM messages")]
        assert not any("one" in text for text in texts)


async def test_what_nobody_reads_leads_to_a_notice_and_to_no_turn(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        telegram.say(OWNER, None, story={"id": 3})
        await telegram.until(lambda: telegram.texts(OWNER))
        assert await bot.space_rows(OWNER, "SELECT * FROM messages") == []
    assert talk.requests == []
    assert telegram.texts(OWNER) == [
        "I can't read this (story): nothing of it was stored. Tell me in words what matters in it."
    ]


async def test_an_edit_replaces_what_was_said_and_makes_no_turn(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        message_id = telegram.message_id_of(telegram.say(OWNER, "my flight is on the 12th"))
        await telegram.until(lambda: telegram.texts(OWNER))
        telegram.edit(OWNER, message_id, "my flight is on the 21st")
        telegram.say(OWNER, "next")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        assert len(await bot.space_rows(OWNER, "SELECT * FROM turns")) == 2
    said = [message.text for message in talk.requests[-1].messages if message.role == "user"]
    assert said == ["my flight is on the 21st", "next"]


async def test_an_edit_during_the_turn_waits_for_its_end(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk(gates={"my flight is on the 12th": asyncio.Event()})
    async with serving(telegram, tmp_path, talk) as bot:
        message_id = telegram.message_id_of(telegram.say(OWNER, "my flight is on the 12th"))
        await telegram.until(lambda: talk.requests)
        telegram.edit(OWNER, message_id, "my flight is on the 21st")
        await telegram.until(lambda: not telegram.pending)
        talk.gates["my flight is on the 12th"].set()
        telegram.say(OWNER, "next")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        assert len(await bot.space_rows(OWNER, "SELECT * FROM turns")) == 2
    said = [message.text for message in talk.requests[-1].messages if message.role == "user"]
    assert said == ["my flight is on the 21st", "next"]


async def test_forwards_and_own_words_in_a_row_keep_their_origins(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    for name in ("Otto", "Uwe"):
        user = {"id": 99, "is_bot": False, "first_name": name}
        telegram.say(OWNER, f"{name} says", forward_origin={"type": "user", "date": 1, "sender_user": user})
    telegram.say(OWNER, "my own words")
    async with serving(telegram, tmp_path, talk) as bot:
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 3)
        rows = await bot.space_rows(OWNER, "SELECT text, origin FROM messages WHERE role = 'user' ORDER BY id")
    assert [tuple(row) for row in rows] == [
        ("Otto says", "forward"),
        ("Uwe says", "forward"),
        ("my own words", "own"),
    ]
    notices = [message.text for message in talk.requests[-1].messages if message.role == "notice"]
    assert ["Otto wrote it" in notices[0], "Uwe wrote it" in notices[1]] == [True, True]


async def test_a_press_is_acknowledged_and_one_that_is_too_old_too(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.say(OWNER, "hello")
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: telegram.texts(OWNER))
        chat = {"id": OWNER, "type": "private"}
        for press_id in ("old", "old"):
            query = {"id": press_id, "from": IDA, "data": "x", "message": {"message_id": 2, "date": 1, "chat": chat}}
            telegram.push_raw({"callback_query": query})
        telegram.say(OWNER, "still there?")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        kinds = await bot.space_rows(OWNER, "SELECT kind, state FROM inbox ORDER BY id")
    assert [row["kind"] for row in kinds] == ["message", "press", "press", "message"]
    assert {row["state"] for row in kinds} == {"done"}
    assert telegram.count("answerCallbackQuery") == 2


async def test_what_cannot_be_read_is_told_in_the_language_of_the_space(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "/settings language de")
        await telegram.until(lambda: any("Deutsch" in text for text in telegram.texts(OWNER)))
        telegram.say(OWNER, "hello", quote={"text": 5})
        await telegram.until(lambda: any("Etwas von dir kam" in text for text in telegram.texts(OWNER)))


async def test_an_update_that_cannot_be_read_is_put_aside_and_the_next_one_counts(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    number = telegram.push_raw({"message": "nonsense"})
    known = telegram.say(OWNER, "hello", quote={"text": 5})
    telegram.say(OWNER, "next")
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        letters = [tuple(row) for row in await bot.rows("SELECT source, reason FROM dead_letters ORDER BY source")]
    assert letters == [
        (f"tg:{telegram.bot_id}:{number}", "ValidationError"),
        (f"tg:{telegram.bot_id}:{known}", "ValidationError"),
    ]
    assert sorted(telegram.texts(OWNER)) == [
        "Something you sent came in a form I can't read, so it was not stored. Please say it in other words.",
        "You said: next",
    ]


async def test_a_conflict_is_logged_once_and_waited_out(
    telegram: FakeTelegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.fail_next("getUpdates", conflict(), times=5)
    telegram.say(OWNER, "hello")
    async with serving(telegram, tmp_path) as bot:
        for wait_s in (1, 2, 4, 8, 16):
            await bot.clock.until_asleep(wait_s)
            bot.clock.advance(wait_s)
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "another program polls with the same token" in warnings[0].message


@pytest.mark.parametrize("failure", [reset(), server_error(502), server_error(200)])
async def test_a_lost_network_is_waited_out(telegram: FakeTelegram, tmp_path: Path, failure: Any) -> None:
    telegram.fail_next("getUpdates", failure, times=2)
    telegram.say(OWNER, "hello")
    async with serving(telegram, tmp_path) as bot:
        for wait_s in (1, 2):
            await bot.clock.until_asleep(wait_s)
            bot.clock.advance(wait_s)
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])


async def test_polling_waits_as_long_as_telegram_says(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("getUpdates", too_many_requests(77))
    async with serving(telegram, tmp_path) as bot:
        await bot.clock.until_asleep(77)
        assert telegram.count("getUpdates") == 1
        bot.clock.advance(77)
        await telegram.until(lambda: telegram.count("getUpdates") > 1)


async def test_each_successful_poll_beats(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: telegram.count("getUpdates") > 1)
        assert Heartbeat(tmp_path / "logs" / "heartbeat", bot.clock).age_s() == 0


async def test_what_cannot_be_stored_stays_at_telegram_and_the_member_is_told_once(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, "first")
        await telegram.until(lambda: telegram.texts(OWNER))
        blocker = sqlite3.connect(tmp_path / "spaces" / str(OWNER) / "memory.db", isolation_level=None)
        blocker.execute("CREATE TRIGGER full BEFORE INSERT ON inbox BEGIN SELECT raise(ABORT, 'no room'); END")
        second = telegram.say(OWNER, "second")
        for wait_s in (1, 2):
            await bot.clock.until_asleep(wait_s)
            assert telegram.pending == [second]
            bot.clock.advance(wait_s)
        blocker.execute("DROP TRIGGER full")
        await bot.clock.until_asleep(4)
        bot.clock.advance(4)
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 3)
        blocker.close()
    assert "it waits at Telegram" in telegram.texts(OWNER)[1]
    assert telegram.texts(OWNER)[2] == "You said: second"


async def test_a_memory_that_cannot_be_opened_does_not_hold_up_the_others(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    folder = tmp_path / "spaces" / str(FRIEND)
    folder.mkdir(parents=True)
    (folder / "memory.db").write_bytes(b"this is no database, not at all" * 200)
    telegram.say(FRIEND, "hello")
    telegram.say(OWNER, "hello")
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: telegram.texts(OWNER) and telegram.texts(FRIEND))
        assert [row["reason"] for row in await bot.rows("SELECT reason FROM dead_letters")] == ["DamagedDatabase"]
    assert "only the operator can mend" in telegram.texts(FRIEND)[0]
