"""Segments: cut at good places, hashed, never trusted without a check."""

import hashlib

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import UnknownId
from memory.messages import Message, ResultPart, text_message
from memory.recall.segments import MAX_CHARS, cut
from tests.memory.recall.conftest import Memory

PIECES = st.sampled_from(
    [
        "word ",
        "Ein Satz. ",
        "\n",
        "\n\n",
        "é",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "कि",
        "x" * 700,
        "\r\n",
        "a\u0301",
        "。",
        " \u0301",
        "語" * 50,
    ]
)


@given(st.lists(PIECES, min_size=0, max_size=400).map("".join))
def test_segments_joined_are_the_text_and_none_is_too_long(text: str) -> None:
    pieces = [text[start:stop] for start, stop in cut(text)]
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= MAX_CHARS for piece in pieces)


@settings(max_examples=40)
@given(st.lists(PIECES, min_size=100, max_size=400).map("".join))
def test_no_cut_falls_inside_a_character_as_people_see_it(text: str) -> None:
    borders = {found.end() for found in regex.finditer(r"\X", text)}
    assert all(stop in borders for _, stop in cut(text))


@pytest.mark.parametrize("border", [". ", "。", " "])
def test_no_border_parts_a_space_from_the_mark_upon_it(border: str) -> None:
    text = "x" * (MAX_CHARS - len(border)) + border + "\u0301" + "y" * MAX_CHARS
    assert MAX_CHARS not in [stop for _, stop in cut(text)]


def test_a_character_longer_than_a_segment_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * (2 * MAX_CHARS)
    assert sum(stop - start for start, stop in cut(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a b. " * 700 + "\n\n" + "c d\n" * 700, "\n\n"),
        ("a b. " * 700 + "c\n" + "d e. " * 700, "c\n"),
        ("a b c. " * 1000, ". "),
        ("一二三。" * 2000, "。"),
        ("word " * 1000, "word "),
    ],
)
def test_the_best_border_in_reach_is_taken(text: str, end: str) -> None:
    start, stop = next(cut(text))
    assert text[start:stop].endswith(end)


async def test_a_stored_message_is_cut_and_each_stretch_hashed(memory: Memory) -> None:
    text = "One paragraph. " * 300 + "\n\n" + "Another. " * 300
    message_id = await memory.say(text)
    segments = await memory.segments.of_messages([message_id])
    assert len(segments) > 1
    assert "".join(segment.text for segment in segments) == text
    assert [s.sha256 for s in segments] == [hashlib.sha256(s.text.encode()).hexdigest() for s in segments]
    assert [s.text for s in segments] == [text[s.start : s.stop] for s in segments]


async def test_tool_results_notices_and_blank_messages_have_no_segments(memory: Memory) -> None:
    result = ResultPart(call_id="c1", name="recall", response={"text": "old words"}, is_reference=True)
    messages = [
        Message(role="tool", parts=(result,), at=memory.clock.now()),
        text_message("notice", "Stop calling tools.", memory.clock.now(), origin="program"),
        text_message("user", " \n ", memory.clock.now()),
    ]
    async with memory.db.transaction():
        for message in messages:
            stored = await memory.sessions.append(message, session_id=None)
            assert await memory.segments.store(stored) == []


async def test_a_segment_whose_text_changed_behind_its_hash_is_not_returned(memory: Memory) -> None:
    message_id = await memory.say("The locker code is 4711.")
    (segment,) = await memory.segments.of_messages([message_id])
    async with memory.db.transaction():
        await memory.db.execute("UPDATE messages SET text = 'The locker code is 4712.'")
    assert await memory.segments.of_messages([message_id]) == []
    with pytest.raises(UnknownId):
        await memory.segments.segment(segment.id)


async def test_recutting_a_masked_message_keeps_its_segment_ids_and_says_why(memory: Memory) -> None:
    message_id = await memory.say("The locker code is 4711. " * 400)
    before = [segment.id for segment in await memory.segments.of_messages([message_id])]
    async with memory.db.transaction():
        await memory.db.execute("UPDATE messages SET text = 'The locker code is ⟦forgotten⟧.'")
        await memory.segments.recut(message_id, reason="forgotten")
    (segment,) = await memory.segments.of_messages([message_id])
    assert segment.id == before[0]
    assert segment.text == "The locker code is ⟦forgotten⟧."
    row = await memory.db.fetch_one("SELECT reason FROM segments")
    assert row is not None
    assert row["reason"] == "forgotten"
    assert await memory.found("4711") == []


async def test_an_erased_message_leaves_no_segment_and_no_term_behind(memory: Memory) -> None:
    await memory.say("I keep bees.")
    gone = await memory.say("The queen is called Zenobia.")
    await memory.say("They swarm in May.")
    assert "They swarm in May." in await memory.found("Zenobia")
    await memory.erase(gone)
    assert await memory.segments.of_messages([gone]) == []
    assert await memory.found("Zenobia") == []
    assert await memory.db.fetch_all("SELECT 1 FROM segment_terms WHERE body LIKE '%zenobia%'") == []
