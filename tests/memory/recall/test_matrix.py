"""Vectors as bytes: near enough to the numbers they stand for, in the same order, whatever their length."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memory.recall.matrix import Matrix, quantise

SIZE = 48
numbers = st.floats(-1e6, 1e6, allow_nan=False, allow_infinity=False)
vectors = arrays.arrays(np.float64, SIZE, elements=numbers).filter(lambda v: bool(np.abs(v).max() > 1e-6))


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one / np.linalg.norm(one) @ (other / np.linalg.norm(other)))


def matrix_of(*rows: np.ndarray, size: int = SIZE) -> Matrix:
    matrix = Matrix(size)
    matrix.add(range(len(rows)), [quantise(row.tolist()) for row in rows])
    return matrix


@given(vectors, vectors)
def test_a_cosine_is_off_by_no_more_than_rounding_can_turn_the_vector(one: np.ndarray, query: np.ndarray) -> None:
    """Half a step on each number turns a direction whose longest number is 127 steps by at most this."""
    found = matrix_of(one).near(query.tolist(), 1).cosines[0]
    assert abs(found - cosine(one, query)) <= 2 * (0.5 * math.sqrt(SIZE) / 127) + 1e-5


@given(st.integers(0, 2**32 - 1))
def test_the_order_is_that_of_the_exact_cosines_but_for_near_ties(seed: int) -> None:
    dice = np.random.default_rng(seed)
    rows = dice.normal(size=(300, 128))
    query = dice.normal(size=128)
    exact = {place: cosine(row, query) for place, row in enumerate(rows)}
    found = matrix_of(*rows, size=128).near(query.tolist(), 20).cosines
    assert list(found.values()) == sorted(found.values(), reverse=True)
    last = sorted(exact.values(), reverse=True)[19]
    assert all(exact[place] >= last - 0.01 for place in found)
    assert all(abs(found[place] - exact[place]) <= 0.005 for place in found)


@given(vectors, st.floats(1e-3, 1e3))
def test_the_length_of_a_vector_does_not_count(one: np.ndarray, factor: float) -> None:
    same, scaled = (np.frombuffer(quantise(v.tolist()), dtype=np.int8) for v in (one, one * factor))
    assert np.abs(same.astype(int) - scaled).max() <= 1


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_what_has_no_direction_is_no_vector(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="without a direction"):
        quantise(vector)


def test_rows_are_added_past_every_block_and_found_again() -> None:
    dice = np.random.default_rng(1)
    rows = dice.normal(size=(5_000, 16))
    matrix = Matrix(16)
    for start in range(0, 5_000, 700):
        part = rows[start : start + 700]
        matrix.add(range(start, start + len(part)), [quantise(row.tolist()) for row in part])
    assert len(matrix.near(rows[0].tolist(), 9_999).cosines) == 5_000
    for place in (0, 255, 256, 4_999):
        assert next(iter(matrix.near(rows[place].tolist(), 3).cosines)) == place


def test_only_what_is_allowed_is_looked_at() -> None:
    rows = np.eye(4)
    matrix = matrix_of(*rows, size=4)
    assert next(iter(matrix.near(rows[2].tolist(), 1).cosines)) == 2
    assert set(matrix.near(rows[2].tolist(), 5, only=[0, 3, 99]).cosines) == {0, 3}
    assert matrix.near(rows[2].tolist(), 5, only=[]).cosines == {}


def test_a_vector_of_another_size_is_left_out() -> None:
    matrix = Matrix(4)
    matrix.add([1, 2], [quantise([1.0, 0, 0, 0]), quantise([1.0, 0])])
    assert set(matrix.near([1.0, 0, 0, 0], 9).cosines) == {1}


@given(st.integers(0, 2**32 - 1))
def test_mean_and_spread_are_those_of_all_that_was_looked_at_and_what_is_asked_for_is_among_the_found(
    seed: int,
) -> None:
    dice = np.random.default_rng(seed)
    rows, query = dice.normal(size=(90, 16)), dice.normal(size=16)
    matrix = matrix_of(*rows, size=16)
    every = matrix.near(query.tolist(), 90)
    few = matrix.near(query.tolist(), 3, also=[*list(every.cosines)[-2:], 1_000])
    assert list(few.cosines.items()) == [*list(every.cosines.items())[:3], *list(every.cosines.items())[-2:]]
    for near in (every, few):
        assert near.mean == pytest.approx(np.mean(list(every.cosines.values())), abs=1e-6)
        assert near.spread == pytest.approx(np.std(list(every.cosines.values())), abs=1e-6)
