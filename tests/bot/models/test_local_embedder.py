"""The local embedder, where the extra is installed: one space for many languages, without network and key."""

import asyncio
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from bot.models.local_embedder import SIZE, LocalEmbedder
from bot.settings import LOCAL_EMBEDDER
from memory.errors import ModelBusy

pytestmark = pytest.mark.skipif(find_spec(LOCAL_EMBEDDER) is None, reason="the extra `local` is not installed")


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


async def cosines(embedder: LocalEmbedder, query: str, *texts: str) -> list[float]:
    vectors = np.array(await embedder.embed([query, *texts], task="document", timeout_s=60.0))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [float(vector @ vectors[0]) for vector in vectors[1:]]


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("when is my dentist appointment", "Mein Zahnarzttermin ist am Freitag", "Die Winterreifen liegen im Keller"),
        ("где лежит паспорт", "The passport is in the drawer", "The cat is asleep"),
        ("医生的预约是什么时候", "My doctor appointment is on Friday", "I bought new shoes"),
        ("What pets do I have?", "My cat Moritz sleeps on the sofa", "The rent is due on Monday"),
    ],
)
async def test_a_question_is_nearest_to_what_answers_it_in_whatever_language(
    query: str, right: str, wrong: str, embedder: LocalEmbedder
) -> None:
    near, far = await cosines(embedder, query, right, wrong)
    assert near > far + 0.15


async def test_any_text_gets_a_vector_of_the_size_in_the_name(embedder: LocalEmbedder) -> None:
    texts = ["", " ", "\x00", "😀" * 50, "a" * 4_000, *(f"note {number}" for number in range(10))]
    made = await embedder.embed(texts, task="document", timeout_s=60.0)
    assert {len(vector) for vector in made} == {SIZE}
    assert len(made) == len(texts)
    assert np.isfinite(made).all()
    assert embedder.name.endswith(f":{SIZE}")


async def test_a_text_has_the_same_vector_alone_and_among_others(embedder: LocalEmbedder) -> None:
    texts = ["the dentist called", "x", "a longer note about the garden and the neighbours"]
    together = await embedder.embed(texts, task="document", timeout_s=60.0)
    alone = [(await embedder.embed([text], task="query", timeout_s=60.0))[0] for text in texts]
    assert np.allclose(together, alone, atol=1e-4)


async def test_questions_at_the_same_time_do_not_disturb_each_other(embedder: LocalEmbedder) -> None:
    made = await asyncio.gather(*(embedder.embed(["same words"], task="query", timeout_s=60.0) for _ in range(6)))
    assert all(np.allclose(one, other) for one, other in pairwise(made))


async def test_a_question_is_not_waited_for_beyond_its_time(embedder: LocalEmbedder) -> None:
    with pytest.raises(ModelBusy):
        await embedder.embed(["when"] * 64, task="query", timeout_s=0.0)
