"""What a member's own words support: the quote, the words, numbers and dates of a value that someone else worded.

Pure. Numbers, ids, times and names are copied from the message, never taken from whoever proposed the value; dates may
also be what the message's own dates resolve to. Whatever the message does not hold raises `NotSupported`.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cached_property
from typing import Literal
from zoneinfo import ZoneInfo

from memory.catalogue import N_
from memory.errors import MemberMustAct
from memory.ledger.calendar_words import LANGUAGES, MONTH_DATE, WEEKDAY
from memory.ledger.changed_moments import days_by_number, hours, moment_of
from memory.ledger.dates import DateMention, day_and_clock, find_dates, format_when
from memory.ledger.marks import find_written, without_marks
from memory.ledger.patterns import clock_pattern
from memory.ledger.subjects import content_words, stem, value_key
from memory.store.redaction import is_masked, strip_hidden

Reason = Literal[
    "kind",
    "subject",
    "value",
    "quote",
    "question",
    "replaces",
    "patterns",
    "number",
    "date",
    "words",
    "asked",
    "withdrawn",
    "hearsay",
    "denied",
]

MAX_VALUE_CHARS = 400
MAX_SUBJECT_CHARS = 120
_MIN_SHARE = 0.5
_MIN_STEM = 3
_ENDING = 2

_SPAN = re.compile(r"[+#№]?\w+(?:[-./,:_+@'’&]+\w+)*")
_CUTS = re.compile("[\u00ad\u2061-\u2064]")
"""Marks that hide nothing where the member wrote them."""
_SENTENCE_END = re.compile(r"[.!?…。！？؟]+(?=[\s\"'”’»)\]]|$)|\n+")
_REQUEST = re.compile(
    r"\b(?:remember|note|save|keep in mind|write (?:it )?down|merk\w*|notier\w*|запомн\w*|запиши\w*|recuerda\w*"
    r"|forget|delete|remove|vergiss|lösch\w*|забудь\w*|удали\w*)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^\W*(?:imagine|suppose|supposing|what if|hypothetically|let['’]s (?:say|pretend)|pretend|angenommen|stell dir vor"
    r"|представь\w*|допустим|предположим|что если|imagina|supposons|imaginons)\b",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"^\W*(?:(?:but|and|so|hm+|well|aber|und|но|а|и)\W+)?(?:maybe|perhaps|possibly|probably|i (?:think|guess|suppose)"
    r"|vielleicht|eventuell|wahrscheinlich|vermutlich|möglicherweise|ich (?:glaube|denke|vermute)"
    r"|может(?: быть)?|возможно|наверное|наверно|вроде|кажется|quizás|tal vez|creo que|peut-être|je crois)\b"
    r"|^\W*(?:if|wenn|falls|если|si)\b.*\b(?:would|wouldn['’]t|wäre\w*|würde\w*|hätte\w*|бы|sería|serait)\b"
    r"|\b(?:not (?:quite )?sure|not certain|nicht (?:ganz )?sicher|не уверен[аы]?)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|(?m:^>.*$)")
_COUNTS = {
    word: number
    for number, words in enumerate(
        (
            "zero null ноль",
            "one eins ein eine один одна uno un",
            "two zwei два две dos deux",
            "three drei три tres trois",
            "four vier четыре cuatro quatre",
            "five fünf пять cinco cinq",
            "six sechs шесть seis six",
            "seven sieben семь siete sept",
            "eight acht восемь ocho huit",
            "nine neun девять nueve neuf",
            "ten zehn десять diez dix",
            "eleven elf одиннадцать once onze",
            "twelve zwölf двенадцать doce douze",
        )
    )
    for word in words.split()
}


class NotSupported(MemberMustAct):
    """The member's words do not say that. `reason` names the rule, without their text."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(N_("not supported by the member's own words: {reason}"), reason=reason)
        self.reason = reason


@dataclass(frozen=True)
class Words:
    """A message of a member: its text and when and where it was said."""

    text: str
    at: datetime
    zone: ZoneInfo

    @cached_property
    def mentions(self) -> list[DateMention]:
        """The dates and times of the message."""
        return find_dates(self.text, self.at, self.zone)

    def mentions_in(self, text: str) -> list[DateMention]:
        """Return the dates another text names, read as if it had been said at the same time."""
        return find_dates(text, self.at, self.zone)


def quoted_span(words: Words, quote: str) -> tuple[int, int]:
    """Return where the quote stands in the message, spaces and unseen marks aside. Raises: NotSupported."""
    found = find_written(words.text, quote)
    if found is None:
        raise NotSupported("quote")
    return found


def require_assertion(words: Words, span: tuple[int, int]) -> None:
    """Refuse what is only asked, supposed, or someone else's words. Raises: NotSupported."""
    start, end = span
    sentence = sentence_around(words.text, span)
    if sentence.rstrip("\"'”’»)] \n").endswith(("?", "？", "؟")) and not _REQUEST.search(sentence):
        raise NotSupported("asked")
    if _SUPPOSED.search(sentence):
        raise NotSupported("asked")
    if any(match.start() <= start and end <= match.end() for match in _QUOTED.finditer(words.text)):
        raise NotSupported("hearsay")


def is_guess(sentence: str) -> bool:
    """Tell whether a sentence only says what may be, or would be, so."""
    return _GUESS.search(sentence) is not None


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in order."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    cuts = [0, *ends, len(text)]
    return [text[a:b].strip() for a, b in itertools.pairwise(cuts) if text[a:b].strip()]


def sentence_around(text: str, span: tuple[int, int]) -> str:
    """Return the sentence, or sentences, that a span lies in."""
    return text[slice(*sentence_span(text, span))].strip()


def sentence_span(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return where the sentence, or sentences, that a span lies in begin and end."""
    start, end = span
    begin = max((match.end() for match in _SENTENCE_END.finditer(text, 0, start)), default=0)
    after = _SENTENCE_END.search(text, max(end - 1, begin))
    return begin, after.end() if after else len(text)


def supported_value(words: Words, quote: str, value: str, *, replaced: str | None = None) -> str:
    """Return the value with its exact spans as the member wrote them.

    `replaced` is the value it changes: the part of its moment that was not said may stay ("make it 18:00", "no, the
    15th"). Raises: NotSupported.
    """
    value = " ".join(value.split())
    marked = _with_marks(value, quote)
    shown = _CUTS.sub("", marked) if marked else value
    if not value or len(value) > MAX_VALUE_CHARS or is_masked(value) or strip_hidden(shown) != shown:
        raise NotSupported("value")
    if marked:
        _require_words(words, marked, _derived_spans(words, marked, replaced or ""))
        return marked
    covered = _derived_spans(words, value, replaced or "")
    spans = [match for match in _SPAN.finditer(value) if any(char.isdigit() for char in match.group())]
    for match in reversed(spans):
        if not any(start <= match.start() and match.end() <= end for start, end in covered):
            written = _as_written(match.group(), quote)
            value = f"{value[: match.start()]}{written}{value[match.end() :]}"
    _require_words(words, value, covered)
    return value


def _with_marks(value: str, quote: str) -> str:
    """Return a value as the quote has it, where that holds marks that nobody sees; else nothing."""
    found = find_written(quote, value)
    if found is None:
        return ""
    before, written, behind = quote[: found[0]], quote[slice(*found)], quote[found[1] :]
    is_whole = not before[-1:].isalnum() and not re.match(r"\w|[.,]\d", behind)
    return " ".join(written.split()) if is_whole and without_marks(written) != written else ""


def anchored(words: Words, span: tuple[int, int], value: str, *, is_deadline: bool) -> str:
    """Return the value with the date it means beside the member's wording, where the wording alone would fade.

    "tomorrow at 10" becomes "tomorrow at 10 (Wed 3 Mar 2027 10:00)"; a value that names the date itself gets the
    wording in brackets.
    """
    said = [one for one in words.mentions if one.day and one.start < span[1] and one.end > span[0]]
    added = []
    for one in said:
        meant = [other for other in words.mentions_in(value) if other.day == one.day]
        if meant:
            added += [_shifted(one, words.zone) or _addition(one, meant[0], is_deadline=is_deadline)]
    extra = ", ".join(dict.fromkeys(text for text in added if text and text not in value))
    return f"{value} ({extra})" if extra else value


def dated_key(words: Words, value: str, *, is_deadline: bool) -> str:
    """Return the key of a value (not yet anchored): its moments, then its other words."""
    moments, rest = [], value
    for one in reversed(words.mentions_in(value)):
        if one.is_ambiguous:
            continue
        is_yearly = not is_deadline and _is_absolute(one.wording) and not _has_year(one.wording)
        day = "" if one.day is None else f"{one.day:%m-%d}" if is_yearly else one.day.isoformat()
        moments.append(f"{day} {one.clock:%H:%M}".strip() if one.clock else day)
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    return " ".join([*sorted(set(moments)), value_key(rest)]).strip()


def due_moment(words: Words, span: tuple[int, int], value: str) -> datetime | None:
    """Return the moment a deadline means, the end of the day where no time was said; None where that is unknown."""
    named = [one for one in words.mentions_in(value) if one.day]
    said = [one for one in words.mentions if one.day and one.start < span[1] and one.end > span[0]]
    days = _days(named) or _days(said)
    if len(days) != 1:
        return None
    timed = [one for one in [*named, *said] if one.clock and one.day in days]
    return (timed or named or said)[0].instant(words.zone)


def _derived_spans(words: Words, value: str, replaced: str) -> list[tuple[int, int]]:
    """Return where the value names dates and times that the message's own mean too. Raises: NotSupported."""
    days, clocks = _meant(words, replaced)
    covered = []
    for one in words.mentions_in(value):
        has_day = one.day is None or one.day in days
        has_clock = one.clock is None or one.clock in clocks
        if has_day and has_clock and not one.is_ambiguous:
            covered.append((one.start, one.end))
        elif one.wording not in words.text:
            raise NotSupported("date")
    return covered


def _meant(words: Words, replaced: str) -> tuple[set[date], set[time]]:
    """Return the days and times the message may mean, those it keeps of the value it replaces among them."""
    mentions = words.mentions
    days, clocks = _days(mentions), _clocks(mentions)
    kept = moment_of(words.mentions_in(replaced))
    if kept is None or kept.day is None:
        return days, clocks
    clocks = clocks or set(hours(words.text))
    numbered = days_by_number(words.text, mentions, kept.day)
    return {*numbered, *(days or {kept.day})}, clocks or _clocks([kept])


def _days(mentions: Sequence[DateMention]) -> set[date]:
    return {one.day for one in mentions if one.day}


def _clocks(mentions: Sequence[DateMention]) -> set[time]:
    return {one.clock for one in mentions if one.clock}


def _as_written(span: str, quote: str) -> str:
    """Return a number, id or version as the quote has it, byte for byte. Raises: NotSupported."""
    written = [match.group() for match in _SPAN.finditer(quote)]
    if span in written or re.search(rf"(?<!\w){re.escape(span)}(?!\w|[.,]\d)", quote):
        return span
    same = [one for one in written if _plain(one) == _plain(span)]
    if same:
        return same[0]
    if span.isdigit() and any(_COUNTS.get(one.casefold()) == int(span) for one in written):
        return span
    raise NotSupported("number")


def _plain(span: str) -> str:
    """Return a span without the marks between thousands."""
    return re.sub(r"(?<=\d)[.,'’](?=\d{3}(?!\d))", "", span.casefold())


def _require_words(words: Words, value: str, covered: Sequence[tuple[int, int]]) -> None:
    """Half of the words must be the member's, and every name. Raises: NotSupported."""
    for start, end in sorted(covered, reverse=True):
        value = f"{value[:start]} {value[end:]}"
    value, said = without_marks(value), content_words(words.text)
    meant = [word for word in content_words(value) if not word.isdigit()]
    if sum(_is_said(word, said) for word in meant) < _MIN_SHARE * len(meant):
        raise NotSupported("words")
    names = re.findall(r"(?<!^)(?<![.!?:] )\b[A-ZÀ-ÞА-Я]\w{2,}", value)
    if not all(_is_said(word, said) for name in names for word in content_words(name)):
        raise NotSupported("words")


def _is_said(word: str, said: Sequence[str]) -> bool:
    """Tell whether the member used a word, in whatever form; scripts without spaces have it inside a longer one."""
    if word.isascii():
        return stem(word) in {stem(other) for other in said}
    beginning = word[: max(_MIN_STEM, len(word) - _ENDING)]
    return any(other.startswith(beginning) or (word in other and not word[0].islower()) for other in said)


def _addition(said: DateMention, meant: DateMention, *, is_deadline: bool) -> str:
    assert said.day is not None
    if _has_year(meant.wording):
        return "" if _is_absolute(said.wording) else f'"{said.wording}"'
    has_bare_clock = said.clock is not None and not re.search(clock_pattern(said.clock), meant.wording, re.IGNORECASE)
    if _is_absolute(meant.wording):
        if not is_deadline:
            return ""  # a birthday has no year
        return format_when(said.day, said.clock) if has_bare_clock else str(said.day.year)
    if not is_deadline and WEEKDAY.fullmatch(meant.wording) and not _has_direction(meant.wording):
        return ""  # "no meetings on Friday" is meant for every week
    return format_when(said.day, said.clock if has_bare_clock else None)


def _shifted(said: DateMention, zone: ZoneInfo) -> str:
    """Return the moment that stands for one which the clocks skip."""
    instant = said.instant(zone) if said.is_skipped else None
    return format_when(*day_and_clock(instant, zone)) if instant else ""


def _has_year(wording: str) -> bool:
    return re.search(r"(?<!\d)(?:19|20|21)\d\d(?!\d|:)", wording) is not None


def _is_absolute(wording: str) -> bool:
    """Tell whether the wording names a day of a month."""
    return any(MONTH_DATE[language].search(wording) for language in LANGUAGES) or bool(
        re.search(r"\d{1,4}[./-]\s?\d{1,2}", wording)
    )


def _has_direction(wording: str) -> bool:
    match = WEEKDAY.fullmatch(wording)
    return bool(match and (match["next"] or match["coming"] or match["last"] or match["week"]))
