"""Gemini's embedder: batches that the service takes, another try where that helps, vectors or who must act."""

import logging
import math
from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.models.embedder import BATCH, MODEL, SIZE, GeminiEmbedder
from bot.models.gemini import GeminiModel
from bot.models.meter import MeteredEmbedder
from memory.errors import ModelBusy, ModelMisconfigured, ModelQuotaSpent, ModelRefused, ModelSilent
from memory.space import Space
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import PER_DAY, Reply, error, limited, overloaded, stalls
from tests.fakes.gemini_vectors import vector_of


@pytest.fixture
def embedder(model: GeminiModel, clock: FakeClock) -> GeminiEmbedder:
    return GeminiEmbedder(model, clock)


async def documents(embedder: GeminiEmbedder, *texts: str) -> list[list[float]]:
    return await embedder.embed(texts, task="document", timeout_s=60.0)


async def test_each_text_gets_its_own_vector_in_order(fake: FakeGemini, embedder: GeminiEmbedder) -> None:
    cat, dog = await documents(embedder, "the cat", "the dog")
    assert cat == pytest.approx(vector_of("the cat", SIZE))
    assert dog == pytest.approx(vector_of("the dog", SIZE))
    assert embedder.name == f"{MODEL}:{SIZE}"
    fake.assert_all_accepted()


async def test_questions_and_documents_are_told_apart(fake: FakeGemini, embedder: GeminiEmbedder) -> None:
    await documents(embedder, "the cat")
    await embedder.embed(["which cat"], task="query", timeout_s=5.0)
    sent = [request.body["requests"][0] for request in fake.requests]
    assert [request["taskType"] for request in sent] == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]


async def test_many_texts_go_in_batches_that_the_service_takes(fake: FakeGemini, embedder: GeminiEmbedder) -> None:
    made = await documents(embedder, *(f"note {number}" for number in range(2 * BATCH + 5)))
    assert len(made) == 2 * BATCH + 5
    assert [len(request.texts) for request in fake.requests] == [BATCH, BATCH, 5]
    fake.assert_all_accepted()


async def test_overload_is_waited_out(fake: FakeGemini, embedder: GeminiEmbedder, clock: FakeClock) -> None:
    fake.script(overloaded(), limited(retry_s=7.0), task="embed")
    assert len(await documents(embedder, "one")) == 1
    assert clock.slept == [1.0, 7.0]


@pytest.mark.parametrize(
    ("refusal", "fault"),
    [
        (limited(quota=PER_DAY), ModelQuotaSpent),
        (error(400, "INVALID_ARGUMENT", "API key not valid."), ModelMisconfigured),
        (error(404, "NOT_FOUND"), ModelMisconfigured),
        (error(400, "INVALID_ARGUMENT", "something about the text"), ModelRefused),
    ],
)
async def test_what_cannot_be_waited_out_says_who_must_act(
    refusal: Reply, fault: type[Exception], fake: FakeGemini, embedder: GeminiEmbedder
) -> None:
    fake.script(refusal, task="embed")
    with pytest.raises(fault):
        await documents(embedder, "one")
    assert len(fake.requests) == 1


async def test_a_question_is_not_waited_for_beyond_its_time(fake: FakeGemini, embedder: GeminiEmbedder) -> None:
    fake.script(stalls(), task="embed")
    with pytest.raises(ModelBusy):
        await embedder.embed(["when"], task="query", timeout_s=0.05)


async def test_a_refused_question_leaves_no_time_for_another_try(
    fake: FakeGemini, embedder: GeminiEmbedder, clock: FakeClock
) -> None:
    fake.script(overloaded(), task="embed")
    with pytest.raises(ModelBusy):
        await embedder.embed(["when"], task="query", timeout_s=0.3)
    assert clock.slept == []


@pytest.mark.parametrize(
    "body",
    [{}, {"embeddings": []}, {"embeddings": [{"values": [1.0, 2.0]}]}, {"embeddings": [{}]}, b"not json", b"[]"],
)
async def test_an_answer_without_the_vectors_is_asked_for_again_and_given_up(
    body: object, fake: FakeGemini, embedder: GeminiEmbedder
) -> None:
    fake.script(*[Reply(body=body)] * 4, task="embed")
    with pytest.raises((ModelSilent, ModelBusy)):
        await documents(embedder, "one")
    assert len(fake.requests) > 1


async def test_no_text_and_no_key_is_logged(
    fake: FakeGemini, embedder: GeminiEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fake.script(error(400, "INVALID_ARGUMENT", "cannot read: my password is swordfish"), task="embed")
    with pytest.raises(ModelRefused) as caught:
        await documents(embedder, "my password is swordfish")
    assert "swordfish" not in caplog.text + str(caught.value)
    assert fake.api_key not in caplog.text


async def test_more_than_the_service_takes_is_refused_by_the_fake(fake: FakeGemini, model: GeminiModel) -> None:
    await model.vectors(["x"] * (BATCH + 1), model=MODEL, task="document", size=SIZE, timeout_s=5.0)
    assert fake.refusals == ["BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"]


async def test_the_vectors_of_the_fake_are_of_length_one() -> None:
    assert math.hypot(*vector_of("some words", 64)) == pytest.approx(1.0)


# --- what it costs


@pytest.fixture
async def space(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Space]:
    space = await Space.open(tmp_path / "1", default_zone=ZoneInfo("UTC"), clock=clock, backups=tmp_path / "backups")
    yield space
    await space.close()


async def test_what_questions_cost_is_recorded_with_the_next_vectors(space: Space) -> None:
    metered = MeteredEmbedder(FakeEmbedder())
    metered.count_in(space)
    await metered.embed(["a" * 400], task="query", timeout_s=1.0)
    assert await space.db.fetch_all("SELECT * FROM usage") == []
    await metered.embed(["b" * 400], task="document", timeout_s=1.0)
    (row,) = await space.db.fetch_all("SELECT task, model, prompt_tokens, is_estimate FROM usage")
    assert tuple(row) == ("embed", "fake:96", 200, 1)
