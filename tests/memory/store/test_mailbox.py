"""Arrival and delivery as rows: an entry counts once, a message counts as delivered once it was named."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.store.database import Database
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import Mailbox
from memory.store.sessions import SessionStore
from tests.fakes.clock import FakeClock


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "m.db", "memory", clock=FakeClock(), backups=tmp_path)
    yield database
    await database.close()


@pytest.fixture
def mailbox(db: Database) -> Mailbox:
    return Mailbox(db, FakeClock())


def entry(source: str = "tg:1:1", text: str = "hello") -> Entry:
    return Entry(source=source, kind="message", text=text, at=FakeClock().now(), chat_id=5, message_id=9)


async def test_an_entry_that_comes_again_counts_once_even_after_it_was_dealt_with(
    db: Database, mailbox: Mailbox
) -> None:
    async with db.transaction():
        assert await mailbox.receive(entry())
        assert not await mailbox.receive(entry())
    (waiting,) = await mailbox.waiting()
    assert (waiting.entry, waiting.entry.place) == (entry(), "tg:5:9")
    async with db.transaction():
        await mailbox.finish(waiting.id)
        assert not await mailbox.receive(entry())
    assert await mailbox.waiting() == []


async def test_an_entry_that_was_dealt_with_leaves_no_text_in_the_inbox(db: Database, mailbox: Mailbox) -> None:
    async with db.transaction():
        await mailbox.receive(entry(text="canary"))
        (waiting,) = await mailbox.waiting()
        await mailbox.finish(waiting.id)
    rows = await db.fetch_all("SELECT body FROM inbox")
    assert [row["body"] for row in rows] == [None]


async def test_an_entry_that_is_given_to_a_turn_is_done_when_the_turn_is(db: Database, mailbox: Mailbox) -> None:
    async with db.transaction():
        await mailbox.receive(entry())
        await db.execute("INSERT INTO sessions (id, started_at) VALUES (1, '')")
        await db.execute("INSERT INTO turns (id, session_id, state, started_at) VALUES (7, 1, 'running', '')")
        await mailbox.take_source("tg:1:1", 7)
    assert [row.turn_id for row in await mailbox.waiting()] == [7]
    async with db.transaction():
        await mailbox.finish_turn(7)
    assert await mailbox.waiting() == []


async def test_entries_wait_in_order_of_arrival(db: Database, mailbox: Mailbox) -> None:
    async with db.transaction():
        for number in range(3):
            await mailbox.receive(entry(f"tg:1:{number}", str(number)))
    assert [row.entry.text for row in await mailbox.waiting()] == ["0", "1", "2"]


async def test_the_same_message_is_queued_once(db: Database, mailbox: Mailbox) -> None:
    async with db.transaction():
        assert await mailbox.post("receipt:1", Outgoing(text="saved"))
        assert not await mailbox.post("receipt:1", Outgoing(text="saved"))
    assert len(await mailbox.undelivered()) == 1


async def test_a_message_is_undelivered_until_it_has_a_place(db: Database, mailbox: Mailbox) -> None:
    async with db.transaction():
        await mailbox.post("a", Outgoing(text="hello"))
    (row,) = await mailbox.undelivered()
    async with db.transaction():
        await mailbox.mark_sending(row.id)
    (row,) = await mailbox.undelivered()
    assert (row.state, row.attempts) == ("sending", 1)
    async with db.transaction():
        await mailbox.mark_sent(row.id, "tg:5:10")
    assert await mailbox.undelivered() == []


async def test_a_postponed_message_names_its_time(db: Database, mailbox: Mailbox) -> None:
    later = FakeClock().now() + timedelta(seconds=149)
    async with db.transaction():
        await mailbox.post("a", Outgoing(text="hello"))
        (row,) = await mailbox.undelivered()
        await mailbox.postpone(row.id, later, "retry_after")
    (row,) = await mailbox.undelivered()
    assert (row.state, row.not_before) == ("waiting", later)


async def test_a_streamed_message_is_completed_in_its_place(db: Database, mailbox: Mailbox) -> None:
    sessions = SessionStore(db, FakeClock())
    async with db.transaction():
        turn = await sessions.begin_turn()
        row = await mailbox.begin_stream("turn:1:0", Outgoing(text="The"), turn_id=turn.id)
        await mailbox.mark_place(row.id, "tg:5:11")
    assert await mailbox.undelivered() == []
    async with db.transaction():
        assert await mailbox.end_stream("turn:1:0", Outgoing(text="The end"))
    (row,) = await mailbox.undelivered()
    assert (row.message.text, row.place) == ("The end", "tg:5:11")
    assert await mailbox.turn_at("tg:5:11") == turn.id
