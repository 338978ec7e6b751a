"""`bench strategies`: what is left of a talk of sixty turns under six ways of remembering it, and what each costs.

The same talk (the frozen one and variants of it), the same questions, one reader for all: the offline reader, which
answers only by quoting its prompt. It also writes the summaries (`task: summarise`: an excerpt of the member's own
sentences, at most 900 characters), each from the last summary and the ten turns that leave. Every request has the
system text and the declared tools of the chat; tokens are those of what stands between them and the question's end.
Ours is the chat at its default settings in a fresh conversation, as the nightly examination asks it. The last arms are
ours with a part taken out: a control that must be able to fail.
"""

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Protocol

from bench.examining import SPACE_ID, workshop
from bench.measure import Figure, interval, report
from bench.variants import Variant, variants
from bot.models.reader import OfflineReader
from bot.turn.prompt import Ceilings, PromptBuilder
from memory.compaction.window import Window
from memory.compaction.wording import summary_request
from memory.ledger.facts import Candidates
from memory.ledger.render import render
from memory.messages import Message, estimate_message_tokens, estimate_tokens, text_message
from memory.ports import ModelRequest
from memory.probe import frozen
from memory.probe.answers import asserts
from memory.probe.assertions import asserted
from memory.probe.cases import Case, stated
from memory.probe.frozen import TalkClock, play
from memory.space import Space
from tools.registry import Registry

TALKS = 10
SEED = 20270301
WINDOW_TURNS = 20
"""A third of the talk stays verbatim where a window does."""
SUMMARY_TURNS = 10
FEW_TURNS = 4
LEDGER_TOKENS, RECALL_TOKENS = 600, 900
USUAL_TOKENS, OFTEN_TOKENS = 24_000, 4_500
MAX_ENTRIES, MAX_TOKENS, MAX_FACT_TOKENS = 20, 270, 200

FIRST_SESSION = 1

OURS, HYBRID = "ours", f"hybrid: summary + last {WINDOW_TURNS} turns"
OFTEN = f"ours, compacted at {OFTEN_TOKENS:,} tokens"
NO_LEDGER, NO_RECALL = "ours without the ledger", "ours without recall"
NEITHER = "ours without ledger and recall"


@dataclass
class Told:
    """A talk that was told: what was said turn by turn, and the memory that is left of it."""

    space: Space
    turns: Sequence[Sequence[Message]]
    cases: Sequence[Case]
    reader: OfflineReader = field(default_factory=OfflineReader)
    _summaries: dict[int, list[Message]] = field(default_factory=dict)

    def last(self, count: int) -> list[Message]:
        """Return the messages of the newest turns."""
        return [message for turn in self.turns[-count:] for message in turn]

    async def prompt(self, question: str, ledger_tokens: int = 0, recall_tokens: int = 0) -> ModelRequest:
        """Return the chat's own prompt of a fresh conversation, its memory within these ceilings."""
        prompts = PromptBuilder(self.space, Registry([]), Ceilings(ledger_tokens, recall_tokens))
        return (await prompts.opening(question, deadline_s=60)).request

    async def prompt_with(self, question: str, earlier: Sequence[Message], ledger_tokens: int = 0) -> ModelRequest:
        """Return a prompt with these messages before the question, and of our memory nothing but the ledger."""
        request = await self.prompt(question, ledger_tokens)
        return replace(request, messages=(*earlier, request.messages[-1]))

    async def summary(self, turns_kept: int) -> list[Message]:
        """Return the summary of all turns but the newest, as a message; it is rewritten whenever ten turns leave."""
        if turns_kept not in self._summaries:
            self._summaries[turns_kept] = await self._summary(self.turns[: len(self.turns) - turns_kept])
        return self._summaries[turns_kept]

    async def _summary(self, leaving: Sequence[Sequence[Message]]) -> list[Message]:
        summary: list[Message] = []
        for first in range(0, len(leaving), SUMMARY_TURNS):
            gone = [message for turn in leaving[first : first + SUMMARY_TURNS] for message in turn]
            before = [message.model_copy(update={"role": "user", "id": 0}) for message in summary]
            reply = await self.reader.generate(summary_request(Window((*before, *gone), SUMMARY_TURNS)))
            summary = [text_message("notice", reply.text, gone[-1].at, origin="program")]
        return summary


class Strategy(Protocol):
    """A way of remembering: the prompt it puts a question with, after the talk was told."""

    @property
    def name(self) -> str: ...

    async def request(self, told: Told, question: str) -> ModelRequest: ...


class FullHistory:
    name = "full history"

    async def request(self, told: Told, question: str) -> ModelRequest:
        return await told.prompt_with(question, told.last(len(told.turns)))


class LastTurns:
    name = f"last {WINDOW_TURNS} turns"

    async def request(self, told: Told, question: str) -> ModelRequest:
        return await told.prompt_with(question, told.last(WINDOW_TURNS))


class SummaryOnly:
    name = "summary only"

    async def request(self, told: Told, question: str) -> ModelRequest:
        return await told.prompt_with(question, await told.summary(0))


class Hybrid:
    name = HYBRID

    async def request(self, told: Told, question: str) -> ModelRequest:
        earlier = [*await told.summary(WINDOW_TURNS), *told.last(WINDOW_TURNS)]
        return await told.prompt_with(question, earlier)


class LedgerAndSummary:
    name = f"ledger + summary + last {FEW_TURNS} turns"

    async def request(self, told: Told, question: str) -> ModelRequest:
        earlier = [*await told.summary(FEW_TURNS), *told.last(FEW_TURNS)]
        return await told.prompt_with(question, earlier, LEDGER_TOKENS)


@dataclass(frozen=True)
class Ours:
    """Ledger, handoff and recall through the chat's own prompt; a ceiling of nothing takes a part out."""

    name: str = OURS
    ledger_tokens: int = LEDGER_TOKENS
    recall_tokens: int = RECALL_TOKENS

    async def request(self, told: Told, question: str) -> ModelRequest:
        return await told.prompt(question, self.ledger_tokens, self.recall_tokens)


STRATEGIES: tuple[Strategy, ...] = (
    *(FullHistory(), LastTurns(), SummaryOnly(), Hybrid(), LedgerAndSummary(), Ours()),
    Ours(NO_LEDGER, ledger_tokens=0),
    Ours(NO_RECALL, recall_tokens=0),
    Ours(NEITHER, ledger_tokens=0, recall_tokens=0),
)


@dataclass
class Asked:
    """What one strategy made of all questions."""

    asked: int = 0
    right: int = 0
    critical_lost: int = 0
    stale: int = 0
    tokens: int = 0
    missed: Counter[str] = field(default_factory=Counter)

    def enter(self, case: Case, answer: str, tokens: int) -> None:
        """Count one answer by the rule of the examination: a value it asserts, or an old one as what holds."""
        is_right = asserts(case, answer)
        self.asked += 1
        self.tokens += tokens
        self.right += is_right
        self.critical_lost += case.critical and not is_right
        self.stale += not is_right and any(stated(patterns, asserted(answer)) for _, patterns in case.former)
        if not is_right:
            self.missed[case.ref] += 1

    @property
    def rate(self) -> float:
        return 100 * self.right / self.asked

    @property
    def tokens_each(self) -> float:
        return self.tokens / self.asked


@dataclass(frozen=True)
class Ledger:
    """What a talk left in the ledger: entries, their tokens, and the tokens of those that a question asks for."""

    entries: int
    tokens: int
    asked_tokens: int


@dataclass(frozen=True)
class Bar:
    """A strategy as the chart shows it: its recall rate with the interval, in percent, and the tokens of a question."""

    rate: float
    low: float
    high: float
    tokens: float
    is_ours: bool


Draw = Callable[..., None]
"""Draws a bar for each strategy; see `bench.chart.draw_strategies`, without its path."""


@asynccontextmanager
async def telling(home: Path, variant: Variant, *, compact_at_tokens: int = USUAL_TOKENS) -> AsyncIterator[Told]:
    """Tell a talk to a new memory by the ordinary way, then begin a fresh conversation."""
    clock = TalkClock(variant.turns[0].at)
    async with (
        workshop(home, clock, compact_at_tokens=compact_at_tokens) as shop,
        shop.opened(SPACE_ID) as (space, assistant),
    ):
        await play(assistant, clock, variant.turns)
        await assistant.say("/new")
        messages = await space.sessions.tail(FIRST_SESSION, after=0)
        turns = [list(turn) for _, turn in groupby(messages, key=lambda message: message.turn_id)]
        yield Told(space, turns, variant.cases)


async def ask(told: Told, strategy: Strategy, asked: Asked) -> None:
    """Put all questions about a talk to the reader, and enter what it answers."""
    for case in told.cases:
        request = await strategy.request(told, case.question)
        tokens = estimate_message_tokens(request.messages) + estimate_tokens(request.memory_block or "")
        asked.enter(case, (await told.reader.generate(request)).text, tokens)


async def ledger_of(told: Told) -> Ledger:
    """Return the size of the ledger, as its lines stand in a prompt that has room for all of them."""
    held = await told.space.facts.active()
    rendered = render(Candidates(tuple(held), {}, 0), budget_tokens=10**6, now=told.space.clock.now())
    wanted = [line for line in rendered.lines if any(stated(case.patterns, line) for case in told.cases)]
    return Ledger(len(held), estimate_tokens("\n".join(rendered.lines)), estimate_tokens("\n".join(wanted)))


async def run(*, as_json: bool, draw: Draw | None = None, talks: int = TALKS) -> int:
    """Measure and print; returns 1 when a goal is missed."""
    names = [strategy.name for strategy in STRATEGIES]
    names.insert(names.index(OURS) + 1, OFTEN)
    arms = {name: Asked() for name in names}
    ledgers: list[Ledger] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, variant in enumerate(variants(talks, seed=SEED)):
            async with telling(Path(folder) / f"{number}", variant) as told:
                ledgers.append(await ledger_of(told))
                for strategy in STRATEGIES:
                    await ask(told, strategy, arms[strategy.name])
            often = Path(folder) / f"{number}-often"
            async with telling(often, variant, compact_at_tokens=OFTEN_TOKENS) as told:
                await ask(told, Ours(OFTEN), arms[OFTEN])
    figures = [*_arm_figures(arms), *_ledger_figures(ledgers)]
    about: dict[str, str | int] = {
        "data": frozen.sha256()[:12],
        "talks": talks,
        "questions": arms[OURS].asked,
        "reader": OfflineReader().name,
    }
    report("strategies", figures, about, as_json=as_json)
    if draw is not None:
        draw(
            {name: _bar(name, arm) for name, arm in arms.items()},
            about=f"{talks} talks of 60 turns, {arms[OURS].asked} questions",
        )
    return 0 if all(figure.is_met for figure in figures) else 1


def _bar(name: str, arm: Asked) -> Bar:
    low, high = interval(arm.right, arm.asked)
    return Bar(arm.rate, low, high, arm.tokens_each, is_ours=name in (OURS, OFTEN))


def _arm_figures(arms: Mapping[str, Asked]) -> Iterator[Figure]:
    ours, hybrid = arms[OURS], arms[HYBRID]
    for name, arm in arms.items():
        low, high = interval(arm.right, arm.asked)
        is_bound, is_control = name in (OURS, OFTEN), name in (NO_LEDGER, NEITHER)
        missed = ", ".join(f"{ref} {count}×" for ref, count in arm.missed.most_common(5))
        yield Figure(
            f"{name}: recall ({missed or 'nothing missed'})",
            *(arm.rate, "%", "100" if is_bound else "< ours" if is_control else "reported"),
            is_met=arm.rate == 100 if is_bound else arm.rate < ours.rate if is_control else True,
            low=low,
            high=high,
        )
        lost, stale = arm.critical_lost, arm.stale
        yield Figure(f"{name}: critical facts lost", lost, "", "0" if is_bound else "reported", not (is_bound and lost))
        yield Figure(
            f"{name}: old values asserted", stale, "", "0" if is_bound else "reported", not (is_bound and stale)
        )
        yield Figure(f"{name}: tokens a question", arm.tokens_each, "tokens", "reported", is_met=True)
    fewer = 100 * (1 - ours.tokens / hybrid.tokens)
    yield Figure("ours: fewer tokens a question than the hybrid", fewer, "%", "≥ 50", fewer >= 50)


def _ledger_figures(ledgers: Sequence[Ledger]) -> Iterator[Figure]:
    entries, tokens = max(one.entries for one in ledgers), max(one.tokens for one in ledgers)
    asked = max(one.asked_tokens for one in ledgers)
    for name, value, unit, most in (
        ("entries", entries, "", MAX_ENTRIES),
        ("tokens", tokens, "tokens", MAX_TOKENS),
        ("tokens of the 14 facts asked for", asked, "tokens", MAX_FACT_TOKENS),
    ):
        yield Figure(f"ledger after 60 turns, the largest: {name}", value, unit, f"≤ {most}", value <= most)
