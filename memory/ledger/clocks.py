"""Times of day in a member's words: "17:30", "at 9", "5 pm", "um halb drei", "в 9 утра".

A number that could be anything ("at 9") counts only beside a day, so it is reported as bare and the caller decides. An
hour without am, pm or a part of the day is taken as said, on the 24-hour clock. "Midnight" is not read: it means the
start of a day to some and its end to others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time

_AT = r"(?:at|around|about|by|from|um|gegen|ab|bis|в|к|до|с|a las|à)\s+"
_AFTERNOON = r"in the afternoon|in the evening|at night|nachmittags|abends|вечера|дня|de la tarde|de la noche|du soir"
_MORNING = r"in the morning|morgens|vormittags|früh|утра|ночи|de la mañana|du matin"
_HALF = rf"(?:\s*(?:[ap]\.?\s?m\b\.?)|\s+(?:{_AFTERNOON}|{_MORNING})\b)"
_UNIT = (
    r"(?!\s*(?:[%€$£₽°]|euros?\b|eur\b|usd\b|dollars?\b|pounds?\b|руб|k[gm]\b|min|hours|weeks|days|people|tage|wochen))"
)

_EN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DE = ("eins?", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
_EN_WORD, _DE_WORD = "|".join(_EN), "|".join(_DE)

_COLON = re.compile(
    r"(?<![\d:.,/+-])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
    rf"(?:\s*(?:uhr|h)\b)?{_HALF}?",
    re.IGNORECASE,
)
_DOTTED = re.compile(
    rf"\b(?:at|um|в)\s+(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?![\d.,]\d){_UNIT}(?:\s*uhr\b)?{_HALF}?"
    r"|(?<![\d:.,])(?P<h2>[01]?\d|2[0-3])\.(?P<m2>[0-5]\d)\s*uhr\b",
    re.IGNORECASE,
)
_NAMED_HOUR = re.compile(
    rf"(?<![\d:.,/+-])(?P<h>[01]?\d|2[0-3])(?:\s*uhr(?:\s+(?P<m>[0-5]\d)\b)?|\s+час(?:а|ов)?|\s+o['’]clock)\b{_HALF}?"
    rf"|(?<![\d:.,/+-])(?P<h2>1[0-2]|0?[1-9]){_HALF}"
    r"|(?<![\d:.,/+-])(?P<h3>[01]?\d|2[0-3])\s?h\s?(?P<m3>[0-5]\d)\b",
    re.IGNORECASE,
)
_BARE = re.compile(rf"\b{_AT}(?P<h>[01]?\d|2[0-3])(?![\w:/-]|[.,]\d){_UNIT}", re.IGNORECASE)
_WORDED = re.compile(
    rf"\b(?:at\s+)?(?:(?P<past>half|quarter)\s+(?P<way>past|to)\s+)(?P<en>{_EN_WORD}|\d{{1,2}})\b{_HALF}?"
    rf"|\b(?:at|by)\s+(?P<en2>{_EN_WORD})(?:\s+o['’]clock)?\b{_HALF}?"
    rf"|\b(?:um\s+)?(?P<de_part>halb|viertel nach|viertel vor)\s+(?P<de>{_DE_WORD}|\d{{1,2}})\b"
    rf"|\bum\s+(?P<de2>{_DE_WORD})(?:\s+uhr)?\b(?!\s+(?:uhr|\d))"
    r"|\b(?P<noon>noon|midday|mittags|полдень|mediodía)\b",
    re.IGNORECASE,
)
_LATE_TAIL = re.compile(rf"(?:p\.?\s?m\.?|{_AFTERNOON})$", re.IGNORECASE)
_EARLY_TAIL = re.compile(rf"(?:a\.?\s?m\.?|{_MORNING})$", re.IGNORECASE)


@dataclass(frozen=True)
class ClockMention:
    """A time of day at `start`–`end`; `is_bare` when only a day beside it makes it one."""

    start: int
    end: int
    clock: time
    is_bare: bool = False
    has_half: bool = False
    """Morning or afternoon was said; otherwise a part of the day beside it may still decide."""


def find_clocks(text: str) -> list[ClockMention]:
    """Return the times of day in a text, in order, without overlaps."""
    found: list[ClockMention] = []
    taken = bytearray(len(text))
    for mention in (*_with_minutes(text), *_named(text), *_worded(text), *_bare(text)):
        if not any(taken[mention.start : mention.end]):
            taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
            found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def afternoon(clock: time) -> time:
    """Return the time twelve hours on, if it lies before noon."""
    return clock.replace(hour=clock.hour + 12) if clock.hour < 12 else clock


def _with_minutes(text: str) -> Iterator[ClockMention]:
    for pattern in (_COLON, _DOTTED):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            hour, minute = groups["h"] or groups["h2"], groups["m"] or groups["m2"]
            start = match.start("h") if groups["h"] else match.start("h2")
            yield _mention(match, start, int(hour), int(minute))


def _named(text: str) -> Iterator[ClockMention]:
    for match in _NAMED_HOUR.finditer(text):
        hour = match["h"] or match["h2"] or match["h3"]
        yield _mention(match, match.start(), int(hour), int(match["m"] or match["m3"] or 0))


def _worded(text: str) -> Iterator[ClockMention]:
    for match in _WORDED.finditer(text):
        if match["noon"]:
            yield ClockMention(match.start(), match.end(), time(12), has_half=True)
            continue
        word = match["en"] or match["en2"] or match["de"] or match["de2"]
        minutes = _hour_of(word) * 60 + _minutes_off(match)
        yield replace(_mention(match, match.start(), minutes // 60 % 24, minutes % 60), is_bare=True)


def _bare(text: str) -> Iterator[ClockMention]:
    for match in _BARE.finditer(text):
        yield ClockMention(match.start("h"), match.end("h"), time(int(match["h"])), is_bare=True)


def _mention(match: re.Match[str], start: int, hour: int, minute: int) -> ClockMention:
    is_late = _LATE_TAIL.search(match.group()) is not None
    is_early = _EARLY_TAIL.search(match.group()) is not None
    clock = time(0 if is_early and hour == 12 else hour, minute)
    return ClockMention(start, match.end(), afternoon(clock) if is_late else clock, has_half=is_late or is_early)


def _hour_of(word: str) -> int:
    if word.isdigit():
        return int(word) % 24
    lowered = word.lower()
    if lowered in _EN:
        return _EN.index(lowered) + 1
    return next(number for number, name in enumerate(_DE, start=1) if re.fullmatch(name, lowered))


def _minutes_off(match: re.Match[str]) -> int:
    if match["de_part"]:
        return {"halb": -30, "viertel nach": 15, "viertel vor": -15}[match["de_part"].lower()]
    if not match["past"]:
        return 0
    minutes = 30 if match["past"].lower() == "half" else 15
    return minutes if match["way"].lower() == "past" else -minutes
