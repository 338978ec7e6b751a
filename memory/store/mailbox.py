"""What came in and what goes out: rows that make arrival and delivery survive a crash.

An entry stands in the inbox before the sender is told that it arrived; a message to the member stands in the outbox
before it is sent and counts as delivered once the other side named it. Both commit together with their turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from memory.catalogue import N_, _
from memory.errors import Unreadable
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text
from memory.store.entries import Entry, Outgoing

OutState = Literal["streaming", "waiting", "sending", "sent", "dropped"]

UNREADABLE = N_(
    "A message of mine cannot be shown: what I stored of it is damaged. What you told me is not touched by that."
)


@dataclass(frozen=True)
class Waiting:
    """An inbox row that has not been dealt with. `attempts` counts the tries to take it up, the next one included
    where it is the first.
    """

    id: int
    source: str
    state: Literal["new", "taken"]
    turn_id: int | None
    attempts: int
    body: str | None

    @cached_property
    def entry(self) -> Entry:
        """What the member did. Raises: Unreadable."""
        try:
            return Entry.model_validate_json(self.body or "")
        except ValidationError:
            # Its message quotes what it could not read.
            raise Unreadable(f"inbox row {self.id}") from None


class OutRow(BaseModel):
    """An outbox row that has not been delivered (or is being streamed). `place` is known once something was sent."""

    model_config = ConfigDict(frozen=True)

    id: int
    key: str
    turn_id: int | None
    state: OutState
    message: Outgoing
    place: str | None
    attempts: int
    """How many copies of it may have arrived."""
    not_before: datetime | None = None


class Mailbox:
    """Inbox and outbox of one space. Every write joins the caller's transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    # Inbox

    async def receive(self, entry: Entry) -> bool:
        """Store an entry; False when its source is known, so it counts once however often it comes."""
        written = await self._db.execute(
            "INSERT OR IGNORE INTO inbox (source, kind, state, body, received_at) VALUES (?, ?, 'new', ?, ?)",
            (entry.source, entry.kind, entry.model_dump_json(), to_utc_text(self._clock.now())),
        )
        return written.count == 1

    async def waiting(self) -> list[Waiting]:
        """Return what is not done, in order of arrival; `taken` belongs to the turn that is named."""
        rows = await self._db.fetch_all("SELECT * FROM inbox WHERE state IN ('new', 'taken') ORDER BY id")
        return [
            Waiting(row["id"], row["source"], row["state"], row["turn_id"], row["attempts"], row["body"])
            for row in rows
        ]

    async def count_attempt(self, inbox_id: int) -> int:
        """Note one more try to take an entry up and return how many that makes."""
        await self._db.execute("UPDATE inbox SET attempts = attempts + 1 WHERE id = ?", (inbox_id,))
        row = await self._db.fetch_one("SELECT attempts FROM inbox WHERE id = ?", (inbox_id,))
        return int(row["attempts"]) if row else 0

    async def bury(self, inbox_id: int, error: str) -> None:
        """Give an entry up that can never be taken up; it is kept whole. `error` is the name of a class."""
        await self._db.execute("UPDATE inbox SET state = 'dead', error = ? WHERE id = ?", (error, inbox_id))

    async def count_dead(self) -> int:
        """Return how many entries were given up."""
        row = await self._db.fetch_one("SELECT count(*) FROM inbox WHERE state = 'dead'")
        return int(row[0]) if row else 0

    async def bury_turn(self, turn_id: int, error: str) -> None:
        """The same for the entries of a turn that cannot even be ended with an apology."""
        await self._db.execute(
            "UPDATE inbox SET state = 'dead', error = ? WHERE turn_id = ? AND state = 'taken'", (error, turn_id)
        )

    async def take(self, ids: Sequence[int], turn_id: int) -> None:
        """Give entries to a turn."""
        for inbox_id in ids:
            await self._db.execute("UPDATE inbox SET state = 'taken', turn_id = ? WHERE id = ?", (turn_id, inbox_id))

    async def finish(self, inbox_id: int) -> None:
        """Note that an entry was dealt with; its text goes (the transcript has it)."""
        await self._db.execute("UPDATE inbox SET state = 'done', body = NULL WHERE id = ?", (inbox_id,))

    async def take_source(self, source: str, turn_id: int) -> None:
        """Give a new entry, by its source, to a turn that is under way: it is done when the turn is."""
        await self._db.execute(
            "UPDATE inbox SET state = 'taken', turn_id = ? WHERE source = ? AND state = 'new'", (turn_id, source)
        )

    async def finish_turn(self, turn_id: int) -> None:
        """Note that all entries of a turn were dealt with."""
        await self._db.execute("UPDATE inbox SET state = 'done', body = NULL WHERE turn_id = ?", (turn_id,))

    # Outbox

    async def post(self, key: str, message: Outgoing, *, turn_id: int | None = None, place: str | None = None) -> bool:
        """Queue a message, or with `place` the new form of the one that stands there.

        False when something was queued under this key before.
        """
        written = await self._db.execute(
            "INSERT OR IGNORE INTO outbox (key, turn_id, state, body, is_silent, place, created_at)"
            " VALUES (?, ?, 'waiting', ?, ?, ?, ?)",
            (key, turn_id, message.model_dump_json(), int(message.is_silent), place, to_utc_text(self._clock.now())),
        )
        return written.count == 1

    async def begin_stream(self, key: str, message: Outgoing, *, turn_id: int) -> OutRow:
        """Open a row for a reply whose text is still growing (or return it after a crash)."""
        await self._db.execute(
            "INSERT OR IGNORE INTO outbox (key, turn_id, state, body, created_at) VALUES (?, ?, 'streaming', ?, ?)",
            (key, turn_id, message.model_dump_json(), to_utc_text(self._clock.now())),
        )
        rows = await self._db.fetch_all("SELECT * FROM outbox WHERE key = ?", (key,))
        return _out_row(rows[0])

    async def end_stream(self, key: str, message: Outgoing) -> bool:
        """Give a streaming row its final text; it then waits to be delivered. False when there is no such row."""
        written = await self._db.execute(
            "UPDATE outbox SET state = 'waiting', body = ? WHERE key = ? AND state = 'streaming'",
            (message.model_dump_json(), key),
        )
        return written.count == 1

    async def undelivered(self) -> list[OutRow]:
        """Return what waits to be delivered, in order; `sending` rows may or may not have arrived."""
        rows = await self._db.fetch_all("SELECT * FROM outbox WHERE state IN ('waiting', 'sending') ORDER BY id")
        return [_out_row(row) for row in rows]

    async def mark_sending(self, out_id: int) -> None:
        """Note that the message (of a stream: its beginning) is on its way: after a crash it may have arrived."""
        await self._db.execute(
            "UPDATE outbox SET state = CASE state WHEN 'streaming' THEN state ELSE 'sending' END,"
            " attempts = attempts + 1 WHERE id = ?",
            (out_id,),
        )

    async def mark_place(self, out_id: int, place: str) -> None:
        """Note where a streaming message stands."""
        await self._db.execute("UPDATE outbox SET place = ? WHERE id = ?", (place, out_id))

    async def mark_sent(self, out_id: int, place: str | None) -> None:
        """Note that the other side has it."""
        await self._db.execute(
            "UPDATE outbox SET state = 'sent', place = coalesce(?, place), sent_at = ? WHERE id = ?",
            (place, to_utc_text(self._clock.now()), out_id),
        )

    async def postpone(self, out_id: int, not_before: datetime, error: str) -> None:
        """Note that the message did certainly not arrive and may be tried again then."""
        await self._db.execute(
            "UPDATE outbox SET state = CASE state WHEN 'streaming' THEN state ELSE 'waiting' END,"
            " attempts = max(attempts - 1, 0), not_before = ?, error = ? WHERE id = ?",
            (to_utc_text(not_before), error, out_id),
        )

    async def hurry(self) -> None:
        """Let everything that was postponed be tried at once."""
        await self._db.execute("UPDATE outbox SET not_before = NULL WHERE state = 'waiting'")

    async def drop(self, out_id: int, error: str) -> None:
        """Give a message up that can never arrive."""
        await self._db.execute("UPDATE outbox SET state = 'dropped', error = ? WHERE id = ?", (error, out_id))

    async def withdraw(self, key: str) -> None:
        """Give up a message that has certainly not arrived: what it says is said by another, or no longer wanted."""
        await self._db.execute(
            "UPDATE outbox SET state = 'dropped', error = 'withdrawn' WHERE key = ? AND state = 'waiting'"
            " AND attempts = 0 AND place IS NULL",
            (key,),
        )

    async def shown_at(self, place: str) -> Outgoing | None:
        """Return the newest form of the message of ours that stands at a place of the chat."""
        row = await self._db.fetch_one("SELECT body FROM outbox WHERE place = ? ORDER BY id DESC LIMIT 1", (place,))
        return _outgoing(row["body"]) if row else None

    async def place_of(self, key: str) -> str | None:
        """Return where the message queued under a key stands; None while it stands nowhere."""
        row = await self._db.fetch_one("SELECT place FROM outbox WHERE key = ?", (key,))
        return row["place"] if row else None

    async def last_posted(self, prefix: str) -> datetime | None:
        """Return when the newest message under a key that begins so was queued."""
        row = await self._db.fetch_one(
            "SELECT max(created_at) FROM outbox WHERE substr(key, 1, ?) = ?", (len(prefix), prefix)
        )
        return from_utc_text(row[0]) if row and row[0] else None

    async def last_sent(self) -> datetime | None:
        """Return when the other side last had a message of ours."""
        row = await self._db.fetch_one("SELECT max(sent_at) FROM outbox WHERE state = 'sent'")
        return from_utc_text(row[0]) if row and row[0] else None

    async def turn_at(self, place: str) -> int | None:
        """Return the turn whose reply stands at a place of the chat."""
        row = await self._db.fetch_one("SELECT turn_id FROM outbox WHERE place = ? AND turn_id IS NOT NULL", (place,))
        return int(row["turn_id"]) if row else None


def _outgoing(body: str) -> Outgoing:
    """Return a stored message; for one that cannot be read, words that say so: it must not hold up those behind it."""
    try:
        return Outgoing.model_validate_json(body)
    except ValidationError:
        return Outgoing(text=_(UNREADABLE))


def _out_row(row: Row) -> OutRow:
    return OutRow(
        id=row["id"],
        key=row["key"],
        turn_id=row["turn_id"],
        state=row["state"],
        message=_outgoing(row["body"]),
        place=row["place"],
        attempts=row["attempts"],
        not_before=from_utc_text(row["not_before"]) if row["not_before"] else None,
    )
