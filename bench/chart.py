"""Chart: how much of the evidence stands in what is packed, against the tokens it may take. Draws; measures nothing.

Needs matplotlib, which is there for development only.
"""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

GOALS = {500: 80.0, 1000: 87.0, 2000: 92.0}
FLOORS = {500: 69.7, 1000: 77.0, 2000: 81.5}
_STYLES = {"with meaning": ("#0b5394", "o", "words and meaning"), "by words": ("#3d9a50", "s", "words alone")}
_PLAIN_STYLE = ("#888888", "^", "plain FTS5")


def draw(path: Path, curves: Mapping[str, Mapping[int, float]]) -> None:
    """Write a PNG with a line for each way of searching (tokens → percent), the goals and the floors."""
    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for name, curve in sorted(curves.items(), key=lambda named: -max(named[1].values())):
        colour, marker, label = _STYLES.get(name, _PLAIN_STYLE)
        axes.plot(list(curve), list(curve.values()), color=colour, marker=marker, label=label, linewidth=1.8)
        for tokens, share in curve.items():
            below = name not in _STYLES
            axes.annotate(
                f"{share:.0f}",
                (tokens, share),
                xytext=(0, -13 if below else 7),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                color=colour,
            )
    axes.plot(list(GOALS), list(GOALS.values()), "*", color="#c77700", markersize=11, label="goal", zorder=3)
    axes.plot(
        list(FLOORS), list(FLOORS.values()), "_", color="#b00020", markersize=14, markeredgewidth=2, label="floor"
    )
    ticks = sorted({tokens for curve in curves.values() for tokens in curve})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xlabel("tokens packed into the prompt")
    axes.set_ylabel("questions with evidence in what was packed (%)")
    axes.set_title("Evidence found against tokens packed (five recorded talks, 727 questions)", fontsize=11)
    axes.grid(alpha=0.25)
    axes.legend(loc="lower right")
    figure.savefig(path)
