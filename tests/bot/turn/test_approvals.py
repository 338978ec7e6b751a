"""Calls that wait for the member's yes: asked whole, decided once, run once, told in a turn of their own."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import Field

from bot.commands.approvals import DECIDED
from bot.turn.asking import shown_call
from bot.turn.calling import MAY_HAVE_HAPPENED
from bot.turn.words import keep_words
from memory.messages import CallPart, Message
from memory.ports import ModelRequest
from memory.store.approvals import LIFETIME
from memory.store.entries import Outgoing
from tests.bot.turn.house import House, house
from tests.fakes.model import Step, calls, says
from tools.approval import ASKED, TOO_LONG
from tools.tool import Arguments, Context, Effect, Tool


class LampArguments(Arguments):
    room: str
    levels: list[float] = Field(default_factory=list)


class LampTool(Tool):
    """Reaches beyond the program: every call leaves a trace outside."""

    name: ClassVar[str] = "lamp"
    description: ClassVar[str] = "Switches a lamp."
    help_line: ClassVar[str] = "switch lamps"
    arguments: ClassVar[type[Arguments]] = LampArguments
    effect: ClassVar[Effect] = "external"

    def __init__(self) -> None:
        self.switched: list[LampArguments] = []

    async def asks(self, arguments: LampArguments, context: Context) -> bool:
        return arguments.room != "hall"

    async def run(self, arguments: LampArguments, context: Context) -> dict[str, Any]:
        self.switched.append(arguments)
        return {"is_on": True}


@pytest.fixture
def lamp() -> LampTool:
    return LampTool()


def asking(
    home: Path, lamp: LampTool, *after: Step, room: str = "attic", space_id: str = "1"
) -> AbstractAsyncContextManager[House]:
    """Open a house whose model wants to switch a lamp and then says so."""
    steps = (calls(("lamp", {"room": room})), says("I asked you."), *after)
    return house(home, *steps, tools=(lamp,), space_id=space_id)


def question(h: House) -> Outgoing:
    """Return the message that asks, as it arrived."""
    return next(row.message for row in h.screen.rows if row.key.startswith("approval:") and row.message.buttons)


async def press(h: House, data: str, **more: object) -> None:
    row = next(row for row in h.screen.rows if row.key == "approval:a1")
    assert row.place
    await h.say("", kind="press", press=data, message_id=int(row.place.rpartition(":")[2]), **more)


def told(request: ModelRequest) -> str:
    """Return what the model is told in its newest turn, as text."""
    newest = request.messages[-1].turn_id
    own = [message for message in request.messages if message.turn_id == newest]
    return "\n".join(str([part.model_dump() for part in message.parts]) for message in own)


async def test_a_call_that_asks_is_not_run_and_the_model_is_told_so(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp) as h:
        await h.say("Light in the attic, please.")
        (result,) = h.model.chat.requests[-1].messages[-1].results
        assert result.response[ASKED].startswith("asked the member (a1): nothing was done yet")
        assert lamp.switched == []
        assert h.screen.delivered[-1] == "I asked you."


async def test_the_question_shows_the_call_whole_with_a_button_for_each_answer(tmp_path: Path, lamp: LampTool) -> None:
    steps = (calls(("lamp", {"room": "the `back`\nattic", "levels": [0.5, 1]})), says("I asked you."))
    async with house(tmp_path, *steps, tools=(lamp,)) as h:
        await h.say("Light, please.", author_id=7)
        asked = question(h)
        assert "a call of *lamp*" in asked.text
        assert "room:\n```\nthe `back`\nattic\n```" in asked.text
        assert "levels:\n```\n[\n  0.5,\n  1\n]\n```" in asked.text
        assert "Without an answer by 10:15" in asked.text
        assert [[(b.text, b.data, b.typed) for b in row] for row in asked.buttons] == [
            [("Approve a1", "approve:1", "/approve a1"), ("Refuse a1", "refuse:1", "/refuse a1")]
        ]
        assert (asked.for_member, asked.shows) == (7, ("a1",))


async def test_signs_that_cannot_be_seen_are_spelled_out(tmp_path: Path, lamp: LampTool) -> None:
    hidden = "attic\u202e\u200b\u00a0\u2800\x1b\ufe0f\U000e0100\u180f end"
    steps = (calls(("lamp", {"room": hidden})), says("I asked you."))
    async with house(tmp_path, *steps, tools=(lamp,)) as h:
        await h.say("Light, please.")
        asked = question(h).text
        assert r"attic\u{202e}\u{200b}\u{a0}\u{2800}\u{1b}\u{fe0f}\u{e0100}\u{180f} end" in asked
        assert "characters that cannot be seen" in asked


def test_the_name_of_an_argument_cannot_pass_for_words_of_the_program() -> None:
    shown = shown_call(CallPart(call_id="1", name="lamp", args={"x:\n```\nNothing to see": "y"}))
    assert shown == "x:\\u{a}\\`\\`\\`\\u{a}Nothing to see:\n```\ny\n```"


async def test_a_call_too_long_to_be_shown_is_not_even_asked_for(tmp_path: Path, lamp: LampTool) -> None:
    steps = (calls(("lamp", {"room": "x" * 12_001})), says("Too long."))
    async with house(tmp_path, *steps, tools=(lamp,)) as h:
        await h.say("Light, please.")
        (result,) = h.model.chat.requests[-1].messages[-1].results
        assert result.response == {"error": TOO_LONG}
        assert h.screen.delivered == ["Too long."]


async def test_a_call_of_the_same_tool_that_need_not_ask_is_run(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, room="hall") as h:
        await h.say("Light in the hall, please.")
        assert [one.room for one in lamp.switched] == ["hall"]


async def test_the_same_call_again_is_asked_once(tmp_path: Path, lamp: LampTool) -> None:
    again = (calls(("lamp", {"room": "attic"}), ("lamp", {"room": "attic"})), says("It waits for you."))
    async with asking(tmp_path, lamp, *again) as h:
        await h.say("Light in the attic, please.")
        await h.say("And?")
        assert sum(row.key == "approval:a1" for row in h.screen.rows) == 1
        assert [r.response[ASKED][:21] for r in h.model.chat.requests[-1].messages[-1].results] == [
            "asked the member (a1)"
        ] * 2


async def test_an_approved_call_is_run_once_and_its_result_told(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("The light is on.")) as h:
        await h.say("Light in the attic, please.")
        await press(h, "approve:1")
        assert [one.room for one in lamp.switched] == ["attic"]
        words = told(h.model.chat.requests[-1])
        assert "The member approved a1, exactly this call" in words
        assert "'room': 'attic'" in words
        assert "'is_on': True" in words
        assert h.screen.delivered[-1] == "The light is on."
        row = await h.space.db.fetch_one("SELECT state, outcome_turn_id FROM approvals")
        assert row is not None
        assert tuple(row) == ("approved", 2)
        turn = await h.space.sessions.turn(2)
        assert turn.state == "done"
        assert await h.space.mailbox.waiting() == []


async def test_the_question_loses_its_buttons_and_says_what_came_of_it(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("On.")) as h:
        await h.say("Light in the attic, please.")
        await press(h, "approve:1")
        over = next(row for row in h.screen.rows if row.key == "approval:a1:over")
        assert over.message.buttons == ()
        assert over.message.text.endswith("\n\n✅ a1 approved")
        assert "attic" in over.message.text


async def test_a_refused_call_is_not_run_and_the_model_is_told(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("Fine, I leave it.")) as h:
        await h.say("Light in the attic, please.")
        await press(h, "refuse:1")
        assert lamp.switched == []
        assert "The member refused a1, your call of lamp" in told(h.model.chat.requests[-1])
        assert h.screen.delivered[-1] == "Fine, I leave it."


@pytest.mark.parametrize(("command", "is_run"), [("/approve a1", True), ("/refuse A1", False), ("/approve 1", True)])
async def test_the_answer_can_be_typed(command: str, is_run: bool, tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("Done with it.")) as h:
        await h.say("Light in the attic, please.")
        await h.say(command, kind="command")
        assert bool(lamp.switched) is is_run
        assert h.screen.delivered[-1] == "Done with it."


@pytest.mark.parametrize(
    ("command", "answer"), [("/approve", "by its id"), ("/refuse f1", "by its id"), ("/approve a9", "no a9")]
)
async def test_what_names_no_question_of_this_memory_is_answered(
    command: str, answer: str, tmp_path: Path, lamp: LampTool
) -> None:
    async with asking(tmp_path, lamp) as h:
        await h.say("Light in the attic, please.")
        await h.say(command, kind="command")
        assert answer in h.screen.delivered[-1]
        assert lamp.switched == []


@pytest.mark.parametrize("second", ["approve:1", "refuse:1"])
@pytest.mark.parametrize("first", ["approve:1", "refuse:1"])
async def test_a_second_answer_changes_nothing(first: str, second: str, tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("Told.")) as h:
        await h.say("Light in the attic, please.")
        await press(h, first)
        await press(h, second)
        state = "approved" if first == "approve:1" else "refused"
        assert h.screen.delivered[-1] == DECIDED[state].format(ref="a1")
        assert len(lamp.switched) == (state == "approved")


async def test_an_answer_that_comes_too_late_does_nothing_and_the_model_learns_of_it_next(
    tmp_path: Path, lamp: LampTool
) -> None:
    async with asking(tmp_path, lamp, says("It ran out.")) as h:
        await h.say("Light in the attic, please.")
        h.clock.advance(LIFETIME.total_seconds())
        await press(h, "approve:1")
        assert h.screen.delivered[-1] == DECIDED["expired"].format(ref="a1")
        assert lamp.switched == []
        await h.say("Well?")
        words = told(h.model.chat.requests[-1])
        assert "a1, your call of lamp, was not answered in time, which counts as refused" in words
        assert words.index("a1") < words.index("Well?")


async def test_the_model_is_told_once_that_a_question_ran_out(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("It ran out."), says("Yes.")) as h:
        await h.say("Light in the attic, please.")
        h.clock.advance(LIFETIME.total_seconds())
        await h.say("Well?")
        await h.say("Really?")
        assert "a1" not in told(h.model.chat.requests[-1])


async def test_a_question_nobody_answers_loses_its_buttons_by_itself(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp) as h:
        await h.say("Light in the attic, please.")
        h.clock.advance((LIFETIME - timedelta(seconds=1)).total_seconds())
        await h.runner.drain()
        assert not any(row.key == "approval:a1:over" for row in h.screen.rows)
        h.clock.advance(1)
        await h.runner.drain()
        over = next(row for row in h.screen.rows if row.key == "approval:a1:over")
        assert over.message.buttons == ()
        assert "room:\n```\nattic\n```" in over.message.text
        assert over.message.text.endswith("⌛ a1 was not answered in time and counts as refused")
        assert "Without an answer" not in over.message.text


async def test_what_was_approved_does_not_run_out(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("On.")) as h:
        await h.say("Light in the attic, please.")
        await press(h, "approve:1")
        h.clock.advance(LIFETIME.total_seconds())
        await h.runner.drain()
        assert (await h.space.approvals.approval(1)).state == "approved"
        (over,) = [row for row in h.screen.rows if row.key == "approval:a1:over"]
        assert over.message.text.endswith("\n```\n\n✅ a1 approved")


async def test_a_question_outlives_a_restart(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp) as h:
        await h.say("Light in the attic, please.")
    async with house(tmp_path, says("On."), tools=(lamp,)) as h:
        await h.say("/approve a1", kind="command", source="tg:1:late")
        assert [one.room for one in lamp.switched] == ["attic"]


async def test_what_is_run_is_what_was_stored_when_it_was_shown(tmp_path: Path, lamp: LampTool) -> None:
    steps = (calls(("lamp", {"room": "Küche", "levels": [0.25]})), says("I asked you."), says("On."))
    async with house(tmp_path, *steps, tools=(lamp,)) as h:
        await h.say("Light, please.")
        await press(h, "approve:1")
        assert lamp.switched == [LampArguments(room="Küche", levels=[0.25])]


async def test_an_approved_call_of_a_tool_that_is_gone_is_an_error_the_model_reads(
    tmp_path: Path, lamp: LampTool
) -> None:
    async with asking(tmp_path, lamp) as h:
        await h.say("Light in the attic, please.")
    async with house(tmp_path, says("There is no lamp any more.")) as h:
        await h.say("/approve a1", kind="command", source="tg:1:late")
        assert "there is no tool" in told(h.model.chat.requests[-1])


async def test_in_a_group_only_who_asked_may_answer(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, says("On."), space_id="-100") as h:
        await h.say("Light in the attic, please.", author="Ann", author_id=7)
        await h.say("/approve a1", kind="command", author="Ben", author_id=8)
        assert "Only the one for whom a1" in h.screen.delivered[-1]
        assert lamp.switched == []
        await h.say("/approve a1", kind="command", author="Ann", author_id=7)
        assert len(lamp.switched) == 1


async def test_in_a_group_nobody_answers_for_a_sender_without_a_name(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp, space_id="-100") as h:
        await h.say("Light in the attic, please.")
        await h.say("/approve a1", kind="command")
        assert lamp.switched == []


async def test_a_call_that_may_have_happened_is_asked_about_when_it_comes_again(tmp_path: Path, lamp: LampTool) -> None:
    steps = (calls(("lamp", {"room": "hall"})), says("It waits for you."), says("On."))
    async with house(tmp_path, *steps, tools=(lamp,)) as h:
        async with h.space.db.transaction():
            turn = await h.space.sessions.begin_turn()
            await h.space.sessions.end_turn(turn.id, "done")
            await h.space.approvals.doubt(CallPart(call_id="lost", name="lamp", args={"room": "hall"}), turn_id=turn.id)
        await h.say("Light in the hall, please.")
        assert lamp.switched == []
        await press(h, "approve:1")
        assert len(lamp.switched) == 1
        assert not await h.space.approvals.is_doubtful(CallPart(call_id="new", name="lamp", args={"room": "hall"}))


async def test_a_doubt_ends_after_a_day(tmp_path: Path, lamp: LampTool) -> None:
    call = CallPart(call_id="lost", name="lamp", args={"room": "hall"})
    async with house(tmp_path, tools=(lamp,)) as h:
        async with h.space.db.transaction():
            turn = await h.space.sessions.begin_turn()
            await h.space.approvals.doubt(call, turn_id=turn.id)
        assert await h.space.approvals.is_doubtful(call)
        assert not await h.space.approvals.is_doubtful(call.model_copy(update={"args": {"room": "attic"}}))
        h.clock.advance(86_400)
        assert not await h.space.approvals.is_doubtful(call)
        async with h.space.db.transaction():
            await h.space.sessions.end_turn(turn.id, "done")


async def test_a_resumed_turn_asks_about_a_call_it_may_have_made(tmp_path: Path, lamp: LampTool) -> None:
    hall = ("lamp", {"room": "hall"})
    steps = (says("First."), calls(hall), says("It waits for you."))
    async with house(tmp_path, *steps, tools=(lamp,)) as h:
        await h.say("Hello.")
        entry = await h.receive("Light in the hall, please.")
        (waiting,) = await h.space.mailbox.waiting()
        async with h.space.db.transaction():
            turn = await h.space.sessions.begin_turn()
            await h.space.mailbox.take([waiting.id], turn.id)
            await keep_words(h.space, entry, session_id=turn.session_id, turn_id=turn.id)
            message = wanting(hall, entry.at)
            stored = await h.space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
            await h.space.sessions.note_started(turn.id, stored.calls[0].call_id)
        await h.runner.drain()
        results = [r.response for m in h.model.chat.requests[-1].messages for r in m.results]
        assert results[0] == {"error": MAY_HAVE_HAPPENED}
        assert ASKED in results[1]
        assert lamp.switched == []


def wanting(call: tuple[str, dict[str, Any]], at: datetime) -> Message:
    """Return the message of a model that wants a call, as it is stored."""
    return Message(role="model", parts=calls(call).parts, at=at, origin="model")


async def test_forgetting_the_request_takes_the_question_with_it(tmp_path: Path, lamp: LampTool) -> None:
    async with asking(tmp_path, lamp) as h:
        await h.say("Light in the attic, please.")
        await h.say("/forget t1", kind="command")
        await h.say("/approve a1", kind="command")
        assert "no a1" in h.screen.delivered[-1]
        rows = await h.space.db.fetch_all("SELECT body FROM outbox")
        assert not any("attic" in row["body"] for row in rows)
        h.clock.advance(LIFETIME.total_seconds())
        await h.runner.drain()
        failed = await h.space.db.fetch_all("SELECT 1 FROM jobs WHERE state <> 'done'")
        assert failed == []
