"""No path leaves the folder of files, whatever it is made of, and a file is the old one or the new one."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.store.files import FileRefused, FileStore, NoSuchFile

LEAVING = [
    "", "/", ".", "..", "../memory.db", "../../bot.db", "a/../../memory.db", "a/./b", "./a", "a//b", "a/", "/etc/x",
    "~root/../x/.", "..\\memory.db", "C:\\x", "c:x", "a\0b", "a\nb", "a\x1b[2Jb", "\u202egpj.exe", "a\u200bb", ".x",
    ".unfinished", "a/.unfinished", "con", "NUL.txt", "a/LPT1", "Com0.md", "a.", "a ", " a", "a?", "a*", "a|b", '"a"',
    "<a>", "\ud800", "a" * 61, "x/" * 300 + "a", "a/b/c/d/e/f", "．．/memory.db/..",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory.db").write_text("secret")
    return tmp_path / "files"


@pytest.fixture
def store(folder: Path) -> FileStore:
    return FileStore(folder)


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_file_is_written_read_listed_replaced_and_deleted(store: FileStore) -> None:
    assert store.listed() == []
    store.write("trips/lisbon.md", b"one")
    store.write("notes.txt", b"two")
    written = store.write("trips/lisbon.md", b"three")

    assert (written.path, written.size) == ("trips/lisbon.md", 5)
    assert [(file.path, file.size) for file in store.listed()] == [("notes.txt", 3), ("trips/lisbon.md", 5)]
    assert store.read("trips/lisbon.md") == b"three"
    assert store.delete("notes.txt")
    assert not store.delete("notes.txt")
    with pytest.raises(NoSuchFile):
        store.read("notes.txt")


@pytest.mark.parametrize("path", LEAVING)
def test_a_path_that_is_no_plain_name_is_refused_by_every_call(store: FileStore, folder: Path, path: str) -> None:
    before = everything(folder.parent)
    for call in (store.read, store.delete, lambda path: store.write(path, b"x")):
        with pytest.raises(FileRefused):
            call(path)
    assert everything(folder.parent) == before


@given(path=st.text(alphabet=st.sampled_from("ab./\\ ~\0\u202e．é:"), max_size=12) | st.text(max_size=20))
@example(path="a/b")
def test_no_path_at_all_writes_outside(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    root = tmp_path_factory.mktemp("root")
    (root / "memory.db").write_bytes(b"secret")
    store = FileStore(root / "files")
    try:
        written = store.write(path, b"x")
    except FileRefused:
        assert set(everything(root)) == {"memory.db"}
    else:
        assert everything(root) == {"memory.db": b"secret", f"files/{written.path}": b"x"}
        assert store.read(path) == b"x"


def test_links_and_other_things_that_are_no_files_are_not_followed(store: FileStore, folder: Path) -> None:
    store.write("real.txt", b"mine")
    (folder / "link.txt").symlink_to(folder.parent / "memory.db")
    (folder / "out").symlink_to(folder.parent, target_is_directory=True)
    (folder / "twin.txt").hardlink_to(folder.parent / "memory.db")
    os.mkfifo(folder / "pipe")
    (folder / "inner").mkdir()
    for path in ("link.txt", "out/memory.db", "twin.txt", "pipe", "inner"):
        for call in (store.read, lambda path: store.write(path, b"x")):
            with pytest.raises(FileRefused):
                call(path)
    assert (folder.parent / "memory.db").read_text() == "secret"
    store.delete("link.txt")
    assert (folder.parent / "memory.db").exists()
    with pytest.raises(FileRefused):
        store.delete("out/memory.db")
    assert [file.path for file in store.listed()] == ["real.txt"]


def test_a_folder_that_is_a_link_itself_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "files").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(FileRefused):
        FileStore(tmp_path / "files").write("a.txt", b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_one_spelling_stands_for_a_name(store: FileStore) -> None:
    store.write("Größe/Café.txt", b"one")
    written = store.write("GRÖSSE/cafe\u0301.TXT", b"two")

    assert written.path == "Größe/Café.txt"
    assert store.read("grösse/CAFÉ.txt") == b"two"
    assert len(store.listed()) == 1


def test_a_write_that_was_cut_off_leaves_the_old_file_and_the_next_one_cleans_up(
    store: FileStore, folder: Path
) -> None:
    store.write("a.txt", b"old")
    (folder / ".unfinished").write_bytes(b"ne")

    assert (store.read("a.txt"), [file.path for file in store.listed()]) == (b"old", ["a.txt"])
    store.write("a.txt", b"new")
    assert everything(folder) == {"a.txt": b"new"}


def test_a_disk_that_fails_is_told_and_the_old_file_stands(store: FileStore, folder: Path) -> None:
    store.write("a.txt", b"old")
    (folder / ".unfinished").mkdir()  # what is to be written first cannot be made

    with pytest.raises(FileRefused):
        store.write("a.txt", b"new")
    assert store.read("a.txt") == b"old"


def test_number_and_size_of_files_have_an_end(folder: Path) -> None:
    store = FileStore(folder, max_files=2, max_bytes=10)
    store.write("a", b"12345")
    store.write("b", b"12345")

    with pytest.raises(FileRefused, match="2 files already"):
        store.write("c", b"1")
    with pytest.raises(FileRefused, match="more than"):
        store.write("b", b"123456")
    store.write("b", b"54321")
    assert store.read("b") == b"54321"
