"""Charts: evidence found against the tokens it may take, and what each strategy remembers. Draws; measures nothing."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from bench.strategies import Bar

GOALS = {500: 80.0, 1000: 87.0, 2000: 92.0}
FLOORS = {500: 69.7, 1000: 77.0, 2000: 81.5}
_COLOURS = ("#888888", "#3d9a50", "#0b5394")
_MARKERS = ("^", "s", "o")
_BAR, _BAR_OURS = "#9a9a9a", "#0b5394"


def draw(path: Path, curves: Mapping[str, Mapping[int, float]], *, about: str) -> None:
    """Write a PNG with a line for each way of searching (tokens → percent), the last on top, the goals and the floors.

    `about` says what was asked.
    """
    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for (name, curve), colour, marker in zip(curves.items(), _COLOURS, _MARKERS, strict=False):
        axes.plot(list(curve), list(curve.values()), color=colour, marker=marker, label=name, linewidth=1.8)
    axes.plot(list(GOALS), list(GOALS.values()), "*", color="#c77700", markersize=11, label="goal", zorder=3)
    axes.plot(
        list(FLOORS), list(FLOORS.values()), "_", color="#b00020", markersize=14, markeredgewidth=2, label="floor"
    )
    ticks = sorted({tokens for curve in curves.values() for tokens in curve})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.yaxis.set_minor_locator(MultipleLocator(1))
    axes.set_xlabel("tokens packed into the prompt")
    axes.set_ylabel("questions with evidence in what was packed (%)")
    axes.set_title(f"Evidence found against tokens packed ({about})", fontsize=11)
    axes.grid(alpha=0.35)
    axes.grid(which="minor", alpha=0.12)
    axes.legend(loc="lower right")
    figure.savefig(path)


def draw_strategies(path: Path, bars: Mapping[str, Bar], *, about: str) -> None:
    """Write a PNG with a bar for each strategy, the first on top, its interval and the tokens of a question.

    `about` says what was asked.
    """
    figure = Figure(figsize=(9, 4.6), dpi=150, layout="constrained")
    axes = figure.subplots()
    names, shown = list(bars), list(bars.values())
    axes.barh(
        names,
        [bar.rate for bar in shown],
        xerr=[[bar.rate - bar.low for bar in shown], [bar.high - bar.rate for bar in shown]],
        color=[_BAR_OURS if bar.is_ours else _BAR for bar in shown],
        error_kw={"ecolor": "#333333", "capsize": 3, "elinewidth": 1.0},
        height=0.66,
    )
    for place, bar in enumerate(shown):
        axes.text(103, place, f"{bar.rate:.0f} %  ·  {bar.tokens:,.0f} tokens", va="center", fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 137)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("questions answered right (%), 95 % interval; tokens of talk and memory a question")
    axes.set_title(f"What is left of a talk ({about})", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    figure.savefig(path)
