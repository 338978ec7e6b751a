"""Recall: finds segments and facts by meaning, by manifest or by hash, and packs them for a prompt.

scope (inside the query) → rank → fuse → floor → pack, with a reason for whatever is left out. The same functions serve
the prompt, the tool, `/recall` and the command line. Every segment is re-read from its message and its hash checked
before it is returned. A superseded value is never returned as a fact. Nothing here writes.
"""

import json
import string
from collections.abc import Sequence
from dataclasses import replace

from memory.messages import estimate_tokens
from memory.ports import Clock
from memory.recall.embed import VectorStore
from memory.recall.fuse import USUAL_COSINE, fuse
from memory.recall.items import EVERYWHERE, Excluded, Found, Item, Packed, Scope
from memory.recall.pack import Packer
from memory.recall.procedures import ProcedureSearch
from memory.recall.rank import RankedFact, RankedSegment, Ranking, Weights
from memory.recall.segments import Segment, checked
from memory.recall.sources import lifted
from memory.recall.terms import asks_only, is_small_talk
from memory.store.database import Database, Row, from_utc_text
from memory.store.documents import document_of
from memory.store.preferences import Zones
from memory.store.procedures import ProcedureStore

MIN_PREFIX = 6
_READ = (
    "SELECT s.id, s.message_id, s.ordinal, s.start, s.stop, s.sha256, m.text, m.at, m.ref, m.role, m.author, m.turn_id,"
    " m.source, m.origin,"
    " EXISTS (SELECT 1 FROM facts f WHERE f.status IN ('superseded', 'retracted') AND (f.message_id = m.id"
    " OR f.id IN (SELECT fact_id FROM fact_sources WHERE message_id = m.id))) AS is_outdated"
    " FROM segments s JOIN messages m ON m.id = s.message_id"
    " WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.message_id, s.ordinal"
)
DEFAULT_BUDGET_TOKENS = 900
_POOL = 32
"""Segments that are looked at with what stands around them. More was measured and gained nothing."""
_CANDIDATES, _LINE_TOKENS = 40, 25
"""How far down the ranked list packing goes, and reasons are given: further where more of the shortest lines fit."""
_CHOICE = 3
"""How many times as many candidates by words meaning may choose from."""
HALF_LIFE_DAYS = 30
_ECHO_WEIGHT = 0.1
_QUESTION_WEIGHT = 0.8
_ASKED = ("?", "？", "؟")


class Recall:
    """Reads one space. `recency` is the part of a score, 0 to 1, that goes by age instead of by what matched."""

    def __init__(
        self,
        database: Database,
        zones: Zones,
        clock: Clock,
        *,
        vectors: VectorStore | None = None,
        recency: float = 0.0,
    ) -> None:
        self._db = database
        self._zones = zones
        self._clock = clock
        self._vectors = vectors
        self._recency = recency
        self._ranking = Ranking(database)
        self._procedures = ProcedureSearch(ProcedureStore(database, clock), self._ranking)

    async def search(
        self,
        query: str,
        *,
        k: int = 10,
        scope: Scope = EVERYWHERE,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        in_window: frozenset[int] = frozenset(),
    ) -> Found:
        """Return the `k` best matches before floor, packing and window; `excluded` tells what those would leave out.

        Facts stand in a prompt by the ledger's rules, so only segments are left out. `ms` is wall time.
        """
        began = self._clock.now()
        weights, items, damaged = await self._ranked(query, scope, k=k, budget_tokens=budget_tokens)
        segments = [item for item in items[:k] if item.layer == "segment"]
        dropped = self._pack(segments, weights, budget_tokens=budget_tokens, in_window=in_window).excluded
        beyond = [Excluded(item.id, "k") for item in items[k:]]
        ms = (self._clock.now() - began).total_seconds() * 1000
        return Found(query, items[:k], [*damaged, *dropped, *beyond], ms)

    async def pack(self, query: str, *, budget_tokens: int, in_window: frozenset[int] = frozenset()) -> Packed:
        """Return what a prompt gets: segments above the floor that do not stand in it anyway, within the tokens.

        Facts are left to the ledger. Greetings, thanks and bare question words bring nothing.
        """
        if is_small_talk(query):
            return Packed()
        scope = Scope(layers=frozenset({"segment"}))
        weights, items, damaged = await self._ranked(query, scope, k=0, budget_tokens=budget_tokens)
        packed = self._pack(items, weights, budget_tokens=budget_tokens, in_window=in_window)
        return Packed(packed.text, packed.items, [*damaged, *packed.excluded])

    async def pack_procedures(self, query: str, *, budget_tokens: int) -> Packed:
        """Return the procedures that a message asks for, each whole, within the tokens."""
        return await self._procedures.pack(query, budget_tokens=budget_tokens)

    async def by_ids(self, segment_ids: Sequence[int]) -> list[Item]:
        """Return these segments as they stand now, in the order of the transcript; damaged ones are left out."""
        return await self._read(segment_ids)

    async def by_hash(self, prefix: str) -> Item | None:
        """Return the text whose SHA-256 begins so; None for fewer than six hex digits, none, or several texts."""
        prefix = prefix.strip().lower()
        if not MIN_PREFIX <= len(prefix) <= 64 or not set(prefix) <= set(string.hexdigits):
            return None
        rows = await self._db.fetch_all(
            "SELECT id, sha256 FROM segments WHERE sha256 >= ? AND sha256 < ? ORDER BY id", (prefix, prefix + "g")
        )
        if len({row["sha256"] for row in rows}) != 1:
            return None
        items = await self._read([row["id"] for row in rows])
        if not items:
            return None
        refs = tuple(dict.fromkeys(ref for item in items for ref in item.refs))
        return replace(items[0], refs=refs)

    async def by_manifest(self, handoff_id: int) -> list[Item]:
        """Return what left the prompt with a handoff and is as it was then, in the order of the transcript."""
        rows = await self._db.fetch_all(
            "SELECT m.segment_id FROM manifest m JOIN segments s ON s.id = m.segment_id AND s.sha256 = m.sha256"
            " WHERE m.handoff_id = ? AND m.route <> 'DROP' ORDER BY m.segment_id",
            (handoff_id,),
        )
        return await self._read([row["segment_id"] for row in rows])

    async def _ranked(
        self, query: str, scope: Scope, *, k: int, budget_tokens: int
    ) -> tuple[Weights, list[Item], list[Excluded]]:
        """Return the candidates, best first, and those whose text is not what was hashed."""
        count = max(k, _CANDIDATES, budget_tokens // _LINE_TOKENS)
        weights = await self._ranking.weights(query)
        if not weights.idf:
            return weights, [], []
        facts = await self._ranking.facts(query, weights, scope)
        ranked = await self._segments(query, weights, scope, facts, pool=max(k, _POOL, count // 2), count=count)
        procedures = await self._procedures.ranked(query, weights, scope) if "procedure" in scope.layers else []
        read = {item.id: item for item in await self._read([segment.id for segment in ranked])}
        damaged = [Excluded(f"s{segment.id}", "hash") for segment in ranked if f"s{segment.id}" not in read]
        found = [
            replace(item, score=_discounted(segment.score, item.text, weights), share=segment.share)
            for segment in ranked
            if (item := read.get(f"s{segment.id}")) is not None
        ]
        told = [_fact_item(fact) for fact in facts] if "fact" in scope.layers else []
        candidates = self._aged([*told, *procedures, *found])
        fused = sorted(candidates, key=lambda item: -item.score)[:count]
        if is_small_talk(query):
            fused = [replace(item, share=0.0) for item in fused]
        return weights, fused, damaged

    def _aged(self, items: list[Item]) -> list[Item]:
        """Blend what matched with how old it is: (1 - w) x score + w x best score x 2^(-age / half-life)."""
        if not self._recency or not items:
            return items
        best, now = max(item.score for item in items), self._clock.now()
        ages = [max(0.0, (now - item.at).total_seconds() / 86_400) for item in items]
        return [
            replace(item, score=(1 - self._recency) * item.score + self._recency * best * 2 ** (-age / HALF_LIFE_DAYS))
            for item, age in zip(items, ages, strict=True)
        ]

    async def _segments(
        self, query: str, weights: Weights, scope: Scope, facts: Sequence[RankedFact], *, pool: int, count: int
    ) -> list[RankedSegment]:
        """Rank by words, by the facts read there and, as far as there are vectors, by meaning."""
        if "segment" not in scope.layers:
            return []
        if self._vectors is None or self._vectors.name is None:
            ranked = await self._ranking.segments(weights, scope, pool=pool, count=count)
            return (await lifted(self._db, ranked, facts, scope))[:count]
        ranked = await self._ranking.segments(weights, scope, pool=pool, count=_CHOICE * count)
        ranked = await lifted(self._db, ranked, facts, scope)
        near = await self._vectors.near(query, count=count, also=[one.id for one in ranked], scope=scope)
        return fuse(ranked, near, count=count, usual=USUAL_COSINE.get(self._vectors.name))

    def _pack(
        self, items: Sequence[Item], weights: Weights, *, budget_tokens: int, in_window: frozenset[int]
    ) -> Packed:
        return Packer(budget_tokens, self._zones.zone, weights.of_text, in_window).pack(items)

    async def _read(self, segment_ids: Sequence[int]) -> list[Item]:
        """Re-read segments from their messages, in the order of the transcript; damaged ones are left out."""
        rows = await self._db.fetch_all(_READ, (json.dumps(list(segment_ids)),))
        return [_segment_item(segment, row) for row in rows if (segment := checked(row)) is not None]


def _discounted(score: float, text: str, weights: Weights) -> float:
    """Return less for a text that ends in a question, little for one that asks only what the query asks."""
    if score <= 0 or not text.rstrip().endswith(_ASKED):
        return score
    return score * (_ECHO_WEIGHT if asks_only(text, weights.idf.keys()) else _QUESTION_WEIGHT)


def _segment_item(segment: Segment, row: Row) -> Item:
    return Item(
        id=f"s{segment.id}",
        layer="segment",
        text=segment.text,
        score=0.0,
        at=from_utc_text(row["at"]),
        refs=(row["ref"],) if row["ref"] is not None else (),
        turn=row["turn_id"],
        message=segment.message_id,
        tokens=estimate_tokens(segment.text),
        role=row["role"],
        author=row["author"],
        sha256=segment.sha256,
        is_outdated=bool(row["is_outdated"]),
        origin=row["origin"],
        document=document_of(row["source"]),
    )


def _fact_item(fact: RankedFact) -> Item:
    row = fact.row
    text = f"{row['subject']}: {row['value']}"
    return Item(
        id=f"f{row['id']}",
        layer="fact",
        text=text,
        score=fact.score,
        share=fact.share,
        at=from_utc_text(row["since"]),
        refs=(),
        turn=row["turn_id"],
        message=row["message_id"],
        tokens=estimate_tokens(text),
        author=row["by"],
    )
