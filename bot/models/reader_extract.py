"""The offline reader's answer to `task: extract`: changes to the ledger, by plain rules.

Compares what a message states with the current facts it was given: a repetition changes nothing, another value for the
same subject replaces it,
      "cancelled" and "forget" retract. Everything is copied from the message; only absolute dates and
the form of the question are added.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.models.reader_reading import CurrentFact, Reading, read_request
from bot.models.reader_rules import clean_subject, clean_value, is_exact, with_article
from bot.models.reader_statements import Clause, Finding, Moment, clauses, dates_in, finding_of, shown_value
from bot.models.reader_words import fold, stems
from memory.ledger.dates import DateMention, format_when
from memory.ledger.patterns import literal_pattern, moment_pattern, number_patterns
from memory.messages import Message

_FORGET = re.compile(
    r"^(?:please )?(?:forget|delete|erase|remove|vergiss|lösche|забудь(?:те)?|удали(?:те)?)\b(?: about| that|"
    r" everything about| was ich über"
    r"| про| об?)?\s*(?P<subject>.+)$",
    re.IGNORECASE,
)
_RETRACTED = (
    re.compile(
        r"^(?:we|i)(?:['’]ve| have)? (?:cancell?ed|called off|dropped|scrapped) (?P<subject>.+)$", re.IGNORECASE
    ),
    re.compile(
        r"^(?P<subject>.+?)(?:['’]s| is| are| was| has been| got| ist| wurde| wird)? (?:cancell?ed|called off"
        r"|off now|no longer (?:needed|relevant"
        r"|valid|happening|on|true)|abgesagt|gestrichen|hinfällig|отмен[её]н[аоы]?)\b.*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?P<subject>.+?) (?:fällt aus|entfällt|отменяется|отменили|отменилось|больше не нужн\w+)\b.*$", re.IGNORECASE
    ),
    re.compile(
        r"^(?:we|i|he|she|my \w+) (?:no longer (?P<subject>.+)|(?:don['’]t|doesn['’]t) (?P<subject2>.+?) any(?:"
        r" ?more| longer))$",
        re.IGNORECASE,
    ),
)
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
    re.compile(r"^(?P<subject>.+?) (?:wurde|ist|wird|haben wir)(?: \w+)? (?:auf|nach) (?P<value>.+?)"
               r" (?:verschoben|verlegt|geändert)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:перенесли|перенес[её]н[аоы]?|перен[её]с(?:ся|лась)?|сдвинули) на"
               r" (?P<value>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) is not (?P<old>.+?),? but (?P<value>.+)$|^(?P<subject2>.+?) ist nicht"
               r" (?P<old2>.+?), sondern (?P<value2>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:is|are) (?P<value>.+?),? (?:not|instead of|rather than)"
               r" (?P<old>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<subject>.+?) (?:is|are|ist|sind) (?:now|actually|jetzt|inzwischen|nun)"
               r" (?P<value>.+)$", re.IGNORECASE),
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
_DATED_DECISION = re.compile(r"^(?:decision of|Beschluss vom|решение от) ")
_MAX_SWITCHED_WORDS = 6
_PRONOUN = re.compile(r"^(?:it|that|this|they|we|i|es|das|это|оно)$", re.IGNORECASE)
_TITLE = re.compile(r"^(?:dr|mr|mrs|ms|prof|herr|frau)\b", re.IGNORECASE)


def extraction(messages: Sequence[Message]) -> str:
    """Return the JSON document that answers an extract request."""
    reading = read_request(messages)
    changes: list[dict[str, Any]] = []
    for clause in clauses(reading.message):
        change = _change(clause, reading)
        if change is not None and change not in changes:
            changes.append(change)
    return json.dumps({"changes": changes}, ensure_ascii=False)


def _change(clause: Clause, reading: Reading) -> dict[str, Any] | None:
    retraction = _retraction(clause, reading.facts)
    if retraction is not None:
        return retraction
    correction = _correction(clause, reading)
    if correction is not None:
        return correction
    found = finding_of(clause, reading.said)
    return _stated(found, reading) if found else None


def _retraction(clause: Clause, facts: Sequence[CurrentFact]) -> dict[str, Any] | None:
    text = clause.text.rstrip(" .!")
    match = _FORGET.match(text) or next((hit for pattern in _RETRACTED if (hit := pattern.match(text))), None)
    if match is None:
        return None
    asked = stems(_groups(match)["subject"])
    scored = (
        [(len(asked & stems(f"{fact.subject} {fact.value}")) / len(asked), fact) for fact in facts] if asked else []
    )
    best = max((score for score, _ in scored), default=0.0)
    hits = [fact for score, fact in scored if score == best]
    if best < 0.6 or len(hits) != 1:
        return None
    fact = hits[0]
    return _document(
        "retract", fact.id, Finding(fact.kind, fact.subject, fact.value, "", clause.quote), [], is_critical=False
    )


def _correction(clause: Clause, reading: Reading) -> dict[str, Any] | None:
    """Return the replacement of a fact that a correction names by its subject, its old value or by being the last."""
    text = clause.text.rstrip(" .!")
    for pattern in _MOVED:
        match = pattern.match(text)
        if match:
            words = _groups(match)
            fact = _by_subject(words["subject"], reading.facts) or _by_old(words["old"], reading.facts)
            if fact is None and _PRONOUN.match(words["subject"]):
                fact = _latest_like(words["value"], reading)
            if fact is not None:
                return _replaced(fact, words["value"], clause, reading)
    for pattern in _SWITCHED:
        match = pattern.match(text)
        words = _groups(match) if match else {}
        fact = _by_old(words.get("old", ""), reading.facts)
        if match and len(words["value"].split()) > _MAX_SWITCHED_WORDS:
            continue
        if match and fact is None and (clause.is_correcting or _TITLE.match(words["value"])):
            fact = _latest_like(words["value"], reading)
        if match and fact is not None:
            return _replaced(fact, words["value"], clause, reading)
    if clause.is_correcting and finding_of(clause, reading.said) is None and len(text.split()) <= 8:
        fact = _latest_like(text, reading)
        return _replaced(fact, text, clause, reading) if fact else None
    return None


def _stated(found: Finding, reading: Reading) -> dict[str, Any] | None:
    same = next((fact for fact in reading.facts if _is_same_subject(fact.subject, found.subject)), None)
    if same is None:
        return _document("add", None, found, _patterns(found), is_critical=_is_critical(found, reading.said))
    if _is_same_value(same.value, found.value):
        return None
    if _DATED_DECISION.match(found.subject):
        another = replace(found, subject=f"{found.subject}, another: {found.value}")
        return _document("add", None, another, _patterns(another), is_critical=True)
    renamed = Finding(found.kind, same.subject, found.value, found.question, found.quote, found.mention)
    return _document("replace", same.id, renamed, _patterns(renamed), is_critical=_is_critical(renamed, reading.said))


def _replaced(fact: CurrentFact, words: str, clause: Clause, reading: Reading) -> dict[str, Any] | None:
    value = clean_value(words)
    mention = next((one for one in dates_in(value, reading.said) if not one.is_ambiguous), None)
    shown = shown_value(value, mention)
    if _is_same_value(fact.value, shown) or not value:
        return None
    found = Finding(fact.kind, fact.subject, shown, _question(fact), clause.quote, mention)
    return _document("replace", fact.id, found, _patterns(found), is_critical=_is_critical(found, reading.said))


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return subject, old and value, whichever alternative of the shape matched."""
    found = {"subject": "", "old": "", "value": ""}
    for name, words in match.groupdict().items():
        if words:
            found[name.rstrip("23")] = words.strip()
    return found


def _by_subject(words: str, facts: Sequence[CurrentFact]) -> CurrentFact | None:
    asked = stems(clean_subject(words))
    if not asked or _PRONOUN.match(words):
        return None
    exact = [fact for fact in facts if _is_same_subject(fact.subject, words)]
    within = [
        fact for fact in facts if asked <= stems(fact.subject) or (stems(fact.subject) - {"@due"}) == asked - {"@due"}
    ]
    hits = exact or within
    return hits[-1] if len(hits) == 1 else None


def _by_old(words: str, facts: Sequence[CurrentFact]) -> CurrentFact | None:
    old = fold(clean_value(words))
    hits = [fact for fact in facts if old and re.search(rf"(?<!\w){re.escape(old)}(?!\w)", fold(fact.value))]
    return hits[0] if len(hits) == 1 else None


def _latest_like(words: str, reading: Reading) -> CurrentFact | None:
    """Return the newest fact whose value is of the kind of these words: a date for a date, a title for a title."""
    dated = bool(dates_in(words, reading.said))
    title = _TITLE.match(words)
    for fact in sorted(reading.facts, key=lambda fact: int(fact.id[1:]), reverse=True):
        if dated:
            if fact.kind == "deadline":
                return fact
        elif title:
            if fold(fact.value).startswith(fold(title.group())):
                return fact
        elif fact.kind != "deadline" and is_exact(words) == is_exact(fact.value):
            return fact
    return None


def _question(fact: CurrentFact) -> str:
    subject = re.sub(r"\s+deadline$", "", fact.subject)
    if fact.kind == "deadline":
        return f"When is {with_article(subject)}" + (" due?" if subject != fact.subject else "?")
    if fact.kind == "decision":
        return f"What did we decide about {with_article(subject)}?"
    return f"What is {with_article(subject)}?"


def _patterns(found: Finding) -> list[str]:
    value = re.sub(r'\s*\("[^"]*"\)$', "", found.value)
    if found.mention is not None:
        value = value.removesuffix(f" ({_when(found.mention)})")
    made: list[str] = []
    if found.mention is not None and found.mention.day is not None and value == _when(found.mention):
        made.append(moment_pattern(found.mention.day, found.mention.clock))
    else:
        made.append(literal_pattern(value))
        names = re.findall(r"(?<!^)(?<![.!?] )\b[A-ZА-ЯЁÄÖÜ][\w-]+", value)
        numbers = number_patterns(value)
        if len(names) == 1 and not re.search(r"\d", value):
            made.append(literal_pattern(names[0]))
        if len(numbers) == 1 and not names:
            made.append(numbers[0])
    return [one for one in dict.fromkeys(made) if one and not re.search(one, found.question, re.IGNORECASE)]


def _when(mention: DateMention) -> str:
    return format_when(mention.day, mention.clock) if mention.day else ""


def _is_critical(found: Finding, said: Moment | None) -> bool:
    if found.kind == "deadline":
        moment = found.mention.instant(said.zone) if found.mention and said else None
        return moment is None or said is None or moment >= said.at
    return found.kind == "decision" or (found.kind == "constraint" and re.search(r"\d", found.value) is not None)


def _is_same_subject(one: str, other: str) -> bool:
    return (stems(one) or {fold(one)}) == (stems(clean_subject(other)) or {fold(other)})


def _is_same_value(one: str, other: str) -> bool:
    first, second = fold(one).strip(" ."), fold(other).strip(" .")
    when = re.compile(r'\s*\("[^"]*"\)$')
    return first == second or (when.sub("", first) == when.sub("", second) and when.search(first) is not None)


def _document(
    op: str, replaces: str | None, found: Finding, patterns: list[str], *, is_critical: bool
) -> dict[str, Any]:
    return {
        "op": op,
        "replaces": replaces,
        "kind": found.kind,
        "subject": found.subject,
        "value": found.value,
        "quote": found.quote,
        "question": found.question,
        "patterns": patterns,
        "critical": is_critical,
    }
