"""A restore brings back what a backup holds, keeps what it replaces, and leaves forgotten what was forgotten since."""

import shutil
from pathlib import Path

import pytest

from bot.backup.manifest import BadBackup
from bot.backup.restore import restore
from bot.backup.swap import has_unfinished
from bot.home import Home
from bot.telegram.chats import ChatStore
from memory.errors import NewerSchema
from memory.forget import effects, forget_again, plan, rows
from memory.integrity import examine_rows
from memory.store.reminder_rows import Asker, Timing
from memory.store.tombstones import Burial, RowBurial, Tombstones
from tests.bot.backup.home import back_up, bot_of, space_of, tell, tombstones_of, tree, values_in
from tests.fakes.clock import FakeClock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "state")


@pytest.fixture
async def backup(home: Home, clock: FakeClock) -> Path:
    """A home with one fact, backed up; another fact, and another space, came later."""
    async with bot_of(home, clock), space_of(home, "42", clock) as space:
        await tell(space, "vet", "Dr. Kern")
        written = back_up(home, "one.zip", clock)
        clock.advance(3600)
        await tell(space, "boat", "Wilma")
        async with space_of(home, "99", clock) as other:
            await tell(other, "car", "red")
    return written.path


async def test_what_was_there_comes_back_and_what_it_replaces_is_kept(
    home: Home, backup: Path, clock: FakeClock, tmp_path: Path
) -> None:
    done = await restore(home, backup, clock)

    assert await values_in(home, "42", clock) == ["Dr. Kern"]
    assert await values_in(home, "99", clock) == ["red"]
    assert done.kept_in is not None
    former = Home(tmp_path / "former")
    shutil.copytree(done.kept_in, former.root)
    assert await values_in(former, "42", clock) == ["Dr. Kern", "Wilma"]


async def test_a_log_beside_the_old_file_is_not_read_into_the_new_one(
    home: Home, backup: Path, clock: FakeClock
) -> None:
    async with space_of(home, "42", clock) as space:
        await tell(space, "dog", "Rex")
        # As after a kill: the newest rows stand in the log alone.
        left = {path: path.read_bytes() for path in space.folder.glob("memory.db*")}
    for path, content in left.items():
        path.write_bytes(content)

    await restore(home, backup, clock)

    assert await values_in(home, "42", clock) == ["Dr. Kern"]


async def test_what_was_forgotten_since_the_backup_does_not_come_back(
    home: Home, backup: Path, clock: FakeClock
) -> None:
    async with tombstones_of(home, clock) as tombstones, space_of(home, "42", clock) as space:
        async with space.db.transaction():
            await rows(space, await plan(space, "f1"), tombstones)
        await effects(space)

    await restore(home, backup, clock)

    async with tombstones_of(home, clock) as tombstones, space_of(home, "42", clock) as space:
        assert [fact.value for fact in await space.facts.active()] == ["Dr. Kern"]
        assert await forget_again(space, tombstones) == 1
        assert await space.facts.active() == []
        assert "Kern" not in (await space.sessions.message(1)).text


async def test_what_the_backup_knows_of_forgetting_is_kept_in_a_home_that_is_new(
    home: Home, clock: FakeClock, tmp_path: Path
) -> None:
    async with tombstones_of(home, clock) as tombstones, space_of(home, "42", clock) as space:
        await tell(space, "vet", "Dr. Kern")
        async with space.db.transaction():
            await rows(space, await plan(space, "f1"), tombstones)
        written = back_up(home, "one.zip", clock)

    new = Home(tmp_path / "elsewhere")
    done = await restore(new, written.path, clock)

    assert done.kept_in is None
    said_at = FakeClock().now()
    async with tombstones_of(new, clock) as tombstones:
        assert await tombstones.covers("42", "The vet is Dr. Kern.", said_at=said_at)


async def test_what_two_homes_know_of_forgetting_is_known_together(
    home: Home, backup: Path, clock: FakeClock, tmp_path: Path
) -> None:
    async with tombstones_of(home, clock) as tombstones:
        await tombstones.add("42", [Burial("fact", "the boat is Wilma")])
    written = back_up(home, "two.zip", clock)
    other = Home(tmp_path / "elsewhere")
    async with space_of(home, "42", clock) as space:
        vet = await space.facts.fact(1)
    async with tombstones_of(other, clock) as tombstones:
        # Another home, another salt.
        await tombstones.add("42", [RowBurial("value", vet.id, vet.since, vet.quote)])

    await restore(other, written.path, clock)

    said_at = FakeClock().now()
    async with tombstones_of(other, clock) as tombstones, space_of(other, "42", clock) as space:
        assert await tombstones.covers("42", "I said the boat is Wilma", said_at=said_at)
        assert await forget_again(space, tombstones) == 1
        assert [fact.value for fact in await space.facts.active()] == ["Wilma"]


async def test_who_may_speak_here_is_as_it_is_now_and_chats_that_are_not_known_any_more_come_back(
    home: Home, clock: FakeClock
) -> None:
    async with bot_of(home, clock) as bot, space_of(home, "42", clock):
        chats = ChatStore(bot, clock)
        await chats.move(-5, -100)
        async with bot.transaction():
            for chat_id in (7, 8):
                await bot.execute("INSERT INTO chats VALUES (?, '42', NULL, '2027')", (chat_id,))
                await bot.execute("INSERT INTO admissions VALUES (?, 'admitted', NULL, '2027', NULL)", (chat_id,))
        written = back_up(home, "one.zip", clock)
        async with bot.transaction():
            await bot.execute("UPDATE admissions SET state = 'removed' WHERE chat_id = 7")
            await bot.execute("UPDATE chats SET paused_at = '2028' WHERE chat_id = 7")
            await bot.execute("DELETE FROM chats WHERE chat_id = 8")
            await bot.execute("INSERT INTO chats VALUES (9, '9', NULL, '2028')")

    await restore(home, written.path, clock)

    async with bot_of(home, clock) as bot:
        kept = {row["chat_id"]: row["paused_at"] for row in await bot.fetch_all("SELECT * FROM chats")}
        states = {row["chat_id"]: row["state"] for row in await bot.fetch_all("SELECT * FROM admissions")}
    assert {number: kept[number] for number in (7, 8, 9)} == {7: "2028", 8: None, 9: None}
    assert states == {7: "removed", 8: "admitted"}


async def test_an_id_that_was_given_since_is_not_given_again(home: Home, backup: Path, clock: FakeClock) -> None:
    await restore(home, backup, clock)

    async with space_of(home, "42", clock) as space:
        # f2 was the boat: a button of that time must not mean another fact now.
        assert await tell(space, "cat", "Minka") == 3


async def test_what_came_after_the_backup_is_not_missed_where_it_is_restored(
    home: Home, backup: Path, clock: FakeClock
) -> None:
    for name in ("cat", "dog"):
        await restore(home, backup, clock)
        async with bot_of(home, clock) as bot, space_of(home, "42", clock) as space:
            await tell(space, name, "Minka")
            assert await examine_rows(space.db, "42", clock, tombstones=Tombstones(bot, clock)) == []


async def test_a_reminder_whose_time_passed_meanwhile_is_due_once(home: Home, clock: FakeClock) -> None:
    async with bot_of(home, clock), space_of(home, "42", clock) as space:
        async with space.db.transaction():
            await space.reminders.add("call", Timing(at=clock.now().replace(hour=23)), Asker())
        written = back_up(home, "one.zip", clock)
    clock.advance(7 * 86_400)

    await restore(home, written.path, clock)

    async with space_of(home, "42", clock) as space:
        assert [due.count for due in await space.reminders.due()] == [1]


async def test_the_copy_of_one_memory_goes_where_its_profile_says_and_the_rest_stays(
    home: Home, backup: Path, clock: FakeClock
) -> None:
    night = home.backups / "42-night.db"
    async with space_of(home, "42", clock) as space:
        space.files.write("list.txt", b"milk")
        await space.db.backup_to(night)
        await tell(space, "dog", "Rex")

    done = await restore(home, night, clock)

    assert list(done.spaces) == ["42"]
    assert await values_in(home, "42", clock) == ["Dr. Kern", "Wilma"]
    async with space_of(home, "42", clock) as space:
        assert space.files.read("list.txt") == b"milk"
    assert night.exists()


async def test_over_a_damaged_home_it_restores_and_says_what_it_could_not_keep(
    home: Home, backup: Path, clock: FakeClock
) -> None:
    for path in (home.database, home.space("42").database):
        path.write_bytes(b"no database" * 1000)

    done = await restore(home, backup, clock)

    assert len(done.warnings) == 2
    assert "may have come back" in done.warnings[1]
    assert await values_in(home, "42", clock) == ["Dr. Kern"]


async def test_a_memory_of_a_later_version_is_refused_and_nothing_changes(
    home: Home, backup: Path, clock: FakeClock
) -> None:
    newer = home.backups / "newer.db"
    async with space_of(home, "42", clock) as space:
        async with space.db.transaction():
            await space.db.execute("INSERT INTO migrations VALUES (999, 'later', '', '2027')")
        await space.db.backup_to(newer)
        async with space.db.transaction():
            await space.db.execute("DELETE FROM migrations WHERE version = 999")
    before = tree(home.root)

    with pytest.raises(NewerSchema, match="install that version"):
        await restore(home, newer, clock)

    assert tree(home.root) == before
    assert not has_unfinished(home.root)


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), b"not a zip at all", b"PK\x03\x04 torn"])
async def test_what_is_no_backup_is_refused_and_nothing_changes(
    home: Home, backup: Path, clock: FakeClock, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "odd.zip"
    file.write_bytes(content)
    before = tree(home.root)

    with pytest.raises(BadBackup):
        await restore(home, file, clock)

    assert tree(home.root) == before
