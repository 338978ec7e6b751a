"""The effect of memory on answers, and how sure it is."""

import pytest

from memory.probe.effect import Effect, effect_of
from tests.memory.probe.found import case


def test_only_cases_answered_under_both_arms_count() -> None:
    results = [
        case("f1", present_is_right=True, absent_is_right=False),
        case("f2", present_is_right=True, absent_is_right=True),
        case("f3", present_is_right=True),
        case("f4"),
    ]

    assert effect_of(results) == Effect(present=(2, 2), absent=(1, 2))
    assert effect_of(results[2:]) is None


def test_the_interval_is_that_of_the_published_method() -> None:
    # Newcombe (1998), table II: 56/70 − 48/80, method 10.
    found = Effect(present=(56, 70), absent=(48, 80))

    assert found.value == pytest.approx(0.2)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_more_answers_make_it_surer_and_it_stays_between_the_ends() -> None:
    few, many = Effect((20, 20), (0, 20)).interval, Effect((400, 400), (0, 400)).interval

    assert few[0] < many[0] < 1
    assert many[1] == pytest.approx(1)
    assert effect_of([case("f1", present_is_right=False, absent_is_right=True)]) == Effect((0, 1), (1, 1))
