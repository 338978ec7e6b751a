"""Integrity: every kind of damage is named, what is derived is made anew, and words and hashes are left alone."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.integrity import examine_media, rebuild
from memory.space import Space
from memory.store.jobs import EXTRACT
from tests.fakes.clock import FakeClock
from tests.memory.integrity.world import ZONE, damage, found, memory


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


async def test_vectors_that_are_not_of_their_words_are_made_anew(tmp_path: Path, clock: FakeClock) -> None:
    async with memory(tmp_path, clock) as space:
        while await space.vectors.fill():
            pass
        assert await found(space, clock) == []
        await damage(
            space,
            "UPDATE vectors SET vector = zeroblob(2) WHERE segment_id = 3",
            "UPDATE vectors SET text_sha256 = zeroblob(32) WHERE segment_id = 4",
            "DELETE FROM vectors WHERE segment_id = 5",
            "DELETE FROM vectors_due WHERE segment_id = 5",
        )
        with closing(sqlite3.connect(space.folder / "memory.db")) as unchecked, unchecked:
            unchecked.execute("INSERT INTO vector_sources (source_id, segment_id) VALUES (1, 9999)")
        faults = await found(space, clock)
        assert [(fault.about, fault.count, fault.words) for fault in faults if fault.can_be_rebuilt] == [
            ("index", 1, "derived rows name others that are not there"),
            ("vectors", 1, "segments have neither a vector nor a place in the queue for one"),
            ("vectors", 1, "vectors have another length than their embedder's"),
            ("vectors", 1, "vectors were made of other words"),
        ]

        await rebuild(space)

        assert await found(space, clock) == []
        due = await space.db.fetch_all("SELECT segment_id FROM vectors_due")
        assert {3, 4, 5} <= {row[0] for row in due}


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

        assert {(fault.about, fault.count) for fault in await examine_media(space)} == {("media", 1)}
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


async def test_a_copy_that_is_opened_as_it_is_shows_its_damage(tmp_path: Path, clock: FakeClock) -> None:
    async with memory(tmp_path, clock) as space:
        await damage(space, "DELETE FROM segment_terms WHERE segment_id = 2")
    where: dict[str, Any] = {"default_zone": ZONE, "clock": clock, "backups": tmp_path / "backups"}
    seen = []
    for as_it_is in (True, False):
        again = await Space.open(tmp_path / "local", **where, as_it_is=as_it_is)
        seen.append([fault.about for fault in await found(again, clock)])
        await again.close()

    assert seen == [["index"], []]
