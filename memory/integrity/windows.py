"""What a handoff stands for: the words of its window as they are stored, and the segments its manifest names."""

import json
from dataclasses import dataclass
from functools import cached_property

from pydantic import ValidationError

from memory.compaction.claims import Source
from memory.forget.masking import MASK
from memory.messages import ResultPart, parts_from_json
from memory.store.database import Database, Row


@dataclass(frozen=True)
class StoredWindow:
    """The words of all versions of its messages: an edit may be older or newer than the handoff.

    `text` None: a message cannot be read.
    """

    text: str | None
    authors: frozenset[str]
    hashes: tuple[str, ...]

    @property
    def can_be_compared(self) -> bool:
        """Whether it is what the handoff was made from: readable, and nothing of it forgotten since."""
        return self.text is not None and MASK not in self.text

    @cached_property
    def source(self) -> Source:
        return Source(self.text or "")

    @cached_property
    def _flat(self) -> str:
        return " ".join((self.text or "").split())

    def quotes(self, words: str) -> bool:
        """Tell whether words stand in it, spaces aside; they may have been cut off at either end."""
        return " ".join(words.split()).strip("…").strip() in self._flat


async def window_of(database: Database, handoff_id: int) -> StoredWindow:
    """Return what a handoff stands for."""
    rows = await database.fetch_all(
        "SELECT m.text, m.body, m.author, m.role FROM handoffs h JOIN messages m ON m.session_id = h.session_id"
        " AND coalesce(m.replaces, m.id) BETWEEN h.first_message_id AND h.last_message_id WHERE h.id = ?",
        (handoff_id,),
    )
    named = await database.fetch_all("SELECT sha256 FROM manifest WHERE handoff_id = ?", (handoff_id,))
    try:
        text = "\n".join(_spoken(row) for row in rows)
    except ValidationError:
        text = None
    authors = frozenset(row["author"] for row in rows if row["author"] and row["role"] == "user")
    return StoredWindow(text, authors, tuple(row["sha256"] for row in named))


def _spoken(row: Row) -> str:
    parts = parts_from_json(row["body"])
    results = (json.dumps(part.response, ensure_ascii=False) for part in parts if isinstance(part, ResultPart))
    return "\n".join([row["text"], *results])
