"""What somebody else wrote is shown with its source and two buttons; so are two values without a winner."""

from pathlib import Path

from bot.commands.choices import CHOOSE_WHAT, GONE, IN_HISTORY, KEEP_WHAT
from memory.store.entries import Outgoing
from memory.store.mailbox import OutRow
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

TEXT = "The door code is 4711. The gate opens at nine."
DOOR = change("door code", "4711", "The door code is 4711.")
GATE = change("gate opening", "nine", "The gate opens at nine.")
ADLER = change("vet", "Dr. Adler", "Our vet is Dr. Adler.")
BRANDT = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")


def reads(*answers: object) -> TaskModel:
    """Return a model that says ok to each message and extracts these answers, one a message."""
    return TaskModel(ScriptedModel([says("ok")] * len(answers)), ScriptedModel(answers))  # type: ignore[arg-type]


async def forward(h: House) -> OutRow:
    """Forward a post and return the message that asks about it."""
    await h.say(TEXT, origin="forward", author="Ida", author_id=7, forwarded_from="News")
    return h.screen.rows[-1]


async def press(h: House, row: OutRow, data: str) -> str | None:
    """Press a button of a message; return what was answered below it or added to its words, if anything."""
    assert row.place is not None
    assert data in [button.data for buttons in row.message.buttons for button in buttons]
    before, stood = len(h.screen.rows), standing(h, row).text
    await h.say("", kind="press", press=data, message_id=int(row.place.rpartition(":")[2]), author_id=7)
    below = [new.message.text for new in h.screen.rows[before:] if new.place != row.place]
    return next(iter(below), standing(h, row).text.removeprefix(stood).strip() or None)


def standing(h: House, row: OutRow) -> Outgoing:
    """Return a message as it stands now."""
    return next(one.message for one in reversed(h.screen.rows) if one.place == row.place)


async def test_a_forwarded_post_is_asked_about_with_two_buttons_a_fact(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR, GATE))) as h:
        asked = await forward(h)
        assert asked.message.text == (
            "❔ News wrote, not stored as a fact: door code: 4711 · f1\n"
            "❔ News wrote, not stored as a fact: gate opening: nine · f2"
        )
        buttons = [[(b.text, b.data, b.typed) for b in row] for row in asked.message.buttons]
        assert buttons == [
            [("Keep f1", "keep:1", "/keep f1"), ("Drop f1", "drop:1", "/drop f1")],
            [("Keep f2", "keep:2", "/keep f2"), ("Drop f2", "drop:2", "/drop f2")],
        ]
        assert asked.message.for_member == 7
        assert await h.space.facts.active() == []


async def test_what_waits_never_stands_in_a_prompt_as_established(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR), extracts())) as h:
        await forward(h)
        await h.say("what is the door code?")
        block = h.model.chat.requests[-1].memory_block or ""
        assert "Established facts" not in block
        assert "- [entity]" not in block


async def test_keep_makes_it_a_fact_once_and_can_be_undone(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR, GATE))) as h:
        asked = await forward(h)
        assert await press(h, asked, "keep:1") == "✎ door code → 4711 · f1"
        kept = h.screen.rows[-1]
        assert kept.place == asked.place
        keep_or_drop, undo = kept.message.buttons
        assert [button.data for button in keep_or_drop] == ["keep:2", "drop:2"]
        assert [button.text for button in undo] == ["Undo f1"]
        assert await press(h, asked, "keep:1") == GONE
        assert [fact.value for fact in await h.space.facts.active()] == ["4711"]
        await press(h, kept, undo[0].data)
        assert await h.space.facts.active() == []


async def test_the_card_of_what_waits_has_the_same_buttons(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR))) as h:
        await forward(h)
        await h.say("/facts f1", kind="command")
        card = h.screen.rows[-1]
        assert "not confirmed" in card.message.text
        assert "News" in card.message.text
        assert [button.data for button in card.message.buttons[0]] == ["keep:1", "drop:1"]


async def test_drop_takes_it_away(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR))) as h:
        asked = await forward(h)
        assert await press(h, asked, "drop:1") == "Dropped f1; it is no fact of yours."
        assert standing(h, asked).text == f"{asked.message.text}\n\nDropped f1; it is no fact of yours."
        assert standing(h, asked).buttons == ()
        assert await press(h, asked, "keep:1") == GONE
        assert await h.space.facts.listed() == []


async def test_the_same_by_command(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR, GATE))) as h:
        await forward(h)
        answers = []
        for text in ("/keep f1", "/keep f1", "/drop f2", "/keep", "/keep one", "/keep f1 f2", "/drop f9", "/choose x"):
            await h.say(text, kind="command")
            answers.append(h.screen.delivered[-1])
        assert answers[:6] == [
            "✎ door code → 4711 · f1",
            GONE,
            "Dropped f2; it is no fact of yours.",
            KEEP_WHAT,
            KEEP_WHAT,
            KEEP_WHAT,
        ]
        assert "f9" in answers[6]
        assert answers[7] == CHOOSE_WHAT
        assert [fact.value for fact in await h.space.facts.active()] == ["4711"]


async def test_keeping_what_was_said_before_what_holds_puts_it_into_the_history(tmp_path: Path) -> None:
    later = change("door code", "8080", "The door code is 8080.")
    async with house(tmp_path, model=reads(extracts(DOOR), extracts(later))) as h:
        await forward(h)
        h.clock.advance(60)
        await h.say("The door code is 8080.", author_id=7)
        await h.say("/keep f1", kind="command", author_id=7)
        assert h.screen.delivered[-1] == IN_HISTORY.format(kept="f1", current="f2")
        assert [(fact.value, fact.status) for fact in await h.space.facts.history()] == [
            ("4711", "superseded"),
            ("8080", "active"),
        ]


async def test_keep_makes_nothing_of_what_was_forgotten(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DOOR))) as h:
        asked = await forward(h)
        await h.say("/forget f1", kind="command")
        answer = await press(h, asked, "keep:1")
        assert answer is not None
        assert "f1" in answer
        assert await h.space.facts.listed() == []


async def test_two_values_at_the_same_time_are_chosen_from_by_button(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(ADLER), extracts(BRANDT))) as h:
        await h.say("Our vet is Dr. Adler.", author_id=7)
        await h.say("Our vet is Dr. Brandt.", author_id=7)
        asked = h.screen.rows[-1]
        assert [[(b.text, b.data) for b in row] for row in asked.message.buttons] == [
            [("Dr. Brandt (f2)", "choose:2"), ("Dr. Adler (f1)", "choose:1")]
        ]
        assert await press(h, asked, "choose:2") == "✎ vet → Dr. Brandt (was Dr. Adler) · f2"
        assert [fact.value for fact in await h.space.facts.active()] == ["Dr. Brandt"]
        assert await press(h, asked, "choose:1") == GONE


async def test_choosing_what_holds_already_drops_the_other(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(ADLER), extracts(BRANDT))) as h:
        await h.say("Our vet is Dr. Adler.")
        await h.say("Our vet is Dr. Brandt.")
        await h.say("/choose f1", kind="command")
        assert h.screen.delivered[-1] == "Dropped f2; it is no fact of yours."
        assert [(fact.value, fact.status) for fact in await h.space.facts.listed()] == [("Dr. Adler", "active")]


async def test_a_twin_ends_the_other_only_when_the_member_says_so(tmp_path: Path) -> None:
    anna = change("Anna's birthday", "3 May", "Anna's birthday is 3 May.")
    anne = change("Anne's birthday", "5 May", "Anne's birthday is 5 May.", op="replace", replaces="f1")
    async with house(tmp_path, model=reads(extracts(anna), extracts(anne))) as h:
        await h.say("Anna's birthday is 3 May.")
        h.clock.advance(60)
        await h.say("Anne's birthday is 5 May.")
        asked = h.screen.rows[-1]
        h.clock.advance(60)
        assert await press(h, asked, "both:2:1") == "Both hold: f2 and f1."
        assert len(await h.space.facts.active()) == 2
        assert await press(h, asked, "choose:2:1") == "✎ no longer: Anna's birthday (was 3 May) · f1"
        assert await press(h, asked, "choose:2:1") == GONE
        assert [fact.value for fact in await h.space.facts.active()] == ["5 May"]


async def test_a_remembered_command_gets_its_line_also_when_it_is_a_question(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("ok")]), ScriptedModel([extracts(ADLER), extracts(BRANDT)]))
    async with house(tmp_path, model=model) as h:
        await h.say("Our vet is Dr. Adler.")
        await h.say("/remember Our vet is Dr. Brandt.", kind="command")
        assert h.screen.delivered[-1].startswith("❔ You said two things at the same time.")
