"""Which procedures a message asks for, and how they stand in a prompt: whole, or left out with a reason.

A procedure is wanted when most of its trigger (or its name) stands in the message, or when most of what the message
asks for stands in trigger and name; its steps only help to find it by search. Only active versions are looked at, and
nothing here carries a step out.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from memory.messages import estimate_tokens
from memory.recall.items import Excluded, Item, Packed, Scope
from memory.recall.rank import FACT_WEIGHT, Ranking, Weights
from memory.recall.terms import is_small_talk, query, terms
from memory.store.procedures import ProcedureStore, Version

NOTE = "(The member's own ways of doing things. Follow one only when the member asks for it now.)"
LEFT_OUT = "is left out here for want of room; the procedures tool reads it."
MOST_IN_PROMPT = 3
MOST_LOOKED_AT = 6
"""Of more that fit a message, the best are packed or named as left out."""
TRIGGER_SHARE = 0.66
"""This much of a trigger's words must stand in the message (two of three)."""
MESSAGE_SHARE = 0.6
"""Or this share of what the message asks for must stand in name and trigger: one of its two words is not enough."""

_FRAMING = frozenset(
    term
    for term in terms(
        "say says saying ask asks asking want wants tell tells need needs request requests member user somebody please "
        "sage sagt frage fragt bitte will mochte скажу говорю прошу попрошу спрошу хочу digo pido diga demande dis"
    )
)
"""Words of "when I say …" and its like: they tell nothing of when."""
_UNSPACED_WHEN = re.compile(r"^(?:每当|当|當)我?|(?:的?(?:时候?|時|とき)に?)$")


@dataclass(frozen=True)
class _Match:
    """`fit` is how much of the trigger (or the name) stands in the message."""

    item: Item
    fit: float
    is_wanted: bool


class ProcedureSearch:
    """Reads the active procedures of one space."""

    def __init__(self, procedures: ProcedureStore, ranking: Ranking) -> None:
        self._procedures = procedures
        self._ranking = ranking

    async def ranked(self, text: str, weights: Weights, scope: Scope) -> list[Item]:
        """Return the procedures that share words with a query; none where times or a role are asked for."""
        if scope.since or scope.until or scope.role:
            return []
        found = (match.item for match in _matches(await self._procedures.active(), text, weights))
        return [item for item in found if item.score > 0]

    async def pack(self, text: str, *, budget_tokens: int) -> Packed:
        """Return the lines of the procedures that a message asks for; one that does not fit is left out and named."""
        active = await self._procedures.active()
        if not active:
            return Packed()
        matches = _matches(active, text, await self._ranking.weights(text))
        wanted = [match.item for match in matches if match.is_wanted]
        return _packed(wanted[:MOST_LOOKED_AT], budget_tokens)


def _matches(active: Sequence[Version], text: str, weights: Weights) -> list[_Match]:
    asked, is_idle = frozenset(terms(text)), is_small_talk(text)
    found = [_match(version, asked, weights, is_idle=is_idle) for version in active]
    matching = (match for match in found if match.item.score > 0 or match.is_wanted)
    return sorted(matching, key=lambda match: (not match.is_wanted, -match.fit, -match.item.score))


def _match(version: Version, asked: Set[str], weights: Weights, *, is_idle: bool) -> _Match:
    says = version.says
    held = _terms(says.name, says.trigger, *says.steps)
    item = Item(
        id=version.ref,
        layer="procedure",
        text=says.text,
        score=FACT_WEIGHT * weights.of(held),
        share=weights.share(held),
        at=version.at,
        refs=(),
        turn=version.turn_id,
        message=None,
        tokens=_tokens(_line(version.ref, says.text)),
        author=version.by,
    )
    cues = (_cue(says.trigger), _cue(says.name))
    fit = max(_share(cue, asked) for cue in cues)
    is_meant = not is_idle and weights.share(cues[0] | cues[1]) >= MESSAGE_SHARE
    return _Match(item, fit, is_wanted=fit >= TRIGGER_SHARE or is_meant)


def _share(wanted: Set[str], asked: Set[str]) -> float:
    return len(wanted & asked) / len(wanted) if wanted else 0.0


def _packed(wanted: Sequence[Item], budget_tokens: int) -> Packed:
    lines, items, excluded = [NOTE], list[Item](), list[Excluded]()
    left = budget_tokens - _tokens(NOTE)
    for item in wanted:
        line = _line(item.id, item.text)
        if item.tokens <= left and len(items) < MOST_IN_PROMPT:
            items.append(item)
        else:
            excluded.append(Excluded(item.id, "budget"))
            line = _line(item.id, LEFT_OUT)
        if _tokens(line) <= left:
            lines.append(line)
            left -= _tokens(line)
    return Packed("\n".join(lines) if len(lines) > 1 else "", items, excluded)


def _line(ref: str, text: str) -> str:
    return "\n  ".join([f"- {ref} · {text.splitlines()[0]}", *text.splitlines()[1:]])


def _tokens(line: str) -> int:
    return estimate_tokens(f"{line}\n")


@lru_cache(maxsize=1024)
def _cue(text: str) -> frozenset[str]:
    """Return the terms of a trigger or name that tell when: without "when I say", unless there are no others."""
    wanted = frozenset(query(_UNSPACED_WHEN.sub("", text)).wanted)
    return wanted - _FRAMING or wanted


@lru_cache(maxsize=1024)
def _terms(*texts: str) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text))
