"""A backup holds everything at one moment, beside whoever writes, and has its name only once it was read back."""

import hashlib
import json
import stat
from pathlib import Path
from zipfile import ZipFile

import pytest

from bot.backup.manifest import MANIFEST
from bot.backup.write import UNFINISHED
from bot.home import Home
from memory.errors import DamagedDatabase
from memory.store.copies import contents_of
from tests.bot.backup.home import back_up, bot_of, space_of, tell
from tests.fakes.clock import FakeClock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "state")


async def test_what_was_committed_a_moment_before_is_in_the_copy_while_the_writer_goes_on(
    home: Home, clock: FakeClock, tmp_path: Path
) -> None:
    async with bot_of(home, clock), space_of(home, "42", clock) as space:
        await tell(space, "vet", "Dr. Kern")
        written = back_up(home, "one.zip", clock)
        await tell(space, "boat", "Wilma")

    with ZipFile(written.path) as archive:
        copy = Path(archive.extract("spaces/42/memory.db", tmp_path))
    assert contents_of(copy, "memory").facts == 1
    assert written.manifest.spaces["42"].facts == 1


async def test_it_holds_what_belongs_to_the_memories_and_nothing_else(home: Home, clock: FakeClock) -> None:
    async with bot_of(home, clock), space_of(home, "42", clock) as space:
        await tell(space, "vet", "Dr. Kern")
        async with space.db.transaction():
            part = await space.media.put(b"picture", "image/png")
        space.files.write("lists/shopping.txt", b"milk")
        for folder, name in ((home.logs, "remembrancer.log"), (home.backups, "older.zip"), (home.scratch, "copy.db")):
            folder.mkdir(exist_ok=True)
            (folder / name).write_bytes(b"not this")
        (space.folder / "media" / "half.unfinished").write_bytes(b"nor this")
        (space.folder / "link").symlink_to("/etc/passwd")
        written = back_up(home, "one.zip", clock)

    with ZipFile(written.path) as archive:
        manifest = json.loads(archive.read(MANIFEST))
        packed = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    del packed[MANIFEST]
    assert set(packed) == {
        "bot.db",
        "spaces/42/memory.db",
        f"spaces/42/media/{part.sha256}",
        "spaces/42/files/lists/shopping.txt",
    }
    assert {name: file["sha256"] for name, file in manifest["files"].items()} == packed


async def test_only_its_owner_may_read_it(home: Home, clock: FakeClock) -> None:
    async with space_of(home, "42", clock):
        written = back_up(home, "one.zip", clock)

    assert stat.S_IMODE(written.path.stat().st_mode) == 0o600


async def test_it_overwrites_nothing(home: Home, clock: FakeClock) -> None:
    async with space_of(home, "42", clock):
        written = back_up(home, "one.zip", clock)
        before = written.path.read_bytes()

        with pytest.raises(FileExistsError):
            back_up(home, "one.zip", clock)

    assert written.path.read_bytes() == before


async def test_of_a_damaged_memory_no_backup_is_left(home: Home, clock: FakeClock) -> None:
    async with space_of(home, "42", clock):
        pass
    home.space("42").database.write_bytes(b"no database" * 1000)

    with pytest.raises(DamagedDatabase):
        back_up(home, "one.zip", clock)

    assert list(home.backups.iterdir()) == []


async def test_what_a_killed_backup_left_goes_with_the_next_one(home: Home, clock: FakeClock) -> None:
    async with space_of(home, "42", clock):
        (home.backups / f"{UNFINISHED}abc").mkdir()
        (home.backups / f"{UNFINISHED}abc" / "42.db").write_bytes(b"half a copy")
        (home.backups / ".old.zip.unfinished").write_bytes(b"half an archive")

        back_up(home, "one.zip", clock)

    assert [path.name for path in home.backups.iterdir()] == ["one.zip"]
