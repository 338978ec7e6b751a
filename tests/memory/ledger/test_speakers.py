"""In a group, what somebody says of themselves is theirs: no one's statement ends another's."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.ledger.extract import Extractor
from memory.ledger.fact_store import FactStore
from memory.ledger.speakers import is_about_speaker, is_anothers, key_of
from memory.messages import Message, TextPart
from memory.store.preferences import Preferences
from tests.fakes.model import ScriptedModel, extracts
from tests.memory.ledger.world import START, LedgerWorld, open_world

ZONE = ZoneInfo("Europe/Berlin")
ANA, BEN = 11, 22
NAMES = {ANA: "Ana", BEN: "Ben"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[LedgerWorld]:
    async with open_world(tmp_path) as opened:
        opened.facts = FactStore(opened.db, opened.clock, is_shared=True)
        yield opened


async def say(world: LedgerWorld, by: int, text: str, hour: int, **change: object) -> list[str]:
    """Have a member say something of which the extractor makes this change; return the receipts."""
    message = Message(
        role="user", parts=(TextPart(text=text),), at=START + timedelta(hours=hour), author=NAMES[by], author_id=by
    )
    async with world.db.transaction():
        stored = await world.sessions.append(message, session_id=await world.sessions.current_session())
    fields = {
        "op": "add", "replaces": None, "kind": "user_attribute", "quote": text.rstrip("."),
        "question": "What is it?", "patterns": [], "critical": False, **change,
    }  # fmt: skip
    with ScriptedModel([extracts(fields)]) as model:
        extractor = Extractor(world.facts, world.sessions, model, world.clock, Preferences(ZONE))
        extraction = await extractor.run(stored.id or 0)
    async with world.db.transaction():
        return [receipt.line(Preferences(ZONE)) for receipt in await extractor.apply(extraction)]


async def current(world: LedgerWorld) -> list[tuple[str | None, str, str]]:
    return [(fact.by, fact.about, fact.value) for fact in await world.facts.active()]


async def test_two_members_say_where_they_live_and_both_do(world: LedgerWorld) -> None:
    await say(world, ANA, "I live in Bremen.", 1, subject="home", value="Bremen")
    lines = await say(world, BEN, "I live in Oslo.", 2, subject="home", value="Oslo")

    assert await current(world) == [("Ana", "home (Ana)", "Bremen"), ("Ben", "home (Ben)", "Oslo")]
    assert lines == ["✎ home (Ben) → Oslo · f2"]


async def test_each_corrects_their_own_whatever_the_extractor_names(world: LedgerWorld) -> None:
    await say(world, ANA, "I live in Bremen.", 1, subject="home", value="Bremen")
    await say(world, BEN, "I live in Oslo.", 2, subject="home", value="Oslo")
    await say(world, BEN, "I live in Turin now.", 3, subject="home", value="Turin", op="replace", replaces="f1")

    assert await current(world) == [("Ana", "home (Ana)", "Bremen"), ("Ben", "home (Ben)", "Turin")]


async def test_nobody_takes_back_what_another_said_of_themselves(world: LedgerWorld) -> None:
    await say(world, ANA, "I live in Bremen.", 1, subject="home", value="Bremen")
    await say(world, BEN, "I do not live in Bremen any more.", 2, subject="home", op="retract", replaces="f1", value="")

    assert await current(world) == [("Ana", "home (Ana)", "Bremen")]

    await say(world, ANA, "I do not live in Bremen any more.", 3, subject="home", op="retract", replaces="f1", value="")
    assert await current(world) == []


async def test_what_is_of_the_group_is_one_for_all(world: LedgerWorld) -> None:
    await say(world, ANA, "The meeting is in room 4.", 1, subject="meeting room", value="room 4", kind="entity")
    await say(world, BEN, "The meeting is in room 7.", 2, subject="meeting room", value="room 7", kind="entity")

    assert await current(world) == [("Ben", "meeting room", "room 7")]


async def test_the_extractor_is_not_shown_what_others_said_of_themselves(world: LedgerWorld) -> None:
    await say(world, ANA, "I live in Bremen.", 1, subject="home", value="Bremen")
    message = Message(role="user", parts=(TextPart(text="I live well."),), at=START, author="Ben", author_id=BEN)
    async with world.db.transaction():
        stored = await world.sessions.append(message, session_id=await world.sessions.current_session())

    with ScriptedModel([extracts()]) as model:
        await Extractor(world.facts, world.sessions, model, world.clock, Preferences(ZONE)).run(stored.id or 0)

    context, facts = model.requests[0].messages[0].text.split("facts:")
    assert "another member (Ana): I live in Bremen." in context
    assert "Bremen" not in facts


@pytest.mark.parametrize(
    ("subject", "quote", "is_theirs"),
    [
        ("car", "my car is a blue Volvo", True),
        ("car", "my old blue car is at the garage", True),
        ("Auto", "mein Auto ist ein Volvo", True),
        ("машина", "моя машина синяя", True),
        ("voiture", "ma voiture est bleue", True),
        ("car", "the car is at the garage", False),
        ("deadline", "my team decided that the deadline is on Friday", False),
        ("budget", "our budget is 4000 euros", False),
    ],
)
def test_what_somebody_calls_theirs_is_about_them(subject: str, quote: str, is_theirs: bool) -> None:
    assert is_about_speaker("entity", subject, quote) is is_theirs


def test_a_key_names_its_owner_only_where_several_speak() -> None:
    assert key_of("user_attribute", "home", "I live here", None) == "home"
    assert is_anothers(key_of("user_attribute", "home", "I live here", ANA), BEN)
    assert not is_anothers(key_of("user_attribute", "home", "I live here", ANA), ANA)
    assert not is_anothers("home", ANA)
