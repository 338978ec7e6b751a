"""A memory that holds some of everything: turns, tools, facts, handoffs, a journal, a stored result."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.compaction.compactor import Compactor
from memory.integrity import Fault, examine
from memory.ledger.facts import Statement
from memory.messages import CallPart, Message, ResultPart, TextPart, text_message
from memory.space import Space
from memory.store.preferences import Preferences
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder

ZONE = ZoneInfo("Europe/Berlin")


@asynccontextmanager
async def memory(folder: Path, clock: FakeClock) -> AsyncIterator[Space]:
    await lay_blank(folder / "local" / "memory.db")
    space = await Space.open(
        folder / "local", default_zone=ZONE, clock=clock, backups=folder / "backups", embedder=FakeEmbedder()
    )
    try:
        for number in range(8):
            await _turn(space, clock, number)
        compactor = Compactor(
            *(space.db, space.sessions, space.handoffs, space.segments, space.recall, space.journal, space.media),
            model=None,
            clock=clock,
            zones=Preferences(ZONE),
            threshold_tokens=300,
            keep_turns=2,
            recall_tokens=900,
        )
        assert (await compactor.compact(1)).state == "done"
        await _turn(space, clock, 9)
        yield space
    finally:
        await space.close()


async def _turn(space: Space, clock: FakeClock, number: int) -> None:
    words = f"Box number {number} stands in the cellar of house {number + 500} beside the jars of Aunt Mathilda."
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        source = 0
        parts = {
            "user": TextPart(text=words),
            "model": CallPart(call_id=f"c{number}", name="clock"),
            "tool": ResultPart(call_id=f"c{number}", name="clock", response={"output": "noon"}),
        }
        for role, part in parts.items():
            message = Message.model_validate({"role": role, "parts": (part,), "at": clock.now()})
            stored = await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
            await space.segments.store(stored)
            source = source or stored.id or 0
        answer = text_message("model", f"Box {number} is noted.", clock.now(), origin="model")
        await space.segments.store(await space.sessions.append(answer, session_id=turn.session_id, turn_id=turn.id))
        await space.sessions.end_turn(turn.id, "done")
        await space.media.put(words.encode(), "text/plain")
        await space.facts.add(
            Statement(
                kind="entity",
                subject=f"box {number}",
                value=f"house {number + 500}",
                quote=words[:-1],
                question=f"Where is box {number}?",
                patterns=(str(number + 500),),
                since=clock.now(),
                message_id=source,
            )
        )
    clock.advance(60)


async def found(space: Space, clock: FakeClock) -> list[Fault]:
    return await examine(space.db, space.folder, clock)


async def damage(space: Space, *statements: str) -> None:
    async with space.db.transaction():
        for statement in statements:
            await space.db.execute(statement)
