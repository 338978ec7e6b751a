"""`bench retrieval --data DIR`: does recall find the messages that answer a question, and stay silent when none does?

Recall by words, with `--embedder local` also by words and meaning, and in the same run `bench.plain_search`
(`bench.asking` does the asking). The first half of the talks (rounded up) is the design half: most weights were chosen
on it. The check half is no unseen data: its figures were on the table while the method was shaped, what gained on the
design half alone was dropped, and the floor and the weight of a date were chosen on both. Only talks that are not in
the folder can tell what holds in general.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from bench.asking import Answer, Asked, ask, ask_plain
from bench.floors import with_floors
from bench.measure import Figure, interval, median, percentile, report
from bench.questions import CATEGORIES, MULTI_HOP, Talk, hash_of, read_talks
from bot.inputs import UsageFault
from bot.models.local_embedder import LocalEmbedder
from bot.settings import LOCAL_EMBEDDER

BUDGETS = (500, 1000, 2000)
CHART_BUDGETS = (250, 500, 1000, 1500, 2000, 3000)
PLAIN, WORDS, MEANING = "plain FTS5", "by words", "with meaning"


@dataclass(frozen=True)
class _Goals:
    own: Mapping[str, float]
    one_store: Mapping[str, float]
    packed: Mapping[int, float]


_BY_WORDS = _Goals(
    {"any@5": 84, "any@10": 90, "any@20": 94, "all@10": 80, "session any@5": 92, "multi-hop all@10": 40},
    {"any@10": 87},
    {500: 80, 1000: 87, 2000: 92},
)
_WITH_MEANING = _Goals(
    {"any@5": 87, "any@10": 93, "any@20": 96, "all@10": 84, "session any@5": 92, "multi-hop all@10": 50},
    {"any@10": 90},
    _BY_WORDS.packed,
)
_SILENT, _LOST, _CPU_MS = 60, 3, 10


Draw = Callable[..., None]
"""Draws the curves of the ways of searching; see `bench.chart.draw`, without its path."""


async def run(*, as_json: bool, data: Path, embedder: str | None = None, draw: Draw | None = None) -> int:
    """Measure and print; returns 1 when a goal is missed.

    Raises: UsageFault when the folder lacks what it needs, or when the embedder is not installed.
    """
    if embedder is not None and find_spec(LOCAL_EMBEDDER) is None:
        raise UsageFault("the local embedder is not installed (the extra `local`)")
    talks = read_talks(data)
    budgets = CHART_BUDGETS if draw is not None else BUDGETS
    ways = {PLAIN: ask_plain(talks, budgets), WORDS: await ask(talks, budgets, what="asking by words")}
    if embedder is not None:
        ways[MEANING] = await ask(talks, budgets, embedder=LocalEmbedder(), what="asking with meaning")
    figures = with_floors(_all_figures(ways, len(talks)), "retrieval", hash_of(data))
    report("retrieval", figures, _about(talks, data), as_json=as_json)
    if draw is not None:
        asked = f"{len(talks)} recorded talks, {sum(len(talk.questions) for talk in talks)} questions"
        draw(_curves(ways, budgets), about=asked)
    return 0 if all(figure.is_met for figure in figures) else 1


def _about(talks: Sequence[Talk], data: Path) -> dict[str, str | int]:
    designed = _designed(len(talks))
    return {
        "data": hash_of(data),
        "questions": sum(len(talk.questions) for talk in talks),
        "design half (weights chosen on it)": ", ".join(talk.name for talk in talks[:designed]),
        "check half (seen while shaping the method)": ", ".join(talk.name for talk in talks[designed:]),
    }


def _designed(talks: int) -> int:
    return -(-talks // 2)


def _all_figures(ways: Mapping[str, Sequence[Asked]], talks: int) -> list[Figure]:
    designed = slice(_designed(talks))
    checked = slice(_designed(talks), None)
    figures = []
    for half, of in (("", slice(None)), ("design half: ", designed), ("check half: ", checked)):
        plain, words = ways[PLAIN][of], ways[WORDS][of]
        part = _figures(words, plain, PLAIN, _BY_WORDS)
        if MEANING in ways:
            fused = _figures(ways[MEANING][of], words, WORDS, _WITH_MEANING)
            part += [replace(figure, name=f"{MEANING}: {figure.name}") for figure in fused]
        figures += [_of_half(half, figure) for figure in part] if half else part
    return figures


def _of_half(half: str, figure: Figure) -> Figure:
    """Return the figure as one of a half: shown, but the goals are set for all talks together."""
    return replace(figure, name=half + figure.name, goal="", is_met=True)


def _figures(asked: Sequence[Asked], other: Sequence[Asked], other_name: str, goals: _Goals) -> list[Figure]:
    own, other_own = ([answer for talk in side for answer in talk.own] for side in (asked, other))
    one_store, other_store = ([answer for talk in side for answer in talk.one_store] for side in (asked, other))
    rates = _Rates(other_name)
    return [
        *rates.ranks(own, other_own, goals.own, ""),
        *rates.ranks(one_store, other_store, goals.one_store, "one store "),
        *rates.by_category(own, other_own),
        *(
            rates.rate(f"packed into {budget:,} tokens", *_packed(budget, own, other_own), goal=goal)
            for budget, goal in goals.packed.items()
        ),
        *_silences(asked, other, rates),
        *_costs(own, other_own, other_name),
    ]


@dataclass(frozen=True)
class _Rates:
    """Makes figures of shares of questions, beside those of another way of searching."""

    other_name: str

    def rate(self, name: str, hits: Sequence[bool], other: Sequence[bool] = (), *, goal: float | None = None) -> Figure:
        reached = _share(hits)
        return Figure(
            name,
            reached,
            "%",
            "" if goal is None else f"≥ {goal}",
            goal is None or reached >= goal,
            _share(other) if other else None,
            self.other_name if other else "",
            *interval(sum(hits), len(hits)),
        )

    def ranks(
        self, ours: Sequence[Answer], other: Sequence[Answer], goals: Mapping[str, float], where: str
    ) -> list[Figure]:
        others = _rank_hits(other)
        return [
            self.rate(where + name, hits, others[name], goal=goals.get(name)) for name, hits in _rank_hits(ours).items()
        ]

    def by_category(self, ours: Sequence[Answer], other: Sequence[Answer]) -> Iterator[Figure]:
        for category, name in CATEGORIES.items():
            sides = [[a.any_at(10) for a in answers if a.question.category == category] for answers in (ours, other)]
            if sides[0]:
                yield self.rate(f"{name} any@10", *sides)


def _rank_hits(answers: Sequence[Answer]) -> dict[str, list[bool]]:
    multi_hop = [answer for answer in answers if answer.question.category == MULTI_HOP]
    return {
        "any@5": [answer.any_at(5) for answer in answers],
        "any@10": [answer.any_at(10) for answer in answers],
        "any@20": [answer.any_at(20) for answer in answers],
        "all@10": [answer.all_at(10) for answer in answers],
        "session any@5": [answer.has_session_at(5) for answer in answers],
        "multi-hop all@10": [answer.all_at(10) for answer in multi_hop],
    }


def _packed(budget: int, *sides: Sequence[Answer]) -> Iterator[list[bool]]:
    return ([answer.is_packed(budget) for answer in answers] for answers in sides)


def _silences(asked: Sequence[Asked], other: Sequence[Asked], rates: _Rates) -> list[Figure]:
    lost, other_lost = (
        [answer.is_lost for talk in side for answer in talk.own if answer.is_lost is not None]
        for side in (asked, other)
    )
    unanswerable, other_unanswerable = ([one for talk in side for one in talk.unanswerable] for side in (asked, other))
    never_told, other_never_told = ([one for talk in side for one in talk.never_told] for side in (asked, other))
    figure = rates.rate("true finds lost to the floor", lost, other_lost)
    return [
        rates.rate("silent, unanswerable", unanswerable, other_unanswerable, goal=_SILENT),
        rates.rate("silent, never told", never_told, other_never_told, goal=_SILENT),
        replace(figure, goal=f"≤ {_LOST}", is_met=figure.value <= _LOST),
    ]


def _costs(ours: Sequence[Answer], other: Sequence[Answer], other_name: str) -> list[Figure]:
    times, others = ([answer.cpu_ms for answer in answers] for answers in (ours, other))
    p95 = percentile(times, 95)
    return [
        Figure("CPU a query, median", median(times), "ms", "", True, median(others), other_name),
        Figure("CPU a query, p95", p95, "ms", f"≤ {_CPU_MS}", p95 <= _CPU_MS, percentile(others, 95), other_name),
    ]


def _share(hits: Sequence[bool]) -> float:
    """Return how many of the hits are True, in percent."""
    return 100 * sum(hits) / len(hits) if hits else 0.0


def _curves(ways: Mapping[str, Sequence[Asked]], budgets: Sequence[int]) -> dict[str, dict[int, float]]:
    """Return for each way of searching the share of questions whose evidence is packed into each budget."""
    own = {name: [answer for talk in asked for answer in talk.own] for name, asked in ways.items()}
    return {
        name: {budget: _share([answer.is_packed(budget) for answer in answers]) for budget in budgets}
        for name, answers in own.items()
    }
