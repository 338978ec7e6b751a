"""`bench overhead`: what our own code costs around a model call, and how much of a prompt the provider can cache.

Two measurements over the parts that serve a chat, with a model that answers at once. First: turns in a memory of
100,000 messages and 500 facts; CPU time of the process, and the commits before the model is asked. Second: a talk of
200 turns with tools, at small and at full memory blocks: the share of each prompt that is the same as the one before,
up to the first difference; the alternative is the same prompt with its clock at the head.
"""

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bench.corpus import SEED, START, budget, sentences, talk
from bench.house import MovingClock, house
from bench.measure import Figure, bare_ms, median, percentile, report
from bot.models.history import Sources, build_contents
from memory.messages import CallPart, Message, TextPart, estimate_tokens
from memory.ports import ModelReply, ModelRequest, OnText
from memory.space import Space
from memory.store.entries import Entry

MESSAGES = 100_000
FACTS = 500
TURNS = 200
BATCH = 500
NEVER = 100_000_000
"""A threshold no talk reaches: compactions are left out where prefixes are compared."""


@dataclass
class Model:
    """Answers at once; with `calls_tools` every third turn begins with a call of recall."""

    space: Space | None = None
    calls_tools: bool = False
    requests: list[ModelRequest] = field(default_factory=list)
    asked_commits: int = 0
    name: str = "instant"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "chat":
            return ModelReply((TextPart(text='{"changes": []}'),), model=self.name)
        assert self.space is not None
        self.asked_commits = self.space.db.commits
        self.requests.append(request)
        if self.calls_tools and len(self.requests) % 4 == 3 and not request.messages[-1].results:
            query = request.messages[-1].text
            return ModelReply(
                (CallPart(call_id=f"call-{len(self.requests)}", name="recall", args={"query": query}),), ""
            )
        return ModelReply((TextPart(text="Noted, and thank you for telling me about it."),), model=self.name)


async def run(*, as_json: bool) -> int:
    """Measure and print; returns 1 when a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        figures = await _cost(Path(folder) / "large") + await _prefixes(Path(folder))
    about = {"seed": SEED, "messages": MESSAGES, "facts": FACTS, "turns": TURNS, "cores": os.cpu_count() or 0}
    report("overhead", figures, about, as_json=as_json)
    return 0 if all(figure.is_met for figure in figures) else 1


async def _cost(home: Path) -> list[Figure]:
    model = Model()
    cpu, commits, bare = [], [], []
    words = sentences(SEED + 1)
    async with house(home, model, MovingClock(START)) as at_work:
        space, model.space = at_work.space, at_work.space
        await _fill(space)
        for number in range(TURNS):
            before, commits_before = time.process_time(), space.db.commits
            await space.clock.sleep(60)
            await at_work.runner.receive(_entry(number, next(words), space))
            await at_work.runner.drain()
            cpu.append((at_work.screen.delivered_cpu - before) * 1000)
            commits.append(model.asked_commits - commits_before)
            bare.append(await bare_ms(space, number))
    bare_name = "one insert and commit"
    return [
        Figure("CPU a turn, median", median(cpu), "ms", "≤ 15", median(cpu) <= 15, median(bare), bare_name),
        Figure(
            "CPU a turn, p95",
            percentile(cpu, 95),
            "ms",
            "≤ 40",
            percentile(cpu, 95) <= 40,
            percentile(bare, 95),
            bare_name,
        ),
        Figure("commits before the model is asked", max(commits), "", "≤ 3", max(commits) <= 3),
    ]


async def _fill(space: Space) -> None:
    batch: list[Message] = []
    for message in track(talk(MESSAGES), "filling", total=MESSAGES, console=Console(stderr=True), transient=True):
        batch.append(message)
        if len(batch) == BATCH:
            await _store(space, batch)
            batch = []
    await _store(space, batch)
    async with space.db.transaction():
        for number in range(FACTS):
            await space.facts.add(budget(number))


async def _store(space: Space, messages: Sequence[Message]) -> None:
    async with space.db.transaction():
        for message in messages:
            await space.segments.store(await space.sessions.append(message, session_id=None))


def _entry(number: int, text: str, space: Space) -> Entry:
    return Entry(source=f"cli:{number}", kind="message", text=text, at=space.clock.now())


async def _prefixes(home: Path) -> list[Figure]:
    small = await _shared_share(home / "small", ledger_tokens=80, recall_tokens=80)
    full = await _shared_share(home / "full", ledger_tokens=600, recall_tokens=900)
    name = "clock at the head"
    return [
        Figure("prefix shared, small blocks", small[0], "%", "≥ 95", small[0] >= 95, small[1], name),
        Figure("prefix shared, full blocks", full[0], "%", "≥ 87", full[0] >= 87, full[1], name),
        Figure("memory block, median, full", full[2], "tokens", "≤ 800", full[2] <= 800),
    ]


async def _shared_share(home: Path, *, ledger_tokens: int, recall_tokens: int) -> tuple[float, float, float]:
    """Return the shared share of a 200-turn talk with tools, the alternative's, and the median block in tokens."""
    model = Model(calls_tools=True)
    settings = {
        "REMEMBRANCER_LEDGER_TOKENS": ledger_tokens,
        "REMEMBRANCER_RECALL_TOKENS": recall_tokens,
        "REMEMBRANCER_COMPACT_AT_TOKENS": NEVER,
    }
    words = sentences(SEED + 2)
    async with house(home, model, MovingClock(START), **settings) as at_work:
        space, model.space = at_work.space, at_work.space
        async with space.db.transaction():
            await space.segments.store(await space.sessions.append(next(talk(1)), session_id=None))
            for number in range(60):
                await space.facts.add(budget(number))
        for number in range(TURNS):
            text = f"{next(words)} {next(words)} What was the budget of project {number % 60}?"
            await space.clock.sleep(60)
            await at_work.runner.receive(_entry(number, text, space))
            await at_work.runner.drain()
    requests = model.requests
    ours = [_serialised(request) for request in requests]
    heads = [
        f"{(request.memory_block or '').splitlines()[-1]}\n{text}" for request, text in zip(requests, ours, strict=True)
    ]
    blocks = [estimate_tokens(request.memory_block or "") for request in requests]
    return _share(ours), _share(heads), median(blocks)


def _serialised(request: ModelRequest) -> str:
    """Return a request as one text, in the order in which a provider reads it."""
    sources = Sources(now=START)
    contents = build_contents(request.messages, request.memory_block, sources)
    lines = [
        f"{content.role}: {part.model_dump_json(exclude_none=True)}" for content in contents for part in content.parts
    ]
    return "\n".join([request.system, *(str(spec) for spec in request.tools), *lines])


def _share(prompts: Sequence[str]) -> float:
    """Return how much of the prompts, all but the first, stood the same at the start of the one before (percent)."""
    pairs = list(pairwise(prompts))
    return 100 * sum(_same_start(*pair) for pair in pairs) / sum(len(after) for _, after in pairs)


def _same_start(first: str, second: str) -> int:
    shorter = min(len(first), len(second))
    return next((n for n in range(shorter) if first[n] != second[n]), shorter)
