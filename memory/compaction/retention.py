"""The retention test: what a window held must be found again once it has left the prompt.

Prose only. Each value is asked for by its own sentence with the value blanked, and must stand in what recall would put
into a prompt. What is not found becomes a pinned line, up to a dozen; the rest is counted and reachable by manifest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Protocol
from zoneinfo import ZoneInfo

from memory.compaction.claims import Claim, Source, claims, sentences
from memory.compaction.handoff import PinnedLine
from memory.compaction.route import Routed
from memory.recall.items import Packed

MAX_QUESTIONS = 40
MAX_PINNED = 12
PINNED_CHARS = 180
MIN_QUESTION_WORDS = 3


class Recollection(Protocol):
    """Recall, as far as compaction asks it."""

    async def pack(self, query: str, /, *, budget_tokens: int, in_window: frozenset[int]) -> Packed: ...


@dataclass(frozen=True)
class Question:
    """A value, and its sentence without it."""

    routed: Routed
    sentence: str
    claim: Claim

    @property
    def blanked(self) -> str:
        return " ".join(f"{self.sentence[: self.claim.start]} {self.sentence[self.claim.stop :]}".split())


@dataclass(frozen=True)
class Retention:
    """How many values were asked for, and the lines that are kept for those that were not found."""

    asked: int
    missed: int
    pinned: tuple[PinnedLine, ...]


async def examine(
    routed: Sequence[Routed], recall: Recollection, *, budget_tokens: int, in_window: frozenset[int], zone: ZoneInfo
) -> Retention:
    """Ask for the values of a window. `in_window` are the messages that stay in the prompt."""
    asked = questions(routed)
    missed: list[Question] = []
    for question in asked:
        found = await recall.pack(question.blanked, budget_tokens=budget_tokens, in_window=in_window)
        if not Source("\n".join(item.text for item in found.items)).holds(question.claim):
            missed.append(question)
    lines = dict.fromkeys(PinnedLine(q.routed.segment.id, _line(q, zone)) for q in missed)
    return Retention(len(asked), len(missed), tuple(lines)[:MAX_PINNED])


def questions(routed: Sequence[Routed]) -> list[Question]:
    """Return what is asked of a window: value by value, at most forty, the member's sentences first."""
    prose = [item for item in routed if item.is_named and item.reason == "prose"]
    own = [item for item in prose if item.message.role == "user"]
    others = [item for item in prose if item.message.role != "user"]
    asked = [_questions(item, sentence) for item in [*own, *others] for sentence in sentences(item.segment.text)]
    # Breadth before depth: the first value of every sentence, then the second, …
    rounds = zip_longest(*asked)
    return [question for one_round in rounds for question in one_round if question is not None][:MAX_QUESTIONS]


def _questions(routed: Routed, sentence: str) -> list[Question]:
    found = [Question(routed, sentence, claim) for claim in claims(sentence)]
    return [question for question in found if len(question.blanked.split()) >= MIN_QUESTION_WORDS]


def _line(question: Question, zone: ZoneInfo) -> str:
    day = question.routed.message.at.astimezone(zone)
    sentence, claim = question.sentence, question.claim
    if len(sentence) > PINNED_CHARS:
        start = max(0, min(claim.start - PINNED_CHARS // 2, len(sentence) - PINNED_CHARS))
        sentence = f"…{sentence[start : start + PINNED_CHARS]}…"
    return f"{day.day} {day:%B %Y}, s{question.routed.segment.id}: “{sentence}”"
