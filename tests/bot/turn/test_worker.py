"""Background work that fails: it waits, it does not storm, and what is given up is told."""

from pathlib import Path

import pytest

from bot.turn.worker import Worker
from memory.errors import ModelBusy, ModelMisconfigured, ModelQuotaSpent, StorageFull
from memory.store.jobs import Job
from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.model import ScriptedModel, Step, extracts, says

VET = extracts(change("vet", "Dr. Brandt", "Our vet is Dr. Brandt."))


async def test_a_failed_reading_is_tried_again_later_and_then_told(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("ok")]), ScriptedModel([ModelBusy(), ModelBusy(), VET]))
    async with house(tmp_path, model=model) as h:
        await h.say("Our vet is Dr. Brandt.")
        assert h.screen.delivered == ["ok"]
        h.clock.advance(61)
        await h.runner.drain()
        h.clock.advance(61)
        await h.runner.drain()
        assert len(model.extract.requests if model.extract else []) == 2
        h.clock.advance(60)
        await h.runner.drain()
        assert h.screen.delivered[-1] == "✎ vet → Dr. Brandt · f1"


async def test_while_the_model_is_out_of_reach_one_job_asks_for_all_of_its_kind(tmp_path: Path) -> None:
    readings: list[Step] = [ModelBusy(), VET, extracts(), extracts()]
    model = TaskModel(ScriptedModel([says("ok")] * 3), ScriptedModel(readings))
    async with house(tmp_path, model=model) as h:
        for text in ("Our vet is Dr. Brandt.", "The sky is grey today.", "It may snow tomorrow."):
            await h.receive(text)
        await h.runner.drain()
        assert model.extract is not None
        assert len(model.extract.requests) == 1
        h.clock.advance(61)
        await h.runner.drain()
        assert h.screen.delivered == ["ok", "ok", "ok", "✎ vet → Dr. Brandt · f1"]


async def test_a_reading_that_fails_five_times_is_given_up_and_the_member_is_told(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("ok")]), ScriptedModel([ModelBusy()] * 5))
    async with house(tmp_path, model=model) as h:
        await h.say("Our vet is Dr. Brandt.")
        for _ in range(8):
            h.clock.advance(3_600)
            await h.runner.drain()
        assert len(h.screen.delivered) == 2
        assert "could not read m1" in h.screen.delivered[1]
        assert model.extract is not None
        model.extract.close()


async def test_a_spent_quota_postpones_work_without_using_up_its_attempts(tmp_path: Path) -> None:
    outage = [ModelQuotaSpent()] * 6 + [ModelMisconfigured()] * 6
    model = TaskModel(ScriptedModel([says("ok")]), ScriptedModel([*outage, VET]))
    async with house(tmp_path, model=model) as h:
        await h.say("Our vet is Dr. Brandt.")
        h.clock.advance(60)
        await h.runner.drain()
        assert model.extract is not None
        assert len(model.extract.requests) == 1, "the quota was asked for again at once"
        for _ in range(12):
            h.clock.advance(1_801)
            await h.runner.drain()
        assert h.screen.delivered[-1] == "✎ vet → Dr. Brandt · f1"


@pytest.mark.parametrize(
    ("kind", "payload"), [("dance", "{}"), ("extract", "no JSON"), ("extract", "[]"), ("extract", '{"message": "x"}')]
)
async def test_a_job_that_nobody_can_do_is_given_up_and_holds_up_no_other(
    tmp_path: Path, kind: str, payload: str
) -> None:
    async with house(tmp_path, says("ok")) as h:
        async with h.space.db.transaction():
            await h.space.db.execute(
                "INSERT INTO jobs (kind, key, state, payload, created_at) VALUES (?, 'odd', 'ready', ?, '2027')",
                (kind, payload),
            )
        await h.say("Our vet is Dr. Brandt.")
        for _ in range(6):
            h.clock.advance(3_600)
            await h.runner.drain()
        rows = await h.space.db.fetch_all("SELECT state FROM jobs ORDER BY id")
        assert [row["state"] for row in rows] == ["failed", "done"]
        assert h.screen.delivered[0] == "ok"


class Killed(BaseException):
    """Ends the process: nothing of ours catches it."""


async def test_a_job_that_ends_the_process_each_time_is_given_up_at_last(tmp_path: Path) -> None:
    given_up: list[int] = []

    async def dies(job: Job) -> None:
        raise Killed

    async def report(job: Job) -> None:
        given_up.append(job.id)

    async with house(tmp_path) as h:
        async with h.space.db.transaction():
            await h.space.jobs.add("extract", "extract:1", {"message": 1})
        for _ in range(5):
            with pytest.raises(Killed):
                await Worker(h.space, {"extract": dies}, report).work()
        assert await Worker(h.space, {"extract": dies}, report).work()
        assert given_up == [1]
        assert await h.space.jobs.next_ready() is None


async def test_a_failing_storage_uses_up_no_attempt_of_a_job(tmp_path: Path) -> None:
    async def is_full(job: Job) -> None:
        raise StorageFull(tmp_path)

    async with house(tmp_path) as h:
        async with h.space.db.transaction():
            await h.space.jobs.add("extract", "extract:1", {"message": 1})
        worker = Worker(h.space, {"extract": is_full}, is_full)
        for _ in range(8):
            with pytest.raises(StorageFull):
                await worker.work()
        job = await h.space.jobs.next_ready()
        assert job is not None
        assert job.attempts == 1
