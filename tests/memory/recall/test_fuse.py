"""Words and meaning together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.fuse import fuse
from memory.recall.matrix import Nearness
from memory.recall.rank import RankedSegment

WORDS = [RankedSegment(1, 10.0, 0.9), RankedSegment(2, 9.5, 0.8), RankedSegment(3, 2.0, 0.3)]


def near(cosines: dict[int, float], *, mean: float = 0.2, spread: float = 0.1) -> Nearness:
    return Nearness(cosines, mean, spread)


def order(cosines: dict[int, float], count: int = 10) -> list[int]:
    return [segment.id for segment in fuse(WORDS, near(cosines), count=count)]


def test_without_cosines_the_ranking_by_words_stays() -> None:
    assert fuse(WORDS, Nearness(), count=10) == WORDS
    assert fuse(WORDS, Nearness(), count=2) == WORDS[:2]


def test_meaning_decides_between_what_words_rank_alike() -> None:
    assert order({1: 0.1, 2: 0.8, 3: 0.1}) == [2, 1, 3]


def test_meaning_alone_does_not_overrule_a_clear_match() -> None:
    assert order({3: 0.5, 1: 0.1, 2: 0.1})[0] == 1


def test_what_only_meaning_finds_is_there_too() -> None:
    assert 7 in order({7: 0.9, 1: 0.2, 2: 0.2})
    assert [segment.id for segment in fuse([], near({7: 0.9, 8: 0.2}), count=10)] == [7, 8]


def test_a_cosine_counts_by_how_far_it_stands_out_among_all_that_were_looked_at() -> None:
    fused = {segment.id: segment.score for segment in fuse(WORDS[:2], near({1: 0.3, 2: 0.4}), count=2)}
    assert fused == pytest.approx({1: 10.0 + 10.0 * 0.1 * 1, 2: 9.5 + 10.0 * 0.1 * 2})


def test_what_has_no_vector_counts_as_usual() -> None:
    assert {s.id: s.score for s in fuse(WORDS, near({3: 0.3}), count=10)} == pytest.approx({1: 10, 2: 9.5, 3: 3})


def test_equal_cosines_change_nothing() -> None:
    assert [s.id for s in fuse(WORDS, near({1: 0.5, 2: 0.5, 3: 0.5}, mean=0.5, spread=0.0), count=10)] == [1, 2, 3]


def test_the_share_hears_meaning_only_where_it_is_known_what_a_cosine_says() -> None:
    cosines = near({1: 0.5, 2: 0.1, 7: 0.7})
    deaf = {segment.id: segment.share for segment in fuse(WORDS, cosines, count=10)}
    heard = {segment.id: segment.share for segment in fuse(WORDS, cosines, count=10, usual=0.3)}
    assert deaf == {1: 0.9, 2: 0.8, 3: 0.3, 7: 0.0}
    assert heard == pytest.approx({1: 1.0, 2: 0.6, 3: 0.3, 7: 0.4})


@given(st.dictionaries(st.integers(1, 9), st.floats(-1, 1), max_size=9), st.integers(1, 12))
def test_each_segment_comes_once_and_none_is_made_up(cosines: dict[int, float], count: int) -> None:
    found = order(cosines, count)
    assert len(found) == len(set(found)) == min(count, len({1, 2, 3} | cosines.keys()))
    assert set(found) <= {1, 2, 3} | cosines.keys()
