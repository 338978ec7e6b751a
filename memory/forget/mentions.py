"""Mentions: what a member said elsewhere in words of their own about something that is forgotten.

They stay until the member says otherwise, so the receipt shows them to choose from: those that hold the same words,
and those that recall finds by their meaning. Reads only.
"""

from dataclasses import dataclass

from memory.forget.lineage import Lineage
from memory.recall.items import Scope
from memory.recall.terms import query, terms
from memory.space import Space

MOST_ALIKE = 5
CANDIDATES = 20
ASKED_CHARS = 300
EXCERPT_CHARS = 70
_ALIKE = 0.5
"""From this share of the words on, another message is shown as perhaps about the same."""


@dataclass(frozen=True)
class Mention:
    """A message of the member's that stays, with its beginning on one line."""

    message_id: int
    excerpt: str
    is_verbatim: bool = True
    """It holds the words themselves; else it only seems to speak of the same."""


async def verbatim(space: Space, covered: Lineage) -> tuple[Mention, ...]:
    """Return the members' other messages that hold the words too, in the order of the transcript."""
    rows = await space.db.fetch_all(
        "SELECT id, text FROM messages WHERE role = 'user' AND origin <> 'document' ORDER BY id"
    )
    wide = covered.wording.wide
    return tuple(
        Mention(row["id"], _excerpt(row["text"]))
        for row in rows
        if row["id"] not in covered.sources and wide.mask(row["text"]) != row["text"]
    )


async def alike(space: Space, covered: Lineage) -> tuple[Mention, ...]:
    """Return further messages of the members' that seem to speak of the same, the most alike first."""
    scope = Scope(role="user", layers=frozenset({"segment"}))
    found: dict[int, Mention] = {}
    for asked in await _asked(space, covered):
        for item in (await space.recall.search(asked, k=CANDIDATES, scope=scope)).items:
            if item.message is None or item.is_document or item.message in covered.sources:
                continue
            if _share(asked, item.text) >= _ALIKE:
                found.setdefault(item.message, Mention(item.message, _excerpt(item.text), is_verbatim=False))
    return tuple(found.values())[:MOST_ALIKE]


async def _asked(space: Space, covered: Lineage) -> list[str]:
    """Return what is looked for: each fact's subject and value, each message's words."""
    facts = [await space.facts.fact(fact_id) for fact_id in covered.facts]
    erased = await space.sessions.messages(sorted(covered.erased))
    said = [m.text for m in erased if m.role == "user" and m.origin != "document"]
    asked = [text for fact in facts for text in (fact.value, fact.subject)]
    return list(dict.fromkeys([*asked, *(text[:ASKED_CHARS] for text in said)]))


def _share(asked: str, text: str) -> float:
    """Return how much of what is asked stands in the text itself; what was said around it does not count."""
    wanted = set(query(asked).wanted)
    return len(wanted & set(terms(text))) / len(wanted) if wanted else 0.0


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXCERPT_CHARS else f"{flat[: EXCERPT_CHARS - 1]}…"
