"""Floors: what was reached before, for the data it was reached on. A figure under its floor is a defect.

`data/floors.json` holds them by benchmark, hash of the data and name of the figure. They are raised by hand when more
is reached, and never lowered without a reason that is written down.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.measure import Figure

_FILE = Path(__file__).parent / "data" / "floors.json"


def with_floors(figures: Sequence[Figure], bench: str, data: str) -> list[Figure]:
    """Return the figures with their floors, one under its floor as not met; other data has no floors."""
    floors: dict[str, float] = json.loads(_FILE.read_text()).get(bench, {}).get(data, {})
    return [_on_floor(figure, floors[figure.name]) if figure.name in floors else figure for figure in figures]


def _on_floor(figure: Figure, floor: float) -> Figure:
    return replace(figure, floor=floor, is_met=figure.is_met and figure.value >= floor)
