"""The words people use for days, in the languages read here: English, German, Russian, Spanish, French.

Tables and the patterns made from them; no arithmetic and no time zone. Words that mean something else in another of
these languages (French "hier" is German for "here") are left out on purpose.
"""

import re

LANGUAGES = ("en", "de", "ru", "es", "fr")

_WEEKDAY_STEMS: dict[str, tuple[str, ...]] = {
    "en": ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    "de": ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
    "ru": (
        "понедельник[ауе]?",
        "вторник[ауе]?",
        "сред[ауые]",
        "четверг[ауе]?",
        "пятниц[ауые]",
        "суббот[ауые]",
        "воскресень[еюя]",
    ),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
}
_SHORT_WEEKDAYS: dict[str, tuple[str, ...]] = {
    "en": ("Mon", "Tues?", "Wed", "Thu(?:rs?)?", "Fri", "Sat", "Sun"),
    "de": ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
    "ru": ("[Пп]н", "[Вв]т", "[Сс]р", "[Чч]т", "[Пп]т", "[Сс]б", "[Вв]с"),
}
_MONTHS: dict[str, str] = {
    "en": "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
    "de": "januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
    "|feb|mär|apr|jun|jul|aug|sept?|okt|nov|dez",
    "ru": "января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
    "|янв|февр?|апр|авг|сент?|окт|нояб?|дек",
    "es": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre",
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
}
_NEXT = "next|nächste[nrs]?|следующ(?:ий|ую|ее|ей|его|ему)|próximo|prochain"
_COMING = (  # the coming one, today included
    "this(?: coming)?|coming|kommende[nrs]?|diese[nrs]?|эт(?:от|у|о)|ближайш(?:ий|ую|ее|ей|его)|este|ce"
)
_LAST = "last|letzte[nrs]?|vergangene[nrs]?|прошл(?:ый|ую|ое|ой|ого)|pasado|dernier"
_NEXT_WEEK = "next week|nächster? woche|на следующей неделе|la semana que viene|que viene|la semaine prochaine|prochain"
_DAY_PART = "abend|morgen|früh|vormittag|nachmittag|mittag|nacht"

LATE = r"tonight|this evening|in the evening|evening|afternoon|abends?|nachmittags?|вечером|днём|por la tarde"
BEFORE_NOON = r"in the morning|this morning|morning|morgens|vormittags?|früh|утром|por la mañana"
EARLY_WORDS = re.compile(rf"\b(?:{BEFORE_NOON})\b", re.IGNORECASE)
LATE_WORDS = re.compile(rf"\b(?:{LATE})\b", re.IGNORECASE)
"""Words that put an hour without am or pm into the second half of the day."""

DAY_WORDS: tuple[tuple[str, int], ...] = (
    (r"the day after tomorrow|day after tomorrow|übermorgen|послезавтра|pasado mañana|après-demain", 2),
    (r"the day before yesterday|day before yesterday|vorgestern|позавчера|anteayer|avant-hier", -2),
    (r"tomorrow|завтра|(?<!la )mañana|demain", 1),
    (r"yesterday|gestern|вчера|ayer", -1),
    (r"today|tonight|heute|сегодня|hoy|aujourd['’]hui", 0),
)
"""Patterns for words that name a day by its distance from the day of the message, longest first."""

GERMAN_MORGEN = re.compile(
    r"(?<!guten )(?<!heute )(?<!gestern )(?<!am )(?<!diesen )(?<!jeden )\bmorgen\b"
    r"|(?:^|(?<=[.!?:] ))Morgen\b(?=\s+(?:um|früh|abend|mittag|nachmittag|ist|muss|habe|haben|ab|\d))"
)
"""German "morgen" as tomorrow; as a noun ("am Morgen", "Guten Morgen") it is the morning."""

_UNITS = {
    "en": "minutes?|mins?|hours?|days?|weeks?|fortnights?|months?|years?",
    "de": "minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?",
    "ru": "минут[уы]?|час(?:а|ов)?|день|дня|дней|недел[юиь]|месяц(?:а|ев)?|год(?:а)?|лет",
    "es": "minutos?|horas?|días?|semanas?|mes(?:es)?|años?",
    "fr": "minutes?|heures?|jours?|semaines?|mois|ans?",
}
_COUNTS = {
    "en": r"an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3}",
    "de": r"eine[mrn]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\d{1,3}",
    "ru": r"одну|один|две|два|три|четыре|пять|шесть|семь|восемь|девять|десять|\d{1,3}",
    "es": r"una?|\d{1,3}",
    "fr": r"une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|\d{1,3}",
}
HALF_HOURS = re.compile(r"\bin half an hour\b|\bin einer halben stunde\b|\bчерез полчаса\b", re.IGNORECASE)
OF_CLOCK_UNIT = re.compile(r"\b(?:min|hour|stunde|час|hora|heure|минут)", re.IGNORECASE)
"""Units shorter than a day: such a distance is counted from the moment of the message, not from its day."""


def _relative(language: str) -> str:
    count, unit = _COUNTS[language], _UNITS[language]
    shapes = {
        "en": rf"in (?:{count}) (?:{unit})|(?:{count}) (?:{unit}) ago",
        "de": rf"(?:in|vor) (?:{count}) (?:{unit})",
        "ru": rf"через (?:(?:{count}) )?(?:{unit})|(?:(?:{count}) )?(?:{unit}) назад",
        "es": rf"(?:en|dentro de) (?:{count}) (?:{unit})",
        "fr": rf"(?:dans|il y a) (?:{count}) (?:{unit})",
    }
    return rf"\b(?:{shapes[language]})\b"


def _weekday_pattern() -> str:
    stems = "|".join(stem for language in LANGUAGES for stem in _WEEKDAY_STEMS[language])
    return (
        rf"\b(?:(?P<next>{_NEXT})\s+|(?P<coming>{_COMING})\s+|(?P<last>{_LAST})\s+)?(?P<weekday>{stems})"
        rf"(?P<part>{_DAY_PART})?\b(?:\s+(?P<week>{_NEXT_WEEK})\b)?"
    )


def _month_pattern(language: str) -> str:
    month, year = _MONTHS[language], r"(?:,?\s+(?:de\s+)?(?P<{0}>1[0-9]\d\d|20\d\d|21\d\d)\b(?!:))?(?:\s+(?:года|г\.))?"
    day_first = (
        r"(?<![\d.,:/-])(?P<d1>\d{1,2})(?:st|nd|rd|th|er|\.|-?го)?\s*"
        rf"(?:(?:day\s+)?of\s+|de\s+)?\b(?P<m1>{month})\b(?:\.(?=,?\s+\d))?(?!\w)" + year.format("y1")
    )
    if language != "en":
        return day_first
    month_first = rf"\b(?P<m2>{month})\b\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]\d)" + year.format("y2")
    return rf"{day_first}|{month_first}"


WEEKDAY = re.compile(_weekday_pattern(), re.IGNORECASE)
SHORT_WEEKDAY = re.compile(r"\b(?:" + "|".join("|".join(names) for names in _SHORT_WEEKDAYS.values()) + r")\b\.?")
RELATIVE = {language: re.compile(_relative(language), re.IGNORECASE) for language in LANGUAGES}
MONTH_DATE = {language: re.compile(_month_pattern(language), re.IGNORECASE) for language in LANGUAGES}
RECURRING = re.compile(
    r"\b(?:every|each|jede[nrs]?|кажд(?:ый|ую|ое)|todos los|cada|chaque|tous les)\s+(?:other\s+|second\s+)?$",
    re.IGNORECASE,
)
"""What stands before a weekday that names a habit, not a day."""

_WEEKDAY_NUMBERS = [
    (re.compile(names[number], re.IGNORECASE), number)
    for number in range(7)
    for names in (*_WEEKDAY_STEMS.values(), *_SHORT_WEEKDAYS.values())
]


def weekday_number(word: str) -> int:
    """Return the number of a weekday's name, Monday 0. Raises KeyError for another word."""
    for pattern, number in _WEEKDAY_NUMBERS:
        if pattern.fullmatch(word.rstrip(".")):
            return number
    raise KeyError(word)
