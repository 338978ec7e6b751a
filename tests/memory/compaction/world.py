"""A small memory on disk, and a talk in it, for the tests of compaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.compaction.compactor import Compactor
from memory.compaction.handoff import HandoffStore
from memory.messages import CallPart, Message, ResultPart, TextPart, text_message
from memory.ports import Model
from memory.recall.search import Recall
from memory.recall.segments import SegmentStore
from memory.store.database import Database
from memory.store.jobs import JobStore
from memory.store.journal import JournalStore
from memory.store.media import MediaStore
from memory.store.preferences import Preferences
from memory.store.sessions import SessionStore
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")


class World:
    def __init__(self, database: Database, folder: Path, clock: FakeClock) -> None:
        self.db = database
        self.folder = folder
        self.clock = clock
        self.sessions = SessionStore(database, clock)
        self.segments = SegmentStore(database, Preferences(ZONE))
        self.handoffs = HandoffStore(database, clock)
        self.recall = Recall(database, Preferences(ZONE), clock)
        self.journal = JournalStore(database, folder / "journal")
        self.media = MediaStore(database, folder / "media", clock)
        self.jobs = JobStore(database, clock)

    def compactor(
        self,
        model: Model | None = None,
        *,
        threshold_tokens: int = 400,
        keep_turns: int = 2,
        compress: bool = False,
    ) -> Compactor:
        return Compactor(
            self.db,
            self.sessions,
            self.handoffs,
            self.segments,
            self.recall,
            self.journal,
            self.media,
            model=model,
            clock=self.clock,
            zones=Preferences(ZONE),
            threshold_tokens=threshold_tokens,
            keep_turns=keep_turns,
            recall_tokens=900,
            compress=compress,
        )

    async def session(self) -> int:
        async with self.db.transaction():
            return await self.sessions.current_session()

    async def say(self, text: str, *answers: str, ends: bool = True, tool: bool = False) -> int:
        """Have a turn and return its id: the member's words, perhaps a tool call, the answers."""
        async with self.db.transaction():
            turn = await self.sessions.begin_turn()
            await self.append(text_message("user", text, self.clock.now()), turn.session_id, turn.id)
            if tool:
                call = CallPart(call_id="c1", name="clock", args={"for": text[:10]})
                result = ResultPart(call_id="c1", name="clock", response={"output": "half past nine"})
                for role, part in (("model", call), ("tool", result)):
                    message = Message(role=role, parts=(part,), at=self.clock.now())
                    await self.append(message, turn.session_id, turn.id)
            for answer in answers:
                message = Message(role="model", parts=(TextPart(text=answer),), at=self.clock.now(), origin="model")
                await self.append(message, turn.session_id, turn.id)
            if ends:
                await self.sessions.end_turn(turn.id, "done")
        self.clock.advance(60)
        return turn.id

    async def talk(self, turns: int, *, first: int = 1) -> None:
        """Have as many turns of some 200 characters about numbered boxes."""
        for n in range(first, first + turns):
            await self.say(
                f"Box number {n} stands in the cellar of house {n + 500}, and Aunt Mathilda keeps {n * 7} jars of plum "
                "jam in it.",
                f"Understood: box {n} is in the cellar, with the jam of your aunt.",
            )

    async def tail(self) -> list[Message]:
        session = await self.session()
        return await self.sessions.tail(session, after=await self.handoffs.last_covered(session))

    async def count(self, table: str) -> int:
        row = await self.db.fetch_one(f"SELECT count(*) FROM {table}")
        assert row is not None
        return int(row[0])

    async def append(self, message: Message, session_id: int, turn_id: int) -> None:
        stored = await self.sessions.append(message, session_id=session_id, turn_id=turn_id)
        await self.segments.store(stored)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[World]:
    clock = FakeClock()
    await lay_blank(folder / "memory.db")
    database = await Database.open(folder / "memory.db", "memory", clock=clock, backups=folder / "backups")
    try:
        yield World(database, folder, clock)
    finally:
        await database.close()
