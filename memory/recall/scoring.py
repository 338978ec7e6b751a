"""Scoring: how well each segment of a stretch of talk answers a query, its neighbours and the best hits considered.

Three steps, all pure. BM25 (S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework", 2009) over a
segment's own words and, discounted by distance, those around it. A boost for a speaker whom the query names. Then a
second look at the best: words that they share and the query lacks count a little too, which gathers what is scattered.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from memory.recall.nearby import Placed, Stretch

NEAR: Mapping[int, float] = {-4: 0.2, -3: 0.3, -2: 0.4, -1: 0.5, 1: 0.4, 2: 0.3, 3: 0.2}
"""What a neighbour's word counts, by its distance: an answer follows its question more often than the reverse."""

_AROUND = ((0, 1.0), *NEAR.items())
_REACHED = [(-step, weight) for step, weight in _AROUND]

SPEAKER_BOOST = 3.0
_SATURATION, _LENGTH = 1.2, 0.75  # BM25's k1 and b
_FULL_WORDS, _SHORTNESS = 30, 0.3
_SAYS = [(words / _FULL_WORDS) ** _SHORTNESS for words in range(_FULL_WORDS)]
_LOOKED_AT_AGAIN = 60
"""How many of the best the second look takes in: its cost is bounded, however large the memory."""

# Of the best 20, words that three or more share; of these the ten most telling. More weight gains depth, costs any@5.
_BEST, _SHARED_BY, _ECHOES, _ECHO_WEIGHT = 20, 3, 10, 0.15


@dataclass(frozen=True, slots=True)
class Scored:
    """A segment's score, and what each asked term counts there: 1 or more by its own words or date, less nearby."""

    id: int
    score: float
    counts: Mapping[str, float]


@dataclass(slots=True)
class _Candidate:
    """A place in a stretch, and what each asked term counts there."""

    stretch: Stretch
    place: int
    length: float
    counts: dict[str, float]
    score: float = 0.0

    @property
    def placed(self) -> Placed:
        return self.stretch[self.place]


def scored(stretches: Sequence[Stretch], idf: Mapping[str, float]) -> list[Scored]:
    """Return the segments within the scope that share terms with a query, themselves or by neighbours, best first."""
    asked = frozenset(idf)
    lengths = [_lengths(stretch) for stretch in stretches]
    mean = sum(map(sum, lengths)) / (sum(map(len, lengths)) or 1)
    found = [
        _Candidate(stretch, place, length_of[place] / mean, counts)
        for stretch, length_of in zip(stretches, lengths, strict=True)
        for place, counts in _counts(stretch, idf).items()
    ]
    for candidate in found:
        candidate.score = _bm25(candidate.counts, idf, candidate.length) * _worth(candidate.placed, asked)
    found.sort(key=_rank)
    again = found[:_LOOKED_AT_AGAIN]
    echoes = _echoes(again, asked)
    for candidate in again:
        counts = _echo_counts(candidate, echoes)
        candidate.score += _bm25(counts, echoes.idf, candidate.length) * _worth(candidate.placed, asked)
    ranked = sorted(found, key=_rank)
    return [Scored(one.placed.id, one.score, one.counts) for one in ranked if one.placed.is_wanted]


def _rank(candidate: _Candidate) -> tuple[float, int]:
    """Return what sorts best first, the earlier of two that are alike: the same in every process."""
    return -candidate.score, candidate.placed.id


def _lengths(stretch: Stretch) -> list[float]:
    """Return how much text each place holds, its neighbours' included: all of their words, so that none is favoured
    for standing at an edge.
    """
    sums = [0, *accumulate(placed.size for placed in stretch)]
    first, last, end = min(NEAR), max(NEAR) + 1, len(stretch)
    return [placed.size + sums[min(end, i + last)] - sums[max(0, i + first)] for i, placed in enumerate(stretch)]


def _counts(stretch: Stretch, idf: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """Return the places of a stretch that hold asked terms, themselves or by neighbours, and what each term counts."""
    found: dict[int, dict[str, float]] = {}
    end = len(stretch)
    says = [_says(placed) for placed in stretch]
    bodies = [placed.body for placed in stretch]
    for term in idf:
        word = f" {term} "
        for place in [place for place, body in enumerate(bodies) if word in body]:
            for step, weight in _REACHED:
                at = place + step
                if 0 <= at < end:
                    counts = found.setdefault(at, {})
                    counts[term] = counts.get(term, 0.0) + (weight * says[at] if step else 1.0)
    for place, placed in enumerate(stretch):
        if not placed.when_and_who.isdisjoint(idf):
            counts = found.setdefault(place, {})
            for term in [term for term in idf if term in placed.when_and_who]:
                counts[term] = counts.get(term, 0.0) + 1.0
    return found


def _bm25(counts: Mapping[str, float], idf: Mapping[str, float], length: float) -> float:
    full = _SATURATION * (1 - _LENGTH + _LENGTH * length)
    return (_SATURATION + 1) * sum([idf[term] * count / (count + full) for term, count in counts.items()])


def _says(placed: Placed) -> float:
    """Return how far a text can be an answer, 0 to 1: a few words hardly are one, whatever stands around them."""
    return _SAYS[placed.size] if placed.size < _FULL_WORDS else 1.0


def _worth(placed: Placed, asked: frozenset[str]) -> float:
    return math.sqrt(_says(placed)) * (1.0 if asked.isdisjoint(placed.speaker) else SPEAKER_BOOST)


@dataclass(frozen=True, slots=True)
class _Echoes:
    """Words that the best hits share, what they count, and which of them stand in which segments."""

    idf: Mapping[str, float]
    places: Mapping[int, Sequence[str]]


def _echoes(looked_at: Sequence[_Candidate], asked: frozenset[str]) -> _Echoes:
    """Return the words that most tell the best hits from the rest: pseudo-relevance feedback."""
    words = {candidate.placed.id: frozenset(candidate.placed.terms) for candidate in looked_at}
    best = looked_at[:_BEST]
    shared = Counter(chain.from_iterable(words[candidate.placed.id] for candidate in best))
    speakers = frozenset[str]().union(*(candidate.placed.speaker for candidate in best))
    likely = frozenset(word for word, count in shared.items() if count >= _SHARED_BY) - asked - speakers
    held = {segment_id: likely & holds for segment_id, holds in words.items()}
    spread = Counter(chain.from_iterable(held.values()))
    telling = {word: math.log(1 + (len(words) - df + 0.5) / (df + 0.5)) for word, df in spread.items()}
    weight = dict.fromkeys(spread, 0.0)
    for candidate in best:
        for word in held[candidate.placed.id]:
            weight[word] += candidate.score * telling[word]
    chosen = sorted(weight, key=lambda word: (-weight[word], word))[:_ECHOES]
    most = weight[chosen[0]] if chosen else 0.0
    if not most:
        return _Echoes({}, {})
    idf = {word: _ECHO_WEIGHT * telling[word] * weight[word] / most for word in chosen}
    return _Echoes(idf, {segment_id: [word for word in idf if word in holds] for segment_id, holds in held.items()})


def _echo_counts(candidate: _Candidate, echoes: _Echoes) -> dict[str, float]:
    counts: dict[str, float] = {}
    stretch, place, says = candidate.stretch, candidate.place, _says(candidate.placed)
    for step, weight in _AROUND:
        if 0 <= place + step < len(stretch):
            for term in echoes.places.get(stretch[place + step].id, ()):
                counts[term] = counts.get(term, 0.0) + (weight * says if step else 1.0)
    return counts
