"""`doctor --deep`: beside a server it only looks, alone it also makes anew what is derived."""

from pathlib import Path
from zoneinfo import ZoneInfo

from bot.deep import look_deep
from bot.health import Finding
from bot.home import Home
from memory.messages import text_message
from memory.space import Space
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")


async def looked(home: Home, clock: FakeClock) -> list[Finding]:
    return [finding async for finding in look_deep(home, clock=clock, zone=ZONE)]


async def memory(root: Path, clock: FakeClock, *damage: str) -> Home:
    """Make a home with one memory of one message, and damage it."""
    home = Home(root / "home")
    space = await Space.open(home.create_space("local").path, default_zone=ZONE, clock=clock, backups=home.backups)
    async with space.db.transaction():
        session = await space.sessions.current_session()
        stored = await space.sessions.append(
            text_message("user", "Our vet is Dr. Brandt.", clock.now()), session_id=session
        )
        await space.segments.store(stored)
        for statement in damage:
            await space.db.execute(statement)
    await space.close()
    return home


LOST_TERMS = "UPDATE segment_terms SET body = 'other'"


async def test_a_home_without_memories_is_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path / "none")

    assert await looked(home, clock) == []
    assert not home.root.exists()


async def test_a_whole_memory_is_well(tmp_path: Path, clock: FakeClock) -> None:
    (found,) = await looked(await memory(tmp_path, clock), clock)

    assert found.line() == "✓ spaces/local, every hash and index: all of it agrees"


async def test_what_is_derived_is_rebuilt_once_and_well_the_next_time(tmp_path: Path, clock: FakeClock) -> None:
    home = await memory(tmp_path, clock, LOST_TERMS)

    (first,) = await looked(home, clock)
    (second,) = await looked(home, clock)

    assert not first.is_well
    assert first.detail.startswith("rebuilt: index (1 segments have terms that are not those of their words)")
    assert second.is_well


async def test_beside_a_server_nothing_is_changed(tmp_path: Path, clock: FakeClock) -> None:
    home = await memory(tmp_path, clock, LOST_TERMS)

    with home.locked():
        before = home.space("local").database.read_bytes()
        (found,) = await looked(home, clock)
        after = home.space("local").database.read_bytes()

    assert not found.is_well
    assert "run this again" in found.detail
    assert before == after


async def test_damaged_words_are_told_and_never_touched(tmp_path: Path, clock: FakeClock) -> None:
    home = await memory(tmp_path, clock, "UPDATE segments SET sha256 = 'beef'")

    found = await looked(home, clock) + await looked(home, clock)

    assert [finding.is_well for finding in found] == [False, False]
    assert "bring a backup back" in found[0].detail
    assert "Brandt" not in found[0].detail
