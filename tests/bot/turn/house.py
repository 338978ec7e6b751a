"""One space at work over a scripted model: the same parts that serve a chat, with a fake clock and a fake screen."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.commands import MemberCommands
from bot.turn.agent import Agent, Limits
from bot.turn.background import Background
from bot.turn.outbox import Delivery
from bot.turn.prompt import Ceilings, PromptBuilder
from bot.turn.runner import Runner
from bot.turn.worker import Worker
from memory.compaction.compactor import Compactor
from memory.ledger.extract import Extractor
from memory.ports import ModelReply, ModelRequest, OnText
from memory.space import Space
from memory.store.database import Database
from memory.store.mailbox import Entry, EntryKind
from memory.store.tombstones import Tombstones
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, Step, extracts, says
from tests.fakes.screen import FakeScreen
from tools.clock import ClockTool
from tools.facts import FactsTool
from tools.recall import RecallTool
from tools.registry import Registry
from tools.remember import RememberTool

ZONE = ZoneInfo("Europe/Berlin")


@dataclass
class TaskModel:
    """Chat follows a script; background tasks get their own scripts, or the emptiest answer."""

    chat: ScriptedModel = field(default_factory=ScriptedModel)
    extract: ScriptedModel | None = None
    summarise: ScriptedModel | None = None
    name: str = "scripted"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "chat":
            return await self.chat.generate(request, on_text=on_text)
        script = self.extract if request.task == "extract" else self.summarise
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
) -> AsyncIterator[House]:
    """Open the space `1` under `home` with a chat model that follows `steps`; at the end every step was used."""
    clock = clock or FakeClock()
    model = model or TaskModel(ScriptedModel(steps))
    limits = limits or Limits()
    shared = await Database.open(home / "bot.db", "bot", clock=clock, backups=home / "backups")
    space = await Space.open(home / "spaces" / "1", default_zone=ZONE, clock=clock, backups=home / "backups")
    screen = screen or FakeScreen(clock)
    registry = Registry([RecallTool(), FactsTool(), RememberTool(), ClockTool()])
    compactor = Compactor(
        space.db,
        space.sessions,
        space.handoffs,
        space.segments,
        space.recall,
        space.journal,
        model=model,
        clock=space.clock,
        zone=space.zone,
        threshold_tokens=limits.compact_at_tokens,
        keep_turns=keep_turns,
        recall_tokens=900,
    )
    extractor = Extractor(space.facts, space.sessions, model, clock, ZONE)
    background = Background(space, extractor, compactor, screen)
    runner = Runner(
        space,
        Agent(space, model, registry, PromptBuilder(space, registry, Ceilings()), screen, limits),
        MemberCommands(space, registry, Tombstones(shared, clock), is_offline=False),
        Worker(space, background.handlers(), background.report),
        Delivery(space, screen),
        screen,
    )
    try:
        yield House(space, runner, model, screen, clock)
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
