"""What stays away, what is refused, and what a reader of an export finds in it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from memory.forget import effects, plan, rows
from memory.integrity import examine_rows
from memory.messages import text_message
from memory.store.reminder_rows import Asker, Timing
from memory.transfer.export import export_bytes, export_to
from memory.transfer.shapes import Counts
from memory.transfer.taking_in import BadExportFile, is_export
from tests.bot.backup.home import tell
from tests.fakes.clock import FakeClock
from tests.memory.transfer.test_round_trip import opened, taken


def repacked(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with ZipFile(path.with_name("changed.zip"), "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path.with_name("changed.zip")


LATER = b'{"kind": "remembrancer-export", "format": 99, "space": "1", "zone": "UTC", "made_at": "2027-03-02T09:00:00Z"}'


@pytest.fixture
async def export(tmp_path: Path, clock: FakeClock) -> Path:
    """The export of a memory with a little of everything."""
    async with opened(tmp_path, "1", clock) as (space, _):
        await tell(space, "vet", "Dr. Kern")
        await tell(space, "boat", "Wilma")
        async with space.db.transaction():
            await space.db.execute("UPDATE facts SET private = 1 WHERE value = 'Wilma'")
            await space.reminders.add("feed Rex", Timing(at=clock.now().replace(hour=23)), Asker())
            await space.media.put(b"a picture", "image/png", name="cat.png")
        space.files.write("lists/shopping.txt", b"milk for Rex")
        await export_to(space, tmp_path / "a.zip")
    return tmp_path / "a.zip"


async def test_people_find_pages_and_programs_find_lines(export: Path) -> None:
    with ZipFile(export) as archive:
        names = archive.namelist()
        facts, talk = archive.read("facts.md").decode(), archive.read("talk/2027-03.md").decode()
        (line, *_) = archive.read("messages.jsonl").decode().splitlines()
        readme = archive.read("README.md").decode()
        picture = archive.read(next(name for name in names if name.startswith("media/")))

    assert "- **vet**: Dr. Kern" in facts
    assert "- **boat**: Wilma 🔒" in facts
    assert "> The vet is Dr. Kern." in talk
    assert json.loads(line) == {
        "at": "2027-03-02T09:00:00Z",
        "role": "user",
        "text": "The vet is Dr. Kern.",
        "id": "m1",
    }
    assert "remembrancer import FILE" in readme
    assert picture == b"a picture"
    assert {"reminders.md", "procedures.md", "handoffs.json", "probes.json", "settings.json"} < set(names)


async def test_nothing_of_what_was_forgotten_is_exported(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, "1", clock) as (space, tombstones):
        await tell(space, "safe", "Zanzibar-77")
        async with space.db.transaction():
            await rows(space, await plan(space, "f1"), tombstones)
        await effects(space)

        whole = await export_bytes(space, has_media=True)

    (tmp_path / "a.zip").write_bytes(whole)
    with ZipFile(tmp_path / "a.zip") as archive:
        assert not [name for name in archive.namelist() if b"zanzibar" in archive.read(name).lower()]


async def test_words_of_a_time_to_come_are_refused(tmp_path: Path, export: Path) -> None:
    async with opened(tmp_path, "2", FakeClock(datetime(2026, 1, 1, tzinfo=UTC))) as (space, tombstones):
        with pytest.raises(BadExportFile, match="a time that is still to come"):
            await taken(space, tombstones, export)


async def test_what_was_forgotten_since_the_export_stays_away(tmp_path: Path, clock: FakeClock, export: Path) -> None:
    clock.advance(3600)
    async with opened(tmp_path, "1", clock) as (space, tombstones):
        async with space.db.transaction():
            await rows(space, await plan(space, "f1"), tombstones)
        await effects(space)

        done = await taken(space, tombstones, export)

        assert (done.messages.stored, done.messages.forgotten) == (0, 1)
        assert done.facts == Counts(known=1, left_out=1)
        assert [fact.value for fact in await space.facts.active()] == ["Wilma"]


async def test_what_was_forgotten_before_the_export_is_not_missed_where_it_is_taken_in(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with opened(tmp_path, "1", clock) as (space, tombstones):
        for name in ("Motte", "Pelle", "Quax"):
            await tell(space, f"cat of {name}", name)
        async with space.db.transaction():
            await rows(space, await plan(space, "f1"), tombstones)
        await effects(space)
        await export_to(space, tmp_path / "one.zip")

    async with opened(tmp_path, "2", clock) as (space, tombstones):
        await taken(space, tombstones, tmp_path / "one.zip")

        assert [fact.id for fact in await space.facts.active()] == [2, 3]
        assert await examine_rows(space.db, "2", clock, tombstones=tombstones) == []


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c"])
async def test_a_sign_that_ends_lines_elsewhere_may_stand_in_a_text(
    tmp_path: Path, clock: FakeClock, sign: str
) -> None:
    async with opened(tmp_path, "1", clock) as (space, _):
        await tell(space, "vet", f"Dr.{sign}Kern")
        await export_to(space, tmp_path / "one.zip")

    async with opened(tmp_path, "2", clock) as (space, tombstones):
        done = await taken(space, tombstones, tmp_path / "one.zip")

        assert done.messages.stored == 1
        assert [fact.value for fact in await space.facts.active()] == [f"Dr.{sign}Kern"]


async def test_reminders_and_files_come_once(tmp_path: Path, clock: FakeClock, export: Path) -> None:
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        first = await taken(space, tombstones, export)
        again = await taken(space, tombstones, export)

        assert (first.reminders, first.files) == (Counts(added=1), Counts(added=1))
        assert (again.reminders, again.files) == (Counts(known=1), Counts(known=1))
        assert [one.text for one in await space.reminders.waiting()] == ["feed Rex"]
        assert space.files.read("lists/shopping.txt") == b"milk for Rex"


async def test_a_file_of_that_name_is_not_overwritten(tmp_path: Path, clock: FakeClock, export: Path) -> None:
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        space.files.write("lists/shopping.txt", b"mine")

        done = await taken(space, tombstones, export)

        assert done.files == Counts(left_out=1)
        assert space.files.read("lists/shopping.txt") == b"mine"


@pytest.mark.parametrize("name", ["files/../../evil", "files//etc/evil", "files/.hidden", "files/a:b"])
async def test_no_file_leaves_the_folder(tmp_path: Path, clock: FakeClock, export: Path, name: str) -> None:
    changed = repacked(export, lambda files: files.update({name: b"x"}))
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        done = await taken(space, tombstones, changed)

        assert done.files == Counts(added=1, left_out=1)
        assert [file.path for file in space.files.listed()] == ["lists/shopping.txt"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("facts.json", b"{", "cannot be read"),
        ("facts.json", b'{"facts": [{"id": "f1"}]}', r"facts\.0\."),
        ("messages.jsonl", b'{"at": "2027-03-02T09:00:00Z", "role": "king", "text": "x", "id": "m1"}', "line 1"),
        ("messages.jsonl", b'{"at": "2027-03-02T09:00:00Z", "role": "user", "text": "\\ud800", "id": "m1"}', "line 1"),
        ("messages.jsonl", b"\xff\xfe", "cannot be read"),
        ("reminders.json", b"[" * 100_000, "nested|cannot be read"),
        ("messages.jsonl", b'{"at": "0001-01-01T00:00:00+14:00", "role": "user", "text": "x", "id": "m1"}', "line 1"),
        ("export.json", LATER, "newer Remembrancer"),
    ],
)
async def test_an_export_that_cannot_be_read_says_what_and_stores_nothing(
    tmp_path: Path, clock: FakeClock, export: Path, name: str, content: bytes, told: str
) -> None:
    changed = repacked(export, lambda files: files.update({name: content}))
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        with pytest.raises(BadExportFile, match=told):
            await taken(space, tombstones, changed)

        assert await space.db.fetch_all("SELECT 1 FROM messages") == []


async def test_a_part_that_is_missing_and_a_zip_of_another_kind_are_told(
    tmp_path: Path, clock: FakeClock, export: Path
) -> None:
    async with opened(tmp_path, "2", clock) as (space, tombstones):
        for gone, told in (("facts.json", "incomplete"), ("export.json", "remembrancer restore")):
            changed = repacked(export, lambda files, gone=gone: files.pop(gone))  # type: ignore[misc]
            with pytest.raises(BadExportFile, match=told):
                await taken(space, tombstones, changed)


@pytest.mark.parametrize(
    "odd",
    [
        {"state": "waiting", "next_at": None},
        {"repeats": {"kind": "never"}},
        {"repeats": {"kind": "daily", "at": "09:00"}, "wall": None},
        {"wall": "2027-13-45T99:99:99"},
        {"text": "  "},
        {"text": "x" * 2000},
    ],
)
async def test_an_odd_reminder_is_left_out_and_all_else_comes(
    tmp_path: Path, clock: FakeClock, export: Path, odd: dict[str, object]
) -> None:
    def change(files: dict[str, bytes]) -> None:
        told = json.loads(files["reminders.json"])
        told["reminders"][0] |= odd
        files["reminders.json"] = json.dumps(told).encode()

    async with opened(tmp_path, "2", clock) as (space, tombstones):
        done = await taken(space, tombstones, repacked(export, change))

        assert (done.reminders, done.facts.added) == (Counts(left_out=1), 2)


async def test_the_lines_alone_can_be_imported_too(tmp_path: Path, export: Path) -> None:
    assert is_export(export)
    with ZipFile(export) as archive:
        lines = Path(archive.extract("messages.jsonl", tmp_path))
    assert not is_export(lines)


async def test_edits_are_shown_as_they_are_now(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, "1", clock) as (space, _):
        async with space.db.transaction():
            session = await space.sessions.current_session()
            first = await space.sessions.append(
                text_message("user", "teh vet", clock.now(), source="a"), session_id=session
            )
            for text in ("the ved", "the vet"):
                said = text_message("user", text, clock.now(), source=text)
                await space.sessions.append(said, session_id=session, replaces=first.id)
        await export_to(space, tmp_path / "a.zip")

    with ZipFile(tmp_path / "a.zip") as archive:
        talk = archive.read("talk/2027-03.md").decode()
    assert [line for line in talk.splitlines() if line.startswith(">")] == ["> the vet"]
