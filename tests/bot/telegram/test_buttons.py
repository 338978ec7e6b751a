"""Buttons: keyboards arrive under their messages, presses act once and in place, and only for whom they are."""

from pathlib import Path
from typing import Any

from bot.turn.runner import NOT_YOURS
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Button
from tests.bot.telegram.chat import Chat
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, Talk, serving
from tests.bot.turn.house import change
from tests.fakes.model import extracts
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import refused
from tests.fakes.telegram_world import Shown

KEEP_OR_DROP = ((Button(text="Keep", data="keep:1"), Button(text="Drop", data="drop:1")),)


class Noting(Talk):
    """Reads the vet out of every message that names one."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "extract" and "vet is Dr. Brandt" in request.messages[-1].text:
            return extracts(change("vet", "Dr. Brandt", "vet is Dr. Brandt"))
        return await super().generate(request, on_text=on_text)


def keyboard(shown: Shown) -> list[list[tuple[str, str]]]:
    rows = (shown.keyboard or {}).get("inline_keyboard", [])
    return [[(button["text"], button["callback_data"]) for button in row] for row in rows]


def last(telegram: FakeTelegram, chat_id: int = OWNER) -> Shown:
    return telegram.sent[chat_id][-1]


# Delivery


async def test_buttons_stand_under_the_message(chat: Chat) -> None:
    await chat.deliver("hello", buttons=KEEP_OR_DROP)
    assert keyboard(last(chat.telegram)) == [[("Keep", "keep:1"), ("Drop", "drop:1")]]


async def test_a_message_that_awaits_a_reply_opens_it(chat: Chat) -> None:
    await chat.deliver("What is it now?", awaits="edit:1:value")
    assert last(chat.telegram).keyboard == {"force_reply": True, "selective": False}


async def test_buttons_that_are_refused_leave_the_message(chat: Chat) -> None:
    await chat.deliver("hello", buttons=((Button(text="Keep", data="x" * 65),),))
    assert (chat.texts, last(chat.telegram).keyboard) == (["hello"], None)


async def test_a_new_form_takes_the_place_of_the_message_and_its_buttons(chat: Chat) -> None:
    place = await chat.deliver("page 1", buttons=KEEP_OR_DROP)
    async with chat.space.db.transaction():
        shown = await _shown(chat, "page 2", place)
    await chat.delivery.drain()
    assert (chat.texts, keyboard(last(chat.telegram))) == (["page 2"], [])
    assert shown


async def test_a_new_form_of_a_message_that_was_deleted_is_sent_anew(chat: Chat) -> None:
    place = await chat.deliver("page 1")
    chat.telegram.fail_next("editMessageText", refused(400, "Bad Request: message to edit not found"))
    async with chat.space.db.transaction():
        await _shown(chat, "page 2", place)
    await chat.delivery.drain()
    assert chat.texts == ["page 1", "page 2"]


async def test_a_new_form_that_changes_nothing_counts_as_done(chat: Chat) -> None:
    place = await chat.deliver("page 1")
    async with chat.space.db.transaction():
        await _shown(chat, "page 1", place)
    await chat.delivery.drain()
    assert await chat.space.mailbox.undelivered() == []
    assert chat.texts == ["page 1"]


async def _shown(chat: Chat, text: str, place: str | None) -> bool:
    (message,) = chat.screen.render(text, chat.entry())
    return await chat.space.mailbox.post(f"new form {text}", message, place=place)


# Presses


async def receipt_of(telegram: FakeTelegram, chat_id: int = OWNER) -> Shown:
    """Return the receipt once it is known to have arrived: what follows it is sent after that was written down."""
    await telegram.until(lambda: any(text.startswith("✎") for text in telegram.texts(chat_id)))
    receipt = last(telegram, chat_id)
    await settled(telegram, chat_id)
    return receipt


async def settled(telegram: FakeTelegram, chat_id: int = OWNER) -> None:
    """Wait until all messages so far are known to have arrived."""
    said = len(telegram.texts(chat_id))
    telegram.say(OWNER, "/stop@Remembrancer_Bot", chat_id=chat_id, entities=command(22))
    await telegram.until(lambda: len(telegram.texts(chat_id)) > said)


async def test_a_receipt_is_undone_by_its_button(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Noting()) as bot:
        telegram.say(OWNER, "Our vet is Dr. Brandt.")
        receipt = await receipt_of(telegram)
        assert keyboard(receipt) == [[("Undo", "undo:1")]]
        telegram.press(OWNER, receipt, "undo:1")
        await telegram.until(
            lambda: telegram.texts(OWNER)[-1].startswith("✎ undone") and last_of(telegram, receipt).edits
        )
        assert keyboard(last_of(telegram, receipt)) == []
        (fact,) = await bot.space_rows(OWNER, "SELECT status FROM facts")
        assert fact["status"] == "retracted"
    assert list(telegram.answered_presses.values()) == [""]


async def test_facts_lead_to_a_card_and_an_edit_by_reply(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Noting()):
        telegram.say(OWNER, "Our vet is Dr. Brandt.")
        await receipt_of(telegram)
        telegram.say(OWNER, "/facts")
        await telegram.until(lambda: "1 fact" in telegram.texts(OWNER)[-1])
        page = last(telegram)
        telegram.press(OWNER, page, "fact:1")
        await telegram.until(lambda: last_of(telegram, page).text.startswith("vet · f1\nDr. Brandt"))
        telegram.press(OWNER, last_of(telegram, page), "edit:1")
        await telegram.until(lambda: last_of(telegram, page).text.startswith("What of vet"))
        telegram.press(OWNER, last_of(telegram, page), "edit:1:value")
        await telegram.until(lambda: telegram.texts(OWNER)[-1].startswith("Reply to this message"))
        question = last(telegram)
        await settled(telegram)
        telegram.say(OWNER, "Dr. Kern", reply_to=question.message_id)
        await telegram.until(lambda: telegram.texts(OWNER)[-1] == "✎ vet → Dr. Kern (was Dr. Brandt) · f2")


ODD = "12*34*56 __AB__-[9] [x](http://evil.example) `q`"


class Odd(Talk):
    """Reads a value that is full of Markdown's own signs."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "extract" and ODD in request.messages[-1].text:
            return extracts(change("bike_code_", ODD, f"bike code is {ODD}"))
        return await super().generate(request, on_text=on_text)


async def test_a_value_shows_as_it_is_whatever_signs_stand_in_it(telegram: FakeTelegram, tmp_path: Path) -> None:
    async def answer(to: str, start: str) -> str:
        before = len(telegram.texts(OWNER))
        telegram.say(OWNER, to)
        await telegram.until(lambda: found(before, start))
        return found(before, start)[0]

    def found(before: int, start: str) -> list[str]:
        return [text for text in telegram.texts(OWNER)[before:] if text.startswith(start)]

    async with serving(telegram, tmp_path, Odd()):
        assert await answer(f"My bike code is {ODD}", "✎") == f"✎ bike_code_ → {ODD} · f1"
        assert f"f1 bike_code_: {ODD}" in await answer("/facts", "People")
        card = await answer("/facts f1", "bike_code_ · f1")
        assert card.split("\n")[1] == ODD
        assert f"\nbike code is {ODD}\n" in card
        await answer("Are you there?", "You said")
        assert f"f1 bike_code_: {ODD}" in await answer("/why", "t2")
        assert f"bike_code_ (was {ODD})" in await answer("/undo", "✎ undone")


async def test_a_page_goes_where_the_button_is_even_when_the_press_is_expired(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path, Noting()):
        telegram.say(OWNER, "Our vet is Dr. Brandt.")
        await receipt_of(telegram)
        telegram.say(OWNER, "/facts f1")
        await telegram.until(lambda: telegram.texts(OWNER)[-1].startswith("vet · f1"))
        card = last(telegram)
        telegram.press(OWNER, card, "facts:1:", is_expired=True)
        await telegram.until(lambda: "1 fact" in last_of(telegram, card).text)


async def test_in_a_group_only_who_asked_may_press(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.open_chat(GROUP)
    async with serving(telegram, tmp_path, Noting()) as bot:
        telegram.say(OWNER, "@Remembrancer_Bot Our vet is Dr. Brandt.", chat_id=GROUP, entities=mention())
        receipt = await receipt_of(telegram, GROUP)
        telegram.press(FRIEND, receipt, "undo:1")
        await telegram.until(lambda: NOT_YOURS in telegram.answered_presses.values())
        telegram.say(FRIEND, "/facts@Remembrancer_Bot", chat_id=GROUP, entities=command(26))
        await telegram.until(lambda: "1 fact" in telegram.texts(GROUP)[-1])
        assert await bot.space_rows(GROUP, "SELECT id FROM inbox WHERE kind = 'press'") == []
        telegram.press(OWNER, receipt, "undo:1")
        await telegram.until(lambda: telegram.texts(GROUP)[-1].startswith("✎ undone"))


def last_of(telegram: FakeTelegram, shown: Shown) -> Shown:
    """Return a message as it stands now."""
    return next(one for one in telegram.sent[shown.chat_id] if one.message_id == shown.message_id)


def mention() -> list[dict[str, Any]]:
    return [{"type": "mention", "offset": 0, "length": len("@Remembrancer_Bot")}]


def command(length: int) -> list[dict[str, Any]]:
    return [{"type": "bot_command", "offset": 0, "length": length}]
