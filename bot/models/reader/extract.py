"""The offline reader's answer to `task: extract`: changes to the ledger, by plain rules.

Compares what a message states with the current facts it was given: a repetition changes nothing, another value for the
same subject replaces it, "cancelled" and "forget" retract. Everything is copied from the message; only absolute dates
and the form of the question are added.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.models.reader.changes import adding, is_same_subject, is_same_value, is_within, replacing, retracting
from bot.models.reader.clauses import Clause, clauses
from bot.models.reader.corrections import correction, is_unlike
from bot.models.reader.reading import CurrentFact, Reading, read_request
from bot.models.reader.statements import Finding, finding_of
from bot.models.reader.words import stems
from memory.messages import Message

_FORGET = re.compile(
    r"^(?:please )?(?:forget|delete|erase|remove|vergiss|lösche|забудь(?:те)?|удали(?:те)?)\b(?: about| that|"
    r" everything about| was ich über"
    r"| про| об?)?\s*(?P<subject>.+?)"
    r"(?:,? (?:it|that|das|это)(?:['’]s| is| ist)? (?:no longer|not|nicht|уже|больше)\b.*)?$",
    re.IGNORECASE,
)
_RETRACTED = (
    re.compile(
        r"^(?:we|i)(?:['’]ve| have)? (?:cancell?ed|called off|dropped|scrapped) (?P<subject>.+)$", re.IGNORECASE
    ),
    re.compile(
        r"^(?P<subject>.+?)(?:['’]s| is| are| was| has been| got| ist| wurde| wird)? (?:cancell?ed|called off"
        r"|off|off now|no longer (?:needed|relevant"
        r"|valid|happening|on|true)|not happening|abgesagt|gestrichen|hinfällig|vom tisch|отмен[её]н[аоы]?)\b.*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:das (?:mit|von) )?(?P<subject>.+?) (?:fällt aus|entfällt|(?:hat|haben) sich (?:erledigt|zerschlagen)"
        r"|fell through|won['’]t happen|отменяется|отменили|отменилось|не состоится"
        r"|больше не (?:нужн\w+|действует|актуальн\w+))\b.*$",
        re.IGNORECASE,
    ),
    re.compile(r"^i(?:['’]ve| have)? (?:quit|left|lost|resigned from) my (?P<subject>job)\b.*$", re.IGNORECASE),
    re.compile(
        r"^(?:we|i|he|she|my \w+) (?:no longer (?P<subject>.+)|(?:don['’]t|doesn['’]t) (?P<subject2>.+?) any(?:"
        r" ?more| longer))$",
        re.IGNORECASE,
    ),
)
_ENDED = (
    re.compile(r"^i(?:['’]m| am) (?:not|no longer) (?P<subject>(?:allergic|intolerant) to .+)$", re.IGNORECASE),
    re.compile(r"^i (?P<subject>(?:eat|drink) .+) again$", re.IGNORECASE),
    re.compile(r"^ich bin (?P<subject>.*?)\s*(?:nicht|keine?n?)(?: mehr)? (?P<rest>.+)$", re.IGNORECASE),
    re.compile(r"^(?:ich|wir) (?P<subject>\w+(?: .+?)?) (?:nicht|keine?n?) mehr(?: (?P<rest>.+))?$", re.IGNORECASE),
    re.compile(r"^(?:я|мы) (?:больше|уже) не (?P<subject>.+)$", re.IGNORECASE),
    re.compile(r"^у меня (?:больше )?нет (?P<subject>(?:аллергии|непереносимости) .+)$", re.IGNORECASE),
)
"""The opposite of a fact: it ends that one alone whose value it names whole."""
_FORBIDDEN = re.compile(
    r"^(?:(?:don['’]t|do not|never|can['’]t|cannot) (?:eat|drink)|(?:esse|trinke)\b.*?\b(?:keine?n?|nie)|не (?:ем|пью))"
    r"\s+(?P<what>.+)$",
    re.IGNORECASE,
)
_DATED_DECISION = re.compile(r"^(?:decision of|Beschluss vom|решение от) ")


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
    retraction = _retraction(clause, reading.facts) or _ending(clause, reading.facts)
    if retraction is not None:
        return retraction
    corrected = correction(clause, reading)
    if corrected is not None:
        return corrected
    found = finding_of(clause, reading.said)
    return _stated(found, reading) if found else None


def _retraction(clause: Clause, facts: Sequence[CurrentFact]) -> dict[str, Any] | None:
    text = clause.text.rstrip(" .!")
    match = _FORGET.match(text) or _retracting(text) or _retracting(text.partition(",")[0])
    if match is None:
        return None
    asked = stems(next(words for words in match.groups() if words))
    scored = (
        [(len(asked & stems(f"{fact.subject} {fact.value}")) / len(asked), fact) for fact in facts] if asked else []
    )
    best = max((score for score, _ in scored), default=0.0)
    hits = [fact for score, fact in scored if score == best]
    if best < 0.6 or len(hits) != 1:
        return None
    fact = hits[0]
    return retracting(fact.id, Finding(fact.kind, fact.subject, fact.value, "", clause.quote))


def _ending(clause: Clause, facts: Sequence[CurrentFact]) -> dict[str, Any] | None:
    text = clause.text.rstrip(" .!")
    match = next((hit for pattern in _ENDED if (hit := pattern.match(text))), None)
    said = stems(" ".join(words for words in match.groups() if words)) if match else set()
    hits = [
        fact
        for fact in facts
        if said and said <= stems(f"{fact.subject} {fact.value}") and _held(fact) and _held(fact) <= said
    ]
    if len(hits) != 1:
        return None
    fact = hits[0]
    return retracting(fact.id, Finding(fact.kind, fact.subject, fact.value, "", clause.quote))


def _held(fact: CurrentFact) -> set[str]:
    """Return the stems of what a fact says, a denial left out."""
    forbidden = _FORBIDDEN.match(fact.value)
    return stems(forbidden["what"] if forbidden else fact.value)


def _retracting(text: str) -> re.Match[str] | None:
    return next((hit for pattern in _RETRACTED if (hit := pattern.match(text))), None)


def _another_forbidden(value: str, held: str) -> str:
    """Return what a value forbids, when the other forbids something else: both hold then."""
    new, old = _FORBIDDEN.match(value), _FORBIDDEN.match(held)
    return new["what"] if new and old and stems(new["what"]) != stems(old["what"]) else ""


def _stated(found: Finding, reading: Reading) -> dict[str, Any] | None:
    same = next((fact for fact in reading.facts if is_same_subject(fact.subject, found.subject)), None)
    if same is None:
        return adding(found, reading.said)
    if is_same_value(same.value, found.value) or is_within(found, same.value) or is_unlike(same, found.value, reading):
        return None
    also = _another_forbidden(found.value, same.value)
    if also and not is_same_subject(found.subject, f"{same.subject} ({also})"):
        return _stated(replace(found, subject=f"{found.subject} ({also})"), reading)
    if _DATED_DECISION.match(found.subject):
        another = replace(found, subject=f"{found.subject}, another: {found.value}")
        return adding(another, reading.said)
    renamed = Finding(found.kind, same.subject, found.value, found.question, found.quote, found.mention)
    return replacing(same.id, renamed, reading.said)
