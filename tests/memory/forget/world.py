"""A memory in which a canary can seep into every layer, and eyes for every column and every byte."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.compaction.compactor import Compactor
from memory.forget import effects, plan, rows
from memory.ledger.facts import Fact, Statement
from memory.messages import CallPart, Message, ResultPart, Role, TextPart, ThoughtPart, text_message
from memory.ports import Model
from memory.space import Space
from memory.store.database import Database
from memory.store.entries import Entry, Outgoing
from memory.store.private import PRIVATE_COLUMNS
from memory.store.sessions import TraceItem
from memory.store.tombstones import Tombstones
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")
CANARY = "Zanzibar-77"
QUOTE = f"the safe code is {CANARY}"
TOLD = f"Good that you ask: {QUOTE}. Box 9 stays in the attic."


@dataclass
class World:
    space: Space
    bot: Database
    clock: FakeClock
    tombstones: Tombstones

    async def turn(self, text: str, *more: Message, trace: tuple[str, ...] = (), source: str | None = None) -> int:
        """Have a finished turn, its reply in the outbox, and return its id."""
        space = self.space
        async with space.db.transaction():
            turn = await space.sessions.begin_turn()
            told = text_message("user", text, self.clock.now(), source=source)
            for message in (told, *more):
                stored = await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
                await space.segments.store(stored)
                if message.role == "model" and message.text:
                    entity = {"type": "bold", "offset": 0, "length": 4}
                    post = Outgoing(text=message.text, entities=(entity,), chat_id=7)
                    await space.mailbox.post(f"turn:{turn.id}:{stored.id}", post, turn_id=turn.id)
            await space.sessions.keep_block(turn.id, "block", [TraceItem("ledger", ref, 9) for ref in trace])
            await space.sessions.end_turn(turn.id, "done")
        self.clock.advance(60)
        return turn.id

    def answer(self, text: str, *, role: Role = "model") -> Message:
        return Message(role=role, parts=(TextPart(text=text, signature=b"c2ln"),), at=self.clock.now(), origin="model")

    async def learn(
        self, message_id: int, *, value: str = CANARY, quote: str = QUOTE, subject: str = "safe code"
    ) -> Fact:
        message = await self.space.sessions.message(message_id)
        async with self.space.db.transaction():
            return await self.space.facts.add(
                Statement(
                    kind="user_attribute",
                    subject=subject,
                    value=value,
                    quote=quote,
                    question=f"What is the {subject}?",
                    patterns=(value.replace("-", "[- ]?"),),
                    since=message.at,
                    message_id=message_id,
                )
            )

    def compactor(self, model: Model | None = None) -> Compactor:
        space = self.space
        return Compactor(
            *(space.db, space.sessions, space.handoffs, space.segments, space.recall, space.journal, space.media),
            model=model,
            clock=self.clock,
            zones=space.preferences,
            threshold_tokens=100,
            keep_turns=1,
            recall_tokens=900,
        )

    async def compact(self) -> None:
        outcome = await self.compactor().compact(1)
        assert outcome.state == "done"

    async def forget(self, ref: str) -> str:
        async with self.space.db.transaction():
            report = await rows(self.space, await plan(self.space, ref), self.tombstones)
        assert report.after == 0
        await effects(self.space)
        return report.words()

    async def post_answer(self, text: str) -> None:
        """Have the answer of a command in the outbox."""
        async with self.space.db.transaction():
            await self.space.mailbox.post(f"answer:{text[:40]}:0", Outgoing(text=text))

    async def columns_with(self, word: str) -> dict[str, list[str]]:
        """Return every private column that holds a word, with what it holds."""
        found: dict[str, list[str]] = {}
        for name in sorted(PRIVATE_COLUMNS):
            table, column = name.split(".")
            for row in await self.space.db.fetch_all(f"SELECT {column} AS text FROM {table}"):
                if word.casefold() in str(row["text"]).casefold():
                    found.setdefault(name, []).append(row["text"])
        return found

    def files_with(self, word: str) -> list[str]:
        """Return every file of the space that holds a word, the database and its log included."""
        paths = [path for path in self.space.folder.rglob("*") if path.is_file()]
        return sorted(path.name for path in paths if word.casefold().encode() in path.read_bytes().lower())


@asynccontextmanager
async def open_world(home: Path, clock: FakeClock) -> AsyncIterator[World]:
    """Open the space `ana` and bot.db in a home."""
    await lay_blank(home / "spaces" / "ana" / "memory.db")
    await lay_blank(home / "bot.db", "bot")
    space = await Space.open(home / "spaces" / "ana", default_zone=ZONE, clock=clock, backups=home / "backups")
    bot = await Database.open(home / "bot.db", "bot", clock=clock, backups=home / "backups")
    try:
        yield World(space, bot, clock, Tombstones(bot, clock))
    finally:
        await bot.close()
        await space.close()


async def everywhere(world: World) -> Fact:
    """Tell the canary and let it seep into every layer a memory has."""
    space = world.space
    await world.turn(
        "Good morning, what shall I tell you about the old house?", world.answer("Whatever matters to you.")
    )
    call = CallPart(call_id="c1", name="recall", args={"query": f"safe {CANARY}"}, signature=b"c2ln")
    result = ResultPart(call_id="c1", name="recall", response={"output": f"m3: {QUOTE}"}, is_reference=True)
    await world.turn(
        TOLD,
        Message(role="model", parts=(ThoughtPart(text=f"They say {CANARY}"), call), at=world.clock.now()),
        Message(role="tool", parts=(result,), at=world.clock.now(), origin="tool"),
        world.answer(f"I see: your safe opens with {CANARY.lower()}."),
        source="cli:2",
    )
    fact = await world.learn(3)
    async with space.db.transaction():
        await space.jobs.add("extract", "extract:3", {"message": 3})
        await space.jobs.finish(1)
        await space.mailbox.post("job:1:0", Outgoing(text=f"✓ f{fact.id} safe code: {CANARY}"))
    await world.turn(
        "How do I open the safe in the house again?",
        text_message("notice", f"The next message replies to this one: «{TOLD}»", world.clock.now(), origin="quote"),
        world.answer(f"With the code {CANARY}, as you said on Tuesday."),
        trace=(fact.ref,),
    )
    for n in range(4):
        await world.turn(f"Box {n} stands in the cellar of house {n + 500} with jam.", world.answer("Understood."))
    await world.compact()
    async with space.db.transaction():
        await space.db.execute(
            "INSERT INTO pinned_lines (handoff_id, segment_id, text) VALUES (1, 3, ?)", (f"2 March: “{QUOTE}”",)
        )
        running = await space.sessions.begin_turn()
        await space.sessions.keep_block(running.id, f"- [user_attribute] safe code: {CANARY}\nNow: Tuesday", [])
        entry = Entry(source="cli:9", kind="message", text="Is that still so?", at=world.clock.now(), quote=TOLD)
        await space.mailbox.receive(entry)
    return fact
