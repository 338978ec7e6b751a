"""Segments: stretches of a message's text, cut and hashed once, when the message is stored.

The concatenation of a message's segments is its text, character for character. A segment's words are never kept a
second time: reading one means reading its message and checking the hash. The words it is found by are `index.py`'s.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from memory.errors import UnknownId
from memory.messages import Message
from memory.recall.index import SegmentIndex
from memory.store.database import Database, Row
from memory.store.preferences import Zones

MAX_CHARS = 3800

_GRAPHEME = regex.compile(r"\X")
# Where a stretch may end, best first. What belongs to the character before it stays there.
_BORDERS = tuple(
    regex.compile(rf"(?:{border})(?![\p{{M}}\p{{Cf}}\p{{Emoji_Modifier}}])")
    for border in (r"\n\s*\n", r"\n", r"[.!?…]['\")\]»”]*\s+|[。！？｡]", r"\s")
)


@dataclass(frozen=True)
class Segment:
    """A stretch of a message: characters `start` to `stop` of its text, `text` as just re-read and checked."""

    id: int
    message_id: int
    ordinal: int
    start: int
    stop: int
    sha256: str
    text: str


class SegmentStore:
    """The segments of one space, their index kept in step. Every write joins the caller's transaction."""

    def __init__(self, database: Database, zones: Zones) -> None:
        self._db = database
        self._index = SegmentIndex(database, zones)

    async def store(self, message: Message) -> list[Segment]:
        """Cut, hash and index a stored message; nothing for tools' results and messages without words.

        An edit takes the place of the versions before it in the index; their segments stay for hash and manifest.
        """
        if message.id is None or message.role not in {"user", "model"}:
            return []
        if not message.text.strip():
            await self._index.drop_older(message.id)
            return []
        segments = [
            await self._insert(message.id, ordinal, message.text, span)
            for ordinal, span in enumerate(cut(message.text))
        ]
        await self._index.add(message.id)
        return segments

    async def recut(self, message_id: int, *, reason: Literal["forgotten"]) -> None:
        """Cut and hash anew a message whose text was changed in place; segments keep their ids as far as they go.

        Raises: UnknownId.
        """
        row = await self._db.fetch_one("SELECT text FROM messages WHERE id = ?", (message_id,))
        if row is None:
            raise UnknownId(f"m{message_id}")
        old = await self._db.fetch_all("SELECT id FROM segments WHERE message_id = ? ORDER BY ordinal", (message_id,))
        spans = list(cut(row["text"])) if row["text"].strip() else []
        await self._index.remove(message_id)
        for ordinal, span in enumerate(spans):
            if ordinal >= len(old):
                await self._insert(message_id, ordinal, row["text"], span)
                continue
            await self._db.execute(
                "UPDATE segments SET start = ?, stop = ?, sha256 = ?, reason = ? WHERE id = ?",
                (*span, digest(row["text"][slice(*span)]), reason, old[ordinal]["id"]),
            )
        for surplus in old[len(spans) :]:
            await self._db.execute("DELETE FROM segments WHERE id = ?", (surplus["id"],))
        await self._index.add(message_id)

    async def segment(self, segment_id: int) -> Segment:
        """Return one segment. Raises: UnknownId, also when its text is not what was hashed."""
        found = await self._read("s.id", [segment_id])
        if not found:
            raise UnknownId(f"s{segment_id}")
        return found[0]

    async def of_messages(self, ids: Sequence[int]) -> list[Segment]:
        """Return the segments of messages in order; one whose text is not what was hashed is left out."""
        return await self._read("s.message_id", ids)

    async def repair(self) -> int:
        """Cut what was never cut and index what the index lacks or holds by older rules; return how many messages.

        For the start of a space, and after a new version of the normaliser. Opens its own transactions.
        """
        uncut = await self._db.fetch_all(
            "SELECT id, text FROM messages m WHERE role IN ('user', 'model') AND trim(text, ' \t\r\n') <> ''"
            " AND NOT EXISTS (SELECT 1 FROM segments s WHERE s.message_id = m.id) ORDER BY id"
        )
        for row in uncut:
            async with self._db.transaction():
                for ordinal, span in enumerate(cut(row["text"])):
                    await self._insert(row["id"], ordinal, row["text"], span)
                await self._index.add(row["id"])
        return len(uncut) + await self._index.repair()

    async def _insert(self, message_id: int, ordinal: int, text: str, span: tuple[int, int]) -> Segment:
        words = text[slice(*span)]
        written = await self._db.execute(
            "INSERT INTO segments (message_id, ordinal, start, stop, sha256) VALUES (?, ?, ?, ?, ?)",
            (message_id, ordinal, *span, digest(words)),
        )
        return Segment(written.rowid, message_id, ordinal, *span, digest(words), words)

    async def _read(self, column: Literal["s.id", "s.message_id"], ids: Iterable[int]) -> list[Segment]:
        rows = await self._db.fetch_all(
            "SELECT s.*, m.text FROM segments s JOIN messages m ON m.id = s.message_id"
            f" WHERE {column} IN (SELECT value FROM json_each(?)) ORDER BY s.message_id, s.ordinal",
            (json.dumps(list(ids)),),
        )
        return [segment for row in rows if (segment := checked(row)) is not None]


def checked(row: Row) -> Segment | None:
    """Return the segment of a row (segments joined with messages.text), None when its text is not what was hashed."""
    words = row["text"][row["start"] : row["stop"]]
    if digest(words) != row["sha256"]:
        return None
    return Segment(row["id"], row["message_id"], row["ordinal"], row["start"], row["stop"], row["sha256"], words)


def digest(text: str) -> str:
    """Return the SHA-256 of exactly this text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def cut(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the stretches of a text begin and end: at most `MAX_CHARS` each, at the best border in reach."""
    start = 0
    while len(text) - start > MAX_CHARS:
        stop = _border(text, start)
        yield start, stop
        start = stop
    if start < len(text):
        yield start, len(text)


def _border(text: str, start: int) -> int:
    # One character beyond the limit stands in the lookahead, so that no mark is cut off its letter.
    half, limit = start + MAX_CHARS // 2, start + MAX_CHARS
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(text, half, limit + 1) if found.end() <= limit]
        if ends:
            return int(ends[-1])
    stop = start
    for found in _GRAPHEME.finditer(text, start):
        if found.end() > limit:
            break
        stop = int(found.end())
    return stop if stop > start else limit
