"""Which line of the prompt answers a question: by shared stems, by what kind of answer is asked for.

Careful rather than clever: a line about another subject ("insurance report" for "tax report") is not an answer, and a
question for a date is not answered by a line without one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.models.reader.prompt import FactLine, SaidLine
from bot.models.reader.words import fold, stems, weight

Wanted = Literal["when", "number", "any"]

_WHEN = re.compile(
    r"\b(?:when|what time|what (?:day|date)|which day|deadline|due date|until when|by when|wann|um wie ?viel uhr|frist"
    r"|welche[nmr]? (?:tag|datum)|когда|во сколько|какого числа|до какого|срок|дедлайн)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?:how (?:much|many|old|long|far|tall|big|high|often)|phone|iban|wie ?viele?|wie (?:alt|hoch|lang|weit)"
    r"|telefon\w*"
    r"|handynummer|сколько|телефон\w*)\b",
    re.IGNORECASE,
)
_TIME_WORDS = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:to|yester)day\b|tomorrow|tonight|noon|next|week|month|year"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|heute|übermorgen|woche|monat)\b"
    r"|понедельник|вторник|сред[ауы]|четверг|пятниц|суббот|воскресен|завтра|сегодня|недел|месяц|январ|феврал|март|апрел"
    r"|ма[йя]\b|июн|июл|август|сентябр|октябр|ноябр|декабр"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|once|twice|daily|weekly"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|два|две|три|четыре|пять|шесть|семь|восемь|девять|десять)\b",
    re.IGNORECASE,
)
_KIND_STEMS = {
    "deadline": {"@due", "@appointment"},
    "decision": {"@decide"},
    "constraint": {"@limit"},
    "user_attribute": set[str](),
    "entity": set[str](),
}
_ANCHORED = re.compile(
    r'^(?P<shown>.+?) \((?P<inner>"[^"]+"|[^()"]*(?<!\d)(?:19|20|21)\d\d(?!\d)[^()"]*)\)$', re.DOTALL
)
_ENOUGH = 0.6
_ENOUGH_OF_DECISION = 0.5
_GENERIC = {"@due", "@decide", "@name", "date", "day", "rul", "valu", "number", "current", "@limit"}


@dataclass(frozen=True)
class Question:
    """What is asked: its stems, and the kind of answer that would do."""

    text: str
    stems: frozenset[str]
    wanted: Wanted


def read_question(text: str) -> Question:
    """Return a question as it is matched."""
    wanted: Wanted = "when" if _WHEN.search(text) else "number" if _NUMBER.search(text) else "any"
    return Question(text, frozenset(stems(text)), wanted)


def matching_facts(question: Question, facts: Sequence[FactLine]) -> list[FactLine]:
    """Return the facts that answer, best first; those as good as the best one, at most five."""
    scored = [(score, fact) for fact in facts if (score := _fact_score(question, fact)) is not None]
    best = max((score for score, _ in scored), default=0.0)
    return [fact for score, fact in scored if score > best - 0.05][:5]


def nearest_fact(question: Question, facts: Sequence[FactLine]) -> FactLine | None:
    """Return the fact whose subject the question names, though it does not answer; None when none does."""
    for fact in facts:
        subject = _subject_stems(fact)
        if subject and subject <= question.stems:
            return fact
    return None


def matching_lines(question: Question, lines: Sequence[SaidLine]) -> list[SaidLine]:
    """Return the best line, and a later correction of it if one follows; empty when none is good enough."""
    best: tuple[float, int] | None = None
    lines = _without_withdrawn(lines)
    passages = {text: stems(text) for text in {line.passage for line in lines}}
    for index, line in enumerate(lines):
        score = _line_score(question, line, passages[line.passage])
        if score is not None and (best is None or (score, index) >= (best[0] - 0.01, best[1])):
            best = (score, index)
    if best is None:
        return []
    chosen = lines[best[1]]
    return [chosen, *_correction_after(chosen, lines[best[1] + 1 :])]


def facts_about(words: str, facts: Sequence[FactLine]) -> list[FactLine]:
    """Return the facts whose subject or value names one of the words."""
    asked = stems(words)
    return [fact for fact in facts if asked & (stems(fact.subject) | stems(fact.value))]


def names_a_time(text: str) -> bool:
    """Return whether a text holds a number or a word for a day."""
    return _TIME_WORDS.search(text) is not None


def calls_off(text: str) -> bool:
    """Return whether a text says that something is cancelled or no longer so."""
    return _CALLED_OFF.search(text) is not None


def supporting_line(fact: FactLine, lines: Sequence[SaidLine]) -> SaidLine | None:
    """Return the newest line in which the member said just that: its subject and the whole of its value."""
    wording = fold(said_value(fact.value)).rstrip(".")
    subject = _subject_stems(fact)
    for line in reversed(lines):
        text = fold(line.text)
        if wording in text and (not subject or subject & stems(line.text)):
            return line
    return None


def said_value(value: str) -> str:
    """Return the member's own words of a value that shows an absolute date beside them."""
    match = _ANCHORED.match(value)
    if match is None:
        return value
    inner = match["inner"]
    return inner.strip('"') if inner.startswith('"') else match["shown"]


def _fact_score(question: Question, fact: FactLine) -> float | None:
    subject, value = _subject_stems(fact), stems(fact.value)
    held = subject | stems(fact.subject) | value | _KIND_STEMS.get(fact.kind.split(",")[0], set())
    coverage = _coverage(question.stems, held)
    asked = {one for one in question.stems if weight(one) == 1.0}
    is_other_subject = bool(subject - question.stems) and bool(asked - held)
    is_vague = not asked & held and bool(subject - question.stems)
    is_decision = fact.kind.startswith("decision") and "@decide" in question.stems
    if (
        coverage < (_ENOUGH_OF_DECISION if is_decision else _ENOUGH)
        or is_other_subject
        or is_vague
        or not _is_wanted(question.wanted, fact.value)
    ):
        return None
    return coverage + 0.5 * _coverage(frozenset(subject), set(question.stems))


def _line_score(question: Question, line: SaidLine, around: set[str]) -> float | None:
    here = stems(line.text)
    asked = {one for one in question.stems if weight(one) == 1.0}
    if not _is_wanted(question.wanted, line.text) or not question.stems & here:
        return None
    alone, together = _coverage(question.stems, here), _coverage(question.stems, here | around)
    if asked and not asked & here:
        return None
    if alone >= _ENOUGH or (together >= 0.75 and alone >= 0.34):
        return alone + 0.3 * together
    return None


def _coverage(asked: frozenset[str], held: set[str]) -> float:
    whole = sum(weight(one) for one in asked)
    return sum(weight(one) for one in asked if one in held) / whole if whole else 0.0


def _is_wanted(wanted: Wanted, text: str) -> bool:
    if wanted == "when":
        return names_a_time(text)
    return wanted == "any" or _NUMBER_WORDS.search(text) is not None


def _subject_stems(fact: FactLine) -> set[str]:
    return stems(fact.subject) - _GENERIC


_CORRECTION = re.compile(
    r"^(?:no\b|actually|correction|sorry|wait|it['’]s (?:now|moved)|we(?:['’]ve)? (?:moved|switched|changed)|nein\b"
    r"|doch\b|eigentlich|korrektur|нет\b|точнее|поправка)",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"^(?:please )?(?:forget|vergiss|забудь(?:те)?)\b(?: about| everything about| про| об?)?(?P<what>[^,]+).*$",
    re.IGNORECASE,
)
_CALLED_OFF = re.compile(
    r"\b(?:cancell?ed|called off|off now|no longer|any ?more|quit|dropped|scrapped|abgesagt|gestrichen|hinfällig"
    r"|fällt aus|entfällt|nicht mehr|отмен\w+|больше не)\b",
    re.IGNORECASE,
)


def _correction_after(chosen: SaidLine, later: Sequence[SaidLine]) -> list[SaidLine]:
    """Return the newest line that calls off what the chosen one says, or else corrects it right after."""
    spoken = stems(chosen.text)
    off = [line for line in later if calls_off(line.text) and spoken & stems(line.text)]
    if off or chosen.is_recalled:
        return off[-1:]
    return [line for line in later[:3] if _CORRECTION.match(line.text)][-1:]


def _without_withdrawn(lines: Sequence[SaidLine]) -> list[SaidLine]:
    """Leave out what the member later said to forget, and the saying so."""
    kept: list[SaidLine] = []
    for line in lines:
        match = _WITHDRAWN.match(line.text)
        what = stems(match["what"]) if match else set()
        if match:
            kept = [earlier for earlier in kept if not what or not what <= stems(earlier.text)]
        else:
            kept.append(line)
    return kept
