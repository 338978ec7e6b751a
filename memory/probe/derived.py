"""What was made of the members' words (ledger, handoffs, pinned lines, journal, procedures, short texts): where
something still stands after it was forgotten, and what has to go too before no prompt can hold it.

A text that rests on words which were not forgotten tells of them: it is a mention of its own and no leak. Everything
here runs inside a block that is undone.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from memory.forget.lineage import Lineage
from memory.ledger.facts import Fact
from memory.messages import text_of
from memory.probe.cases import Case, retells, stated
from memory.space import Space

_TEXTS = (
    "SELECT 'handoff' AS layer, id, text, id AS handoff_id, NULL AS message_id FROM handoffs"
    " UNION ALL SELECT 'pinned line', p.id, p.text, NULL, s.message_id FROM pinned_lines p"
    " JOIN segments s ON s.id = p.segment_id"
    " UNION ALL SELECT 'short text', t.segment_id, t.text, NULL, s.message_id FROM short_texts t"
    " JOIN segments s ON s.id = t.segment_id"
    " UNION ALL SELECT 'journal', id, text, handoff_id, NULL FROM journal"
)
_WINDOW = (
    "SELECT m.text FROM handoffs h JOIN messages m ON m.session_id = h.session_id"
    " AND coalesce(m.replaces, m.id) BETWEEN h.first_message_id AND h.last_message_id WHERE h.id = ?"
)
_INDEXED = (
    "SELECT DISTINCT m.id, m.text FROM segment_terms t JOIN segments s ON s.id = t.segment_id"
    " JOIN messages m ON m.id = s.message_id"
)


@dataclass(frozen=True)
class Derived:
    """A text that was made of a window of the talk or of one message; `id` is that of its row."""

    layer: str
    id: int
    text: str
    handoff_id: int | None
    message_id: int | None


# After forgetting


async def leak_after(space: Space, case: Case, covered: Lineage) -> str:
    """Return the first derived layer that still tells what was forgotten; "" when none does. Raises: UnsoundPattern."""
    for fact in await space.facts.listed():
        if fact.id in covered.facts or (_tells(case, fact) and not await space.facts.sources(fact.id)):
            return "ledger"
    for one in await _texts(space):
        if await _is_left(space, case, covered, one):
            return one.layer
    wide = covered.wording.wide
    if any(wide.mask(version.says.text) != version.says.text for version in await space.procedures.versions()):
        return "procedure"
    blocks = await space.db.fetch_all("SELECT block FROM turns WHERE block IS NOT NULL")
    return "prompt" if any(wide.mask(row["block"]) != row["block"] for row in blocks) else ""


async def _is_left(space: Space, case: Case, covered: Lineage, one: Derived) -> bool:
    """Tell whether a text tells what was forgotten: in words that are masked, or by a pattern and for no reason."""
    if covered.wording.wide.mask(one.text) != one.text:
        return True
    return retells(case.patterns, one.text) and not stated(case.patterns, await _source(space, one))


async def _source(space: Space, one: Derived) -> str:
    """Return what is left of the words that a text was made of."""
    if one.message_id is not None:
        said = await space.sessions.messages([one.message_id])
        return "\n".join(text_of(message.parts) for message in said)
    if one.handoff_id is None:
        rows = await space.db.fetch_all("SELECT text FROM messages")
    else:
        rows = await space.db.fetch_all(_WINDOW, (one.handoff_id,))
    return "\n".join(row["text"] for row in rows)


async def _texts(space: Space) -> list[Derived]:
    return [Derived(*row) for row in await space.db.fetch_all(_TEXTS)]


def _tells(case: Case, fact: Fact) -> bool:
    return stated(case.patterns, f"{fact.about}: {fact.value}")


# What goes too


async def clear(space: Space, case: Case) -> int:
    """Take away all else from which a prompt could tell it; return how many mentions that were.

    Raises: UnsoundPattern.
    """
    facts = [fact.id for fact in await space.facts.active() if _tells(case, fact)]
    await space.db.execute(
        "UPDATE facts SET status = 'pending' WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(facts),)
    )
    procedures = [one.id for one in await space.procedures.active() if stated(case.patterns, one.says.text)]
    await space.db.execute(
        "UPDATE procedure_versions SET status = 'superseded' WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(procedures),),
    )
    texts = [one for one in await _texts(space) if retells(case.patterns, one.text)]
    for one in texts:
        await _cut(space, case, one)
    rows = await space.db.fetch_all(_INDEXED)
    said = [row["id"] for row in rows if stated(case.patterns, row["text"])]
    await unindex(space, said)
    return len(facts) + len(procedures) + sum(one.layer in ("handoff", "pinned line") for one in texts) + len(said)


async def unindex(space: Space, message_ids: Iterable[int]) -> None:
    """Let recall find messages no longer."""
    await space.db.execute(
        "DELETE FROM segment_terms WHERE segment_id IN (SELECT id FROM segments WHERE message_id IN"
        " (SELECT value FROM json_each(?)))",
        (json.dumps(list(message_ids)),),
    )


async def _cut(space: Space, case: Case, one: Derived) -> None:
    """Take what tells it out of a text that stands in prompts."""
    if one.layer == "pinned line":
        await space.db.execute("DELETE FROM pinned_lines WHERE id = ?", (one.id,))
    elif one.layer == "handoff":
        kept = [line for line in one.text.splitlines() if not retells(case.patterns, line)]
        await space.db.execute("UPDATE handoffs SET text = ? WHERE id = ?", ("\n".join(kept), one.id))
