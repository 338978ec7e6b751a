"""Corrections as the offline reader understands them: "moved to Thursday", "not teal but red", "no, at 11:30".

Which current fact a correction is about, and what then holds. A correction that names its subject or the old value may
change any fact; one that names neither only a fact the exchange before it spoke of. One that names half a moment
("7:15", "the 15th") keeps the other half.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.models.reader.changes import adding, is_same_subject, is_same_value, replacing
from bot.models.reader.clauses import Clause
from bot.models.reader.match import names_a_time, said_value
from bot.models.reader.reading import CurrentFact, Reading
from bot.models.reader.rule import clean_subject, clean_value, is_exact, with_article
from bot.models.reader.statements import Finding, dates_in, finding_of, shown_value
from bot.models.reader.words import fold, language_of, stems
from memory.ledger.changed_moments import DAY_NUMBER, changed_moment, moment_of
from memory.ledger.clocks import find_clocks
from memory.ledger.dates import DateMention

_MOVED = (
    re.compile(
        r"^(?P<subject>.+?)(?:['’]s| is| was| has been| have been| got| will be)?(?: now)? (?:moved|postponed"
        r"|rescheduled|pushed(?: back)?"
        r"|brought forward|changed|shifted|delayed|put off|extended)(?: from (?P<old>.+?))? (?:to|until|till)"
        r" (?P<value>.+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:we|i|they)(?:['’]ve| have)? (?:moved|postponed|rescheduled|changed|shifted|pushed|extended)"
        r" (?P<subject>.+?)"
        r"(?: from (?P<old>.+?))? (?:to|until|till) (?P<value>.+)$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?P<subject>.+?) (?:wurde|wurden|ist|sind|wird|werden|haben wir)(?: \w+)? (?:auf|nach) (?P<value>.+?)"
               r" (?:verschoben|verlegt|geändert)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:перенесли|перенес[её]н[аоы]?|перен[её]с(?:ся|лась)?|сдвинули) на"
               r" (?P<value>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?)(?: is| are)? not (?P<old>.+?),? but (?P<value>.+)$|^(?P<subject2>.+?)(?: ist| sind)?"
               r" nicht (?P<old2>.+?), sondern (?P<value2>.+)$|^(?P<subject3>.+?) не (?P<old3>.+?), а (?P<value3>.+)$",
               re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:is|are|will be|should be) (?P<value>.+?),? (?:not|instead of|rather than)"
               r" (?P<old>.+)$|^(?P<subject2>.+?) (?:ist|sind|wird|werden) (?P<value2>.+?), (?:und )?nicht"
               r" (?P<old2>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:is|are|costs?|ist|sind|beträgt|kostet|liegt bei|heißt)"
               r" (?:now|actually|jetzt|inzwischen|nun) (?P<value>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:теперь|сейчас) (?P<value>.+)$", re.IGNORECASE),
)  # fmt: skip
_SWITCHED = (
    re.compile(r"^(?:we|i)(?:['’]ve| have)? (?:moved|switched|changed|gone|went) (?:over )?(?:from (?P<old>.+?)"
               r" )?to (?P<value>.+)$", re.IGNORECASE),
    re.compile(r"^(?:use|let['’]s use|we(?:['’]ll| will)? use|go with|let['’]s go with) (?P<value>.+?)"
               r" instead(?: of (?P<old>.+))?$", re.IGNORECASE),
    re.compile(r"^(?P<value>.+?) instead of (?P<old>.+)$", re.IGNORECASE),
    re.compile(r"^not (?P<old>.+?),? but (?P<value>.+)$|^nicht (?P<old2>.+?), sondern (?P<value2>.+)$|^не"
               r" (?P<old3>.+?), а (?P<value3>.+)$", re.IGNORECASE),
    re.compile(r"^(?:it|that|this|es|das|это)(?:['’]s| is| was| will be| ist| wird)?(?: now| actually| jetzt)?"
               r" (?P<value>.+?)(?:,? (?:not|instead of|nicht|а не) (?P<old>.+))?$", re.IGNORECASE),
    re.compile(r"^(?P<value>\S+(?: \S+){0,2}?),? (?:not|nicht|а не) (?P<old>.+)$", re.IGNORECASE),
)  # fmt: skip
_HOME = re.compile(
    r"^(?:i|we)(?:['’]ve| have|['’]re| are)?(?: just| recently| now)? (?:moved|relocated)(?: house)? to (?P<value>.+)$"
    r"|^(?:wir sind|ich bin) nach (?P<value2>.+?) (?:um)?gezogen$|^(?:wir|ich) (?:ziehe?n?|zogen?) nach"
    r" (?P<value3>.+?) um$"
    r"|^(?:мы|я) (?:переехал[аи]?|перебрал(?:ся|ась|ись)) (?:в|во|на) (?P<value4>.+)$",
    re.IGNORECASE,
)
_HOME_NAMES = {"en": "home", "de": "Wohnort", "ru": "место жительства"}
_HOME_QUESTIONS = {"en": "Where do I live?", "de": "Wo wohne ich?", "ru": "Где я живу?"}
_PLACE = re.compile(r"^[A-ZÄÖÜА-ЯЁ][a-zäöüßа-яё’'-]+(?:[ -][A-ZÄÖÜА-ЯЁ]?[a-zäöüßа-яё’'-]+){0,2}$")
_WHEN_MOVED = re.compile(
    r",? (?:last|this|in|on|since|yesterday|today|now|recently|ago|im|letzten?|seit|gestern|heute|jetzt|в прошлом|вчера"
    r"|недавно|теперь|with|because|for|und|and|и) ?.*$|,.*$",
    re.IGNORECASE,
)
_MAX_SWITCHED_WORDS = 6
_MAX_BARE_WORDS = 5
_PRONOUN = re.compile(r"^(?:it|that|this|they|es|das|это|оно)$", re.IGNORECASE)
_SPEAKER = re.compile(r"^(?:we|i|wir|ich|мы|я)$", re.IGNORECASE)
_TITLE = re.compile(r"^(?:dr|mr|mrs|ms|prof|herr|frau)\b", re.IGNORECASE)
_NO_VALUE = re.compile(
    r"^(?:i|you|he|she|it|we|they|this|that|there|what|why|how|not|never|no|yes|ok\w*|thank\w*|thx|please|sorry|wait"
    r"|problem|worries|way|idea|need|chance|one|nothing|fine|good|great|nice|cool|all|just|only|still|wrong|right|true"
    r"|later|sure|maybe|don['’]?t|isn['’]?t|wasn['’]?t|can['’]?t|won['’]?t|is|are|was|were|a moment|a minute|me|my bad"
    r"|ich|du|er|sie|es|wir|ihr|das|dies\w*|nicht|nein|ja|danke|bitte|gut|schon|alles|kein\w*|ist|war|warte\w*|moment"
    r"|я|ты|он|она|оно|мы|вы|они|это|не|нет|да|спасибо|пожалуйста|хорошо|ладно|подожди\w*|ничего|всё|все)\b",
    re.IGNORECASE,
)
_FIRMLY_CORRECTING = re.compile(
    r"^\W*(?:(?:no|nope|nein|нет|sorry|oops|wait)\s*[,:;.!—–-]|(?:\w+ )?(?:correction|korrektur|поправка)\b"
    r"|(?:actually|rather|i mean|scratch that|doch|eigentlich|вообще-то|точнее)\b)",
    re.IGNORECASE,
)
_LINK = re.compile(r"^(?:(?:is|are|ist|sind|hei(?:ß|ss)t|зовут|called|[—–:-])\s+)+", re.IGNORECASE)
_NOW = re.compile(r"\b(?:now|nowadays|these days|jetzt|inzwischen|mittlerweile|теперь|сейчас)\b", re.IGNORECASE)
_BEFORE_MOMENT = re.compile(
    r"^(?:on|at|by|to|am|um|den|dem|auf|bis|в|во|на|до|к)\s+(?:(?:the|den|dem)\s+)?|^(?:the|der)\s+(?=\d)",
    re.IGNORECASE,
)


def correction(clause: Clause, reading: Reading) -> dict[str, Any] | None:
    """Return the replacement of the fact that a correction is about; None when there is no such fact."""
    text = clause.text.rstrip(" .!")
    return (
        _moved_home(text, clause, reading)
        or _moved(text, clause, reading)
        or _switched(text, clause, reading)
        or _renewed(clause, reading)
        or _bare(text, clause, reading)
    )


def says_where_home_is(text: str) -> bool:
    """Tell whether a text says that the member moved house."""
    return _HOME.match(text.rstrip(" .!")) is not None


def is_unlike(fact: CurrentFact, value: str, reading: Reading) -> bool:
    """Tell whether a value cannot take the place of a fact's: no time for a deadline, a mood for a name."""
    if fact.kind == "deadline":
        return not _has_moment(value, reading) and not re.search(r"\d", value)
    is_time = names_a_time(fact.value) and names_a_time(value)
    return fact.kind in {"entity", "user_attribute"} and is_exact(fact.value) and not (is_exact(value) or is_time)


def _moved_home(text: str, clause: Clause, reading: Reading) -> dict[str, Any] | None:
    match = _HOME.match(text)
    if match is None:
        return None
    place = clean_value(_WHEN_MOVED.sub("", _groups(match)["value"]))
    known = next((fact for fact in reading.facts if is_same_subject(fact.subject, "home")), None)
    if not _PLACE.match(place) or (known and is_same_value(known.value, place)):
        return None
    language = language_of(text)
    found = Finding(
        "user_attribute",
        known.subject if known else _HOME_NAMES[language],
        place,
        _HOME_QUESTIONS[language],
        clause.quote,
    )
    return replacing(known.id, found, reading.said) if known else adding(found, reading.said)


def _moved(text: str, clause: Clause, reading: Reading) -> dict[str, Any] | None:
    for pattern in _MOVED:
        match = pattern.match(text)
        words = _groups(match) if match else {}
        if not match or _SPEAKER.match(words["subject"]):
            continue
        fact = _by_subject(words["subject"], reading.facts) or _by_old(words["old"], reading.facts)
        if fact is None and not words["old"] and _PRONOUN.match(words["subject"]):
            fact = _spoken_of(words["value"], reading)
        change = _replaced(fact, words["value"], clause, reading) if fact else None
        if change is not None:
            return change
    return None


def _switched(text: str, clause: Clause, reading: Reading) -> dict[str, Any] | None:
    for pattern in _SWITCHED:
        match = pattern.match(text)
        words = _groups(match) if match else {}
        if not match or len(words["value"].split()) > _MAX_SWITCHED_WORDS:
            continue
        fact = _by_old(words["old"], reading.facts)
        is_bare = not words["old"] and (clause.is_correcting or _TITLE.match(words["value"]))
        if fact is None and is_bare and not _NO_VALUE.match(words["value"]):
            fact = _spoken_of(words["value"], reading)
        change = _replaced(fact, words["value"], clause, reading) if fact else None
        if change is not None:
            return change
    return None


def _renewed(clause: Clause, reading: Reading) -> dict[str, Any] | None:
    """Return the change of a fact whose subject the member now names more shortly ("actually my rate is 95 euros")."""
    found = finding_of(clause, reading.said)
    if found is None or any(is_same_subject(fact.subject, found.subject) for fact in reading.facts):
        return None
    fact = _by_subject(found.subject, reading.facts)
    if fact is None or not (clause.is_correcting or _NOW.search(clause.text) or _is_new_hour(fact, found)):
        return None
    return _replaced(fact, found.value, clause, reading)


def _is_new_hour(fact: CurrentFact, found: Finding) -> bool:
    """Tell whether a finding is the time of an appointment that is known ("the dentist is at 11")."""
    return fact.kind == "deadline" and found.kind != "deadline" and bool(find_clocks(found.value))


def _bare(text: str, clause: Clause, reading: Reading) -> dict[str, Any] | None:
    """Return the change by a correction that is nothing but the new value ("no, at 11:30")."""
    is_value = len(text.split()) <= _MAX_BARE_WORDS and not _NO_VALUE.match(text)
    if not (clause.is_correcting and _FIRMLY_CORRECTING.match(clause.quote) and is_value):
        return None
    if _has_moment(text, reading):
        found = finding_of(clause, reading.said)
        if found is not None and found.kind != "deadline":
            return None
    elif finding_of(clause, reading.said) is not None:
        return None
    fact = _spoken_of(text, reading)
    return _replaced(fact, _behind(fact.subject, text), clause, reading) if fact else None


def _behind(subject: str, text: str) -> str:
    """Return what stands behind the words of a subject and a verb that links ("свекровь зовут Розалина"), or all."""
    words, meant = text.split(), stems(subject)
    last = max((place for place, word in enumerate(words) if stems(word) & meant), default=-1)
    return _LINK.sub("", " ".join(words[last + 1 :]))


def _replaced(fact: CurrentFact, words: str, clause: Clause, reading: Reading) -> dict[str, Any] | None:
    value = clean_value(words)
    if not value or is_unlike(fact, value, reading):
        return None
    mention = next((one for one in dates_in(value, reading.said) if not one.is_ambiguous), None)
    if fact.kind == "deadline":
        mention = _kept(fact, value, reading, keeps_hour=clause.is_correcting) or mention
        value = _BEFORE_MOMENT.sub("", value)
    shown = shown_value(value, mention)
    if is_same_value(fact.value, shown):
        return None
    found = Finding(fact.kind, fact.subject, shown, _question(fact), clause.quote, mention)
    return replacing(fact.id, found, reading.said)


def _kept(fact: CurrentFact, value: str, reading: Reading, *, keeps_hour: bool) -> DateMention | None:
    """Return the moment meant, when the words name only a part of it; None when they name all, or nothing is known.

    The hour stays only where a wrong day is set right: what is moved to another day may have another hour.
    """
    moment = moment_of(dates_in(fact.value, reading.said))
    mentions = dates_in(value, reading.said)
    if moment is None:
        return None
    changed = changed_moment(value, mentions, moment)
    if changed is None:
        return None
    day, clock = changed
    if any(one.day == day and one.clock for one in mentions):
        return None
    if day != moment.day and not keeps_hour and not find_clocks(value):
        clock = None
    return replace(moment, wording=_BEFORE_MOMENT.sub("", value), day=day, clock=clock)


def _has_moment(words: str, reading: Reading) -> bool:
    return bool(dates_in(words, reading.said) or find_clocks(words) or DAY_NUMBER.search(words))


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return subject, old and value, whichever alternative of the shape matched."""
    found = {"subject": "", "old": "", "value": ""}
    for name, words in match.groupdict().items():
        if words:
            found[name.rstrip("234")] = words.strip()
    return found


def _by_subject(words: str, facts: Sequence[CurrentFact]) -> CurrentFact | None:
    asked = stems(clean_subject(words))
    if not asked or _PRONOUN.match(words):
        return None
    exact = [fact for fact in facts if is_same_subject(fact.subject, words)]
    within = [
        fact for fact in facts if asked <= stems(fact.subject) or (stems(fact.subject) - {"@due"}) == asked - {"@due"}
    ]
    hits = exact or within
    return hits[-1] if len(hits) == 1 else None


def _by_old(words: str, facts: Sequence[CurrentFact]) -> CurrentFact | None:
    old = fold(clean_value(words))
    hits = [fact for fact in facts if old and re.search(rf"(?<!\w){re.escape(old)}(?!\w)", fold(fact.value))]
    return hits[0] if len(hits) == 1 else None


def _spoken_of(words: str, reading: Reading) -> CurrentFact | None:
    """Return the newest fact of the kind of these words that was just spoken of; a title may tell by itself."""
    fitting = [fact for fact in reading.facts if _fits(fact, words, reading)]
    if _TITLE.match(words) and len(fitting) == 1:
        return fitting[0]
    newest_first = sorted(fitting, key=lambda fact: int(fact.id[1:]), reverse=True)
    return next((fact for fact in newest_first if _is_spoken_of(fact, reading)), None)


def _is_spoken_of(fact: CurrentFact, reading: Reading) -> bool:
    context = fold(reading.context)
    subject = stems(fact.subject)
    return fold(said_value(fact.value)) in context or (bool(subject) and subject <= stems(reading.context))


def _fits(fact: CurrentFact, words: str, reading: Reading) -> bool:
    """A moment changes a deadline, a title one who has it, a name or number another such, plain words plain words."""
    title = _TITLE.match(words)
    if title:
        return fold(fact.value).startswith(fold(title.group()))
    if _has_moment(words, reading):
        return fact.kind == "deadline"
    return fact.kind != "deadline" and is_exact(words) == is_exact(fact.value)


def _question(fact: CurrentFact) -> str:
    subject = re.sub(r"\s+deadline$", "", fact.subject)
    if fact.kind == "deadline":
        return f"When is {with_article(subject)}" + (" due?" if subject != fact.subject else "?")
    if fact.kind == "decision":
        return f"What did we decide about {with_article(subject)}?"
    return f"What is {with_article(subject)}?"
