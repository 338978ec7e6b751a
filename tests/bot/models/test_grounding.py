"""A search goes out with the provider's own tool, and its sources come back in their places."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.models.gemini import GeminiModel
from bot.models.grounding import with_sources
from memory.ports import Source
from tests.bot.models.talk import ask, user
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import parts, say

TEXT = "Die Fähre fährt um 9:15. Hunde fahren frei."
CHUNKS = [
    {"web": {"uri": "https://harbour.example/times", "title": "harbour.example"}},
    {"web": {"title": "no address"}},
    {"retrievedContext": {"uri": "https://elsewhere.example/"}},
    {"web": {"uri": "https://dogs.example/"}},
]
HARBOUR = Source("harbour.example", "https://harbour.example/times")
DOGS = Source("https://dogs.example/", "https://dogs.example/")


def support(words: str, *places: int) -> dict[str, Any]:
    """Return what says that these first words rest on chunks: places are counted in bytes."""
    return {"segment": {"endIndex": len(words.encode()), "text": words}, "groundingChunkIndices": list(places)}


def test_sources_are_numbered_and_stand_behind_what_they_say() -> None:
    supports = [support("Die Fähre fährt um 9:15.", 0, 3), support(TEXT, 3, 1)]

    text, sources = with_sources(TEXT, {"groundingChunks": CHUNKS, "groundingSupports": supports})

    assert sources == (HARBOUR, DOGS)
    assert text == "Die Fähre fährt um 9:15. [1][2] Hunde fahren frei. [2]"


@pytest.mark.parametrize(
    "grounding",
    [
        {},
        {"groundingChunks": None, "groundingSupports": None},
        {"groundingChunks": "x", "groundingSupports": [1, None]},
        {"groundingChunks": [None, {}, {"web": None}], "groundingSupports": [{}, {"segment": None}]},
        {"groundingSupports": [support(TEXT, 0, 99)]},
        {"groundingChunks": [], "groundingSupports": [{"segment": {"endIndex": "x"}, "groundingChunkIndices": [0]}]},
    ],
)
def test_an_answer_without_sources_stays_as_it_is(grounding: dict[str, Any]) -> None:
    assert with_sources(TEXT, grounding) == (TEXT, ())


@example(text="ä\ud800", ends=[1, 4, 5])
@given(text=st.text(max_size=30), ends=st.lists(st.integers(-5, 200), max_size=5))
def test_no_word_is_lost_wherever_sources_are_said_to_stand(text: str, ends: list[int]) -> None:
    supports = [{"segment": {"endIndex": end}, "groundingChunkIndices": [0]} for end in ends]

    marked, _ = with_sources(text, {"groundingChunks": CHUNKS, "groundingSupports": supports})

    assert marked.replace(" [1]", "") == text.replace(" [1]", "")


async def test_a_search_is_asked_with_the_providers_own_tool_alone(fake: FakeGemini, model: GeminiModel) -> None:
    grounding = {"groundingChunks": CHUNKS, "groundingSupports": [support("At 9:15.", 0)]}
    fake.script(parts({"text": "At "}, {"text": "9:15."}, groundingMetadata=grounding), task="web")

    reply = await model.generate(ask(user("ferry Lindau"), task="web", searches=True))

    assert (reply.text, reply.sources) == ("At 9:15. [1]", (HARBOUR, DOGS))
    (request,) = fake.of_task("web")
    assert request.body["tools"] in ([{"googleSearch": {}}], [{"google_search": {}}])
    assert request.model == "gemini-3.5-flash-lite"
    fake.assert_all_accepted()


async def test_no_other_request_searches(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(say("Hello."))

    reply = await model.generate(ask(user("hello")))

    assert reply.sources == ()
    assert "tools" not in fake.requests[0].body
