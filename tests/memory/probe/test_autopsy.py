"""The autopsy: each layer is broken on purpose, and named."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.turn.prompt import Ceilings
from memory.probe.arms import Evidence
from memory.probe.autopsy import vanished
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.memory.probe.assistant import Assembler
from tests.memory.probe.world import DAY, World, open_world

VET = "Our vet is Dr. Okonkwo in Lindgasse"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path, FakeClock()) as opened:
        await opened.tell(VET, "vet", "Dr. Okonkwo", question="Who is our vet?")
        await opened.tell("My gym is Ironworks", "gym", "Ironworks", question="What is my gym?")
        yield opened


LINE_GONE = "UPDATE facts SET status = 'pending' WHERE id = 1"


async def lost(world: World, *damage: str) -> tuple[str, str]:
    """Damage a memory whose fact f1 was examined as it stood before, and return what the autopsy says."""
    case = await world.case("f1")
    await world.damage(*damage)
    present = await world.assistant.assemble(case.question)
    return await world.autopsy(Evidence(case, present))


@pytest.mark.parametrize(
    ("layer", "words", "damage"),
    [
        ("stored", "is gone", "DELETE FROM messages WHERE id = 1"),
        ("stored", "not what was cut", "UPDATE messages SET text = 'Our vet is away' WHERE id = 1"),
        ("active", "says pending", LINE_GONE),
        ("active", "recognise", "UPDATE facts SET value = 'Dr. Adebayo' WHERE id = 1"),
        ("active", "newer", "UPDATE facts SET replaces = 1 WHERE id = 2"),
    ],
)
async def test_a_damaged_row_is_named(world: World, layer: str, words: str, damage: str) -> None:
    found = await lost(world, damage)
    assert found[0] == layer
    assert words in found[1]


async def test_a_value_that_nobody_said_is_named(world: World) -> None:
    await world.damage("UPDATE facts SET value = 'Dr. Adebayo', patterns = '[\"Adebayo\"]' WHERE id = 1")
    assert await lost(world) == ("active", "its source does not say its value")


async def test_a_row_that_is_gone_is_named(world: World) -> None:
    assert await lost(world, "DELETE FROM facts WHERE id = 1") == ("extracted", "its row is gone")
    assert await vanished(world.space, "f1", 1) == ("extracted", "its row is gone")


async def test_a_line_that_does_not_fit_is_named(world: World) -> None:
    world.assistant = Assembler(world.space, ceilings=Ceilings(ledger_tokens=5))
    assert (await lost(world, "DELETE FROM segment_terms"))[0] == "rendered"


@pytest.mark.parametrize(
    ("layer", "words", "damage"),
    [
        ("segment", "no segment", ("DELETE FROM segment_terms", "DELETE FROM segments WHERE message_id = 1")),
        ("indexed", "no row", ("DELETE FROM segment_terms WHERE segment_id = 1",)),
        ("indexed", "other words", ("UPDATE segment_terms SET body = 'nonsense' WHERE segment_id = 1",)),
        ("indexed", "full-text", ("INSERT INTO segments_fts (segments_fts) VALUES ('delete-all')",)),
    ],
)
async def test_a_source_that_recall_does_not_bring_is_traced_without_the_ledger(
    world: World, layer: str, words: str, damage: tuple[str, ...]
) -> None:
    await world.damage(*damage)
    evidence = await world.examine("f1")
    assert "ledger" in evidence.present_layers
    assert evidence.source == "lost"
    found = await world.autopsy(evidence)
    assert found[0] == layer
    assert words in found[1]


async def test_a_source_that_is_below_the_floor_is_named(world: World) -> None:
    await world.damage("UPDATE facts SET question = 'Which animal doctor do the neighbours praise?' WHERE id = 1")
    evidence = await world.examine("f1")
    assert evidence.source == "lost"
    assert (await world.autopsy(evidence))[0] in {"ranked", "packed"}


async def test_a_source_that_does_not_fit_is_named(world: World) -> None:
    world.assistant = Assembler(world.space, ceilings=Ceilings(recall_tokens=0))
    evidence = await world.examine("f1")
    assert evidence.source == "lost"
    assert (await world.autopsy(evidence))[0] in {"packed", "read"}


async def test_a_missing_vector_is_named(tmp_path: Path) -> None:
    async with open_world(tmp_path, FakeClock(), embedder=FakeEmbedder()) as world:
        await world.tell(VET, "vet", "Dr. Okonkwo", question="Who is our vet?")
        while await world.space.vectors.fill():
            pass
        await world.damage("DELETE FROM vectors WHERE segment_id = 1", "DELETE FROM vectors_due")
        evidence = await world.examine("f1")
        assert await world.autopsy(evidence) == ("indexed", "it has no vector")


async def test_what_stands_in_the_prompt_was_lost_in_reading(world: World) -> None:
    assert (await world.autopsy(await world.examine("f1")))[0] == "read"


# What is not there any more


@pytest.mark.parametrize(
    ("layer", "damage"),
    [
        ("stored", "DELETE FROM messages WHERE id = 1"),
        ("active", "UPDATE facts SET status = 'superseded' WHERE id = 1"),
        ("active", "UPDATE facts SET status = 'retracted', until = since WHERE id = 1"),
        ("active", "UPDATE facts SET status = 'forgotten' WHERE id = 1"),
    ],
)
async def test_a_fact_that_vanished_unsaid_is_lost(world: World, layer: str, damage: str) -> None:
    await world.damage(damage)
    found = await vanished(world.space, "f1", 1)
    assert found is not None
    assert found[0] == layer


async def test_a_fact_that_was_retracted_forgotten_or_changed_went_rightly(world: World) -> None:
    await world.tell("The fair is on 12 March", "fair", "12 March", question="When is the fair?")
    world.clock.advance(DAY)
    await world.tell("The fair is on 14 March now", "fair", "14 March", question="When is the fair?", replaces="f3")
    async with world.space.db.transaction():
        await world.space.facts.retract(2, at=world.clock.now())
    await world.forget("f1")
    for ref in ("f1", "f2", "f3"):
        assert await vanished(world.space, ref, None) is None


async def test_a_statement_that_was_undone_went_rightly(world: World) -> None:
    change = await world.space.facts.changes.last()
    assert change is not None
    async with world.space.db.transaction():
        await world.space.facts.changes.undo(change)
    assert await vanished(world.space, f"f{change.fact_id}", change.message_id) is None
