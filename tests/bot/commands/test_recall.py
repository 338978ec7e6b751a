"""/recall as a person uses it: five results a page, whole texts, reasons, days, and how the memory is."""

from pathlib import Path

from bot.commands.recall_cards import NOT_KEPT
from tests.bot.commands.test_facts import command, labels, press, press_data
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

VET = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")
KAYAK = "The blue kayak lies behind the boathouse."
LONG = f"{'The rain went on and on. ' * 30}{KAYAK} {'Then we drank tea at the mill. ' * 30}"


def reads(*answers: object, chat: int) -> TaskModel:
    """Return a model that says ok so often and extracts these answers, one a message."""
    return TaskModel(ScriptedModel([says("ok")] * chat), ScriptedModel(answers))  # type: ignore[arg-type]


async def ask(h: House, text: str) -> str:
    return (await command(h, text)).message.text


def quotes(text: str) -> list[str]:
    """Return the quotations of an answer without the signs of bold."""
    return [line.removeprefix("> ").replace("**", "") for line in text.splitlines() if line.startswith("> ")]


async def boats(h: House, count: int) -> None:
    for number in range(count):
        await h.say(f"Boat {number} is moored at pier {number + 40}.")
        h.clock.advance(7200)


# Results


async def test_a_result_has_date_speaker_and_its_exact_words_in_bold(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say("The archive server stands *in* the cellar.")
        answer = await ask(h, "/recall archive servers")
        assert answer == (
            "“archive servers” · 1 found\n\n"
            "**1** · Tue 2 Mar 2027 10:00 · you · s1\n"
            "> The **archive** **server** stands \\*in\\* the cellar."
        )


async def test_nothing_found_says_so_and_what_to_try(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        answer = await command(h, "/recall submarine")
        assert answer.message.text.startswith("I found nothing close to “submarine”. Try fewer words")
        assert answer.message.buttons == ()
        assert len(await ask(h, "/recall " + "submarine " * 300)) < 300


async def test_more_turns_pages_that_stay_while_memory_grows(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("ok")] * 13) as h:
        await boats(h, 12)
        first = await command(h, "/recall which boat is moored at a pier?")
        assert "12 found · 1 to 5" in first.message.text
        assert labels(first)[-1] == ["Why these", "More ›"]
        await h.say("Boat 99 is moored at a pier, boat 98 is moored at a pier, moored, boat, pier.")
        second = await press(h, first, "More ›")
        assert second.place == first.place
        assert "6 to 10" in second.message.text
        third = await press(h, second, "More ›")
        shown = [one for row in (first, second, third) for one in quotes(row.message.text)]
        assert sorted(shown) == sorted(f"Boat {n} is moored at pier {n + 40}." for n in range(12))
        assert labels(third)[-1] == ["Why these", "‹ Back"]
        assert (await press(h, third, "‹ Back")).message.text == second.message.text
        assert (await ask(h, "/recall r1 2")) == second.message.text


async def test_a_page_shows_texts_as_they_stand_now_and_an_old_button_is_answered(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("ok")] * 2) as h:
        await boats(h, 2)
        page = await command(h, "/recall boat moored")
        await command(h, "/forget m1")
        for pressed in ("recall:1:1", "rwhy:1:1", "recall:77:1", "recall:1:0", "recall:1:99", "recall:1:1:1"):
            answer = await press_data(h, page, pressed)
            assert answer.message.text == NOT_KEPT or "There is no" in answer.message.text
        assert NOT_KEPT in h.screen.delivered


async def test_a_superseded_statement_is_marked_and_each_wording_is_shown_once(tmp_path: Path) -> None:
    moved = change("vet", "Dr. Kern", "Our vet is Dr. Kern now.", op="replace", replaces="f1")
    async with house(tmp_path, model=reads(extracts(VET), extracts(moved), extracts(), chat=3)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Our vet is Dr. Kern now.")
        await h.say("our vet is  Dr. Kern now.")
        found = await ask(h, "/recall who is our vet?")
        heads = [line for line in found.splitlines() if " · you" in line]
        marked = {quote: head.endswith("changed since") for head, quote in zip(heads, quotes(found), strict=True)}
        assert marked == {
            "vet: Dr. Kern": False,
            "Our vet is Dr. Brandt.": True,
            "Our vet is Dr. Kern now.": False,
        } | {quote: False for quote in marked if quote.startswith("our vet")}
        assert len({quote.casefold() for quote in marked}) == len(marked)


async def test_an_answer_that_only_quotes_a_result_is_left_out_and_why_says_so(tmp_path: Path) -> None:
    async with house(tmp_path, says('Understood: "The key is under the pot."')) as h:
        await h.say("The key is under the pot.")
        assert "Understood" not in await ask(h, "/recall key under the pot")
        why = await ask(h, "/recall r1 why")
        assert "• s2: it is an answer of mine that only repeats a result" in why


async def test_facts_and_procedures_are_found_beside_what_was_said(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), chat=1)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await command(h, "/procedures add Vet visit, when the cat goes to the vet: 1. take the box 2. call Dr. Brandt")
        found = await ask(h, "/recall vet Brandt")
        assert " · you · f1\n> **vet**: Dr. **Brandt**" in found
        assert " · you · p1\n> **Vet** visit" in found


# One result


async def test_full_text_shows_the_whole_message_and_show_points_at_it(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        entry = await h.receive(LONG, author_id=7)
        await h.runner.drain()
        page = await command(h, "/recall blue kayak boathouse")
        (quote,) = quotes(page.message.text)
        assert KAYAK in quote
        assert len(quote) < len(LONG)
        assert labels(page) == [["Full text 1"], ["Show 1"], ["Why these"]]
        full = await press(h, page, "Full text 1")
        assert full.place != page.place
        assert quotes(full.message.text) == [LONG]
        assert (await ask(h, "/recall s1")) == (await ask(h, "/recall m1")) == full.message.text
        shown = await press(h, page, "Show 1")
        assert shown.message.reply_to == entry.message_id
        assert "no s9" in await ask(h, "/recall s9")


async def test_a_very_long_message_is_shown_part_by_part(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say("Day after day we counted the boats at the mill. " * 500)
        first = await ask(h, "/recall s1")
        assert "part 1 of 7" in first
        assert first.endswith("Around it: `/recall s2`")
        assert (await ask(h, "/recall s2")).endswith("Around it: `/recall s1`, `/recall s3`")


async def test_in_a_supergroup_a_result_links_to_its_message(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok"), space_id="-1001234") as h:
        await h.say(KAYAK, chat_id=-1001234, message_id=55)
        page = await command(h, "/recall blue kayak", chat_id=-1001234)
        assert "[Tue 2 Mar 2027 10:00](https://t.me/c/1234/55)" in page.message.text
        assert labels(page) == [["Why these"]]


async def test_why_these_tells_words_score_and_whether_a_prompt_would_hold_it(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("ok")] * 2) as h:
        await h.say("The archive uses Postgres.")
        await command(h, "/new")
        h.clock.advance(86_400)
        await h.say("Where is the archive?")
        page = await command(h, "/recall archive database Postgres")
        why = await press(h, page, "Why these")
        assert why.message.text == await ask(h, "/recall r1 why 1")
        lines = {line.split()[2].rstrip(":"): line for line in why.message.text.splitlines() if line.startswith("• **")}
        old, new = lines["s1"], lines["s3"]
        assert "% of what you ask for matched" in old
        assert "in its own words: archive, Postgres; not in them: database. A prompt would hold it." in old
        assert "A prompt would leave it out: it stands in this conversation already." in new


# Days


async def test_a_day_brings_what_was_said_then_and_a_range_offers_its_days(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("ok")] * 15) as h:
        await boats(h, 15)
        day = await ask(h, "/recall 2 March")
        assert day.startswith(
            "**Tue 2 Mar 2027**\n• 10:00 you, m1: Boat 0 is moored at pier 40.\n• 10:00 assistant, m2: ok"
        )
        assert "and 2 more; `/recall WORDS since 2027-03-02 until 2027-03-02` finds them" in day
        days = await command(h, "/recall since 1 March")
        assert days.message.text.splitlines() == [
            "2 days on which something was said:",
            "• Wed 3 Mar 2027: 16 messages",
            "• Tue 2 Mar 2027: 14 messages",
        ]
        assert (await press(h, days, "2 Mar")).message.text == day
        assert "Nothing I hold was said on Mon 1 Mar 2027" in await ask(h, "/recall 1 March")
        assert "since 2028-01-01" in await ask(h, "/recall since 2028-01-01")
        bounded = await ask(h, "/recall boat 12 since 3 March")
        assert all("Wed 3 Mar" in line for line in bounded.splitlines() if " · you · " in line)
        assert "Boat 12 is moored at pier 52." in quotes(bounded)


async def test_a_day_whose_talk_left_the_prompt_shows_its_journal(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("I see.")] * 12) as h:
        for number in range(12):
            await h.say(f"Day {number}: we looked at {number} houses in Riga and spoke about the garden. " * 12)
            h.clock.advance(60)
        await command(h, "/compact now")
        text = await h.space.journal.text(h.clock.now().date())
        assert text
        assert (await ask(h, "/recall 2 March")) == f"**Tue 2 Mar 2027**\n{text}"


async def test_many_days_are_turned_by_pages(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("ok")] * 10) as h:
        for _ in range(10):
            await h.say("hello there")
            h.clock.advance(86_400)
        days = await command(h, "/recall since 1 March")
        second = await press(h, days, "2 ›")
        assert "Tue 2 Mar 2027" in second.message.text
        assert (await ask(h, "/recall since 2027-03-01 page 2")) == second.message.text


# Health


async def test_recall_alone_shows_how_the_memory_is(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), chat=1)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await command(h, "/procedures add Tea, when I want tea: pour; drink")
        async with h.space.db.transaction():
            await h.space.jobs.add("compact", "later", {"session": 1})
        h.clock.advance(180)
        health = (await ask(h, "/recall")).splitlines()
        assert health[:5] == [
            "**This memory**",
            "• 2 messages word for word, from Tue 2 Mar 2027 on, in 2 segments",
            "• 1 fact, 1 procedure",
            "• the search index is complete",
            "• waiting: 1 shortening the prompt (for 3 minutes)",
        ]
        assert health[5] == "• the prompt was never shortened: all of this conversation stands in it"
        assert health[6].endswith(" MB on disk")


async def test_an_index_with_a_hole_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say(KAYAK)
        async with h.space.db.transaction():
            await h.space.db.execute("DELETE FROM segment_terms WHERE segment_id = 1")
        assert "• the search index lacks 1 segment; the next start mends it" in await ask(h, "/recall")


async def test_an_index_that_is_emptied_behind_its_list_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say(KAYAK)
        async with h.space.db.transaction():
            await h.space.db.execute("INSERT INTO segments_fts (segments_fts) VALUES ('delete-all')")
        assert "• the search index lacks words of what it lists; the next start mends it" in await ask(h, "/recall")


async def test_what_an_answer_showed_is_gone_with_the_message(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say(f"Quetzals eat fruit, said Ana about the Quetzal. {LONG}")
        page = await command(h, "/recall blue quetzal kayak fruit")
        await press(h, page, "Full text 1")
        await press(h, page, "Why these")
        await command(h, "/recall 2 March")
        await command(h, "/forget m1")
        assert b"boathouse" not in b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
        assert b"quetzal" not in b"".join(p.read_bytes().lower() for p in tmp_path.rglob("*") if p.is_file())
