"""The transcript: sessions, turns, messages (append-only), what each model call cost and what each prompt held.

Every write joins the caller's transaction. Nothing here decides what a message means or whether it may be shown.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

from memory.errors import UnknownId
from memory.messages import Message, Origin, Role, parts_from_json, parts_to_json
from memory.ports import Clock, Task, Usage
from memory.store.database import Database, Row, from_utc_text, to_utc_text

BODY_VERSION = "1"
TurnState = Literal["running", "done", "failed", "stopped"]

_READ = "SELECT m.id, m.turn_id, m.role, m.origin, m.author, m.author_id, m.at, m.source, m.ref, m.body FROM messages m"

# The newest version of each message, at the place of the first one.
_NEWEST = """
    NOT EXISTS (SELECT 1 FROM messages n WHERE n.replaces = coalesce(m.replaces, m.id) AND n.id > m.id)
"""


@dataclass(frozen=True)
class Turn:
    """From the member's message to the reply. `block` is the memory block, None once the turn has ended."""

    id: int
    session_id: int
    state: TurnState
    attempts: int
    started_at: datetime
    block: str | None
    model: str | None
    prompt_tokens: int | None


@dataclass(frozen=True)
class TraceItem:
    """One thing a prompt held: its layer, id (`f12`, `h3`, or the name of a fixed part) and tokens. No text."""

    layer: str
    ref: str
    tokens: int


class SessionStore:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    # Sessions

    async def open_session(self) -> int | None:
        """Return the session that goes on; None before the first message."""
        row = await self._db.fetch_one("SELECT id FROM sessions WHERE ended_at IS NULL")
        return int(row["id"]) if row else None

    async def current_session(self) -> int:
        """Return the open session, starting the first one. Joins the caller's transaction if it must start one."""
        return await self.open_session() or await self.start_session()

    async def start_session(self) -> int:
        """End the open session and start a new one."""
        now = to_utc_text(self._clock.now())
        await self._db.execute("UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL", (now,))
        return (await self._db.execute("INSERT INTO sessions (started_at) VALUES (?)", (now,))).rowid

    # Turns

    async def begin_turn(self) -> Turn:
        """Start a turn in the open session."""
        session_id = await self.current_session()
        now = self._clock.now()
        written = await self._db.execute(
            "INSERT INTO turns (session_id, state, started_at) VALUES (?, 'running', ?)",
            (session_id, to_utc_text(now)),
        )
        return await self.turn(written.rowid)

    async def turn(self, turn_id: int) -> Turn:
        """Raises: UnknownId."""
        row = await self._db.fetch_one("SELECT * FROM turns WHERE id = ?", (turn_id,))
        if row is None:
            raise UnknownId(f"t{turn_id}")
        return _turn(row)

    async def last_turn(self) -> Turn | None:
        row = await self._db.fetch_one("SELECT * FROM turns ORDER BY id DESC LIMIT 1")
        return _turn(row) if row else None

    async def running_turn(self) -> Turn | None:
        """Return the turn that was cut off by a crash (or is under way)."""
        row = await self._db.fetch_one("SELECT * FROM turns WHERE state = 'running'")
        return _turn(row) if row else None

    async def count_attempt(self, turn_id: int) -> int:
        """Note one more attempt at the turn and return how many that makes."""
        await self._db.execute("UPDATE turns SET attempts = attempts + 1 WHERE id = ?", (turn_id,))
        return (await self.turn(turn_id)).attempts

    async def keep_block(self, turn_id: int, block: str, trace: Sequence[TraceItem]) -> None:
        """Keep the memory block while the turn runs, and for good the trace of what the prompt was built from."""
        await self._db.execute("UPDATE turns SET block = ? WHERE id = ?", (block, turn_id))
        await self._db.execute("DELETE FROM traces WHERE turn_id = ?", (turn_id,))
        await self._db.execute(
            "INSERT INTO traces (turn_id, ordinal, layer, ref, tokens)"
            " SELECT ?, key, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
            (turn_id, json.dumps([(item.layer, item.ref, item.tokens) for item in trace])),
        )

    async def trace(self, turn_id: int) -> list[TraceItem]:
        rows = await self._db.fetch_all(
            "SELECT layer, ref, tokens FROM traces WHERE turn_id = ? ORDER BY ordinal", (turn_id,)
        )
        return [TraceItem(row["layer"], row["ref"], row["tokens"]) for row in rows]

    async def note_started(self, turn_id: int, call_id: str) -> bool:
        """Note that a call which reaches beyond this program begins; False when it began before and has no result."""
        written = await self._db.execute(
            "INSERT OR IGNORE INTO calls_under_way (turn_id, call_id) VALUES (?, ?)", (turn_id, call_id)
        )
        return written.count == 1

    async def started_calls(self, turn_id: int) -> frozenset[str]:
        """Return the ids of the calls that reach beyond this program and began in a turn that still runs."""
        rows = await self._db.fetch_all("SELECT call_id FROM calls_under_way WHERE turn_id = ?", (turn_id,))
        return frozenset(row["call_id"] for row in rows)

    async def end_turn(self, turn_id: int, state: TurnState, *, error: str | None = None) -> None:
        """End the turn; its memory block goes, and what was noted of its calls."""
        await self._db.execute("DELETE FROM calls_under_way WHERE turn_id = ?", (turn_id,))
        await self._db.execute(
            "UPDATE turns SET state = ?, ended_at = ?, block = NULL, error = ? WHERE id = ?",
            (state, to_utc_text(self._clock.now()), error, turn_id),
        )

    # Messages

    async def append(
        self,
        message: Message,
        *,
        session_id: int | None,
        turn_id: int | None = None,
        place: str | None = None,
        replaces: int | None = None,
    ) -> Message:
        """Append a message and return it with its id. `replaces` names any version of the message it is an edit of.

        Raises: sqlite3.IntegrityError when `source` is there already.
        """
        if replaces is not None:
            replaces = await self._first_version(replaces)
        written = await self._db.execute(
            "INSERT INTO messages (session_id, turn_id, replaces, role, origin, author, author_id, at, stored_at,"
            " source, ref, place, text, body, body_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                session_id,
                turn_id,
                replaces,
                message.role,
                message.origin,
                message.author,
                message.author_id,
                to_utc_text(message.at),
                to_utc_text(self._clock.now()),
                message.source,
                message.ref,
                place,
                message.text,
                parts_to_json(message.parts),
                BODY_VERSION,
            ),
        )
        return message.model_copy(update={"id": written.rowid, "turn_id": turn_id})

    async def message(self, message_id: int) -> Message:
        """Raises: UnknownId."""
        row = await self._db.fetch_one(f"{_READ} WHERE id = ?", (message_id,))
        if row is None:
            raise UnknownId(f"m{message_id}")
        return _message(row)

    async def messages(self, ids: Sequence[int]) -> list[Message]:
        """Return the messages that exist among `ids`, in the order of the transcript."""
        rows = await self._db.fetch_all(
            f"{_READ} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (json.dumps(list(ids)),)
        )
        return [_message(row) for row in rows]

    async def message_at(self, place: str) -> Message | None:
        """Return the newest version of the message that stands at a place of the chat."""
        row = await self._db.fetch_one(f"{_READ} WHERE place = ? ORDER BY id DESC LIMIT 1", (place,))
        return _message(row) if row else None

    async def place_of(self, message_id: int) -> str | None:
        """Return where a message stands in the chat; None when it came another way."""
        row = await self._db.fetch_one("SELECT place FROM messages WHERE id = ?", (message_id,))
        return row["place"] if row else None

    async def message_from(self, source: str) -> Message | None:
        """Return the message that came from a source."""
        row = await self._db.fetch_one(f"{_READ} WHERE source = ?", (source,))
        return _message(row) if row else None

    async def session_of(self, message_id: int) -> int | None:
        """Return the session a message belongs to; None for an imported one."""
        row = await self._db.fetch_one("SELECT session_id FROM messages WHERE id = ?", (message_id,))
        return row["session_id"] if row else None

    async def turn_messages(self, turn_id: int) -> list[Message]:
        """Return a turn's messages as first said, in order."""
        rows = await self._db.fetch_all(f"{_READ} WHERE turn_id = ? AND replaces IS NULL ORDER BY id", (turn_id,))
        return [_message(row) for row in rows]

    async def exchange_before(self, message_id: int, count: int) -> list[Message]:
        """Return up to `count` messages with words that were said just before, oldest first."""
        rows = await self._db.fetch_all(
            f"{_READ} JOIN messages b ON m.id < b.id AND m.session_id IS b.session_id"
            " WHERE b.id = ? AND m.role IN ('user', 'model') AND m.text <> '' ORDER BY m.id DESC LIMIT ?",
            (message_id, count),
        )
        return [_message(row) for row in reversed(rows)]

    async def tail(self, session_id: int, *, after: int = 0) -> list[Message]:
        """Return a session's messages behind message `after`, the newest version of each at the place of the first."""
        rows = await self._db.fetch_all(
            f"{_READ} WHERE m.session_id = ? AND coalesce(m.replaces, m.id) > ? AND{_NEWEST}"
            " ORDER BY coalesce(m.replaces, m.id)",
            (session_id, after),
        )
        return [_message(row) for row in rows]

    async def _first_version(self, message_id: int) -> int:
        row = await self._db.fetch_one("SELECT coalesce(replaces, id) FROM messages WHERE id = ?", (message_id,))
        if row is None:
            raise UnknownId(f"m{message_id}")
        return int(row[0])

    # Usage

    async def record_usage(
        self, usage: Usage, *, task: Task, model: str, turn_id: int | None, estimated_prompt_tokens: int | None = None
    ) -> None:
        """Record what one model call cost; for a turn's chat also as the size of its last prompt."""
        await self._db.execute(
            "INSERT INTO usage (turn_id, task, model, prompt_tokens, output_tokens, thought_tokens, cached_tokens,"
            " tool_tokens, is_estimate, estimated_prompt_tokens, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                turn_id,
                task,
                model,
                usage.prompt_tokens,
                usage.output_tokens,
                usage.thought_tokens,
                usage.cached_tokens,
                usage.tool_tokens,
                int(usage.is_estimate),
                estimated_prompt_tokens,
                to_utc_text(self._clock.now()),
            ),
        )
        if turn_id is not None and task == "chat":
            await self._db.execute(
                "UPDATE turns SET model = ?, prompt_tokens = ? WHERE id = ?", (model, usage.prompt_tokens, turn_id)
            )


def _turn(row: Row) -> Turn:
    return Turn(
        id=row["id"],
        session_id=row["session_id"],
        state=row["state"],
        attempts=row["attempts"],
        started_at=from_utc_text(row["started_at"]),
        block=row["block"],
        model=row["model"],
        prompt_tokens=row["prompt_tokens"],
    )


def _message(row: Row) -> Message:
    """Return the message of a row of `_READ`."""
    return _made(*row)


@lru_cache(maxsize=4096)
def _made(
    message_id: int,
    turn_id: int | None,
    role: Role,
    origin: Origin,
    author: str | None,
    author_id: int | None,
    at: str,
    source: str | None,
    ref: str | None,
    body: str,
) -> Message:
    """Messages are frozen, and each step of a turn reads the same tail again: making them is remembered."""
    return Message(
        id=message_id,
        turn_id=turn_id,
        role=role,
        origin=origin,
        author=author,
        author_id=author_id,
        at=from_utc_text(at),
        source=source,
        ref=ref,
        parts=parts_from_json(body),
    )
