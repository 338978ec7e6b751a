"""Background work that fails: it waits, it does not storm, and what is given up is told."""

from pathlib import Path

from memory.errors import ModelBusy, ModelMisconfigured, ModelQuotaSpent
from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

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
