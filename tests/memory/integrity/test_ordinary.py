"""A large memory in which all happened that happens in a life raises nothing: a false alarm would be read once only."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.importing import Importer, read_lines
from memory.integrity import examine_rows
from memory.messages import MediaPart, Message, TextPart
from memory.store.instructions import Instructions
from memory.store.journal import JournalEntry
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, says
from tests.memory.probe.world import World, open_world

PLACES = ("cellar", "attic", "garage", "garden shed", "larder", "study")
SUMMARY = (
    "The member told in which house which box stands, and the assistant understood each time; later they talked about "
    "the boxes again."
)


@pytest.fixture
async def world(tmp_path: Path, clock: FakeClock) -> AsyncIterator[World]:
    async with open_world(tmp_path, clock) as opened:
        yield opened


async def words(world: World) -> list[str]:
    found = await examine_rows(world.space.db, "ana", world.clock, tombstones=world.tombstones)
    return [one.line() for one in found]


async def month(world: World, number: int) -> None:
    """Live a month: talk, facts that change, an edit, a failed turn, a photo, a handoff, a forgetting."""
    first = await world.turn("Good morning! Thanks.", world.answer("Good morning."))
    for n in range(12):
        box = 100 * number + n
        await world.says(f"Box {box} stands in the {PLACES[n % 6]} of house {box + 500}; Mathilda has its key.")
    moved = await world.tell(
        f"The rehearsal room is in house {700 + number}",
        *("rehearsal room", f"house {700 + number}"),
        question="Where is the rehearsal room?",
    )
    await world.tell(
        "Report: tomorrow at 10:30, not later",
        *(f"report {number}", "tomorrow at 10:30"),
        question=f"When is report {number} due?",
        kind="deadline",
    )
    secret = await world.tell(
        f"The garden gate opens with plum-{number}",
        *(f"garden gate {number}", f"plum-{number}"),
        question=f"What opens gate {number}?",
    )
    await _edit(world, moved.message_id or 0, f"The rehearsal room is in house {800 + number}, not {700 + number}")
    await _failed_turn(world)
    model = ScriptedModel([says(SUMMARY)]) if number % 2 else None
    await world.compactor(model).compact(1)
    await world.forget(secret.ref if number % 3 else f"t{first}")
    if number == 2:
        async with world.space.db.transaction():
            await world.space.facts.retract(moved.id, at=world.clock.now())
    world.clock.advance(timedelta(days=28).total_seconds())


async def _edit(world: World, message_id: int, text: str) -> None:
    space = world.space
    old = await space.sessions.message(message_id)
    async with space.db.transaction():
        new = old.model_copy(update={"parts": (TextPart(text=text),), "source": None, "id": None})
        session = await space.sessions.session_of(message_id)
        stored = await space.sessions.append(new, session_id=session, turn_id=old.turn_id, replaces=message_id)
        await space.segments.store(stored)


async def _failed_turn(world: World) -> None:
    space = world.space
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        kept = await space.media.put(b"a photo", "image/jpeg")
        photo = MediaPart(sha256=kept.sha256, mime_type="image/jpeg", size=kept.size)
        message = Message(role="user", parts=(photo,), at=world.clock.now(), author="Ana")
        await space.segments.store(await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id))
        await space.sessions.end_turn(turn.id, "failed", error="ModelBusy")
    world.clock.advance(60)


async def _import(world: World) -> None:
    """Take in an older talk, and a fact from it."""
    lines = [
        json.dumps({"at": f"2019-05-{day:02} 10:00", "role": role, "text": f"In 2019 the boat number {day} was blue."})
        for day in range(1, 29)
        for role in ("user", "model")
    ]
    space = world.space
    await Importer(space.db, space.sessions, space.segments).store(
        read_lines(lines, space.zone),
        redact=lambda text: text,
        is_forgotten=_nothing,
        on_stored=lambda count: None,
    )
    (row,) = await space.db.fetch_all("SELECT max(id) AS id FROM messages WHERE role = 'user'")
    await world.tell(
        "In 2019 the boat number 28 was blue.", "boat 28", "blue", question="Which colour?", message_id=row["id"]
    )


async def _nothing(message: Message) -> bool:
    return False


async def test_a_long_ordinary_life_raises_nothing(world: World) -> None:
    await _import(world)
    async with world.space.db.transaction():
        await world.space.procedures.teach(Instructions("bins", "Monday", ("put them out",)), by="Ana", by_id=1)
        await world.space.journal.add(
            JournalEntry(world.clock.now().date(), world.clock.now(), "A note of an old form.")
        )
    for number in range(1, 7):
        await month(world, number)
        assert await words(world) == [], f"month {number}"

    handoffs = await world.space.db.fetch_all("SELECT origin FROM handoffs")
    assert {row["origin"] for row in handoffs} == {"summary", "excerpt"}
    assert len(await world.space.facts.active()) > 4
    assert (await world.space.db.fetch_all("SELECT count(*) FROM messages"))[0][0] > 150
