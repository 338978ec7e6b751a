"""Chart: how much of the evidence stands in what is packed, against the tokens it may take. Draws; measures nothing.

Needs matplotlib, which is there for development only.
"""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

GOALS = {500: 80.0, 1000: 87.0, 2000: 92.0}
FLOORS = {500: 69.7, 1000: 77.0, 2000: 81.5}
_COLOURS = ("#888888", "#3d9a50", "#0b5394")
_MARKERS = ("^", "s", "o")


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
