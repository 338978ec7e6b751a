"""Picture: how a memory did over the nights, drawn for a phone. A program of its own: JSON on stdin, PNG on stdout.

What it draws are numbers and dates; where they come from is not its business.
"""

import io
import sys
from collections.abc import Sequence
from datetime import date

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from bot.probing.album import Album, Mark
from memory.catalogue import DAY_OF_YEAR, _, speaking, written

_SIZE_IN, _DPI = (6.0, 8.0), 150
_GOOD, _BAD, _LINE = "#2e7d32", "#c62828", "#1565c0"
_MOST_TICKS = 5


def draw(album: Album) -> bytes:
    """Return the picture as PNG, 900 × 1200."""
    with speaking(album.language):
        return _drawn(album)


def _drawn(album: Album) -> bytes:
    figure = Figure(figsize=_SIZE_IN, dpi=_DPI, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    first, last = album.marks[0].night, album.marks[-1].night
    heading = _("How well I remembered")
    figure.suptitle(f"{heading}\n{_day(first)} – {_day(last)} {last.year}", fontsize=20, weight="bold")
    recall, facts, size = figure.subplots(3, 1, sharex=True)
    _recall(recall, album.marks)
    _curve(facts, _("Facts I keep word for word"), [(one.night, one.ledger_facts) for one in album.marks])
    sizes = [(one.night, one.prompt_size) for one in album.marks if one.prompt_size is not None]
    _curve(size, _("What I read before an answer (tokens)"), sizes)
    _nights(size, [one.night for one in album.marks])
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


def _recall(axes: Axes, marks: Sequence[Mark]) -> None:
    known = [(one.night, one.recall_rate * 100) for one in marks if one.recall_rate is not None]
    _frame(axes, _("Of what you told me, I knew"))
    lowest = min((rate for _night, rate in known), default=100.0)
    axes.set_ylim(min(80.0, lowest - 5), 102)
    if not known:
        return
    nights, rates = [night.toordinal() for night, _rate in known], [rate for _night, rate in known]
    axes.yaxis.set_major_formatter(PercentFormatter(decimals=0))
    axes.plot(nights, rates, color=_GOOD, linewidth=3)
    axes.scatter(nights, rates, color=[_GOOD if rate == 100 else _BAD for rate in rates], s=70, zorder=3)
    _newest(axes, _("not known") if marks[-1].recall_rate is None else f"{rates[-1]:.0f} %")


def _curve(axes: Axes, title: str, points: Sequence[tuple[date, int]]) -> None:
    _frame(axes, title)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    if not points:
        return
    nights, values = [night.toordinal() for night, _value in points], [value for _night, value in points]
    axes.plot(nights, values, color=_LINE, linewidth=3, marker="o", markersize=6)
    axes.set_ylim(0, max(*values, 1) * 1.15)
    _newest(axes, f"{values[-1]:,}")


def _frame(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=16, loc="left")
    axes.tick_params(labelsize=13)
    axes.grid(alpha=0.3)
    axes.margins(x=0.08)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _newest(axes: Axes, words: str) -> None:
    """Write the newest value beside the title, where no line runs through it."""
    axes.set_title(words, fontsize=16, weight="bold", loc="right")


def _nights(axes: Axes, nights: Sequence[date]) -> None:
    step = -(-len(nights) // _MOST_TICKS)
    ticks = list(reversed(list(reversed(nights))[::step]))
    axes.set_xticks([night.toordinal() for night in ticks], [_day(night) for night in ticks])


def _day(night: date) -> str:
    return written(night, DAY_OF_YEAR)


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(Album.model_validate_json(sys.stdin.buffer.read())))
