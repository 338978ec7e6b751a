"""What is current is decided by the time of what was said; history is kept without a gap, and undo works."""

import asyncio
import itertools
import sqlite3
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import UnknownId
from memory.ledger.facts import Fact, Statement
from tests.memory.ledger.world import START, LedgerWorld, open_world


def _told(history: list[Fact]) -> list[tuple[str, str]]:
    return [(fact.value, fact.status) for fact in history]


async def test_a_correction_supersedes_and_keeps_the_old_value(world: LedgerWorld) -> None:
    old = await world.state("vet", "Dr. Adler", hour=0)
    new = await world.state("our vet", "Dr. Brandt", hour=2)

    assert await world.values() == ["Dr. Brandt"]
    assert new.replaces == old.id
    before = await world.facts.fact(old.id)
    assert (before.status, before.until) == ("superseded", new.since)


async def test_an_older_statement_that_arrives_late_takes_its_place_in_the_past(world: LedgerWorld) -> None:
    newest = await world.state("home city", "Riga", hour=9)
    late = await world.state("home city", "Oslo", hour=1)

    assert await world.values() == ["Riga"]
    assert (late.status, late.until) == ("superseded", newest.since)
    assert (await world.facts.fact(newest.id)).replaces == late.id


async def test_the_same_value_again_is_evidence_and_no_second_fact(world: LedgerWorld) -> None:
    wordings = ["Riga", "riga.", "in Riga", "lives in Riga", "I live in RIGA"]
    for hour, value in enumerate(wordings):
        fact = await world.state("home city", value, hour=hour)

    assert await world.values() == ["Riga"]
    assert len(await world.facts.sources(fact.id)) == 5
    assert len(await world.facts.history()) == 1


async def test_the_same_value_from_an_earlier_message_moves_the_beginning_of_the_fact(world: LedgerWorld) -> None:
    fact = await world.state("home city", "Riga", hour=5)
    await world.state("home city", "Riga", hour=1)

    moved = await world.facts.fact(fact.id)
    assert moved.since == START + timedelta(hours=1)
    assert len(await world.facts.sources(fact.id)) == 2


async def test_a_value_that_came_between_two_statements_of_another_splits_them(world: LedgerWorld) -> None:
    await world.state("car", "Saab", hour=1)
    await world.state("car", "Saab", hour=5)
    await world.state("car", "Volvo", hour=3)

    assert _told(await world.facts.history()) == [("Saab", "superseded"), ("Volvo", "superseded"), ("Saab", "active")]


async def test_near_twins_stay_apart(world: LedgerWorld) -> None:
    twins = [
        ("Anna's birthday", "3 May"),
        ("Anne's birthday", "5 May"),
        ("invoice 1042 due date", "7 May"),
        ("invoice 1043 due date", "9 May"),
        ("flight from Riga to Oslo", "AB12"),
        ("flight from Oslo to Riga", "AB13"),
        ("Hans' phone", "111"),
        ("Han's phone", "222"),
        ("his birthday", "1 June"),
        ("birthday", "2 June"),
    ]
    for subject, value in twins:
        await world.state(subject, value)

    assert await world.values() == [value for _, value in twins]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tax report deadline", "Deadline of the Tax Reports"),
        ("Anna's birthday", "birthday of Anna"),
        ("цвет ёлки", "Цвет елки"),
        ("ﬁnal exam", "final  exam."),
        ("my favourite colour", "favourite colour"),
        ("die Adresse", "Adresse"),
    ],
)
async def test_wordings_of_one_subject_share_one_current_value(world: LedgerWorld, one: str, other: str) -> None:
    await world.state(one, "first", hour=0)
    await world.state(other, "second", hour=1)

    assert await world.values() == ["second"]


async def test_a_retraction_leaves_nothing_current_and_an_older_statement_does_not_return(world: LedgerWorld) -> None:
    dog = await world.state("dog", "Rex", hour=4)
    await world.retract(dog, hour=6)
    await world.state("dog", "Bello", hour=1)

    assert await world.values() == []
    assert _told(await world.facts.history()) == [("Bello", "superseded"), ("Rex", "retracted")]


async def test_a_retraction_does_not_end_what_was_said_after_it(world: LedgerWorld) -> None:
    rex = await world.state("dog", "Rex", hour=1)
    await world.state("dog", "Bello", hour=8)
    retracted = await world.retract(rex, hour=4)

    assert await world.values() == ["Bello"]
    assert (retracted.status, retracted.until) == ("retracted", START + timedelta(hours=4))


async def test_a_value_stated_again_after_its_retraction_is_a_fact_of_its_own(world: LedgerWorld) -> None:
    first = await world.state("dog", "Rex", hour=1)
    await world.retract(first, hour=2)
    second = await world.state("dog", "Rex", hour=3)

    assert second.id != first.id
    assert second.replaces is None
    assert await world.values() == ["Rex"]


async def test_a_correction_taken_back_leaves_the_old_value(world: LedgerWorld) -> None:
    await world.state("car", "Saab", hour=1)
    new = await world.state("car", "Volvo", hour=2)

    await world.take_back(new)

    assert await world.values() == ["Saab"]


async def test_a_retraction_taken_back_leaves_the_fact_as_it_was(world: LedgerWorld) -> None:
    fact = await world.state("car", "Saab", hour=1)
    await world.retract(fact, hour=2)
    async with world.db.transaction():
        await world.facts.withdraw_message(2)

    assert await world.values() == ["Saab"]
    assert (await world.facts.fact(fact.id)).until is None


async def test_a_statement_taken_back_is_not_entered_again_from_the_same_message(world: LedgerWorld) -> None:
    fact = await world.state("car", "Saab")
    await world.take_back(fact)
    async with world.db.transaction():
        assert fact.message_id is not None
        await world.facts.add(
            Statement("user_attribute", "car", "Saab", "car: Saab", "?", ("Saab",), fact.since, fact.message_id)
        )

    assert await world.values() == []
    assert len(await world.facts.history()) == 1


async def test_a_withdrawn_message_leaves_facts_that_others_state_too(world: LedgerWorld) -> None:
    both = await world.state("car", "Saab", hour=1)
    await world.state("car", "Saab", hour=2)
    alone = await world.state("dog", "Rex", hour=1)
    assert both.message_id is not None
    assert alone.message_id is not None

    async with world.db.transaction():
        await world.facts.withdraw_message(both.message_id)
        await world.facts.withdraw_message(alone.message_id)

    assert await world.values() == ["Saab"]
    assert (await world.facts.fact(both.id)).since == START + timedelta(hours=2)
    assert (await world.facts.fact(alone.id)).status == "retracted"


async def test_a_failure_between_the_statements_of_a_change_leaves_the_old_value(world: LedgerWorld) -> None:
    await world.state("car", "Saab", hour=1)
    with pytest.raises(ZeroDivisionError):
        async with world.db.transaction():
            later = START + timedelta(days=1)
            await world.facts.add(Statement("user_attribute", "car", "Volvo", "q", "?", ("Volvo",), later, 1))
            _ = 1 / 0

    assert await world.values() == ["Saab"]


async def test_nearest_prefers_shared_rare_words_and_keeps_room_for_the_newest(world: LedgerWorld) -> None:
    await world.state("tax report deadline", "Friday", hour=0)
    for hour in range(1, 13):
        await world.state(f"thing number {hour}", f"report {hour}", hour=hour)

    near = await world.facts.nearest("the taxes report moved", 6)

    assert near[0].subject == "tax report deadline"
    assert {fact.value for fact in near} >= {"report 12", "report 11"}
    assert len(near) == 6


async def test_only_active_facts_are_found_by_their_words(world: LedgerWorld) -> None:
    await world.state("archive database", "Postgres", hour=1)
    await world.state("archive database", "MariaDB", hour=2)

    (row,) = await world.db.fetch_all("SELECT count(*) FROM fact_terms WHERE fact_id = 1")
    assert row[0] == 0
    assert [fact.value for fact in await world.facts.nearest("Postgres", 1)] == ["MariaDB"]


async def test_an_id_that_is_not_there_is_named(world: LedgerWorld) -> None:
    with pytest.raises(UnknownId) as caught:
        await world.facts.fact(99)
    assert caught.value.ref == "f99"


async def test_the_database_itself_refuses_two_current_values(world: LedgerWorld) -> None:
    fact = await world.state("car", "Saab")
    with pytest.raises(sqlite3.IntegrityError):
        async with world.db.transaction():
            await world.db.execute(
                "INSERT INTO facts (kind, subject, subject_key, value, value_key, quote, question, patterns, critical,"
                " status, since, created_at) SELECT kind, subject, subject_key, 'Volvo', 'volvo', quote, question,"
                " patterns, critical, status, since, created_at FROM facts WHERE id = ?",
                (fact.id,),
            )


async def test_a_write_reads_by_index_and_never_the_whole_ledger(world: LedgerWorld) -> None:
    await world.state("car", "Saab")
    plan = await world.db.fetch_all(
        "EXPLAIN QUERY PLAN SELECT * FROM facts f WHERE f.subject_key = 'car'"
        " AND f.status IN ('active', 'superseded', 'retracted') AND f.withdrawn_at IS NULL"
    )
    assert all("SCAN" not in row["detail"] for row in plan)


_EVENTS = st.lists(
    st.tuples(st.sampled_from(["Saab", "Volvo", "Fiat", None]), st.integers(0, 12)),
    min_size=1,
    max_size=7,
    unique_by=lambda event: event[1],
)


@settings(max_examples=40, deadline=None)
@given(events=_EVENTS, data=st.data())
def test_any_order_of_learning_leaves_the_newest_statement_current_and_no_gap(
    events: list[tuple[str | None, int]], data: st.DataObject
) -> None:
    """A None takes back what was current then."""
    shuffled = data.draw(st.permutations(events))
    asyncio.run(_any_order(events, list(shuffled)))


async def _any_order(events: list[tuple[str | None, int]], shuffled: list[tuple[str | None, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_world(Path(folder)) as world:
            anchor = await world.state("car", "Trabant", hour=-5)
            for value, hour in shuffled:
                if value is None:
                    await world.retract(anchor, hour=hour)
                else:
                    await world.state("car", value, hour=hour)
            history = await world.facts.history()

    told = [("Trabant", -5), *sorted(events, key=lambda event: event[1])]
    assert [fact.value for fact in history if fact.status == "active"] == [v for v, _ in told[-1:] if v is not None]
    assert [(fact.value, fact.since, fact.until) for fact in history] == _expected(told)


def _expected(told: list[tuple[str | None, int]]) -> list[tuple[str, object, object]]:
    """Return the runs of equal values: since their first statement until what ended them."""
    runs: list[tuple[str | None, int]] = []
    for value, hour in told:
        if not runs or runs[-1][0] != value:
            runs.append((value, hour))
    ends = [START + timedelta(hours=hour) for _, hour in runs[1:]]
    return [
        (value, START + timedelta(hours=hour), end)
        for (value, hour), end in itertools.zip_longest(runs, ends)
        if value is not None
    ]
