"""Values of a space's settings as members type them: each function reads one, or says what would be right. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from bot.models.prices import shown_usd
from bot.quoting import literal
from memory.catalogue import LANGUAGES, _
from memory.errors import MemberMustAct
from memory.ledger.asked_times import read_asked
from memory.store.preferences import ReportMode
from memory.store.wall_times import UnclearTime

ECHOED_CHARS = 40
MOST_USD = 1_000_000
DEFAULTS = frozenset({"default", "defaults", "reset", "none", "standard", "-"})
"""What a member types where the operator's settings shall hold again."""
NEITHER = frozenset({*DEFAULTS, "off", "no", "nothing", "aus", "nein"})
"""The same of a text, which then is none."""

_MODES: Mapping[str, ReportMode] = {
    "nightly": "nightly",
    "daily": "nightly",
    "on": "nightly",
    "regressions": "regressions",
    "off": "off",
    "none": "off",
    "never": "off",
}
_HOUR = re.compile(r"(?P<hour>[0-9]{1,2})(?:[:.h](?P<minute>[0-9]{2}))?\s*h?")
_DOLLARS = re.compile(r"\$?\s*(?P<sign>[-−]?)\s*\$?\s*(?P<usd>[0-9]{1,9}(?:[.,][0-9]{1,6})?)\s*(?:\$|usd|dollars?)?")
_SOME_DAY, _UTC = datetime(2027, 1, 1, tzinfo=UTC), ZoneInfo("UTC")
"""Where a time of day alone is read, any will do."""


class BadValue(MemberMustAct):
    """What was typed is no value of a setting."""


def is_default(text: str) -> bool:
    """Whether the operator's settings shall hold again."""
    return text.casefold() in DEFAULTS


def words(text: str) -> str | None:
    """Return a text of the member's, without the quotation marks around it; None where there shall be none."""
    bare = text.strip().strip("\"'“”„«»").strip()
    return None if bare.casefold() in NEITHER else bare or None


def clock(text: str) -> time:
    """Return a time of day. Raises: BadValue."""
    hour = _HOUR.fullmatch(text.strip().casefold())
    try:
        asked = read_asked(f"{hour['hour']}:{hour['minute'] or '00'}" if hour else text, _SOME_DAY, _UTC)
    except UnclearTime as error:
        raise BadValue(error.said) from None
    if asked.clock is None or asked.text:
        raise BadValue(_("“{text}” is no time of day; write it as 09:30 or 9:30 pm").format(text=echoed(text)))
    return asked.clock.replace(second=0, microsecond=0)


def report(text: str) -> tuple[ReportMode | None, time | None]:
    """Return the mode and the time that a text names, whichever stand in it. Raises: BadValue."""
    first, _space, rest = text.strip().partition(" ")
    mode = _MODES.get(first.casefold())
    if mode is None:
        return None, clock(text)
    return mode, clock(rest.strip().removeprefix("at ")) if rest.strip() else None


def language(text: str) -> str:
    """Return the code of a language, by its code or its own name. Raises: BadValue."""
    asked = text.strip().casefold()
    for code, name in LANGUAGES.items():
        if asked in (code, name.casefold()):
            return code
    known = ", ".join(f"{name} (`{code}`)" for code, name in LANGUAGES.items())
    raise BadValue(
        _("my own texts are not there in “{text}”; there are: {known}. I answer you in the language you write").format(
            text=echoed(text), known=known
        )
    )


def dollars(text: str, *, most: float | None) -> float:
    """Return what a day may cost. `most` is what the operator allows. Raises: BadValue."""
    found = _DOLLARS.fullmatch(text.strip().casefold())
    if found is None:
        raise BadValue(
            _("“{text}” is no amount; write dollars a day, such as 0.50, or `default`").format(text=echoed(text))
        )
    usd = float(found["usd"].replace(",", "."))
    if found["sign"]:
        raise BadValue(_("less than nothing cannot be spent; 0 allows no model calls at all"))
    if usd > (MOST_USD if most is None else most):
        allowed = shown_usd(MOST_USD if most is None else most)
        raise BadValue(_("the operator allows {allowed} a day; you can set less").format(allowed=allowed))
    return usd


def echoed(text: str) -> str:
    """Return the beginning of what was typed as Markdown, to be said again."""
    flat = " ".join(text.split())
    return literal(flat if len(flat) <= ECHOED_CHARS else f"{flat[:ECHOED_CHARS]}…")
