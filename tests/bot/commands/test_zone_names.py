"""Names of time zones: what is offered can be used, what is typed is found, and in doubt the member is asked."""

from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.menus import MAX_DATA_BYTES
from bot.commands.zone_names import MOST_NEAR, REGIONS, meant, near, of_region

OFFERED = [name for region in REGIONS for name in of_region(region)]


def test_every_zone_on_offer_is_one_fits_a_button_and_is_meant_by_its_name() -> None:
    assert len(OFFERED) > 400
    for name in OFFERED:
        assert ZoneInfo(name).key == name
        assert len(f"set:zone={name}".encode()) <= MAX_DATA_BYTES
        assert meant(name) == meant(name.lower().replace("_", " ")) == name
    assert not of_region("Etc")


def test_every_name_that_the_database_knows_is_taken_in_full() -> None:
    for name in available_timezones() - {"localtime", "Factory", "posixrules"}:
        assert meant(name.upper()) == name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Lisbon", "Europe/Lisbon"),
        (" new   york ", "America/New_York"),
        ("são paulo", "America/Sao_Paulo"),
        ("Istanbul", "Europe/Istanbul"),
        ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ("Central", None),
        ("Lissabon", None),
        ("", None),
    ],
)
def test_a_city_is_meant_where_its_clocks_are_the_same_whatever_the_name(typed: str, name: str | None) -> None:
    assert meant(typed) == name


def test_a_city_that_is_mistyped_is_near() -> None:
    assert near("Lissabon")[0] == "Europe/Lisbon"
    assert near("Kopenhagen")[0] == "Europe/Copenhagen"
    assert near("qqqq") == near("") == []


@given(st.text(max_size=200))
def test_whatever_is_typed_is_looked_up(typed: str) -> None:
    assert meant(typed) is None or ZoneInfo(meant(typed) or "").key
    assert len(near(typed)) <= MOST_NEAR
