"""What somebody asks to be reminded of, taken apart: when (a time, a rule or a distance) and the words that are left.

Pure. The words that name the time stand at the beginning or at the end, as people put them; what they name is read by
`dates` and `repeat_words`. What is not clear is refused with what would be right, never guessed.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from memory.catalogue import DAY, N_, _, written
from memory.ledger.calendar_words import BEFORE_NOON, LATE, LATE_WORDS
from memory.ledger.clocks import ClockMention, find_clocks
from memory.ledger.dates import DateMention, clock_beside, find_dates, is_unsure
from memory.ledger.days import Found, Said, day_shaped
from memory.ledger.repeat_words import Again, find_again
from memory.store.reminder_rows import Timing, next_wall
from memory.store.wall_times import UnclearTime, skip_notes, wall_of

MORNING, EVENING = time(9), time(18)
"""What is meant where a day, but no hour was said."""
HOW = N_(
    "I found no time in that. Say it first or last, such as `/remind tomorrow 9:00 call the dentist`, `/remind in 20 "
    "minutes tea`, `/remind every weekday at 9 standup` or `/remind 0 9 * * mon-fri standup`"
)

_LEAD = re.compile(
    r"[\s,;:]*(?:(?:me|us|mich|mir|uns|мне|нам|please|bitte|пожалуйста)\b[\s,]*)*"
    r"(?:(?:on|at|am|um|by|the|den|der|zum|from|ab|с|в|во|на)\b\s*)*",
    re.IGNORECASE,
)
_BEFORE_TEXT = re.compile(
    r"^[\s,;:.–—-]*(?:(?:to|that|daran,?\s+dass|daran|dass|что|чтобы|o['’]clock|uhr)\b[\s,:]*)?", re.IGNORECASE
)
_BEHIND_TEXT = re.compile(
    r"(?:[\s,;:–—-]+(?:on|at|by|from|the|am|um|ab|an|den|der|zum|and|und|в|во|на|по|с|и))*[\s,;:–—-]*$", re.IGNORECASE
)
_ASKING = re.compile(
    r"^(?:please\s+)?(?:(?:remind\s+)?(?:me|us)\s+(?=to\b|that\b|about\b|of\b)|(?:mich|uns)\s+(?=an\b|daran\b)|(?:мне|нам)\s+)",
    re.IGNORECASE,
)
_PART = re.compile(rf"[\s,]*(?:in\s+the\s+|am\s+)?(?P<part>{LATE}|{BEFORE_NOON})\b", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\s*(?P<n>[01]?\d|2[0-3])(?=\s|$)")
_NO_CLOCK = re.compile(r"(?<![\d:.])\d{1,3}:\d\d(?![\d:])")
"""Looks like a time of day; where it is one, it was read before anybody looks here."""
_SECOND_TIME = re.compile(r"\s+(?P<words>(?:and|und|и|&)\s+(?:(?:at|on|um|am|в)\s+)?\d+)", re.IGNORECASE)
_TOUCHING = re.compile(r"[\s,;]*(?:(?:um|at|on|am|в|the|den)\b\s*)?", re.IGNORECASE)
_END = " \t\r\n.!,;"


@dataclass(frozen=True)
class Asked:
    """What is to be said (perhaps "") and when; `timing` is None where no time is named. `notes` tell what was taken
    for granted. `clock`: a time of day alone was said.
    """

    text: str
    timing: Timing | None
    notes: tuple[str, ...] = ()
    clock: time | None = None


@dataclass(frozen=True)
class _Expression:
    """A stretch of a text that names a time. `needs_clock`: a day alone; `is_clock`: a time of day alone."""

    start: int
    end: int
    means: DateMention | Again | ClockMention
    clock: ClockMention | None = None

    @property
    def needs_clock(self) -> bool:
        match self.means:
            case DateMention():
                return self.means.clock is None and not self.means.is_hour_unsure
            case Again():
                return self.clock is None and not self.means.is_timed
            case _:
                return False


def read_asked(text: str, now: datetime, zone: ZoneInfo) -> Asked:
    """Take apart what was said at `now` (aware). Raises: UnclearTime."""
    found = _expressions(text, Said(at=now, zone=zone))
    chosen = _chosen(text, found)
    if not chosen:
        return Asked(_cleaned(text, []), None)
    if _is_clock(chosen[0]):
        _check_day_beside(text, chosen[0])
    timing, notes, end = _timing(text, chosen, now, zone)
    if second := _SECOND_TIME.match(text, end):
        raise UnclearTime(
            N_(
                "“{words}” looks like a second time; set one reminder for each, write a distance in minutes alone "
                "(`in 90 minutes`), or give a cron rule such as `0 9,18 * * *`"
            ),
            words=second["words"],
        )
    spans = [(one.start, one.end) for one in chosen]
    spans[0] = (spans[0][0], max(spans[0][1], end))
    clock = _said_clock(chosen[0]) if _is_clock(chosen[0]) else None
    return Asked(_cleaned(text, spans), timing, notes, clock)


def _expressions(text: str, said: Said) -> list[_Expression]:
    """Return the stretches that name times, in order; a rule goes before what looks like a date in it."""
    rules = [_with_clock(text, again) for again in find_again(text, said)]
    others = [
        *(_Expression(one.start, one.end, one) for one in find_dates(text, said.at, said.zone)),
        *(_Expression(one.start, one.end, one) for one in find_clocks(text) if one.is_bare),
    ]
    kept = list(rules)
    for one in others:
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _with_clock(text: str, again: Again) -> _Expression:
    if again.is_timed:
        return _Expression(again.start, again.end, again)
    clock = clock_beside(text, Found(again.start, again.end, is_late=again.is_late))
    if clock is None:
        return _Expression(again.start, again.end, again)
    return _Expression(min(again.start, clock.start), max(again.end, clock.end), again, clock)


def _chosen(text: str, found: list[_Expression]) -> list[_Expression]:
    """Return what stands first or last: a day and, at the other end, the time of it."""
    lead, stop = _LEAD.match(text), len(text.rstrip(_END))
    first = next((one for one in found if one.start <= (lead.end() if lead else 0)), None)
    last = next((one for one in reversed(found) if one.end >= stop), None)
    if first is None and last is None and len(found) == 1:
        return found
    one = first or last
    if one is None:
        return []
    other = last if one is first else None
    if one.needs_clock and other is not None and other is not one and _is_clock(other):
        return [one, other]
    return [one]


def _is_clock(one: _Expression) -> bool:
    return isinstance(one.means, ClockMention) or (isinstance(one.means, DateMention) and one.means.is_clock_alone)


def _check_day_beside(text: str, clock: _Expression) -> None:
    """Raises: UnclearTime where a time of day alone was read beside a day that the calendar has not."""
    for start, end in day_shaped(text):
        first, second = sorted([(start, end), (clock.start, clock.end)])
        if _TOUCHING.fullmatch(text, first[1], max(first[1], second[0])):
            raise UnclearTime(
                N_("I can't read “{wording}” as a day of the calendar; write it like `30 January` or `2027-01-30`"),
                wording=text[start:end].strip(),
            )


def _timing(text: str, chosen: list[_Expression], now: datetime, zone: ZoneInfo) -> tuple[Timing, tuple[str, ...], int]:
    """Return when it is, what was taken for granted and how far the words reach. Raises: UnclearTime."""
    one, end = chosen[0], chosen[0].end
    clock = _said_clock(chosen[-1])
    notes: tuple[str, ...] = ()
    if one.needs_clock and clock is None:
        clock, end = _clock_of_part(text, one)
        notes = (_("no hour was said, so I took {time}").format(time=f"{clock:%H:%M}"),)
    match one.means:
        case Again():
            rule = one.means.rule_at(clock or MORNING)
            return Timing(wall=rule.first(wall_of(now, zone)), repeats=rule), notes, end
        case DateMention(moment=at) if at is not None:
            return Timing(at=at), (), end
        case DateMention() if not one.means.is_clock_alone:
            wall = datetime.combine(_sure_day(one.means), clock or MORNING)
            return Timing(wall=wall), (*notes, *skip_notes(wall, zone)), end
        case _:
            return Timing(wall=next_wall(clock or MORNING, wall_of(now, zone))), notes, end


def _said_clock(one: _Expression) -> time | None:
    """Return the time of day that an expression names. Raises: UnclearTime for an hour of either half of the day."""
    if isinstance(one.means, DateMention):
        if one.means.is_hour_unsure:
            raise _either_half(one.means.wording)
        return one.means.clock
    clock = one.means if isinstance(one.means, ClockMention) else one.clock
    if clock is not None and is_unsure(clock):
        raise _either_half(f"{clock.clock.hour}")
    return clock.clock if clock else None


def _either_half(wording: str) -> UnclearTime:
    hour = int(re.findall(r"\d+", wording)[-1]) if re.search(r"\d", wording) else None
    if hour is None or hour >= 12:
        return UnclearTime(
            N_("“{wording}” may be in the morning or in the afternoon; say the time in figures, such as `17:00`"),
            wording=wording,
        )
    return UnclearTime(
        N_("“{wording}” may be in the morning or in the afternoon; say `{morning}:00` or `{afternoon}:00`"),
        wording=wording,
        morning=hour,
        afternoon=hour + 12,
    )


def _clock_of_part(text: str, one: _Expression) -> tuple[time, int]:
    """Return the hour meant by a day alone, or by a part of it ("tomorrow evening"), and where the words end.

    Raises: UnclearTime for a bare number that may be an hour, and for figures that are no time of day.
    """
    if (wrong := _NO_CLOCK.search(text)) and not find_clocks(wrong.group()):
        raise UnclearTime(
            N_("“{wording}” is no time of day: hours go from 0 to 23, minutes from 00 to 59"), wording=wrong.group()
        )
    number = _BARE_NUMBER.match(text, one.end)
    if number is not None:
        raise UnclearTime(N_("is {number} the hour? Then write `{number}:00`"), number=number["n"])
    part = _PART.match(text, one.end)
    words = text[one.start : part.end() if part else one.end]
    is_late = LATE_WORDS.search(words) or re.search(r"(?:abend|nachmittag|nacht)\b", words, re.IGNORECASE)
    return (EVENING if is_late or _is_late(one) else MORNING), part.end() if part else one.end


def _is_late(one: _Expression) -> bool:
    return isinstance(one.means, Again) and one.means.is_late


def _sure_day(mention: DateMention) -> date:
    """Raises: UnclearTime."""
    if mention.day is None:
        ways = _(" or ").join(f"`{day.isoformat()}`" for day in mention.readings)
        raise UnclearTime(N_("“{wording}” can be read in two ways; say {ways}"), wording=mention.wording, ways=ways)
    if mention.is_weekday_wrong:
        raise UnclearTime(
            N_("“{wording}” does not fit: it is {day}; say which you mean"),
            wording=mention.wording,
            day=written(mention.day, DAY),
        )
    return mention.day


def _cleaned(text: str, spans: list[tuple[int, int]]) -> str:
    """Return what is left of a text without the words of time and those that only lead to them."""
    pieces, position = [], 0
    for start, end in sorted(spans):
        pieces.append(text[position:start])
        position = end
    pieces.append(text[position:])
    lead = _LEAD.fullmatch(pieces[0]) if len(pieces) > 1 else None
    kept = [piece for number, piece in enumerate(pieces) if not (number == 0 and lead)]
    trimmed = [_BEHIND_TEXT.sub("", piece) if n < len(kept) - 1 else piece for n, piece in enumerate(kept)]
    joined = " ".join(piece.strip() for piece in trimmed if piece.strip(_END))
    if len(kept) > 1 and not kept[-1].strip(_END):
        joined = _BEHIND_TEXT.sub("", joined)
    return _BEFORE_TEXT.sub("", _ASKING.sub("", joined)).strip()
