"""What somebody else wrote waits for the member's yes; two values without a winner become a question."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.ledger.extract import Extractor
from memory.ledger.facts import Fact
from memory.ledger.receipts import Receipt
from memory.ledger.remember import Proposal, Rememberer
from memory.messages import Message, Origin, TextPart
from memory.store.preferences import Preferences
from tests.fakes.model import ScriptedModel, extracts
from tests.memory.ledger.test_extract import change
from tests.memory.ledger.world import START, LedgerWorld

BERLIN = ZoneInfo("Europe/Berlin")
LATER = START + timedelta(hours=1)

DOOR = change("door code", "4711", "The door code is 4711.", kind="entity")
DOOR_TEXT = "The door code is 4711."


async def read(world: LedgerWorld, message: Message, *changes: dict[str, object]) -> list[Receipt]:
    """Extract from a message what a model proposes, and apply it."""
    assert message.id is not None
    with ScriptedModel([extracts(*changes)]) as model:
        extractor = Extractor(world.facts, world.sessions, model, world.clock, Preferences(BERLIN))
        extraction = await extractor.run(message.id)
        async with world.db.transaction():
            return await extractor.apply(extraction)


async def forwarded(world: LedgerWorld, text: str = DOOR_TEXT, *, origin: Origin = "forward") -> Message:
    return await world.says(text, origin=origin, author="News")


async def keep(world: LedgerWorld, fact: Fact) -> Fact:
    async with world.db.transaction():
        return await world.facts.pending.keep(fact.id, at=LATER)


async def only_waiting(world: LedgerWorld) -> Fact:
    (fact,) = [fact for fact in await world.facts.listed() if fact.status == "pending"]
    return fact


# Somebody else's words


async def test_the_request_for_somebody_elses_words_names_the_writer(world: LedgerWorld) -> None:
    message = await forwarded(world)
    assert message.id is not None
    with ScriptedModel([extracts()]) as model:
        await Extractor(world.facts, world.sessions, model, world.clock, Preferences(BERLIN)).run(message.id)

    frame, last = [part.text for part in model.requests[0].messages[0].parts if isinstance(part, TextPart)]
    assert frame.endswith("\nwritten by: News, not by the member\nmessage:\n")
    assert last == DOOR_TEXT


async def test_a_forwarded_fact_only_waits_with_its_source_named(world: LedgerWorld) -> None:
    (asked,) = await read(world, await forwarded(world), DOOR)

    fact = await only_waiting(world)
    assert (fact.status, fact.by, fact.value) == ("pending", "News", "4711")
    assert asked.is_question
    assert asked.line(Preferences(BERLIN)) == "❔ News wrote, not stored as a fact: door code: 4711 · f1"
    assert await world.facts.active() == []
    assert await world.facts.current(fact.subject_key) is None
    candidates = await world.facts.candidates("door code", now=LATER, limit=10)
    assert candidates.facts == ()


async def test_documents_are_somebody_elses_words_too(world: LedgerWorld) -> None:
    await read(world, await forwarded(world, origin="document"), DOOR)
    assert (await only_waiting(world)).value == "4711"


async def test_somebody_else_cannot_end_or_replace_what_holds(world: LedgerWorld) -> None:
    held = await world.state("door code", "0815", kind="entity")
    text = f"{DOOR_TEXT} The old one is cancelled."
    ends = change("door code", "0815", "The old one is cancelled.", kind="entity", op="retract", replaces="f1")
    replaces = DOOR | {"op": "replace", "replaces": "f1"}
    (asked,) = await read(world, await forwarded(world, text), ends, replaces)

    assert (await world.facts.active()) == [held]
    assert (
        asked.line(Preferences(BERLIN)) == "❔ News wrote, not stored as a fact: door code: 4711 · f2 (now: 0815 · f1)"
    )


async def test_the_same_forward_twice_asks_once(world: LedgerWorld) -> None:
    first = await forwarded(world)
    assert len(await read(world, first, DOOR)) == 1
    assert await read(world, first, DOOR) == []
    assert await read(world, await forwarded(world), DOOR) == []
    assert len(await world.facts.listed()) == 1


async def test_what_holds_already_is_not_asked_again(world: LedgerWorld) -> None:
    await world.state("door code", "4711", kind="entity")
    assert await read(world, await forwarded(world), DOOR) == []


async def test_a_forward_full_of_facts_asks_about_six_of_them(world: LedgerWorld) -> None:
    lines = [f"The code of door {number} is 47{number:02}." for number in range(20)]
    changes = [change(f"code of door {n}", f"47{n:02}", line, kind="entity") for n, line in enumerate(lines)]
    assert len(await read(world, await forwarded(world, "\n".join(lines)), *changes)) == 6


async def test_a_kept_fact_holds_from_the_moment_of_the_yes(world: LedgerWorld) -> None:
    await world.state("door code", "0815", kind="entity")
    await read(world, await forwarded(world), DOOR)
    kept = await keep(world, await only_waiting(world))

    assert (kept.status, kept.since, kept.by) == ("active", LATER, "News")
    assert await world.values() == ["4711"]
    assert kept.replaces == 1
    again = await keep(world, kept)
    assert again == kept


async def test_a_dropped_fact_is_no_part_of_the_history_and_comes_back_by_no_second_reading(world: LedgerWorld) -> None:
    message = await forwarded(world)
    await read(world, message, DOOR)
    async with world.db.transaction():
        dropped = await world.facts.pending.drop((await only_waiting(world)).id)

    assert (dropped.status, dropped.withdrawn_at is not None) == ("retracted", True)
    assert await read(world, message, DOOR) == []
    assert await world.facts.listed() == []
    async with world.db.transaction():
        assert (await world.facts.pending.keep(dropped.id, at=LATER)).status == "retracted"


async def test_saying_it_oneself_settles_what_waits(world: LedgerWorld) -> None:
    await read(world, await forwarded(world), DOOR)
    lines = await read(world, await world.says(DOOR_TEXT, at=LATER), DOOR)

    assert [receipt.change for receipt in lines] == ["new"]
    assert [(fact.status, fact.by) for fact in await world.facts.listed()] == [("active", None)]


async def test_a_message_that_is_withdrawn_takes_what_waits_from_it_along(world: LedgerWorld) -> None:
    message = await forwarded(world)
    await read(world, message, DOOR)
    assert message.id is not None
    async with world.db.transaction():
        await world.facts.withdraw_message(message.id)
    assert await world.facts.listed() == []


# Two values without a winner

ADLER = change("vet", "Dr. Adler", "Our vet is Dr. Adler.", kind="entity")
BRANDT = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.", kind="entity")


async def test_two_values_at_the_same_time_are_asked_about_and_the_first_holds_meanwhile(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    (asked,) = await read(world, await world.says("Our vet is Dr. Brandt."), BRANDT)

    assert asked.change == "unclear"
    assert asked.line(Preferences(BERLIN)).startswith(
        "❔ You said two things at the same time. vet: Dr. Brandt · f2, or Dr. Adler · f1?"
    )
    assert await world.values() == ["Dr. Adler"]
    assert (await only_waiting(world)).replaces == 1
    await keep(world, await only_waiting(world))
    assert await world.values() == ["Dr. Brandt"]


async def test_two_values_in_one_message_are_asked_about(world: LedgerWorld) -> None:
    said = await world.says("Our vet is Dr. Adler. Our vet is Dr. Brandt.")
    told = await read(world, said, ADLER, BRANDT)
    assert [receipt.change for receipt in told] == ["new", "unclear"]


@pytest.mark.parametrize(
    "text",
    [
        "Our vet is Dr. Adler. Actually our vet is Dr. Brandt.",
        "Our vet is Dr. Adler, no wait, Dr. Brandt.",
        "Our vet is Dr. Adler. No, Dr. Brandt.",
        "Unser vet ist Dr. Adler. Es ist doch Dr. Brandt.",
        "Наш vet Dr. Adler, вернее, Dr. Brandt.",
    ],
)
@pytest.mark.parametrize("is_backwards", [False, True])
async def test_a_message_that_sets_itself_right_means_its_last_word(
    world: LedgerWorld, text: str, is_backwards: bool
) -> None:
    proposed = [change("vet", name, text, kind="entity") for name in ("Dr. Adler", "Dr. Brandt")]
    told = await read(world, await world.says(text), *(reversed(proposed) if is_backwards else proposed))

    assert [receipt.line(Preferences(BERLIN)) for receipt in told] == ["✎ vet → Dr. Brandt · f2"]
    assert [(fact.value, fact.status) for fact in await world.facts.history()] == [
        ("Dr. Adler", "superseded"),
        ("Dr. Brandt", "active"),
    ]


async def test_a_change_that_names_what_it_changes_has_a_clear_winner(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    said = await world.says("Our vet is Dr. Brandt.")
    (told,) = await read(world, said, BRANDT | {"op": "replace", "replaces": "f1"})
    assert (told.change, await world.values()) == ("changed", ["Dr. Brandt"])


async def test_a_later_value_has_a_clear_winner(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    (told,) = await read(world, await world.says("Our vet is Dr. Brandt.", at=LATER), BRANDT)
    assert (told.change, await world.values()) == ("changed", ["Dr. Brandt"])


async def test_the_same_value_at_the_same_time_is_no_question(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    assert await read(world, await world.says("Our vet is Dr. Adler."), ADLER) == []


async def test_what_waited_waits_again_when_the_edit_that_ended_that_is_undone(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    unclear = await world.says("Our vet is Dr. Brandt.")
    await read(world, unclear, BRANDT)
    kern = change("vet", "Dr. Kern", "Our vet is Dr. Kern.", kind="entity")
    edited = await world.says("Our vet is Dr. Kern.", at=LATER, replaces=unclear.id)
    (told,) = await read(world, edited, kern)
    made = await world.facts.changes.change(told.undo or 0)
    assert made is not None
    async with world.db.transaction():
        await world.facts.changes.undo(made)
    assert await world.values() == ["Dr. Adler"]
    assert ((await only_waiting(world)).value, (await only_waiting(world)).replaces) == ("Dr. Brandt", 1)


async def test_an_edit_in_the_same_second_is_no_question(world: LedgerWorld) -> None:
    first = await world.says("Our vet is Dr. Adler.")
    await read(world, first, ADLER)
    (told,) = await read(world, await world.says("Our vet is Dr. Brandt.", replaces=first.id), BRANDT)
    assert (told.change, await world.values()) == ("changed", ["Dr. Brandt"])


async def test_what_the_member_asks_to_remember_wins_over_the_same_second(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    said = await world.says("Our vet is Dr. Brandt.")
    async with world.db.transaction():
        rememberer = Rememberer(world.facts, world.clock, Preferences(BERLIN))
        remembered = await rememberer.remember(Proposal("entity", "vet", "Dr. Brandt"), [said])
    assert remembered.fact.status == "active"
    assert await world.values() == ["Dr. Brandt"]


# Twins

ANNA = change("Anna's birthday", "3 May", "Anna's birthday is 3 May.", kind="entity")
ANNE = change("Anne's birthday", "5 May", "Anne's birthday is 5 May.", kind="entity")


async def test_a_change_of_a_twin_leaves_both_and_asks(world: LedgerWorld) -> None:
    await read(world, await world.says("Anna's birthday is 3 May."), ANNA)
    said = await world.says("Anne's birthday is 5 May.", at=LATER)
    told = await read(world, said, ANNE | {"op": "replace", "replaces": "f1"})

    assert [receipt.change for receipt in told] == ["new", "twin"]
    assert (
        told[1].line(Preferences(BERLIN))
        == "❔ Stored: Anne's birthday: 5 May · f2. Does that end Anna's birthday: 3 May · f1?"
    )
    assert await world.values() == ["3 May", "5 May"]


async def test_the_id_of_a_fact_that_the_words_do_not_mean_changes_nothing_of_it(world: LedgerWorld) -> None:
    await read(world, await world.says(DOOR_TEXT), DOOR)
    (door,) = await world.facts.active()
    cat = change("cat", "Motte", "Our cat is called Motte.", kind="entity", op="replace", replaces=door.ref)

    await read(world, await world.says("Our cat is called Motte."), cat)

    assert [(fact.subject, fact.value) for fact in await world.facts.active()] == [
        ("door code", "4711"),
        ("cat", "Motte"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Maybe we move to Riga.",
        "Ich glaube, wir ziehen nach Riga.",
        "Riga it is, but I'm not sure yet.",
        "If I had the money, my home would be Riga.",
        "Wenn ich könnte, wäre mein Zuhause in Riga.",
        "Если бы я мог, мой дом был бы в Riga.",
    ],
)
async def test_a_guess_or_a_supposition_only_waits(world: LedgerWorld, text: str) -> None:
    (receipt,) = await read(world, await world.says(text), change("home", "Riga", text, kind="user_attribute"))

    assert receipt.change == "unsure"
    assert await world.facts.active() == []


async def test_twins_that_are_simply_stated_are_never_asked_about(world: LedgerWorld) -> None:
    await read(world, await world.says("Anna's birthday is 3 May."), ANNA)
    told = await read(world, await world.says("Anne's birthday is 5 May."), ANNE)
    assert [receipt.change for receipt in told] == ["new"]
    assert await world.values() == ["3 May", "5 May"]


# What was asked, and answered since

KERN = change("vet", "Dr. Kern", "Our vet is Dr. Kern.", kind="entity")
NO_VET = change("vet", "Dr. Adler", "We have no vet any more.", kind="entity", op="retract", replaces="f1")


async def asked_about_two(world: LedgerWorld) -> None:
    await read(world, await world.says("Our vet is Dr. Adler."), ADLER)
    await read(world, await world.says("Our vet is Dr. Brandt."), BRANDT)


@pytest.mark.parametrize(
    ("text", "proposed", "expected"),
    [
        ("Our vet is Dr. Kern.", KERN, ["Dr. Kern"]),
        ("Our vet is Dr. Adler.", ADLER, ["Dr. Adler"]),
        ("We have no vet any more.", NO_VET, []),
    ],
)
async def test_what_the_member_says_later_answers_what_they_were_asked(
    world: LedgerWorld, text: str, proposed: dict[str, object], expected: list[str]
) -> None:
    await asked_about_two(world)
    waiting = await only_waiting(world)
    await read(world, await world.says(text, at=LATER), proposed)

    assert [fact.value for fact in await world.facts.listed()] == expected
    assert (await keep(world, waiting)).status == "retracted"
    assert await world.values() == expected


async def test_undoing_the_answer_asks_again(world: LedgerWorld) -> None:
    await asked_about_two(world)
    (told,) = await read(world, await world.says("Our vet is Dr. Kern.", at=LATER), KERN)
    made = await world.facts.changes.change(told.undo or 0)
    assert made is not None
    async with world.db.transaction():
        await world.facts.changes.undo(made)

    assert await world.values() == ["Dr. Adler"]
    assert (await only_waiting(world)).value == "Dr. Brandt"


async def test_what_somebody_else_wrote_waits_on_and_enters_the_history_where_it_was_said(world: LedgerWorld) -> None:
    await read(world, await forwarded(world), DOOR)
    other = change("door code", "0815", "The door code is 0815.", kind="entity")
    await read(world, await world.says("The door code is 0815.", at=LATER), other)
    kept = await keep(world, await only_waiting(world))

    assert (kept.status, kept.since, kept.until) == ("superseded", START, LATER)
    assert await world.values() == ["0815"]
