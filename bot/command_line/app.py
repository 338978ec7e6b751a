"""What the commands share: the wired program as they see it, which space is meant, and how results are printed.

Results go to stdout, everything said about them to stderr. No command is here.
"""

import argparse
import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from bot.backup.swap import has_unfinished
from bot.health import Reach
from bot.home import Home
from bot.imports.reading_back import OnRead, ReadBack
from bot.probing.examination import Progress
from bot.settings import Settings
from memory.findings import Gate, Run
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones

FINE, NOT_WELL = 0, 1
TERMINAL_SPACE = "local"


class App(Protocol):
    """What the commands need: the wired program. Making it opens nothing."""

    @property
    def settings(self) -> Settings: ...

    @property
    def home(self) -> Home: ...

    @property
    def clock(self) -> Clock: ...

    def open_space(
        self, space_id: str, *, read_only: bool, as_it_is: bool = False
    ) -> AbstractAsyncContextManager[Space]:
        """Open a memory for the length of the context; `as_it_is`: nothing in it is mended first."""
        ...

    async def serve_telegram(self) -> None:
        """Serve until told to stop. The caller holds the home. Raises: OutOfReach when the token is refused."""
        ...

    async def chat(self, space_id: str) -> None:
        """Chat at the terminal, or with what is piped in, until that ends. The caller holds the home."""
        ...

    async def forget(self, space: Space, ref: str) -> str:
        """Forget a fact, segment, message or turn, and return the receipt. Raises: UnknownId."""
        ...

    async def probe(self, space: Space, *, on_progress: Progress | None) -> tuple[Run, Gate]:
        """Examine a memory and store what was found. The caller holds the home. Raises: ExaminationFault."""
        ...

    async def probe_frozen(self, *, on_progress: Progress | None) -> tuple[Run, Gate]:
        """Examine a memory made of the frozen talk; the home is not touched. Raises: ExaminationFault."""
        ...

    async def read_back(self, space: Space, tombstones: Tombstones, *, on_read: OnRead) -> ReadBack:
        """Read the facts of imported messages that wait for it, as far as today's money goes."""
        ...

    def reach(self) -> Mapping[str, Reach]:
        """Return how to ask each service that is set up, by its name."""
        ...


Command = Callable[[argparse.Namespace, App], Coroutine[Any, Any, int]]


class NothingThere(Exception):
    """What was asked about does not exist; the message says so."""


def space_id(args: argparse.Namespace, app: App) -> str:
    """Return the space that is meant: the named one, else the operator's with a token, else the terminal's."""
    if getattr(args, "space", None) is not None:
        return str(args.space)
    return str(app.settings.telegram_owner_id) if app.settings.telegram_bot_token else TERMINAL_SPACE


def require(args: argparse.Namespace, app: App) -> None:
    """Raises: NothingThere when the space that is meant has no memory; HomeBusy while one is being restored."""
    settle(app)
    wanted = space_id(args, app)
    if not app.home.space(wanted).exists:
        known = ", ".join(app.home.space_ids()) or "none yet"
        raise NothingThere(f"there is no space {wanted} in {app.home.root} (spaces: {known})")


@asynccontextmanager
async def reading(args: argparse.Namespace, app: App) -> AsyncIterator[Space]:
    """Open the space that is meant for reading, beside whoever serves it. Raises: NothingThere, HomeBusy."""
    require(args, app)
    async with app.open_space(space_id(args, app), read_only=True) as space:
        yield space


def settle(app: App) -> None:
    """Let a restore that was cut off come to its end, before anything is read. Raises: HomeBusy."""
    if has_unfinished(app.home.root):
        with app.home.locked():
            pass


@asynccontextmanager
async def tombstones_of(app: App) -> AsyncIterator[Tombstones]:
    """Open what was forgotten in all spaces."""
    database = await Database.open(app.home.database, "bot", clock=app.clock, backups=app.home.backups)
    try:
        yield Tombstones(database, app.clock)
    finally:
        await database.close()


def show(text: object) -> None:
    """Print a result."""
    sys.stdout.write(f"{text}\n")


def print_json(document: Any, *, indent: int | None = 2) -> None:
    """Print one JSON document."""
    show(json.dumps(document, ensure_ascii=False, indent=indent))


def say(line: str) -> None:
    """Say something about the work."""
    sys.stderr.write(f"remembrancer: {line}\n")


def many(count: int, one: str) -> str:
    """Return a count with what it counts."""
    return f"{count} {one}{'' if count == 1 or one == 'media' else 's'}"
