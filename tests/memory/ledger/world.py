"""One memory with a ledger, as the tests of this folder use it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.ledger.fact_store import FactStore
from memory.ledger.facts import Fact, Kind, Statement
from memory.messages import Message, Origin, Role, TextPart
from memory.store.database import Database
from memory.store.sessions import SessionStore
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

START = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
"""Tuesday."""


@dataclass
class LedgerWorld:
    db: Database
    clock: FakeClock
    sessions: SessionStore
    facts: FactStore

    async def says(
        self,
        text: str,
        *,
        at: datetime = START,
        role: Role = "user",
        origin: Origin = "own",
        replaces: int | None = None,
        author: str | None = None,
    ) -> Message:
        """Store a message."""
        message = Message(role=role, parts=(TextPart(text=text),), at=at, origin=origin, author=author)
        async with self.db.transaction():
            session = await self.sessions.current_session()
            return await self.sessions.append(message, session_id=session, replaces=replaces)

    async def state(
        self, subject: str, value: str, *, hour: int = 0, kind: Kind = "user_attribute", patterns: tuple[str, ...] = ()
    ) -> Fact:
        """Store a message of that hour and enter what it states."""
        quote = f"{subject}: {value}"
        message = await self.says(quote, at=START + timedelta(hours=hour))
        assert message.id is not None
        async with self.db.transaction():
            return await self.facts.add(
                Statement(
                    kind=kind,
                    subject=subject,
                    value=value,
                    quote=quote,
                    question=f"What is the {subject}?",
                    patterns=patterns or (value,),
                    since=message.at,
                    message_id=message.id,
                )
            )

    async def retract(self, fact: Fact, *, hour: int) -> Fact:
        """Store a message of that hour which takes the fact back."""
        message = await self.says(f"no longer: {fact.subject}", at=START + timedelta(hours=hour))
        async with self.db.transaction():
            return await self.facts.retract(fact.id, at=message.at, message_id=message.id)

    async def take_back(self, fact: Fact) -> None:
        """Take back the message that states the fact."""
        assert fact.message_id is not None
        async with self.db.transaction():
            await self.facts.withdraw_message(fact.message_id)

    async def values(self) -> list[str]:
        return [fact.value for fact in await self.facts.active()]


@asynccontextmanager
async def open_world(folder: Path) -> AsyncIterator[LedgerWorld]:
    clock = FakeClock()
    await lay_blank(folder / "memory.db")
    db = await Database.open(folder / "memory.db", "memory", clock=clock, backups=folder / "backups")
    try:
        yield LedgerWorld(db, clock, SessionStore(db, clock), FactStore(db, clock))
    finally:
        await db.close()
