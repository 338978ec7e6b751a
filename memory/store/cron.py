"""Cron expressions: five fields, read into the numbers they stand for, with cron's own meaning of each. Pure.

Weekdays are names or cron's numbers (0 and 7 are Sunday). When an expression falls due is the business of `recurrence`.
"""

import re

from memory.catalogue import N_, _
from memory.store.wall_times import UnclearTime

MOST_CHARS = 200
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * sun",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_Field = tuple[str, int, int, dict[str, int]]
_FIELDS: tuple[_Field, ...] = (
    (N_("minute"), 0, 59, {}),
    (N_("hour"), 0, 23, {}),
    (N_("day of the month"), 1, 31, {}),
    (N_("month"), 1, 12, {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}),
    # Seven is Sunday too, so that a range may end with it.
    (N_("weekday"), 0, 7, {name: number for number, name in enumerate(_DAY_NAMES)}),
)
_ITEM = re.compile(r"(?P<all>\*)|(?P<first>\w+)(?:-(?P<last>\w+))?")


def _field(word: str, field: _Field) -> frozenset[int]:
    """Return the numbers a field stands for. Raises: UnclearTime."""
    name, low, high, _names = field
    found: set[int] = set()
    for piece in word.split(","):
        span, slash, step = piece.partition("/")
        item = _ITEM.fullmatch(span)
        if item is None or (slash and (not step.isdecimal() or not int(step))):
            raise UnclearTime(N_("`{piece}` is no {name} of a cron rule"), piece=piece, name=_(name))
        first = low if item["all"] else _number(item["first"], field)
        is_open = item["all"] or (slash and not item["last"])
        last = high if is_open else _number(item["last"] or item["first"], field)
        if name == "weekday" and item["last"] and last == 0:
            last = 7
        if last < first:
            raise UnclearTime(
                N_("`{piece}` ends before it begins; name the {name} in two parts, with a comma"),
                piece=piece,
                name=_(name),
            )
        found.update(range(first, last + 1, int(step) if slash else 1))
    return frozenset(number % 7 for number in found) if name == "weekday" else frozenset(found)


def _number(word: str, field: _Field) -> int:
    name, low, high, names = field
    number = names.get(word, int(word) if word.isdecimal() and word.isascii() else -1)
    if not low <= number <= high:
        wrong = N_("`{word}` is no {name} of a cron rule ({low} to {high})")
        wrong_name = N_("`{word}` is no {name} of a cron rule ({low} to {high}, or a name)")
        raise UnclearTime(wrong_name if names else wrong, word=word, name=_(name), low=low, high=high)
    return number


def expression_of(text: str) -> str:
    """Return an expression as it is kept: in small letters, its short names written out. Raises: UnclearTime."""
    if len(text) > MOST_CHARS:
        raise UnclearTime(N_("that cron rule is too long to be meant; name fewer times"))
    words = _MACROS.get(text.strip().lower(), text.strip().lower()).split()
    if len(words) != len(_FIELDS):
        raise UnclearTime(
            N_(
                "a cron rule has five fields (minute, hour, day of the month, month, weekday), such as "
                "`0 9 * * mon-fri`"
            )
        )
    return " ".join(words)


def fields_of(expression: str) -> tuple[frozenset[int], ...]:
    """Return the numbers of each field: minute, hour, day of the month, month, weekday (Sunday is 0).

    Raises: UnclearTime.
    """
    return tuple(_field(word, field) for word, field in zip(expression.split(), _FIELDS, strict=True))
