"""Reading the facts of what was imported: priced before, in the order it was said, as far as the money goes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.home import Home
from bot.imports.reading_back import ReadBack, estimate, queue, read_back, unread
from bot.wiring import make_reader_back
from memory.errors import CeilingReached, ModelBusy, ModelSilent
from memory.forget import plan, rows
from memory.messages import Message, TextPart
from memory.ports import Model, ModelReply, ModelRequest, OnText, Usage
from memory.space import Space
from memory.store.jobs import EXTRACT
from memory.store.tombstones import Tombstones
from tests.bot.backup.home import bot_of, space_of, tell, tombstones_of
from tests.bot.turn.house import change, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, extracts, says

YEARS = (2021, 2023, 2022)
"""When the vet was said to be another one, in the order of import."""


class Vets:
    """A model that reads the vet out of each message, and notes in which order; `faults` come first."""

    def __init__(self, *faults: Exception, name: str = "scripted") -> None:
        self.name = name
        self.faults = list(faults)
        self.read: list[str] = []

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if self.faults:
            raise self.faults.pop(0)
        said = request.messages[-1].parts[-1]
        assert isinstance(said, TextPart)
        words = said.text.splitlines()[-1]
        self.read.append(words)
        name = words.removeprefix("My vet is ").rstrip(".")
        return replace(extracts(change("vet", name, words)), model=self.name, usage=Usage(1000, 100))


@asynccontextmanager
async def imported(home: Home, clock: FakeClock) -> AsyncIterator[tuple[Space, list[int]]]:
    """A memory that took in who the vet was, year by year but not in order."""
    async with space_of(home, "42", clock) as space:
        ids = []
        async with space.db.transaction():
            for year in YEARS:
                at = clock.now().replace(year=year)
                said = TextPart(text=f"My vet is Dr. V{year}.")
                stored = await space.sessions.append(
                    Message(role="user", parts=(said,), at=at, origin="import"), session_id=None
                )
                await space.segments.store(stored)
                assert stored.id is not None
                ids.append(stored.id)
        yield space, ids


async def back(space: Space, model: Model, *, daily_usd: float | None = None) -> ReadBack:
    async with tombstones_of(Home(space.folder.parents[1]), FakeClock(space.clock.now())) as tombstones:
        reader = make_reader_back(space, model, tombstones, daily_usd=daily_usd, utility_model=model.name)
        return await read_back(space, reader, lambda count: None)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "state")


async def test_messages_are_read_in_the_order_they_were_said_and_the_newest_word_holds(
    home: Home, clock: FakeClock
) -> None:
    model = Vets()
    async with imported(home, clock) as (space, ids):
        await queue(space, await unread(space, ids))

        done = await back(space, model)

        assert model.read == ["My vet is Dr. V2021.", "My vet is Dr. V2022.", "My vet is Dr. V2023."]
        assert done == ReadBack(read=3, facts=1, left=0)
        assert [fact.value for fact in await space.facts.active()] == ["Dr. V2023"]


async def test_what_was_read_is_not_read_again(home: Home, clock: FakeClock) -> None:
    async with imported(home, clock) as (space, ids):
        await queue(space, await unread(space, ids[:1]))
        await back(space, Vets())

        assert await unread(space, ids) == [ids[2], ids[1]]


async def test_the_price_is_that_of_the_model_on_the_day(home: Home, clock: FakeClock) -> None:
    async with imported(home, clock) as (space, ids):
        known = await estimate(space, ids, model="gemini-3.5-flash-lite", on=date(2027, 3, 2))
        dearer = await estimate(space, ids, model="gemini-3.8-flash", on=date(2027, 3, 2))
        unknown = await estimate(space, ids, model="nobody-knows", on=date(2027, 3, 2))

    assert (known.messages, known.is_known, unknown.is_known) == (3, True, False)
    assert 0 < known.usd < dearer.usd
    assert known.tokens == dearer.tokens > 3 * 500


async def test_where_the_days_money_ends_it_stops_and_the_next_day_goes_on(home: Home, clock: FakeClock) -> None:
    model = Vets(name="gemini-3.5-flash-lite")
    async with imported(home, clock) as (space, ids):
        await queue(space, await unread(space, ids))
        first = await back(space, model, daily_usd=0.005)
        clock.advance(86_400)
        second = await back(space, model, daily_usd=1.0)

    assert first.stopped_by is CeilingReached
    assert first.read + first.left == 3
    assert first.left > 0
    assert (second.read, second.left, second.stopped_by) == (first.left, 0, None)


async def test_a_model_out_of_reach_ends_the_run_at_once_and_nothing_is_lost(home: Home, clock: FakeClock) -> None:
    model = Vets(ModelBusy("HTTP 503"))
    async with imported(home, clock) as (space, ids):
        await queue(space, await unread(space, ids))

        first, second = await back(space, model), await back(space, model)

    assert (first.read, first.left, first.stopped_by) == (0, 3, ModelBusy)
    assert (second.read, second.left) == (3, 0)


async def test_one_message_that_cannot_be_read_holds_up_no_other(home: Home, clock: FakeClock) -> None:
    model = Vets(ModelSilent("garbled"))
    async with imported(home, clock) as (space, ids):
        await queue(space, await unread(space, ids))

        done = await back(space, model)

    assert len(model.read) == 2
    assert (done.left, done.stopped_by) == (1, None)


async def test_what_is_forgotten_before_it_is_read_stays_forgotten(home: Home, clock: FakeClock) -> None:
    async with bot_of(home, clock) as bot, imported(home, clock) as (space, ids):
        await queue(space, await unread(space, ids))
        async with space.db.transaction():
            await rows(space, await plan(space, f"m{ids[1]}"), Tombstones(bot, clock))

        await back(space, Vets())

        assert [fact.value for fact in await space.facts.active()] == ["Dr. V2022"]


@pytest.mark.parametrize(("forgotten", "comes_back"), [("DR. V2022", False), ("Dr. V9999", True)])
async def test_what_a_forgotten_fact_said_is_not_taken_from_older_words_that_say_it_otherwise(
    home: Home, clock: FakeClock, forgotten: str, comes_back: bool
) -> None:
    async with bot_of(home, clock) as bot, imported(home, clock) as (space, ids):
        number = await tell(space, "vet", forgotten)
        async with space.db.transaction():
            await rows(space, await plan(space, f"f{number}"), Tombstones(bot, clock))
        await queue(space, await unread(space, ids))

        await back(space, Vets())

        assert ("Dr. V2022" in [fact.value for fact in await space.facts.values_of("vet")]) is comes_back


async def test_a_server_reads_the_rest_by_itself_after_all_else_and_says_so_once(tmp_path: Path) -> None:
    order: list[str] = []

    class Noted(ScriptedModel):
        async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            order.append(str(request.messages[-1].parts[-1]))
            return await super().generate(request, on_text=on_text)

    async with house(tmp_path, says("Good to know.")) as at:
        at.model.extract = Noted([extracts(), extracts(change("vet", "Dr. Old", "My vet is Dr. Old."))])
        async with at.space.db.transaction():
            said = Message(
                role="user",
                parts=(TextPart(text="My vet is Dr. Old."),),
                at=at.clock.now().replace(year=2020),
                origin="import",
            )
            stored = await at.space.sessions.append(said, session_id=None)
        assert stored.id is not None
        await queue(at.space, [stored.id])

        await at.say("I had tea.")

        assert ["tea" in words for words in order] == [True, False]
        assert at.screen.delivered == [
            "Good to know.",
            "✓ I have read what was imported. /facts shows the facts I hold now.",
        ]
        assert not await at.space.jobs.is_waiting(EXTRACT)
