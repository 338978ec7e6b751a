"""Patterns that recognise a fact's value in other phrasings: dates, times, numbers, words.

Each function returns the source of a regular expression (for the `regex` module, case ignored) that stands for all of
what it was given. Nothing is run here, and whether a pattern is good enough to examine a fact with is decided
elsewhere.
"""

import re
from datetime import date, time

from memory.ledger.number_words import COUNTING, german_ordinal_pattern, ordinal_pattern, words_pattern

_MONTHS = (
    r"jan(?:uary|uar|vier|\.)?|enero|янв\w*",
    r"feb(?:ruary|ruar|rero|\.)?|février|фев\w*",
    r"mar(?:ch|zo|s|\.)?|märz|мар\w*",
    r"apr(?:il|\.)?|abril|avril|апр\w*",
    r"may(?:o)?|mai|мая|май",
    r"june?|juni[o]?|juin|июн\w*",
    r"july?|juli[o]?|juillet|июл\w*",
    r"aug(?:ust|\.)?|agosto|août|авг\w*",
    r"sep(?:t(?:ember|iembre|embre)?|\.)?|сен\w*",
    r"oct(?:ober|ubre|obre|\.)?|okt(?:ober|\.)?|окт\w*",
    r"nov(?:ember|iembre|embre|\.)?|ноя\w*",
    r"dec(?:ember|\.)?|dez(?:ember|\.)?|diciembre|décembre|дек\w*",
)
_LATE = r"in the (?:afternoon|evening)|abends?|nachmittags?|вечера|дня|de la (?:tarde|noche)|du soir|de l['’]après-midi"
_EARLY = r"in the morning|morgens|vormittags|früh|утра|de la mañana|du matin"
_NIGHT = r"at night|nachts|ночи"
_NOON = r"|\b(?:noon|midday|mittags?|полдень|mediodía|midi)\b"
_HOUR = r"(?:\s*(?:uhr|o['’]clock|heures?|horas?|час\w*))?"
_EN_HOURS = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
_DE_HOURS = ["zwölf", "eins?", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf"]
_RU_HOURS = [
    "двенадцать",
    "час",
    "два",
    "три",
    "четыре",
    "пять",
    "шесть",
    "семь",
    "восемь",
    "девять",
    "десять",
    "одиннадцать",
]
_ES_HOURS = ["doce", "una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once"]

_NUMBER = re.compile(r"(?<!\w)[+-]?\d[\d.,:/ -]*\d|\d")
_WHOLE = re.compile(r"[1-9]\d{0,5}|[1-9]\d{0,2}([.,'’ ])\d{3}(?:\1\d{3})*")
_DECIMAL = re.compile(r"(\d+)[.,](\d{1,2})")
_ALONE = r"(?<!\d)(?<!\d[.,])"
"""In front of a number: it is no end of a longer one."""
_ENDS = r"(?![.,:]?\d)"
"""Behind a number: no longer one goes on, and no fraction."""
_NO_TENS = r"(?<!\w)(?<!ty[\s-])"
_NO_MORE = rf"(?![\s-]+(?:and\s+)?(?:{COUNTING}|point|a half)\b)"
"""Around a number in words: it is no part of a longer one."""
_NO_PART = r"(?<!past )(?<!quarter to )(?<!halb )(?<!viertel nach )(?<!viertel vor )"
"""In front of an hour: it is not said of its half or quarter."""
_WORD = re.compile(r"[^\W_]+")
_REPEATS = re.compile(r"\{\s*(\d*)\s*,?\s*(\d*)\s*\}")
MAX_REPEATS = 1_000
_EDGE_WORDS = frozenset({"a", "an", "the", "is", "are", "to", "in", "at", "on", "of", "by", "am", "der", "die", "das"})


def date_pattern(day: date, *, has_year: bool = False) -> str:
    """Return a pattern for a day, with or without its year, in words or numbers.

    `has_year`: the year was said, so the same day of another one is another day.
    """
    month = _MONTHS[day.month - 1]
    number, of_month = f"0?{day.day}", f"0?{day.month}"
    other = rf"(?!,?\s+(?:de\s+|of\s+)?(?!{day.year})(?:19|20|21)\d\d(?!\d))" if has_year else ""
    end = r"(?![./]?\d)" if has_year else r"(?!\d)"
    english, german = ordinal_pattern(day.day), german_ordinal_pattern(day.day)
    return (
        rf"(?<!\d)(?:(?:{number}(?:st|nd|rd|th|er|\.|-?го)?|{_NO_TENS}(?:{english}|{german}))"
        rf"\s*(?:of\s+|de\s+)?(?:{month})(?!\w){other}"
        rf"|\b(?:{month})\s+(?:the\s+)?(?:{number}(?:st|nd|rd|th)?(?!\d)|{english}(?!\w)){other}"
        rf"|{day:%Y}[-/.]{day:%m}[-/.]{day:%d}(?!\d)|{number}[./]{of_month}(?:[./](?:20)?{day:%y})?{end}"
        rf"|{of_month}月\s*{number}[日号號])"
    )


def clock_pattern(clock: time) -> str:
    """Return a pattern for a time of day on either clock, in numbers or words.

    An hour on the twelve-hour clock counts only with its half of the day: "six" may be in the morning.
    """
    hour, is_late = clock.hour, clock.hour >= 12
    mine, others = (_LATE, _EARLY) if is_late else (_EARLY, _LATE)
    if hour < 5 or hour >= 20:
        mine = f"{mine}|{_NIGHT}"
    half, other = ("p", "a") if is_late else ("a", "p")
    on_24 = rf"(?<![\d:.]){'0?' if hour < 10 else ''}{hour}{_minutes_24(clock)}"
    if hour <= 12:
        on_24 += rf"(?!\s*(?:{other}\.?\s?m\b|{others}))"
    on_12 = rf"(?<![\d:.]){hour % 12 or 12}" + (f"[:.]{clock:%M}" if clock.minute else "(?:[:.]00)?")
    spoken = _spoken(clock)
    hours = rf"{_NO_PART}(?:{on_12}|\b(?:{spoken})\b)" if spoken else f"{_NO_PART}{on_12}"
    noon = _NOON if clock == time(12) else ""
    return rf"(?:{on_24}|{hours}{_HOUR}\s*(?:{half}\.?\s?m\b|,?\s*(?:{mine})(?!\w)){noon})"


def moment_pattern(day: date, clock: time | None) -> str:
    """Return a pattern for a day and, when there is one, its time, in either order and close together."""
    if clock is None:
        return date_pattern(day)
    first, second = date_pattern(day), clock_pattern(clock)
    return rf"(?:{first}.{{0,30}}?{second}|{second}.{{0,30}}?{first})"


def literal_pattern(words: str) -> str:
    """Return a pattern for words as they stand, whatever the spaces and the punctuation between them."""
    tokens = _WORD.findall(words)
    while len(tokens) > 1 and tokens[0].casefold() in _EDGE_WORDS:
        tokens = tokens[1:]
    if not tokens:
        return ""
    # A number at an edge is not the end, or the beginning, of a fraction.
    before = r"(?<!\w)" + (r"(?<!\d[.,])" if tokens[0].isdecimal() else "")
    after = r"(?!\w)" + (r"(?![.,]\d)" if tokens[-1].isdecimal() else "")
    return before + r"[\W_]+".join(re.escape(token) for token in tokens) + after


def is_compilable(pattern: str) -> bool:
    """Tell whether a pattern somebody else wrote may be compiled: counted repeats within each other are written out in
    memory, and their product can take all of it before any timeout counts.
    """
    product = 1
    for match in _REPEATS.finditer(pattern):
        product *= max(1, *(int(number[:9]) for number in match.groups() if number))
    return product <= MAX_REPEATS


def number_patterns(words: str) -> list[str]:
    """Return a pattern for each number of at least two digits: a quantity however it is written, an id digit for digit,
    separators free.
    """
    found = [match.group() for match in _NUMBER.finditer(words)]
    return [_number_pattern(written) for written in found if sum(map(str.isdigit, written)) >= 2]


def count_pattern(number: int) -> str:
    """Return a pattern for a number in words, alone; "" where it has none that would tell."""
    words = words_pattern(number)
    return rf"{_NO_TENS}(?<!hundred )(?<!hundred and )(?<!thousand )(?:{words})(?!\w){_NO_MORE}" if words else ""


def _number_pattern(written: str) -> str:
    if _WHOLE.fullmatch(written):
        return _whole_pattern(int(re.sub(r"\D", "", written)))
    decimal = _DECIMAL.fullmatch(written)
    if decimal is None:
        return r"(?<!\d)" + r"[\s.,:/-]?".join(re.findall(r"\d", written)) + r"(?!\d)"
    whole, part = decimal[1], decimal[2].rstrip("0")
    return rf"{_ALONE}{whole}" + (rf"[.,]{part}0*" if part else r"(?:[.,]0+)?") + _ENDS


def _whole_pattern(number: int) -> str:
    ways = [re.sub(",", r"[\\s.,'’]?", f"{number:,}") + _ENDS]
    if number >= 1000 and number % 1000 == 0:
        ways.append(rf"{number // 1000}(?:\s?k\b|\s+(?:thousand|tausend|тысяч\w*|mil)(?!\w))")
    pattern = rf"{_ALONE}(?:{'|'.join(ways)})"
    words = count_pattern(number)
    return rf"(?:{pattern}|{words})" if words else pattern


def _minutes_24(clock: time) -> str:
    if clock.minute:
        return rf"(?:[:.]|\s?(?:h|uhr)\s?){clock:%M}(?!\d)"
    return r"(?:[:.]00(?!\d)|\s*(?:uhr|h\b|o['’]clock|heures?|час\w*))"


def _spoken(clock: time) -> str:
    """Return the hour of the twelve-hour clock in words, with its half or quarter; "" for other minutes."""
    now, following = clock.hour % 12, (clock.hour + 1) % 12
    match clock.minute:
        case 0:
            return "|".join(hours[now] for hours in (_EN_HOURS, _DE_HOURS, _RU_HOURS, _ES_HOURS))
        case 15:
            return rf"(?:a )?quarter past {_EN_HOURS[now]}|viertel nach {_DE_HOURS[now]}"
        case 30:
            return rf"half past {_EN_HOURS[now]}|{_EN_HOURS[now]}[\s-]thirty|halb {_DE_HOURS[following]}"
        case 45:
            return rf"(?:a )?quarter to {_EN_HOURS[following]}|viertel vor {_DE_HOURS[following]}"
        case _:
            return ""
