"""The autopsy of a lost fact: the walk from its source to the prompt, up to the first layer that says no.

Reads rows and asks recall; what it changes to find out is undone. Details name rows and rules, never a person's words.
"""

import json
from collections.abc import Sequence
from contextlib import nullcontext

from memory.errors import UnknownId
from memory.findings import LossLayer
from memory.forget.masking import MASK
from memory.ledger.facts import Fact
from memory.ports import Assistant
from memory.probe.arms import Evidence, without_ledger
from memory.probe.cases import Case, UnsoundPattern, is_own_line, stated, states
from memory.probe.standing import doubt, is_outdated, settled_status
from memory.recall.items import Found, Scope
from memory.recall.segments import Segment, checked
from memory.recall.terms import terms
from memory.space import Space

DEPTH = 25
"""So many of the best matches recall is asked for."""

Loss = tuple[LossLayer, str]

_CUT = (
    "SELECT s.id, s.message_id, s.ordinal, s.start, s.stop, s.sha256, m.text FROM segments s"
    " JOIN messages m ON m.id = s.message_id WHERE s.message_id IN (SELECT value FROM json_each(?))"
    " ORDER BY s.message_id, s.ordinal"
)
_STATUS = {
    "superseded": "no newer statement ended it",
    "retracted": "nobody took it back",
}


async def autopsy(space: Space, assistant: Assistant, case: Case, evidence: Evidence) -> Loss:
    """Return the first layer that lost a case, and what is wrong there in a few words.

    Where the prompt states the value and only its source is not brought, recall is looked at without the ledger's help.
    """
    try:
        return (
            await _stored(space, case)
            or (None if evidence.present_layers else await _in_ledger(space, case, evidence))
            or await _in_recall(space, case, has_ledger=not evidence.present_layers)
            or ("read", "it stands in the prompt")
        )
    except UnsoundPattern:
        return "active", "its patterns cannot be run"


async def vanished(space: Space, ref: str, message_id: int | None) -> Loss | None:
    """Return where a fact was lost that was known before and is not examined now; None when it went rightly.

    Rightly: forgotten, or ended by what its members said or did about its subject since.
    """
    if not ref.startswith("f"):
        return None
    if message_id is not None and not await space.sessions.messages([message_id]):
        return "stored", "its message is gone"
    try:
        fact = await space.facts.fact(int(ref[1:]))
    except UnknownId:
        return "extracted", "its row is gone"
    if fact.status == "forgotten":
        return ("active", "its row says forgotten and was not emptied") if fact.value else None
    if fact.status == "pending":
        return "active", "it waits for a yes, and it held before"
    if fact.status == "active" or await settled_status(space, fact) != "active":
        return None
    return "active", f"its row says {fact.status}, and {_STATUS[fact.status]}"


async def may_be_forgotten(space: Space, case: Case) -> bool:
    """Tell whether a question asks for what nobody says any more, where something was forgotten: it cannot mean
    anything then. That a message is gone or altered, the examination of the files finds.
    """
    if case.fact_id is not None or await _sources(space, case):
        return False
    return await space.db.fetch_one("SELECT 1 FROM messages WHERE instr(text, ?) LIMIT 1", (MASK,)) is not None


# From the message to the ledger's line


async def _stored(space: Space, case: Case) -> Loss | None:
    said = await _sources(space, case)
    if not said:
        return "stored", "no message says it" if case.fact_id is None else "its message is gone"
    rows = await space.db.fetch_all(_CUT, (json.dumps(said),))
    if any(checked(row) is None for row in rows):
        return "stored", "its message is not what was cut"
    return None


async def _in_ledger(space: Space, case: Case, evidence: Evidence) -> Loss | None:
    if case.fact_id is None:
        return None
    try:
        fact = await space.facts.fact(case.fact_id)
    except UnknownId:
        return "extracted", "its row is gone"
    return await _active(space, case, fact) or _rendered(case, evidence)


async def _active(space: Space, case: Case, fact: Fact) -> Loss | None:
    if fact.status != "active":
        return "active", f"its row says {fact.status}"
    if await is_outdated(space, fact):
        return "active", "another value of its subject is newer"
    why = await doubt(space, case)
    return ("active", why) if why else None


def _rendered(case: Case, evidence: Evidence) -> Loss | None:
    own = [piece for piece in evidence.present.pieces if is_own_line(case, piece)]
    if not own:
        return "rendered", "the ledger's lines leave it out"
    return None if states(case, own[0]) else ("rendered", "its line says something else")


# From the segment to what recall packs


async def _in_recall(space: Space, case: Case, *, has_ledger: bool) -> Loss | None:
    segments = await _telling(space, case)
    if not segments:
        return "segment", "no segment holds the words that say it"
    return await _indexed(space, segments) or await _packed(space, case, segments, has_ledger=has_ledger)


async def _telling(space: Space, case: Case) -> list[Segment]:
    """Return the segments that say it: those that quote it, else those that state it."""
    segments = await space.segments.of_messages(await _sources(space, case))
    quote = _flat(case.quote)
    quoting = [one for one in segments if quote and quote in _flat(one.text)]
    return quoting or [one for one in segments if stated(case.patterns, one.text)]


async def _indexed(space: Space, segments: Sequence[Segment]) -> Loss | None:
    faults = [await _index_fault(space, one) for one in segments]
    return ("indexed", faults[0]) if all(faults) else None


async def _index_fault(space: Space, segment: Segment) -> str:
    """Return what the index lacks of a segment; "" when nothing."""
    row = await space.db.fetch_one("SELECT body FROM segment_terms WHERE segment_id = ?", (segment.id,))
    if row is None:
        return "the index has no row of it"
    wanted = terms(segment.text)
    if row["body"] != " ".join(wanted):
        return "the index holds other words"
    if wanted and not await space.db.fetch_one(
        "SELECT 1 FROM segments_fts WHERE segments_fts MATCH ? AND rowid = ?", (f'body : "{wanted[0]}"', segment.id)
    ):
        return "the full-text table does not find it"
    return "it has no vector" if await _lacks_vector(space, segment) else ""


async def _lacks_vector(space: Space, segment: Segment) -> bool:
    """Tell whether a segment has neither a vector nor a place among those that wait for one."""
    row = await space.db.fetch_one(
        "SELECT 1 FROM profile WHERE embedder = ?1 AND NOT EXISTS (SELECT 1 FROM vectors WHERE segment_id = ?2)"
        " AND NOT EXISTS (SELECT 1 FROM vectors_due WHERE segment_id = ?2)",
        (space.vectors.name, segment.id),
    )
    return row is not None


async def _packed(space: Space, case: Case, segments: Sequence[Segment], *, has_ledger: bool) -> Loss | None:
    async with nullcontext() if has_ledger else space.db.rolled_back():
        if not has_ledger:
            await without_ledger(space)
        found = await space.recall.search(case.question, k=DEPTH, scope=Scope(layers=frozenset({"segment"})))
    refs = {f"s{one.id}" for one in segments}
    if not refs & {item.id for item in found.items}:
        return "ranked", f"not among the {DEPTH} best matches"
    reasons = _reasons(found, refs)
    return ("packed", f"left out: {', '.join(reasons)}") if len(reasons) == len(refs) else None


def _reasons(found: Found, refs: set[str]) -> list[str]:
    ranked = {item.id for item in found.items}
    left_out = {one.id: one.reason for one in found.excluded if one.id in ranked}
    return [left_out.get(ref, "rank") for ref in sorted(refs) if ref in left_out or ref not in ranked]


async def _sources(space: Space, case: Case) -> list[int]:
    """Return the messages that say it: the fact's, or, without a fact, those that state the answer."""
    if case.fact_id is not None:
        again = await space.facts.sources(case.fact_id)
        first = [] if case.message_id is None or case.message_id in again else [case.message_id]
        return [m.id for m in await space.sessions.messages([*first, *again]) if m.id is not None]
    rows = await space.db.fetch_all("SELECT id, text FROM messages WHERE role = 'user'")
    return [row["id"] for row in rows if stated(case.patterns, row["text"])]


def _flat(text: str) -> str:
    return " ".join(text.split())
