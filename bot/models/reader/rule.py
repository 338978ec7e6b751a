"""One shape of a statement, what shapes are built of, and how the words they cut out are tidied.

The shapes themselves are in `rules`.
"""

import re
from dataclasses import dataclass
from typing import Literal

from memory.ledger.dates import DateMention
from memory.ledger.facts import Kind

Need = Literal["nothing", "date", "exact", "number", "place"]

DATE_MARK = "\ue000"
"""Stands, once for each character, where a clause names a date, so that a shape can ask for one."""

DATE = f"{DATE_MARK}+"
NAME = r"(?-i:[A-ZÄÖÜА-ЯЁ]\w+(?: [A-ZÄÖÜА-ЯЁ]\w+)?)"
_WORD = r"[^\W_][\w'’.&/-]*"
NP = rf"{_WORD}(?: {_WORD}){{0,5}}?"
OWN = r"(?:my|our|mein(?:e|en|em|er)?|unser(?:e|en|em|er)?|мо(?:й|я|ё|е|и|ю|его|ей)|наш(?:а|е|и|у|его|ей)?)"
ARTICLE = r"(?:the|der|die|das|den|dem)"
_LEAD = re.compile(rf"^(?:(?:{OWN}|{ARTICLE}|an?|eine?[nmr]?|this|that|also|and|und|и|all)\s+)+", re.IGNORECASE)
_TAIL = re.compile(r"(?:['’]s)?[\s.,;:!…]+$|['’]s$")
_VERB_TAIL = re.compile(r"\s+(?:is|are|ist|sind)\s*:?$", re.IGNORECASE)


@dataclass(frozen=True)
class Rule:
    """One shape of a statement."""

    kind: Kind
    pattern: re.Pattern[str]
    subject: str
    question: str
    need: Need = "nothing"

    def fits(self, value: str, mentions: list[DateMention]) -> bool:
        """Return whether the value holds what this shape needs to be believed."""
        if self.need == "date":
            return any(mention.day or mention.readings for mention in mentions)
        if self.need == "number":
            return re.search(r"\d", value) is not None
        return self.need in {"nothing", "place"} or is_exact(value)


def is_exact(value: str) -> bool:
    """Return whether a value is a name, a number or an address: something one could ask for."""
    return re.search(r"\d|@|://|(?<!^)\b[A-ZА-ЯЁÄÖÜ]|^[\"“„«']|^[A-ZА-ЯЁÄÖÜ][\w.-]*$|^(?:Dr|Mr|Ms|Mrs|Prof|Frau"
                     r"|Herr)\b|[A-Z]{2}",
                     value) is not None  # fmt: skip


def clean_subject(words: str) -> str:
    """Return a subject without leading articles, possessives and closing punctuation."""
    return _TAIL.sub("", _VERB_TAIL.sub("", _LEAD.sub("", words.strip()))) or words.strip()


def clean_value(words: str) -> str:
    """Return a value without the punctuation that closes its sentence."""
    bare = words.strip()
    return re.sub(r"(?<=[^\W\d_]{3})\.$|(?<=\d)\.$|[\s,;:!…]+$", "", bare)


def with_article(subject: str) -> str:
    """Return a subject as it stands inside an English question: `the tax report`, `Anna's birthday`."""
    is_name = subject[:1].isupper() or re.match(r"(?:my|our|your)\b", subject) is not None
    return subject if is_name or "'s " in subject or "’s " in subject else f"the {subject}"


def rule(kind: Kind, pattern: str, subject: str, question: str, need: Need = "nothing") -> Rule:
    return Rule(kind, re.compile(rf"^(?:{pattern})$", re.IGNORECASE), subject, question, need)
