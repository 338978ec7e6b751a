"""Checking a backup before anything of it is used: names, sizes and hashes, as its manifest has them.

What leads out of a home, a link, a file that is named twice or not at all, one that unpacks to more than it says: each
refuses the whole archive. With a folder the files are unpacked there meanwhile.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from pydantic import ValidationError

from bot.backup.manifest import FORMAT, MANIFEST, BadBackup, Manifest, is_fit
from memory.errors import StorageFull

MAX_FILES = 500_000
MAX_MANIFEST_BYTES = 256_000_000
CHUNK = 1 << 20
MARGIN_BYTES = 16 * 1024 * 1024


def checked(path: Path, unpack_to: Path | None) -> Manifest:
    """Return the manifest of an archive that is what it says, and unpack it if there is a folder for that. Blocks.

    Raises: BadBackup; StorageFull before anything is unpacked that would not fit.
    """
    with _archive(path) as archive:
        manifest = _manifest(archive, path)
        members = _members(archive, manifest, path)
        if unpack_to is not None:
            total = sum(member.file_size for member in members)
            if shutil.disk_usage(unpack_to).free < total + MARGIN_BYTES:
                raise StorageFull(unpack_to)
        for member in members:
            packed = manifest.files[member.filename]
            if _read(archive, member, unpack_to) != (packed.size, packed.sha256):
                raise BadBackup(f"{path} is damaged: {member.filename} is not what was packed; use another backup")
    return manifest


@contextmanager
def _archive(path: Path) -> Iterator[ZipFile]:
    try:
        with ZipFile(path) as archive:
            yield archive
    except FileNotFoundError:
        raise BadBackup(f"there is no file {path}") from None
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise BadBackup(f"{path} is no backup, or is damaged ({error}); use another one") from None


def _manifest(archive: ZipFile, path: Path) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
    except KeyError:
        raise BadBackup(
            f"{path} is no backup of Remembrancer (what `export` wrote is taken in with `remembrancer import`)"
        ) from None
    if info.file_size > MAX_MANIFEST_BYTES:
        raise BadBackup(f"{path} is no backup of Remembrancer: its manifest is too large")
    try:
        with archive.open(info) as file:
            manifest = Manifest.model_validate_json(file.read(info.file_size + 1))
    except ValidationError:
        raise BadBackup(f"{path} is no backup of Remembrancer: its manifest cannot be read") from None
    if manifest.format > FORMAT:
        raise BadBackup(
            f"{path} was written by a newer Remembrancer ({manifest.program}); install that version and restore with it"
        )
    return manifest


def _members(archive: ZipFile, manifest: Manifest, path: Path) -> list[ZipInfo]:
    """Return the members but the manifest, in their order; exactly those that the manifest names."""
    members = [member for member in archive.infolist() if member.filename != MANIFEST]
    names = [member.filename for member in members]
    if len(names) > MAX_FILES or len(names) + 1 != len(archive.infolist()) or len(set(names)) != len(names):
        raise BadBackup(f"{path} is refused: it holds too many files, or one twice")
    for member in members:
        mode = member.external_attr >> 16
        if not is_fit(member.filename) or member.is_dir() or (stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
            raise BadBackup(f"{path} is refused: it holds a file that belongs in no home of Remembrancer")
        packed = manifest.files.get(member.filename)
        if packed is None or packed.size != member.file_size:
            raise BadBackup(f"{path} is refused: it is not what its manifest says")
    missing = {*manifest.files, *(f"spaces/{space_id}/memory.db" for space_id in manifest.spaces)} - set(names)
    if missing or (manifest.bot_schema is not None and "bot.db" not in names):
        raise BadBackup(f"{path} is incomplete: {len(missing) or 1} of its files are missing; use another backup")
    return members


def _read(archive: ZipFile, member: ZipInfo, unpack_to: Path | None) -> tuple[int, str]:
    """Read a member to its end, never more than it says, and return its size and hash."""
    digest, size = hashlib.sha256(), 0
    with archive.open(member) as source, _target(unpack_to, member.filename) as target:
        while size <= member.file_size and (chunk := source.read(CHUNK)):
            size += len(chunk)
            digest.update(chunk)
            target.write(chunk)
    return size, digest.hexdigest()


@contextmanager
def _target(unpack_to: Path | None, name: str) -> Iterator[IO[bytes]]:
    if unpack_to is None:
        with Path(os.devnull).open("wb") as nowhere:
            yield nowhere
        return
    path = unpack_to / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
