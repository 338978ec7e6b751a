"""`bench ledger`: the scripted month through the ordinary path, held against the ledger a careful human would keep.

Each message is received, answered and read as in a chat, with the offline reader as the model; `live` does the same for
any other. After each message the ledger is marked; each memory block on the way is searched for values that no longer
hold. The alternative, in the same run, believes every change the extractor proposes and lets the last one stand.
Also what one write costs (`write_cost`).
"""

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from bench.house import House, house
from bench.measure import Figure, interval, report
from bench.month import Careful, Line, Said, month
from bench.write_cost import ROUNDS, write_cost
from bot.models.reader import OfflineReader
from memory.block import FACTS_HEADING, RECALLED_HEADING
from memory.ledger.facts import Candidates, Fact
from memory.ledger.reading import proposed_changes
from memory.ledger.render import render
from memory.messages import estimate_tokens
from memory.ports import Model, ModelReply, ModelRequest, OnText
from memory.space import Space
from memory.store.entries import Entry

LAST_QUESTION = "What do you know about me?"
_LINE = re.compile(r"^- \[(?P<kind>\w+)\] (?P<subject>[^:]+): (?P<value>.+)$", re.MULTILINE)
_OFFERED = re.compile(r"^(?P<ref>f\d+) \| [^|]+ \| (?P<subject>[^|]+) \| ", re.MULTILINE)


@dataclass
class Watched:
    """Hands requests on to a model, and keeps the blocks of the chat and what was proposed since it was last asked."""

    model: Model
    blocks: list[str] = field(default_factory=list)
    proposals: list[tuple[ModelRequest, ModelReply]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.model.name

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        reply = await self.model.generate(request, on_text=on_text)
        if request.task == "chat":
            self.blocks.append(request.memory_block or "")
        elif request.task == "extract":
            self.proposals.append((request, reply))
        return reply


@dataclass
class StillClock:
    """Stands where it is put."""

    at: datetime

    def now(self) -> datetime:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@dataclass
class Believing:
    """The alternative ledger: what the extractor proposes holds, the last value of a subject wins."""

    lines: dict[str, Line] = field(default_factory=dict)

    def take(self, proposals: Sequence[tuple[ModelRequest, ModelReply]], at: datetime) -> list[Line]:
        """Enter what was proposed and return the new entries."""
        entered = []
        for request, reply in proposals:
            offered = {found["ref"]: found["subject"].strip() for found in _OFFERED.finditer(request.messages[-1].text)}
            for change in proposed_changes(reply):
                named = offered.get(str(change.replaces), change.subject)
                key = named.casefold()
                if change.op == "retract":
                    self.lines.pop(key, None)
                elif key not in self.lines or self.lines[key].value != change.value:
                    self.lines[key] = Line(key, change.kind, change.subject, change.value, at)
                    entered.append(self.lines[key])
        return entered


@dataclass(frozen=True)
class Outcome:
    """A month with one model: how the ledger was marked, and what stood on the way."""

    ours: Careful
    believing: Careful
    stale: tuple[tuple[Said, Line], ...]
    asked: Counter[str]
    """How many questions the program put, by what kind of message raised them."""
    facts: int
    tokens: int


async def live(model: Model, home: Path) -> Outcome:
    """Live the month with a model: receive, answer and read each message, and mark what became of it."""
    messages = month()
    watched, clock = Watched(model), StillClock(messages[0].at)
    ours, alternative, believing = Careful(), Careful(), Believing()
    stale: list[tuple[Said, Line]] = []
    asked: Counter[str] = Counter()
    async with house(home, watched, clock) as at_work:
        seen: set[int] = set()
        for number, said in enumerate(messages):
            before, believed = await _active(at_work.space), list(believing.lines.values())
            clock.at = max(clock.at, said.at)
            told = len(at_work.screen.delivered)
            await _say(at_work, number, said.text)
            stale += [(said, line) for line in ours.stale(_rendered(watched.blocks, said.at))]
            after = await _active(at_work.space)
            new = [fact for fact in await at_work.space.facts.history() if fact.id not in seen]
            seen |= {fact.id for fact in new}
            ours.mark(said, before, after, [_line(fact) for fact in new if fact.status != "pending"])
            entered = believing.take(watched.proposals, said.at)
            alternative.mark(said, believed, list(believing.lines.values()), entered)
            asked[said.what] += sum(text.count("❔") for text in at_work.screen.delivered[told:])
            watched.blocks.clear()
            watched.proposals.clear()
        await _say(at_work, len(messages), LAST_QUESTION)
        stale += [(messages[-1], line) for line in ours.stale(_rendered(watched.blocks, clock.at))]
        held = await at_work.space.facts.active()
        shown = render(Candidates(tuple(held), {}, 0), budget_tokens=10**6, now=clock.at)
    return Outcome(ours, alternative, tuple(stale), asked, len(held), estimate_tokens("\n".join(shown.lines)))


async def _say(at_work: House, number: int, text: str) -> None:
    entry = Entry(source=f"cli:{number}", kind="message", text=text, at=at_work.space.clock.now())
    await at_work.runner.receive(entry)
    await at_work.runner.drain()


async def _active(space: Space) -> list[Line]:
    return [_line(fact) for fact in await space.facts.active()]


def _line(fact: Fact) -> Line:
    return Line(fact.subject_key, fact.kind, fact.subject, fact.value, fact.since, fact.due)


def _rendered(blocks: Sequence[str], at: datetime) -> list[Line]:
    """Return the lines of the ledger in memory blocks, read at the time they were shown."""
    ledgers = [
        block.partition(FACTS_HEADING)[2].partition(f"\n{RECALLED_HEADING}\n")[0].partition("\nNow: ")[0]
        for block in blocks
    ]
    return [
        Line("", match["kind"], match["subject"], match["value"], at)
        for ledger in ledgers
        for match in _LINE.finditer(ledger)
    ]


def figures_of(outcome: Outcome, *, precision_goal: float = 95, recall_goal: float = 95) -> list[Figure]:
    """Return the figures of a month; the alternative's beside them."""
    ours, other, name = outcome.ours, outcome.believing, "every proposal believed"
    return [
        _rate("recall of plain changes", *recall(ours, plain=True), recall(other, plain=True), recall_goal, name),
        _rate("recall of all changes", *recall(ours), recall(other), 0, name),
        _rate("precision of what was entered", *precision(ours), precision(other), precision_goal, name),
        _count("subjects wrongly current, plain", wrong_current(ours, plain=True), wrong_current(other, plain=True)),
        _count("subjects wrongly current, all", wrong_current(ours), wrong_current(other), is_bound=False),
        Figure("stale values in memory blocks", len(outcome.stale), "", "0", not outcome.stale),
        _count(
            "facts from messages that hold nothing", verdicts(ours)["from nothing"], verdicts(other)["from nothing"]
        ),
        _count("facts entered twice", verdicts(ours)["twice"], verdicts(other)["twice"], is_bound=False),
        Figure("questions put about ambiguous messages", outcome.asked["ambiguous"], "of 5", "reported", True),
        _count("ambiguous messages taken as certain", too_certain(ours), too_certain(other)),
        Figure("facts in the ledger at the end", outcome.facts, "", "reported", True),
        Figure("tokens of the whole ledger", outcome.tokens, "tokens", "reported", True),
    ]


def recall(careful: Careful, *, plain: bool = False) -> tuple[int, int]:
    """Return how many of the changes a careful human made were made, and how many those are."""
    done = sum(change.is_plain or not plain for _, change in careful.done)
    return done, done + sum(change.is_plain or not plain for _, change in careful.missed)


def precision(careful: Careful) -> tuple[int, int]:
    """Return how many entries are right, and how many there are; what leaves an ambiguity open is neither."""
    counts = verdicts(careful)
    return counts["right"], counts["right"] + counts["twice"] + counts["wrong"] + counts["from nothing"]


def verdicts(careful: Careful) -> Counter[str]:
    return Counter(one.verdict for one in careful.entered)


def wrong_current(careful: Careful, *, plain: bool = False) -> int:
    return sum(is_plain or not plain for _, is_plain in careful.wrong_current)


def too_certain(careful: Careful) -> int:
    """Return from how many ambiguous messages something was entered that they do not say."""
    return len({one.said.text for one in careful.entered if one.said.what == "ambiguous" and one.verdict == "wrong"})


def _rate(name: str, hits: int, of: int, other: tuple[int, int], goal: float, other_name: str) -> Figure:
    value = 100 * hits / max(1, of)
    low, high = interval(hits, of)
    theirs = 100 * other[0] / max(1, other[1])
    shown = f"≥ {goal:g}" if goal else "reported"
    return Figure(f"{name} ({of})", value, "%", shown, value >= goal, theirs, other_name, low, high)


def _count(name: str, value: int, other: int, *, is_bound: bool = True) -> Figure:
    goal = "0" if is_bound else "reported"
    return Figure(name, value, "", goal, value == 0 or not is_bound, other, "every proposal believed")


async def run(*, as_json: bool) -> int:
    """Measure and print; returns 1 when a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        figures = figures_of(await live(OfflineReader(), Path(folder) / "month"))
        figures += await write_cost(Path(folder))
    about: dict[str, str | int] = {"messages": len(month()), "model": OfflineReader().name, "rounds": ROUNDS}
    report("ledger", figures, about, as_json=as_json)
    return 0 if all(figure.is_met for figure in figures) else 1
