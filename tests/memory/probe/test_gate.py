"""The gate: what fails, what only warns, and what is not known. Each rule by a run that differs in one thing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.findings import Baseline, Canary, CaseResult, Finding, JudgeCheck, NeverTold, Run, Step, Trial, Verdict
from memory.probe.gate import NOTHING_YET, gate, recall_rate
from tests.memory.probe.found import SICK, WELL, case, many, run

UNTRIED = Canary(is_well=None, steps=(Step(name="extracted", is_well=None),))
FINDING = Finding(about="segments", count=2, words="stretches of text are not what was hashed")


def test_a_healthy_run_is_well_and_says_nothing() -> None:
    found = gate(run(*many(40)), [Baseline(400)])

    assert (found.ok, found.recall_rate, found.problems, found.warnings) == (True, 1.0, (), ())


FAILS: dict[str, tuple[Run, str]] = {
    "lost and critical": (
        run(*many(40), case("f99", "lost", critical=True, layer="ranked")),
        "lost and critical: f99 (ranked)",
    ),
    "too much lost": (
        run(*many(18), case("f98", "lost", layer="active"), case("f99", "lost", layer="read")),
        "recall 90%, below 95%: lost f98 (active), f99 (read)",
    ),
    "a leak": (run(*many(40), case("f99", "leak", layer="journal")), "forgetting would leave: f99 (journal)"),
    "stale": (run(*many(40), case("f99", "stale", layer="ledger")), "an old value stands as current: f99 (ledger)"),
    "the canary": (run(*many(40), canary=SICK), "canary: extracted"),
    "integrity": (run(*many(40), integrity=(FINDING,)), "segments: 2 stretches of text are not what was hashed"),
}


@pytest.mark.parametrize("what", FAILS)
def test_what_is_amiss_fails_and_is_named(what: str) -> None:
    examined, problem = FAILS[what]
    found = gate(examined, [Baseline(400)])

    assert found.ok is False
    assert found.problems == (problem,)


def test_one_lost_of_many_that_is_not_critical_is_no_failure_but_is_named() -> None:
    found = gate(run(*many(40), case("f99", "lost", layer="ranked")), [])

    assert found.ok is True
    assert found.lost == ("f99",)
    assert found.lost_critical == ()


def test_few_cases_that_cannot_be_examined_are_no_doubt_and_most_of_them_are() -> None:
    few = run(*many(3, "unaskable"))
    half = run(*many(20), *many(20, "unaskable", start=21))
    most = run(*many(20), *many(21, "unaskable", start=21))

    assert [gate(one, []).ok for one in (few, half, most)] == [True, True, None]
    assert gate(most, []).problems == ("not known: 21 of 41 cases cannot be examined",)


def test_a_rate_just_below_the_least_is_not_rounded_up_to_it() -> None:
    found = gate(run(*many(18), case("f99", "lost")), [])

    assert found.problems == ("recall 94%, below 95%: lost f99",)


DOUBTFUL = {
    "a critical case": run(*many(40), case("f99", "unknown", critical=True)),
    "the canary": run(*many(40), canary=UNTRIED),
    "no canary at all": run(*many(40), canary=None),
    "the files": run(*many(40), has_integrity=False),
    "all of it": run(*many(40, "unknown")),
}


@pytest.mark.parametrize("what", DOUBTFUL)
def test_what_is_not_known_and_critical_is_not_well_and_not_failed(what: str) -> None:
    found = gate(DOUBTFUL[what], [])

    assert found.ok is None
    assert len(found.problems) == 1
    assert found.problems[0].startswith("not known")


def test_a_failure_stays_one_whatever_else_is_not_known() -> None:
    assert gate(run(*many(40), case("f99", "leak"), canary=UNTRIED), []).ok is False


def test_what_is_not_known_and_not_critical_only_warns_and_counts_nowhere() -> None:
    found = gate(run(*many(10), case("f99", "unknown")), [])

    assert (found.ok, found.recall_rate, found.unknown) == (True, 1.0, ("f99",))
    assert found.warnings == ("not known: f99",)


def test_some_cases_alone_need_no_canary() -> None:
    assert gate(run(case("f1"), canary=None, only=("f1",)), []).ok is True


def test_nothing_to_examine_is_well_and_says_so() -> None:
    found = gate(run(), [])

    assert (found.ok, found.recall_rate, found.warnings) == (True, None, (NOTHING_YET,))


def test_what_cannot_be_examined_never_fails() -> None:
    found = gate(run(case("f1", "unaskable", critical=True)), [])

    assert (found.ok, found.recall_rate, found.unaskable) == (True, None, ("f1",))
    assert found.warnings == ("cannot be examined: f1",)


WARNS: dict[str, tuple[dict[str, Any], str]] = {
    "money spent": ({"stopped": "budget"}, "ended early: its share of the day's money is spent; 0 cases rest on the"),
    "no model": ({"stopped": "model"}, "ended early: the model gave no answers"),
    "a judge that flips": ({"judge": JudgeCheck(is_reliable=False)}, "the judge failed its own examination"),
    "a judge that broke off": (
        {"judge": JudgeCheck(calls=3, detail="ModelBusy")},
        "the judge gave no answer",
    ),
    "a paraphrase": ({"canary": WELL.model_copy(update={"warnings": ("paraphrased",)})}, "canary: paraphrased"),
    "never told, yet something came": ({"never_told": (NeverTold(is_silent=False),)}, "recall brought something for 1"),
    "never told, yet answered": (
        {"never_told": (NeverTold(is_silent=True, is_admitted=False),)},
        "1 of 1 such questions were answered",
    ),
    "a worse extractor": (
        {"trial": Trial(plausible=(8, 10), odd=(7, 10))},
        "the extractor kept 8/10 plausible statements; 10/10 before",
    ),
}


@pytest.mark.parametrize("what", WARNS)
def test_what_only_warns_is_said_and_fails_nothing(what: str) -> None:
    more, words = WARNS[what]
    found = gate(run(*many(40), **more), [Baseline(400, Trial(plausible=(10, 10), odd=(7, 10)))])

    assert (found.ok, found.problems) == (True, ())
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(words)


def test_a_source_that_recall_does_not_bring_only_warns() -> None:
    found = gate(run(*many(40), case("f99", source="lost")), [])

    assert found.ok is True
    assert found.warnings == ("recall alone does not bring the source of f99",)


def test_an_evidence_pass_counts_where_the_money_ended_and_the_run_says_how_many_were_not_asked() -> None:
    found = gate(run(*many(10), case("f99", is_answered=False), stopped="budget"), [])

    assert (found.ok, found.recall_rate) == (True, 1.0)
    assert "; 1 cases rest on the assembled prompts alone" in found.warnings[0]


@pytest.mark.parametrize(("size", "is_said"), [(480, False), (481, True)])
def test_a_prompt_that_grew_by_more_than_a_fifth_only_warns(size: int, is_said: bool) -> None:
    healthy = [Baseline(400), Baseline(390), Baseline(9_000), Baseline(None)]
    found = gate(run(case("f1", prompt_tokens=size)), healthy)

    assert found.ok is True
    assert bool(found.warnings) is is_said


VERDICTS: st.SearchStrategy[Verdict] = st.sampled_from(["pass", "lost", "leak", "stale", "unaskable", "unknown"])
RESULTS = st.lists(st.builds(case, st.just("f1"), VERDICTS, critical=st.booleans()))


@given(RESULTS)
def test_it_is_well_only_if_enough_is_known_and_nothing_critical_is_amiss(results: list[CaseResult]) -> None:
    found = gate(run(*results), [])
    known = [one for one in results if one.verdict not in ("unknown", "unaskable")]

    if found.ok:
        assert not any(one.verdict in ("leak", "stale") for one in results)
        assert not any(one.critical and one.verdict in ("lost", "unknown") for one in results)
        assert known or all(one.verdict == "unaskable" for one in results)
    assert (recall_rate(results) is None) == (not known)
    assert (found.ok is True) == (found.problems == ())
