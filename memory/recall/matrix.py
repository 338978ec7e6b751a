"""Vectors as bytes and in memory: quantised to a signed byte a number, scanned whole. Pure numpy; knows no SQL.

Only a vector's direction counts, so its bytes need no scale: the longest number becomes 127, and the length of the
bytes themselves is divided out again. Scanning costs a conversion of blocks that stay in the processor's cache and a
product of each row with the query.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.int8]
Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

_TOP = 127
_BLOCK = 256
_SPARE = 1024


def quantise(vector: Sequence[float]) -> bytes:
    """Return the direction of a vector, a signed byte a number.

    Raises: ValueError when it has no direction: empty, all zero, or a number that is none.
    """
    numbers = np.asarray(vector, dtype=np.float64)
    longest = float(np.max(np.abs(numbers))) if numbers.size else 0.0
    if not np.isfinite(longest) or longest == 0.0:
        raise ValueError("a vector without a direction")
    return np.rint(numbers / longest * _TOP).astype(np.int8).tobytes()


@dataclass(frozen=True)
class Nearness:
    """How near segments are to a query: cosines, the nearest first, and the mean and spread of all that were looked at.

    A cosine tells something only beside those of the same query: how many spreads it lies above their mean.
    """

    cosines: Mapping[int, float] = field(default_factory=dict)
    mean: float = 0.0
    spread: float = 0.0

    def deviation(self, segment_id: int) -> float:
        """Return how far a segment stands out, in spreads; 0, as if it were usual, for what has no cosine."""
        cosine = self.cosines.get(segment_id)
        return 0.0 if cosine is None or not self.spread else (cosine - self.mean) / self.spread


class Matrix:
    """Quantised vectors of one size under their segments' ids."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._count = 0
        self._ids: Ids = np.empty(0, dtype=np.int64)
        self._rows: Bytes = np.empty((0, size), dtype=np.int8)
        self._lengths: Floats = np.empty(0, dtype=np.float32)

    def add(self, ids: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Append vectors; one of another size is left out."""
        fitting = [(i, vector) for i, vector in zip(ids, vectors, strict=True) if len(vector) == self.size]
        if not fitting:
            return
        rows = np.frombuffer(b"".join(vector for _, vector in fitting), dtype=np.int8).reshape(-1, self.size)
        start, stop = self._count, self._count + len(fitting)
        if stop > len(self._ids):
            self._grow(stop + max(_SPARE, stop // 8))
        self._ids[start:stop] = [i for i, _ in fitting]
        self._rows[start:stop] = rows
        self._lengths[start:stop] = np.linalg.norm(rows.astype(np.float32), axis=1)
        self._count = stop

    def near(
        self, query: Sequence[float], count: int, *, also: Collection[int] = (), only: Sequence[int] | None = None
    ) -> Nearness:
        """Return the cosines of the `count` nearest ids and of those in `also`; `only` limits where to look.

        May run in a thread beside `add`: it looks at what was there when it began.
        """
        asked = np.asarray(query, dtype=np.float32)
        held = slice(self._count)
        ids, rows, lengths = self._ids[held], self._rows[held], self._lengths[held]
        if only is not None:
            places = np.flatnonzero(np.isin(ids, np.asarray(only, dtype=np.int64)))
            ids, rows, lengths = ids[places], rows[places], lengths[places]
        if not len(ids):
            return Nearness()
        cosines = _products(rows, asked / np.linalg.norm(asked)) / lengths
        places = np.argpartition(-cosines, count - 1)[:count] if len(ids) > count else np.arange(len(ids))
        if also:
            named = np.flatnonzero(np.isin(ids, np.fromiter(also, dtype=np.int64)))
            places = np.union1d(places, named)
        order = places[np.lexsort((ids[places], -cosines[places]))]
        found = dict(zip(ids[order].tolist(), cosines[order].tolist(), strict=True))
        return Nearness(found, float(cosines.mean(dtype=np.float64)), float(cosines.std(dtype=np.float64)))

    def _grow(self, capacity: int) -> None:
        """Make room. A scan in another thread has the arrays of before, or these whole."""
        ids = np.empty(capacity, dtype=np.int64)
        rows = np.empty((capacity, self.size), dtype=np.int8)
        lengths = np.empty(capacity, dtype=np.float32)
        for new, old in ((ids, self._ids), (rows, self._rows), (lengths, self._lengths)):
            new[: self._count] = old[: self._count]
        self._ids, self._rows, self._lengths = ids, rows, lengths


def _products(rows: Bytes, asked: Floats) -> Floats:
    """Return the product of each row with the query. Row by row: for a whole block the library would start threads,
    which cost far more than they save where the processor has other work.
    """
    products = np.empty(len(rows), dtype=np.float32)
    block = np.empty((_BLOCK, rows.shape[1]), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        block[: len(part)] = part
        np.vecdot(block[: len(part)], asked, out=products[start : start + len(part)])
    return products
