"""Where there are no drafts, a reply grows in one message: by edits, at a pace, until delivery completes it."""

import asyncio

import pytest

from bot.telegram.streaming import EDIT_S
from bot.turn.screen import stream_key
from memory.messages import CallPart
from tests.bot.telegram.chat import LONG, Chat, in_group
from tests.bot.telegram.house import GROUP, OWNER
from tests.fakes.telegram_failures import Failure, refused, reset, server_error, stall, too_many_requests

pytestmark = in_group

READ = CallPart(call_id="c1", name="fetch_url", args={"url": "https://example.org/private?key=4711"})


async def test_a_reply_grows_in_one_message_and_ends_with_entities(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    await chat.grow(LONG * 2)
    await chat.finish(LONG * 2 + "**The end.**")
    (shown,) = chat.telegram.sent[chat.chat_id]
    assert shown.text == LONG * 2 + "The end."
    assert [entity["type"] for entity in shown.entities] == ["bold"]
    assert (chat.calls("sendMessage"), chat.calls("editMessageText")) == (1, 2)


async def test_a_tool_that_takes_a_while_is_named_until_the_reply_takes_its_place(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_call(READ)
    await chat.clock.until_asleep(EDIT_S)
    assert chat.texts == []
    await chat.pause()
    await chat.telegram.until(lambda: chat.texts == ["📄 reading example.org…"])
    await chat.pause()
    await chat.grow(LONG)
    await chat.finish("The end.")
    assert (chat.texts, chat.calls("sendMessage")) == (["The end."], 1)


async def test_a_tool_that_is_quick_is_not_named(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_call(READ)
    await chat.clock.until_asleep(EDIT_S)
    await chat.screen.show_text("Yes.")
    await chat.pause()
    await chat.finish("Yes.")
    assert (chat.texts, chat.calls("sendMessage"), chat.calls("editMessageText")) == (["Yes."], 1, 0)


async def test_texts_that_come_fast_are_shown_at_most_once_a_second(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    for number in range(2, 30):
        await chat.screen.show_text(LONG * number)
    await chat.telegram.until(lambda: chat.calls("editMessageText") == 1)
    await chat.clock.until_asleep(EDIT_S)
    await chat.screen.show_text(LONG * 30)
    await asyncio.sleep(0)
    assert (chat.calls("sendMessage"), chat.calls("editMessageText")) == (1, 1)


async def test_a_short_reply_is_not_streamed(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_text("Yes.")
    await chat.clock.until_asleep(EDIT_S)
    assert chat.calls("sendMessage") == 0
    await chat.finish("Yes.")
    assert chat.texts == ["Yes."]


async def test_the_row_of_a_streamed_reply_stands_before_it_is_sent(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", stall())
    await chat.begin()
    await chat.screen.show_text(LONG)
    await chat.telegram.until(lambda: chat.calls("sendMessage"))
    (row,) = await chat.space.db.fetch_all("SELECT key, state, place, attempts FROM outbox")
    assert tuple(row) == (stream_key(chat.turn_id), "streaming", None, 1)
    await chat.finish(LONG + "The end.")
    assert [text.startswith("(Sent again") for text in chat.texts] == [False, True]


async def test_a_stream_that_was_cut_off_by_a_crash_goes_on_in_its_message(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    await chat.screen.end()
    await chat.screen.begin(chat.turn_id, chat.entry())
    await chat.screen.show_text(LONG * 2)
    await chat.pause()
    await chat.telegram.until(lambda: chat.texts == [(LONG * 2).strip()])
    await chat.finish("Done, in the same place.")
    assert chat.texts == ["Done, in the same place."]


async def test_a_final_text_equal_to_what_is_shown_counts_as_delivered(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    await chat.finish(LONG)
    assert await chat.space.mailbox.undelivered() == []
    assert chat.texts == [LONG.strip()]
    assert (chat.calls("sendMessage"), chat.calls("editMessageText")) == (1, 0)


async def test_a_text_that_did_not_change_is_not_sent_again(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    await chat.screen.show_text(LONG + "  \n")
    await chat.clock.until_asleep(EDIT_S)
    assert chat.calls("editMessageText") == 0


async def test_a_streamed_message_that_was_deleted_is_sent_anew(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    chat.telegram.fail_next("editMessageText", refused(400, "Bad Request: message to edit not found"))
    await chat.finish("The end.")
    assert chat.texts[-1] == "The end."
    assert await chat.space.mailbox.undelivered() == []


async def test_refused_entities_at_the_end_of_a_stream_leave_plain_text(chat: Chat) -> None:
    await chat.begin()
    await chat.grow(LONG)
    chat.telegram.fail_next("editMessageText", refused(400, "Bad Request: can't parse entities"))
    await chat.finish("**The end.**")
    (shown,) = chat.telegram.sent[chat.chat_id]
    assert (shown.text, shown.entities) == ("The end.", [])


async def test_edits_pause_as_long_as_telegram_says_and_the_final_text_arrives(chat: Chat) -> None:
    await chat.begin()
    for number in range(1, 5):
        await chat.grow(LONG * number)
    chat.telegram.fail_next("editMessageText", too_many_requests(30))
    await chat.screen.show_text(LONG * 5)
    await chat.telegram.until(lambda: chat.calls("editMessageText") == 4)
    await chat.clock.until_asleep(EDIT_S)
    calls = len(chat.telegram.calls)
    for _ in range(4):
        chat.clock.advance(5)
        await chat.clock.until_asleep(EDIT_S)
    await chat.finish(LONG * 5 + "The end.")
    assert len(chat.telegram.calls) == calls
    chat.clock.advance(10)
    assert await chat.delivery.drain() is None
    assert chat.texts == [LONG * 5 + "The end."]


@pytest.mark.parametrize(
    "failure", [refused(403, "Forbidden: bot was blocked by the user"), server_error(502), reset()]
)
async def test_a_stream_that_fails_leaves_the_reply_to_delivery(chat: Chat, failure: Failure) -> None:
    await chat.begin()
    await chat.grow(LONG)
    chat.telegram.fail_next("editMessageText", failure)
    await chat.screen.show_text(LONG * 2)
    await chat.telegram.until(lambda: chat.calls("editMessageText") == 1)
    await chat.finish("The end.")
    chat.clock.advance(2)
    assert await chat.delivery.drain() is None
    assert chat.texts == ["The end."]


async def test_a_stream_whose_first_words_must_wait_begins_later(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessage", too_many_requests(1))
    await chat.begin()
    await chat.screen.show_text(LONG)
    await chat.telegram.until(lambda: chat.calls("sendMessage") == 1)
    await chat.pause()
    await chat.telegram.until(lambda: chat.texts == [LONG.strip()])
    await chat.finish("The end.")
    assert chat.texts == ["The end."]


async def test_a_long_stream_shows_what_fits(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_text("😀" * 3000)
    await chat.telegram.until(lambda: chat.texts)
    assert chat.texts == ["😀" * 2048]


async def test_a_streamed_reply_in_a_group_names_what_it_answers(chat: Chat) -> None:
    message_id = chat.telegram.message_id_of(chat.telegram.say(OWNER, "hi", chat_id=GROUP))
    await chat.begin(message_id=message_id)
    await chat.grow(LONG)
    assert chat.telegram.sent[GROUP][0].reply_to == message_id
