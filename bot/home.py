"""REMEMBRANCER_HOME: where all state lives, who may read it, and the lock that keeps two servers off one home.

Everything is made with mode 0700, because a memory is nobody else's. The lock is one of the operating system on the
file `lock`, never a process id: it is free again the moment its holder is gone, however it went. Nothing here opens a
database.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bot.backup import swap

PRIVATE = 0o700
POLL_S = 0.2
SPACE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BadSpaceId(ValueError):
    def __init__(self) -> None:
        super().__init__("a space's id is 1 to 64 letters, digits, `_` or `-`")


class HomeUnusable(Exception):
    """The folder cannot be made or written; the message says which and what to do."""


class HomeBusy(Exception):
    def __init__(self, root: Path) -> None:
        super().__init__(
            f"another Remembrancer works in {root}; stop it first, or set REMEMBRANCER_HOME to another folder"
        )
        self.root = root


class BackupBusy(HomeBusy):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.args = (f"another backup of {root} is being written just now; wait until it is done",)


@dataclass(frozen=True)
class SpaceFolder:
    """The folder of one memory."""

    path: Path

    @property
    def database(self) -> Path:
        return self.path / "memory.db"

    @property
    def exists(self) -> bool:
        """Whether there is a memory yet."""
        return self.database.is_file()


class Home:
    """The layout of a home. Making the object touches nothing; `create` makes the folders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.database = root / "bot.db"
        self.spaces = root / "spaces"
        self.backups = root / "backups"
        self.logs = root / "logs"
        self.scratch = root / "scratch"
        self.heartbeat = root / "logs" / "heartbeat"
        self.lock = root / "lock"

    def create(self) -> None:
        """Make what is missing, readable by its owner only.

        Raises: HomeUnusable.
        """
        try:
            for folder in (self.root, self.spaces, self.backups, self.logs):
                folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        except OSError as error:
            raise HomeUnusable(
                f"the home {self.root} cannot be made or written ({error.strerror}); "
                "set REMEMBRANCER_HOME to a folder you may write, for example REMEMBRANCER_HOME=~/remembrancer"
            ) from error

    def space(self, space_id: str) -> SpaceFolder:
        """Return the folder of a space, which may not be there yet.

        Raises: BadSpaceId.
        """
        if not SPACE_ID.fullmatch(space_id):
            raise BadSpaceId
        return SpaceFolder(self.spaces / space_id)

    def create_space(self, space_id: str) -> SpaceFolder:
        """Make the folder of a space and return it.

        Raises: BadSpaceId, HomeUnusable.
        """
        folder = self.space(space_id)
        self.create()
        folder.path.mkdir(mode=PRIVATE, exist_ok=True)
        return folder

    def space_ids(self) -> list[str]:
        """Return the spaces that have a memory, sorted."""
        if not self.spaces.is_dir():
            return []
        return sorted(
            entry.name
            for entry in self.spaces.iterdir()
            if SPACE_ID.fullmatch(entry.name) and SpaceFolder(entry).exists
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the home, so that nobody else serves from it; a restore that was cut off comes to its end first.

        Raises: HomeBusy at once when somebody does; HomeUnusable.
        """
        self.create()
        lock = FileLock(self.lock, timeout=0, mode=0o600)
        try:
            lock.acquire()
        except Timeout:
            raise HomeBusy(self.root) from None
        try:
            swap.finish(self.root)
            yield
        finally:
            lock.release()

    @contextmanager
    def backing_up(self) -> Iterator[None]:
        """Be the only one who writes a backup; whoever serves goes on beside it.

        Raises: BackupBusy at once when somebody does; HomeUnusable.
        """
        self.create()
        lock = FileLock(self.root / "backup.lock", timeout=0, mode=0o600)
        try:
            lock.acquire()
        except Timeout:
            raise BackupBusy(self.root) from None
        try:
            yield
        finally:
            lock.release()

    @asynccontextmanager
    async def locked_after(self, say: Callable[[str], None]) -> AsyncIterator[None]:
        """Hold the home as soon as nobody else does; `say` gets one line when that means waiting.

        Raises: HomeUnusable.
        """
        self.create()
        lock = FileLock(self.lock, timeout=0, mode=0o600)
        is_waiting = False
        while not lock.is_locked:
            try:
                lock.acquire()
            except Timeout:
                if not is_waiting:
                    say(f"waiting until the Remembrancer that works in {self.root} stops (Ctrl-C to give up)")
                is_waiting = True
                await asyncio.sleep(POLL_S)
        try:
            swap.finish(self.root)
            yield
        finally:
            lock.release()
