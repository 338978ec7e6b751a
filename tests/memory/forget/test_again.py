"""A restored file that is older than a forgetting brings nothing back."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from memory.forget import effects, effects_of_everything, forget_again, rows_of_everything
from memory.forget.masking import MASK
from memory.space import Space
from memory.store.jobs import FORGET_EFFECTS
from tests.fakes.clock import FakeClock
from tests.memory.forget.world import CANARY, QUOTE, TOLD, World, everywhere, open_world


@asynccontextmanager
async def restored(home: Path, backup: Path, clock: FakeClock) -> AsyncIterator[World]:
    """Put a backup in the place of the memory, which must be closed, and open it."""
    folder = home / "spaces" / "ana"
    for path in folder.glob("memory.db*"):
        path.unlink()
    shutil.copy(backup, folder / "memory.db")
    clock.advance(3600)
    async with open_world(home, clock) as world:
        yield world


async def forget_after_backup(home: Path, *refs: str, clock: FakeClock) -> Path:
    """Have the canary everywhere, make a backup, forget, close; return the backup."""
    backup = home / "backups" / "before.db"
    async with open_world(home, clock) as world:
        await everywhere(world)
        await world.space.db.backup_to(backup)
        for ref in refs:
            await world.forget(ref)
    return backup


async def test_a_restored_file_loses_a_forgotten_fact_again(tmp_path: Path, clock: FakeClock) -> None:
    backup = await forget_after_backup(tmp_path, "f1", clock=clock)

    async with restored(tmp_path, backup, clock) as world:
        assert await world.columns_with("zanzibar")
        assert await forget_again(world.space, world.tombstones) > 0
        await effects(world.space)

        assert await world.columns_with("zanzibar") == {}
        assert world.files_with("zanzibar") == []
        assert (
            await world.space.sessions.message(3)
        ).text == f"Good that you ask: the {MASK}. Box 9 stays in the attic."


async def test_a_restored_file_loses_a_forgotten_message_and_a_forgotten_turn_again(
    tmp_path: Path, clock: FakeClock
) -> None:
    backup = await forget_after_backup(tmp_path, "m3", "t4", clock=clock)

    async with restored(tmp_path, backup, clock) as world:
        await forget_again(world.space, world.tombstones)
        await effects(world.space)

        for word in ("zanzibar", "good that you ask", "box 0"):
            assert await world.columns_with(word) == {}, word
        texts = [message.text for message in await world.space.sessions.messages(range(1, 40))]
        assert any("Box 1 stands in the cellar" in text for text in texts)


async def test_the_words_go_even_where_the_older_file_knew_no_fact_of_them(tmp_path: Path, clock: FakeClock) -> None:
    """The backup was made before the message was read for facts; reading it now would find the fact once more."""
    backup = tmp_path / "backups" / "before.db"
    async with open_world(tmp_path, clock) as world:
        await world.turn(TOLD, world.answer("Noted."))
        await world.space.db.backup_to(backup)
        await world.learn(1)
        await world.forget("f1")

    async with restored(tmp_path, backup, clock) as world:
        await forget_again(world.space, world.tombstones)

        assert (await world.space.sessions.message(1)).text == f"Good that you ask: {MASK}. Box 9 stays in the attic."


async def test_a_mention_that_was_left_stands_in_the_restored_file_too(tmp_path: Path, clock: FakeClock) -> None:
    backup = tmp_path / "backups" / "before.db"
    mention = f"My neighbour found out that {QUOTE}, so it must be changed."
    async with open_world(tmp_path, clock) as world:
        await world.turn(TOLD, world.answer("Noted."))
        await world.learn(1)
        await world.turn(mention, world.answer("Change it soon."))
        await world.space.db.backup_to(backup)
        await world.forget("f1")

    async with restored(tmp_path, backup, clock) as world:
        await forget_again(world.space, world.tombstones)

        assert (await world.space.sessions.message(3)).text == mention
        assert CANARY not in (await world.space.sessions.message(1)).text


async def test_an_erased_space_stays_empty_when_an_older_file_comes_back(tmp_path: Path, clock: FakeClock) -> None:
    backup = tmp_path / "backups" / "before.db"
    async with open_world(tmp_path, clock) as world:
        await everywhere(world)
        await world.space.db.backup_to(backup)
        async with world.space.db.transaction():
            await rows_of_everything(world.space, world.tombstones)
        await effects_of_everything(world.space)

    async with restored(tmp_path, backup, clock) as world:
        assert await forget_again(world.space, world.tombstones) > 0
        job = await world.space.jobs.next_ready()
        assert job is not None
        assert (job.kind, dict(job.payload)) == (FORGET_EFFECTS, {"everything": 1})
        await effects_of_everything(world.space)

        assert await world.columns_with("zanzibar") == {}
        assert world.files_with("cellar") == []


async def test_a_file_that_knows_of_the_forgetting_is_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    """What the member says again after the forgetting is theirs to say."""
    async with open_world(tmp_path, clock) as world:
        await everywhere(world)
        await world.forget("f1")
        async with world.space.db.transaction():
            await world.space.sessions.end_turn(8, "done")
        await world.turn(TOLD, world.answer("Noted."))
    async with open_world(tmp_path, clock) as world:
        assert await forget_again(world.space, world.tombstones) == 0
        assert await world.columns_with("zanzibar")


async def test_forgetting_again_happens_once(tmp_path: Path, clock: FakeClock) -> None:
    backup = await forget_after_backup(tmp_path, "f1", clock=clock)

    async with restored(tmp_path, backup, clock) as world:
        assert await forget_again(world.space, world.tombstones) > 0
        before = await snapshot(world.space)
        assert await forget_again(world.space, world.tombstones) == 0
        assert await snapshot(world.space) == before


async def snapshot(space: Space) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await space.db.fetch_all("SELECT id, text, body FROM messages ORDER BY id")]
