"""Replies arrive whole: streamed, completed in place, in a plainer form or later, and never twice without saying so."""

import struct
from datetime import timedelta

import pytest
import telegram as ptb
from telegram.request import HTTPXRequest

from bot.telegram.delivery import ANSWER_NAME, FILE_GONE, Sender
from bot.telegram.forms import CANNOT_SHOW, FILE_REFUSED
from bot.telegram.screen import GOES_ON, HEAD_UNITS, WHOLE, TelegramScreen
from bot.turn.screen import DeliverLater, DeliverNever, DeliveryUnknown
from memory.store.entries import Button, Outgoing
from memory.store.mailbox import OutRow
from tests.bot.telegram.chat import Chat, in_group
from tests.bot.telegram.house import GROUP, OWNER
from tests.fakes.telegram_failures import (
    Failure,
    refused,
    reset,
    server_error,
    stall,
    too_many_requests,
)
from tests.fakes.telegram_world import Document, Shown

BOLD = {"type": "bold", "offset": 0, "length": 4}


def png(width: int, height: int) -> bytes:
    """Return as much of a PNG as tells its size."""
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\x00\x00\x00"


# Pictures


async def test_a_picture_has_the_text_as_its_caption(chat: Chat) -> None:
    sent = await picture_of(chat, png(900, 1200), Outgoing(text="bold", entities=(BOLD,), is_silent=True))
    assert (sent.text, sent.entities, sent.photo, sent.is_silent) == ("bold", [BOLD], png(900, 1200), True)


@pytest.mark.parametrize("data", [b"no picture", b"", png(10, 9_000)], ids=["broken", "empty", "too narrow"])
async def test_a_picture_that_is_refused_leaves_its_text(chat: Chat, data: bytes) -> None:
    sent = await picture_of(chat, data, Outgoing(text="the night was well"))
    assert (sent.text, sent.photo) == ("the night was well", None)


async def test_a_picture_that_is_gone_leaves_its_text(chat: Chat) -> None:
    await chat.screen.deliver(OutRow(id=1, key="k", turn_id=None, state="sending", message=Outgoing(
        text="the night was well", photo="0" * 64), place=None, attempts=1))  # fmt: skip
    assert chat.texts == ["the night was well"]


async def picture_of(chat: Chat, data: bytes, message: Outgoing) -> Shown:
    """Deliver a message with a picture of these bytes and return what stands in the chat."""
    async with chat.space.db.transaction():
        kept = await chat.space.media.put(data, "image/png")
    row = OutRow(
        id=1, key="k", turn_id=None, state="sending", message=message.model_copy(update={"photo": kept.sha256}),
        place=None, attempts=1,
    )  # fmt: skip
    await chat.screen.deliver(row)
    (sent,) = chat.telegram.sent[chat.chat_id]
    return sent


# Files


async def test_a_file_goes_out_as_a_document_with_its_own_name(chat: Chat) -> None:
    chat.space.files.write("trips/Pastéis.md", b"# Lisbon")
    sent = await file_of(chat, "trips/Pastéis.md")
    assert sent.document == Document("Pastéis.md", b"# Lisbon", "a file")


@pytest.mark.parametrize("path", ["none.txt", "../memory.db"])
async def test_a_file_that_is_gone_or_none_is_told(chat: Chat, path: str) -> None:
    sent = await file_of(chat, path)
    assert (sent.text, sent.document) == (f"a file\n{FILE_GONE}", None)


async def test_a_file_that_telegram_refuses_is_told(chat: Chat) -> None:
    chat.space.files.write("empty.txt", b"")
    sent = await file_of(chat, "empty.txt")
    assert (sent.text, sent.document) == (f"a file\n{FILE_REFUSED}", None)


async def file_of(chat: Chat, path: str) -> Shown:
    """Deliver a message with a file and return what stands in the chat."""
    row = OutRow(
        id=1, key="k", turn_id=None, state="sending", message=Outgoing(text="a file", document=path), place=None,
        attempts=1,
    )  # fmt: skip
    await chat.screen.deliver(row)
    (sent,) = chat.telegram.sent[chat.chat_id]
    return sent


# Long answers

LINES = "\n".join(f"{number}. **item** of a long list 😀" for number in range(1, 700))
FENCED = f"Here it is:\n\n```python\n{'print(1)  # a line' * 20}\n```\n\n" * 40


@pytest.mark.parametrize("text", [LINES, FENCED, "x" * 12_001], ids=["list", "code", "one word"])
async def test_a_very_long_answer_is_its_beginning_and_a_file_of_the_whole(chat: Chat, text: str) -> None:
    head, rest = chat.screen.render(text, chat.entry(thread_id=55))
    assert len(head.text) <= HEAD_UNITS + 2 + len(GOES_ON)
    assert head.text.endswith(GOES_ON)
    for message in (head, rest):
        await chat.screen.deliver(row_of(message))
    first, second = chat.telegram.sent[OWNER]
    assert first.text == head.text
    assert second.document == Document(ANSWER_NAME, text.encode(), WHOLE)
    assert {first.thread_id, second.thread_id} == {55}


async def test_an_answer_of_a_few_messages_is_no_file(chat: Chat) -> None:
    pieces = chat.screen.render("word " * 2390, chat.entry())
    assert [piece.whole for piece in pieces] == [None] * 3


async def test_a_whole_answer_that_is_not_taken_as_a_file_comes_as_messages(chat: Chat) -> None:
    reason = "Bad Request: not enough rights to send documents to the chat"
    chat.telegram.fail_next("sendDocument", refused(400, reason))
    _, rest = chat.screen.render(LINES, chat.entry())
    place = await chat.screen.deliver(row_of(rest.model_copy(update={"is_silent": True})))
    texts = "\n".join(chat.texts)
    assert [int(line.split(".")[0]) for line in texts.splitlines() if line] == list(range(1, 700))
    assert place == f"tg:{OWNER}:{chat.telegram.sent[OWNER][-1].message_id}"


def row_of(message: Outgoing) -> OutRow:
    return OutRow(id=1, key="k", turn_id=None, state="sending", message=message, place=None, attempts=1)


# Rendering


async def test_a_reply_is_rendered_with_entities_for_its_chat(chat: Chat) -> None:
    (piece,) = chat.screen.render("**bold**", chat.entry(message_id=5, thread_id=55))
    assert (piece.text, piece.chat_id, piece.thread_id, piece.reply_to) == ("bold", OWNER, 55, None)
    assert piece.entities == ({"type": "bold", "offset": 0, "length": 4},)


@in_group
async def test_in_a_group_the_first_message_of_a_reply_names_what_it_answers(chat: Chat) -> None:
    pieces = chat.screen.render("word " * 2000, chat.entry(message_id=5))
    assert [piece.reply_to for piece in pieces] == [5, None, None]


async def test_a_reply_without_anything_to_show_still_says_something(chat: Chat) -> None:
    assert [piece.text for piece in chat.screen.render("\u200b", None)] == ["(nothing to show)"]


async def test_a_notice_of_the_program_goes_to_the_spaces_chat(chat: Chat) -> None:
    (piece,) = chat.screen.render("saved", None)
    assert await chat.deliver(piece.text, chat_id=None) == f"tg:{OWNER}:1"
    assert chat.texts == ["saved"]


# Sending


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(refused(400, "Bad Request: can't parse entities: unsupported"), id="entities"),
        pytest.param(refused(400, "Bad Request: Wrong message entity: URL is invalid"), id="address"),
    ],
)
async def test_refused_entities_leave_a_plain_message(chat: Chat, failure: Failure) -> None:
    chat.telegram.fail_next("sendMessage", failure)
    await chat.deliver("bold", entities=({"type": "bold", "offset": 0, "length": 4},))
    (shown,) = chat.telegram.sent[OWNER]
    assert (shown.text, shown.entities) == ("bold", [])


async def test_a_topic_is_kept(chat: Chat) -> None:
    await chat.deliver(thread_id=55)
    assert chat.telegram.sent[OWNER][0].thread_id == 55


async def test_a_topic_that_is_gone_does_not_lose_the_message(chat: Chat) -> None:
    await chat.deliver(thread_id=56)
    assert [(shown.text, shown.thread_id) for shown in chat.telegram.sent[OWNER]] == [("hello", None)]


async def test_a_reply_to_what_was_deleted_arrives(chat: Chat) -> None:
    await chat.deliver(reply_to=999)
    assert [(shown.text, shown.reply_to) for shown in chat.telegram.sent[OWNER]] == [("hello", None)]


async def test_a_message_refused_for_everything_loses_everything_but_its_words(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", refused(400, "Bad Request: can't parse entities"))
    chat.telegram.fail_next("sendMessage", refused(400, "Bad Request: message to be replied not found"))
    await chat.deliver(thread_id=56, reply_to=9, entities=({"type": "bold", "offset": 0, "length": 5},))
    assert chat.texts == ["hello"]
    assert chat.calls("sendMessage") == 4


async def test_a_message_refused_for_a_reason_nobody_knows_arrives_plain(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", refused(400, "Bad Request: SOMETHING_NEW_INVALID"))
    await chat.deliver("bold", entities=({"type": "bold", "offset": 0, "length": 4},))
    assert [(shown.text, shown.entities) for shown in chat.telegram.sent[OWNER]] == [("bold", [])]


async def test_words_that_are_refused_in_every_form_are_not_met_with_silence(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", refused(400, "Bad Request: SOMETHING_NEW_INVALID"), times=3)
    approve = ((Button(text="Approve a1", data="approve:1"),),)
    await chat.deliver(reply_to=9, entities=({"type": "bold", "offset": 0, "length": 5},), buttons=approve)
    assert [(shown.text, shown.keyboard) for shown in chat.telegram.sent[OWNER]] == [(CANNOT_SHOW, None)]


@pytest.mark.parametrize("reason", ["SOMETHING_NEW_INVALID", "not enough rights to send text messages to the chat"])
async def test_a_message_that_is_refused_for_good_is_given_up(chat: Chat, reason: str) -> None:
    chat.telegram.fail_next("sendMessage", refused(400, f"Bad Request: {reason}"), times=None)
    with pytest.raises(DeliverNever):
        await chat.deliver()
    assert chat.calls("sendMessage") <= 2


async def test_a_silent_message_is_silent(chat: Chat) -> None:
    await chat.deliver(is_silent=True)
    assert chat.telegram.sent[OWNER][0].is_silent


async def test_a_chat_that_is_not_there_is_given_up(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", refused(400, "Bad Request: chat not found"))
    with pytest.raises(DeliverNever, match="no such chat"):
        await chat.deliver()


async def test_a_wait_that_telegram_asks_for_is_kept(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", too_many_requests(149))
    for _ in range(2):
        with pytest.raises(DeliverLater) as caught:
            await chat.deliver()
        assert caught.value.not_before == chat.clock.now() + timedelta(seconds=149)
    assert chat.calls("sendMessage") == 1


async def test_a_network_that_is_away_is_tried_with_growing_waits(chat: Chat) -> None:
    request = HTTPXRequest(connection_pool_size=1)
    nowhere = ptb.Bot(chat.telegram.token, base_url="http://127.0.0.1:1/bot", request=request)
    async with request:
        sender = Sender(
            chat.space.id, nowhere, chat.chats, chat.clock, picture=chat.space.media.read, file=chat.space.files.read
        )
        screen = TelegramScreen(chat.space, sender)
        row = OutRow(id=1, key="k", turn_id=None, state="sending", message=Outgoing(text="x"), place=None, attempts=1)
        waits = []
        for _ in range(3):
            with pytest.raises(DeliverLater) as caught:
                await screen.deliver(row)
            waits.append((caught.value.not_before - chat.clock.now()).total_seconds())
            chat.clock.advance(waits[-1])
    assert waits == [2, 4, 8]


@pytest.mark.parametrize("failure", [stall(), reset(accepted=True), server_error(502), server_error(200)])
async def test_what_may_have_arrived_is_unknown(chat: Chat, failure: Failure) -> None:
    chat.telegram.fail_next("sendMessage", failure)
    with pytest.raises(DeliveryUnknown):
        await chat.deliver()


async def test_a_repeat_says_so_and_keeps_its_entities_in_place(chat: Chat) -> None:
    await chat.deliver("bold", is_repeat=True, entities=({"type": "bold", "offset": 0, "length": 4},))
    (shown,) = chat.telegram.sent[OWNER]
    assert shown.text.startswith("(Sent again")
    (entity,) = shown.entities
    assert shown.text[entity["offset"] : entity["offset"] + entity["length"]] == "bold"


async def test_a_repeat_too_long_for_a_label_is_announced(chat: Chat) -> None:
    await chat.deliver("x" * 4096, is_repeat=True)
    assert [len(text) for text in chat.texts] == [len("(Sent again: a copy of this may have arrived before.)"), 4096]


async def test_a_repeat_waits_until_somebody_answers(chat: Chat) -> None:
    chat.telegram.fail_next("getMe", server_error(502))
    with pytest.raises(DeliverLater):
        await chat.deliver(is_repeat=True)
    assert chat.calls("sendMessage") == 0


async def test_an_unconfirmed_message_comes_once_more_and_then_no_more(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", stall(), times=2)
    await chat.post("hello")
    while await chat.delivery.drain() is not None:
        pass
    assert [text.splitlines()[-1] for text in chat.texts] == ["hello", "hello"]
    assert await chat.delivery.drain() is None
    assert chat.calls("sendMessage") == 2


async def test_waits_before_it_do_not_cost_a_message_its_repeat(chat: Chat) -> None:
    for _ in range(3):
        chat.telegram.fail_next("sendMessage", too_many_requests(5))
    chat.telegram.fail_next("sendMessage", reset(accepted=False), skip=3)
    await chat.post("hello")
    for _ in range(3):
        await chat.delivery.drain()
        chat.clock.advance(5)
    while await chat.delivery.drain() is not None:
        pass
    assert [text.splitlines()[-1] for text in chat.texts] == ["hello"]


async def test_a_repeat_that_must_wait_is_still_a_repeat(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", stall())
    chat.telegram.fail_next("sendMessage", too_many_requests(5), skip=1)
    await chat.post("hello")
    await chat.delivery.drain()
    await chat.delivery.drain()
    chat.clock.advance(5)
    await chat.delivery.drain()
    assert [text.startswith("(Sent again") for text in chat.texts] == [False, True]


async def test_a_blocked_chat_is_tried_once(chat: Chat) -> None:
    chat.telegram.block(OWNER)
    for _ in range(3):
        with pytest.raises(DeliverLater):
            await chat.deliver()
    assert chat.calls("sendMessage") == 1
    assert await chat.chats.resume(OWNER)
    chat.telegram.block(OWNER, is_blocked=False)
    await chat.deliver()
    assert chat.texts == ["hello"]


@in_group
async def test_a_group_that_moved_gets_its_message_at_its_new_number(chat: Chat) -> None:
    chat.telegram.migrate(GROUP, -1001)
    assert (await chat.deliver(thread_id=55, reply_to=5) or "").startswith("tg:-1001:")
    assert (await chat.deliver("again") or "").startswith("tg:-1001:")
    assert chat.telegram.texts(-1001) == ["hello", "again"]
    assert chat.calls("sendMessage") == 3


async def test_a_notice_that_cannot_be_shown_is_no_error(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", server_error(502))
    await chat.screen.say("no room")
    await chat.screen.say("no room, still")
    assert chat.texts == ["no room, still"]
