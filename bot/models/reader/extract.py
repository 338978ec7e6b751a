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

from bot.models.reader.changes import adding, is_same_subject, is_same_value, replacing, retracting
from bot.models.reader.corrections import correction, is_unlike
from bot.models.reader.reading import CurrentFact, Reading, read_request
from bot.models.reader.statements import Clause, Finding, clauses, finding_of
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
        r"|off now|no longer (?:needed|relevant"
        r"|valid|happening|on|true)|abgesagt|gestrichen|hinfällig|отмен[её]н[аоы]?)\b.*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?P<subject>.+?) (?:fällt aus|entfällt|отменяется|отменили|отменилось|больше не нужн\w+)\b.*$", re.IGNORECASE
    ),
    re.compile(r"^i(?:['’]ve| have)? (?:quit|left|lost|resigned from) my (?P<subject>job)\b.*$", re.IGNORECASE),
    re.compile(
        r"^(?:we|i|he|she|my \w+) (?:no longer (?P<subject>.+)|(?:don['’]t|doesn['’]t) (?P<subject2>.+?) any(?:"
        r" ?more| longer))$",
        re.IGNORECASE,
    ),
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
    retraction = _retraction(clause, reading.facts)
    if retraction is not None:
        return retraction
    corrected = correction(clause, reading)
    if corrected is not None:
        return corrected
    found = finding_of(clause, reading.said)
    return _stated(found, reading) if found else None


def _retraction(clause: Clause, facts: Sequence[CurrentFact]) -> dict[str, Any] | None:
    text = clause.text.rstrip(" .!")
    match = _FORGET.match(text) or next((hit for pattern in _RETRACTED if (hit := pattern.match(text))), None)
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


def _stated(found: Finding, reading: Reading) -> dict[str, Any] | None:
    same = next((fact for fact in reading.facts if is_same_subject(fact.subject, found.subject)), None)
    if same is None:
        return adding(found, reading.said)
    if is_same_value(same.value, found.value) or is_unlike(same, found.value, reading):
        return None
    if _DATED_DECISION.match(found.subject):
        another = replace(found, subject=f"{found.subject}, another: {found.value}")
        return adding(another, reading.said)
    renamed = Finding(found.kind, same.subject, found.value, found.question, found.quote, found.mention)
    return replacing(same.id, renamed, reading.said)
