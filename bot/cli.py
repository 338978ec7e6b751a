"""The command line: arguments in, exit code out (0 fine, 1 what was asked about is not well, 2 wrong use or settings).

Each command is a small coroutine over an `App`, which `bot/__main__.py` wires; those that ask, keep or take in a memory
stand in `bot/command_line/`. Results go to stdout, everything said about them to stderr, errors in one line. Nothing
here knows a table, a prompt or a provider.
"""

import argparse
import asyncio
import importlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo

from bot import logs, views
from bot.arguments import WRONG_USE, parse
from bot.command_line import archives, asking
from bot.command_line.app import (
    FINE,
    NOT_WELL,
    App,
    Command,
    NothingThere,
    print_json,
    require,
    say,
    space_id,
)
from bot.command_line.importing import import_
from bot.command_line.progress import steps
from bot.deep import look_deep
from bot.errors import line_for
from bot.health import Finding, Heartbeat, OutOfReach, examine, liveness
from bot.home import Home, HomeBusy, HomeUnusable
from bot.inputs import UsageFault, has_input
from bot.settings import BadSettings, Loaded, Settings, load
from memory.errors import MemoryFault
from memory.findings import Gate, Run
from memory.probe import frozen
from memory.store.redaction import Redactor

log = logging.getLogger(__name__)

DRAWN_BY = {"retrieval": "draw", "strategies": "draw_strategies"}
"""The function of `bench.chart` that draws what a benchmark measured."""


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
        await app.chat(space_id(args, app))
    return FINE


async def _forget(args: argparse.Namespace, app: App) -> int:
    require(args, app)
    async with app.home.locked_after(say), app.open_space(space_id(args, app), read_only=False) as space:
        print(await app.forget(space, args.id))
    return FINE


async def _probe(args: argparse.Namespace, app: App) -> int:
    if args.fixture:
        if args.space is not None:
            raise UsageFault("--fixture examines no memory of yours: leave --space out")
        with steps("examining") as on_progress:
            run, judged = await app.probe_frozen(on_progress=on_progress)
        return _show_probe(args, run, judged, frozen.ZONE)
    require(args, app)
    async with (
        app.home.locked_after(say),
        app.open_space(space_id(args, app), read_only=False, as_it_is=True) as space,
    ):
        with steps("examining") as on_progress:
            run, judged = await app.probe(space, on_progress=on_progress)
        return _show_probe(args, run, judged, space.zone)


def _show_probe(args: argparse.Namespace, run: Run, judged: Gate, zone: ZoneInfo) -> int:
    if args.json:
        print_json(views.probe_json(run, judged))
    else:
        print("\n".join(views.probe_lines(run, judged, zone)))
    return FINE if judged.ok else NOT_WELL


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
    is_root = os.name == "posix" and os.geteuid() == 0
    async for finding in examine(app.settings, app.home, clock=app.clock, reach=app.reach(), is_root=is_root):
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
    "facts": asking.facts,
    "recall": asking.recall,
    "why": asking.why,
    "forget": _forget,
    "probe": _probe,
    "import": import_,
    "backup": archives.backup_command,
    "restore": archives.restore_command,
    "export": archives.export_command,
    "doctor": _doctor,
    "bench": _bench,
}


def _set_up_logs(args: argparse.Namespace, loaded: Loaded) -> None:
    """A server writes to its log and to stderr; a chat to its log only; other commands show errors alone."""
    settings = loaded.settings
    redactor = Redactor(settings.secrets)
    if args.command in ("serve", "chat") or (args.command == "doctor" and not args.live):
        for line in loaded.warnings:
            say(line)
    if args.command not in ("serve", "chat"):
        logs.set_up(redactor, folder=None, on_stderr=logging.ERROR)
        return
    home = Home(settings.home)
    home.create()
    serves = args.command == "serve" and settings.telegram_bot_token is not None
    logs.set_up(redactor, folder=home.logs, on_stderr=logging.INFO if serves else None)


def _fail(line: str, code: int) -> int:
    say(" ".join(line.split()))
    return code
