"""Exported and taken in by an empty memory, a memory is the same; taken in again, nothing comes twice."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ledger.facts import Statement
from memory.messages import Message, text_message
from memory.space import Space
from memory.store.database import Database
from memory.store.instructions import instructions
from memory.store.recurrence import Daily
from memory.store.reminder_rows import Asker, Timing
from memory.store.tombstones import Tombstones
from memory.transfer.export import export_to
from memory.transfer.taking_in import TakenIn, take_in
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")
SUBJECTS, VALUES = ("vet", "boat", "car"), ("red", "blue", "Wilma")

SAID = st.tuples(st.just("say"), st.sampled_from(SUBJECTS), st.sampled_from(VALUES), st.integers(0, 40))
STEP = st.one_of(
    SAID,
    st.tuples(st.just("end"), st.sampled_from(SUBJECTS), st.just(""), st.integers(0, 40)),
    st.tuples(st.just("wait"), st.sampled_from(SUBJECTS), st.sampled_from(VALUES), st.integers(0, 40)),
    st.tuples(st.just("edit"), st.sampled_from(SUBJECTS), st.sampled_from(VALUES), st.integers(0, 40)),
    st.tuples(st.just("pin"), st.sampled_from(SUBJECTS), st.just(""), st.just(0)),
    st.tuples(st.just("undo"), st.just(""), st.just(""), st.just(0)),
    st.tuples(st.just("answer"), st.just(""), st.sampled_from(VALUES), st.integers(0, 40)),
    st.tuples(st.just("remind"), st.just(""), st.sampled_from(VALUES), st.integers(1, 40)),
    st.tuples(st.just("teach"), st.just(""), st.sampled_from(VALUES), st.just(0)),
)
Step = tuple[str, str, str, int]


@asynccontextmanager
async def opened(root: Path, space_id: str, clock: FakeClock) -> AsyncIterator[tuple[Space, Tombstones]]:
    await lay_blank(root / space_id / "memory.db")
    await lay_blank(root / "bot.db", "bot")
    bot = await Database.open(root / "bot.db", "bot", clock=clock, backups=root)
    space = await Space.open(root / space_id, default_zone=ZONE, clock=clock, backups=root)
    try:
        yield space, Tombstones(bot, clock)
    finally:
        await space.close()
        await bot.close()


class Life:
    """A memory in which things happen, at times that go forth and back."""

    def __init__(self, space: Space, clock: FakeClock) -> None:
        self._space = space
        self._clock = clock
        self._last: int | None = None

    async def happen(self, step: Step) -> None:
        kind, subject, value, minutes = step
        self._clock.advance(1)
        async with self._space.db.transaction():
            match kind:
                case "answer":
                    await self._say(f"I see, {value}.", minutes, role="model")
                case "remind":
                    wall = self._clock.now().replace(tzinfo=None) + timedelta(minutes=minutes)
                    rule = Daily(at=time(9)) if minutes % 2 else None
                    await self._space.reminders.add(value, Timing(wall=wall + timedelta(days=2), repeats=rule), Asker())
                case "teach":
                    says = instructions(value, "when asked", ["look", "tell"])
                    if says not in [one.says for one in await self._space.procedures.active()]:
                        await self._space.procedures.teach(says, by="Ann")
                case _:
                    await self._change(kind, subject, value, minutes)

    async def _change(self, kind: str, subject: str, value: str, minutes: int) -> None:
        facts = self._space.facts
        current = await facts.current(subject)
        match kind:
            case "pin" if current is not None:
                await facts.changes.set_pinned(current.id, not current.pinned)
            case "undo":
                change = await facts.changes.last()
                if change is not None:
                    await facts.changes.undo(change)
            case "end" if current is not None:
                message = await self._say(f"No more {subject}.", minutes)
                await facts.retract(current.id, at=message.at, message_id=message.id)
            case "say" | "edit" | "wait":
                replaces = self._last if kind == "edit" else None
                message = await self._say(f"The {subject} is {value}.", minutes, replaces=replaces)
                statement = self._statement(message, subject, value)
                if kind == "wait":
                    await facts.pending.suggest(statement, subject_key=subject, rival=current.id if current else None)
                else:
                    fact = await facts.add(statement)
                    await facts.changes.note_said(fact.id, statement.message_id)
                for version in await facts.versions_before(statement.message_id):
                    await facts.withdraw_message(version, by=statement.message_id)
                self._last = statement.message_id
            case _:
                pass

    async def _say(self, text: str, minutes: int, *, role: Any = "user", replaces: int | None = None) -> Message:
        at = self._clock.now() - timedelta(minutes=minutes)
        session = await self._space.sessions.current_session()
        said = text_message(role, text, at, origin="own" if role == "user" else "model")
        stored = await self._space.sessions.append(said, session_id=session, replaces=replaces)
        await self._space.segments.store(stored)
        return stored

    def _statement(self, message: Message, subject: str, value: str) -> Statement:
        assert message.id is not None
        return Statement(
            kind="entity",
            subject=subject,
            value=value,
            quote=message.text,
            question=f"What is the {subject}?",
            patterns=(value,),
            since=message.at,
            message_id=message.id,
            private=value == "blue",
            critical=value == "red",
        )


def contents(path: Path) -> dict[str, Any]:
    """Return what must be the same, with messages named by their place instead of by their ids."""
    with ZipFile(path) as archive:
        lines = [json.loads(line) for line in archive.read("messages.jsonl").decode().splitlines()]
        parts = {name: json.loads(archive.read(name)) for name in ("facts.json", "reminders.json", "procedures.json")}
    place = {line["id"]: number for number, line in enumerate(lines)}

    def placed(value: Any) -> Any:
        match value:
            case dict():
                return {key: placed(one) for key, one in value.items() if key != "turn"}
            case list():
                return [placed(one) for one in value]
            case str() if value.startswith("m") and value[1:].isdecimal():
                return place[value]
            case _:
                return value

    return {name: placed(value) for name, value in [*parts.items(), ("messages", lines)]}


async def exported(space: Space, path: Path) -> dict[str, Any]:
    await export_to(space, path)
    return contents(path)


async def taken(space: Space, tombstones: Tombstones, path: Path) -> TakenIn:
    return await take_in(path, space, tombstones, redact=lambda text: text)


async def _there_and_back(steps: list[Step], root: Path) -> None:
    clock = FakeClock()
    async with opened(root, "1", clock) as (space, tombstones):
        life = Life(space, clock)
        for step in steps:
            await life.happen(step)
        before = await exported(space, root / "a.zip")
        again = await taken(space, tombstones, root / "a.zip")
        assert again.messages.stored == again.facts.added == again.reminders.added == again.procedures.added == 0
        assert await exported(space, root / "a2.zip") == before
    async with opened(root, "2", clock) as (space, tombstones):
        await taken(space, tombstones, root / "a.zip")
        assert await exported(space, root / "b.zip") == before
        await taken(space, tombstones, root / "a.zip")
        assert await exported(space, root / "c.zip") == before


@given(steps=st.lists(STEP, max_size=12))
@settings(max_examples=15, deadline=None)
def test_an_empty_memory_takes_in_what_was_exported_and_exports_the_same(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(_there_and_back(steps, Path(folder)))


async def test_into_a_memory_with_facts_of_its_own_each_comes_where_it_was_said(tmp_path: Path) -> None:
    clock = FakeClock()
    async with opened(tmp_path, "1", clock) as (space, _):
        life = Life(space, clock)
        await life.happen(("say", "vet", "red", 20))
        await life.happen(("say", "boat", "Wilma", 5))
        await life.happen(("say", "car", "blue", 5))
        await export_to(space, tmp_path / "a.zip")
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        life = Life(space, clock)
        await life.happen(("say", "vet", "Wilma", 10))
        await life.happen(("say", "boat", "red", 10))

        done = await taken(space, tombstones, tmp_path / "a.zip")

        assert (done.facts.added, done.facts.known) == (3, 0)
        held = {fact.subject: fact.value for fact in await space.facts.active()}
        assert held == {"vet": "Wilma", "boat": "Wilma", "car": "blue"}
        assert [f.status for f in await space.facts.values_of("vet")] == ["superseded", "active"]


async def test_a_forward_stays_somebody_elses_words(tmp_path: Path) -> None:
    clock = FakeClock()
    async with opened(tmp_path, "1", clock) as (space, _):
        async with space.db.transaction():
            told = text_message("user", "Sale!", clock.now(), origin="forward")
            await space.sessions.append(told, session_id=None)
        await export_to(space, tmp_path / "a.zip")
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        await taken(space, tombstones, tmp_path / "a.zip")

        assert (await space.sessions.message(1)).origin == "forward"
