"""What every benchmark shares: percentiles, an interval, the cost of a bare write, a table, a document."""

import json
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from memory.space import Space

NORMAL_95 = 1.96


@dataclass(frozen=True)
class Figure:
    """One measured value, the alternative measured in the same run (None where there is none), and the aim."""

    name: str
    value: float
    unit: str
    goal: str
    is_met: bool
    alternative: float | None = None
    alternative_name: str = ""
    low: float | None = None
    """With `high`: where the value lies with 95 % certainty; None for what is no rate."""
    high: float | None = None
    floor: float | None = None
    """What was reached before; a value under it is a defect."""

    @property
    def is_under_floor(self) -> bool:
        return self.floor is not None and self.value < self.floor


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value below which `percent` of the values lie (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


def interval(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate, in percent (Wilson, 1927: "Probable inference")."""
    if of == 0:
        return 0.0, 100.0
    rate, z2 = hits / of, NORMAL_95**2
    middle = rate + z2 / (2 * of)
    half = NORMAL_95 * math.sqrt(rate * (1 - rate) / of + z2 / (4 * of**2))
    low, high = ((middle + side) / (1 + z2 / of) for side in (-half, half))
    return 100 * max(0.0, low), 100 * min(1.0, high)


async def bare_ms(space: Space, number: int) -> float:
    """Return the CPU time of one insert and its commit, in milliseconds: what no write can be cheaper than."""
    before = time.process_time()
    async with space.db.transaction():
        await space.db.execute(
            "INSERT INTO usage (task, model, prompt_tokens, output_tokens, thought_tokens, cached_tokens, tool_tokens,"
            " is_estimate, at) VALUES ('bare', 'bare', ?, 0, 0, 0, 0, 1, '')",
            (number,),
        )
    return (time.process_time() - before) * 1000


def report(title: str, figures: Sequence[Figure], about: Mapping[str, str | int], *, as_json: bool) -> None:
    """Print the figures as one JSON document or as a table."""
    if as_json:
        print(json.dumps({"bench": title, "about": dict(about), "figures": [asdict(f) for f in figures]}, indent=2))
        return
    table = Table(title=f"{title} · " + " · ".join(f"{name} {value}" for name, value in about.items()))
    for heading in ("figure", "measured", "alternative in the same run", "goal", ""):
        table.add_column(heading)
    for figure in figures:
        other = (
            f"{figure.alternative:,.2f} {figure.unit} ({figure.alternative_name})" if figure.alternative_name else ""
        )
        mark = f"✗ under the floor of {figure.floor}" if figure.is_under_floor else "✓" if figure.is_met else "✗"
        between = f" [{figure.low:.1f}–{figure.high:.1f}]" if figure.low is not None else ""
        table.add_row(figure.name, f"{figure.value:,.2f} {figure.unit}{between}", other, figure.goal, mark)
    Console().print(table)
