"""What cannot be taken up or sent: three tries, a clear word to the member, and what stands behind it goes on."""

import json
import logging
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.turn.agent import GAVE_UP
from bot.turn.answer import Answer
from bot.turn.entries import NOT_TAKEN_UP, Entries
from bot.turn.screen import DeliveryFault
from memory.errors import StorageFull, StorageInTrouble, Unreadable
from memory.ports import ModelReply, ModelRequest, OnText
from memory.space import Space
from memory.store.database import Row
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import UNREADABLE, OutRow
from tests.bot.turn.house import House, TaskModel, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import says
from tests.fakes.screen import FakeScreen

TOO_LATE = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
"""A moment that has no local date in Berlin."""


class Killed(BaseException):
    """Ends the process: nothing of ours catches it."""


class Breaks:
    """Commands that raise what a test says, one after the other, and then answer."""

    def __init__(self, *errors: BaseException) -> None:
        self._errors = list(errors)

    async def answer(self, entry: Entry) -> Answer:
        if self._errors:
            raise self._errors.pop(0)
        return Answer("answered")


class BreaksAtOne(FakeScreen):
    """Cannot send the message with one text."""

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        if row.message.text == "poison":
            raise ValueError("no such form")
        return await super().deliver(row, is_repeat=is_repeat)


def answers(request: ModelRequest) -> ModelReply:
    return says(f"reply to {next(m.text for m in reversed(request.messages) if m.role == 'user')[:20]}")


class Answers(TaskModel):
    """Answers as often as it is asked."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        return answers(request) if request.task == "chat" else await super().generate(request)


async def inbox(space: Space) -> list[Row]:
    return await space.db.fetch_all("SELECT state, attempts, error, body FROM inbox ORDER BY id")


async def put(h: House, body: str | None, *, kind: str = "message") -> None:
    """Put a row into the inbox as another version, or a damaged file, may have left it."""
    async with h.space.db.transaction():
        await h.space.db.execute(
            "INSERT INTO inbox (source, kind, state, body, received_at) VALUES ('odd', ?, 'new', ?, '2027')",
            (kind, body),
        )


async def test_an_entry_that_breaks_three_times_is_set_aside_whole_and_told_in_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with house(tmp_path, answers) as h:
        await h.receive("the secret plan", at=TOO_LATE)
        await h.say("hello")
        (row, after) = await inbox(h.space)

    assert h.screen.delivered == [NOT_TAKEN_UP, "reply to hello"]
    assert (row["state"], row["attempts"], row["error"], after["state"]) == ("dead", 3, "OverflowError", "done")
    assert json.loads(row["body"])["text"] == "the secret plan"
    assert "in=1 error=OverflowError" in caplog.text
    assert "secret plan" not in caplog.text


async def test_an_edit_that_breaks_is_set_aside_like_a_message(tmp_path: Path) -> None:
    async with house(tmp_path, answers, answers) as h:
        first = await h.receive("first")
        await h.runner.drain()
        await h.say("second", kind="edit", message_id=first.message_id, at=TOO_LATE)
        await h.say("third")
        assert h.screen.delivered == ["reply to first", NOT_TAKEN_UP, "reply to third"]


async def test_an_innocent_beginning_of_a_long_paste_is_not_given_up_for_its_continuation(tmp_path: Path) -> None:
    async with house(tmp_path, answers) as h:
        await h.receive("a" * 4_096)
        await h.receive("b" * 10, at=TOO_LATE)
        await h.runner.drain()
        assert h.screen.delivered == [f"reply to {'a' * 20}", NOT_TAKEN_UP]


async def test_an_entry_that_ends_the_process_three_times_is_not_tried_again(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        entry = await h.receive("/facts", kind="command")
        (row,) = await h.space.mailbox.waiting()
        first = Entries(h.space, Breaks(Killed()), h.screen)
        first.arrived(entry)
        for process in (first, *(Entries(h.space, Breaks(Killed()), h.screen) for _ in range(2))):
            with pytest.raises(Killed):
                await process.take_up(row)
            (row,) = await h.space.mailbox.waiting()
        assert row.attempts == 3

        await Entries(h.space, Breaks(Killed()), h.screen).take_up(row)

        assert [(r["state"], r["error"]) for r in await inbox(h.space)] == [("dead", "Died")]
        assert [r.message.text for r in await h.space.mailbox.undelivered()] == [NOT_TAKEN_UP]


async def test_a_failing_storage_counts_as_no_try_and_loses_nothing(tmp_path: Path) -> None:
    faults = [StorageFull(tmp_path), StorageInTrouble(tmp_path, "locked", advice="wait")] * 5
    async with house(tmp_path) as h:
        entry = await h.receive("/facts", kind="command")
        entries = Entries(h.space, Breaks(*faults), h.screen)
        entries.arrived(entry)
        for _ in faults:
            with pytest.raises(StorageInTrouble):
                await entries.take_up((await h.space.mailbox.waiting())[0])
        assert [r["attempts"] for r in await inbox(h.space)] == [1]

        await entries.take_up((await h.space.mailbox.waiting())[0])

        assert [r["state"] for r in await inbox(h.space)] == ["done"]
        assert [r.message.text for r in await h.space.mailbox.undelivered()] == ["answered"]


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "no JSON",
        "[]",
        '{"kind": "message"}',
        '{"source": "odd", "kind": "message", "text": "\\ud800", "at": "2027-03-02T09:00:00Z"}',
        '{"source": "odd", "kind": "message", "text": "x", "at": "+999999-01-01T00:00:00Z"}',
        '{"source": "odd", "kind": "message", "text": "x", "at": "0001-01-01T00:00:00+14:00"}',
    ],
)
async def test_a_row_that_is_no_entry_is_set_aside_as_it_is(tmp_path: Path, body: str | None) -> None:
    async with house(tmp_path, answers) as h:
        await put(h, body)
        await h.say("hello")
        rows = await inbox(h.space)

    assert h.screen.delivered == [NOT_TAKEN_UP, "reply to hello"]
    assert [(row["state"], row["body"]) for row in rows] == [("dead", body), ("done", None)]


@pytest.mark.parametrize("text", ["nul \0 inside", "\ufffe\ufeff\u202e", "x" * 60_000, "\n" * 5_000, "؟" * 9])
async def test_odd_words_are_taken_up_like_any_others(tmp_path: Path, text: str) -> None:
    async with house(tmp_path, answers) as h:
        await h.say(text)
        assert h.screen.delivered == [f"reply to {text[:20]}"]


@settings(max_examples=20, deadline=None)
@given(
    text=st.text(max_size=40),
    at=st.datetimes(timezones=st.sampled_from([UTC, ZoneInfo("Asia/Tokyo"), ZoneInfo("America/Lima")])),
    more=st.dictionaries(
        st.sampled_from(["author", "quote", "press", "forwarded_from", "reply_to", "message_id", "origin", "notices"]),
        st.none() | st.integers() | st.text(max_size=9) | st.lists(st.text(max_size=5), max_size=2),
    ),
    kind=st.sampled_from(["message", "edit", "command", "press", "dance"]),
)
async def test_whatever_stands_in_an_inbox_the_next_message_gets_its_reply(
    text: str, at: datetime, more: dict[str, object], kind: str
) -> None:
    entry = {"source": "odd", "kind": kind, "text": text, "at": at.isoformat(), "chat_id": 1, **more}
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), model=Answers()) as h:
            await put(h, json.dumps(entry), kind=kind)
            await h.say("and now?")
            assert "reply to and now?" in h.screen.delivered
            assert {row["state"] for row in await inbox(h.space)} <= {"done", "dead"}


@pytest.mark.parametrize("harm", ["UPDATE inbox SET body = 'x'", "UPDATE inbox SET state = 'done', body = NULL"])
async def test_a_turn_that_lost_what_began_it_is_ended_with_its_apology(tmp_path: Path, harm: str) -> None:
    def break_off(request: ModelRequest) -> ModelReply:
        raise KeyError("broken")

    async with house(tmp_path, break_off, answers) as h:
        with suppress(KeyError):
            await h.say("first")
        async with h.space.db.transaction():
            await h.space.db.execute(harm)
        await h.receive("second")
        for _ in range(6):
            with suppress(Unreadable):
                await h.runner.drain()
        turns = await h.space.db.fetch_all("SELECT state FROM turns ORDER BY id")
        assert [row["state"] for row in turns] == ["failed", "done"]
        assert h.screen.delivered == [GAVE_UP, "reply to second"]


async def test_a_turn_that_the_storage_broke_off_is_taken_up_again_for_as_long_as_it_takes(tmp_path: Path) -> None:
    def is_full(request: ModelRequest) -> ModelReply:
        raise StorageFull(tmp_path)

    async with house(tmp_path, *[is_full] * 6, answers) as h:
        await h.receive("first")
        for _ in range(6):
            with pytest.raises(StorageFull):
                await h.runner.drain()
        await h.runner.drain()
        assert h.screen.delivered == ["reply to first"]


async def test_a_message_of_ours_that_cannot_be_read_back_says_so_and_those_behind_it_arrive(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        async with h.space.db.transaction():
            for key in ("a", "b"):
                await h.space.mailbox.post(key, Outgoing(text=key))
            await h.space.db.execute("UPDATE outbox SET body = '{}' WHERE key = 'a'")
        await h.runner.drain()
        assert h.screen.delivered == [UNREADABLE, "b"]


@pytest.mark.parametrize("place", [None, "tg:1:5"])
async def test_a_message_that_can_never_be_sent_is_given_up_and_those_behind_it_arrive(
    tmp_path: Path, place: str | None
) -> None:
    async with house(tmp_path, screen=BreaksAtOne(FakeClock())) as h:
        async with h.space.db.transaction():
            await h.space.mailbox.post("a", Outgoing(text="poison"), place=place)
            await h.space.mailbox.post("b", Outgoing(text="b"))
        for _ in range(12):
            with suppress(ValueError, DeliveryFault):
                await h.runner.drain()
        assert h.screen.delivered == ["b"]
        row = await h.space.db.fetch_one("SELECT state FROM outbox WHERE key = 'a'")
        assert row is not None
        assert row["state"] == "dropped"
