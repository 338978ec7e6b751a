"""Vectors: what segments mean, made by an embedder, kept in the space's own file and compared with a query.

A segment is embedded together with what stood just before it in the talk. Which segments are due, and which vectors go
because words changed, moved or were forgotten, is decided by triggers of the schema in the transaction that changes the
index; here due segments get their vectors and a query its neighbours. Recall works without: no embedder, no vectors,
other vectors, a fault or a slow answer all mean an empty result. Vectors of two embedders are never compared.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.errors import ModelFault, ModelMisconfigured, ModelRefused
from memory.ports import Embedder
from memory.recall.items import EVERYWHERE, Scope
from memory.recall.matrix import Matrix, Nearness, quantise
from memory.recall.nearby import TALK_GAP
from memory.store.database import Database, Row, from_utc_text, to_utc_text

BATCH = 64
QUERY_TIMEOUT_S = 0.3
"""What a question waits for its vector; after that it is answered by words alone."""
DOCUMENTS_TIMEOUT_S = 60.0

_BEFORE = 2
_SOURCE_CHARS = 400
_KEPT_QUERIES = 8
_PAGE = 4096
_REFUSED = b""
"""The vector of words that the embedder does not take: they are found by words alone."""

_NEWEST = "coalesce((SELECT max(n.id) FROM messages n WHERE n.replaces = p.id), p.id)"
_OWN = (
    "SELECT s.id, s.ordinal, s.start, s.stop, m.text, m.author, p.id AS place, p.session_id, p.at FROM segments s"
    " JOIN messages m ON m.id = s.message_id JOIN messages p ON p.id = coalesce(m.replaces, m.id)"
    " WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.id"
)
_BEFORE_IT = (
    "SELECT s.id, s.start, s.stop, m.text, m.author, near.at FROM"
    f" (SELECT p.id AS place, {_NEWEST} AS id, p.at FROM messages p WHERE p.session_id IS ? AND p.replaces IS NULL"
    " AND p.role IN ('user', 'model') AND p.text <> '' AND p.id < ? ORDER BY p.id DESC LIMIT ?) near"
    " JOIN messages m ON m.id = near.id JOIN segments s ON s.id ="
    " (SELECT t.id FROM segments t WHERE t.message_id = near.id ORDER BY t.ordinal DESC LIMIT 1)"
    " ORDER BY near.place DESC"
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Window:
    """What is embedded for a segment: its text after that of its sources."""

    segment_id: int
    text: str
    sources: tuple[int, ...]

    @property
    def sha256(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()


class VectorStore:
    """The vectors of one space. Without an embedder it holds its peace."""

    def __init__(
        self, database: Database, embedder: Embedder | None, *, query_timeout_s: float = QUERY_TIMEOUT_S
    ) -> None:
        self._db = database
        self._embedder = embedder
        self._query_timeout_s = query_timeout_s
        self._epoch = b""
        self._matrix: Matrix | None = None
        self._queries: dict[str, list[float]] = {}

    async def missing(self, limit: int) -> list[int]:
        """Return segments whose vector is still to be made: what was said here first, then what was imported."""
        if self._embedder is None:
            return []
        await self._adopt(self._embedder.name)
        rows = await self._db.fetch_all(
            "SELECT segment_id FROM vectors_due ORDER BY is_imported, segment_id LIMIT ?", (limit,)
        )
        return [row["segment_id"] for row in rows]

    async def due(self) -> str | None:
        """Return a key for the work that waits, another one whenever it is other work; None when none does."""
        if self._embedder is None:
            return None
        await self._adopt(self._embedder.name)
        row = await self._db.fetch_one(
            "SELECT max(segment_id) AS last, (SELECT hex(vectors_epoch) FROM profile) AS epoch FROM vectors_due"
        )
        return f"{row['last']}:{row['epoch']}" if row is not None and row["last"] is not None else None

    async def drop_due(self) -> None:
        """Leave without a vector what has none: for a copy of a memory, whose vectors are made elsewhere.

        Without an embedder nothing is made here anyway, and all stays due. Joins the caller's transaction.
        """
        if self._embedder is not None:
            await self._db.execute("DELETE FROM vectors_due")

    async def fill(self, limit: int = BATCH) -> int:
        """Make the vectors of up to `limit` segments and return how many were dealt with; 0 when none is due.

        Opens its own transactions. What changed while the embedder worked stays due.

        Raises: ModelFault; nothing is stored then.
        """
        due = await self.missing(limit)
        if self._embedder is None or not due:
            return 0
        windows = await self._windows(due)
        made = await self._embed(self._embedder, windows)
        await self._store(self._embedder.name, windows, made)
        return len(due)

    async def outdated(self) -> list[int]:
        """Return the segments whose vector was made of other words than stand there now."""
        found: list[int] = []
        last = -1
        while rows := await self._db.fetch_all(
            "SELECT segment_id, text_sha256 FROM vectors WHERE segment_id > ? ORDER BY segment_id LIMIT ?",
            (last, BATCH),
        ):
            last = rows[-1]["segment_id"]
            now = {window.segment_id: window.sha256 for window in await self._windows([r["segment_id"] for r in rows])}
            found += [row["segment_id"] for row in rows if now.get(row["segment_id"]) != row["text_sha256"]]
        return found

    @property
    def name(self) -> str | None:
        """Whose vectors these are."""
        return self._embedder.name if self._embedder is not None else None

    async def near(self, query: str, *, count: int, also: Collection[int] = (), scope: Scope = EVERYWHERE) -> Nearness:
        """Return how near the `count` segments nearest in meaning are, and those in `also` as far as they have vectors.

        Empty without an embedder, without vectors, or when the query's own vector does not come in time. The embedder
        is asked in here: not for use inside a transaction or a snapshot.
        """
        if self._embedder is None or "segment" not in scope.layers or not query.strip() or count < 1:
            return Nearness()
        matrix = await self._current(self._embedder.name)
        if matrix is None:
            return Nearness()
        asked = await self._asked(self._embedder, query)
        if asked is None or len(asked) != matrix.size:
            return Nearness()
        only = await self._within(scope)
        return await asyncio.to_thread(matrix.near, asked, count, also=also, only=only)

    # The query

    async def _asked(self, embedder: Embedder, query: str) -> list[float] | None:
        """Return the vector of a query; None when it does not come in time or has no direction."""
        if query in self._queries:
            return self._queries[query]
        try:
            async with asyncio.timeout(self._query_timeout_s):
                (vector,) = await embedder.embed([query], task="query", timeout_s=self._query_timeout_s)
            quantise(vector)
        except (ModelFault, TimeoutError, ValueError) as error:
            _log.info("query not embedded: %s", type(error).__name__)
            return None
        if len(self._queries) == _KEPT_QUERIES:
            del self._queries[next(iter(self._queries))]
        self._queries[query] = vector
        return vector

    async def _within(self, scope: Scope) -> list[int] | None:
        """Return the segments a scope allows; None for all."""
        wanted: list[tuple[str, datetime | str | None]] = [
            ("m.at >= ?", scope.since),
            ("m.at < ?", scope.until),
            ("m.role = ?", scope.role),
        ]
        limits = [(sql, value) for sql, value in wanted if value is not None]
        if not limits:
            return None
        rows = await self._db.fetch_all(
            "SELECT s.id FROM messages m JOIN segments s ON s.message_id = m.id WHERE "
            + " AND ".join(sql for sql, _ in limits),
            [to_utc_text(value) if isinstance(value, datetime) else value for _, value in limits],
        )
        return [row["id"] for row in rows]

    # What is in memory

    async def _current(self, name: str) -> Matrix | None:
        """Return the vectors as they are in the file now; None when there are none of this embedder."""
        async with self._db.snapshot():
            row = await self._db.fetch_one("SELECT embedder, vectors_epoch FROM profile")
            if row is None or row["embedder"] != name:
                return None
            if self._matrix is None or row["vectors_epoch"] != self._epoch:
                self._matrix, self._epoch = await self._read(), row["vectors_epoch"]
            return self._matrix

    async def _read(self) -> Matrix | None:
        matrix: Matrix | None = None
        last = -1
        while True:
            rows = await self._db.fetch_all(
                "SELECT segment_id, vector FROM vectors WHERE segment_id > ? AND vector <> x''"
                " ORDER BY segment_id LIMIT ?",
                (last, _PAGE),
            )
            if not rows:
                return matrix
            if matrix is None:
                matrix = Matrix(len(rows[0]["vector"]))
            matrix.add([row["segment_id"] for row in rows], [row["vector"] for row in rows])
            last = rows[-1]["segment_id"]

    # Filling

    async def _adopt(self, name: str) -> None:
        """Make the file this embedder's: the vectors of another go, and what they stood for is due again."""
        row = await self._db.fetch_one("SELECT embedder FROM profile")
        if row is not None and row["embedder"] != name:
            async with self._db.transaction():
                await self._db.execute("DELETE FROM vectors")
                await self._db.execute("UPDATE profile SET embedder = ?", (name,))

    async def _windows(self, segment_ids: Sequence[int]) -> list[Window]:
        async with self._db.snapshot():
            rows = await self._db.fetch_all(_OWN, (json.dumps(list(segment_ids)),))
            return [await self._window(row) for row in rows]

    async def _window(self, own: Row) -> Window:
        """Return a segment with the ends of the messages before it, up to a silence that ends the talk."""
        before: list[Row] = []
        last = from_utc_text(own["at"])
        if own["ordinal"] == 0:
            for row in await self._db.fetch_all(_BEFORE_IT, (own["session_id"], own["place"], _BEFORE)):
                at = from_utc_text(row["at"])
                if abs(at - last) > TALK_GAP:
                    break
                before.insert(0, row)
                last = at
        lines = [*(_line(row, _words(row)[-_SOURCE_CHARS:]) for row in before), _line(own, _words(own))]
        return Window(own["id"], "\n".join(lines), tuple(row["id"] for row in before))

    async def _embed(self, embedder: Embedder, windows: Sequence[Window]) -> dict[int, bytes]:
        """Return the vector of each window; a text the embedder refuses by itself gets none."""
        try:
            vectors = await embedder.embed(
                [window.text for window in windows], task="document", timeout_s=DOCUMENTS_TIMEOUT_S
            )
        except ModelRefused:
            if len(windows) == 1:
                raise
            return await self._embed_apart(embedder, windows)
        if len(vectors) != len(windows) or len({len(vector) for vector in vectors}) > 1:
            raise ModelMisconfigured(f"{embedder.name} did not give one vector of one size for each text")
        try:
            return {w.segment_id: quantise(vector) for w, vector in zip(windows, vectors, strict=True)}
        except ValueError:
            raise ModelMisconfigured(f"{embedder.name} gave a vector that is none") from None

    async def _embed_apart(self, embedder: Embedder, windows: Sequence[Window]) -> dict[int, bytes]:
        """Embed each half by itself, so that one text does not stand in the way of all others.

        Raises: ModelRefused when every text is refused: the fault is not in the texts.
        """
        made: dict[int, bytes] = {}
        refusal: ModelRefused | None = None
        middle = len(windows) // 2
        for half in (windows[:middle], windows[middle:]):
            try:
                made |= await self._embed(embedder, half)
            except ModelRefused as error:
                refusal = error
        if not made and refusal is not None:
            raise refusal
        return made

    async def _store(self, name: str, windows: Sequence[Window], made: Mapping[int, bytes]) -> None:
        """Keep the vectors of those segments whose words are still the same; a refused one has none for good."""
        async with self._db.transaction():
            profile = await self._db.fetch_one("SELECT embedder, vectors_epoch FROM profile")
            assert profile is not None
            due = await self._still_due(windows)
            await self._check_size(name, made)
            for window in due:
                await self._keep(window, made.get(window.segment_id, _REFUSED))
            after = await self._db.fetch_one("SELECT vectors_epoch FROM profile")
        if self._matrix is not None and after is not None and self._epoch == profile["vectors_epoch"]:
            kept = [window.segment_id for window in due if window.segment_id in made]
            self._matrix.add(kept, [made[segment_id] for segment_id in kept])
            self._epoch = after["vectors_epoch"]

    async def _still_due(self, windows: Sequence[Window]) -> list[Window]:
        ids = json.dumps([window.segment_id for window in windows])
        rows = await self._db.fetch_all(
            "SELECT segment_id FROM vectors_due WHERE segment_id IN (SELECT value FROM json_each(?))", (ids,)
        )
        now = {window.segment_id: window for window in await self._windows([row["segment_id"] for row in rows])}
        return [window for window in windows if now.get(window.segment_id) == window]

    async def _check_size(self, name: str, made: Mapping[int, bytes]) -> None:
        row = await self._db.fetch_one("SELECT length(vector) AS size FROM vectors WHERE vector <> x'' LIMIT 1")
        new = {len(vector) for vector in made.values()}
        if row is not None and new and new != {row["size"]}:
            raise ModelMisconfigured(
                f"{name} gives vectors of {min(new)} numbers now, those in this memory have {row['size']}"
            )

    async def _keep(self, window: Window, vector: bytes) -> None:
        await self._db.execute(
            "INSERT INTO vectors (segment_id, text_sha256, vector) VALUES (?, ?, ?)",
            (window.segment_id, window.sha256, vector),
        )
        for source in window.sources:
            await self._db.execute(
                "INSERT INTO vector_sources (source_id, segment_id) VALUES (?, ?)", (source, window.segment_id)
            )


def _line(row: Row, words: str) -> str:
    return f"{row['author']}: {words}" if row["author"] else words


def _words(row: Row) -> str:
    return str(row["text"][row["start"] : row["stop"]])
