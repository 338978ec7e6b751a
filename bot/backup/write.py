"""Writing a backup: one archive of a whole home, consistent beside a running server, checked before it has its name.

In it: every memory with its media, files and journal, and bot.db. Not in it: logs, the lock, scratch copies and older
backups. It is not encrypted. The databases are copied first, each as it stood at one moment, bot.db last: what is
forgotten meanwhile is known there.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from bot.backup.check import checked
from bot.backup.manifest import MANIFEST, Manifest, Packed, PackedSpace, is_fit
from bot.home import Home
from memory.errors import StorageFull
from memory.ports import Clock
from memory.store.copies import Contents, contents_of, copy_database

SUFFIX = ".zip"
CHUNK = 1 << 20
UNFINISHED = "unfinished-"
MARGIN_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Written:
    """A backup that was written and read back."""

    path: Path
    size: int
    manifest: Manifest


def default_name(clock: Clock) -> str:
    """Return the name of a backup made now (UTC)."""
    return f"remembrancer-{clock.now():%Y%m%d-%H%M%S}{SUFFIX}"


def write_backup(home: Home, target: Path, clock: Clock, on_file: Callable[[int], None]) -> Written:
    """Write the archive and check it. The caller has made sure that nobody else writes one. Blocks.

    Raises: FileExistsError, StorageFull, DamagedDatabase, OSError; the final name then does not exist.
    """
    if target.exists():
        raise FileExistsError(target)
    home.create()
    _sweep(home)
    _check_room(home)
    unfinished = target.with_name(f".{target.name}.unfinished")
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=home.backups) as folder:
        try:
            manifest = _write(home, unfinished, Path(folder), clock, on_file)
            checked(unfinished, None)
            if target.exists():
                raise FileExistsError(target)
            unfinished.rename(target)
        finally:
            unfinished.unlink(missing_ok=True)
    return Written(target, target.stat().st_size, manifest)


def _sweep(home: Home) -> None:
    """Remove what a backup that was killed left behind."""
    for left in home.backups.glob(f"{UNFINISHED}*"):
        shutil.rmtree(left, ignore_errors=True)
    for left in home.backups.glob(f".*{SUFFIX}.unfinished"):
        left.unlink()


def _write(home: Home, path: Path, copies: Path, clock: Clock, on_file: Callable[[int], None]) -> Manifest:
    made_at = clock.now().isoformat()
    spaces = {space_id: _copied(home, copies, space_id) for space_id in home.space_ids()}
    files: dict[str, Packed] = {}
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        with ZipFile(raw, "w", ZIP_DEFLATED, strict_timestamps=False) as archive:
            for space_id in spaces:
                files |= _packed(archive, copies / f"{space_id}.db", f"spaces/{space_id}/memory.db")
                for name, file in _beside(home.space(space_id).path):
                    files |= _packed(archive, file, f"spaces/{space_id}/{name}")
                    on_file(len(files))
            bot = _copied_bot(home, copies)
            if bot is not None:
                files |= _packed(archive, copies / "bot.db", "bot.db")
            manifest = Manifest(
                program=version("remembrancer"),
                made_at=made_at,
                bot_schema=bot.schema if bot else None,
                spaces={
                    space_id: PackedSpace(schema_version=one.schema, messages=one.messages, facts=one.facts)
                    for space_id, one in spaces.items()
                },
                files=files,
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        raw.flush()
        os.fsync(raw.fileno())
    return manifest


def _copied(home: Home, copies: Path, space_id: str) -> Contents:
    copy_database(home.space(space_id).database, copies / f"{space_id}.db")
    return contents_of(copies / f"{space_id}.db", "memory")


def _copied_bot(home: Home, copies: Path) -> Contents | None:
    if not home.database.exists():
        return None
    copy_database(home.database, copies / "bot.db")
    return contents_of(copies / "bot.db", "bot")


def _beside(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a space but its database, by their names within it; no links, nothing half written."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.startswith("memory.db") or path.name.endswith(".unfinished") or path.is_symlink():
            continue
        if path.is_file() and is_fit(f"spaces/{folder.name}/{name}"):
            yield name, path


def _packed(archive: ZipFile, path: Path, name: str) -> dict[str, Packed]:
    """Put a file into the archive; nothing when it went meanwhile."""
    digest, size = hashlib.sha256(), 0
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return {}
    with source, archive.open(name, "w", force_zip64=True) as target:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            target.write(chunk)
    return {name: Packed(size=size, sha256=digest.hexdigest())}


def _check_room(home: Home) -> None:
    """Raises: StorageFull before anything is written that would not fit: the copies of the databases, and as much."""
    size = sum(path.stat().st_size for path in home.spaces.glob("*/memory.db*"))
    if shutil.disk_usage(home.backups).free < size + MARGIN_BYTES:
        raise StorageFull(home.backups)
