"""The command line: arguments in, exit code out (0 fine, 1 what was asked about is not well, 2 wrong use or settings).

Each command is a small coroutine over an `App`, which `bot/__main__.py` wires. Results go to stdout, everything said
about them to stderr, errors in one line. Nothing here knows a table, a prompt or a provider.
"""

import argparse
import asyncio
import importlib
import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import Progress as Bar

from bot import logs, views
from bot.arguments import WRONG_USE, parse
from bot.deep import look_deep
from bot.errors import line_for
from bot.health import Finding, Heartbeat, OutOfReach, Reach, examine, liveness
from bot.home import Home, HomeBusy, HomeUnusable
from bot.inputs import UsageFault, has_input, lines_of, queries_of
from bot.probing.examination import Progress
from bot.settings import BadSettings, Loaded, Settings, load
from memory.block import explain
from memory.errors import MemoryFault
from memory.findings import Gate, Run
from memory.importing import Importer, read_lines
from memory.ports import Clock
from memory.probe import frozen
from memory.recall.items import Found
from memory.space import Space
from memory.store.database import Database
from memory.store.redaction import Redactor
from memory.store.tombstones import Tombstones

log = logging.getLogger(__name__)

FINE, NOT_WELL = 0, 1
DRAWN_BY = {"retrieval": "draw", "strategies": "draw_strategies"}
"""The function of `bench.chart` that draws what a benchmark measured."""
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

    def reach(self) -> Mapping[str, Reach]:
        """Return how to ask each service that is set up, by its name."""
        ...


class NothingThere(Exception):
    """What was asked about does not exist; the message says so."""


Command = Callable[[argparse.Namespace, App], Coroutine[Any, Any, int]]


def run(argv: Sequence[str], make_app: Callable[[Settings], App]) -> int:
    """Run one command and return its exit code. `make_app` is called once the settings are known to be valid."""
    try:
        args = parse(argv)
    except SystemExit as exit_:
        return int(exit_.code or 0)
    try:
        loaded = load(Path())
        _set_up_logs(args, loaded)
        return asyncio.run(COMMANDS[args.command](args, make_app(loaded.settings)))
    except (BadSettings, UsageFault, HomeUnusable, OutOfReach) as error:
        return _fail(str(error), WRONG_USE)
    except (NothingThere, HomeBusy) as error:
        return _fail(str(error), NOT_WELL)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_WELL
    except KeyboardInterrupt:
        return NOT_WELL
    except (MemoryFault, OSError) as error:
        return _fail(line_for(error), NOT_WELL)
    except Exception as error:
        # The boundary of the process: a traceback could show a person's words; the log's form cannot.
        log.exception("command broke: command=%s", args.command)
        return _fail(line_for(error), NOT_WELL)


# Commands


async def _serve(args: argparse.Namespace, app: App) -> int:
    if app.settings.telegram_bot_token:
        with app.home.locked():
            await app.serve_telegram()
        return FINE
    if not has_input():
        raise UsageFault(
            "there is nobody to talk to: set TELEGRAM_BOT_TOKEN and TELEGRAM_OWNER_ID to serve Telegram, "
            "or start it in a terminal, or pipe messages into it"
        )
    return await _chat(args, app)


async def _chat(args: argparse.Namespace, app: App) -> int:
    with app.home.locked():
        await app.chat(_space_id(args, app))
    return FINE


async def _facts(args: argparse.Namespace, app: App) -> int:
    space_id = _space_id(args, app)
    if args.space is None and not app.home.space(space_id).exists:
        _print_json({"facts": []}) if args.json else print("No facts yet.")
        return FINE
    async with _reading(args, app) as space:
        facts = await (space.facts.history() if args.history else space.facts.listed())
        if not args.json:
            print("\n".join(views.fact_lines(facts, space.zone)) or "No facts yet.")
            return FINE
        _print_json(views.facts_json(facts))
    return FINE


async def _recall(args: argparse.Namespace, app: App) -> int:
    if (args.query is None) == (args.batch is None):
        raise UsageFault("recall needs a QUERY, or --batch FILE")
    if args.query is not None and not args.query.strip():
        raise UsageFault('the QUERY is blank: say what to look for, for example remembrancer recall "tax report"')
    batch = list(queries_of(args.batch)) if args.batch is not None else []
    async with _reading(args, app) as space:
        if args.batch is not None:
            for entry in batch:
                found = await _search(space, entry["query"], args.k, app.settings)
                _print_json({"id": entry["id"], **views.found_json(found)}, indent=None)
            return FINE
        found = await _search(space, args.query, args.k, app.settings)
        if args.json:
            _print_json(views.found_json(found))
        else:
            print("\n".join(views.found_lines(found, space.zone)) or "Nothing found.")
    return FINE


async def _search(space: Space, query: str, k: int, settings: Settings) -> Found:
    """Search as the next prompt would: what its tail holds anyway, and what does not fit, is told as left out."""
    session = await space.sessions.open_session()
    covered = await space.handoffs.last_covered(session) if session else 0
    tail = await space.sessions.tail(session, after=covered) if session else []
    return await space.recall.search(
        query,
        k=k,
        budget_tokens=settings.recall_tokens,
        in_window=frozenset(message.id for message in tail if message.id is not None),
    )


async def _why(args: argparse.Namespace, app: App) -> int:
    async with _reading(args, app) as space:
        if args.turn is not None:
            turn = await space.sessions.turn(args.turn)
        else:
            last = await space.sessions.last_turn()
            if last is None:
                raise NothingThere(f"there has been no turn in the space {space.id} yet")
            turn = last
        items = await explain(space, turn)
    if args.json:
        _print_json(views.why_json(turn, items))
    else:
        print("\n".join(views.why_lines(turn, items)))
    return FINE


async def _forget(args: argparse.Namespace, app: App) -> int:
    _require(args, app)
    async with app.home.locked_after(_say), app.open_space(_space_id(args, app), read_only=False) as space:
        print(await app.forget(space, args.id))
    return FINE


async def _probe(args: argparse.Namespace, app: App) -> int:
    if args.fixture:
        if args.space is not None:
            raise UsageFault("--fixture examines no memory of yours: leave --space out")
        with _steps("examining") as on_progress:
            run, judged = await app.probe_frozen(on_progress=on_progress)
        return _show_probe(args, run, judged, frozen.ZONE)
    _require(args, app)
    async with (
        app.home.locked_after(_say),
        app.open_space(_space_id(args, app), read_only=False, as_it_is=True) as space,
    ):
        with _steps("examining") as on_progress:
            run, judged = await app.probe(space, on_progress=on_progress)
        return _show_probe(args, run, judged, space.zone)


def _show_probe(args: argparse.Namespace, run: Run, judged: Gate, zone: ZoneInfo) -> int:
    if args.json:
        _print_json(views.probe_json(run, judged))
    else:
        print("\n".join(views.probe_lines(run, judged, zone)))
    return FINE if judged.ok else NOT_WELL


async def _import(args: argparse.Namespace, app: App) -> int:
    lines = lines_of(args.file)
    async with (
        app.home.locked_after(_say),
        app.open_space(_space_id(args, app), read_only=False) as space,
        _tombstones(app) as tombstones,
    ):
        entries = read_lines(lines, space.zone)
        redactor = Redactor(app.settings.secrets)
        with _progress("importing", len(entries)) as advance:
            done = await Importer(space.db, space.sessions, space.segments).store(
                entries,
                redact=lambda text: redactor.redact(text).text,
                is_forgotten=lambda entry: tombstones.covers(space.id, entry.text, said_at=entry.at),
                on_stored=advance,
            )
    print(
        f"{done.stored} stored, {done.known} known already, {done.forgotten} forgotten earlier and left out, "
        f"{done.redacted} with a secret masked (space {space.id})"
    )
    return FINE


async def _doctor(args: argparse.Namespace, app: App) -> int:
    if args.live:
        finding = liveness(Heartbeat(app.home.heartbeat, app.clock))
        print(finding.line())
        return FINE if finding.is_well else NOT_WELL
    is_well = True
    async for finding in _findings(args, app):
        print(finding.line(), flush=True)
        is_well = is_well and finding.is_well
    return FINE if is_well else NOT_WELL


async def _findings(args: argparse.Namespace, app: App) -> AsyncIterator[Finding]:
    async for finding in examine(app.settings, app.home, clock=app.clock, reach=app.reach()):
        yield finding
    if args.deep:
        async for finding in look_deep(app.home, clock=app.clock, zone=app.settings.timezone):
            yield finding


async def _bench(args: argparse.Namespace, app: App) -> int:
    # `bench` stands above `bot`, so it is loaded by name and only here.
    bench = importlib.import_module(f"bench.{args.name}")
    options = {name: getattr(args, name) for name in ("data", "embedder", "full") if name in args}
    if getattr(args, "chart", None) is not None:
        options["draw"] = _draws_to(args.chart, DRAWN_BY[args.name])
    return int(await bench.run(as_json=args.json, **options))


def _draws_to(path: Path, drawn_by: str) -> Callable[..., None]:
    if find_spec("matplotlib") is None:
        raise UsageFault("--chart needs matplotlib, which `make test` installs")
    return partial(getattr(importlib.import_module("bench.chart"), drawn_by), path)


COMMANDS: Mapping[str, Command] = {
    "serve": _serve,
    "chat": _chat,
    "facts": _facts,
    "recall": _recall,
    "why": _why,
    "forget": _forget,
    "probe": _probe,
    "import": _import,
    "doctor": _doctor,
    "bench": _bench,
}

# What the commands share


def _space_id(args: argparse.Namespace, app: App) -> str:
    """Return the space that is meant: the named one, else the operator's with a token, else the terminal's."""
    if getattr(args, "space", None) is not None:
        return str(args.space)
    return str(app.settings.telegram_owner_id) if app.settings.telegram_bot_token else TERMINAL_SPACE


def _require(args: argparse.Namespace, app: App) -> None:
    space_id = _space_id(args, app)
    if not app.home.space(space_id).exists:
        known = ", ".join(app.home.space_ids()) or "none yet"
        raise NothingThere(f"there is no space {space_id} in {app.home.root} (spaces: {known})")


def _reading(args: argparse.Namespace, app: App) -> AbstractAsyncContextManager[Space]:
    _require(args, app)
    return app.open_space(_space_id(args, app), read_only=True)


@asynccontextmanager
async def _tombstones(app: App) -> AsyncIterator[Tombstones]:
    database = await Database.open(app.home.database, "bot", clock=app.clock, backups=app.home.backups)
    try:
        yield Tombstones(database, app.clock)
    finally:
        await database.close()


def _progress(what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    console = Console(stderr=True)
    return _bar(console, what, total) if console.is_terminal else nullcontext(lambda _: None)


@contextmanager
def _bar(console: Console, what: str, total: int) -> Iterator[Callable[[int], None]]:
    with Bar(console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def _steps(what: str) -> Iterator[Progress | None]:
    """Show on a terminal how far something is whose length is told as it goes on."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Bar(console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)

        async def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield show


def _set_up_logs(args: argparse.Namespace, loaded: Loaded) -> None:
    """A server writes to its log and to stderr; a chat to its log only; other commands show errors alone."""
    settings = loaded.settings
    redactor = Redactor(settings.secrets)
    if args.command not in ("serve", "chat"):
        logs.set_up(redactor, folder=None, on_stderr=logging.ERROR)
        return
    for line in loaded.warnings:
        _say(line)
    home = Home(settings.home)
    home.create()
    serves = args.command == "serve" and settings.telegram_bot_token is not None
    logs.set_up(redactor, folder=home.logs, on_stderr=logging.INFO if serves else None)


def _print_json(document: Any, *, indent: int | None = 2) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=indent))


def _say(line: str) -> None:
    print(f"remembrancer: {line}", file=sys.stderr)


def _fail(line: str, code: int) -> int:
    _say(" ".join(line.split()))
    return code
