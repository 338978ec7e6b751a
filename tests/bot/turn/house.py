"""One space at work over a scripted model: the same parts that serve a chat, with a fake clock and a fake screen."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import time
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.mcp.standing import Serving
from bot.probing.examining import Examination
from bot.probing.hours import Hours
from bot.turn.agent import Limits
from bot.turn.attachments.downloads import Downloads
from bot.turn.prompt import Ceilings
from bot.turn.runner import Runner
from bot.wiring import Manner, make_runner
from memory.ports import Embedder, Model, ModelReply, ModelRequest, OnText
from memory.space import Space
from memory.store.database import Database
from memory.store.entries import Entry, EntryKind
from memory.store.tombstones import Tombstones
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, Step, extracts, says
from tests.fakes.screen import FakeScreen
from tools.tool import Tool

ZONE = ZoneInfo("Europe/Berlin")
HOURS = Hours(time(3, 30), time(8, 0), "nightly")


@dataclass
class TaskModel:
    """Chat follows a script; background tasks get their own scripts, or the emptiest answer."""

    chat: ScriptedModel = field(default_factory=ScriptedModel)
    extract: ScriptedModel | None = None
    summarise: ScriptedModel | None = None
    transcribe: ScriptedModel | None = None
    name: str = "scripted"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "chat":
            return await self.chat.generate(request, on_text=on_text)
        scripts = {"extract": self.extract, "transcribe": self.transcribe}
        script = scripts.get(request.task, self.summarise)
        if script is not None:
            return await script.generate(request)
        return extracts() if request.task == "extract" else says("")


@dataclass
class House:
    space: Space
    runner: Runner
    model: TaskModel
    screen: FakeScreen
    clock: FakeClock
    tombstones: Tombstones
    ids: "count[int]" = field(default_factory=lambda: count(1))

    async def say(self, text: str, *, kind: EntryKind = "message", **more: object) -> None:
        """Receive an entry and do everything that follows from it."""
        await self.receive(text, kind=kind, **more)
        await self.runner.drain()

    async def receive(self, text: str, *, kind: EntryKind = "message", **more: object) -> Entry:
        number = next(self.ids)
        values = {"source": f"tg:1:{number}", "chat_id": 1, "message_id": number, **more}
        entry = Entry.model_validate({"kind": kind, "text": text, "at": self.clock.now(), **values})
        await self.runner.receive(entry)
        return entry


@asynccontextmanager
async def house(
    home: Path,
    *steps: Step,
    model: TaskModel | None = None,
    limits: Limits | None = None,
    clock: FakeClock | None = None,
    keep_turns: int = 4,
    screen: FakeScreen | None = None,
    space_id: str = "1",
    zone: ZoneInfo = ZONE,
    operator_id: int | None = None,
    is_offline: bool = False,
    embedder: Embedder | None = None,
    examination: Examination | None = None,
    daily_usd: float | None = None,
    stand_in: Model | None = None,
    tools: Sequence[Tool] = (),
    downloads: Downloads | None = None,
    servers: Serving | None = None,
) -> AsyncIterator[House]:
    """Open a space under `home` with a chat model that follows `steps`; at the end every step was used."""
    clock = clock or FakeClock()
    model = model or TaskModel(ScriptedModel(steps))
    await lay_blank(home / "bot.db", "bot")
    await lay_blank(home / "spaces" / space_id / "memory.db")
    shared = await Database.open(home / "bot.db", "bot", clock=clock, backups=home / "backups")
    space = await Space.open(
        home / "spaces" / space_id, default_zone=zone, clock=clock, backups=home / "backups", embedder=embedder
    )
    screen = screen or FakeScreen(clock)
    tombstones = Tombstones(shared, clock)
    manner = Manner(
        limits=limits or Limits(),
        ceilings=Ceilings(),
        keep_turns=keep_turns,
        hours=HOURS,
        is_offline=is_offline,
        operator_id=operator_id,
    )
    manner["daily_usd"] = daily_usd
    manner["more_tools"] = tools
    if servers is not None:
        manner["servers"] = servers
    if downloads is not None:
        manner["downloads"] = downloads
    if stand_in is not None:
        manner["stand_in"] = stand_in
    if examination is not None:
        manner["examination"] = examination
    runner = make_runner(space, model, screen, tombstones, **manner)
    try:
        yield House(space, runner, model, screen, clock, tombstones)
        model.chat.close()
    finally:
        await runner.close()
        await space.close()
        await shared.close()


def change(subject: str, value: str, quote: str, *, kind: str = "entity", **more: object) -> dict[str, object]:
    """Return one change as the extractor's model would answer it."""
    fields = {"op": "add", "replaces": None, "kind": kind, "subject": subject, "value": value, "quote": quote}
    question = f"What is the {subject}?"
    return {**fields, "question": question, "patterns": [json.dumps(value)[1:-1]], "critical": False, **more}
