"""Handoffs: the rows that stand for windows which left the prompt, and how they stand in it.

A handoff covers the messages first..last of its session; the tail begins behind the last. Together they stay within a
ceiling: the newest stand whole, older ones fold into one dated line each, and the oldest lines into one range. Nothing
is ever rewritten from an older handoff, so nothing erodes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.errors import UnknownId
from memory.messages import estimate_tokens
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

MAX_PROMPT_TOKENS = 2_500
MAX_INDEX_LINES = 24
MAX_PINNED_TOKENS = 500

Origin = Literal["summary", "excerpt"]

INDEX_HEADING = "Earlier handoffs (background; recall returns their exact words by id):"
PINNED_HEADING = "Said earlier, word for word (background):"

_READ = (
    "SELECT h.*, f.at AS first_at, l.at AS last_at FROM handoffs h"
    " LEFT JOIN messages f ON f.id = h.first_message_id LEFT JOIN messages l ON l.id = h.last_message_id"
)


@dataclass(frozen=True)
class Handoff:
    """A row. `first_at` and `last_at` are the times of the first and last message it covers."""

    id: int
    session_id: int
    first_message_id: int
    last_message_id: int
    text: str
    origin: Origin
    window_chars: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True)
class HandoffView:
    """What stands in the prompt. `ref` names it in traces: `h3`, `handoff index` or `pinned lines`."""

    ref: str
    text: str
    tokens: int


@dataclass(frozen=True)
class ManifestLine:
    """A segment that a handoff names; `short` is a checked shorter text of it, or None."""

    segment_id: int
    sha256: str
    short: str | None = None


@dataclass(frozen=True)
class PinnedLine:
    segment_id: int
    text: str


@dataclass(frozen=True)
class Covered:
    """The window that a new handoff stands for."""

    key: str
    session_id: int
    first_message_id: int
    last_message_id: int
    chars: int


class HandoffStore:
    """The handoffs of one space. Every write joins the caller's transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    # In the prompt

    async def in_prompt(self) -> list[HandoffView]:
        """Return what stands in the prompt, oldest first: index, pinned lines, whole handoffs; ≤ 2,500 tokens."""
        handoffs = await self._handoffs("ORDER BY h.id")
        pinned = await self._pinned_view()
        room = MAX_PROMPT_TOKENS - (pinned.tokens if pinned else 0)
        whole: list[HandoffView] = []
        for n in range(len(handoffs) - 1, -1, -1):
            view = _whole(handoffs[n])
            index = _index(handoffs[:n])
            if whole and view.tokens + sum(v.tokens for v in whole) + (index.tokens if index else 0) > room:
                break
            whole.insert(0, view)
        index = _index(handoffs[: len(handoffs) - len(whole)])
        return [view for view in (index, pinned, *whole) if view is not None]

    async def last_covered(self, session_id: int) -> int:
        """Return the message behind which the session's tail begins; 0 when nothing left it."""
        row = await self._db.fetch_one(
            "SELECT coalesce(max(last_message_id), 0) FROM handoffs WHERE session_id = ?", (session_id,)
        )
        assert row is not None
        return int(row[0])

    # Reading

    async def handoff(self, handoff_id: int) -> Handoff:
        """Raises: UnknownId."""
        found = await self._handoffs("WHERE h.id = ?", handoff_id)
        if not found:
            raise UnknownId(f"h{handoff_id}")
        return found[0]

    async def by_key(self, key: str) -> Handoff | None:
        """Return the handoff of a window with this content."""
        found = await self._handoffs("WHERE h.key = ?", key)
        return found[0] if found else None

    async def routes(self, handoff_id: int) -> dict[str, int]:
        """Return how many segments of a handoff's window went which way; what no manifest names was dropped."""
        rows = await self._db.fetch_all(
            "SELECT coalesce(a.route, 'DROP') AS route, count(*) AS count FROM handoffs h JOIN messages m"
            " ON m.session_id = h.session_id"
            " AND coalesce(m.replaces, m.id) BETWEEN h.first_message_id AND h.last_message_id"
            " JOIN segments s ON s.message_id = m.id"
            " LEFT JOIN manifest a ON a.handoff_id = h.id AND a.segment_id = s.id WHERE h.id = ? AND NOT EXISTS"
            " (SELECT 1 FROM messages n WHERE n.replaces = coalesce(m.replaces, m.id) AND n.id > m.id) GROUP BY 1",
            (handoff_id,),
        )
        return {row["route"]: row["count"] for row in rows}

    async def pinned_of(self, handoff_id: int) -> list[str]:
        """Return the lines that stay in the prompt because recall did not find them when the window left."""
        rows = await self._db.fetch_all("SELECT text FROM pinned_lines WHERE handoff_id = ? ORDER BY id", (handoff_id,))
        return [row["text"] for row in rows]

    async def next_id(self) -> int:
        """Return the id that the next handoff will have. Ask inside the transaction that adds it."""
        row = await self._db.fetch_one("SELECT coalesce(max(id), 0) + 1 FROM handoffs")
        assert row is not None
        return int(row[0])

    async def places(self, message_ids: Sequence[int]) -> dict[int, int]:
        """Return where messages stand in the tail: an edit stands at the place of its first version."""
        rows = await self._db.fetch_all(
            "SELECT id, coalesce(replaces, id) AS place FROM messages WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(message_ids)),),
        )
        return {row["id"]: row["place"] for row in rows}

    # Writing

    async def add(
        self,
        handoff_id: int,
        covered: Covered,
        *,
        text: str,
        origin: Origin,
        manifest: Sequence[ManifestLine],
        pinned: Sequence[PinnedLine],
    ) -> None:
        """Add a handoff with its manifest and pinned lines: the tail shortens with the commit."""
        await self._db.execute(
            "INSERT INTO handoffs (id, key, session_id, first_message_id, last_message_id, text, origin, window_chars,"
            " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                handoff_id,
                covered.key,
                covered.session_id,
                covered.first_message_id,
                covered.last_message_id,
                text,
                origin,
                covered.chars,
                to_utc_text(self._clock.now()),
            ),
        )
        for line in manifest:
            await self._db.execute(
                "INSERT INTO manifest (handoff_id, segment_id, sha256, route) VALUES (?, ?, ?, ?)",
                (handoff_id, line.segment_id, line.sha256, "KEEP" if line.short is None else "COMPRESS"),
            )
            if line.short is not None:
                await self._db.execute(
                    "INSERT OR REPLACE INTO short_texts (segment_id, text) VALUES (?, ?)",
                    (line.segment_id, line.short),
                )
        for pin in pinned:
            await self._db.execute(
                "INSERT INTO pinned_lines (handoff_id, segment_id, text) VALUES (?, ?, ?)",
                (handoff_id, pin.segment_id, pin.text),
            )

    async def note_overfull(self, session_id: int) -> bool:
        """Note that a session's prompt cannot be shortened; False when that was noted before."""
        written = await self._db.execute(
            "INSERT OR IGNORE INTO overfull (session_id, at) VALUES (?, ?)",
            (session_id, to_utc_text(self._clock.now())),
        )
        return written.count == 1

    async def _handoffs(self, where: str, *params: str | int) -> list[Handoff]:
        return [_handoff(row) for row in await self._db.fetch_all(f"{_READ} {where}", params)]

    async def _pinned_view(self) -> HandoffView | None:
        """Return the pinned lines, newest first in line for the room and oldest first in the text."""
        rows = await self._db.fetch_all("SELECT text FROM pinned_lines ORDER BY id DESC")
        lines: list[str] = []
        for row in rows:
            line = f"- {row['text']}"
            if estimate_tokens("\n".join([*lines, line])) > MAX_PINNED_TOKENS:
                break
            lines.append(line)
        if not lines:
            return None
        left_out = len(rows) - len(lines)
        counted = [f"({left_out} older lines are reachable by recall)"] if left_out else []
        return _view("pinned lines", "\n".join([PINNED_HEADING, *counted, *reversed(lines)]))


def format_days(first: datetime, last: datetime) -> str:
    """Return a range of days in words: `2 March 2027`, `2 to 4 March 2027`."""
    end = f"{last.day} {last:%B %Y}"
    if first.date() == last.date():
        return end
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {end}"
    return f"{first.day} {first:%B}{'' if first.year == last.year else first.strftime(' %Y')} to {end}"


def _whole(handoff: Handoff) -> HandoffView:
    return _view(f"h{handoff.id}", handoff.text)


def _index(handoffs: Sequence[Handoff]) -> HandoffView | None:
    if not handoffs:
        return None
    old, recent = handoffs[: -MAX_INDEX_LINES + 1], handoffs[-MAX_INDEX_LINES + 1 :]
    lines = [f"- {_ids(group)}: {format_days(group[0].first_at, group[-1].last_at)}" for group in _groups(old, recent)]
    return _view("handoff index", "\n".join([INDEX_HEADING, *lines]))


def _groups(old: Sequence[Handoff], recent: Sequence[Handoff]) -> list[Sequence[Handoff]]:
    return [*([old] if old else []), *([handoff] for handoff in recent)]


def _ids(group: Sequence[Handoff]) -> str:
    return f"h{group[0].id}" if len(group) == 1 else f"h{group[0].id} to h{group[-1].id}"


def _view(ref: str, text: str) -> HandoffView:
    return HandoffView(ref, text, estimate_tokens(text))


def _handoff(row: Row) -> Handoff:
    created = from_utc_text(row["created_at"])
    return Handoff(
        id=row["id"],
        session_id=row["session_id"],
        first_message_id=row["first_message_id"],
        last_message_id=row["last_message_id"],
        text=row["text"],
        origin=row["origin"],
        window_chars=row["window_chars"],
        first_at=from_utc_text(row["first_at"]) if row["first_at"] else created,
        last_at=from_utc_text(row["last_at"]) if row["last_at"] else created,
    )
