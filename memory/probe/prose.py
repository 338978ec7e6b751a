"""What handoffs, pinned lines and the journal retell, without what the program writes around it.

The days, clock times, ids, counts and hashes of a handoff's frame are no statement of anything: a fact whose value is a
day would be found in the frame of everything that was said on it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from memory.compaction.claims import sentences
from memory.compaction.wording import is_frame

_OWN = re.compile(
    r"^(?:- h\d+(?: to h\d+)?: .*"  # the index of older handoffs
    r"|\(\d+ older lines .*"
    r"|[0-9a-f]{10} "  # the label of a hash
    r"|- \d\d:\d\d [^:“]{1,80}: "  # the journal
    r"|(?:- )?\d{1,2} [A-Z][a-z]+ \d{4}, s\d+: "  # a pinned line
    r"|\d{1,2} [A-Z][a-z]{2}, [^:“]{1,80}: )"  # an excerpt
    r"|(?<=”) \(m\d+\)$",  # the open request
    re.MULTILINE,
)


_UNFINISHED = re.compile(r"\b(?:\d{1,2}|Dr|Mr|Mrs|St|Nr|Prof)\.$")
"""The dot of a day ("am 28. März") or of a title ends no sentence."""


def whole_sentences(text: str) -> list[str]:
    """Return the sentences of a text, none of them cut behind a day or a title."""
    whole: list[str] = []
    for sentence in sentences(text):
        if whole and _UNFINISHED.search(whole[-1]):
            whole[-1] += f" {sentence}"
        else:
            whole.append(sentence)
    return whole


@lru_cache(maxsize=1024)
def retold(text: str) -> str:
    """Return the words of a text that retell something, line by line."""
    return _OWN.sub("", "\n".join(line for line in text.splitlines() if not is_frame(line)))


@lru_cache(maxsize=1024)
def retold_sentences(text: str) -> Sequence[str]:
    """Return the sentences that retell something."""
    return tuple(whole_sentences(retold(text)))
