"""The trial of the extractor: what it is told, and what is counted."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.models.reader import OfflineReader
from memory.errors import CeilingReached, ModelBusy, ModelFault
from memory.findings import Trial
from memory.messages import TextPart
from memory.ports import ModelReply, ModelRequest, OnText
from memory.probe.statements import ODD, PLAUSIBLE
from memory.probe.trial import OF_EACH, drawn, trial
from tests.bot.turn.chat import chat_over


@dataclass
class Extractor:
    """The offline reader that extracts nothing, or raises a fault, once it has read so many messages."""

    instead: str | ModelFault
    after: int = 0
    name: str = "offline-reader"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "extract" or self.after > 0:
            self.after -= request.task == "extract"
            return await OfflineReader().generate(request)
        if isinstance(self.instead, ModelFault):
            raise self.instead
        return ModelReply((TextPart(text=self.instead),), model=self.name)


def test_the_pools_are_large_enough_and_say_what_they_hold() -> None:
    for pool in (PLAUSIBLE, ODD):
        assert len({one.sentence for one in pool}) == len(pool) >= 2 * OF_EACH
        assert all(one.holds in one.sentence for one in pool)


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_offline_reader_keeps_nearly_all_it_is_told(tmp_path: Path, seed: int) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        result = await trial(space, assistant, seed=seed)

    assert result.plausible == (OF_EACH, OF_EACH)
    assert OF_EACH - 1 <= result.odd[0] <= result.odd[1] == OF_EACH


def test_the_same_seed_draws_the_same_and_another_seed_others() -> None:
    assert drawn(5) == drawn(5)
    assert drawn(5) != drawn(6)


async def test_an_extractor_that_keeps_nothing_is_told_by_the_count(tmp_path: Path) -> None:
    async with chat_over(tmp_path, Extractor('{"changes": []}')) as (space, assistant):
        assert await trial(space, assistant, seed=1) == Trial(plausible=(0, OF_EACH), odd=(0, OF_EACH))


async def test_what_was_not_read_for_want_of_a_model_counts_nowhere(tmp_path: Path) -> None:
    async with chat_over(tmp_path, Extractor(ModelBusy("503"), after=6)) as (space, assistant):
        result = await trial(space, assistant, seed=1)

    assert result.plausible[1] + result.odd[1] == 6


async def test_the_end_of_the_money_ends_the_trial(tmp_path: Path) -> None:
    model = Extractor("", after=9, name="of no known price")
    async with chat_over(tmp_path, model, allowance_usd=0.0) as (space, assistant):
        with pytest.raises(CeilingReached):
            await trial(space, assistant, seed=1)
