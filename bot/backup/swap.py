"""Swap: what was made ready takes the place of what is there, and whatever cuts that off, it comes to its end.

What is to come lies in `restoring/new`, laid out like the home. Once `restoring/plan.json` is there, the change is
decided: each step is one rename, done or not, and whoever holds the home next goes on where the last one stopped.
Without the plan nothing was decided, and what lies there is rubbish. What is replaced is moved, never deleted.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

PRIVATE = 0o700
RESTORING = "restoring"
_PLAN = "plan.json"
_BESIDE = ("-wal", "-shm", "-journal", "")
"""What belongs to a database, its file last. A new file beside an old log would be read with the old rows."""


def staging(root: Path) -> Path:
    """Return the folder where what is to come is laid out like the home; made empty."""
    folder = root / RESTORING
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "new").mkdir(mode=PRIVATE, parents=True)
    folder.chmod(PRIVATE)
    return folder / "new"


def decide(root: Path, items: Sequence[str], *, kept_in: str) -> None:
    """Decide the change: from here on it happens. `items` and `kept_in` are paths within the home."""
    folder = root / RESTORING
    unfinished = folder / f"{_PLAN}.unfinished"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump({"items": list(items), "kept_in": kept_in}, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(folder / _PLAN)
    _sync(folder)


def has_unfinished(root: Path) -> bool:
    """Tell whether a change was decided and has not come to its end."""
    return (root / RESTORING / _PLAN).exists()


def finish(root: Path) -> None:
    """Do what was decided and is not done yet; remove what was never decided. The caller holds the home."""
    for _step in steps(root):
        pass


def steps(root: Path) -> Iterator[Path]:
    """Do the same step by step; after each, what was moved or removed is yielded. It may end after any of them."""
    folder = root / RESTORING
    if has_unfinished(root):
        plan = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
        for item in plan["items"]:
            yield from _put(root, item, root / plan["kept_in"])
        (folder / _PLAN).unlink()
        _sync(folder)
        yield folder / _PLAN
    if folder.exists():
        shutil.rmtree(folder)


def _put(root: Path, item: str, kept_in: Path) -> Iterator[Path]:
    new, live = root / RESTORING / "new" / item, root / item
    if not new.exists():
        return  # it is in its place already
    for path in _all_of(live):
        if path.exists():
            kept = _unused(kept_in / path.relative_to(root))
            kept.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            path.rename(kept)
            _sync(kept.parent)
            yield path
    live.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    new.rename(live)
    _sync(live.parent)
    yield live


def _all_of(live: Path) -> Iterator[Path]:
    if live.suffix != ".db":
        yield live
        return
    for ending in _BESIDE:
        yield live.with_name(live.name + ending)


def _unused(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}.{number}")
    return free


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
