"""`bench handoff`: what a handoff saves, and whether everything is still found behind it.

A talk of 49 segments, 36 of them distracting, and twelve questions for exact values, each asked in a fresh session of a
copy of the same memory, through the ordinary path, with one fixed reader. Four arms: the full history; the handoff
alone; the handoff with what recall puts into the prompt; the handoff with what the assistant asks recall for. Tokens
are those of every request the answer took. The ledger is off, so that it helps no arm. Then: the reduction over long
talks, chains of up to thirty compactions, and prose with and without shorter texts.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.corpus import START, talk
from bench.house import MovingClock, house
from bench.measure import Figure, interval, report
from bench.quoting import QuotingReader, best_sentence
from memory import block
from memory.compaction.claims import claims
from memory.compaction.compactor import Compactor
from memory.compaction.outcome import Outcome
from memory.ledger.facts import Statement
from memory.messages import Message, TextPart, estimate_message_tokens, text_message
from memory.ports import Model, ModelReply, ModelRequest, OnText
from memory.recall.segments import digest
from memory.space import Space
from memory.store.entries import Entry

DATA = Path(__file__).parent / "data" / "handoff.json"
DATA_SHA256 = "f0fa518a3e302482d65bf2ab2eb31c76e5f3c27845792acd1a0a12587c822dc9"
ARMS = (
    "full history",
    "handoff alone",
    "handoff + recall by the harness",
    "handoff + recall by the harness, 300 tokens",
    "handoff + recall by the assistant",
)
NEVER = 100_000_000
RECALL_TOKENS = 900
SPARING_TOKENS = 300
CHAIN = (1, 3, 10, 30)
CHAIN_THRESHOLD = 1_500
LONG_THRESHOLD = 64_000
LONG_MESSAGES = 6_000
NOT_KNOWN = r"told nobody|don't know"
FACTS = 14


@dataclass(frozen=True)
class Question:
    """What is asked, what a right answer holds (None: that it is not known) and what a right answer never holds."""

    kind: str
    question: str
    accept: str | None
    reject: str | None

    def is_answered_by(self, text: str) -> bool:
        wrong = self.reject is not None and re.search(self.reject, text) is not None
        return not wrong and re.search(self.accept or NOT_KNOWN, text) is not None


@dataclass(frozen=True)
class Arm:
    """`talk_tokens` leaves out the system text and the declarations of tools, which are the same in every arm."""

    right: int
    tokens: int
    talk_tokens: int
    rounds: int
    missed: tuple[str, ...]


async def run(*, as_json: bool) -> int:
    """Measure and print; returns 1 when a goal is missed."""
    data = _data()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        figures = [
            *await _arms(root / "arms", data),
            *await _reduction(root / "default", 24_000, LONG_MESSAGES // 3),
            *await _reduction(root / "long", LONG_THRESHOLD, LONG_MESSAGES),
            *await _chain(root / "chain", data),
            *await _prose(root / "prose", data),
        ]
    about: dict[str, str | int] = {
        "data": DATA_SHA256[:12],
        "segments": len(data["segments"]),
        "questions": len(data["questions"]),
    }
    report("handoff", figures, about, as_json=as_json)
    return 0 if all(figure.is_met for figure in figures) else 1


def _data() -> dict[str, Any]:
    body = DATA.read_bytes()
    if hashlib.sha256(body).hexdigest() != DATA_SHA256:
        raise ValueError(f"{DATA.name} is not the data these figures are of")
    data: dict[str, Any] = json.loads(body)
    return data


def _questions(rows: Sequence[dict[str, Any]]) -> list[Question]:
    return [Question(**row) for row in rows]


def _messages(rows: Sequence[dict[str, Any]]) -> list[Message]:
    return [
        text_message(row["role"], row["text"], datetime.fromisoformat(row["at"]), origin=_origin(row["role"]))
        for row in rows
    ]


def _origin(role: str) -> Any:
    return "own" if role == "user" else "model"


# A memory without a chat around it: turns are stored, compaction is called


@asynccontextmanager
async def _memory(home: Path, clock: MovingClock) -> AsyncIterator[Space]:
    async with house(home, QuotingReader(calls_recall=False), clock) as opened:
        yield opened.space


async def _store_turn(space: Space, messages: Sequence[Message]) -> None:
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        for message in messages:
            stored = await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
            await space.segments.store(stored)
        await space.sessions.end_turn(turn.id, "done")


async def _store(space: Space, messages: Sequence[Message]) -> None:
    for first in range(0, len(messages), 2):
        await _store_turn(space, messages[first : first + 2])


def _compactor(space: Space, threshold: int, *, model: Model | None = None, compress: bool = False) -> Compactor:
    return Compactor(
        *(space.db, space.sessions, space.handoffs, space.segments, space.recall, space.journal, space.media),
        model=model or QuotingReader(calls_recall=False),
        clock=space.clock,
        zones=space.preference_store,
        threshold_tokens=threshold,
        keep_turns=4,
        recall_tokens=RECALL_TOKENS,
        compress=compress,
    )


async def _tail(space: Space, session: int) -> list[Message]:
    return await space.sessions.tail(session, after=await space.handoffs.last_covered(session))


# The four arms


async def _arms(root: Path, data: dict[str, Any]) -> list[Figure]:
    messages, questions = _messages(data["segments"]), _questions(data["questions"])
    async with _memory(root / "full", MovingClock(START)) as space:
        await _store(space, messages)
        session = await space.sessions.current_session()
    shutil.copytree(root / "full", root / "handed off")
    async with _memory(root / "handed off", MovingClock(messages[-1].at)) as space:
        async with space.db.transaction():
            await space.sessions.start_session()
        done = await _compactor(space, 24_000).compact(session, whole=True)
        assert done.state == "done"
    full = await _arm(root, "full", questions, recall_tokens=0, calls_recall=False)
    arms = [
        full,
        await _arm(root, "handed off", questions, recall_tokens=0, calls_recall=False),
        await _arm(root, "handed off", questions, recall_tokens=RECALL_TOKENS, calls_recall=False),
        await _arm(root, "handed off", questions, recall_tokens=SPARING_TOKENS, calls_recall=False),
        await _arm(root, "handed off", questions, recall_tokens=0, calls_recall=True),
    ]
    return [figure for name, arm in zip(ARMS, arms, strict=True) for figure in _arm_figures(name, arm, full)]


async def _arm(
    root: Path, talk_of: str, questions: Sequence[Question], *, recall_tokens: int, calls_recall: bool
) -> Arm:
    right = tokens = talk_tokens = rounds = 0
    missed = []
    for question in questions:
        copy = root / "copy"
        shutil.copytree(root / talk_of, copy)
        reader = QuotingReader(calls_recall=calls_recall)
        settings = {
            "REMEMBRANCER_COMPACT_AT_TOKENS": NEVER,
            "REMEMBRANCER_RECALL_TOKENS": recall_tokens,
            "REMEMBRANCER_LEDGER_TOKENS": 0,
        }
        clock = MovingClock(START + timedelta(days=900))
        async with house(copy, reader, clock, **settings) as asked:
            entry = Entry(source="cli:question", kind="message", text=question.question, at=clock.now())
            await asked.runner.receive(entry)
            await asked.runner.drain()
        shutil.rmtree(copy)
        tokens, talk_tokens, rounds = tokens + reader.tokens, talk_tokens + reader.talk_tokens, rounds + reader.rounds
        if question.is_answered_by(reader.answers[-1]):
            right += 1
        else:
            missed.append(question.kind)
    return Arm(right, tokens, talk_tokens, rounds, tuple(missed))


def _arm_figures(name: str, arm: Arm, full: Arm) -> list[Figure]:
    count = arm.right + len(arm.missed)
    is_alone, is_sparing = name == ARMS[1], name == ARMS[3]
    low, high = interval(arm.right, count)
    missed = f" (missed: {', '.join(arm.missed)})" if arm.missed else ""
    right = Figure(
        f"{name}: right of {count}{missed}",
        arm.right,
        "",
        "reported" if is_alone else "all",
        is_alone or arm.right == count,
        low=low * count / 100,
        high=high * count / 100,
    )
    saved, whole = 100 * (1 - arm.talk_tokens / full.talk_tokens), 100 * (1 - arm.tokens / full.tokens)
    about = f"{arm.talk_tokens:,} of {full.talk_tokens:,}, {arm.rounds} recall rounds"
    return [
        right,
        Figure(
            f"{name}: fewer tokens of talk ({about})",
            saved,
            "%",
            "≥ 90" if is_sparing else "reported",
            not is_sparing or saved >= 90,
            whole,
            "of whole requests, system text and tools included",
        ),
    ]


# Reduction


async def _reduction(home: Path, threshold: int, count: int) -> list[Figure]:
    """Return summed handoffs ÷ summed windows over a long talk that is compacted whenever it passes the threshold."""
    outcomes: list[Outcome] = []
    async with _memory(home, MovingClock(START)) as space:
        compactor, session, waiting = _compactor(space, threshold), 0, 0
        for messages in _pairs(list(talk(count))):
            await _store_turn(space, messages)
            waiting += estimate_message_tokens(messages)
            if waiting > threshold:
                session = session or await space.sessions.current_session()
                outcomes.append(await compactor.compact(session))
                waiting = estimate_message_tokens(await _tail(space, session))
    windows, handoffs = sum(one.chars for one in outcomes), sum(one.handoff_chars for one in outcomes)
    reduction = 100 * (1 - handoffs / windows)
    is_long = threshold == LONG_THRESHOLD
    name = f"reduction at {threshold:,} tokens ({len(outcomes)} windows of {windows // len(outcomes):,} characters)"
    aim = 99.0 if is_long else 97.0
    return [Figure(name, reduction, "%", "≥ 99" if is_long else "reported", not is_long or reduction >= aim)]


def _pairs(messages: Sequence[Message]) -> list[Sequence[Message]]:
    return [messages[first : first + 2] for first in range(0, len(messages), 2)]


# Chains


async def _chain(home: Path, data: dict[str, Any]) -> list[Figure]:
    """Compact again and again behind the talk: what was exact, rendered and found must stay so."""
    questions = _questions(data["questions"])
    filler = iter(_pairs(list(talk(4_000, seed=3))))
    figures: list[Figure] = []
    async with _memory(home, MovingClock(START)) as space:
        await _store(space, _messages(data["segments"]))
        await _state_facts(space)
        exact, found = await _hashes(space), await _found(space, questions)
        compactor, session, done = _compactor(space, CHAIN_THRESHOLD), await space.sessions.current_session(), 0
        while done < CHAIN[-1]:
            await _store_turn(space, next(filler))
            done += (await compactor.compact(session)).state == "done"
            if done in CHAIN and f"after {done}" not in {figure.name.split(":")[0] for figure in figures}:
                figures += await _after(space, done, exact, questions, found)
    return figures


async def _after(
    space: Space, done: int, exact: dict[int, str], questions: Sequence[Question], found: frozenset[str]
) -> list[Figure]:
    now = await _hashes(space)
    same = 100 * sum(now.get(number) == sha256 for number, sha256 in exact.items()) / len(exact)
    built = await _block(space, "What is settled?")
    rendered = 100 * sum(f"{1000 + number * 7} euros" in built.text for number in range(FACTS)) / FACTS
    kept = 100 * len(found & await _found(space, questions)) / len(found)
    tokens = sum(view.tokens for view in await space.handoffs.in_prompt())
    return [
        Figure(f"after {done}: segments byte-identical", same, "%", "100", same == 100),
        Figure(f"after {done}: facts rendered", rendered, "%", "100", rendered == 100),
        Figure(f"after {done}: questions found as before", kept, "%", "≥ 98", kept >= 98),
        Figure(f"after {done}: handoffs in the prompt", tokens, "tokens", "≤ 2,500", tokens <= 2_500),
    ]


async def _state_facts(space: Space) -> None:
    async with space.db.transaction():
        for number in range(FACTS):
            value = f"{1000 + number * 7} euros"
            statement = Statement(
                kind="constraint",
                subject=f"budget of project {number}",
                value=value,
                quote=f"The budget of project {number} is {value}.",
                question=f"What is the budget of project {number}?",
                patterns=(str(1000 + number * 7),),
                since=START,
                message_id=1,
            )
            await space.facts.add(statement)


async def _hashes(space: Space) -> dict[int, str]:
    """Return the hashes of the segments as their text stands now."""
    rows = await space.db.fetch_all(
        "SELECT s.id, substr(m.text, s.start + 1, s.stop - s.start) AS words FROM segments s JOIN messages m"
        " ON m.id = s.message_id"
    )
    return {row["id"]: digest(row["words"]) for row in rows}


async def _block(space: Space, query: str) -> block.Block:
    return await block.build(space, query, ledger_tokens=600, recall_tokens=RECALL_TOKENS)


async def _found(space: Space, questions: Sequence[Question]) -> frozenset[str]:
    """Return the questions whose answer stands in what the memory block holds."""
    held = [
        question.kind
        for question in questions
        if re.search(question.accept or NOT_KNOWN, (await _block(space, question.question)).text)
    ]
    return frozenset(held)


# Prose, with and without shorter texts


@dataclass
class Shortening:
    """A stand-in for a good model: its shorter text is the sentences that hold a value, and the source entails that."""

    calls: int = 0
    name: str = "shortening"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "summarise":
            return await QuotingReader(calls_recall=False).generate(request)
        self.calls += 1
        if request.task == "entail":
            return ModelReply((TextPart(text="YES"),), model=self.name)
        texts = []
        for line in request.messages[0].text.splitlines()[1:]:
            number, _, text = line.partition(": ")
            parts = [part for part in re.split(r"(?<=[.!?])\s+", text) if claims(part)]
            texts.append({"number": int(number), "text": " ".join(parts)})
        return ModelReply((TextPart(text=json.dumps({"texts": texts})),), model=self.name)


async def _prose(root: Path, data: dict[str, Any]) -> list[Figure]:
    kept = await _prose_arm(root / "keep", data, compress=False)
    short = await _prose_arm(root / "compress", data, compress=True)
    count = len(data["prose_questions"])
    return [
        Figure(
            f"prose, COMPRESS: answered from the handoff alone, of {count} ({short.calls} calls more)",
            short.alone,
            "",
            "reported",
            is_met=True,
            alternative=kept.alone,
            alternative_name="KEEP only",
        ),
        Figure(
            "prose, COMPRESS: tokens of the handoff", short.tokens, "tokens", "reported", True, kept.tokens, "KEEP only"
        ),
        Figure(
            f"prose, KEEP only: answered with recall, of {count}",
            kept.recalled,
            "",
            "all",
            kept.recalled == count,
            short.recalled,
            "COMPRESS",
        ),
        Figure(
            f"prose: routes KEEP {short.routes.get('KEEP', 0)}, COMPRESS {short.routes.get('COMPRESS', 0)}, DROP",
            short.routes.get("DROP", 0),
            "segments",
            "> 0",
            short.routes.get("DROP", 0) > 0 and short.routes.get("COMPRESS", 0) > 0,
            kept.routes.get("DROP", 0),
            "KEEP only",
        ),
    ]


@dataclass(frozen=True)
class Prose:
    alone: int
    recalled: int
    tokens: int
    calls: int
    routes: dict[str, int]


async def _prose_arm(home: Path, data: dict[str, Any], *, compress: bool) -> Prose:
    questions, model = _questions(data["prose_questions"]), Shortening()
    async with _memory(home, MovingClock(START)) as space:
        await _store(space, _messages(data["prose"]))
        done = await _compactor(space, 24_000, model=model, compress=compress).compact(1, whole=True)
        assert done.handoff_id is not None
        handoff = (await space.handoffs.handoff(done.handoff_id)).text
        alone = sum(_answers(question, handoff) for question in questions)
        recalled = 0
        for question in questions:
            packed = await space.recall.pack(question.question, budget_tokens=RECALL_TOKENS)
            recalled += _answers(question, f"{handoff}\n{packed.text}")
        tokens = sum(view.tokens for view in await space.handoffs.in_prompt())
        return Prose(alone, recalled, tokens, model.calls, await space.handoffs.routes(done.handoff_id))


def _answers(question: Question, prompt: str) -> bool:
    return question.is_answered_by(best_sentence(question.question, prompt.splitlines())[0])
