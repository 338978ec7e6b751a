"""`bench faults`: every kind of damage once, nights with nothing wrong, and how the figures are counted."""

import asyncio
from pathlib import Path

import pytest

from bench import faults
from bench.damage import CATALOGUE
from bench.faults import Report, Struck
from bench.growing import live
from bench.sabotage import catalogue
from memory.probe.gate import gate

NIGHTS = 8
"""In the last of them the extractor is tried for the second time."""
DAMAGE = {damage.name: damage for damage in CATALOGUE}
SABOTAGES = [sabotage.name for sabotage in catalogue()]


@pytest.fixture(scope="module")
def struck(tmp_path_factory: pytest.TempPathFactory) -> Struck:
    """The memory of the frozen talk, examined once with nothing wrong."""
    return asyncio.run(Struck.told(tmp_path_factory.mktemp("struck")))


def test_the_catalogue_has_more_than_thirty_kinds_each_named_once() -> None:
    assert len(DAMAGE) == len(CATALOGUE)
    assert len({*DAMAGE, *SABOTAGES}) == len(DAMAGE) + len(SABOTAGES)
    assert len(CATALOGUE) + len(SABOTAGES) >= 30


def test_the_memory_that_is_struck_is_well_before(struck: Struck) -> None:
    assert struck.healthy is not None
    assert gate(struck.healthy, []).ok is True


@pytest.mark.parametrize("name", DAMAGE)
async def test_damage_is_reported_by_the_name_of_its_layer(struck: Struck, name: str) -> None:
    report = await struck.damaged(DAMAGE[name])

    assert report.is_caught
    assert report.is_attributed, report


@pytest.mark.parametrize("name", SABOTAGES)
async def test_a_sabotaged_examination_says_what_of_it_is_wrong(struck: Struck, name: str) -> None:
    report = await struck.sabotaged(next(sabotage for sabotage in catalogue() if sabotage.name == name))

    assert report.is_caught
    assert report.is_attributed, report


async def test_a_growing_memory_raises_no_alarm(tmp_path: Path) -> None:
    nights = await live(tmp_path, NIGHTS)
    figures = {figure.name.partition(",")[0]: figure for figure in faults.figures_of_nights(nights)}

    assert [night.gate.problems for night in nights] == [()] * NIGHTS
    assert figures["P(right | present) − P(right | absent)"].value == 1
    assert all(figure.is_met for figure in figures.values())


def test_a_report_is_caught_by_any_name_and_attributed_by_the_right_one() -> None:
    silent, other = Report("a", ("ledger",), frozenset()), Report("b", ("ledger",), frozenset({"index"}))
    right = Report("c", ("ledger", "active"), frozenset({"index", "active"}))

    assert [(one.is_caught, one.is_attributed) for one in (silent, other, right)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
