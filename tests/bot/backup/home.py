"""A home with memories in it, for what backs homes up and restores them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.backup.write import Written, write_backup
from bot.home import Home
from memory.ledger.facts import Statement
from memory.messages import text_message
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")


@asynccontextmanager
async def space_of(home: Home, space_id: str, clock: FakeClock) -> AsyncIterator[Space]:
    await lay_blank(home.create_space(space_id).database)
    space = await Space.open(home.space(space_id).path, default_zone=ZONE, clock=clock, backups=home.backups)
    try:
        yield space
    finally:
        await space.close()


@asynccontextmanager
async def bot_of(home: Home, clock: FakeClock) -> AsyncIterator[Database]:
    home.create()
    await lay_blank(home.database, "bot")
    database = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def tombstones_of(home: Home, clock: FakeClock) -> AsyncIterator[Tombstones]:
    async with bot_of(home, clock) as database:
        yield Tombstones(database, clock)


async def tell(space: Space, subject: str, value: str) -> int:
    """Have a member state something, and return the fact's id."""
    text = f"The {subject} is {value}."
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        said = text_message("user", text, space.clock.now())
        message = await space.sessions.append(said, session_id=turn.session_id, turn_id=turn.id)
        await space.segments.store(message)
        assert message.id is not None
        fact = await space.facts.add(
            Statement(
                kind="entity",
                subject=subject,
                value=value,
                quote=text,
                question=f"What is the {subject}?",
                patterns=(value,),
                since=message.at,
                message_id=message.id,
            )
        )
        await space.sessions.end_turn(turn.id, "done")
    return fact.id


async def values_in(home: Home, space_id: str, clock: FakeClock) -> list[str]:
    """Return what holds in a memory."""
    async with space_of(home, space_id, clock) as space:
        return sorted(fact.value for fact in await space.facts.active())


def back_up(home: Home, name: str, clock: FakeClock) -> Written:
    home.create()
    return write_backup(home, home.backups / name, clock, lambda count: None)


def tree(root: Path) -> dict[str, bytes]:
    """Return every file below a folder but locks."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith("lock")
    }
