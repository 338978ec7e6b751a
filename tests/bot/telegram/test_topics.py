"""In a topic everything stays in the topic, also what is told long after: private chats and groups alike."""

from pathlib import Path
from typing import Any

import pytest

from memory.ports import ModelReply, ModelRequest, OnText
from tests.bot.telegram.house import GROUP, OWNER, serving
from tests.bot.telegram.test_buttons import Noting
from tests.fakes.model import calls, says
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import Call

NAME = "@remembrancer_bot"
MENTION = [{"type": "mention", "offset": 0, "length": len(NAME)}]
TOPIC = 55
SHOWING = {"sendMessage", "sendMessageDraft", "sendChatAction", "sendDocument"}

both = pytest.mark.parametrize("chat_id", [OWNER, GROUP], ids=["private", "group"])


class Busy(Noting):
    """Notes the vet, sets a reminder, writes a file and sends it, then answers; all of it is streamed."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "chat":
            return await super().generate(request, on_text=on_text)
        results = [message for message in request.messages if message.results]
        if "all of it" not in request.messages[-1].text and not results:
            return await super().generate(request, on_text=on_text)
        if results:
            if on_text is not None:
                await on_text("A reply that is long enough to be streamed: " + "word for word " * 5)
            return says("All done.")
        return calls(
            ("reminders", {"action": "set", "text": "tea", "in_minutes": 20}),
            ("files", {"action": "write", "path": "list.md", "text": "sun cream"}),
            ("files", {"action": "send", "path": "list.md"}),
        )


def say(telegram: FakeTelegram, text: str, chat_id: int, **more: Any) -> None:
    if chat_id == OWNER:
        telegram.say(OWNER, text, thread_id=TOPIC, **more)
    else:
        telegram.say(OWNER, f"{NAME} {text}", chat_id=chat_id, thread_id=TOPIC, entities=MENTION, **more)


def shown(telegram: FakeTelegram) -> list[Call]:
    return [call for call in telegram.calls if call.method in SHOWING]


@both
async def test_a_turn_with_all_that_follows_from_it_stays_in_its_topic(
    telegram: FakeTelegram, tmp_path: Path, chat_id: int
) -> None:
    async with serving(telegram, tmp_path, Busy()) as bot:
        say(telegram, "Do all of it. Our vet is Dr. Brandt.", chat_id)
        await telegram.until(lambda: "All done." in telegram.texts(chat_id))
        await telegram.until(lambda: any(text.startswith("✎") for text in telegram.texts(chat_id)))
        await bot.clock.until_asleep(60)
        bot.clock.advance(20 * 60)
        await telegram.until(lambda: any(text.endswith("tea") for text in telegram.texts(chat_id)))
        assert any(one.document for one in telegram.sent[chat_id])
    assert {call.params.get("message_thread_id") for call in shown(telegram)} == {str(TOPIC)}


async def test_what_a_document_states_is_asked_about_in_its_topic(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.add_file("d", b"The vet is Dr. Brandt.")
    file = {"file_id": "d", "file_unique_id": "d", "file_name": "card.txt", "file_size": 22}
    async with serving(telegram, tmp_path, Noting()):
        telegram.say(OWNER, None, thread_id=TOPIC, document=file)
        await telegram.until(lambda: any(text.startswith("❔") for text in telegram.texts(OWNER)))
    assert {call.params.get("message_thread_id") for call in shown(telegram)} == {str(TOPIC)}


@both
async def test_what_a_command_sets_going_is_told_in_its_topic(
    telegram: FakeTelegram, tmp_path: Path, chat_id: int
) -> None:
    at_bot = "" if chat_id == OWNER else NAME
    async with serving(telegram, tmp_path, Noting()) as bot:
        say(telegram, "Our vet is Dr. Brandt.", chat_id)
        await telegram.until(lambda: any(text.startswith("✎") for text in telegram.texts(chat_id)))
        for command in ("/remember The plumber came.", "/compact now", "/forget f1", "/facts", "/nonsense"):
            telegram.say(OWNER, command.replace(" ", f"{at_bot} ", 1), chat_id=chat_id, thread_id=TOPIC)
        await telegram.until(lambda: any("I found no fact in it" in text for text in telegram.texts(chat_id)))
        await telegram.until(lambda: any("Erased" in text for text in telegram.texts(chat_id)))
        assert await bot.space_rows(chat_id, "SELECT * FROM jobs WHERE state = 'ready'") == []
    assert {call.params.get("message_thread_id") for call in shown(telegram)} == {str(TOPIC)}


async def test_what_came_in_the_general_topic_is_answered_without_a_topic(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.open_chat(GROUP, topics=(TOPIC,))
    async with serving(telegram, tmp_path):
        # A reply in the general topic carries the number of its thread, which cannot be sent to.
        telegram.say(OWNER, f"{NAME} hi", chat_id=GROUP, entities=MENTION, message_thread_id=12)
        await telegram.until(lambda: telegram.texts(GROUP))
    assert {call.params.get("message_thread_id") for call in shown(telegram)} == {None}


async def test_a_topic_that_goes_during_the_turn_loses_no_answer(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        say(telegram, "hello", OWNER)
        telegram.close_topic(OWNER, TOPIC)
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
