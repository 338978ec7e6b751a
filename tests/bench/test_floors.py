"""Floors: a figure under what was reached before is marked, for the data it was reached on."""

import json
from importlib.resources import files

import pytest

from bench.floors import with_floors
from bench.measure import Figure, report

FLOORS = json.loads((files("bench") / "data" / "floors.json").read_text())
DATA, REACHED = next(iter(FLOORS["retrieval"].items()))
NAME, FLOOR = next(iter(REACHED.items()))


def figure(value: float, name: str = NAME) -> Figure:
    return Figure(name, value, "%", "≥ 1", is_met=True)


@pytest.mark.parametrize(("value", "is_met"), [(FLOOR - 0.1, False), (FLOOR, True), (FLOOR + 1, True)])
def test_a_figure_under_its_floor_is_not_met(value: float, is_met: bool) -> None:
    (found,) = with_floors([figure(value)], "retrieval", DATA)
    assert (found.floor, found.is_met, found.is_under_floor) == (FLOOR, is_met, not is_met)


def test_a_missed_goal_stays_missed_above_the_floor() -> None:
    missed = Figure(NAME, FLOOR + 1, "%", "≥ 100", is_met=False)
    assert not with_floors([missed], "retrieval", DATA)[0].is_met


def test_other_data_other_benches_and_other_figures_have_no_floor() -> None:
    for found in (
        with_floors([figure(0)], "retrieval", "0" * 16),
        with_floors([figure(0)], "scale", DATA),
        with_floors([figure(0, "another")], "retrieval", DATA),
    ):
        assert found in ([figure(0)], [figure(0, "another")])


def test_the_table_says_what_the_floor_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    report("retrieval", with_floors([figure(FLOOR - 1)], "retrieval", DATA), {}, as_json=False)
    assert f"under the floor of {FLOOR}" in capsys.readouterr().out
