"""Whether the row of a fact stands on what was said: its state on the history of its subject, its value on the words
it quotes, its patterns on its value.

Looks at rows alone; what a prompt makes of them is the business of `arms`. What it changes to find out is undone.
"""

import re
from collections.abc import Sequence

from memory.ledger.dates import find_dates
from memory.ledger.facts import Fact, Status
from memory.ledger.history import SubjectHistory
from memory.ledger.subjects import content_words, stem
from memory.messages import Message
from memory.probe.cases import Case, stated
from memory.space import Space

_ANCHORED = re.compile(r'\s\((?:[^()]*\d{4}[^()]*|"[^()]*")\)$')
"""What the ledger adds to a value in the member's words: the date they meant, or the words for the date it has."""
_LEAST_SHARE = 0.5
"""So many of a value's words its member said; as when it was entered."""
_STEM, _ENDING = 3, 2
_SAID_IN_WORDS = 12
"""A number up to this may have been said as a word."""


async def settled_status(space: Space, fact: Fact) -> Status:
    """Return the state that the statements and retractions about a fact's subject give it."""
    async with space.db.rolled_back():
        await SubjectHistory(space.db, space.clock).settle(fact.subject_key)
        return (await space.facts.fact(fact.id)).status


async def is_outdated(space: Space, fact: Fact) -> bool:
    """Tell whether an active fact stands where another one should: replaced by one that holds, or older than one."""
    row = await space.db.fetch_one(
        "SELECT 1 FROM facts WHERE status = 'active' AND id <> ?1 AND (subject_key = ?2 OR replaces = ?1) LIMIT 1",
        (fact.id, fact.subject_key),
    )
    return row is not None or await settled_status(space, fact) != "active"


async def doubt(space: Space, case: Case) -> str:
    """Return, in a few words, why what the row says cannot be what was said; "" when there is no reason.

    Raises: UnsoundPattern.
    """
    if case.fact_id is None or case.is_private:
        return ""
    fact = await space.facts.fact(case.fact_id)
    if fact.ref == case.ref and not stated(case.patterns, fact.value):
        return "its patterns do not recognise its value"
    said = await space.sessions.messages(await space.facts.sources(fact.id))
    if not said:
        return ""
    before = [one.value for one in await space.facts.values_of(fact.subject_key) if one.id != fact.id]
    return "" if _is_supported(space, fact, said, before) else "its source does not say its value"


def _is_supported(space: Space, fact: Fact, messages: Sequence[Message], before: Sequence[str]) -> bool:
    """Tell whether the words and numbers of a value occur where it was said, or in a value it changed.

    Dates and times are left out: they may stand for "tomorrow at ten".
    """
    plain = _ANCHORED.sub("", fact.value)
    for one in sorted(find_dates(plain, fact.since, space.zone_at(fact.since)), key=lambda one: -one.start):
        plain = f"{plain[: one.start]} {plain[one.end :]}"
    texts = "\n".join([*(message.text for message in messages), fact.quote, *before])
    if any(number not in _digits(texts) for number in _digits(plain).split() if int(number) > _SAID_IN_WORDS):
        return False
    said = content_words(texts)
    words = [word for word in content_words(plain) if not any(char.isdigit() for char in word)]
    shared = [word for word in words if _is_said(word, said)]
    names = {word.casefold() for word in re.findall(r"(?<!^)\b[^\W\d_a-z]\w{2,}", plain) if word[0].isupper()}
    return len(shared) >= _LEAST_SHARE * len(words) and not names & set(words) - set(shared)


def _is_said(word: str, said: Sequence[str]) -> bool:
    """Tell whether a word was said in whatever form; scripts without spaces have it inside a longer one."""
    beginning = stem(word) if word.isascii() else word[: max(_STEM, len(word) - _ENDING)]
    return any(other.startswith(beginning) or (not word.isascii() and word in other) for other in said)


def _digits(text: str) -> str:
    """Return the numbers of a text, a space between them, without the marks inside."""
    return " ".join(re.findall(r"[0-9]+", re.sub(r"(?<=[0-9])[.,:'’/ -](?=[0-9])", "", text)))
