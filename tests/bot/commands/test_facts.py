"""The ledger by hand: pages, cards, edits, pins, undo, by button and by typed command alike."""

from pathlib import Path

import pytest

from bot.commands.facts import OVERTAKEN
from memory.store.mailbox import OutRow
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

VET = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")
KERN = change("vet", "Dr. Kern", "Our vet is Dr. Kern now.", op="replace", replaces="f1")
ME = 7


def reads(*answers: object) -> TaskModel:
    """Return a model that says ok in chat and extracts these answers, one a message."""
    return TaskModel(ScriptedModel([says("ok")] * len(answers)), ScriptedModel(answers))  # type: ignore[arg-type]


async def tell(h: House, *texts: str) -> None:
    for text in texts:
        await h.say(text, author_id=ME)


def newest(h: House) -> OutRow:
    return h.screen.rows[-1]


def labels(row: OutRow) -> list[list[str]]:
    return [[button.text for button in line] for line in row.message.buttons]


async def press(h: House, row: OutRow, text: str) -> OutRow:
    """Press the button of that text under a message and return the message that came of it."""
    (data,) = (button.data for line in row.message.buttons for button in line if button.text == text)
    return await press_data(h, row, data)


async def press_data(h: House, row: OutRow, data: str) -> OutRow:
    message_id = int((row.place or "").split(":")[2])
    await h.say("", kind="press", press=data, message_id=message_id, author_id=ME)
    return newest(h)


async def command(h: House, text: str, **more: object) -> OutRow:
    before = len(h.screen.rows)
    await h.say(text, kind="command", author_id=ME, **more)
    return h.screen.rows[before]


async def reply(h: House, row: OutRow, text: str) -> OutRow:
    await h.say(text, reply_to=int((row.place or "").split(":")[2]), author_id=ME)
    return newest(h)


async def values(h: House) -> list[str]:
    return [fact.value for fact in await h.space.facts.active()]


# Receipts and undo


async def test_a_receipt_carries_undo_which_brings_the_old_value_back_once(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN))) as h:
        await tell(h, "Our vet is Dr. Brandt.", "Our vet is Dr. Kern now.")
        receipt = newest(h)
        assert receipt.message.text == "✎ vet → Dr. Kern (was Dr. Brandt) · f2"
        assert labels(receipt) == [["Undo"]]

        await press(h, receipt, "Undo")

        told, spent = h.screen.rows[-2:]
        assert told.message.text == "✎ undone: vet → Dr. Brandt (was Dr. Kern) · f1"
        assert (spent.place, spent.message.text, spent.message.buttons) == (receipt.place, receipt.message.text, ())
        assert await values(h) == ["Dr. Brandt"]

        again = await press_data(h, receipt, receipt.message.buttons[0][0].data)
        assert again.message.text == "That was undone already."
        assert await values(h) == ["Dr. Brandt"]


async def test_a_receipt_of_two_facts_names_each_undo_and_keeps_the_other_button(tmp_path: Path) -> None:
    cat = change("cat", "Minka", "our cat is Minka")
    words = "Our vet is Dr. Brandt and our cat is Minka."
    both = extracts(change("vet", "Dr. Brandt", "Our vet is Dr. Brandt"), cat)
    async with house(tmp_path, model=reads(both)) as h:
        await tell(h, words)
        receipt = newest(h)
        assert labels(receipt) == [["Undo f1"], ["Undo f2"]]
        spent = await press(h, receipt, "Undo f1")
        assert labels(spent) == [["Undo f2"]]
        assert await values(h) == ["Minka"]


async def test_undo_by_command_goes_back_change_by_change(tmp_path: Path) -> None:
    gone = change("vet", "", "We have no vet any more.", op="retract", replaces="f2")
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN), extracts(gone))) as h:
        await tell(h, "Our vet is Dr. Brandt.", "Our vet is Dr. Kern now.", "We have no vet any more.")
        assert await values(h) == []
        told = [(await command(h, "/undo")).message.text for _ in range(4)]
        assert told == [
            "✎ undone: vet → Dr. Kern · f2",
            "✎ undone: vet → Dr. Brandt (was Dr. Kern) · f1",
            "✎ undone: no longer: vet (was Dr. Brandt) · f1",
            "There is nothing to undo.",
        ]
        assert await values(h) == []


async def test_undo_of_an_edited_message_brings_back_what_it_said_before(tmp_path: Path) -> None:
    edited = change("vet", "Dr. Kern", "Our vet is Dr. Kern.", op="replace", replaces="f1")
    async with house(
        tmp_path, model=TaskModel(ScriptedModel([says("ok")]), ScriptedModel([extracts(VET), extracts(edited)]))
    ) as h:
        entry = await h.receive("Our vet is Dr. Brandt.", author_id=ME)
        await h.runner.drain()
        await h.say("Our vet is Dr. Kern.", kind="edit", message_id=entry.message_id, author_id=ME)
        assert await values(h) == ["Dr. Kern"]
        await command(h, "/undo")
        assert await values(h) == ["Dr. Brandt"]


async def test_the_receipt_of_what_was_edited_loses_its_undo_and_a_late_press_says_why(tmp_path: Path) -> None:
    both = extracts(VET, change("dog", "Rex", "Our dog is Rex."))
    edited = extracts(change("vet", "Dr. Kern", "Our vet is Dr. Kern."), change("dog", "Rex", "Our dog is Rex."))
    async with house(tmp_path, model=TaskModel(ScriptedModel([says("ok")]), ScriptedModel([both, edited]))) as h:
        await tell(h, "Our vet is Dr. Brandt. Our dog is Rex.")
        receipt = newest(h)
        assert labels(receipt) == [["Undo f1"], ["Undo f2"]]
        said_at = int((await h.space.sessions.place_of(1) or "").split(":")[2])
        await h.say("Our vet is Dr. Kern. Our dog is Rex.", kind="edit", message_id=said_at, author_id=ME)
        left, told = h.screen.rows[-2:]
        assert (left.place, labels(left)) == (receipt.place, [["Undo f2"]])
        assert told.message.text == "✎ vet → Dr. Kern (was Dr. Brandt) · f3"
        late = await press_data(h, receipt, receipt.message.buttons[0][0].data)
        assert OVERTAKEN.format(value="Dr. Brandt", ref="f1") in (late.message.text, h.screen.rows[-2].message.text)
        assert sorted(await values(h)) == ["Dr. Kern", "Rex"]
        await press(h, told, "Undo")
        assert sorted(await values(h)) == ["Dr. Brandt", "Rex"]


async def test_undo_names_a_fact_and_says_what_stays(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        first = newest(h)
        await tell(h, "Our vet is Dr. Kern now.")
        await press(h, first, "Undo")
        assert h.screen.rows[-2].message.text == "✎ undone: Dr. Brandt counts no longer; vet stays Dr. Kern · f1"
        assert (await command(h, "/undo f2")).message.text == "✎ undone: no longer: vet (was Dr. Kern) · f2"
        assert "nothing to undo" in (await command(h, "/undo f2")).message.text
        assert "is not a fact" in (await command(h, "/undo everything")).message.text
        assert "f99" in (await command(h, "/undo f99")).message.text


async def test_a_forgotten_fact_cannot_be_undone_back(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        receipt = newest(h)
        await command(h, "/forget f1")
        await press_data(h, receipt, receipt.message.buttons[0][0].data)
        assert "There is nothing to undo." in h.screen.delivered
        assert await values(h) == []


# Pages


async def many(h: House) -> None:
    """Have eleven boats, a day apart."""
    for number in range(11):
        await tell(h, f"Boat {number:02} is moored at pier {number + 40}.")
        h.clock.advance(86_400)


def boats() -> TaskModel:
    return reads(
        *(
            extracts(
                change(
                    f"boat {n:02}", f"pier {n + 40}", f"Boat {n:02} is moored at pier {n + 40}.", patterns=[str(n + 40)]
                )
            )
            for n in range(11)
        )
    )


async def test_facts_come_in_pages_that_are_turned_in_place(tmp_path: Path) -> None:
    async with house(tmp_path, model=boats()) as h:
        await many(h)
        page = await command(h, "/facts")
        assert page.message.text.startswith("**People, things, places**\n- f11 boat 10: pier 50 (since 2027-03-12)")
        assert page.message.text.endswith("11 facts · page 1 of 2 · `/facts f11` shows one")
        assert labels(page) == [["f11", "f10", "f9", "f8"], ["f7", "f6", "f5", "f4"], ["2 ›"]]
        second = await press(h, page, "2 ›")
        assert second.place == page.place
        assert labels(second) == [["f3", "f2", "f1"], ["‹ 1"]]
        assert (await command(h, "/facts 2")).message.text == second.message.text
        assert (await press_data(h, page, "facts:99:")).message.text == second.message.text


async def test_a_filter_stays_while_pages_are_turned(tmp_path: Path) -> None:
    async with house(tmp_path, model=boats()) as h:
        await many(h)
        page = await command(h, "/facts boat")
        assert "11 facts about “boat” · page 1 of 2" in page.message.text
        assert "11 facts about “boat” · page 2 of 2" in (await press(h, page, "2 ›")).message.text
        assert "no fact about “submarine”" in (await command(h, "/facts submarine")).message.text


async def test_a_filter_too_long_for_a_button_is_cut_for_all_pages_alike(tmp_path: Path) -> None:
    async with house(tmp_path, model=boats()) as h:
        await many(h)
        page = await command(h, "/facts boat " + "ъ" * 60)
        assert all(len(button.data.encode()) <= 64 for line in page.message.buttons for button in line)
        assert "page 2 of 2" in (await press(h, page, "2 ›")).message.text


# Cards


async def test_a_card_shows_all_about_a_fact_and_leads_back(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        h.clock.advance(86_400)
        await tell(h, "Our vet is Dr. Kern now.")
        card = await press(h, await command(h, "/facts"), "f2")
        *lines, patterns = card.message.text.splitlines()
        assert lines == [
            "**vet** · f2",
            "Dr. Kern",
            "since Wed 3 Mar 2027",
            "> Our vet is Dr. Kern now.",
            "",
            "Said in m3",
            "Other values:",
            "• Dr. Brandt (f1, Tue 2 Mar 2027 until Wed 3 Mar 2027)",
            "Asked as: What is the vet?",
        ]
        assert patterns.startswith("Recognised by: `")
        assert labels(card) == [
            ["Edit", "Pin", "Critical"],
            ["Show source", "Undo last change", "Forget"],
            ["‹ All facts"],
        ]
        assert (await command(h, "/facts f2")).message.text == card.message.text
        assert (await press(h, card, "‹ All facts")).message.text.startswith("**People")


async def test_the_source_is_shown_by_answering_the_message_itself(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        shown = await press(h, await command(h, "/facts f1"), "Show source")
        assert (shown.message.text, shown.message.reply_to) == ("Said here:\n> Our vet is Dr. Brandt.", 1)


async def test_a_fact_of_a_supergroup_links_to_its_message(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await h.say("Our vet is Dr. Brandt.", chat_id=-1001234)
        card = await command(h, "/facts f1", chat_id=-1001234)
        assert "Said in [m1](https://t.me/c/1234/1)" in card.message.text


async def test_pins_and_marks_are_set_in_place_and_undone(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        card = await command(h, "/facts f1")
        pinned = await press(h, card, "Pin")
        assert pinned.place == card.place
        assert pinned.message.text.splitlines()[0] == "**vet** · f1 · 📌 pinned"
        assert labels(await press_data(h, card, "pin:1:1"))[0] == ["Edit", "Unpin", "Critical"]
        assert "❗ critical" in (await command(h, "/facts f1 critical")).message.text
        assert (await command(h, "/undo")).message.text == "✎ undone: the mark “critical” of vet · f1"
        await tell(h, "Our vet is Dr. Kern now.")
        assert "📌 pinned" in (await command(h, "/facts f2")).message.text
        await command(h, "/facts f2 unpin")
        assert not (await h.space.facts.fact(2)).pinned


# Edits


async def ask(h: House, part: str) -> OutRow:
    menu = await press(h, await command(h, "/facts f1"), "Edit")
    return await press(h, menu, part)


async def test_a_value_is_edited_by_a_reply_which_is_its_source(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        asked = await ask(h, "Value")
        assert "new value of **vet** (now: Dr. Brandt)" in asked.message.text
        receipt = await reply(h, asked, "Dr. Kern")
        assert receipt.message.text == "✎ vet → Dr. Kern (was Dr. Brandt) · f2"
        fact = await h.space.facts.fact(2)
        assert (await h.space.sessions.message(fact.message_id or 0)).text == "Dr. Kern"
        assert fact.quote == "Dr. Kern"
        assert len(h.model.chat.requests) == 1
        await press(h, receipt, "Undo")
        assert await values(h) == ["Dr. Brandt"]


async def test_a_deadline_that_is_edited_is_read_as_a_date(tmp_path: Path) -> None:
    due = change("tax report", "12 March at 17:30", "The tax report is due on 12 March at 17:30.", kind="deadline")
    async with house(tmp_path, model=reads(extracts(due))) as h:
        await tell(h, "The tax report is due on 12 March at 17:30.")
        receipt = await command(h, "/facts f1 value 15 March at 9:00")
        assert receipt.message.text == "✎ tax report → Mon 15 Mar 09:00 (was Fri 12 Mar 17:30) · f2"
        moment = (await h.space.facts.fact(2)).due
        assert moment is not None
        assert moment.isoformat() == "2027-03-15T08:00:00+00:00"


@pytest.mark.parametrize("value", ["!!!", "x" * 401])
async def test_a_value_that_says_nothing_is_refused_and_leaves_no_trace(tmp_path: Path, value: str) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        refused = await reply(h, await ask(h, "Value"), value)
        assert "can't be a value" in refused.message.text
        assert await values(h) == ["Dr. Brandt"]
        rows = await h.space.db.fetch_all("SELECT text FROM messages WHERE role = 'user'")
        assert [row["text"] for row in rows] == ["Our vet is Dr. Brandt."]


async def test_question_and_patterns_are_edited_and_checked(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        asked = await ask(h, "Question")
        assert "must not hold the answer" in (await reply(h, asked, "Is it Dr. Brandt?")).message.text
        assert "Asked as: Who treats our cat?" in (await reply(h, asked, "Who treats our cat?")).message.text
        asked = await ask(h, "Patterns")
        assert "can't be used" in (await reply(h, asked, "(")).message.text
        assert "can't be used" in (await reply(h, asked, "Dr")).message.text
        assert "Recognised by: `Dr\\.? Brandt`" in (await reply(h, asked, r"Dr\.? Brandt")).message.text
        assert (await command(h, "/undo")).message.text == "✎ undone: the patterns of vet · f1"
        assert (await command(h, "/undo")).message.text == "✎ undone: the question of vet · f1"
        assert (await h.space.facts.fact(1)).question == "What is the vet?"


async def test_a_reply_of_somebody_else_or_forwarded_words_edit_nothing(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("ok")] * 3), ScriptedModel([extracts(VET), extracts(), extracts()]))
    async with house(tmp_path, model=model) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        asked = await ask(h, "Value")
        place = int((asked.place or "").split(":")[2])
        await h.say("Dr. Evil", reply_to=place, author_id=66)
        await h.say("Dr. Evil", reply_to=place, author_id=ME, origin="forward", forwarded_from="Mallory")
        assert await values(h) == ["Dr. Brandt"]


async def test_what_is_not_current_cannot_be_edited(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN))) as h:
        await tell(h, "Our vet is Dr. Brandt.", "Our vet is Dr. Kern now.")
        assert "f1 is not current" in (await command(h, "/facts f1 value Dr. Wolf")).message.text
        assert "f1 is not current" in (await command(h, "/facts f1 pin")).message.text
        assert labels(await command(h, "/facts f1")) == [["Undo last change"], ["‹ All facts"]]
        assert "Say what to change" in (await command(h, "/facts f2 dance")).message.text


# Forget


async def test_forgetting_from_the_card_shows_the_exact_words_first(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(KERN))) as h:
        await tell(h, "Our vet is Dr. Brandt.", "Our vet is Dr. Kern now.")
        card = await command(h, "/facts f2")
        asked = await press(h, card, "Forget")
        assert asked.message.text.splitlines() == [
            "Forget **vet: Dr. Kern** (f2) for good, from every layer? These words go:",
            "> Our vet is Dr. Brandt.",
            "",
            "> Our vet is Dr. Kern now.",
            "",
            "With it go the other values of the same thing: Dr. Brandt (f1).",
        ]
        assert (await press(h, asked, "Keep it")).message.text == card.message.text
        before = len(h.screen.rows)
        await press(h, asked, "Forget for good")
        forgotten = h.screen.rows[before]
        assert forgotten.place == card.place
        assert forgotten.message.text.startswith("Forgotten: f2")
        assert "f2" in (await press_data(h, card, "fact:2")).message.text
        assert await values(h) == []


# Presses


async def test_presses_that_mean_nothing_are_ignored(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        await tell(h, "Our vet is Dr. Brandt.")
        before = len(h.screen.rows)
        await h.say("", kind="press", press="frobnicate:1", message_id=100)
        assert len(h.screen.rows) == before
        for broken in ("fact:x", "edit:", "pin:", "undo:", "undo:77", "facts:x:", "source:0", "forget!:9"):
            await h.say("", kind="press", press=broken, message_id=100)
        assert await values(h) == ["Dr. Brandt"]
        assert not any("went wrong" in text for text in h.screen.delivered)


# Why


async def test_why_as_a_reply_explains_that_very_answer(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(), extracts())) as h:
        await tell(h, "Our vet is Dr. Brandt.", "Who is our vet?")
        answer = next(row for row in h.screen.rows if row.turn_id == 1)
        await tell(h, "Thanks.")
        place = int((answer.place or "").split(":")[2])
        assert (await command(h, "/why", reply_to=place)).message.text.startswith("**t1** was answered from")
        assert (await command(h, "/why", reply_to=2)).message.text.startswith("**t2**")
        assert "no answer of mine" in (await command(h, "/why", reply_to=999)).message.text
