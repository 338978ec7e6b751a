"""In a group each member changes and erases their own words; the operator all of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory.forget import confirmation
from memory.store.entries import Button
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

OPERATOR, ANNA, BEN = 7, 8, 9
VET = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")
REFUSED = "In a group only the one who said something, or the operator, may change or erase it. Nothing was changed."


@asynccontextmanager
async def group(home: Path, *, space_id: str = "-100") -> AsyncIterator[House]:
    """Open a group in which Anna has named the vet."""
    model = TaskModel(ScriptedModel([says("ok")]), ScriptedModel([extracts(VET)]))
    async with house(home, model=model, space_id=space_id, operator_id=OPERATOR) as h:
        await h.say("Our vet is Dr. Brandt.", author_id=ANNA, author="Anna")
        yield h


async def command(h: House, text: str, *, by: int) -> str:
    before = len(h.screen.delivered)
    await h.say(text, kind="command", author_id=by)
    return h.screen.delivered[before]


async def standing(h: House) -> list[tuple[str, bool]]:
    return [(fact.value, fact.pinned) for fact in await h.space.facts.active()]


@pytest.mark.parametrize(
    "asked",
    [
        "/facts f1 pin",
        "/facts f1 critical",
        "/facts f1 value Dr. Kern",
        "/facts f1 question Who treats the cat?",
        "/undo",
        "/undo f1",
        "/forget f1",
        "/forget m2",
        "/forget t1",
        "/forget s1",
        "/forget f1 m2",
    ],
)
async def test_another_member_changes_and_erases_nothing_of_it(tmp_path: Path, asked: str) -> None:
    async with group(tmp_path) as h:
        assert await command(h, asked, by=BEN) == REFUSED
        assert await standing(h) == [("Dr. Brandt", False)]
        assert (await h.space.sessions.message(2)).text == "Our vet is Dr. Brandt."


async def test_another_member_does_not_say_that_it_ended(tmp_path: Path) -> None:
    dog = change("dog", "Rex", "Our dog is Rex.")
    model = TaskModel(ScriptedModel([says("ok")] * 2), ScriptedModel([extracts(VET), extracts(dog)]))
    async with house(tmp_path, model=model, space_id="-100", operator_id=OPERATOR) as h:
        await h.say("Our vet is Dr. Brandt.", author_id=ANNA, author="Anna")
        await h.say("Our dog is Rex.", author_id=BEN, author="Ben")
        assert await command(h, "/choose f2 f1", by=BEN) == REFUSED
        assert len(await standing(h)) == 2
        assert (await command(h, "/choose f2 f1", by=ANNA)).startswith("✎ no longer: vet")


@pytest.mark.parametrize("by", [ANNA, OPERATOR])
async def test_who_said_it_and_the_operator_may_pin_and_erase_it(tmp_path: Path, by: int) -> None:
    async with group(tmp_path) as h:
        await command(h, "/facts f1 pin", by=by)
        assert await standing(h) == [("Dr. Brandt", True)]
        assert (await command(h, "/forget f1", by=by)).startswith("Forgotten: f1")
        assert await standing(h) == []


async def test_the_buttons_of_a_card_refuse_another_member_too(tmp_path: Path) -> None:
    async with group(tmp_path) as h:
        await command(h, "/facts f1", by=BEN)
        card = h.screen.rows[-1]
        buttons: dict[str, Button] = {button.text: button for row in card.message.buttons for button in row}
        for text in ("Pin", "Forget", "Critical"):
            place = int((card.place or "").split(":")[2])
            await h.say("", kind="press", press=buttons[text].data, message_id=place, author_id=BEN)
            assert h.screen.delivered[-1] == REFUSED
        assert await standing(h) == [("Dr. Brandt", False)]


async def test_a_fact_with_an_earlier_value_of_somebody_else_is_not_erased_by_one_of_them(tmp_path: Path) -> None:
    async with group(tmp_path) as h:
        h.model.chat.then(says("ok"))
        assert h.model.extract is not None
        kern = change("vet", "Dr. Kern", "Our vet is Dr. Kern now.", op="replace", replaces="f1")
        h.model.extract.then(extracts(kern))
        await h.say("Our vet is Dr. Kern now.", author_id=BEN, author="Ben")
        assert await command(h, "/forget f2", by=BEN) == REFUSED
        assert (await command(h, "/forget m5", by=BEN)).startswith("Forgotten: m5")
        assert await standing(h) == [("Dr. Brandt", False)]


async def test_only_the_operator_erases_the_memory_of_a_group(tmp_path: Path) -> None:
    async with group(tmp_path) as h:
        asked = f"/forget everything {await confirmation(h.space)}"
        answer = await command(h, asked, by=ANNA)
        assert answer.startswith("Only the operator may erase the memory of a whole group")
        assert await standing(h) == [("Dr. Brandt", False)]
        assert (await command(h, asked, by=OPERATOR)).startswith("Forgotten: everything")
        assert await standing(h) == []


async def test_in_a_private_space_nothing_is_refused(tmp_path: Path) -> None:
    async with group(tmp_path, space_id="8") as h:
        assert (await command(h, f"/forget everything {await confirmation(h.space)}", by=ANNA)).startswith("Forgotten:")
