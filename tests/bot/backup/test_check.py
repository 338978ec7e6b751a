"""Whatever an archive holds, nothing of it is used before all of it is what its manifest says."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from bot.backup.check import checked
from bot.backup.manifest import MANIFEST, BadBackup, is_fit
from bot.home import Home
from tests.bot.backup.home import back_up, space_of, tell
from tests.fakes.clock import FakeClock

Files = dict[str, bytes]


@pytest.fixture
async def files(tmp_path: Path, clock: FakeClock) -> Files:
    """The files of a backup, to be packed anew."""
    home = Home(tmp_path / "state")
    async with space_of(home, "42", clock) as space:
        await tell(space, "vet", "Dr. Kern")
        space.files.write("list.txt", b"milk")
        written = back_up(home, "one.zip", clock)
    with ZipFile(written.path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, files: Files, *, more: Callable[[ZipFile], None] = lambda archive: None) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        more(archive)
    return path


def with_manifest(files: Files, change: Callable[[dict[str, object]], None]) -> Files:
    manifest = json.loads(files[MANIFEST])
    change(manifest)
    return {**files, MANIFEST: json.dumps(manifest).encode()}


def named(files: Files, name: str, content: bytes = b"x") -> Files:
    """The files with one more that the manifest names as it is."""

    def change(manifest: dict[str, object]) -> None:
        known = manifest["files"]
        assert isinstance(known, dict)
        known[name] = {"size": len(content), "sha256": "0" * 64}

    return {**with_manifest(files, change), name: content}


def test_a_backup_as_it_was_written_is_unpacked(tmp_path: Path, files: Files) -> None:
    target = tmp_path / "new"
    target.mkdir()

    checked(packed(tmp_path / "b.zip", files), target)

    assert (target / "spaces/42/files/list.txt").read_bytes() == b"milk"
    assert stat.S_IMODE((target / "spaces/42/memory.db").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "spaces/42/../../../evil",
        "spaces/42/files/..",
        "spaces/a b/memory.db",
        "spaces/42\\evil",
        "spaces/42/memory.db-wal",
        "lock",
        "backups/x.zip",
        "spaces/42/",
        "spaces/42/C:/evil",
    ],
)
def test_a_name_that_leads_elsewhere_refuses_the_archive(tmp_path: Path, files: Files, name: str) -> None:
    target = tmp_path / "new"
    target.mkdir()

    with pytest.raises(BadBackup):
        checked(packed(tmp_path / "b.zip", named(files, name)), target)

    assert not is_fit(name)
    assert list(target.iterdir()) == []


def test_a_link_refuses_the_archive(tmp_path: Path, files: Files) -> None:
    link = ZipInfo("spaces/42/files/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    content = b"/etc/passwd"
    listed = named(files, link.filename, content)
    del listed[link.filename]

    with pytest.raises(BadBackup):
        checked(packed(tmp_path / "b.zip", listed, more=lambda archive: archive.writestr(link, content)), tmp_path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_stands_twice_refuses_the_archive(tmp_path: Path, files: Files) -> None:
    twice = packed(tmp_path / "b.zip", files, more=lambda archive: archive.writestr("spaces/42/memory.db", b"other"))

    with pytest.raises(BadBackup):
        checked(twice, None)


def test_a_file_with_other_bytes_refuses_the_archive(tmp_path: Path, files: Files) -> None:
    with pytest.raises(BadBackup, match=r"files/list\.txt is not what was packed"):
        checked(packed(tmp_path / "b.zip", {**files, "spaces/42/files/list.txt": b"silk"}), None)


def test_a_file_that_is_missing_refuses_the_archive(tmp_path: Path, files: Files) -> None:
    del files["spaces/42/memory.db"]

    with pytest.raises(BadBackup, match="incomplete"):
        checked(packed(tmp_path / "b.zip", files), None)


def test_a_file_that_unpacks_to_more_than_the_manifest_says_refuses_the_archive(tmp_path: Path, files: Files) -> None:
    huge = {**named(files, "spaces/42/media/x"), "spaces/42/media/x": bytes(50_000_000)}

    with pytest.raises(BadBackup, match="not what its manifest says"):
        checked(packed(tmp_path / "b.zip", huge), None)


def test_bytes_changed_on_the_disk_refuse_the_archive(tmp_path: Path, files: Files) -> None:
    path = packed(tmp_path / "b.zip", files)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)

    with pytest.raises(BadBackup):
        checked(path, None)


def test_a_later_format_says_what_to_do(tmp_path: Path, files: Files) -> None:
    later = with_manifest(files, lambda manifest: manifest.update(format=99, program="9.0.0"))

    with pytest.raises(BadBackup, match=r"newer Remembrancer \(9\.0\.0\); install that version"):
        checked(packed(tmp_path / "b.zip", later), None)
