"""What a fact, message, segment, turn or procedure covers: where it was said, what came of it, how it is recognised.

Derived is what the program or the assistant made of it: handoffs whose window held it, and turns whose prompt (by its
trace) held the fact, its message, a segment or such a handoff. A member's own words elsewhere are mentions of their
own and are no part of it. Reads only.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory.errors import UnknownId
from memory.forget.documents import gone_with, turns_that_read
from memory.forget.masking import Wording, of_facts, of_procedure, of_texts, with_ids
from memory.ledger.facts import Fact
from memory.ledger.subjects import normalise_subject
from memory.messages import Message
from memory.space import Space
from memory.store.documents import PAGES
from memory.store.procedures import Procedure
from memory.store.tombstones import Burial, RowBurial, RowKind, StatementBurial

NEAR_IMPORTED = 3
"""So many entries behind an imported message an imported answer may repeat it."""


@dataclass(frozen=True)
class Lineage:
    """Ids of what is touched. `erased` messages lose all their words, of `stretches` the given characters."""

    ref: str
    facts: tuple[int, ...]
    erased: frozenset[int]
    stretches: dict[int, tuple[int, int]]
    sources: frozenset[int]
    turns: frozenset[int]
    derived_turns: frozenset[int]
    handoffs: frozenset[int]
    wording: Wording
    burials: tuple[Burial | RowBurial | StatementBurial, ...]
    procedures: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()


async def lineage(space: Space, ref: str) -> Lineage:
    """Return what `f12`, `m12`, `s12` or `t12` covers. Raises: UnknownId, also for what is forgotten already."""
    match = re.fullmatch(r"([fmpst])(\d{1,18})", ref.strip().lower())
    if match is None:
        raise UnknownId(ref.strip()[:40])
    kind, number = match.group(1), int(match.group(2))
    match kind:
        case "f":
            return await _of_fact(space, number)
        case "s":
            return await _of_segment(space, number)
        case "p":
            return await _of_procedure(space, await space.procedures.procedure(number))
        case "m":
            return await _of_messages(space, f"m{number}", [(await space.sessions.message(number))])
        case _:
            turn = await space.sessions.turn(number)
            said = [m for m in await space.sessions.turn_messages(turn.id) if m.role in ("user", "model")]
            return await _of_messages(space, f"t{number}", said)


async def _of_fact(space: Space, fact_id: int) -> Lineage:
    fact = await space.facts.fact(fact_id)
    if fact.status == "forgotten":
        raise UnknownId(f"f{fact_id}")
    facts = [await space.facts.fact(one) for one in await _subject(space, fact)]
    ids = [fact.id for fact in facts]
    rows = await space.db.fetch_all(
        "SELECT message_id, quote FROM fact_sources WHERE fact_id IN (SELECT value FROM json_each(?))", (listed(ids),)
    )
    quotes = [*(fact.quote for fact in facts), *(row["quote"] for row in rows)]
    stated = {*(f.message_id for f in facts if f.message_id is not None), *(row["message_id"] for row in rows)}
    wording = of_facts(facts, quotes, space.preferences)
    sources = await _versions(space, stated | await _unread(space, wording))
    said = await space.sessions.messages(list(sources))
    return await _traced(
        space,
        ref=f"f{fact_id}",
        facts=ids,
        sources=sources,
        wording=wording,
        burials=[
            *(Burial("fact", quote) for quote in quotes),
            *(Burial("message", message.text) for message in said),
            *(RowBurial("value", fact.id, fact.since, fact.quote) for fact in facts),
            *(StatementBurial(normalise_subject(fact.subject), fact.value_key) for fact in facts),
            *_rows_of("struck", said),
        ],
    )


async def _unread(space: Space, wording: Wording) -> set[int]:
    """Return the messages that say it too and are still to be read: each would bring it back."""
    waiting = await space.sessions.messages(list(await space.jobs.waiting_reads()))
    return {m.id for m in waiting if m.id is not None and wording.wide.mask(m.text) != m.text}


async def _heard_with(space: Space, said: Sequence[Message]) -> set[int]:
    """Return the messages that hold what others say in audio files which came with messages."""
    rows = await space.db.fetch_all(
        "SELECT m.id FROM json_each(?) s JOIN messages m"
        " ON m.source >= s.value || '/heard' AND m.source < s.value || '/heare'",
        (listed(message.source for message in said if message.source is not None),),
    )
    return {int(row["id"]) for row in rows}


async def _notes_before(space: Space, message_ids: Iterable[int]) -> frozenset[int]:
    """Return the notes that stand right before messages: what each replies to, and who wrote it first."""
    return await _ids(
        space,
        "SELECT n.id FROM json_each(?) e JOIN messages m ON m.id = e.value"
        " JOIN messages n ON n.turn_id = m.turn_id AND n.id < m.id AND n.role = 'notice' AND n.origin = 'quote'"
        " WHERE NOT EXISTS (SELECT 1 FROM messages b WHERE b.id > n.id AND b.id < m.id AND b.origin <> 'quote')",
        message_ids,
    )


async def _of_messages(space: Space, ref: str, said: Sequence[Message]) -> Lineage:
    ids = {message.id for message in said if message.id is not None}
    asked = await _versions(space, ids | await _heard_with(space, said))
    gone_too = await gone_with(space, await space.sessions.messages(list(asked)))
    erased = asked | gone_too.messages | await _notes_before(space, asked)
    messages = await space.sessions.messages(list(erased))
    facts = [f for f in await space.facts.from_messages(list(erased)) if f.status != "forgotten"]
    gone = [fact for fact in facts if set(await space.facts.sources(fact.id)) <= erased]
    own = [message.text for message in messages if message.role == "user" and message.id not in gone_too.pages]
    others = [message.text for message in messages if message.role in ("model", "tool")]
    wording = of_texts([*own, *gone_too.beginnings], others, gone, space.preferences)
    held = await _traced(
        space,
        ref=ref,
        facts=[fact.id for fact in gone],
        erased=erased,
        sources=erased,
        wording=with_ids(wording, [one.ref for one in gone_too.documents]),
        burials=[*(Burial("message", message.text) for message in messages), *_rows_of("erased", messages)],
    )
    turns = held.derived_turns | await turns_that_read(space, gone_too.documents)
    return replace(held, derived_turns=turns, documents=tuple(one.id for one in gone_too.documents))


async def _of_segment(space: Space, segment_id: int) -> Lineage:
    segment = await space.segments.segment(segment_id)
    message = await space.sessions.message(segment.message_id)
    if segment.text == message.text:
        return await _of_messages(space, f"s{segment_id}", [message])
    return await stretch_lineage(space, f"s{segment_id}", message, (segment.start, segment.stop))


async def _of_procedure(space: Space, procedure: Procedure) -> Lineage:
    """Return what all versions cover: the turns that proposed, read or followed them, and handoffs over those.

    A member's own words from which a procedure came are mentions of their own.
    """
    parts = [part for one in procedure.versions for part in (one.says.name, one.says.trigger, *one.says.steps)]
    held = await _traced(
        space,
        ref=procedure.ref,
        facts=[],
        sources=frozenset(),
        wording=of_procedure(procedure.ref, parts, space.preferences),
        burials=[RowBurial("procedure", one.id, one.at, one.says.text) for one in procedure.versions],
        procedures=[procedure.id],
    )
    named = await space.db.fetch_all(
        "SELECT DISTINCT turn_id FROM messages WHERE role IN ('model', 'tool') AND turn_id IS NOT NULL"
        " AND instr(body, ?) > 0",
        (f'"{procedure.ref}"',),
    )
    turns = held.derived_turns | {int(row["turn_id"]) for row in named}
    told = await _ids(space, "SELECT id FROM messages WHERE turn_id IN (SELECT value FROM json_each(?))", turns)
    return replace(held, derived_turns=turns, handoffs=await _covering(space, told))


async def stretch_lineage(space: Space, ref: str, message: Message, stretch: tuple[int, int]) -> Lineage:
    """Return what a part of a message covers, from one character to another."""
    assert message.id is not None
    words = message.text[slice(*stretch)]
    facts = [fact for fact in await space.facts.from_messages([message.id]) if fact.status != "forgotten"]
    gone = [f for f in facts if f.quote in words and await space.facts.sources(f.id) == [message.id]]
    return await _traced(
        space,
        ref=ref,
        facts=[fact.id for fact in gone],
        stretches={message.id: stretch},
        sources=frozenset({message.id}),
        wording=of_texts([words], [], gone, space.preferences),
        burials=[Burial("message", message.text), Burial("fact", words), *_rows_of("struck", [message])],
    )


def _rows_of(kind: RowKind, messages: Iterable[Message]) -> list[RowBurial]:
    return [RowBurial(kind, m.id, m.at, m.text) for m in messages if m.id is not None]


async def _traced(
    space: Space,
    *,
    ref: str,
    facts: Sequence[int],
    sources: frozenset[int],
    wording: Wording,
    burials: Sequence[Burial | RowBurial | StatementBurial],
    erased: frozenset[int] = frozenset(),
    stretches: dict[int, tuple[int, int]] | None = None,
    procedures: Sequence[int] = (),
) -> Lineage:
    handoffs = await _covering(space, sources)
    segments = await _ids(
        space, "SELECT id FROM segments WHERE message_id IN (SELECT value FROM json_each(?))", sources
    )
    named = {"f": facts, "m": sources, "s": segments, "h": handoffs, "p": procedures}
    refs = [f"{letter}{number}" for letter, numbers in named.items() for number in numbers]
    return Lineage(
        ref=ref,
        facts=tuple(facts),
        erased=erased,
        stretches=stretches or {},
        sources=sources,
        turns=await _turns(space, sources),
        derived_turns=await _ids(
            space, "SELECT turn_id FROM traces WHERE ref IN (SELECT value FROM json_each(?))", refs
        ),
        handoffs=handoffs,
        wording=wording,
        burials=tuple(burials),
        procedures=tuple(procedures),
    )


async def _turns(space: Space, sources: Iterable[int]) -> frozenset[int]:
    """Return the turns of messages, and those in which a document was handed over of which they are pages."""
    return await _ids(
        space,
        "WITH said AS (SELECT turn_id, source FROM messages WHERE id IN (SELECT value FROM json_each(?)))"
        " SELECT turn_id FROM said UNION SELECT n.turn_id FROM said JOIN handed_over h"
        f" ON said.source >= '{PAGES}' || h.document_id || ':' AND said.source < '{PAGES}' || h.document_id || ';'"
        " JOIN messages n ON n.source = h.source",
        sources,
    )


async def _covering(space: Space, message_ids: Iterable[int]) -> frozenset[int]:
    """Return the handoffs whose window held one of the messages."""
    return await _ids(
        space,
        "SELECT h.id FROM handoffs h JOIN messages m ON m.session_id = h.session_id"
        " AND coalesce(m.replaces, m.id) BETWEEN h.first_message_id AND h.last_message_id"
        " WHERE m.id IN (SELECT value FROM json_each(?))",
        message_ids,
    )


async def _subject(space: Space, fact: Fact) -> list[int]:
    """Return the whole history of a fact's subject: its row, what it replaced, what replaced it, what was withdrawn."""
    rows = await space.db.fetch_all(
        "WITH RECURSIVE chain (id) AS (SELECT id FROM facts WHERE id = ?1 OR subject_key = ?2"
        " UNION SELECT f.replaces FROM facts f JOIN chain USING (id) WHERE f.replaces IS NOT NULL"
        " UNION SELECT f.id FROM facts f JOIN chain c ON f.replaces = c.id)"
        " SELECT c.id FROM chain c JOIN facts f USING (id) WHERE f.status <> 'forgotten' ORDER BY c.id",
        (fact.id, fact.subject_key),
    )
    return [int(row["id"]) for row in rows]


async def _versions(space: Space, message_ids: Iterable[int]) -> frozenset[int]:
    """Return the messages with all versions of each."""
    return await _ids(
        space,
        "SELECT v.id FROM messages m JOIN messages v ON coalesce(v.replaces, v.id) = coalesce(m.replaces, m.id)"
        " WHERE m.id IN (SELECT value FROM json_each(?))",
        message_ids,
    )


async def _ids(space: Space, sql: str, values: Iterable[int | str]) -> frozenset[int]:
    rows = await space.db.fetch_all(sql, (listed(values),))
    return frozenset(int(row[0]) for row in rows if row[0] is not None)


def listed(values: Iterable[int | str | None]) -> str:
    """Return values as the JSON list that a statement takes apart again."""
    return json.dumps(list(values))
