from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.ports import Usage
from memory.probe.gate import gate
from memory.space import Space
from memory.store.spending import Examined, Used, examined_since, used_by_turn, used_since
from tests.fakes.clock import FakeClock
from tests.memory.probe.found import run

MIDNIGHT = datetime(2027, 3, 2, tzinfo=UTC)


@pytest.fixture
async def space(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Space]:
    space = await Space.open(tmp_path / "1", default_zone=ZoneInfo("UTC"), clock=clock, backups=tmp_path / "backups")
    yield space
    await space.close()


async def test_calls_are_added_up_by_task_model_and_day(space: Space, clock: FakeClock) -> None:
    async with space.db.transaction():
        for usage in (Usage(100, 10, 5, 40, 1), Usage(50, 5, is_estimate=True)):
            await space.sessions.record_usage(usage, task="chat", model="big", turn_id=None)
        await space.sessions.record_usage(Usage(7, 3), task="extract", model="small", turn_id=None)
        clock.advance(24 * 3600)
        await space.sessions.record_usage(Usage(1, 1), task="chat", model="big", turn_id=None)

    assert await used_since(space.db, MIDNIGHT) == [
        Used("chat", "big", date(2027, 3, 2), 2, Usage(150, 15, 5, 40, 1, is_estimate=True)),
        Used("extract", "small", date(2027, 3, 2), 1, Usage(7, 3)),
        Used("chat", "big", date(2027, 3, 3), 1, Usage(1, 1)),
    ]
    assert await used_since(space.db, MIDNIGHT + timedelta(days=2)) == []


async def test_the_calls_of_a_turn_are_its_own(space: Space) -> None:
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        await space.sessions.record_usage(Usage(100, 10), task="chat", model="big", turn_id=turn.id)
        await space.sessions.record_usage(Usage(7, 3), task="extract", model="small", turn_id=None)

    assert [used.usage.prompt_tokens for used in await used_by_turn(space.db, turn.id)] == [100]


async def test_what_examinations_cost_is_added_up_from_a_moment_on(space: Space, clock: FakeClock) -> None:
    await examined(space, 0.5)
    clock.advance(3_600)
    since = clock.now()
    await examined(space, 0.25)
    await examined(space, None)

    assert await examined_since(space.db, since) == Examined(2, 400, 40, 0.25, unpriced_tokens=220)


async def examined(space: Space, usd: float | None) -> None:
    """Keep an examination that cost so much."""
    found = run(usd=usd, prompt_tokens=200, output_tokens=20)
    await space.probes.finish(await space.probes.begin(None), found, gate(found, ()))


async def test_an_examination_whose_cost_nobody_knows_is_counted_apart(space: Space) -> None:
    assert await examined_since(space.db, MIDNIGHT) == Examined()

    for error in ("Died", "StorageFull"):
        await space.probes.fail(await space.probes.begin(None), error)
    await space.probes.begin(None)

    assert await examined_since(space.db, MIDNIGHT) == Examined(runs=3, unsettled=2)
