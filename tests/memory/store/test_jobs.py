"""Background work as rows: queued once, in order, cool-downs that survive a restart."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.messages import text_message
from memory.store.database import Database
from memory.store.jobs import JobStore
from memory.store.media import MediaStore
from memory.store.sessions import SessionStore
from tests.fakes.clock import FakeClock


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "m.db", "memory", clock=FakeClock(), backups=tmp_path)
    yield database
    await database.close()


async def test_the_same_work_is_queued_once_even_after_it_was_done(db: Database) -> None:
    jobs = JobStore(db, FakeClock())
    async with db.transaction():
        assert await jobs.add("extract", "extract:1", {"message": 1})
        job = await jobs.next_ready()
        assert job is not None
        await jobs.finish(job.id)
        assert not await jobs.add("extract", "extract:1", {"message": 1})
    assert await jobs.next_ready() is None


async def test_a_postponed_job_waits_for_its_time(db: Database) -> None:
    clock = FakeClock()
    jobs = JobStore(db, clock)
    later = clock.now() + timedelta(minutes=1)
    async with db.transaction():
        await jobs.add("compact", "compact:1", {})
        job = await jobs.next_ready()
        assert job is not None
        await jobs.postpone(job.id, later, "ModelBusy", attempts=1)
    assert await jobs.next_ready() is None
    assert await jobs.next_time() == later
    clock.advance(61)
    job = await jobs.next_ready()
    assert job is not None
    assert job.attempts == 1


async def test_work_on_a_message_waits_for_the_end_of_its_turn_and_for_no_time(db: Database) -> None:
    clock = FakeClock()
    jobs, sessions = JobStore(db, clock), SessionStore(db, clock)
    async with db.transaction():
        turn = await sessions.begin_turn()
        said = text_message("user", "The door code is 4711.", clock.now())
        stored = await sessions.append(said, session_id=turn.session_id, turn_id=turn.id)
        await jobs.add("extract", "extract:1", {"message": stored.id or 0})
        assert await jobs.next_ready() is None
        await jobs.rest("extract", clock.now())
        assert await jobs.next_time() is None
        await jobs.add("compact", "compact:1", {"session": turn.session_id})
        other = await jobs.next_ready()
        assert other is not None
        assert other.kind == "compact"
        await jobs.finish(other.id)
        await sessions.end_turn(turn.id, "failed")
    assert await jobs.next_time() == clock.now()
    job = await jobs.next_ready()
    assert job is not None
    assert job.kind == "extract"


async def test_messages_whose_facts_are_still_to_be_read_are_named(db: Database) -> None:
    jobs = JobStore(db, FakeClock())
    async with db.transaction():
        await jobs.add("extract", "extract:1", {"message": 1})
        await jobs.add("remembered", "extract:5", {"message": 5})
        await jobs.add("extract", "extract:9", {"message": 9})
        await jobs.add("compact", "compact:1", {"session": 1})
        await jobs.finish(3)
    assert await jobs.waiting_reads() == {1: 1, 5: 2}


async def test_media_are_read_back_by_hash_and_found_by_a_unique_prefix(db: Database, tmp_path: Path) -> None:
    media = MediaStore(db, tmp_path / "media", FakeClock())
    async with db.transaction():
        part = await media.put(b"bytes", "image/png", name="a.png")
    assert media.read(part.sha256) == b"bytes"
    assert await media.find(part.sha256[:8].upper()) == part.sha256
    assert await media.find("0000") is None
    assert media.read("0" * 64) is None
    assert [path.name for path in (tmp_path / "media").iterdir()] == [part.sha256]
