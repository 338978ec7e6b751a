"""What every benchmark shares: percentiles, a table, a document."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


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


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value below which `percent` of the values lie (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


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
        mark = "✓" if figure.is_met else "✗"
        table.add_row(figure.name, f"{figure.value:,.2f} {figure.unit}", other, figure.goal, mark)
    Console().print(table)
