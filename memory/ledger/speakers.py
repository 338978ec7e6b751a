"""Whose fact it is, where several people speak: what is said of the speaker has a key of its own for each of them.

The same subject ("home", "allergy") then holds one value a person, and nobody's statement ends another's. What is said
of the group or the world ("the meeting", "our budget") is one subject for all. In a private space nothing is marked.
"""

import re

from memory.ledger.subjects import normalise_subject, terms

_MARK = " @"
"""Stands in no key that `normalise_subject` makes."""
_MINE = re.compile(
    r"\b(?:my|mein(?:e[nmrs]?)?|мо(?:й|я|ё|е|и|его|ему|им|ём|ей|ю|их|ими)|mon|ma|mes|mis?|у меня)\s+"
    r"(?P<thing>\w+(?:\s+\w+){0,2})",
    re.IGNORECASE,
)


def key_of(kind: str, subject: str, quote: str, speaker: int | None) -> str:
    """Return the key of a subject as `speaker` speaks of it; None: the key is the same whoever speaks."""
    key = normalise_subject(subject)
    return f"{key}{_MARK}{speaker}" if speaker is not None and is_about_speaker(kind, subject, quote) else key


def is_about_speaker(kind: str, subject: str, quote: str) -> bool:
    """Tell whether a statement is about the one who makes it: an attribute of theirs, or something they call theirs."""
    wanted = set(terms(subject))
    return kind == "user_attribute" or any(wanted & set(terms(found["thing"])) for found in _MINE.finditer(quote))


def is_marked(key: str) -> bool:
    """Tell whether a key belongs to one of several speakers."""
    return _MARK in key


def is_anothers(key: str, speaker: int | None) -> bool:
    """Tell whether a key belongs to somebody else."""
    _, mark, owner = key.rpartition(_MARK)
    return bool(mark) and owner != str(speaker)
