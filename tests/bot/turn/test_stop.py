"""/stop takes effect in every phase of a turn, and its answer says what the turn had done: from rows, not the model."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.errors import PromptTooLong
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from tests.bot.models.test_history import build
from tests.bot.turn.house import House, TaskModel, house
from tests.bot.turn.test_room import SUMMARY, talk
from tests.fakes.model import ScriptedModel, calls, says

NOTHING = "Stopped. Nothing had been changed."
REMIND = ("reminders", {"action": "set", "text": "Call Ida", "in_minutes": 30})
WRITE = ("files", {"action": "write", "path": "trips/list.md", "text": "sun cream"})
SEARCH = ("web_search", {"query": "weather in Riga"})


class Stalling(TaskModel):
    """Answers by its script until a call is one to wait in for ever; `waits` is set then."""

    def __init__(self, *steps: ModelReply, at: Callable[[ModelRequest], bool], streams: str = "") -> None:
        super().__init__(ScriptedModel(steps))
        self.summarise = ScriptedModel([says(SUMMARY)])
        self.waits = asyncio.Event()
        self._at = at
        self._streams = streams

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if not self.waits.is_set() and self._at(request):
            if on_text is not None and self._streams:
                await on_text(self._streams)
            self.waits.set()
            await asyncio.Event().wait()
        return await super().generate(request, on_text=on_text)


def chat_number(number: int) -> Callable[[ModelRequest], bool]:
    """Return what is true of the chat request of that number."""
    seen = [0]

    def is_it(request: ModelRequest) -> bool:
        seen[0] += request.task == "chat"
        return request.task == "chat" and seen[0] == number

    return is_it


async def stopped_when(h: House, model: Stalling) -> str:
    """Send a message, stop once the model waits, see that the next message is answered, and return what /stop said."""
    h.runner.start()
    before = len(h.screen.delivered)
    await h.receive("long work")
    async with asyncio.timeout(10):
        await model.waits.wait()
        await h.receive("/stop", kind="command")
        model.chat.then(says("Here again."))
        await h.receive("hello?")
        while h.screen.delivered[-1:] != ["Here again."]:
            await h.screen.until(len(h.screen.delivered) + 1)
    return next(text for text in h.screen.delivered[before:] if "Stopped." in text)


async def test_while_the_model_thinks_nothing_was_done(tmp_path: Path) -> None:
    model = Stalling(at=chat_number(1))
    async with house(tmp_path, model=model) as h:
        assert await stopped_when(h, model) == NOTHING


async def test_what_was_streamed_is_kept_and_marked(tmp_path: Path) -> None:
    model = Stalling(at=chat_number(1), streams="The first house was")
    async with house(tmp_path, model=model) as h:
        assert await stopped_when(h, model) == f"The first house was\n\n_(stopped here)_\n\n{NOTHING}"
        assert (await h.space.sessions.turn(1)).state == "stopped"


async def test_between_steps_the_answer_names_what_was_changed(tmp_path: Path) -> None:
    model = Stalling(calls(REMIND, WRITE, ("recall", {"query": "house"})), at=chat_number(2))
    async with house(tmp_path, model=model) as h:
        assert await stopped_when(h, model) == (
            "Stopped. Done before that: reminder n1 set, file trips/list.md written."
        )


async def test_a_call_that_was_refused_was_not_done(tmp_path: Path) -> None:
    refused = ("files", {"action": "write", "path": "../memory.db", "text": "x"})
    model = Stalling(calls(refused), at=chat_number(2))
    async with house(tmp_path, model=model) as h:
        assert await stopped_when(h, model) == NOTHING


async def test_a_call_under_way_may_have_happened_and_those_behind_it_did_not(tmp_path: Path) -> None:
    model = Stalling(calls(SEARCH, WRITE, words="Let me look."), at=lambda request: request.task == "web")
    async with house(tmp_path, model=model) as h:
        assert await stopped_when(h, model) == (
            "Let me look.\n\n_(stopped here)_\n\n"
            "Stopped. Nothing had been changed. It had begun, so it may have happened: a web search."
            " Not done: work on a file."
        )
        assert not (h.space.folder / "files" / "trips").exists()
        assert await h.space.db.fetch_all("SELECT * FROM calls_under_way") == []
        request = model.chat.requests[-1]
        build(*request.messages, block=request.memory_block)  # a history that the provider takes


async def test_the_same_call_as_one_that_was_stopped_asks_first(tmp_path: Path) -> None:
    model = Stalling(calls(SEARCH), at=lambda request: request.task == "web")
    async with house(tmp_path, model=model) as h:
        await stopped_when(h, model)
        model.chat.then(calls(SEARCH), says("I asked you."))
        await h.receive("then search again")
        while h.screen.delivered[-1:] != ["I asked you."]:
            await h.screen.until(len(h.screen.delivered) + 1)
        assert (await h.space.approvals.approval(1)).call.args == SEARCH[1]


async def test_while_room_is_made_for_the_prompt_it_stops_too(tmp_path: Path) -> None:
    model = Stalling(*[says("I see.")] * 9, at=lambda request: request.task == "summarise")

    def too_long(request: ModelRequest) -> ModelReply:
        raise PromptTooLong

    async with house(tmp_path, model=model) as h:
        await talk(h, 9)
        model.chat.then(too_long)
        assert await stopped_when(h, model) == NOTHING


@pytest.mark.parametrize("text", ["do it", "x" * 4000], ids=["before its turn", "while a continuation is awaited"])
async def test_before_the_turn_began_no_model_is_asked(tmp_path: Path, text: str) -> None:
    async with house(tmp_path) as h:
        await h.receive(text)
        await h.receive("/stop", kind="command")
        await h.runner.drain()
        assert h.screen.delivered == [NOTHING]
        assert await h.space.mailbox.waiting() == []


async def test_as_the_first_message_after_a_start_it_ends_the_turn_that_was_cut_off(tmp_path: Path) -> None:
    def breaks(request: ModelRequest) -> ModelReply:
        raise RuntimeError("a bug")

    async with house(tmp_path, calls(REMIND), breaks) as h:
        await h.receive("remind me")
        with pytest.raises(RuntimeError):
            await h.runner.drain()
    async with house(tmp_path) as h:
        await h.runner.receive(Entry(source="tg:1:9", kind="command", text="/stop", at=h.clock.now(), chat_id=1))
        await h.runner.drain()
        assert h.screen.delivered[-1] == "Stopped. Done before that: reminder n1 set."


async def test_the_next_prompt_knows_what_was_stopped(tmp_path: Path) -> None:
    model = Stalling(calls(REMIND), at=chat_number(2))
    async with house(tmp_path, model=model) as h:
        said = await stopped_when(h, model)
        assert [m.text for m in model.chat.requests[-1].messages if m.role == "notice"].count(said) == 1
