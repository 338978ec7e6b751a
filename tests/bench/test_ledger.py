"""The scripted month, lived through the ordinary path: the ledger against the one that a careful human would keep."""

import asyncio
from collections.abc import Iterator

import pytest

from bench.ledger import Outcome, live, precision, recall, too_certain, verdicts, wrong_current
from bot.models.reader import OfflineReader
from tests.bench.fallible import SLIPS, FallibleModel
from tests.bot.models.talk import new_model
from tests.fakes.clock import FakeClock
from tests.fakes.gemini import FakeGemini


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return asyncio.run(live(OfflineReader(), tmp_path_factory.mktemp("offline")))


@pytest.fixture(scope="module")
def script() -> FallibleModel:
    return FallibleModel()


@pytest.fixture(scope="module")
def gemini(tmp_path_factory: pytest.TempPathFactory, script: FallibleModel) -> Iterator[Outcome]:
    async def lived(fake: FakeGemini) -> Outcome:
        async with new_model(fake, FakeClock()) as model:
            return await live(model, tmp_path_factory.mktemp("gemini"))

    with FakeGemini() as fake:
        fake.answer("extract", script.answer)
        yield asyncio.run(lived(fake))
        fake.assert_all_accepted()


@pytest.fixture(params=["offline", "gemini"])
def outcome(request: pytest.FixtureRequest) -> Outcome:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Outcome)
    return found


def test_no_prompt_of_the_month_shows_a_value_that_no_longer_holds(outcome: Outcome) -> None:
    assert outcome.stale == ()


def test_messages_that_hold_nothing_enter_nothing(outcome: Outcome) -> None:
    assert [one.line for one in outcome.ours.entered if one.verdict == "from nothing"] == []


def test_no_subject_ever_stands_with_another_value_than_the_person_holds(outcome: Outcome) -> None:
    assert list(outcome.ours.wrong_current) == []


def test_what_is_left_open_is_not_taken_as_certain(outcome: Outcome) -> None:
    assert too_certain(outcome.ours) == 0


def test_the_offline_reader_makes_95_of_100_plain_changes_and_enters_95_of_100_rightly(offline: Outcome) -> None:
    assert _share(recall(offline.ours, plain=True)) >= 0.95
    assert _share(precision(offline.ours)) >= 0.95


def test_a_fallible_model_makes_95_of_100_changes_and_97_of_100_entries_are_right(gemini: Outcome) -> None:
    assert _share(recall(gemini.ours)) >= 0.95
    assert _share(precision(gemini.ours)) >= 0.97


def test_every_kind_of_fault_was_made_and_cost_the_ledger_that_believes_them(
    gemini: Outcome, script: FallibleModel
) -> None:
    believing = gemini.believing

    assert script.faults["slip"] == SLIPS
    assert len(script.faults) == 8
    assert verdicts(believing)["from nothing"] > 5
    assert wrong_current(believing) > 5
    assert _share(precision(believing)) < 0.8


def test_a_guess_becomes_a_question(gemini: Outcome, script: FallibleModel) -> None:
    assert gemini.asked["ambiguous"] == script.faults["guess"] > 0


def _share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1]
