"""Fusing: two rankings of segments, by words and by meaning, become one. Pure.

A weighted sum of `score / best score` and the standardised cosine; equal-weight rank fusion was measured and costs
recall, because half of it trusts the weaker ranking as much as the stronger.
"""

from collections.abc import Sequence

from memory.recall.matrix import Nearness
from memory.recall.rank import RankedSegment

MEANING_WEIGHT = 0.1
"""What one standard deviation of the cosines adds, as a part of the best score by words. (Of .05, .1, .15 and .2 this
was best in `bench retrieval`.)
"""

USUAL_COSINE = {"use-multilingual-3:384": 0.3}
"""Embedder → the cosine of a question with a text that may or may not answer it. What lies above is added to the share
of the query that a text holds, what lacks is taken off: so the floor hears meaning too. Calibrated by `bench retrieval`
for each; the cosines of an embedder that is not here say nothing to the floor.
"""


def fuse(
    by_words: Sequence[RankedSegment], near: Nearness, *, count: int, usual: float | None = None
) -> list[RankedSegment]:
    """Return up to `count` segments of both, best first, on the scale of the scores by words.

    Without cosines the ranking by words stays as it is. `usual` is a cosine that speaks neither for a text nor against.
    """
    if not near.cosines:
        return list(by_words[:count])
    step = MEANING_WEIGHT * (max((segment.score for segment in by_words), default=0.0) or 1.0)
    known = {segment.id: segment for segment in by_words}
    fused = [
        RankedSegment(one.id, one.score + step * near.deviation(one.id), _share(one, near, usual))
        for one in (known.get(i, RankedSegment(i, 0.0, 0.0)) for i in known.keys() | near.cosines.keys())
    ]
    return sorted(fused, key=lambda segment: (-segment.score, segment.id))[:count]


def _share(one: RankedSegment, near: Nearness, usual: float | None) -> float:
    cosine = near.cosines.get(one.id)
    if usual is None or cosine is None:
        return one.share
    return min(1.0, max(0.0, one.share + cosine - usual))
