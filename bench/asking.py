"""Asking: every talk imported, every question asked, by recall and by the plain alternative; what came back.

The ordinary import, the ordinary vectors, the ordinary search and packing; no language model takes part. *own*: a
memory for each talk; *one store*: all talks in one memory. Judges nothing.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import track

from bench.plain_search import Hit, PlainSearch
from bench.questions import Question, Talk, session_of
from bot.clock import SystemClock
from memory.importing import Importer
from memory.messages import Message
from memory.ports import Embedder
from memory.recall.items import Found, Item
from memory.space import Space
from memory.store.redaction import Redactor

DEPTH = 20
"""How far down the ranked list is looked; a true find stands among the first `FOUND`."""

FOUND = 10


@dataclass(frozen=True)
class Answer:
    """What was given for one question: the refs of the ranked items, best first, and those packed into a budget.

    `is_lost`: whether the floor took every true find out; None when there was none, or no floor.
    """

    question: Question
    ranked: Sequence[Sequence[str]]
    packed: dict[int, frozenset[str]]
    cpu_ms: float
    is_lost: bool | None = None

    def any_at(self, k: int) -> bool:
        return not self.question.refs.isdisjoint(self._first(k))

    def all_at(self, k: int) -> bool:
        return self.question.refs <= self._first(k)

    def has_session_at(self, k: int) -> bool:
        sessions = {session_of(ref) for ref in self.question.refs}
        return not sessions.isdisjoint(session_of(ref) for ref in self._first(k))

    def is_packed(self, budget: int) -> bool:
        return not self.question.refs.isdisjoint(self.packed[budget])

    def _first(self, k: int) -> set[str]:
        return {ref for refs in self.ranked[:k] for ref in refs}


@dataclass(frozen=True)
class Asked:
    """What one way of searching gave for one talk; nothing is packed for the one store.

    The rest tells whether nothing was injected for questions whose answer was never said (`unanswerable`) and for
    questions about another talk (`never_told`).
    """

    own: Sequence[Answer]
    one_store: Sequence[Answer]
    unanswerable: Sequence[bool] = field(default=())
    never_told: Sequence[bool] = field(default=())


async def ask(
    talks: Sequence[Talk], budgets: Sequence[int], *, embedder: Embedder | None = None, what: str = "asking"
) -> list[Asked]:
    """Return what recall gives for each talk, with an embedder by words and meaning."""
    asked = []
    async with _memory(talks, embedder) as together:
        for place, talk in enumerate(_shown(talks, what)):
            foreign = talks[(place + 1) % len(talks)].questions
            async with _memory([talk], embedder) as space:
                asked.append(
                    Asked(
                        [await _answer(space, question, budgets) for question in talk.questions],
                        [await _answer(together, question) for question in talk.questions],
                        [await _is_silent(space, question, max(budgets)) for question in talk.unanswerable],
                        [await _is_silent(space, question, max(budgets)) for question in foreign],
                    )
                )
    return asked


def ask_plain(talks: Sequence[Talk], budgets: Sequence[int]) -> list[Asked]:
    """Return what the plain alternative gives for each talk."""
    together = PlainSearch(talks)
    return [
        Asked(
            [_plain_answer(own, question, budgets) for question in talk.questions],
            [_plain_answer(together, question) for question in talk.questions],
        )
        for talk, own in ((talk, PlainSearch([talk])) for talk in talks)
    ]


@asynccontextmanager
async def _memory(talks: Sequence[Talk], embedder: Embedder | None) -> AsyncIterator[Space]:
    """Import the talks into a memory of their own, by the ordinary way."""
    with tempfile.TemporaryDirectory() as folder:
        space = await Space.open(
            Path(folder) / "bench",
            default_zone=ZoneInfo("UTC"),
            clock=SystemClock(),
            backups=Path(folder),
            embedder=embedder,
        )
        try:
            importer, redactor = Importer(space.db, space.sessions, space.segments), Redactor([])
            for talk in talks:
                await importer.store(
                    talk.messages, redact=lambda text: redactor.redact(text).text, is_forgotten=_was_forgotten
                )
            while await space.vectors.fill():
                pass
            yield space
        finally:
            await space.close()


async def _was_forgotten(message: Message) -> bool:
    return False


async def _answer(space: Space, question: Question, budgets: Sequence[int] = ()) -> Answer:
    before = time.process_time()
    found = await space.recall.search(question.text, k=DEPTH)
    cpu_ms = (time.process_time() - before) * 1000
    packed = {budget: _refs((await space.recall.pack(question.text, budget_tokens=budget)).items) for budget in budgets}
    return Answer(question, [item.refs for item in found.items], packed, cpu_ms, _is_lost(question, found))


def _is_lost(question: Question, found: Found) -> bool | None:
    refused = {excluded.id for excluded in found.excluded if excluded.reason == "floor"}
    true = {item.id for item in found.items[:FOUND] if not question.refs.isdisjoint(item.refs)}
    return true <= refused if true else None


def _plain_answer(search: PlainSearch, question: Question, budgets: Sequence[int] = ()) -> Answer:
    before = time.process_time()
    hits = search.search(question.text, DEPTH)
    cpu_ms = (time.process_time() - before) * 1000
    packed = {budget: _refs(search.pack(question.text, budget)) for budget in budgets}
    return Answer(question, [hit.refs for hit in hits], packed, cpu_ms)


def _refs(items: Sequence[Item] | Sequence[Hit]) -> frozenset[str]:
    return frozenset(ref for item in items for ref in item.refs)


async def _is_silent(space: Space, question: Question, budget: int) -> bool:
    return not (await space.recall.pack(question.text, budget_tokens=budget)).items


def _shown(talks: Sequence[Talk], what: str) -> Iterable[Talk]:
    return track(talks, what, console=Console(stderr=True), transient=True)
