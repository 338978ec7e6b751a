"""One examination from the files to the last answer, by the real chat over a real memory that the reader answers."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.reader import OfflineReader
from memory.errors import CeilingReached, ModelBusy
from memory.findings import Arms, Known, Run
from memory.ports import Assistant, ModelReply, ModelRequest, OnText
from memory.probe.cases import Case
from memory.probe.gate import NOTHING_YET, gate
from memory.probe.run import Orders, due, examine
from memory.space import Space
from tests.bot.turn.chat import chat_over
from tests.memory.probe.found import FINGERPRINT
from tests.memory.probe.scripted import case_of

NIGHT = date(2027, 3, 3)
TOLD = (
    "My vet is called Dr. Brandt",
    "We decided to use Postgres for the archive",
    "The kitchen may cost at most 3,000 euros",
    "My sister Anna lives in Lisbon",
)


@dataclass
class Reader:
    """The offline reader. `fails` says before which calls of the chat or the judge it raises instead."""

    fails: Callable[[int], Exception | None] = lambda number: None
    name: str = "offline-reader"
    asked: list[ModelRequest] = field(default_factory=list)

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task in ("chat", "judge"):
            self.asked.append(request)
            fault = self.fails(len(self.asked))
            if fault is not None:
                raise fault
        return await OfflineReader().generate(request)


@asynccontextmanager
async def told(home: Path, reader: Reader, sentences: Iterable[str] = TOLD) -> AsyncIterator[tuple[Space, Assistant]]:
    """Open a memory that was told these."""
    fails, reader.fails = reader.fails, lambda number: None
    (home / "empty").mkdir(parents=True)
    async with chat_over(home, reader) as (space, assistant):
        for sentence in sentences:
            await assistant.say(sentence)
        reader.asked.clear()
        reader.fails = fails
        yield space, assistant


async def examined(home: Path, space: Space, assistant: Assistant, **orders: Any) -> Run:
    """Examine the memory itself, as if it were a copy."""
    values: dict[str, Any] = {"space_id": space.id, "night": None, "seed": 7}
    return await examine(
        space,
        assistant,
        Orders(**{**values, **orders}),
        FINGERPRINT,
        new_space=lambda: chat_over(home / "empty", OfflineReader()),
        on_progress=lambda done, total: None,
    )


async def damage(space: Space, *statements: str) -> None:
    async with space.db.transaction():
        for sql in statements:
            await space.db.execute(sql)


def found(run: Run) -> dict[str, tuple[str, str]]:
    return {one.ref: (one.verdict, one.layer) for one in run.results}


async def test_a_healthy_memory_is_well_and_everything_is_asked(tmp_path: Path) -> None:
    async with told(tmp_path, Reader()) as (space, assistant):
        count = len(await space.facts.active())
        run = await examined(tmp_path, space, assistant, has_trial=True)

    judged = gate(run, [])
    assert count >= 4
    assert (judged.ok, judged.recall_rate, judged.problems) == (True, 1.0, ())
    assert len(run.results) == count
    assert all(one.is_answered and one.present_is_right and one.absent_is_right is False for one in run.results)
    assert run.canary is not None
    assert run.canary.is_well
    assert [(one.is_silent, one.is_admitted) for one in run.never_told] == [(True, True)] * 3
    assert run.trial is not None
    assert run.trial.plausible[1] == 10
    assert run.judge.is_reliable
    assert (run.is_whole, run.has_model_arms, run.stopped) == (True, True, "")
    assert (run.ledger_facts, run.ledger_tokens > 0, run.usd) == (count, True, 0.0)


async def test_the_same_memory_and_answers_give_the_same_run(tmp_path: Path) -> None:
    runs = []
    for name in ("one", "two"):
        async with told(tmp_path / name, Reader()) as (space, assistant):
            runs.append(await examined(tmp_path / name, space, assistant))

    assert runs[0] == runs[1]


async def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    async with told(tmp_path, Reader()) as (space, assistant):
        orders = Orders(space_id=space.id, night=None, seed=7)
        await examine(
            space,
            assistant,
            orders,
            FINGERPRINT,
            new_space=lambda: chat_over(tmp_path / "empty", OfflineReader()),
            on_progress=lambda done, total: steps.append((done, total)),
        )

    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert steps[-1][0] == steps[-1][1]
    assert all(done <= total for done, total in steps)


async def test_nothing_to_examine_is_well_and_says_so(tmp_path: Path) -> None:
    async with told(tmp_path, Reader(), ()) as (space, assistant):
        run = await examined(tmp_path, space, assistant, has_trial=True)

    assert (gate(run, []).ok, gate(run, []).warnings) == (True, (NOTHING_YET,))


async def test_where_there_is_nothing_to_examine_the_model_is_asked_nothing(tmp_path: Path) -> None:
    reader = Reader()
    async with told(tmp_path, reader, ("Lovely weather today, is it not?",)) as (space, assistant):
        run = await examined(tmp_path, space, assistant, has_trial=True)

    assert reader.asked == []
    assert (run.canary, run.trial, run.has_model_arms) == (None, None, False)
    assert [one.is_silent for one in run.never_told] == [True] * 3
    assert run.has_integrity


async def test_a_message_that_cannot_be_read_is_named_and_the_rest_is_examined(tmp_path: Path) -> None:
    async with told(tmp_path, Reader()) as (space, assistant):
        await damage(space, "UPDATE messages SET body = '[{' WHERE id = 1")
        run = await examined(tmp_path, space, assistant)

    assert [one.words for one in run.integrity] == ["messages cannot be read: m1"]
    assert gate(run, []).ok is False
    assert {one.verdict for one in run.results} == {"pass"}


async def test_an_emptied_memory_is_not_well_although_nothing_was_known_of_it(tmp_path: Path) -> None:
    async with told(tmp_path, Reader(), ("Lovely weather today, is it not?",)) as (space, assistant):
        assert await space.facts.active() == []
        await space.db.fetch_all("PRAGMA foreign_keys=OFF")
        await damage(space, "DELETE FROM segment_terms", "DELETE FROM segments", "DELETE FROM messages")
        run = await examined(tmp_path, space, assistant)

    assert gate(run, []).ok is False


async def test_a_question_whose_answer_was_forgotten_is_not_lost(tmp_path: Path) -> None:
    async with told(tmp_path, Reader(), (*TOLD, "Our dentist is Dr. Moll in Lindgasse")) as (space, assistant):
        await assistant.say("/probe add In which street is the dentist? = Lindgasse")
        fact = next(one for one in await space.facts.active() if "Moll" in one.value)
        await damage(space, "UPDATE probe_questions SET fact_id = NULL")
        assert [one.ref for one in await space.probes.questions.all()] == ["q1"]
        before = found(await examined(tmp_path, space, assistant, only=("q1",)))
        await assistant.say(f"/forget {fact.ref}")
        run = await examined(tmp_path, space, assistant)

    assert before["q1"][0] != "unaskable"
    assert found(run).get("q1") in (None, ("unaskable", ""))
    assert gate(run, []).ok


LOST = {
    "a row of the ledger that is gone": (
        ("DELETE FROM fact_terms WHERE fact_id = 1", "DELETE FROM fact_changes", "DELETE FROM facts WHERE id = 1"),
        ("lost", "extracted"),
    ),
    "a row that was ended by nobody": (
        ("UPDATE facts SET status = 'superseded' WHERE id = 1",),
        ("lost", "active"),
    ),
    "a row that waits for a yes it had": (
        ("UPDATE facts SET status = 'pending' WHERE id = 1",),
        ("lost", "active"),
    ),
}


@pytest.mark.parametrize("what", LOST)
async def test_what_was_there_last_night_and_is_gone_is_lost(tmp_path: Path, what: str) -> None:
    sql, expected = LOST[what]
    async with told(tmp_path, Reader()) as (space, assistant):
        fact = await space.facts.fact(1)
        known = (Known(ref="f1", message_id=fact.message_id, critical=True),)
        await damage(space, *sql)
        run = await examined(tmp_path, space, assistant, known=known)

    assert found(run)["f1"] == expected
    assert gate(run, []).lost_critical == ("f1",)


async def test_what_was_forgotten_by_its_member_is_not_lost(tmp_path: Path) -> None:
    async with told(tmp_path, Reader()) as (space, assistant):
        known = (Known(ref="f1", message_id=1, critical=True),)
        await assistant.say("/forget f1")
        run = await examined(tmp_path, space, assistant, known=known)

    assert "f1" not in found(run)
    assert gate(run, []).ok


async def test_an_index_that_was_emptied_is_seen_and_named(tmp_path: Path) -> None:
    async with told(tmp_path, Reader()) as (space, assistant):
        await damage(space, "DELETE FROM segment_terms")
        run = await examined(tmp_path, space, assistant)

    assert all((one.source, one.source_layer) == ("lost", "indexed") for one in run.results)
    assert "index" in {one.about for one in run.integrity}
    assert gate(run, []).ok is False


# Who is asked


async def test_a_model_that_rests_is_asked_only_about_the_canary(tmp_path: Path) -> None:
    reader = Reader()
    async with told(tmp_path, reader) as (space, assistant):
        run = await examined(tmp_path, space, assistant, has_model_arms=False, has_trial=True)

    assert {one.verdict for one in run.results} == {"pass"}
    assert not any(one.is_answered for one in run.results)
    assert (run.has_model_arms, run.trial, run.judge.calls) == (False, None, 0)
    assert run.canary is not None
    assert run.canary.is_well
    assert gate(run, []).ok


async def test_the_model_rests_where_nothing_changed_and_is_asked_where_something_did(tmp_path: Path) -> None:
    async with told(tmp_path, Reader()) as (space, assistant):
        refs = [fact.ref for fact in await space.facts.active()]
        orders: dict[str, Any] = {"night": NIGHT, "asked": dict.fromkeys(refs, NIGHT - timedelta(days=1))}
        first = await examined(tmp_path, space, assistant, **orders)
    arms = Arms(night=NIGHT - timedelta(days=1), memory_mark=first.memory_mark, fingerprint=FINGERPRINT)
    runs = []
    for name, more in (("same", ()), ("changed", ("My dentist is called Dr. Moll",))):
        async with told(tmp_path / name, Reader(), (*TOLD, *more)) as (space, assistant):
            runs.append(await examined(tmp_path / name, space, assistant, **orders, last_arms=arms))

    assert [one.has_model_arms for one in runs] == [False, True]


async def test_some_cases_alone_are_examined_without_all_the_rest(tmp_path: Path) -> None:
    async with told(tmp_path, Reader()) as (space, assistant):
        known = (Known(ref="f77", message_id=1, critical=True),)
        run = await examined(tmp_path, space, assistant, only=("f2",), known=known)

    assert found(run) == {"f2": ("pass", "")}
    assert run.results[0].is_answered
    assert (run.is_whole, run.canary, run.never_told) == (False, None, ())
    assert gate(run, []).ok


# When it ends early


async def test_a_model_that_is_down_makes_answers_unknown_and_loses_nothing(tmp_path: Path) -> None:
    reader = Reader(fails=lambda number: ModelBusy())
    async with told(tmp_path, reader) as (space, assistant):
        run = await examined(tmp_path, space, assistant)

    assert run.stopped == "model"
    assert {one.verdict for one in run.results} == {"unknown"}
    assert run.canary is not None
    assert run.canary.is_well is None
    assert gate(run, []).ok is None


async def test_a_model_that_fails_once_leaves_one_answer_unknown(tmp_path: Path) -> None:
    # The judge's own examination is twenty calls.
    reader = Reader(fails=lambda number: ModelBusy() if number in (21, 22) else None)
    async with told(tmp_path, reader) as (space, assistant):
        run = await examined(tmp_path, space, assistant)

    assert run.stopped == ""
    assert sorted(one.verdict for one in run.results).count("unknown") == 1


@pytest.mark.parametrize("calls", [0, 12, 20, 23])
async def test_where_the_money_ends_the_evidence_stands(tmp_path: Path, calls: int) -> None:
    reader = Reader(fails=lambda number: CeilingReached() if number > calls else None)
    async with told(tmp_path, reader) as (space, assistant):
        run = await examined(tmp_path, space, assistant)

    assert run.stopped == "budget"
    assert {one.verdict for one in run.results} == {"pass"}
    assert sum(one.is_answered for one in run.results) == max(0, calls - 20) // 2
    assert len(reader.asked) == calls + 1
    judged = gate(run, [])
    assert (judged.ok, judged.recall_rate) == (None, 1.0)
    assert any(words.startswith("ended early: its share") for words in judged.warnings)


async def test_where_the_money_ends_each_night_others_are_asked_the_next(tmp_path: Path) -> None:
    """Money for the judge's examination and two cases a night."""
    asked: dict[str, date] = {}
    for number in range(3):
        reader = Reader(fails=lambda number: CeilingReached() if number > 24 else None)
        night = NIGHT + timedelta(days=number)
        async with told(tmp_path / f"{number}", reader) as (space, assistant):
            await damage(space, "UPDATE facts SET pinned = 1")
            run = await examined(tmp_path / f"{number}", space, assistant, night=night, asked=asked)
        tonight = {one.ref for one in run.results if one.is_answered}
        assert len(tonight) == 2
        asked |= dict.fromkeys(tonight, night)

    assert len(asked) == len(run.results)


# Rotation


def cases(count: int, critical: int = 0) -> list[Case]:
    one = case_of()
    return [
        Case(**{**vars(one), "ref": f"f{number}", "critical": number <= critical}) for number in range(1, count + 1)
    ]


def test_what_is_critical_or_amiss_is_asked_every_night() -> None:
    asked = {f"f{number}": NIGHT for number in range(1, 21)}
    orders = Orders(space_id="1", night=NIGHT, seed=1, asked=asked, amiss=("f20",))

    assert {"f1", "f2", "f20"} <= due(cases(20, critical=2), orders)
    assert len(due(cases(20, critical=2), orders)) <= 2 + 3 + 1


def test_whoever_asks_for_it_has_everything_asked() -> None:
    assert len(due(cases(20), Orders(space_id="1", night=None, seed=1))) == 20


@given(st.lists(st.integers(0, 12), min_size=20, max_size=20), st.integers(0, 4))
def test_each_case_is_asked_within_seven_nights_however_the_memory_grows(grown: list[int], critical: int) -> None:
    asked: dict[str, date] = {}
    count = 0
    for number, more in enumerate(grown):
        count += more
        night = NIGHT + timedelta(days=number)
        tonight = due(cases(count, critical), Orders(space_id="1", night=night, seed=1, asked=asked))
        asked |= dict.fromkeys(tonight, night)
        assert all(night - last < timedelta(days=7) for last in asked.values())


def test_a_steady_memory_is_asked_evenly() -> None:
    asked: dict[str, date] = {}
    counts = []
    for number in range(21):
        night = NIGHT + timedelta(days=number)
        tonight = due(cases(50), Orders(space_id="1", night=night, seed=1, asked=asked))
        asked |= dict.fromkeys(tonight, night)
        counts.append(len(tonight))

    assert set(counts) == {8}
    assert len(asked) == 50


def test_orders_travel_as_json() -> None:
    arms = Arms(night=NIGHT, memory_mark="m", fingerprint=FINGERPRINT)
    known = (Known(ref="f1", message_id=None, critical=True),)
    orders = Orders(space_id="1", night=NIGHT, seed=1, known=known, asked={"f1": NIGHT}, last_arms=arms)

    assert Orders.model_validate_json(orders.model_dump_json()) == orders
