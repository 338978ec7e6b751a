"""A space at work as the program wires it, but for the model, the screen and the clock that a measurement brings."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from bot.__main__ import Remembrancer
from bot.settings import Settings
from bot.turn.runner import Runner
from memory.messages import CallPart
from memory.ports import Clock, Model
from memory.space import Space
from memory.store.database import Database
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import OutRow
from memory.store.tombstones import Tombstones

ZONE = "Europe/Berlin"


@dataclass
class Screen:
    """Takes deliveries, and remembers what they said and when the last one came."""

    delivered: list[str] = field(default_factory=list)
    delivered_cpu: float = 0.0

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        return [Outgoing(text=text)]

    async def begin(self, turn_id: int, entry: Entry) -> None: ...

    async def show_text(self, text: str) -> None: ...

    async def show_call(self, call: CallPart) -> None: ...

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None: ...

    async def show_work(self, what: str) -> None: ...

    async def end(self) -> None: ...

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        self.delivered_cpu = time.process_time()
        self.delivered.append(row.message.text)
        return None

    async def say(self, text: str) -> None: ...


class MovingClock:
    """Moves a second at each look."""

    def __init__(self, at: datetime) -> None:
        self._now = at

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class House:
    space: Space
    runner: Runner
    screen: Screen


@asynccontextmanager
async def house(home: Path, model: Model, clock: Clock, **settings: int) -> AsyncIterator[House]:
    """Open a new memory under `home`; `settings` are those of the program that differ from their defaults."""
    app = Remembrancer(Settings.model_validate({"REMEMBRANCER_HOME": home, "REMEMBRANCER_TIMEZONE": ZONE, **settings}))
    app.clock = clock
    app.home.create()
    shared = await Database.open(app.home.database, "bot", clock=clock, backups=app.home.backups)
    try:
        folder = app.home.create_space("bench").path
        space = await Space.open(folder, default_zone=app.settings.timezone, clock=clock, backups=home)
        try:
            screen = Screen()
            runner = app.runner(space, model, screen, Tombstones(shared, clock), examination=app.examination(shared))
            yield House(space, runner, screen)
        finally:
            await space.close()
    finally:
        await shared.close()
