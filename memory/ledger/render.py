"""The ledger as text: the lines of the memory block within their ceiling, and the listing that a member reads.

Pure. The block's lines are the same, byte for byte, while facts and choice are the same: what is chosen depends on the
question, the order in which the chosen stand does not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from memory.catalogue import N_, _
from memory.ledger.facts import KINDS, Candidates, Fact, Kind
from memory.messages import estimate_tokens

MAX_VALUE_CHARS = 240
_LEFT_OUT_SHARE = 0.2
_MAX_SUBJECT_CHARS = 80
_HEADINGS: dict[Kind, str] = {
    "deadline": N_("Deadlines"),
    "decision": N_("Decisions"),
    "constraint": N_("Limits and rules"),
    "entity": N_("People, things, places"),
    "user_attribute": N_("About you"),
}


@dataclass(frozen=True)
class RenderedFact:
    """A fact that stands in the block, and the tokens its line costs."""

    ref: str
    tokens: int


@dataclass(frozen=True)
class Rendered:
    """Lines without a heading, and the facts that stand in them."""

    lines: tuple[str, ...]
    items: tuple[RenderedFact, ...]


def render(candidates: Candidates, *, budget_tokens: int, now: datetime) -> Rendered:
    """Return the lines of active facts that fit into a budget (UTF-8 bytes / 4, line ends included).

    Pinned and critical facts come first (a deadline that is past is neither critical nor first), then what shares words
    with the question, then the newest. What does not fit is counted and named on a last line, as far as that fits.
    """
    active = [fact for fact in candidates.facts if fact.status == "active"]
    budget_bytes = budget_tokens * 4
    lines = {fact.id: _line(fact) for fact in active}
    if not candidates.others and sum(_cost(line) for line in lines.values()) <= budget_bytes:
        return _rendered(active, lines)
    ranked = _ranked(active, candidates.relevance, now)
    room = budget_bytes - int(budget_bytes * _LEFT_OUT_SHARE)
    chosen, left_out = _fitting(ranked, lines, room)
    note = _left_out_line(left_out, candidates.others, budget_bytes - sum(_cost(lines[fact.id]) for fact in chosen))
    return _rendered(chosen, lines, note)


def listing(facts: Iterable[Fact], zone: ZoneInfo) -> str:
    """Return facts for a person to read: grouped by kind, the newest first, each with its id and since when."""
    return "\n\n".join(
        "\n".join([f"**{_(_HEADINGS[kind])}**", *(_listed(fact, zone) for fact in group)])
        for kind, group in groupby(in_reading_order(facts), key=lambda fact: fact.kind)
    )


def in_reading_order(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts as a person reads them: kind by kind, the newest of each first."""
    return sorted(facts, key=lambda fact: (KINDS.index(fact.kind), -fact.since.timestamp(), -fact.id))


def _ranked(facts: Sequence[Fact], relevance: Mapping[int, float], now: datetime) -> list[Fact]:
    def by_use(fact: Fact) -> tuple[bool, bool, float, float, int]:
        weight = relevance.get(fact.id, 0.0)
        return (not _comes_first(fact, now), not fact.pinned, -weight, -fact.since.timestamp(), -fact.id)

    return sorted(facts, key=by_use)


def _comes_first(fact: Fact, now: datetime) -> bool:
    is_past = fact.due is not None and fact.due < now
    return fact.pinned or (fact.critical and not is_past)


def _fitting(ranked: Sequence[Fact], lines: dict[int, str], room: int) -> tuple[list[Fact], list[Fact]]:
    chosen, left_out = [], []
    for fact in ranked:
        cost = _cost(lines[fact.id])
        if cost <= room:
            chosen.append(fact)
            room -= cost
        else:
            left_out.append(fact)
    return chosen, left_out


def _rendered(chosen: Sequence[Fact], lines: dict[int, str], note: str | None = None) -> Rendered:
    stable = sorted(chosen, key=lambda fact: (KINDS.index(fact.kind), fact.id))
    shown = [lines[fact.id] for fact in stable]
    return Rendered(
        lines=(*shown, *([note] if note else [])),
        items=tuple(RenderedFact(fact.ref, estimate_tokens(lines[fact.id] + "\n")) for fact in stable),
    )


def _left_out_line(left_out: Sequence[Fact], others: int, room: int) -> str | None:
    """Return how many are missing and the subjects of as many of them as fit; None when not even the count does."""
    head = f"- … and {len(left_out) + others} more, ask or /facts"
    if _cost(head) > room:
        return None
    named = ""
    for fact in left_out:
        longer = f"{named}{', ' if named else ': '}{_cut(_flat(fact.about), _MAX_SUBJECT_CHARS)}"
        if _cost(head + longer) > room:
            break
        named = longer
    return head + named


def _line(fact: Fact) -> str:
    value = _flat(fact.value)
    shown = value if len(value) <= MAX_VALUE_CHARS else f"{value[: MAX_VALUE_CHARS - 1]}… ({fact.ref})"
    return f"- [{fact.kind}] {_flat(fact.about)}: {shown}"


def _listed(fact: Fact, zone: ZoneInfo) -> str:
    shown = {" 🔒": fact.private, " 📌": fact.pinned, _(" (not confirmed)"): fact.status == "pending"}
    marks = "".join(mark for mark, is_shown in shown.items() if is_shown)
    said = f"{fact.since.astimezone(zone):%Y-%m-%d}" + (f", {fact.by}" if fact.by else "")
    value = _cut(_flat(fact.value), MAX_VALUE_CHARS)
    return f"- {fact.ref} {_flat(fact.subject)}: {value}{marks} " + _("(since {said})").format(said=said)


def _cost(line: str) -> int:
    return len(line.encode()) + 1


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
