"""After something else has worked in the folder of files: what no path reaches is gone, the rest is plain."""

import os
import stat
import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.store.files import NO_NAME, NO_PLAIN_FILE, TWIN, FileStore

TEXT = "Tram 28"


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    store = FileStore(tmp_path / "files")
    store.write("trips/lisbon.md", TEXT.encode())
    return store


def test_a_folder_that_is_not_there_needs_no_sweeping(tmp_path: Path) -> None:
    assert FileStore(tmp_path / "files").sweep() == {}


def test_plain_files_stay_and_nothing_is_said(store: FileStore) -> None:
    assert store.sweep() == {}
    assert store.read("trips/lisbon.md") == TEXT.encode()


def test_links_pipes_and_hidden_names_go(store: FileStore, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text(TEXT)
    folder = store.folder
    (folder / "link.txt").symlink_to(outside / "kept.txt")
    (folder / "up").symlink_to(outside)
    os.link(folder / "trips" / "lisbon.md", folder / "same.md")
    os.mkfifo(folder / "pipe")
    (folder / ".cache" / "deep").mkdir(parents=True)
    (folder / ".cache" / "deep" / "x").write_text(TEXT)
    (folder / "trips" / ".hidden").write_text(TEXT)
    gone = store.sweep()
    assert list(gone) == [".cache", "link.txt", "pipe", "same.md", "trips/.hidden", "up"]
    assert [gone[".cache"], gone["link.txt"], gone["pipe"], gone["same.md"]] == [NO_NAME, *[NO_PLAIN_FILE] * 3]
    assert [file.path for file in store.listed()] == ["trips/lisbon.md"]
    assert (outside / "kept.txt").read_text() == TEXT


def test_each_folder_is_looked_through_but_once_however_much_goes(store: FileStore) -> None:
    for number in range(50):
        (store.folder / f".d{number}" / "x").mkdir(parents=True)
        (store.folder / f".f{number}").touch()
    looked: list[int | None] = []

    def watch(frame: FrameType, event: str, what: object) -> None:
        if event == "c_call" and what is os.listdir:
            looked.append(frame.f_lineno)

    sys.setprofile(watch)
    try:
        gone = store.sweep()
    finally:
        sys.setprofile(None)
    assert len(gone) == 100
    assert len(looked) == 100 + len({"free names", "top", "trips"})


@pytest.mark.parametrize("spellings", [("\u00e9.txt", "e\u0301.txt"), ("E\u0301.txt", "e\u0301.txt")])
def test_of_two_spellings_of_a_name_the_one_that_is_read_stays(store: FileStore, spellings: tuple[str, str]) -> None:
    for name in (*spellings, "a.txt", "A.txt"):
        (store.folder / name).write_text(name)
    read = store.read("\u00e9.txt").decode()
    ((gone, why),) = store.sweep().items()
    assert {read, gone} == set(spellings)
    assert why == TWIN
    assert [store.read(file.path).decode() for file in store.listed()][:2] == ["A.txt", "a.txt"]


def test_of_a_file_with_two_names_one_stays(store: FileStore) -> None:
    os.link(store.folder / "trips" / "lisbon.md", store.folder / "a.md")
    store.sweep()
    assert len(store.listed()) == 1


def test_what_may_not_be_read_can_be_read_again(store: FileStore) -> None:
    (store.folder / "trips" / "lisbon.md").chmod(0o4000)
    (store.folder / "trips").chmod(0)
    store.folder.chmod(0)
    assert store.sweep() == {}
    assert store.read("trips/lisbon.md") == TEXT.encode()
    assert stat.S_IMODE((store.folder / "trips" / "lisbon.md").stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_what_lies_deeper_than_can_be_climbed_goes(store: FileStore) -> None:
    opened = os.open(store.folder, os.O_RDONLY)
    for _ in range(1_500):
        os.mkdir("d", dir_fd=opened)
        below = os.open("d", os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = below
    os.close(opened)
    (store.folder / ".gone0").write_text(TEXT)
    assert list(store.sweep()) == [".gone0", "d/d/d/d/d/d"]
    assert [file.path for file in store.listed()] == ["trips/lisbon.md"]


def test_a_file_that_is_being_written_is_left_alone(store: FileStore) -> None:
    (store.folder / ".unfinished").write_text(TEXT)
    assert store.sweep() == {}
    assert (store.folder / ".unfinished").exists()


@given(names=st.lists(st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name)), max_size=8))
def test_whatever_the_names_every_file_that_stays_can_be_read(
    names: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = FileStore(tmp_path_factory.mktemp("home") / "files")
    store.write("a.txt", b"a")
    for name in set(names) - {b".", b".."}:
        Path(store.folder, os.fsdecode(name)).write_bytes(b"x")
    store.sweep()
    for file in store.listed():
        assert store.read(file.path)
    assert len(list(store.folder.iterdir())) == len(store.listed())
