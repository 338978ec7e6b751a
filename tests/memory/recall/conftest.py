"""One memory on disk, with its recall and short ways to say and find things."""

from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.ledger.fact_store import FactStore
from memory.ledger.facts import Statement
from memory.messages import Message, Role, TextPart
from memory.recall.items import Found, Packed
from memory.recall.search import Recall
from memory.recall.segments import SegmentStore
from memory.store.database import Database
from memory.store.preferences import Preferences
from memory.store.sessions import SessionStore
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")


class Memory:
    """A space's transcript, segments and recall; each thing said is a minute after the one before."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        self.db = database
        self.clock = clock
        self.sessions = SessionStore(database, clock)
        self.segments = SegmentStore(database, Preferences(ZONE))
        self.facts = FactStore(database, clock)
        self.recall = Recall(database, Preferences(ZONE), clock)

    async def say(
        self,
        text: str,
        *,
        role: Role = "user",
        author: str | None = None,
        ref: str | None = None,
        replaces: int | None = None,
    ) -> int:
        """Store and index a message and return its id."""
        self.clock.advance(60)
        message = Message(role=role, parts=(TextPart(text=text),), at=self.clock.now(), author=author, ref=ref)
        async with self.db.transaction():
            session_id = await self.sessions.current_session()
            stored = await self.sessions.append(message, session_id=session_id, replaces=replaces)
            await self.segments.store(stored)
        assert stored.id is not None
        return stored.id

    async def erase(self, message_id: int) -> None:
        """Take all words out of a message, as forgetting it does."""
        async with self.db.transaction():
            await self.db.execute("UPDATE messages SET text = '' WHERE id = ?", (message_id,))
            await self.segments.recut(message_id, reason="forgotten")

    async def found(self, query: str, *, k: int = 5) -> list[str]:
        """Return the texts a query finds, best first."""
        return [item.text for item in (await self.recall.search(query, k=k)).items]

    async def search(self, query: str, *, k: int = 5) -> Found:
        return await self.recall.search(query, k=k)

    async def pack(self, query: str, *, budget_tokens: int = 900, in_window: frozenset[int] = frozenset()) -> Packed:
        return await self.recall.pack(query, budget_tokens=budget_tokens, in_window=in_window)

    async def add_fact(self, subject: str, value: str, *, message_id: int) -> None:
        """Enter what a message states; of two statements about one subject the later message's holds."""
        said = await self.sessions.message(message_id)
        statement = Statement(
            kind="decision",
            subject=subject,
            value=value,
            quote=said.text,
            question=f"{subject}?",
            patterns=(value,),
            since=said.at,
            message_id=message_id,
        )
        async with self.db.transaction():
            await self.facts.add(statement)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    clock = FakeClock()
    await lay_blank(tmp_path / "memory.db")
    database = await Database.open(tmp_path / "memory.db", "memory", clock=clock, backups=tmp_path / "backups")
    yield Memory(database, clock)
    await database.close()
