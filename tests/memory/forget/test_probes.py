"""What examinations left behind goes with what they examined."""

from memory.forget import plan, rows_of_everything
from memory.probe.gate import gate
from tests.memory.forget.world import CANARY, World, everywhere
from tests.memory.probe.found import case, run


async def examined(world: World, *refs: str) -> None:
    """Have a run in which each of these was lost."""
    found = run(*(case(ref, "lost", layer="ranked") for ref in refs))
    run_id = await world.space.probes.begin(None)
    await world.space.probes.finish(run_id, found, gate(found, []))


async def refs(world: World) -> list[str]:
    last = await world.space.probes.last_done()
    assert last is not None
    alarms = [one.ref for one in await world.space.probes.open_alarms()]
    assert alarms == [one.ref for one in last.run.results]
    return alarms


async def test_a_forgotten_fact_takes_its_results_and_alarms_and_no_others(world: World) -> None:
    fact = await everywhere(world)
    await examined(world, fact.ref, "f99")

    await world.forget(fact.ref)

    assert await refs(world) == ["f99"]


async def test_questions_that_ask_for_it_go_with_it_and_are_counted(world: World) -> None:
    fact = await everywhere(world)
    asked = world.space.probes.questions
    await asked.add("What opens the safe?", CANARY.lower(), patterns=["x"])
    await asked.add("Where is box 2?", "house 502", patterns=["502"])
    await asked.add("Which number?", "77", patterns=["77"], fact_id=fact.id)
    await asked.add("What is Zanzibar 77?", "a code", patterns=["code"])
    await asked.add("How?", "so", patterns=[CANARY])
    await examined(world, "q1", "q2", "q3", "q4", "q5")
    assert (await plan(world.space, fact.ref)).found["questions"] == 4

    receipt = await world.forget(fact.ref)

    assert "4 questions of the probe" in receipt
    assert [one.ref for one in await asked.all()] == ["q2"]
    assert await refs(world) == ["q2"]
    assert await world.columns_with("zanzibar") == {}


async def test_a_forgotten_message_takes_the_questions_in_its_words(world: World) -> None:
    await everywhere(world)
    await world.space.probes.questions.add("Where is box 9?", "Box 9 stays in the attic", patterns=["attic"])

    await world.forget("m3")

    assert await world.space.probes.questions.all() == []


async def test_forgetting_everything_leaves_no_examination(world: World) -> None:
    fact = await everywhere(world)
    await world.space.probes.questions.add("What opens the safe?", CANARY, patterns=["x"], fact_id=fact.id)
    await examined(world, fact.ref, "q1")

    async with world.space.db.transaction():
        report = await rows_of_everything(world.space, world.tombstones)

    assert report.after == 0
    for table in ("probe_runs", "probe_results", "probe_alarms", "probe_questions"):
        assert await world.space.db.fetch_all(f"SELECT 1 FROM {table}") == [], table
