"""Ranking: which segments and facts match a query, how well, and how much of what it asks for they hold.

Segments are ranked by the full-text table's BM25 over four columns; facts, few and short, by the same idf weights.
Whatever a person typed reaches the full-text table as quoted terms only, never as its query syntax.
"""

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from memory.ledger import subjects
from memory.recall.items import Scope
from memory.recall.nearby import stretches
from memory.recall.scoring import scored
from memory.recall.terms import Query, query, terms
from memory.store.database import Database, Row, to_utc_text

FACT_WEIGHT = 1.5  # what BM25 makes of a term's idf in a short text
_PRIOR = 1000
_SHORT_NUMBER = 3
_COUNTED_TERMS = 200
_RANKED_TERMS = 40
_MASS_TERMS = 12
_SCORED_ROWS = 5_000

_MATCHES = (
    "SELECT segments_fts.rowid AS id FROM segments_fts{joins} WHERE segments_fts MATCH :match{conditions}"
    " ORDER BY bm25(segments_fts, 1.0, 1.0, 0.5) LIMIT :pool"
)
"""Columns weigh in the order body, speaker, date."""
_SCOPED = " JOIN segments s ON s.id = segments_fts.rowid JOIN messages m ON m.id = s.message_id"
_FACTS = (
    "SELECT f.id, f.subject, f.value, f.quote, f.question, f.since, f.by, f.message_id, m.turn_id FROM facts f"
    " LEFT JOIN messages m ON m.id = f.message_id WHERE f.status = 'active' AND f.id IN"
    " (SELECT fact_id FROM fact_terms WHERE term IN (SELECT value FROM json_each(:words)))"
)


@dataclass(frozen=True)
class Weights:
    """What a query asks for, each term with its idf; `mass` is the idf of a full match."""

    idf: dict[str, float]
    mass: float
    ranked: tuple[str, ...]
    """The terms that choose candidates, rarest first."""

    def of(self, found: Set[str]) -> float:
        """Return the idf mass of those of these terms that the query asks for."""
        return sum(weight for term, weight in self.idf.items() if term in found)

    def share(self, found: Set[str]) -> float:
        """Return how much of what the query asks for is among these terms, 0 to 1."""
        return min(1.0, self.of(found) / self.mass) if self.mass else 0.0

    def graded(self, counts: Mapping[str, float]) -> float:
        """Return the same where a term that counts less than 1 holds only that much of its part."""
        held = sum(self.idf[term] * min(1.0, count) for term, count in counts.items())
        return min(1.0, held / self.mass) if self.mass else 0.0

    def of_text(self, text: str) -> float:
        return self.of(_terms_of(text))


@dataclass(frozen=True)
class RankedSegment:
    """The id of a segment that matched, its score, and the share of the query it holds."""

    id: int
    score: float
    share: float


@dataclass(frozen=True)
class RankedFact:
    """The row of a fact that matched, its score, and the share of the query it holds."""

    row: Row
    score: float
    share: float


class Ranking:
    """Ranks what one space holds against a query."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def weights(self, text: str) -> Weights:
        """Return the terms of a query and their idf here; those that occur nowhere are in the mass too.

        A very long query counts by its rarest terms, so that one matching sentence can still pass the floor.
        """
        asked = query(text)
        counted = list(dict.fromkeys(asked.terms))[:_COUNTED_TERMS]
        rows = await self._db.fetch_all(
            "SELECT value AS term, (SELECT count(*) FROM segments_fts WHERE segments_fts MATCH '\"' || value || '\"')"
            " AS df, (SELECT max(id) FROM segments) AS total, EXISTS (SELECT 1 FROM segments_fts WHERE segments_fts"
            " MATCH 'speaker : \"' || value || '\"') AS is_speaker FROM json_each(?)",
            (json.dumps(counted),),
        )
        are_all_speakers = all(row["is_speaker"] for row in rows)
        idf = {
            row["term"]: _speaker_weight(row["total"], row["df"])
            if row["is_speaker"] and not are_all_speakers
            else _weight(row["term"], row["total"] or 0, row["df"])
            for row in rows
        }
        heard = {row["term"]: int(row["df"]) for row in rows}
        return Weights(idf, _mass(asked, idf), _affordable(idf, heard))

    async def segments(self, weights: Weights, scope: Scope, *, pool: int, count: int) -> list[RankedSegment]:
        """Return up to `count` segments, best first. A speaker whom the query names counts for more.

        The `pool` that match best by their own words or date are looked at again with what stands around them, and
        their neighbours enter with them.
        """
        conditions, params = _conditions(scope, time="m.at")
        params["match"] = " OR ".join(f'"{term}"' for term in weights.ranked)
        # What another role said can be the context of what is sought, but never crowds it out.
        roles = [" AND m.role = :role", " AND m.role <> :role"] if scope.role else [""]
        hits = []
        for role in roles:
            where = conditions + role
            rows = await self._db.fetch_all(
                _MATCHES.format(joins=_SCOPED if where else "", conditions=where),
                {"pool": pool, "role": scope.role, **params},
            )
            hits += [row["id"] for row in rows]
        found = scored(await stretches(self._db, hits, scope), weights.idf)
        return [RankedSegment(one.id, one.score, weights.graded(one.counts)) for one in found[:count]]

    async def facts(self, text: str, weights: Weights, scope: Scope) -> list[RankedFact]:
        """Return active facts that share words with the query, best first."""
        conditions, params = _conditions(scope, time="f.since")
        if scope.role not in {None, "user"}:
            return []
        words = json.dumps(subjects.terms(text))
        rows = await self._db.fetch_all(_FACTS + conditions, {"words": words, **params})
        found = [(_terms_of(row["subject"], row["value"], row["quote"], row["question"]), row) for row in rows]
        ranked = [RankedFact(row, FACT_WEIGHT * weights.of(held), weights.share(held)) for held, row in found]
        return sorted((fact for fact in ranked if fact.score > 0), key=lambda fact: -fact.score)


def _weight(term: str, total: int, df: int) -> float:
    """Return a term's idf as if `_PRIOR` other segments lay beside these: a new memory is no corpus to count words in.

    A word never heard here weighs as much as one heard once. Short numbers occur in everything and count half.
    """
    heard = min(max(df, 1), total + _PRIOR)
    idf = math.log(1 + (total + _PRIOR - heard + 0.5) / (heard + 0.5))
    return idf / 2 if term.isdecimal() and len(term) <= _SHORT_NUMBER else idf


def _speaker_weight(total: int, df: int) -> float:
    """Return the idf of a speaker's name, 0 where they say or hear half of everything: the boost tells who is meant."""
    return max(0.0, math.log((total - df + 0.5) / (df + 0.5)))


def _affordable(idf: dict[str, float], heard: dict[str, int]) -> tuple[str, ...]:
    """Return the terms worth looking up, rarest first: BM25 costs by the rows they occur in.

    In a large memory the most frequent ones are left out: what they match alone would not be ranked high anyway.
    """
    rarest = sorted((term for term in idf if idf[term]), key=lambda term: -idf[term])[:_RANKED_TERMS]
    rows = accumulate(heard[term] for term in rarest)
    return tuple(term for n, (term, sum_) in enumerate(zip(rarest, rows, strict=True)) if n < 2 or sum_ <= _SCORED_ROWS)


def _mass(asked: Query, idf: dict[str, float]) -> float:
    heaviest: Sequence[float] = sorted((idf[term] for term in asked.wanted if term in idf), reverse=True)
    return sum(heaviest[:_MASS_TERMS])


def _conditions(scope: Scope, *, time: str) -> tuple[str, dict[str, str]]:
    conditions, params = "", {}
    if scope.since is not None:
        conditions, params["since"] = f" AND {time} >= :since", to_utc_text(scope.since)
    if scope.until is not None:
        conditions, params["until"] = f"{conditions} AND {time} < :until", to_utc_text(scope.until)
    return conditions, params


@lru_cache(maxsize=4096)
def _terms_of(*texts: str) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text))
