"""Killed after any step, a restore comes to its end with the next one who holds the home: all of it, or none."""

from itertools import islice
from pathlib import Path

import pytest

from bot.backup.swap import decide, finish, has_unfinished, staging, steps
from bot.home import Home
from tests.bot.backup.home import tree

ITEMS = ["bot.db", "spaces/1", "spaces/2/memory.db", "spaces/3"]
OLD = {
    "bot.db": b"old",
    "bot.db-wal": b"old",
    "spaces/1/memory.db": b"old",
    "spaces/1/memory.db-wal": b"old",
    "spaces/1/files/a": b"old",
    "spaces/2/memory.db": b"old",
    "spaces/2/memory.db-shm": b"old",
    "spaces/2/files/a": b"stays",
    "spaces/9/memory.db": b"stays",
}
NEW = {"bot.db": b"new", "spaces/1/memory.db": b"new", "spaces/2/memory.db": b"new", "spaces/3/memory.db": b"new"}
AFTER = {
    **NEW,
    "spaces/2/files/a": b"stays",
    "spaces/9/memory.db": b"stays",
    **{f"backups/kept/{name}": content for name, content in OLD.items() if content == b"old"},
}


def lay(root: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


def decided(root: Path) -> None:
    lay(root, OLD)
    lay(staging(root), NEW)
    decide(root, ITEMS, kept_in="backups/kept")


def test_there_are_as_many_steps_as_are_tried_here(tmp_path: Path) -> None:
    decided(tmp_path)

    assert len(list(steps(tmp_path))) == 10


@pytest.mark.parametrize("first", range(11))
@pytest.mark.parametrize("second", [0, 1, 3])
def test_cut_off_after_any_step_and_once_more_it_is_whole_in_the_end(tmp_path: Path, first: int, second: int) -> None:
    decided(tmp_path)
    for done in (first, second):
        list(islice(steps(tmp_path), done))

    with Home(tmp_path).locked():
        assert tree(tmp_path) == AFTER

    assert not (tmp_path / "restoring").exists()


def test_cut_off_before_it_was_decided_nothing_changed(tmp_path: Path) -> None:
    lay(tmp_path, OLD)
    lay(staging(tmp_path), NEW)
    (tmp_path / "restoring" / "plan.json.unfinished").write_text("{", encoding="utf-8")

    assert not has_unfinished(tmp_path)
    finish(tmp_path)

    assert tree(tmp_path) == OLD


def test_what_is_kept_takes_the_place_of_nothing(tmp_path: Path) -> None:
    lay(tmp_path, {"backups/kept/bot.db": b"kept before"})
    decided(tmp_path)

    finish(tmp_path)

    assert tree(tmp_path)["backups/kept/bot.db"] == b"kept before"
    assert tree(tmp_path)["backups/kept/bot.db.2"] == b"old"
