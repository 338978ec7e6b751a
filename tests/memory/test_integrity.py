"""Integrity: every kind of damage is named, what is derived is made anew, and words and hashes are left alone."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.compaction.compactor import Compactor
from memory.integrity import Fault, examine, rebuild
from memory.ledger.facts import Statement
from memory.messages import CallPart, Message, ResultPart, TextPart, text_message
from memory.space import Space
from memory.store.jobs import EXTRACT
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")


@asynccontextmanager
async def memory(folder: Path, clock: FakeClock) -> AsyncIterator[Space]:
    """Open a memory that holds some of everything: turns, tools, facts, handoffs, a journal, a stored result."""
    space = await Space.open(folder / "local", default_zone=ZONE, clock=clock, backups=folder / "backups")
    try:
        for number in range(8):
            await _turn(space, clock, number)
        compactor = Compactor(
            *(space.db, space.sessions, space.handoffs, space.segments, space.recall, space.journal, space.media),
            model=None,
            clock=clock,
            zone=ZONE,
            threshold_tokens=300,
            keep_turns=2,
            recall_tokens=900,
        )
        assert (await compactor.compact(1)).state == "done"
        await _turn(space, clock, 9)
        yield space
    finally:
        await space.close()


async def _turn(space: Space, clock: FakeClock, number: int) -> None:
    words = f"Box number {number} stands in the cellar of house {number + 500} beside the jars of Aunt Mathilda."
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        source = 0
        parts = {
            "user": TextPart(text=words),
            "model": CallPart(call_id=f"c{number}", name="clock"),
            "tool": ResultPart(call_id=f"c{number}", name="clock", response={"output": "noon"}),
        }
        for role, part in parts.items():
            message = Message.model_validate({"role": role, "parts": (part,), "at": clock.now()})
            stored = await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
            await space.segments.store(stored)
            source = source or stored.id or 0
        answer = text_message("model", f"Box {number} is noted.", clock.now(), origin="model")
        await space.segments.store(await space.sessions.append(answer, session_id=turn.session_id, turn_id=turn.id))
        await space.sessions.end_turn(turn.id, "done")
        await space.media.put(words.encode(), "text/plain")
        await space.facts.add(
            Statement(
                kind="entity",
                subject=f"box {number}",
                value=f"house {number + 500}",
                quote=words[:-1],
                question=f"Where is box {number}?",
                patterns=(str(number + 500),),
                since=clock.now(),
                message_id=source,
            )
        )
    clock.advance(60)


async def found(space: Space, clock: FakeClock) -> list[Fault]:
    return await examine(space.db, space.folder, clock)


async def damage(space: Space, *statements: str) -> None:
    async with space.db.transaction():
        for statement in statements:
            await space.db.execute(statement)


async def test_a_whole_memory_has_no_fault(tmp_path: Path, clock: FakeClock) -> None:
    async with memory(tmp_path, clock) as space:
        assert await found(space, clock) == []


DERIVED = {
    "a segment missing from the index": ("DELETE FROM segment_terms WHERE segment_id = 2",),
    "terms of an older normaliser": ("UPDATE segment_terms SET normaliser = 0 WHERE segment_id = 3",),
    "terms of other words": ("UPDATE segment_terms SET body = 'something else' WHERE segment_id = 3",),
    "a full-text row too few": (
        (
            "INSERT INTO segments_fts (segments_fts, rowid, body, speaker, date)"
            " SELECT 'delete', segment_id, body, speaker, date FROM segment_terms WHERE segment_id = 4"
        ),
    ),
    "a full-text row of other words": (
        "INSERT INTO segments_fts (rowid, body, speaker, date) VALUES (9999, 'ghost', '', '')",
    ),
    "an index row of a replaced message": (
        (
            "INSERT INTO messages"
            " (session_id, turn_id, replaces, role, origin, at, stored_at, text, body, body_version)"
            " SELECT session_id, turn_id, id, role, origin, at, stored_at, '', '[]', '1' FROM messages WHERE id = 1"
        ),
    ),
    "a fact without its terms": ("DELETE FROM fact_terms WHERE fact_id = 2",),
    "a fact with the terms of another": ("UPDATE fact_terms SET term = 'ghost' WHERE fact_id = 2 AND term = 'mathil'",),
}


@pytest.mark.parametrize("what", DERIVED)
async def test_what_is_derived_is_named_and_made_anew(tmp_path: Path, clock: FakeClock, what: str) -> None:
    async with memory(tmp_path, clock) as space:
        before = await space.db.fetch_all("SELECT id, sha256 FROM segments")
        await damage(space, *DERIVED[what])
        faults = await found(space, clock)
        assert [fault.about for fault in faults if fault.can_be_rebuilt] != []
        assert all(fault.about == "index" for fault in faults)

        await rebuild(space)

        assert await found(space, clock) == []
        assert await space.db.fetch_all("SELECT id, sha256 FROM segments") == before


async def test_a_vector_of_another_length_and_the_trace_of_one_that_is_gone_are_made_anew(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with memory(tmp_path, clock) as space:
        await damage(
            space,
            "INSERT INTO vectors (segment_id, text_sha256, vector)"
            " SELECT segment_id, x'00', zeroblob(CASE segment_id WHEN 3 THEN 2 ELSE 8 END) FROM segment_terms",
        )
        with closing(sqlite3.connect(space.folder / "memory.db")) as unchecked, unchecked:
            unchecked.execute("INSERT INTO vector_sources (source_id, segment_id) VALUES (1, 9999)")
        faults = await found(space, clock)
        assert [(fault.about, fault.count, fault.can_be_rebuilt) for fault in faults] == [
            ("index", 1, True),
            ("vectors", 1, True),
        ]

        await rebuild(space)

        assert await found(space, clock) == []
        due = await space.db.fetch_all("SELECT segment_id FROM vectors_due")
        assert [row[0] for row in due] == [3]


BEYOND = {
    "segments": (("UPDATE messages SET text = replace(text, 'Box', 'Fox'), body = replace(body, 'Box', 'Fox')"
                 " WHERE id = 1"), "UPDATE segments SET stop = stop - 3 WHERE id = 4"),
    "messages": ("UPDATE messages SET body = '[{\"kind\": \"text\", \"text\": \"other\"}]' WHERE id = 5",
                 "UPDATE messages SET body = 'not json' WHERE id = 6"),
    "tools": ("UPDATE messages SET body = '[]' WHERE id = 3",),
    "manifests": ("UPDATE manifest SET sha256 = 'beef' WHERE segment_id = 2",),
    "handoffs": ("UPDATE handoffs SET last_message_id = 99999",),
    "facts": ("UPDATE facts SET quote = 'words nobody said' WHERE id = 1",),
}  # fmt: skip


@pytest.mark.parametrize("about", BEYOND)
async def test_what_cannot_be_rebuilt_is_named_and_left_as_it_is(tmp_path: Path, clock: FakeClock, about: str) -> None:
    async with memory(tmp_path, clock) as space:
        await damage(space, *BEYOND[about])
        faults = await found(space, clock)
        own = [fault for fault in faults if fault.about == about]
        assert own
        assert not any(fault.can_be_rebuilt for fault in own)

        await rebuild(space)

        assert [fault for fault in await found(space, clock) if fault.about == about] == own


async def test_a_file_that_is_gone_or_changed_is_named(tmp_path: Path, clock: FakeClock) -> None:
    async with memory(tmp_path, clock) as space:
        first, second, *_ = sorted((space.folder / "media").iterdir())
        first.unlink()
        second.write_bytes(b"other")

        assert {(fault.about, fault.count) for fault in await found(space, clock)} == {("media", 1)}
        assert len(await found(space, clock)) == 2


async def test_a_job_that_waits_for_more_than_a_day_is_named(tmp_path: Path, clock: FakeClock) -> None:
    async with memory(tmp_path, clock) as space:
        async with space.db.transaction():
            await space.jobs.add(EXTRACT, "extract:1", {"message": 1})
        assert await found(space, clock) == []
        clock.advance(timedelta(days=1, minutes=1).total_seconds())

        assert [fault.about for fault in await found(space, clock)] == ["jobs"]


async def test_forgotten_words_are_no_damage(tmp_path: Path, clock: FakeClock) -> None:
    async with memory(tmp_path, clock) as space:
        async with space.db.transaction():
            body = '[{"kind": "text", "text": "⟦forgotten⟧"}]'
            await space.db.execute("UPDATE messages SET text = '⟦forgotten⟧', body = ? WHERE id = 1", (body,))
            await space.segments.recut(1, reason="forgotten")
            await space.db.execute("UPDATE facts SET status = 'forgotten', quote = '' WHERE message_id = 1")
            await space.db.execute(
                "UPDATE manifest SET sha256 = (SELECT sha256 FROM segments WHERE id = segment_id) WHERE segment_id = 1"
            )

        assert await found(space, clock) == []
