"""Files: the assistant's own folder of one space, which no path leaves.

Each part of a path is opened by itself, from the folder above it, and no link is followed; a name is a name for every
system and on every screen. One spelling stands for a name whatever its case and its Unicode form. A file is written
beside and renamed into place, so that it is the old one or the new one whatever crashes, and writing it again changes
nothing. What stands in a file is not looked at here.
"""

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from memory.catalogue import N_
from memory.errors import MemberMustAct

MAX_FILES = 1_000
MAX_TOTAL_BYTES = 200_000_000
MAX_NAME_CHARS = 60
MAX_DEPTH = 5

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_UNFINISHED = ".unfinished"
_GONE = ".gone"
_FORBIDDEN = frozenset('\\:*?"<>|')
NO_PLAIN_FILE = "a link, a device, or a file with another name elsewhere"
NO_NAME = "hidden, too deep, or a name that not every system takes"
TWIN = "the same name as another here, only spelled otherwise"
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))})


class FileRefused(MemberMustAct):
    """A path, a size or a kind of file that is not taken; the text says what to do instead."""


class NoSuchFile(FileRefused):
    def __init__(self, path: str) -> None:
        super().__init__(N_("there is no file {path!r}; the action list shows what there is"), path=path)


@dataclass(frozen=True)
class StoredFile:
    """A file as it stands; `changed` in UTC."""

    path: str
    size: int
    changed: datetime


class FileStore:
    """The files under `folder`, which is made by the first write. Every call works on the disk at once."""

    def __init__(self, folder: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_TOTAL_BYTES) -> None:
        self._folder = folder
        self._max_files = max_files
        self._max_bytes = max_bytes

    def listed(self) -> list[StoredFile]:
        """Return the files by path: no links, nothing hidden. Raises: FileRefused."""
        try:
            top = os.open(self._folder, _FOLDER)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _refused("the folder of files", error) from None
        try:
            return sorted(_files(top), key=lambda file: file.path)
        finally:
            os.close(top)

    def read(self, path: str) -> bytes:
        """Raises: FileRefused; NoSuchFile."""
        *folders, name = _names(path)
        try:
            with (
                self._opened(folders) as (_, folder),
                os.fdopen(os.open(_spelled(name, folder), _READ, dir_fd=folder), "rb") as file,
            ):
                _check_plain(os.fstat(file.fileno()), path)
                return file.read()
        except FileNotFoundError:
            raise NoSuchFile(path) from None
        except OSError as error:
            raise _refused(path, error) from None

    def write(self, path: str, data: bytes) -> StoredFile:
        """Make a file or replace it whole, with the folders on its way. A second time it changes nothing.

        Raises: FileRefused; the old file then stands as it was.
        """
        self._check_room(path, len(data))
        return self.rewrite(path, data)

    def rewrite(self, path: str, data: bytes) -> StoredFile:
        """The same, however little room is left: for a file that only loses words. Raises: FileRefused."""
        *folders, name = _names(path)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._opened(folders, are_made=True) as (top, folder):
                spelled = _spelled(name, folder)
                with suppress(FileNotFoundError):
                    _check_plain(os.stat(spelled, dir_fd=folder, follow_symlinks=False), path)
                _put(data, spelled, top, folder)
        except OSError as error:
            raise _refused(path, error) from None
        return next(file for file in self.listed() if _key(file.path) == _key(path))

    def delete(self, path: str) -> bool:
        """Remove a file; False when there was none. Raises: FileRefused."""
        *folders, name = _names(path)
        try:
            with self._opened(folders) as (_, folder):
                os.unlink(_spelled(name, folder), dir_fd=folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _refused(path, error) from None
        return True

    @property
    def folder(self) -> Path:
        """Where they lie; nothing need be there yet."""
        return self._folder

    def sweep(self) -> dict[str, str]:
        """Remove what no path here reaches (links, pipes, hidden names, what lies too deep), and return where it lay
        and why it went, for the model.

        What is left can be read and changed by its owner again. For a folder in which something else has worked.
        """
        if self._folder.is_dir() and not self._folder.is_symlink():
            self._folder.chmod(0o700)
        try:
            top = os.open(self._folder, _FOLDER)
        except FileNotFoundError:
            return {}
        try:
            return dict(sorted(_swept(top, (), top=top, free=_free_names(top))))
        finally:
            os.close(top)

    @contextmanager
    def _opened(self, folders: Sequence[str], *, are_made: bool = False) -> Iterator[tuple[int, int]]:
        """Yield the top folder and the one at the end of the way, each opened from the one above it."""
        opened = [os.open(self._folder, _FOLDER)]
        try:
            for name in folders:
                spelled = _spelled(name, opened[-1])
                if are_made:
                    with suppress(FileExistsError):
                        os.mkdir(spelled, 0o700, dir_fd=opened[-1])
                opened.append(os.open(spelled, _FOLDER, dir_fd=opened[-1]))
            yield opened[0], opened[-1]
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _check_room(self, path: str, size: int) -> None:
        others = [file for file in self.listed() if _key(file.path) != _key(path)]
        if len(others) >= self._max_files:
            raise FileRefused(
                N_("there are {count} files already: delete some that are not needed any more"), count=self._max_files
            )
        if sum(file.size for file in others) + size > self._max_bytes:
            raise FileRefused(
                N_("the files would take more than {most} bytes together: delete some first"), most=self._max_bytes
            )


def _names(path: str) -> list[str]:
    """Return the parts of a path. Raises: FileRefused with what is wrong."""
    names = unicodedata.normalize("NFC", path).split("/")
    if path.startswith("/"):
        raise FileRefused(N_("{path!r} begins at the root: name a file of this folder, such as notes.txt"), path=path)
    if len(names) > MAX_DEPTH:
        raise FileRefused(N_("at most {most} folders in each other"), most=MAX_DEPTH - 1)
    for name in names:
        if not name or name.startswith(".") or name != name.strip(" ").rstrip("."):
            raise FileRefused(
                N_(
                    "{path!r} is no path here: each part is a plain name that neither begins with a dot nor ends "
                    "with one"
                ),
                path=path,
            )
        if not name.isprintable() or _FORBIDDEN & set(name) or name.split(".")[0].casefold().strip() in _DEVICES:
            raise FileRefused(
                N_("{path!r} is no name for a file on every system: use letters, digits, spaces, - and _"), path=path
            )
        if len(name) > MAX_NAME_CHARS:
            raise FileRefused(N_("a name has at most {most} characters"), most=MAX_NAME_CHARS)
    return names


def _key(path: str) -> str:
    """Return what is equal for spellings of one path."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _spelled(name: str, folder: int) -> str:
    """Return how a name is spelled in a folder; as it is where it is new there."""
    there = os.listdir(folder)
    return name if name in there else next((one for one in there if _key(one) == _key(name)), name)


def _unreached(there: Sequence[str]) -> set[str]:
    """Return the names that no path leads to because another is meant by it: the composed spelling, or the first."""
    names = set(there)
    first = {_key(name): name for name in reversed(there)}
    composed = {name: unicodedata.normalize("NFC", name) for name in there}
    return {name for name in there if composed[name] != name and (composed[name] in names or first[_key(name)] != name)}


def _files(top: int) -> Iterator[StoredFile]:
    for folder, folders, names, descriptor in os.fwalk(".", dir_fd=top, follow_symlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            seen = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1 and not name.startswith("."):
                path = f"{folder}/{name}".removeprefix("./")
                yield StoredFile(path, seen.st_size, datetime.fromtimestamp(seen.st_mtime, UTC))


def _free_names(top: int) -> Iterator[str]:
    """Return hidden names, each once, of which none is taken at the top."""
    taken = set(os.listdir(top))
    return (name for number in count() if (name := f"{_GONE}{number}") not in taken)


def _swept(folder: int, above: tuple[str, ...], *, top: int, free: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Sweep a folder and those in it, no deeper than paths go, and yield what was removed and why."""
    there = os.listdir(folder)
    unreached = _unreached(there)
    for name in there:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        is_folder, path = stat.S_ISDIR(seen.st_mode), "/".join((*above, name))
        if path == _UNFINISHED and stat.S_ISREG(seen.st_mode):
            continue
        is_plain = is_folder or (stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1)
        why = NO_PLAIN_FILE if not is_plain else NO_NAME if not _is_path(path) else TWIN if name in unreached else None
        if why is not None:
            _remove(name, folder, top=top, free=free)
            yield path, why
            continue
        os.chmod(name, 0o700 if is_folder else 0o600, dir_fd=folder)
        if is_folder:
            below = os.open(name, _FOLDER, dir_fd=folder)
            try:
                yield from _swept(below, (*above, name), top=top, free=free)
            finally:
                os.close(below)


def _is_path(path: str) -> bool:
    try:
        return bool(_names(path))
    except FileRefused:
        return False


def _remove(name: str, folder: int, *, top: int, free: Iterator[str]) -> None:
    """Remove whatever bears a name. What lies in a folder comes to the top first, under names that are free there: it
    may be too deep to be climbed.
    """
    waiting = [(name, folder)]
    while waiting:
        gone, inside = waiting.pop()
        if not _is_folder(gone, inside):
            os.unlink(gone, dir_fd=inside)
            continue
        os.chmod(gone, 0o700, dir_fd=inside)
        opened: int = os.open(gone, _FOLDER, dir_fd=inside)
        try:
            for child in os.listdir(opened):
                if _is_folder(child, opened):
                    # A folder that may not be written cannot be moved either.
                    os.chmod(child, 0o700, dir_fd=opened)
                moved = next(free)
                os.rename(child, moved, src_dir_fd=opened, dst_dir_fd=top)
                waiting.append((moved, top))
        finally:
            os.close(opened)
        os.rmdir(gone, dir_fd=inside)


def _is_folder(name: str, folder: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _check_plain(seen: os.stat_result, path: str) -> None:
    """Raises: FileRefused for a folder, a device, or a file that has another name elsewhere."""
    if not stat.S_ISREG(seen.st_mode) or seen.st_nlink > 1:
        raise FileRefused(N_("{path!r} is no plain file"), path=path)


def _put(data: bytes, name: str, top: int, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(_UNFINISHED, dir_fd=top)
    with os.fdopen(os.open(_UNFINISHED, _WRITE, 0o600, dir_fd=top), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.rename(_UNFINISHED, name, src_dir_fd=top, dst_dir_fd=folder)
    os.fsync(folder)


def _refused(path: str, error: OSError) -> FileRefused:
    return FileRefused(N_("{path!r} cannot be used: {reason}"), path=path, reason=error.strerror)
