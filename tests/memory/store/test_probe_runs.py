"""The history of examinations: what a run leaves behind, and alarms that only a known and good verdict clears."""

import sqlite3
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.errors import UnknownId
from memory.findings import Baseline, Finding, Known, Run, Trial, Verdict
from memory.probe.gate import gate
from memory.space import Space
from memory.store.probe_runs import KEPT_RESULTS, Tries
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock
from tests.memory.probe.found import SICK, WELL, case, run

NIGHT = date(2027, 3, 3)


@pytest.fixture
async def space(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Space]:
    await lay_blank(tmp_path / "local" / "memory.db")
    opened = await Space.open(
        tmp_path / "local", default_zone=ZoneInfo("Europe/Berlin"), clock=clock, backups=tmp_path / "backups"
    )
    yield opened
    await opened.close()


async def keep(space: Space, found: Run, *, night: date | None = None) -> int:
    run_id = await space.probes.begin(night)
    await space.probes.finish(run_id, found, gate(found, await space.probes.baselines()))
    return run_id


async def alarms(space: Space) -> list[tuple[str, str, str]]:
    return [(one.ref, one.kind, one.layer) for one in await space.probes.open_alarms()]


# Runs


async def test_a_stored_run_comes_back_as_it_was(space: Space) -> None:
    found = run(case("f2", "lost", layer="ranked", critical=True, message_id=7), case("f10"), case("q1"))
    run_id = await keep(space, found, night=NIGHT)

    last = await space.probes.last_done()

    assert last is not None
    assert (last.id, last.night, last.ok, last.run) == (run_id, NIGHT, False, found)
    assert (await space.probes.known())[0] == Known(ref="f2", message_id=7, critical=True)


async def test_the_last_healthy_run_is_not_the_last_one(space: Space) -> None:
    well = await keep(space, run(case("f1")))
    await keep(space, run(case("f1", "lost", critical=True), after_days=1))
    await keep(space, run(case("f1"), after_days=2, canary=None, only=("f1",)))

    healthy = await space.probes.last_healthy()

    assert healthy is not None
    assert healthy.id == well
    assert await space.probes.baselines() == (Baseline(400),)


async def test_a_run_of_some_cases_alone_is_no_night(space: Space) -> None:
    await keep(space, run(case("f1"), case("f2")), night=NIGHT)
    await keep(space, run(case("f1"), canary=None, only=("f1",), after_days=1))

    assert [one.ref for one in await space.probes.known()] == ["f1", "f2"]
    assert [point.night for point in await space.probes.trend(7)] == [NIGHT]


async def test_a_night_counts_once(space: Space) -> None:
    assert await space.probes.last_night() is None
    await keep(space, run(case("f1")), night=NIGHT)

    assert await space.probes.last_night() == NIGHT
    with pytest.raises(sqlite3.IntegrityError):
        await keep(space, run(case("f1")), night=NIGHT)
    assert await space.probes.last_answered() == {"f1": NIGHT}


async def test_a_run_that_failed_moves_nothing(space: Space) -> None:
    await keep(space, run(case("f1", "lost", critical=True)), night=NIGHT)
    run_id = await space.probes.begin(NIGHT + timedelta(days=1))
    await space.probes.fail(run_id, "ModelBusy")

    assert len(await space.probes.open_alarms()) == 1
    assert await space.probes.last_night() == NIGHT
    assert await space.probes.tries(NIGHT + timedelta(days=1)) == Tries(1, space.clock.now())


async def test_a_run_that_a_crash_cut_off_has_failed(space: Space) -> None:
    await space.probes.begin(NIGHT)

    assert await space.probes.abandon_open() == 1
    assert await space.probes.abandon_open() == 0
    assert await space.probes.last_done() is None
    await keep(space, run(case("f1")), night=NIGHT)
    assert await space.probes.last_night() == NIGHT


async def test_it_is_known_when_each_case_was_asked_last(space: Space) -> None:
    await keep(space, run(case("f1"), case("f2")), night=NIGHT)
    await keep(space, run(case("f1"), case("f2", is_answered=False), after_days=1), night=NIGHT + timedelta(days=1))

    assert await space.probes.last_answered() == {"f1": NIGHT + timedelta(days=1), "f2": NIGHT}


async def test_the_picture_has_each_night_oldest_first(space: Space) -> None:
    for n in range(3):
        found = run(case("f1"), case("f2", "pass" if n else "lost"), after_days=n, ledger_facts=n, ledger_tokens=9 * n)
        await keep(space, found, night=NIGHT + timedelta(days=n))

    points = await space.probes.trend(2)

    assert [(point.night.day, point.recall_rate, point.ledger_facts, point.prompt_size) for point in points] == [
        (4, 1.0, 1, 400),
        (5, 1.0, 2, 400),
    ]
    assert (await space.probes.trend(3))[0].ok is False


async def test_nights_without_a_run_that_ended_are_counted(space: Space, clock: FakeClock) -> None:
    assert await space.probes.nights_without(NIGHT) == 0
    await space.probes.fail(await space.probes.begin(NIGHT), "ModelBusy")
    assert await space.probes.nights_without(NIGHT + timedelta(days=2)) == 3
    await keep(space, run(case("f1")), night=NIGHT)
    assert await space.probes.nights_without(NIGHT) == 0
    await space.probes.fail(await space.probes.begin(NIGHT + timedelta(days=1)), "ModelBusy")
    assert await space.probes.nights_without(NIGHT + timedelta(days=3)) == 3


async def test_the_trial_is_known_to_later_nights(space: Space) -> None:
    trial = Trial(plausible=(10, 10), odd=(8, 10))
    assert await space.probes.last_trial() is None
    await keep(space, run(case("f1"), trial=trial), night=NIGHT)
    await keep(space, run(case("f1"), after_days=1), night=NIGHT + timedelta(days=1))

    assert await space.probes.last_trial() == NIGHT
    assert [one.trial for one in await space.probes.baselines()] == [None, trial]


async def test_old_results_go_and_what_they_came_to_stays(space: Space) -> None:
    for n in range(KEPT_RESULTS + 2):
        await keep(space, run(case("f1"), after_days=n), night=NIGHT + timedelta(days=n))

    rows = await space.db.fetch_all("SELECT DISTINCT run_id FROM probe_results ORDER BY 1")
    assert [row[0] for row in rows] == list(range(3, KEPT_RESULTS + 3))
    assert len(await space.probes.trend(400)) == KEPT_RESULTS + 2


async def test_what_was_known_outlives_any_number_of_runs_that_are_not_whole(space: Space) -> None:
    await keep(space, run(case("f1"), case("f2")), night=NIGHT)
    for n in range(KEPT_RESULTS):
        await space.probes.fail(await space.probes.begin(NIGHT + timedelta(days=1)), "ModelBusy")
        await keep(space, run(case("f1"), after_days=n, canary=None, only=("f1",)))

    assert [one.ref for one in await space.probes.known()] == ["f1", "f2"]


# Alarms


async def test_an_alarm_is_raised_once_and_cleared_by_a_pass(space: Space) -> None:
    first = await keep(space, run(case("f1", "lost", layer="ranked")))
    second = await keep(space, run(case("f1", "lost", layer="ranked"), after_days=1))
    third = await keep(space, run(case("f1"), after_days=2))

    assert [one.ref for one in await space.probes.just_raised(first)] == ["f1"]
    assert await space.probes.just_raised(second) == []
    cleared = await space.probes.just_cleared(third)
    assert [(one.ref, one.raised_at, one.cleared_at) for one in cleared] == [
        ("f1", run().ended_at, run(after_days=2).ended_at)
    ]
    assert await alarms(space) == []


STAYS = {
    "an unknown verdict": run(case("f1", "unknown")),
    "a run of other cases": run(case("f2"), canary=None, only=("f2",)),
}


@pytest.mark.parametrize("what", STAYS)
async def test_no_alarm_is_cleared_by(space: Space, what: str) -> None:
    await keep(space, run(case("f1", "lost", layer="ranked")))
    await keep(space, STAYS[what])

    assert await alarms(space) == [("f1", "lost", "ranked")]


async def test_what_went_rightly_clears_its_alarm(space: Space) -> None:
    await keep(space, run(case("f1", "lost", layer="ranked"), case("f2")))
    await keep(space, run(case("f2"), after_days=1))

    assert await alarms(space) == []


@pytest.mark.parametrize(
    ("verdict", "layer"),
    [("lost", "read"), ("lost", "rendered"), ("unaskable", ""), ("leak", "somewhere else")],
    ids=str,
)
async def test_what_an_answer_showed_only_an_answer_clears(space: Space, verdict: Verdict, layer: str) -> None:
    answered = {"present_is_right": False} if verdict == "lost" else {}
    await keep(space, run(case("f1", verdict, layer=layer, **answered)))
    await keep(space, run(case("f1", is_answered=False), after_days=1))
    assert await alarms(space) == [("f1", verdict, layer)]
    await keep(space, run(case("f1"), after_days=2))
    assert await alarms(space) == []


async def test_another_layer_is_news_and_keeps_since_when(space: Space) -> None:
    await keep(space, run(case("f1", "lost", layer="ranked")))
    later = await keep(space, run(case("f1", "leak", layer="journal"), after_days=1))

    assert await alarms(space) == [("f1", "leak", "journal")]
    (news,) = await space.probes.just_raised(later)
    assert news.raised_at == run().ended_at


async def test_a_dismissed_alarm_stays_quiet_until_it_moves_or_clears(space: Space) -> None:
    await keep(space, run(case("f1", "lost", layer="ranked")))
    (alarm,) = await space.probes.open_alarms()
    await space.probes.dismiss(alarm.id)
    await keep(space, run(case("f1", "lost", layer="ranked"), after_days=1))
    assert (await space.probes.alarm(alarm.id)).dismissed_at is not None

    moved = await keep(space, run(case("f1", "lost", layer="indexed"), after_days=2))

    assert (await space.probes.alarm(alarm.id)).dismissed_at is None
    assert [one.id for one in await space.probes.just_raised(moved)] == [alarm.id]


async def test_an_alarm_that_is_not_there_is_refused(space: Space) -> None:
    with pytest.raises(UnknownId):
        await space.probes.dismiss(3)


async def test_the_canary_and_each_kind_of_damage_have_an_alarm_of_their_own(space: Space) -> None:
    damage = (
        Finding(about="index", count=1, words="b"),
        Finding(about="index", count=3, words="a"),
        Finding(about="media", count=1, words="c"),
    )
    await keep(space, run(case("f1"), canary=SICK, integrity=damage))
    assert await alarms(space) == [
        ("canary", "canary", "extracted"),
        ("index", "integrity", "a; b"),
        ("media", "integrity", "c"),
    ]

    await keep(space, run(case("f1"), canary=None, has_integrity=False, after_days=1))
    assert len(await alarms(space)) == 3
    await keep(space, run(case("f1"), canary=WELL, integrity=damage[2:], after_days=2))
    assert await alarms(space) == [("media", "integrity", "c")]


async def test_what_was_forgotten_meanwhile_leaves_no_row(space: Space) -> None:
    async with space.db.transaction():
        await space.db.execute(
            "INSERT INTO facts (kind, subject, subject_key, value, value_key, quote, question, patterns, critical,"
            " status, since, created_at) VALUES ('entity', '', 'forgotten 1', '', '', '', '', '[]', 0, 'forgotten',"
            " '', '')"
        )
    await keep(space, run(case("f1", "lost", layer="ranked"), case("f2")))

    assert await alarms(space) == []
    assert [one.ref for one in await space.probes.known()] == ["f2"]


async def test_nothing_is_stored_of_a_run_whose_memory_was_emptied_meanwhile(space: Space) -> None:
    run_id = await space.probes.begin(NIGHT)
    async with space.db.transaction():
        await space.db.execute("DELETE FROM probe_runs")
    found = run(case("f1", "lost"))
    await space.probes.finish(run_id, found, gate(found, []))

    assert await space.probes.last_done() is None
    assert await alarms(space) == []


# Questions


async def test_questions_are_kept_in_order_and_can_be_removed(space: Space) -> None:
    first = await space.probes.questions.add("Where is the key?", "under the mat", patterns=["mat"], author_id=7)
    second = await space.probes.questions.add("Who has the boat?", "Ömer", patterns=["Ömer"])

    assert [one.ref for one in await space.probes.questions.all()] == ["q1", "q2"]
    assert (first.question, first.answer, first.patterns, first.author_id) == (
        "Where is the key?",
        "under the mat",
        ("mat",),
        7,
    )
    await space.probes.questions.remove(first.id)
    assert await space.probes.questions.all() == [second]
    with pytest.raises(UnknownId):
        await space.probes.questions.remove(first.id)


async def test_the_last_arms_are_those_of_a_night_that_was_well_and_whole(space: Space) -> None:
    assert await space.probes.last_arms() is None
    await keep(space, run(case("f1"), memory_mark="m"), night=NIGHT)
    await keep(space, run(case("f1"), has_model_arms=False, after_days=1), night=NIGHT + timedelta(days=1))
    arms = await space.probes.last_arms()
    assert arms is not None
    assert (arms.night, arms.memory_mark) == (NIGHT, "m")

    await keep(space, run(case("f1"), stopped="budget", after_days=2), night=NIGHT + timedelta(days=2))
    assert await space.probes.last_arms() is None
