"""The effect of memory on answers: how much oftener they are right where a prompt holds the value than where it does
not, all else equal. Pure.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from memory.findings import CaseResult

NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Effect:
    """P(right | present) − P(right | absent) over the answered cases, with its 95 % interval (Newcombe, 1998, method
    10). `present` and `absent` are how many answers were right, of how many.
    """

    present: tuple[int, int]
    absent: tuple[int, int]

    @property
    def value(self) -> float:
        return _rate(self.present) - _rate(self.absent)

    @property
    def interval(self) -> tuple[float, float]:
        p, q = _rate(self.present), _rate(self.absent)
        (l1, u1), (l2, u2) = _wilson(self.present), _wilson(self.absent)
        return self.value - math.hypot(p - l1, u2 - q), self.value + math.hypot(u1 - p, q - l2)


def effect_of(results: Iterable[CaseResult]) -> Effect | None:
    """Return the effect over the cases that were answered under both arms; None where there is none."""
    both = [
        (one.present_is_right, one.absent_is_right)
        for one in results
        if one.present_is_right is not None and one.absent_is_right is not None
    ]
    if not both:
        return None
    return Effect((sum(right for right, _ in both), len(both)), (sum(right for _, right in both), len(both)))


def _rate(hits_of: tuple[int, int]) -> float:
    return hits_of[0] / hits_of[1]


def _wilson(hits_of: tuple[int, int]) -> tuple[float, float]:
    """Return the 95 % interval of a rate (Wilson, 1927)."""
    rate, of, z2 = _rate(hits_of), hits_of[1], NORMAL_95**2
    middle = rate + z2 / (2 * of)
    half = NORMAL_95 * math.sqrt(rate * (1 - rate) / of + z2 / (4 * of**2))
    return (middle - half) / (1 + z2 / of), (middle + half) / (1 + z2 / of)
