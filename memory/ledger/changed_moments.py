"""What words mean that change only a part of a moment: "7:15" keeps the day, "the 15th" keeps month, year and time.

Pure. Which moment is being changed is for the caller to say; without one such words name no date (`dates`).
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, time

from memory.ledger.calendar_words import LANGUAGES, MONTH_DATE
from memory.ledger.clocks import find_clocks
from memory.ledger.dates import UNSURE_UNTIL, DateMention
from memory.ledger.days import date_or_none

DAY_NUMBER = re.compile(
    r"(?<![\w.,:/-])(?P<d>\d{1,2})(?:st|nd|rd|th|\.(?!\s?\d)|-?(?:го|е|ое)|\s+числ[оа])(?!\w)"
    r"|\b(?:am|zum|den|dem)\s+(?P<d2>\d{1,2})(?![\w:/-]|\.\s?\d|\s+uhr\b)",
    re.IGNORECASE,
)
"""A day named by its number in the month."""
_YEAR = re.compile(r"(?<!\d)(?:19|20|21)\d\d(?!\d)")


def moment_of(mentions: Sequence[DateMention]) -> DateMention | None:
    """Return the moment a stored value stands for: the date with its year, else the only one; None without a day."""
    dated = [one for one in mentions if one.day]
    whole = [one for one in dated if _YEAR.search(one.wording)]
    return next(iter(whole or dated), None)


def days_by_number(text: str, mentions: Sequence[DateMention], of: date) -> list[date]:
    """Return the days of the month of `of` that a text names by their number alone ("the 15th")."""
    found = (match for match in DAY_NUMBER.finditer(text) if not _is_in_a_date(match, mentions))
    numbers = dict.fromkeys(int(match["d"] or match["d2"]) for match in found)
    return [day for number in numbers if (day := date_or_none(of.year, of.month, number))]


def hours(text: str) -> Iterator[time]:
    """Yield the times of day of a text that has no day of its own; what may be night or afternoon is left out."""
    for one in find_clocks(text):
        is_unsure = one.is_bare and not one.has_half and 1 <= one.clock.hour <= UNSURE_UNTIL
        if not is_unsure:
            yield one.clock


def changed_moment(text: str, mentions: Sequence[DateMention], moment: DateMention) -> tuple[date, time | None] | None:
    """Return the day and time that words mean as a change of `moment`; None when they name no day and no time.

    `mentions` are the dates of the text read by itself. A time that may be night or afternoon keeps the day alone.
    """
    assert moment.day is not None
    numbered = days_by_number(text, mentions, moment.day)
    named = [one for one in mentions if one.day]
    clocks = find_clocks(text)
    said = list(dict.fromkeys(hours(text)))
    clock = said[0] if len(said) == 1 else None if clocks else moment.clock
    if numbered:
        return numbered[0], clock
    if len(named) == 1:
        return named[0].day or moment.day, named[0].clock or clock
    return (moment.day, clock) if clocks and not named and not any(one.readings for one in mentions) else None


def _is_in_a_date(match: re.Match[str], mentions: Sequence[DateMention]) -> bool:
    """Tell whether a number belongs to a date with a month ("15 March", "15. März")."""
    place = match.start("d") if match["d"] else match.start("d2")
    around = (one for one in mentions if one.start <= place < one.end)
    return any(MONTH_DATE[language].search(one.wording) for one in around for language in LANGUAGES)
