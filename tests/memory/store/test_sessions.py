"""The transcript: append-only, in order, each source once, each turn accounted for."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.errors import UnknownId
from memory.messages import CallPart, Message, TextPart, text_message
from memory.ports import Usage
from memory.store.database import Database
from memory.store.sessions import SessionStore, TraceItem
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    await lay_blank(tmp_path / "m.db")
    database = await Database.open(tmp_path / "m.db", "memory", clock=FakeClock(), backups=tmp_path)
    yield database
    await database.close()


@pytest.fixture
def sessions(db: Database) -> SessionStore:
    return SessionStore(db, FakeClock())


def said(text: str, source: str | None = None) -> Message:
    return text_message("user", text, FakeClock().now(), source=source)


async def test_a_message_comes_back_as_it_was_stored(db: Database, sessions: SessionStore) -> None:
    parts = (TextPart(text="I look", signature=b"\x00\xff"), CallPart(call_id="1", name="recall", args={"a": None}))
    message = Message(role="model", parts=parts, at=FakeClock().now(), origin="model", author="Rem", source="x")
    async with db.transaction():
        turn = await sessions.begin_turn()
        stored = await sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
    assert await sessions.message(stored.id or 0) == stored
    assert stored.parts == parts


async def test_a_source_is_stored_once(db: Database, sessions: SessionStore) -> None:
    async with db.transaction():
        await sessions.append(said("hello", "tg:1:1"), session_id=await sessions.current_session())
    with pytest.raises(sqlite3.IntegrityError):
        async with db.transaction():
            await sessions.append(said("hello", "tg:1:1"), session_id=await sessions.current_session())


async def test_only_one_turn_runs_at_a_time(db: Database, sessions: SessionStore) -> None:
    async with db.transaction():
        await sessions.begin_turn()
    with pytest.raises(sqlite3.IntegrityError):
        async with db.transaction():
            await sessions.begin_turn()


async def test_a_turn_keeps_its_block_until_it_ends_and_its_trace_for_good(
    db: Database, sessions: SessionStore
) -> None:
    trace = [TraceItem("ledger", "f1", 12), TraceItem("time", "now", 3)]
    async with db.transaction():
        turn = await sessions.begin_turn()
        await sessions.keep_block(turn.id, "Now: …", trace)
    assert (await sessions.turn(turn.id)).block == "Now: …"
    async with db.transaction():
        await sessions.end_turn(turn.id, "done")
    ended = await sessions.turn(turn.id)
    assert (ended.state, ended.block) == ("done", None)
    assert await sessions.trace(turn.id) == trace


async def test_an_edit_stands_at_the_place_of_the_first_version(db: Database, sessions: SessionStore) -> None:
    async with db.transaction():
        session = await sessions.current_session()
        first = await sessions.append(said("the 12th"), session_id=session, place="tg:1:5")
        await sessions.append(said("thanks"), session_id=session)
        second = await sessions.append(said("the 21st"), session_id=session, place="tg:1:5", replaces=first.id)
        await sessions.append(said("the 22nd"), session_id=session, place="tg:1:5", replaces=second.id)
    assert [message.text for message in await sessions.tail(session)] == ["the 22nd", "thanks"]
    newest = await sessions.message_at("tg:1:5")
    assert newest is not None
    assert newest.text == "the 22nd"


async def test_a_new_session_has_an_empty_tail_and_the_old_one_keeps_its_own(
    db: Database, sessions: SessionStore
) -> None:
    async with db.transaction():
        old = await sessions.current_session()
        await sessions.append(said("before"), session_id=old)
        new = await sessions.start_session()
    assert await sessions.current_session() == new != old
    assert await sessions.tail(new) == []
    assert [message.text for message in await sessions.tail(old)] == ["before"]


async def test_imported_messages_are_in_no_tail(db: Database, sessions: SessionStore) -> None:
    async with db.transaction():
        session = await sessions.current_session()
        await sessions.append(said("long ago", "import:1"), session_id=None)
    assert await sessions.tail(session) == []


async def test_the_exchange_before_a_message_holds_words_only(db: Database, sessions: SessionStore) -> None:
    call = Message(role="model", parts=(CallPart(call_id="1", name="clock"),), at=FakeClock().now(), origin="model")
    async with db.transaction():
        session = await sessions.current_session()
        for message in (said("one"), said("two"), call, text_message("notice", "note", FakeClock().now())):
            await sessions.append(message, session_id=session)
        last = await sessions.append(said("three"), session_id=session)
    assert [message.text for message in await sessions.exchange_before(last.id or 0, 1)] == ["two"]


async def test_usage_of_the_last_chat_call_is_the_turns_prompt_size(db: Database, sessions: SessionStore) -> None:
    async with db.transaction():
        turn = await sessions.begin_turn()
        await sessions.record_usage(Usage(prompt_tokens=900), task="chat", model="gemini-x", turn_id=turn.id)
        await sessions.record_usage(Usage(prompt_tokens=5), task="extract", model="lite", turn_id=turn.id)
    stored = await sessions.turn(turn.id)
    assert (stored.model, stored.prompt_tokens) == ("gemini-x", 900)


async def test_an_unknown_id_is_named(sessions: SessionStore) -> None:
    with pytest.raises(UnknownId, match="m7"):
        await sessions.message(7)
    with pytest.raises(UnknownId, match="t7"):
        await sessions.turn(7)
