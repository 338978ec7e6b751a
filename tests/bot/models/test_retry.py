"""When another attempt is made, and after how long."""

import pytest

from bot.models.failures import Failure, Kind
from bot.models.retry import wait_before_retry


def waits(failure: Failure, *, remaining_s: float = 1000.0) -> list[float]:
    """Return the waits until the ladder gives up, when every attempt fails alike."""
    failures = [failure]
    found: list[float] = []
    while (wait_s := wait_before_retry(failures, remaining_s)) is not None:
        found.append(wait_s)
        failures.append(failure)
    return found


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (Failure("overloaded"), [1, 2, 4]),
        (Failure("unreachable"), [1, 2, 4]),
        (Failure("overloaded", wait_s=7), [7, 7, 7]),
        (Failure("limited", wait_s=38), [38, 38, 38]),
        (Failure("limited", wait_s=300), []),
        (Failure("limited"), [15, 30]),
        (Failure("disputed", wait_s=36), [36]),
        (Failure("garbled"), [0]),
        (Failure("unsigned"), [0]),
        (Failure("no_file"), [0]),
    ],
)
def test_the_ladder_of_each_kind(failure: Failure, expected: list[float]) -> None:
    assert waits(failure) == expected


@pytest.mark.parametrize("kind", ["spent", "gone", "misconfigured", "too_long", "refused", "silent"])
def test_what_cannot_help_is_not_tried(kind: Kind) -> None:
    assert waits(Failure(kind)) == []


def test_a_wait_that_the_deadline_does_not_leave_room_for_is_not_begun() -> None:
    assert waits(Failure("limited", wait_s=38), remaining_s=38) == []
    assert waits(Failure("overloaded"), remaining_s=1.5) == [1]


def test_kinds_are_counted_apart() -> None:
    failures = [Failure("garbled"), Failure("overloaded"), Failure("unsigned")]
    assert wait_before_retry(failures, 100) == 0
    assert wait_before_retry([*failures, Failure("garbled")], 100) is None
