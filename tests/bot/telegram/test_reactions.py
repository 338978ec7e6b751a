"""A member's reaction to an answer is kept with its turn and hinted at in the next; it is neither words nor a fact."""

from pathlib import Path
from typing import Any

from memory.ports import ModelRequest
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, STRANGER, Bot, Talk, serving
from tests.bot.telegram.test_buttons import Noting, last, receipt_of, settled
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown

NAME = "@remembrancer_bot"
MENTION = [{"type": "mention", "offset": 0, "length": len(NAME)}]


def notes(request: ModelRequest) -> list[str]:
    return [message.text for message in request.messages if message.role == "notice" and "reacted" in message.text]


async def said(telegram: FakeTelegram, text: str, *, user: int = OWNER, chat_id: int = OWNER) -> Shown:
    """Say something and return its answer, once that is known to have arrived."""
    words = f"{NAME} {text}" if chat_id < 0 else text
    telegram.say(user, words, chat_id=chat_id, entities=MENTION if chat_id < 0 else [])
    await telegram.until(lambda: telegram.texts(chat_id)[-1:] == [f"You said: {words}"])
    answer = last(telegram, chat_id)
    await settled(telegram, chat_id)
    return answer


async def stored(bot: Bot, chat_id: int = OWNER) -> list[tuple[Any, ...]]:
    """Return the reactions once every update was taken."""
    await bot.telegram.until(lambda: not bot.telegram.pending)
    return [tuple(row) for row in await bot.space_rows(chat_id, "SELECT turn_id, member_id, emoji FROM reactions")]


async def test_a_reaction_is_kept_hinted_at_once_and_shown_by_why(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        answer = await said(telegram, "hello")
        telegram.react(OWNER, answer, "👎")
        assert await stored(bot) == [(1, OWNER, "👎")]
        assert len(talk.requests) == 1
        await said(telegram, "and now?")
        await said(telegram, "and then?")
        telegram.say(OWNER, "/why t1")
        await telegram.until(lambda: "Reactions to it: 👎" in telegram.texts(OWNER)[-1])
        roles = await bot.space_rows(OWNER, "SELECT role, origin FROM messages WHERE text LIKE '%reacted%'")
        assert [tuple(row) for row in roles] == [("notice", "program")]
    expected = "The member reacted 👎 to your answer in turn t1. Take it as a hint; it needs no reply."
    assert [notes(request) for request in talk.requests] == [[], [expected], [expected]]


async def test_a_reaction_that_changes_is_told_anew_and_one_that_goes_is_not_told(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        answer = await said(telegram, "hello")
        telegram.react(OWNER, answer, "👎")
        telegram.react(OWNER, answer)
        assert await stored(bot) == []
        await said(telegram, "one")
        telegram.react(OWNER, answer, "❤")
        await stored(bot)
        await said(telegram, "two")
        telegram.react(OWNER, answer, "👍")
        assert await stored(bot) == [(1, OWNER, "👍")]
        await said(telegram, "three")
    assert [[note.split()[3] for note in notes(request)] for request in talk.requests] == [[], [], ["❤"], ["❤", "👍"]]


async def test_only_answers_bear_reactions(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Noting()) as bot:
        update_id = telegram.say(OWNER, "Our vet is Dr. Brandt.")
        own = telegram.message_id_of(update_id)
        receipt = await receipt_of(telegram)
        telegram.react(OWNER, receipt, "👍")
        telegram.react(OWNER, receipt, "👍", message_id=own)
        telegram.react(OWNER, receipt, "👍", message_id=9_999)
        assert await stored(bot) == []


NO_MEMBERS: tuple[dict[str, Any], ...] = (
    {"user": None, "actor_chat": {"id": GROUP, "type": "supergroup"}},
    {"user": {"id": 99, "is_bot": True, "first_name": "B"}},
    {"user": {"id": STRANGER, "is_bot": False, "first_name": "S"}},
)
NO_SIGNS = (
    {"type": "custom_emoji", "custom_emoji_id": "5"},
    {"type": "paid"},
    {"type": "emoji", "emoji": "delete f1"},
    {"type": "emoji", "emoji": ""},
)


async def test_in_a_group_only_those_count_who_have_written_to_us_and_signs_that_say_something(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        first = await said(telegram, "hello", chat_id=GROUP)
        await said(telegram, "hello too", user=FRIEND, chat_id=GROUP)
        for fields in (*NO_MEMBERS, *({"new_reaction": [sign]} for sign in NO_SIGNS)):
            telegram.react(OWNER, first, "👍", **fields)
        telegram.react(FRIEND, first, "🔥")
        assert await stored(bot, GROUP) == [(1, FRIEND, "🔥")]


async def test_reactions_go_with_everything(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        answer = await said(telegram, "hello")
        telegram.react(OWNER, answer, "👎")
        assert await stored(bot)
        telegram.say(OWNER, "/forget everything")
        await telegram.until(lambda: "/forget everything " in telegram.texts(OWNER)[-1])
        word = telegram.texts(OWNER)[-1].split("/forget everything ")[1].split()[0].strip("`.")
        telegram.say(OWNER, f"/forget everything {word}")
        await telegram.until(lambda: any("Erased" in text for text in telegram.texts(OWNER)))
        assert await stored(bot) == []
