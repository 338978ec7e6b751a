"""The procedures tool: reads what holds, and proposes what only a member can let hold."""

from pathlib import Path
from typing import Any

from memory.store.instructions import Instructions
from tests.bot.turn.house import House, TaskModel, house
from tests.fakes.model import ScriptedModel, Step, calls, says

REVIEW = Instructions("Weekly review", "when I ask for the weekly review", ("list the deadlines", "ask what is new"))
WISH = {"action": "propose", "name": "Tea", "trigger": "when I want tea", "steps": ["boil water", "pour"]}


def asks(*wanted: dict[str, Any]) -> list[Step]:
    """Return the steps of a turn that makes these calls one after another."""
    return [*(calls(("procedures", args)) for args in wanted), says("done")]


def model(*turns: list[Step]) -> TaskModel:
    return TaskModel(ScriptedModel([step for turn in turns for step in turn]))


async def results(h: House) -> list[dict[str, Any]]:
    """Return the results of the last turn's calls."""
    turn = await h.space.sessions.last_turn()
    assert turn is not None
    messages = await h.space.sessions.turn_messages(turn.id)
    assert all(result.is_reference for message in messages for result in message.results)
    return [result.response for message in messages for result in message.results]


async def taught(h: House, *says_: Instructions) -> None:
    async with h.space.db.transaction():
        for one in says_:
            await h.space.procedures.teach(one)


async def test_find_lists_what_holds_and_read_gives_all_steps(tmp_path: Path) -> None:
    turn = asks({"action": "find"}, {"action": "find", "about": "deadlines"}, {"action": "read", "id": "p1"})
    async with house(tmp_path, model=model(turn)) as h:
        await taught(h, REVIEW, Instructions("Tea", "when I want tea", ("pour",)))
        await h.say("What do you know to do?")
        listed, found, read = await results(h)
        assert [one["id"] for one in listed["procedures"]] == ["p1", "p2"]
        assert [one["id"] for one in found["procedures"]] == ["p1"]
        assert read["steps"] == ["list the deadlines", "ask what is new"]


async def test_a_proposal_waits_and_is_shown_with_every_step_and_two_buttons(tmp_path: Path) -> None:
    async with house(tmp_path, model=model(asks(WISH))) as h:
        await h.say("That is how I like my tea.", author_id=7)
        (result,) = await results(h)
        assert result["proposed"] == "p1"
        assert "not saved" in result["status"]
        shown = h.screen.rows[0].message
        assert "```\nTea\nTrigger: when I want tea\n1. boil water\n2. pour\n```" in shown.text
        assert [(b.text, b.data, b.typed) for b in shown.buttons[0]] == [
            ("Keep p1", "pkeep:1", "/keep p1"),
            ("Drop p1", "pdrop:1", "/drop p1"),
        ]
        assert shown.for_member == 7
        assert await h.space.procedures.active() == []


async def test_wrong_calls_are_answered_with_what_is_wrong(tmp_path: Path) -> None:
    turn = asks(
        {"action": "read", "id": "p9"},
        {"action": "read", "id": "banana"},
        {"action": "propose", "name": "Tea"},
        {"action": "propose", "name": "Tea", "steps": ["x" * 400]},
        {"action": "propose", "id": "p7", "name": "Tea", "steps": ["pour"]},
        {"action": "run", "id": "p1"},
    )
    async with house(tmp_path, model=model(turn)) as h:
        await h.say("Try.")
        errors = [result["error"] for result in await results(h)]
        assert ["p9" in errors[0], "looks like p3" in errors[1], "steps" in errors[2]] == [True] * 3
        assert ["longer than 300" in errors[3], "p7" in errors[4], "wrong arguments" in errors[5]] == [True] * 3
        assert await h.space.procedures.listed() == []


async def test_one_proposal_a_turn_and_never_the_same_twice(tmp_path: Path) -> None:
    other = {**WISH, "name": "Coffee"}
    both: list[Step] = [calls(("procedures", WISH), ("procedures", other)), says("ok")]
    async with house(tmp_path, model=model(both, asks(WISH))) as h:
        await h.say("Tea, please.")
        first, second = await results(h)
        assert "proposed" in first
        assert "one proposal a turn" in second["error"]
        await h.say("Tea again.")
        (again,) = await results(h)
        assert "p1 says exactly that already" in again["error"]
        assert len(await h.space.procedures.listed()) == 1


async def test_what_waits_cannot_be_read_as_if_it_held(tmp_path: Path) -> None:
    turn = asks({"action": "find"}, {"action": "read", "id": "p1"})
    async with house(tmp_path, model=model(asks(WISH), turn)) as h:
        await h.say("Tea, please.")
        await h.say("How do I make tea?")
        listed, read = await results(h)
        assert listed["procedures"] == []
        assert "does not hold" in read["error"]
