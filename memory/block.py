"""The memory block: the last part of a turn's user content, and the trace of what went into it.

Ledger, then recalled text, then matching procedures, then the time. Built once a turn; `explain` turns the trace of a
past turn back into text (as it stands now: what was forgotten meanwhile is gone here too).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.errors import UnknownId
from memory.ledger.render import render
from memory.messages import Message, estimate_tokens
from memory.ports import Piece
from memory.space import Space
from memory.store.sessions import TraceItem, Turn

FACTS_HEADING = "Established facts (prefer these over summaries and older messages):"
SHORTEST_FACT_TOKENS = 6
"""A line of the ledger costs at least this: no more of them than fit are looked at."""
RECALLED_HEADING = "Recalled:"
PROCEDURES_HEADING = "Procedures:"
NO_ROOM = "no room"
"""The layer, in a trace, of a procedure that was wanted and did not fit."""


@dataclass(frozen=True)
class Block:
    """The text, as sent, and what it was built from, in order; `pieces` are the texts of memory in it."""

    text: str
    trace: tuple[TraceItem, ...]
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class Explained:
    """One thing a prompt held, with its text as it stands now, and the message it comes from."""

    item: TraceItem
    text: str
    source: Message | None = None


async def build(
    space: Space, query: str, *, ledger_tokens: int, recall_tokens: int, in_window: frozenset[int] = frozenset()
) -> Block:
    """Return the memory block for a turn in which the member said `query`.

    `in_window` are the ids of messages that stand in the prompt anyway. Both halves keep their ceilings.
    """
    now = space.clock.now()
    candidates = await space.facts.candidates(query, now=now, limit=ledger_tokens // SHORTEST_FACT_TOKENS)
    ledger = render(candidates, budget_tokens=ledger_tokens, now=now)
    # What a member taught for just this comes first, and leaves recalled text a third of their common half.
    procedures = await space.recall.pack_procedures(query, budget_tokens=recall_tokens * 2 // 3)
    left = recall_tokens - estimate_tokens(procedures.text)
    recalled = await space.recall.pack(query, budget_tokens=left, in_window=in_window)
    lines: list[str] = []
    if ledger.lines:
        lines += [FACTS_HEADING, *ledger.lines]
    if recalled.text:
        lines += [RECALLED_HEADING, recalled.text]
    if procedures.text:
        lines += [PROCEDURES_HEADING, procedures.text]
    local = now.astimezone(space.zone)
    lines.append(f"Now: {local:%A} {local.day} {local:%B %Y, %H:%M} ({space.zone.key})")
    trace = [
        *(TraceItem("ledger", item.ref, item.tokens) for item in ledger.items),
        *(TraceItem("recalled", item.id, item.tokens) for item in recalled.items),
        *(TraceItem("procedure", item.id, item.tokens) for item in procedures.items),
        *(TraceItem(NO_ROOM, excluded.id, 0) for excluded in procedures.excluded),
        TraceItem("time", "now", estimate_tokens(lines[-1])),
    ]
    pieces = [
        *(Piece("ledger", item.ref, line) for item, line in zip(ledger.items, ledger.lines, strict=False)),
        *(Piece("recalled", item.id, item.text, item.message, item.is_outdated) for item in recalled.items),
        *(Piece("procedure", item.id, item.text) for item in procedures.items),
    ]
    return Block("\n".join(lines), tuple(trace), tuple(pieces))


async def explain(space: Space, turn: Turn) -> list[Explained]:
    """Return what the prompt of a turn was built from, with the texts as they stand now."""
    return [await _explained(space, item) for item in await space.sessions.trace(turn.id)]


async def _explained(space: Space, item: TraceItem) -> Explained:
    if not item.ref[1:].isdecimal():
        return Explained(item, "")
    number = int(item.ref[1:])
    try:
        match item.ref[0]:
            case "f":
                fact = await space.facts.fact(number)
                return Explained(item, f"{fact.about}: {fact.value}", await _source(space, fact.message_id))
            case "s":
                segment = await space.segments.segment(number)
                return Explained(item, segment.text, await _source(space, segment.message_id))
            case "h":
                return Explained(item, (await space.handoffs.handoff(number)).text)
            case "p":
                return Explained(item, (await space.procedures.procedure(number)).shown.says.text)
            case "m":
                message = await space.sessions.message(number)
                return Explained(item, message.text, message)
    except UnknownId:
        return Explained(item, "(no longer there)")
    return Explained(item, "")


async def _source(space: Space, message_id: int | None) -> Message | None:
    return await space.sessions.message(message_id) if message_id is not None else None


def trace_of_messages(ids_and_tokens: Sequence[tuple[int, int]]) -> list[TraceItem]:
    """Return the trace of the tail: its messages, in order."""
    return [TraceItem("tail", f"m{message_id}", tokens) for message_id, tokens in ids_and_tokens]
