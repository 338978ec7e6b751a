"""/recall and /procedures on Telegram: what is bold and linked, and buttons that turn, open and point."""

from pathlib import Path

from bot.commands.recall_cards import NOT_KEPT
from memory.ports import ModelReply, ModelRequest, OnText
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, Bot, Talk, serving
from tests.bot.telegram.test_buttons import command, keyboard, last, last_of, mention, settled
from tests.fakes.model import calls
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown

WISH = {"action": "propose", "name": "Tea", "trigger": "when I want tea", "steps": ["boil [water](http://x.y)", "pour"]}
LONG = f"{'The rain went on and on. ' * 162}The blue kayak lies behind the boathouse."


class Proposing(Talk):
    """Proposes a procedure when tea is spoken of."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        is_asked = request.task == "chat" and request.messages[-1].role == "user" and "tea" in request.messages[-1].text
        if is_asked and "Procedures:" not in (request.memory_block or ""):
            return calls(("procedures", WISH))
        return await super().generate(request, on_text=on_text)


async def say(telegram: FakeTelegram, text: str) -> Shown:
    """Say something and return what came last, once all of it is known to have arrived."""
    before = len(telegram.texts(OWNER))
    telegram.say(OWNER, text)
    await telegram.until(lambda: len(telegram.texts(OWNER)) > before)
    answer = last(telegram)
    await settled(telegram)
    return answer


def bold(shown: Shown) -> list[str]:
    units = shown.text.encode("utf-16-le")
    return [
        units[2 * one["offset"] : 2 * (one["offset"] + one["length"])].decode("utf-16-le")
        for one in shown.entities
        if one["type"] == "bold"
    ]


def data(shown: Shown) -> list[str]:
    return [one for row in keyboard(shown) for _, one in row]


async def tell_much(telegram: FakeTelegram, bot: Bot) -> int:
    """Say something as long as a message can be and return where it stands."""
    telegram.say(OWNER, LONG)
    await bot.clock.until_asleep(1.0)  # a continuation might follow
    bot.clock.advance(1.0)
    await telegram.until(lambda: telegram.texts(OWNER) == ["ok"])
    await settled(telegram)
    (row,) = await bot.space_rows(OWNER, "SELECT place FROM messages WHERE text LIKE 'The rain%'")
    return int(str(row["place"]).rpartition(":")[2])


async def test_results_are_quoted_in_bold_and_turned_in_place(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        for number in range(7):
            await say(telegram, f"Boat {number} is *moored* at pier_{number + 40} 🚤.")
        page = await say(telegram, "/recall boats moored")
        assert "Boat 0 is *moored* at pier_40 🚤." in page.text
        assert {"Boat", "moored"} <= set(bold(page))
        assert all(len(one.encode()) <= 64 for one in data(page))
        telegram.press(OWNER, page, "recall:1:2")
        await telegram.until(lambda: "6 to " in last_of(telegram, page).text)
        telegram.press(OWNER, last_of(telegram, page), "recall:1:1", is_expired=True)
        await telegram.until(lambda: last_of(telegram, page).text == page.text)
        before = len(telegram.texts(OWNER))
        telegram.press(OWNER, last_of(telegram, page), "rwhy:1:1")
        await telegram.until(lambda: len(telegram.texts(OWNER)) > before)
        assert telegram.texts(OWNER)[-1].startswith("Why these, for “boats moored”:")
        await settled(telegram)
        await say(telegram, "/forget m1")
        telegram.press(OWNER, last_of(telegram, page), "recall:1:2")
        await telegram.until(lambda: last_of(telegram, page).text == NOT_KEPT.replace("`", ""))


async def test_show_replies_to_the_message_and_full_text_is_split_as_needed(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path, Talk(answer=lambda request: "ok")) as bot:
        said = await tell_much(telegram, bot)
        page = await say(telegram, "/recall blue kayak boathouse")
        assert "The blue kayak lies behind the boathouse." in page.text
        telegram.press(OWNER, page, next(one for one in data(page) if one.startswith("show:")))
        await telegram.until(lambda: telegram.texts(OWNER)[-1].startswith("Said here:"))
        assert last(telegram).reply_to == said
        await settled(telegram)
        before = len(telegram.texts(OWNER))
        telegram.press(OWNER, page, next(one for one in data(page) if one.startswith("full:")))
        await telegram.until(lambda: telegram.texts(OWNER)[-1].endswith("boathouse."))
        pieces = telegram.texts(OWNER)[before:]
        assert len(pieces) == 2
        assert "".join(pieces).count("The rain went on and on.") == 162


async def test_a_proposal_shows_every_letter_and_a_tap_lets_it_hold(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Proposing()) as bot:
        await say(telegram, "This is how I like my tea.")
        asked = next(one for one in telegram.sent[OWNER] if "I suggest a procedure" in one.text)
        assert "Tea\nTrigger: when I want tea\n1. boil [water](http://x.y)\n2. pour" in asked.text
        assert [one["type"] for one in asked.entities] == ["pre"]
        assert keyboard(asked) == [[("Keep p1", "pkeep:1"), ("Drop p1", "pdrop:1")]]
        assert await bot.space_rows(OWNER, "SELECT 1 FROM procedure_versions WHERE status = 'active'") == []
        telegram.press(OWNER, asked, "pkeep:1")
        await telegram.until(lambda: "\n\n✎ procedure kept: Tea" in last_of(telegram, asked).text)
        await telegram.until(lambda: keyboard(last_of(telegram, asked)) == [])
        await settled(telegram)
        card = await say(telegram, "/procedures p1")
        assert "1. boil [water](http://x.y)" in card.text
        telegram.press(OWNER, card, "pedit:1")
        await telegram.until(lambda: telegram.texts(OWNER)[-1].startswith("Reply to this message"))
        question = last(telegram)
        assert question.keyboard == {"force_reply": True, "selective": False}
        await settled(telegram)
        telegram.say(OWNER, "Tea\nTrigger: when I want tea\n1. pour", reply_to=question.message_id)
        await telegram.until(lambda: telegram.texts(OWNER)[-1].startswith("✎ procedure kept (version 2): Tea"))


async def test_in_a_group_a_result_links_and_only_who_asked_turns_the_page(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    group = GROUP
    telegram.open_chat(group)
    async with serving(telegram, tmp_path) as bot:
        telegram.say(OWNER, "@Remembrancer_Bot Our kayak is blue.", chat_id=group, entities=mention())
        await telegram.until(lambda: len(telegram.texts(group)) == 1)
        await settled(telegram, group)
        telegram.say(OWNER, "/recall@Remembrancer_Bot kayak", chat_id=group, entities=command(24))
        await telegram.until(lambda: "found" in telegram.texts(group)[-1])
        page = last(telegram, group)
        await settled(telegram, group)
        telegram.press(FRIEND, page, "rwhy:1:1")
        await telegram.until(
            lambda: any("Only the one who asked" in text for text in telegram.answered_presses.values())
        )
        assert await bot.space_rows(group, "SELECT id FROM inbox WHERE kind = 'press'") == []
