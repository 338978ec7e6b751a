"""Terms: what a text is indexed under and what a query asks for. The same rules serve both, so they always meet.

A term is a word folded (compatibility forms, case, accents, vowel marks) and stemmed. Scripts that put no spaces
between words give single characters and pairs, so that a stretch of any length is found. Numbers, times, dates and
identifiers give their parts, and beside them one joined form in which their spellings meet. `NORMALISER` goes up
whenever the terms of any text change: rows of an older version are then indexed anew. Nothing here knows SQL.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import date

import regex

from memory.recall.stems import stem
from memory.recall.stopwords import GREETINGS, STOPWORDS

NORMALISER = 1

_JOINED_CHARS = 32
_NUMBER_DIGITS = 15
_PHONE_DIGITS = 9
_PHONE_TAIL = 7

# Marks that are written or left out at will; those that make another letter (й, ї, ў, Japanese dakuten) stay.
_OPTIONAL_MARKS = regex.compile(
    "(?<![иу])\u0306|(?<!і)\u0308|[\u0300-\u0305\u0307\u0309-\u036f]"
    "|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]|\u093c"
)
_INVISIBLE = regex.compile("[\\p{Cf}\u115f\u1160\u3164\ufe00-\ufe0f]")
_LETTERS = str.maketrans(
    {"ё": "е", "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"}
    | {"ة": "ه", "ى": "ي", "ँ": "ं"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_APOSTROPHE = "['’ʼ`´]"
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}々〆ー]"
_LETTER = r"[\p{L}\p{M}\p{N}\p{Co}]"

_WORD = regex.compile(
    rf"{_UNSPACED}+|(?:(?!{_UNSPACED}|ʼ){_LETTER})(?:(?!{_UNSPACED}){_LETTER}|{_APOSTROPHE}(?=\p{{L}}))*"
    r"|(?=[\p{Extended_Pictographic}\p{RI}])\p{So}"
)
_IS_UNSPACED = regex.compile(_UNSPACED)
_POSSESSIVE = regex.compile(rf"{_APOSTROPHE}s$")
_APOSTROPHES = regex.compile(_APOSTROPHE)
_HAS_DIGIT = regex.compile(r"\d")
_ORDINAL = regex.compile(r"(\d+)(?:st|nd|rd|th)")
_NUMBER_AND_UNIT = regex.compile(r"(\d+)\p{L}+")
_CHAINED = regex.compile(r"(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-._/:,#+@]+[\p{L}\p{N}]+)+")
_SPACED_DIGITS = regex.compile(r"(?<![\p{L}\p{N}])\(?\d+\)?(?:[ ().\-/]{1,2}\d+)+(?![\p{L}\p{N}])")
_PHONE = regex.compile(rf"(?<!\d)\d{{{_PHONE_DIGITS},{_NUMBER_DIGITS}}}(?!\d)")
_CLOCK_12 = regex.compile(r"(?<!\d)(1[0-2]|0?\d)(?:[:.]([0-5]\d))?\s?([ap])\.?m\b")
_CLOCK_24 = regex.compile(r"(?<!\d)([01]?\d|2[0-4])\s?(?:h|uhr)(?:\s?([0-5]\d))?\b")
_ISO_DATE = regex.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_DOTTED_DATE = regex.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})?(?!\d)")
_SLASHED_DATE = regex.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?(?!\d)")

_MONTHS = (
    "january jan januar janner январь января янв enero janvier",
    "february feb februar февраль февраля фев febrero fevrier",
    "march mar marz март марта marzo mars",
    "april apr апрель апреля апр abril avril",
    "may mai май мая mayo",
    "june jun juni июнь июня junio juin",
    "july jul juli июль июля julio juillet",
    "august aug август августа авг agosto aout",
    "september sep sept сентябрь сентября сен septiembre septembre",
    "october oct oktober okt октябрь октября окт octubre octobre",
    "november nov ноябрь ноября ноя noviembre novembre",
    "december dec dezember dez декабрь декабря дек diciembre decembre",
)
_WEEKDAYS = (
    "monday montag понедельник lunes lundi",
    "tuesday tues dienstag вторник martes mardi",
    "wednesday mittwoch среда miercoles mercredi",
    "thursday thurs donnerstag четверг jueves jeudi",
    "friday freitag пятница viernes vendredi",
    "saturday samstag sonnabend суббота sabado samedi",
    "sunday sonntag воскресенье domingo dimanche",
)
_MONTH_TERMS = {stem(word): f"mo{n}" for n, names in enumerate(_MONTHS, 1) for word in names.split()}
_CALENDAR = _MONTH_TERMS | {stem(word): f"wd{n}" for n, names in enumerate(_WEEKDAYS, 1) for word in names.split()}
_MONTH_NUMBERS = {f"mo{n}": n for n in range(1, 13)}


@dataclass(frozen=True)
class Query:
    """What a query asks for: `wanted` terms, and other spellings of them (`also`) whose absence is no loss."""

    wanted: tuple[str, ...]
    also: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        return self.wanted + self.also


def fold(text: str) -> str:
    """Return the text in the one spelling its variants share: composition, width, case, accents, vowel marks."""
    if text.isascii():
        return text.casefold()
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    text = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text).translate(_LETTERS)


def terms(text: str) -> list[str]:
    """Return the terms of a text, repeats included."""
    folded = fold(text)
    words = _WORD.findall(folded)
    return [*(term for word in words for term in _word_terms(word)), *_other_spellings(text, folded, words)]


def query(text: str) -> Query:
    """Return what a query asks for, without the words that say nothing about it unless there are no others."""
    folded = fold(text)
    words = _WORD.findall(folded)
    kept = [word for word in words if _APOSTROPHES.sub("", word) not in STOPWORDS] or words
    wanted = dict.fromkeys(term for word in kept for term in _asked_terms(word))
    also = dict.fromkeys(term for term in _other_spellings(text, folded, words) if term not in wanted)
    return Query(tuple(wanted), tuple(also))


def asks_only(text: str, known: Set[str]) -> bool:
    """Tell whether all that a text asks for, as a query, is among `known`. Most texts fail at their first word."""
    for found in _WORD.finditer(fold(text)):
        word = found.group()
        if _APOSTROPHES.sub("", word) not in STOPWORDS and any(term not in known for term in _asked_terms(word)):
            return False
    return set(query(text).terms) <= known


def is_small_talk(text: str) -> bool:
    """Tell whether a text names nothing one could look for: greetings, thanks, bare question words."""
    words = (_APOSTROPHES.sub("", word) for word in _WORD.findall(fold(text)))
    return all(word in STOPWORDS or word in GREETINGS for word in words)


def date_terms(day: date) -> list[str]:
    """Return the terms under which a day is found in any spelling."""
    return [
        str(day.year),
        f"mo{day.month}",
        str(day.day),
        f"wd{day.isoweekday()}",
        *_day_terms(day.month, day.day, day.year),
    ]


def _word_terms(word: str) -> Iterator[str]:
    if _IS_UNSPACED.match(word):
        yield from word
        yield from _pairs(word)
    else:
        yield _term(word)


def _asked_terms(word: str) -> Iterator[str]:
    if _IS_UNSPACED.match(word):
        yield from _pairs(word) if len(word) > 1 else word
    else:
        yield _term(word)


def _pairs(run: str) -> Iterator[str]:
    return (run[i : i + 2] for i in range(len(run) - 1))


def _term(word: str) -> str:
    word = _APOSTROPHES.sub("", _POSSESSIVE.sub("", word))
    if word.isdecimal():
        return _digits(word)
    ordinal = _ORDINAL.fullmatch(word)
    if ordinal:
        return _digits(ordinal[1])
    stemmed = stem(word)
    return _CALENDAR.get(stemmed, stemmed)


def _digits(word: str) -> str:
    """Return a number's digits in ASCII without leading zeros."""
    return "".join(str(unicodedata.decimal(digit)) for digit in word).lstrip("0") or "0"


def _other_spellings(text: str, folded: str, words: list[str]) -> Iterator[str]:
    yield from _parts(words)
    if _HAS_DIGIT.search(folded):
        yield from _joined(folded)
        yield from _clock_times(folded)
        yield from _spelled_days(words)
        yield from _numeric_days(folded)
    if not text.isascii():
        yield from _umlauts(text)


def _parts(words: Iterable[str]) -> Iterator[str]:
    """Yield "brien" for "o'brien", "10" for "10km"."""
    for word in words:
        pieces = _APOSTROPHES.split(word)
        yield from (stem(piece) for piece in pieces if len(pieces) > 1 and len(piece) > 2)
        measured = _NUMBER_AND_UNIT.fullmatch(word)
        if measured and not _ORDINAL.fullmatch(word):
            yield _digits(measured[1])


def _joined(folded: str) -> Iterator[str]:
    """Yield identifiers and numbers without what separates their parts; of a phone number also its end."""
    chains = (found.group() for found in _CHAINED.finditer(folded))
    groups = (found.group() for found in _SPACED_DIGITS.finditer(folded))
    for chain in (*chains, *groups):
        joined = "".join(char for char in chain if char.isalnum())
        if joined.isalpha() or len(joined) > (_NUMBER_DIGITS if joined.isdecimal() else _JOINED_CHARS):
            continue
        yield _digits(joined) if joined.isdecimal() else joined
        if joined.isdecimal() and len(joined) >= _PHONE_DIGITS:
            yield _digits(joined)[-_PHONE_TAIL:]
    yield from (_digits(number)[-_PHONE_TAIL:] for number in _PHONE.findall(folded))


def _clock_times(folded: str) -> Iterator[str]:
    """Yield "1730" for "5:30 pm" and "17 Uhr 30"; "17:30" gives it as a joined number."""
    for hour, minute, half in _CLOCK_12.findall(folded):
        yield f"{int(hour) % 12 + (12 if half == 'p' else 0)}{minute or '00'}"
    for hour, minute in _CLOCK_24.findall(folded):
        yield f"{int(hour)}{minute or '00'}"


def _spelled_days(words: list[str]) -> Iterator[str]:
    """Yield the day of "12 March", "March 12th, 2027" and their like in other languages."""
    found = [_term(word) for word in words]
    for i, term in enumerate(found):
        month = _MONTH_NUMBERS.get(term)
        if month is None:
            continue
        around = (*found[max(0, i - 2) : i], *found[i + 1 : i + 3])
        year = next((int(near) for near in around if near.isdecimal() and len(near) == 4), None)
        for near in (*found[max(0, i - 1) : i], *found[i + 1 : i + 2]):
            if near.isdecimal() and len(near) <= 2:
                yield from _day_terms(month, int(near), year)


def _numeric_days(folded: str) -> Iterator[str]:
    for year, month, day in _ISO_DATE.findall(folded):
        yield from _day_terms(int(month), int(day), int(year))
    for day, month, year in _DOTTED_DATE.findall(folded):
        yield from _day_terms(int(month), int(day), _year(year))
    for first, second, year in _SLASHED_DATE.findall(folded):  # day first or month first: both
        yield from _day_terms(int(second), int(first), _year(year))
        yield from _day_terms(int(first), int(second), _year(year))


def _year(written: str) -> int | None:
    if not written:
        return None
    return int(written) + (2000 if len(written) == 2 else 0)


def _day_terms(month: int, day: int, year: int | None) -> Iterator[str]:
    if 1 <= month <= 12 and 1 <= day <= 31:
        yield f"md{month:02}{day:02}"
        if year:
            yield f"{year}{month:02}{day:02}"


def _umlauts(text: str) -> Iterator[str]:
    """Yield "mueller" for "Müller"; folding alone gives "muller"."""
    lowered = unicodedata.normalize("NFC", text).casefold()
    for word in regex.findall(r"\p{L}*[äöü]\p{L}*", lowered):
        yield stem(fold(word.translate(_UMLAUTS)))
