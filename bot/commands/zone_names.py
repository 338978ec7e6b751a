"""Names of time zones, found by what a member types: a full name, a city, or something near to one. Pure.

Names without a place ("EST", "Turkey") are taken where they are typed in full, and never offered.
"""

import difflib
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

REGIONS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
MOST_NEAR = 8
LONGEST = 64
"""So much of what is typed is looked at where it names nothing in full."""
_ALIKE = 0.6
_NO_PLACES = frozenset({"localtime", "Factory", "posixrules"})
_LOOKS = tuple(datetime(2027, 1, 15, tzinfo=UTC) + timedelta(days=30 * month) for month in range(24))
"""When the clocks of two zones are compared: through two years."""


def meant(text: str) -> str | None:
    """Return the one name that a text means: typed in full, or by its city if no other with that name differs."""
    asked = _plain(text)
    if asked in _by_full_name():
        return _by_full_name()[asked]
    names = _by_city().get(asked, [])
    clocks = {tuple(look.astimezone(ZoneInfo(name)).utcoffset() for look in _LOOKS) for name in names}
    # Of two names for the same clocks the longer one is the newer.
    return max(names, key=lambda name: (name.count("/"), name)) if len(clocks) == 1 else None


def near(text: str) -> list[str]:
    """Return the names that a text may mean, the likeliest first."""
    asked, cities = _plain(text[:LONGEST]), _by_city()
    if asked in cities:
        return cities[asked][:MOST_NEAR]
    holding = [city for city in cities if len(asked) > 2 and asked in city]
    alike = difflib.get_close_matches(asked, cities, n=MOST_NEAR, cutoff=_ALIKE)
    return [name for city in dict.fromkeys([*holding, *alike]) for name in cities[city]][:MOST_NEAR]


def of_region(region: str) -> Sequence[str]:
    """Return the names of a region, in order; none for one that there is not."""
    return [name for name in _places() if name.startswith(f"{region}/")] if region in REGIONS else []


def city_of(name: str) -> str:
    """Return how the place of a name is shown: without its region."""
    return name.partition("/")[2].replace("_", " ") or name


@cache
def _places() -> tuple[str, ...]:
    return tuple(sorted(name for name in available_timezones() if name.partition("/")[0] in REGIONS))


@cache
def _by_full_name() -> dict[str, str]:
    return {_plain(name): name for name in available_timezones() - _NO_PLACES}


@cache
def _by_city() -> dict[str, list[str]]:
    cities: dict[str, list[str]] = {}
    for name in _places():
        cities.setdefault(_plain(name.rpartition("/")[2]), []).append(name)
    return cities


def _plain(text: str) -> str:
    """Return a text without case, accents and the signs that stand for spaces."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return " ".join(bare.casefold().replace("_", " ").split())
