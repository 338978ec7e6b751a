"""Documents: which files members handed over, and where in the transcript their pages stand.

The words of a document are messages, its bytes a file: neither is here. A document is known by the hash of its bytes,
so the same file is read once, however often it comes. Every write joins the caller's transaction.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from memory.messages import Message
from memory.ports import Clock
from memory.store.database import Database, Row, to_utc_text

PAGES = "document:"
"""How the source of a page begins; the document's number follows, a colon and the page's."""
_READ = "SELECT id, sha256, kind, pages, parts, chars, trouble, read_at IS NOT NULL AS is_read FROM documents"


@dataclass(frozen=True)
class Document:
    """A file that was handed over. `parts` are what can be asked for by number: its pages, where it has any and is not
    so short that it is one part. A blank page has no message.
    """

    id: int
    sha256: str | None
    kind: str | None
    pages: int
    parts: int
    chars: int
    trouble: str | None
    is_read: bool

    @property
    def ref(self) -> str:
        """The id under which tools name it."""
        return f"d{self.id}"

    def source(self, number: int) -> str:
        """Return the source of the message that holds a page."""
        return f"{PAGES}{self.id}:{number}"


class DocumentStore:
    """The documents of one space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def add(
        self, sha256: str, *, kind: str | None, pages: int, parts: int, chars: int, trouble: str | None
    ) -> Document:
        """Return the document of these bytes, as it was read last."""
        await self._db.execute(
            "INSERT INTO documents (sha256, kind, pages, parts, chars, trouble, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET kind = excluded.kind,"
            " pages = excluded.pages, parts = excluded.parts, chars = excluded.chars, trouble = excluded.trouble",
            (sha256, kind, pages, parts, chars, trouble, to_utc_text(self._clock.now())),
        )
        found = await self.of_hash(sha256)
        assert found is not None
        return found

    async def hand_over(self, source: str, document_id: int) -> None:
        """Note that a file of an entry is this document."""
        await self._db.execute(
            "INSERT OR REPLACE INTO handed_over (source, document_id) VALUES (?, ?)", (source, document_id)
        )

    async def end_reading(self, document_id: int) -> None:
        """Note that all of its pages are stored."""
        await self._db.execute(
            "UPDATE documents SET read_at = ? WHERE id = ?", (to_utc_text(self._clock.now()), document_id)
        )

    async def of_hash(self, sha256: str) -> Document | None:
        """Return the document whose bytes have this hash."""
        rows = await self._db.fetch_all(f"{_READ} WHERE sha256 = ?", (sha256,))
        return _document(rows[0]) if rows else None

    async def of_bytes(self, data: bytes) -> Document | None:
        """Return the document that these bytes are."""
        return await self.of_hash(hashlib.sha256(data).hexdigest())

    async def handed_over_with(self, sources: Iterable[str]) -> list[Document]:
        """Return the documents that came with entries of these sources."""
        rows = await self._db.fetch_all(
            f"{_READ} WHERE id IN (SELECT h.document_id FROM json_each(?) e JOIN handed_over h"
            " ON h.source > e.value || '/' AND h.source < e.value || '0') ORDER BY id",  # 0 comes next after /
            (json.dumps(list(sources)),),
        )
        return [_document(row) for row in rows]

    async def page_ids(self, document_id: int, *, number: int | None = None) -> list[int]:
        """Return the messages that hold its pages, in order; of one page alone if its number is given."""
        if number is not None:
            where, bounds = "source = ?", [f"{PAGES}{document_id}:{number}"]
        else:  # ; comes next after :
            where, bounds = "source > ? AND source < ?", [f"{PAGES}{document_id}:", f"{PAGES}{document_id};"]
        rows = await self._db.fetch_all(f"SELECT id FROM messages WHERE {where} ORDER BY id", bounds)
        return [int(row["id"]) for row in rows]

    async def by_ids(self, ids: Iterable[int]) -> list[Document]:
        """Return the documents that exist among `ids`."""
        rows = await self._db.fetch_all(
            f"{_READ} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (json.dumps(sorted(set(ids))),)
        )
        return [_document(row) for row in rows]


def document_of(source: str | None) -> int | None:
    """Return the document to which the message with a source belongs."""
    if source is None or not source.startswith(PAGES):
        return None
    return int(source.removeprefix(PAGES).partition(":")[0])


def page_of(message: Message) -> int:
    """Return the number of the page that a message holds."""
    return int((message.source or "").rpartition(":")[2])


def _document(row: Row) -> Document:
    return Document(
        id=row["id"],
        sha256=row["sha256"],
        kind=row["kind"],
        pages=row["pages"],
        parts=row["parts"],
        chars=row["chars"],
        trouble=row["trouble"],
        is_read=bool(row["is_read"]),
    )
