"""A reply that claims what no row bears out reaches the member with the program's line, and so do later prompts."""

from pathlib import Path

from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.model import ScriptedModel, calls, extracts, says
from tests.tools.test_shell import Scripted
from tools.shell import Ran, ShellTool

LOCKER = {"kind": "entity", "subject": "locker code", "value": "4711"}


async def test_an_answer_that_says_saved_without_a_row_is_set_right(tmp_path: Path) -> None:
    async with house(tmp_path, says("Saved!")) as h:
        await h.say("Save that as a memory.")
        (reply,) = h.screen.delivered
        assert reply.startswith("Saved!\n\n⚠ So far nothing was saved.")
        assert await h.space.facts.listed() == []


async def test_the_next_prompt_knows_that_the_claim_was_not_true(tmp_path: Path) -> None:
    async with house(tmp_path, says("I'll remind you at nine."), says("I did not.")) as h:
        await h.say("remind me at nine")
        await h.say("did you set it?")
        roles = [(m.role, m.text) for m in h.model.chat.requests[1].messages]
        assert roles[1:3] == [
            ("model", "I'll remind you at nine."),
            ("notice", "⚠ In this turn no reminder was set."),
        ]


async def test_a_fact_stored_in_this_turn_bears_the_claim_out(tmp_path: Path) -> None:
    async with house(tmp_path, calls(("remember", LOCKER)), says("I've saved that.")) as h:
        await h.say("Please remember: the locker code is 4711.")
        assert h.screen.delivered == ["✎ locker code → 4711 · f1", "I've saved that."]


async def test_a_refused_remember_does_not_bear_it_out(tmp_path: Path) -> None:
    wrong = LOCKER | {"value": "0815"}
    async with house(tmp_path, calls(("remember", wrong)), says("I've saved that.")) as h:
        await h.say("Please remember: the locker code is 4711.")
        assert "nothing was saved" in h.screen.delivered[0]


async def test_a_fact_of_an_earlier_turn_bears_nothing_out(tmp_path: Path) -> None:
    fact = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")
    model = TaskModel(ScriptedModel([says("Good."), says("Saved!")]), ScriptedModel([extracts(fact), extracts()]))
    async with house(tmp_path, model=model) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("save what I think about Mondays")
        assert h.screen.delivered[:2] == ["Good.", "✎ vet → Dr. Brandt · f1"]
        assert "nothing was saved" in h.screen.delivered[2]


async def test_a_command_bears_a_claim_out_once_it_has_run_and_not_when_it_was_asked_for(tmp_path: Path) -> None:
    want = calls(("shell", {"command": "rm old.txt"}))
    steps = (want, says("I've deleted the old list."), says("I've deleted the old list."))
    async with house(tmp_path, *steps, tools=[ShellTool(Scripted(Ran(0, "")))]) as h:
        await h.say("Delete the old list.")
        assert "nothing was forgotten" in h.screen.delivered[-1]
        await h.say("/approve a1", kind="command")
        assert h.screen.delivered[-1] == "I've deleted the old list."


async def test_a_plain_answer_is_delivered_as_it_is(tmp_path: Path) -> None:
    async with house(tmp_path, says("You told me: “I saved 200 euros.” I have not saved anything new.")) as h:
        await h.say("what did I save?")
        assert h.screen.delivered == ["You told me: “I saved 200 euros.” I have not saved anything new."]
        assert len(await h.space.sessions.turn_messages(1)) == 2
