import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.models.ceiling import BACKGROUND, Ceiling
from bot.models.meter import Metered, MeteredEmbedder
from bot.models.spend import EXPECTED_OUTPUT
from memory.errors import CeilingReached, ModelBusy, ModelSilent
from memory.messages import text_message
from memory.ports import ModelReply, ModelRequest, OnText, Task, Usage
from memory.space import Space
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.model import ScriptedModel, says

PRICED, UTILITY = "gemini-3.8-flash", "gemini-3.5-flash-lite"


@pytest.fixture
async def space(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Space]:
    space = await Space.open(tmp_path / "1", default_zone=ZoneInfo("UTC"), clock=clock, backups=tmp_path / "backups")
    yield space
    await space.close()


def request(task: Task = "chat") -> ModelRequest:
    return ModelRequest(
        task, f"task: {task}", [text_message("user", "Where is the key?", datetime(2027, 3, 2, tzinfo=UTC))]
    )


async def rows(space: Space) -> list[tuple[str, str, int, bool]]:
    found = await space.db.fetch_all("SELECT task, model, output_tokens, is_estimate FROM usage ORDER BY id")
    return [(row["task"], row["model"], row["output_tokens"], bool(row["is_estimate"])) for row in found]


def metered(model: ScriptedModel, space: Space, daily_usd: float | None = None) -> Metered:
    return Metered(model, space, Ceiling(space, daily_usd), utility_model=UTILITY)


async def test_background_calls_are_counted_and_the_calls_of_a_turn_are_left_to_it(space: Space) -> None:
    usage = Usage(100, 7)
    with ScriptedModel([says("In the drawer."), says("YES", usage=usage, model=UTILITY)], name=PRICED) as model:
        await metered(model, space).generate(request())
        await metered(model, space).generate(request("entail"))

    assert await rows(space) == [("entail", UTILITY, 7, False)]


async def test_an_answer_that_came_to_nothing_is_paid_and_a_call_that_was_never_answered_is_not(space: Space) -> None:
    with ScriptedModel([ModelSilent("safety"), ModelBusy("no network")], name=PRICED) as model:
        for fault in (ModelSilent, ModelBusy):
            with pytest.raises(fault):
                await metered(model, space).generate(request())

    assert await rows(space) == [("chat", PRICED, EXPECTED_OUTPUT["chat"], True)]


class Hanging:
    """Never answers its first request."""

    name = PRICED

    def __init__(self) -> None:
        self.asked = 0
        self.began = asyncio.Event()

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.asked += 1
        if self.asked == 1:
            self.began.set()
            await asyncio.Event().wait()
        return says("Here.", model=PRICED)


async def test_a_call_that_was_broken_off_is_counted_with_the_next(space: Space) -> None:
    model = Hanging()
    meter = Metered(model, space, Ceiling(space, 1.0))
    task = asyncio.create_task(meter.generate(request()))
    await model.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await rows(space) == []

    await meter.generate(request())

    assert await rows(space) == [("chat", PRICED, EXPECTED_OUTPUT["chat"], True)]


async def test_tasks_are_priced_by_the_model_that_will_answer_them(space: Space) -> None:
    with ScriptedModel([says("YES", model=UTILITY)], name=PRICED) as model:
        meter = metered(model, space, daily_usd=0.0006)
        await meter.generate(request("entail"))
        with pytest.raises(CeilingReached):
            await meter.generate(request())


async def test_vectors_are_background_work_and_what_a_question_needs_is_not(space: Space) -> None:
    embedder = FakeEmbedder()
    paid = MeteredEmbedder(embedder, daily_usd=0.001)
    paid.count_in(space)
    texts = ["a" * 4 * int(250 * BACKGROUND)]

    await paid.embed(texts, task="document", timeout_s=1)
    with pytest.raises(CeilingReached):
        await paid.embed(["b"], task="document", timeout_s=1)
    await paid.embed(["b"], task="query", timeout_s=1)
    with pytest.raises(CeilingReached):
        await paid.embed(texts * 3, task="query", timeout_s=1)

    assert embedder.documents == texts
