"""The searches a member may page through: the question and what it found then, by ids alone.

Texts are read anew whenever a page is shown, so what was forgotten meanwhile is gone here too. Only the newest are
kept, and none outlives a forgetting.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memory.ports import Clock
from memory.store.database import Database, to_utc_text

KEPT = 50


@dataclass(frozen=True)
class Hit:
    """Something found: its id (s12, f12, p12), how well it matched, why a prompt would leave it out or None."""

    ref: str
    score: float
    share: float
    reason: str | None = None


@dataclass(frozen=True)
class Search:
    """A question and its hits, best first; `left_out` are candidates that are not shown, with the reason."""

    question: str
    hits: tuple[Hit, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    id: int = 0


class RecallStore:
    """The newest searches of one space. Every write joins the caller's transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def keep(self, search: Search) -> int:
        """Keep a search and return its id; the oldest beyond those kept goes."""
        found = json.dumps({"hits": [asdict(hit) for hit in search.hits], "left_out": search.left_out})
        written = await self._db.execute(
            "INSERT INTO recalls (question, found, at) VALUES (?, ?, ?)",
            (search.question, found, to_utc_text(self._clock.now())),
        )
        await self._db.execute("DELETE FROM recalls WHERE id <= ?", (written.rowid - KEPT,))
        return written.rowid

    async def search(self, search_id: int) -> Search | None:
        """Return a search; None when it is no longer kept."""
        row = await self._db.fetch_one("SELECT question, found FROM recalls WHERE id = ?", (search_id,))
        if row is None:
            return None
        found = json.loads(row["found"])
        left_out: Sequence[Sequence[str]] = found["left_out"]
        hits = tuple(Hit(**hit) for hit in found["hits"])
        return Search(row["question"], hits, tuple((ref, reason) for ref, reason in left_out), search_id)

    async def clear(self) -> None:
        await self._db.execute("DELETE FROM recalls")
