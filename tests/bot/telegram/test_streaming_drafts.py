"""In a private chat a reply grows in a draft: nothing stands in the chat but the finished message."""

import asyncio
from functools import partial

import pytest

from bot.telegram.screen import NO_DRAFTS_FOR
from bot.telegram.streaming import DRAFT_S, EDIT_S, RENEW_S, TYPING_S
from memory.messages import CallPart
from tests.bot.telegram.chat import LONG, Chat
from tests.bot.telegram.house import OWNER
from tests.fakes.telegram_failures import Failure, refused, reset, server_error, stall, too_many_requests

SEARCH = CallPart(call_id="c1", name="web_search", args={"query": "weather"})


def drafts(chat: Chat) -> list[str]:
    """Return the drafts that were sent, oldest first."""
    return [call.params["text"] for call in chat.telegram.calls if call.method == "sendMessageDraft"]


async def shown(chat: Chat, text: str) -> None:
    """Stream a text and wait until the draft shows it."""
    await chat.screen.show_text(text)
    await chat.telegram.until(lambda: drafts(chat)[-1:] == [text.strip()])
    await chat.pause(DRAFT_S)


async def test_somebody_is_at_work_until_the_turn_ends(chat: Chat) -> None:
    await chat.begin(thread_id=55)
    await chat.telegram.until(lambda: chat.calls("sendChatAction") == 1)
    await chat.clock.until_asleep(TYPING_S)
    chat.clock.advance(TYPING_S)
    await chat.telegram.until(lambda: chat.calls("sendChatAction") == 2)
    await chat.screen.end()
    chat.clock.advance(40)
    await asyncio.sleep(0)
    assert chat.calls("sendChatAction") == 2
    assert chat.telegram.calls[-1].params["message_thread_id"] == "55"


async def test_a_reply_grows_in_one_draft_and_one_message_remains(chat: Chat) -> None:
    await chat.begin(thread_id=55)
    await shown(chat, "It")
    await shown(chat, "It is")
    assert chat.texts == []
    (draft,) = chat.telegram.drafts(OWNER)
    assert draft == chat.turn_id != 0
    await chat.finish("It is **cold**.")
    assert (chat.texts, chat.telegram.drafts(OWNER)) == (["It is cold."], {})
    assert (chat.calls("sendMessage"), chat.calls("editMessageText")) == (1, 0)
    assert {call.params.get("message_thread_id") for call in chat.telegram.calls if "Draft" in call.method} == {"55"}


async def test_nothing_of_a_draft_is_stored(chat: Chat) -> None:
    await chat.begin()
    await shown(chat, LONG)
    assert await chat.space.db.fetch_all("SELECT * FROM outbox") == []


async def test_a_draft_has_the_form_of_what_it_will_be(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_text("**cold** and `wi")
    await chat.telegram.until(lambda: drafts(chat))
    (call,) = [call for call in chat.telegram.calls if call.method == "sendMessageDraft"]
    assert (call.params["text"], [e["type"] for e in call.params["entities"]]) == ("cold and `wi", ["bold"])


async def test_texts_that_come_fast_are_shown_twice_a_second(chat: Chat) -> None:
    await chat.begin()
    await shown(chat, "one")
    for number in range(2, 30):
        await chat.screen.show_text("one " * number)
    await chat.telegram.until(lambda: len(drafts(chat)) == 2)
    await chat.clock.until_asleep(DRAFT_S)
    await chat.screen.show_text("the end")
    await asyncio.sleep(0)
    assert len(drafts(chat)) == 2


async def test_a_long_draft_shows_what_one_message_holds(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_text("😀" * 3000)
    await chat.telegram.until(lambda: drafts(chat) == ["😀" * 2048])


def is_shown(chat: Chat, text: str, times: int) -> bool:
    return drafts(chat) == [text] * times


async def test_a_draft_is_kept_alive_while_a_tool_runs(chat: Chat) -> None:
    await chat.begin()
    await chat.screen.show_call(SEARCH)
    for number in range(1, 4):
        await chat.telegram.until(partial(is_shown, chat, "🔎 searching the web…", number))
        await chat.pause(DRAFT_S)
        await chat.clock.until_asleep(RENEW_S - DRAFT_S)
        chat.clock.advance(RENEW_S - DRAFT_S)


async def test_a_tool_is_named_below_the_text_and_gone_with_the_next_words(chat: Chat) -> None:
    await chat.begin()
    await shown(chat, "Let me look.")
    await chat.screen.show_call(SEARCH)
    await chat.telegram.until(lambda: drafts(chat)[-1] == "Let me look.\n\n🔎 searching the web…")
    await chat.pause(DRAFT_S)
    await shown(chat, "It rains.")
    await chat.finish("It rains.")
    assert chat.texts == ["It rains."]


async def test_a_message_in_between_does_not_end_the_draft(chat: Chat) -> None:
    await chat.begin()
    await shown(chat, "Let me look.")
    await chat.deliver("a receipt")
    await chat.telegram.until(lambda: chat.telegram.drafts(OWNER) == {chat.turn_id: "Let me look."})


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(refused(404, "Not Found"), id="an old server"),
        pytest.param(refused(400, "Bad Request: DRAFTS_DISABLED"), id="not here"),
        pytest.param(too_many_requests(1), id="too many"),
    ],
)
async def test_where_no_draft_is_taken_edits_show_the_reply_for_a_while(chat: Chat, failure: Failure) -> None:
    chat.telegram.fail_next("sendMessageDraft", failure)
    await chat.begin()
    await chat.screen.show_text(LONG)
    await chat.telegram.until(lambda: chat.calls("sendMessageDraft") == 1)
    await chat.pause(EDIT_S)
    await chat.telegram.until(lambda: chat.texts == [LONG.strip()])
    await chat.finish("The end.")
    await chat.begin()
    await chat.screen.show_text(LONG)
    await chat.telegram.until(lambda: chat.texts == ["The end.", LONG.strip()])
    await chat.finish("The end of it.")
    chat.clock.advance(NO_DRAFTS_FOR.total_seconds())
    await chat.begin()
    await shown(chat, LONG)
    assert chat.calls("sendMessageDraft") == 2


async def test_a_wait_that_a_draft_earned_is_kept_and_the_reply_arrives(chat: Chat) -> None:
    chat.telegram.fail_next("sendMessageDraft", too_many_requests(30))
    await chat.begin()
    await chat.screen.show_text(LONG)
    await chat.telegram.until(lambda: chat.calls("sendMessageDraft") == 1)
    await chat.finish("The end.")
    assert chat.texts == []
    chat.clock.advance(30)
    assert await chat.delivery.drain() is None
    assert chat.texts == ["The end."]


@pytest.mark.parametrize("failure", [server_error(502), reset(), stall()])
async def test_a_draft_that_fails_is_followed_by_the_next(chat: Chat, failure: Failure) -> None:
    await chat.begin()
    chat.telegram.fail_next("sendMessageDraft", failure)
    await chat.screen.show_text("one")
    await chat.telegram.until(lambda: len(drafts(chat)) == 1)
    await chat.pause(DRAFT_S)
    await shown(chat, "one two")
    await chat.finish("one two three")
    assert chat.texts == ["one two three"]


async def test_who_blocked_the_bot_gets_no_drafts(chat: Chat) -> None:
    chat.telegram.block(OWNER)
    await chat.begin()
    await chat.telegram.until(lambda: chat.calls("sendChatAction"))
    await chat.clock.until_asleep(TYPING_S)
    await chat.screen.show_text("one")
    await chat.pause(DRAFT_S)
    await chat.clock.until_asleep(DRAFT_S)
    assert drafts(chat) == []
