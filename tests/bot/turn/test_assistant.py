from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from bot.models.reader import OfflineReader
from memory.errors import CeilingReached, ModelBusy, ModelSilent
from memory.messages import text_message
from memory.ports import Usage
from memory.store.entries import Entry, Outgoing
from memory.store.jobs import EXTRACT
from tests.bot.turn.chat import QUERY_WAIT_S, chat_over
from tests.bot.turn.house import TaskModel
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.model import ScriptedModel, calls, extracts, says


async def test_what_is_said_is_kept_read_and_answered_by_the_ordinary_path(tmp_path: Path) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        await assistant.say("My vet is called Dr. Brandt")
        (fact,) = await space.facts.listed()
        await assistant.say("/new")
        answer = await assistant.say("What is my vet called?")
        receipt = await assistant.say(f"/forget {fact.ref}")

        assert "Brandt" in fact.value
        assert "Brandt" in answer
        assert fact.ref in receipt
        assert await space.facts.listed() == []


async def test_an_assembled_prompt_is_asked_as_it_is_and_changes_nothing(tmp_path: Path) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        await assistant.say("My vet is called Dr. Brandt")
        before = space.db.commits

        async with space.db.rolled_back():
            assembled = await assistant.assemble("What is my vet called?")
        reply = await assistant.ask(assembled.request)

        assert [piece.ref for piece in assembled.pieces if piece.layer == "ledger"] == ["f1"]
        assert not assembled.request.tools_enabled
        assert "Brandt" in reply.text
        assert space.db.commits == before


async def test_only_the_reply_is_returned_and_not_what_is_told_beside_it(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([calls(("clock", {}), words="Looking."), says("Nine o'clock.")]))

    async with chat_over(tmp_path, model) as (_, assistant):
        assert await assistant.say("What time is it?") == "Nine o'clock."


@pytest.mark.parametrize("step", [ModelBusy("no network"), says(" ")])
async def test_a_turn_without_an_answer_raises_what_the_model_failed_with(tmp_path: Path, step: object) -> None:
    model = TaskModel(ScriptedModel([step]))  # type: ignore[list-item]

    async with chat_over(tmp_path, model) as (_, assistant):
        with pytest.raises(ModelBusy if isinstance(step, ModelBusy) else ModelSilent):
            await assistant.say("Hello")


async def test_what_another_model_answered_in_its_place_is_no_answer(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([replace(says("Dr. Brandt."), fault=ModelBusy("overloaded"))]))

    async with chat_over(tmp_path, model) as (_, assistant):
        assembled = await assistant.assemble("What is my vet called?")
        with pytest.raises(ModelBusy):
            await assistant.ask(assembled.request)


async def test_an_answer_after_a_failure_is_an_answer(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([ModelBusy("no network"), says("Hello!")]))

    async with chat_over(tmp_path, model) as (_, assistant):
        with pytest.raises(ModelBusy):
            await assistant.say("Hello")
        assert await assistant.say("Hello?") == "Hello!"


async def test_a_job_that_could_not_be_done_stays_and_the_turn_counts(tmp_path: Path) -> None:
    extract = ScriptedModel([ModelBusy("overloaded")])
    model = TaskModel(ScriptedModel([says("I see.")]), extract=extract)

    async with chat_over(tmp_path, model) as (space, assistant):
        assert await assistant.say("My vet is called Dr. Brandt") == "I see."
        assert await space.jobs.is_waiting("extract")


async def test_what_waited_in_the_memory_is_neither_answered_nor_sent(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("Hello!")]))

    async with chat_over(tmp_path, model) as (space, assistant):
        waiting = Entry(source="tg:1:1", kind="message", text="Call my bank", at=space.clock.now())
        async with space.db.transaction():
            await space.sessions.begin_turn()
            await space.mailbox.receive(waiting)
            await space.mailbox.post("job:1:0", Outgoing(text="An old line"))

        assert await assistant.say("Hello") == "Hello!"

        assert len(model.chat.requests) == 1
        assert "bank" not in str(model.chat.requests[0].messages)
        assert await space.mailbox.undelivered() == []


async def test_work_that_waited_in_the_memory_is_not_paid_for(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("Hello!")]), extract=ScriptedModel([extracts()]))
    embedder = FakeEmbedder()

    async with chat_over(tmp_path, model, embedder=embedder) as (space, assistant):
        async with space.db.transaction():
            said = text_message("user", "My bank is in Bern", space.clock.now())
            stored = await space.sessions.append(said, session_id=None, turn_id=None)
            await space.segments.store(stored)
            assert stored.id is not None
            await space.jobs.add(EXTRACT, "extract:old", {"message": stored.id})

        await assistant.say("Hello")

        assert not await space.jobs.is_waiting(EXTRACT)
        assert all("Bern" not in text for text in embedder.documents)
        assert any("Hello" in text for text in embedder.documents), "what is said here has its vectors"


async def test_calls_are_counted_by_task_and_none_is_made_that_the_money_does_not_cover(tmp_path: Path) -> None:
    usage = Usage(prompt_tokens=100_000, output_tokens=8_000)
    chat = ScriptedModel([says("One.", usage=usage, model="gemini-3.8-flash")])
    model = TaskModel(chat, name="gemini-3.8-flash")

    async with chat_over(tmp_path, model, allowance_usd=0.1) as (_, assistant):
        request = (await assistant.assemble("Who?")).request
        await assistant.ask(request)
        with pytest.raises(CeilingReached):
            await assistant.ask(request)

        spent = assistant.spent()["chat"]
        assert (spent.calls, spent.prompt_tokens, spent.output_tokens) == (1, 100_000, 8_000)
        assert spent.usd == pytest.approx(100_000 * 1.5e-6 + 8_000 * 7.5e-6)
        chat.close()


class TimedEmbedder(FakeEmbedder):
    """Keeps how long each query would have been waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: set[float] = set()

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        if task == "query":
            self.waits.add(timeout_s)
        return await super().embed(texts, task=task, timeout_s=timeout_s)


async def test_a_question_waits_for_its_vector_as_long_as_its_memory_was_opened_for(tmp_path: Path) -> None:
    embedder = TimedEmbedder()

    async with chat_over(tmp_path, OfflineReader(), embedder=embedder) as (_, assistant):
        await assistant.say("My vet is called Dr. Brandt")
        await assistant.assemble("Who looks after my dog?")

    assert embedder.waits == {QUERY_WAIT_S}
