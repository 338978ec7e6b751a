"""A good but fallible model for the fake Gemini, scripted from the month: mostly right, and wrong in known ways.

It answers `task: extract` from what a careful human would have changed. A seeded half of its answers also holds a
fault: a quote nobody said, a number off by one (twice in place of the right one), the same fact twice, a fact from a
question or a quotation, a guess taken as certain, or the id of another fact as the one that changes.
"""

import json
import random
import re
from collections import Counter
from typing import Any

from bench.month import Change, Kept, Said, month
from memory.ledger.support import sentences
from tests.fakes.gemini import Request
from tests.fakes.gemini_replies import Reply, say

SEED = 20270301
FAULTY = 0.5
"""The share of answers that hold a fault, where one fits the message."""
SLIPS = 2
"""How often the wrong number comes without the right one."""
_OFFERED = re.compile(r"^(?P<ref>f\d+) \| [^|]+ \| (?P<subject>[^|]+) \| (?P<value>.+)$", re.MULTILINE)
_QUOTATION = re.compile(r"[\"„“«]([^\"“”»]+)[\"“”»]")

Document = dict[str, Any]


class FallibleModel:
    """Answers extract requests; `faults` counts what it got wrong, by kind."""

    def __init__(self) -> None:
        self._dice = random.Random(SEED)
        self._holds: dict[str, dict[str, Kept]] = {}
        self._said: dict[str, Said] = {}
        holds: dict[str, Kept] = {}
        for said in month():
            self._said[said.text] = said
            self._holds[said.text] = dict(holds)
            for change in said.changes:
                holds.pop(change.kept.subject, None)
                if change.op != "retract":
                    holds[change.kept.subject] = change.kept
        self.faults: Counter[str] = Counter()

    def answer(self, request: Request) -> Reply:
        parts = request.contents[-1]["parts"]
        frame, message = parts[0]["text"], parts[-1]["text"]
        said = self._said.get(message)
        if said is None:
            return say('{"changes": []}')
        offered = [match.groupdict() for match in _OFFERED.finditer(frame)]
        changes = [_document(change, said, offered) for change in said.changes] + self._said_again(said)
        if self._dice.random() < FAULTY:
            changes = self._with_fault(changes, said, offered)
        return say(json.dumps({"changes": changes}, ensure_ascii=False))

    def _said_again(self, said: Said) -> list[Document]:
        if said.what != "again":
            return []
        repeated = [kept for kept in self._holds[said.text].values() if kept.said and kept.said in said.text]
        return [_document(Change("add", kept, is_plain=True), said, []) for kept in repeated]

    def _with_fault(self, changes: list[Document], said: Said, offered: list[dict[str, str]]) -> list[Document]:
        wrong, taken = _off_by_one(changes), [*changes, _taken(said.text, said.text)]
        quotation = _QUOTATION.search(said.text)
        others = [one["ref"] for one in offered if not any(c.kept.about.search(one["subject"]) for c in said.changes)]
        fitting: dict[str, list[Document]] = {"invented quote": [*changes, _invented()]}
        if changes:
            fitting["twice"] = [*changes, *(_renamed(one) for one in changes)]
        if wrong:
            fitting["off by one"] = [*changes, *wrong]
        if wrong and self.faults["slip"] < SLIPS:
            fitting["slip"] = wrong
        if "?" in said.text:
            fitting["from a question"] = taken
        if said.about and said.certain == "any":
            fitting["guess"] = taken
        if quotation:
            fitting["from a quotation"] = [*changes, _taken(quotation[1], quotation[1])]
        if others and changes and changes[0]["op"] == "add":
            fitting["wrong id"] = [changes[0] | {"op": "replace", "replaces": self._dice.choice(others)}, *changes[1:]]
        name = min(fitting, key=lambda one: (self.faults[one], self._dice.random()))
        self.faults[name] += 1
        return fitting[name]


def _document(change: Change, said: Said, offered: list[dict[str, str]]) -> Document:
    kept = change.kept
    named = next((fact["ref"] for fact in offered if kept.about.search(f"{fact['subject']} {fact['value']}")), None)
    whole = next((one for one in sentences(said.text) if kept.said in one), said.text)
    return {
        "op": change.op if named or change.op == "add" else "add",
        "replaces": named if change.op != "add" else None,
        "kind": kept.kinds[0],
        "subject": kept.subject,
        "value": "" if change.op == "retract" else kept.said,
        "quote": said.text if change.op == "retract" else whole,
        "question": f"What do you know of this: {kept.subject}?",
        "patterns": [] if change.op == "retract" else [re.escape(kept.said)],
        "critical": kept.due is not None,
    }


def _invented() -> Document:
    return _fact("gym membership", "49 euros a month", "My gym membership costs 49 euros a month.")


def _taken(words: str, quote: str) -> Document:
    """Return a fact made of words that state none."""
    tokens = words.split()
    return _fact(" ".join(tokens[:2]), " ".join(tokens[2:]) or words, quote)


def _fact(subject: str, value: str, quote: str) -> Document:
    return {
        "op": "add",
        "replaces": None,
        "kind": "entity",
        "subject": subject,
        "value": value,
        "quote": quote,
        "question": "What is known about this?",
        "patterns": [re.escape(value)],
        "critical": False,
    }


def _off_by_one(changes: list[Document]) -> list[Document]:
    """Return changes again whose last digit is another one, as facts of their own."""
    wrong = []
    for change in changes:
        found = re.search(r"\d(?=\D*$)", change["value"])
        if found:
            value = change["value"]
            digit = str((int(found.group()) + 1) % 10)
            value = f"{value[: found.start()]}{digit}{value[found.end() :]}"
            wrong.append(change | {"op": "add", "replaces": None, "value": value, "patterns": [re.escape(value)]})
    return wrong


def _renamed(change: Document) -> Document:
    return change | {"subject": f"the {change['subject']} in full"}
