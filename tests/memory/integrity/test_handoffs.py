"""What stands for talk that left the prompt is held against that talk, and what was forgotten of it is left out."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.integrity import examine_rows
from memory.messages import TextPart, text_message
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, says
from tests.memory.forget.world import QUOTE, World, everywhere, open_world

SUMMARY = (
    "The member told where boxes stand: box 1 in the cellar of house 501 and box 2 in the cellar of house 502, and the "
    "assistant understood each time."
)


@pytest.fixture
async def world(tmp_path: Path, clock: FakeClock) -> AsyncIterator[World]:
    async with open_world(tmp_path, clock) as opened:
        yield opened


async def told(world: World, *, summary: str | None = None) -> None:
    """Have a talk of which the first turns have left the prompt, for a summary or else for an excerpt."""
    for number in range(6):
        words = f"Box {number} stands in the cellar of house {500 + number} beside the jars of Mathilda."
        await world.turn(words, world.answer("Understood."))
    model = ScriptedModel([says(summary)]) if summary else None
    assert (await world.compactor(model).compact(1)).state == "done"
    assert await faults(world) == []


async def faults(world: World) -> list[tuple[str, str, int]]:
    return [(one.about, one.words, one.count) for one in await examine_rows(world.space.db, "ana", world.clock)]


async def damage(world: World, sql: str) -> None:
    async with world.space.db.transaction():
        assert (await world.space.db.execute(sql)).count


TOLD = ("handoffs", "handoffs tell what their window does not hold", 1)
EXCERPT: dict[str, tuple[str, tuple[str, str, int]]] = {
    "a number in an excerpt": ("UPDATE handoffs SET text = replace(text, 'house 502', 'house 777')", TOLD),
    "a word in an excerpt": ("UPDATE handoffs SET text = replace(text, 'cellar', 'garage')", TOLD),
    "a label's hash": (
        (
            "UPDATE handoffs SET text = replace(text, (SELECT substr(sha256, 1, 10) FROM segments WHERE id = 1),"
            " '0123456789')"
        ),
        TOLD,
    ),
    "what was open": (
        "UPDATE handoffs SET text = replace(text, 'Open then: nothing.', 'Open then: “When?” (m1)')",
        TOLD,
    ),
    "another's text": (
        "UPDATE handoffs SET text = replace(text, 'Handoff h1', 'Handoff h2')",
        ("handoffs", "handoffs are not in the form in which they were written", 1),
    ),
    "a manifest's entry": (
        "DELETE FROM manifest WHERE segment_id = 1",
        ("manifests", "manifests name another number of segments than their handoff says", 1),
    ),
    "a manifest's segment": (
        (
            "UPDATE manifest SET segment_id = (SELECT max(id) FROM segments), sha256 ="
            " (SELECT sha256 FROM segments ORDER BY id DESC LIMIT 1) WHERE segment_id = 1"
        ),
        ("manifests", "entries name segments from outside their window", 1),
    ),
    "the journal": (
        "UPDATE journal SET text = replace(text, 'house 502', 'house 777')",
        ("journal", "lines of the journal are not what was said", 1),
    ),
    "a speaker in the journal": (
        "UPDATE journal SET text = replace(text, 'member: Box 1', 'Olga: Box 1')",
        ("journal", "lines of the journal are not what was said", 1),
    ),
    "a pinned line": (
        "INSERT INTO pinned_lines (handoff_id, segment_id, text) VALUES (1, 1, '2 March 2027, s1: “the code is 7”')",
        ("handoffs", "pinned lines are not what was said", 1),
    ),
    "the order": (
        (
            "INSERT INTO handoffs (id, key, session_id, first_message_id, last_message_id, text, origin, window_chars,"
            " created_at) SELECT 0, 'k', session_id, last_message_id + 1, last_message_id + 1,"
            " 'Handoff h0: manifest h0 names 0 segments', 'excerpt', 1, created_at FROM handoffs"
        ),
        ("handoffs", "pairs of handoffs are out of order", 1),
    ),
}


@pytest.mark.parametrize("what", EXCERPT)
async def test_what_was_edited_is_named(world: World, what: str) -> None:
    sql, expected = EXCERPT[what]
    await told(world)

    await damage(world, sql)

    assert expected in await faults(world)


@pytest.mark.parametrize("invented", ["house 503 for 4,000", "house 503 on 7 May", "house 503 of Rebecca"])
async def test_what_a_summary_invents_is_named(world: World, invented: str) -> None:
    await told(world, summary=SUMMARY)
    assert "The member told" in (await world.space.handoffs.handoff(1)).text

    await damage(world, f"UPDATE handoffs SET text = replace(text, 'house 502', '{invented}')")

    assert await faults(world) == [TOLD]


async def test_a_pinned_line_in_the_words_of_its_segment_is_well(world: World) -> None:
    await told(world)
    await damage(
        world,
        "INSERT INTO pinned_lines (handoff_id, segment_id, text)"
        " VALUES (1, 1, '2 March 2027, s1: “…cellar of house 500 beside the jars…”')",
    )

    assert await faults(world) == []


async def test_what_was_edited_by_the_member_after_the_handoff_is_well(world: World) -> None:
    await told(world)
    first = await world.space.sessions.message(1)
    async with world.space.db.transaction():
        edit = first.model_copy(update={"parts": (TextPart(text="Box 0 is gone."),), "id": None, "source": None})
        stored = await world.space.sessions.append(edit, session_id=1, turn_id=1, replaces=1)
        await world.space.segments.store(stored)

    assert await faults(world) == []


@pytest.mark.parametrize("ref", ["f1", "m3", "t2"])
async def test_what_was_forgotten_is_no_damage(world: World, ref: str) -> None:
    await everywhere(world)
    async with world.space.db.transaction():
        await world.space.db.execute(
            "UPDATE pinned_lines SET segment_id = (SELECT id FROM segments WHERE message_id=3)"
        )
        await world.space.db.execute("UPDATE pinned_lines SET text = ?", (f"2 March: “{QUOTE}”",))
    before = await faults(world)

    await world.forget(ref)

    assert before == []
    assert await faults(world) == []


async def test_what_others_said_in_a_group_is_theirs(world: World) -> None:
    for number in range(6):
        async with world.space.db.transaction():
            turn = await world.space.sessions.begin_turn()
            words = f"Box {number}: it stands in the cellar of house {500 + number}: beside the jars."
            said = text_message("user", words, world.clock.now()).model_copy(update={"author": "Olga: the Great"})
            stored = await world.space.sessions.append(said, session_id=turn.session_id, turn_id=turn.id)
            await world.space.segments.store(stored)
            await world.space.sessions.end_turn(turn.id, "failed", error="GaveUp")
        world.clock.advance(60)
    await world.compact()

    assert "Olga: the Great: Box 1" in (await world.space.journal.text(world.clock.now().date()))
    assert await faults(world) == []
