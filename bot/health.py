"""Health: what `doctor` looks at, and the heartbeat by which a container knows that the server lives.

A finding says what was looked at, whether it is well and, if not, what to do. Looking changes nothing: databases are
opened for reading, and the file that proves the disk writable is removed again. No finding shows a key or a person's
text.
"""

import asyncio
import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.errors import line_for
from bot.home import Home
from bot.models.ceiling import bill_since
from bot.models.prices import shown_usd
from bot.settings import Settings
from memory.errors import MemoryFault
from memory.ports import Clock
from memory.store.database import Database
from memory.store.mailbox import Mailbox
from memory.store.migrations import Schema
from memory.store.wall_times import moment

log = logging.getLogger(__name__)

LIVE_WITHIN_S = 120.0
"""A poll takes up to half a minute; past this age something hangs."""
ENOUGH_BYTES = 200_000_000
LARGE_LOG_BYTES = 64 * 1024 * 1024
"""A write-ahead log beyond this has not been emptied for long; ours is cut to 16 MB when no reader is in the way."""
REACH_DEADLINE_S = 15.0
UNBOUND_ROOT = (
    "root, whom no limit of processes binds, so a shell command may start any number; run it as a user of its own, or "
    "set REMEMBRANCER_SHELL=off"
)

Reach = Callable[[], Awaitable[str]]
"""Asks a service for something cheap and returns a few words about it (the bot's name, how many models).

Raises: OutOfReach, MemoryFault or OSError.
"""


class OutOfReach(Exception):
    """A service did not answer as it should; the message says what happened and what to do, without a key."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    about: str
    is_well: bool
    detail: str

    def line(self) -> str:
        return f"{'✓' if self.is_well else '✗'} {self.about}: {self.detail}"


class Heartbeat:
    """A file that holds the time when the server last reached Telegram: a poll, or a look at the webhook.

    `trouble` is what hinders what comes in all the same, None for nothing; only the process that serves knows it.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self.trouble: str | None = None

    def beat(self) -> None:
        """Note that the server lives. Written whole or not at all.

        Raises: OSError.
        """
        unfinished = self._path.with_suffix(".unfinished")
        unfinished.write_text(self._clock.now().astimezone(UTC).isoformat(), encoding="ascii")
        unfinished.replace(self._path)

    def try_to_beat(self) -> None:
        """The same; what cannot be written is logged."""
        try:
            self.beat()
        except OSError as error:
            log.warning("heartbeat not written: error=%s", type(error).__name__)

    def age_s(self) -> float | None:
        """Return the seconds since the last beat; None when there was none."""
        try:
            last = datetime.fromisoformat(self._path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None
        if last.tzinfo is None:
            return None
        return (self._clock.now() - last).total_seconds()


def liveness(heartbeat: Heartbeat) -> Finding:
    """Look at the heartbeat alone."""
    age_s = heartbeat.age_s()
    if age_s is None:
        return Finding(
            "heartbeat", is_well=False, detail="none; the server has not reached Telegram since it was set up"
        )
    is_well = age_s <= LIVE_WITHIN_S
    advice = "" if is_well else f" (more than {LIVE_WITHIN_S:.0f} s: the server hangs, is offline or does not run)"
    return Finding("heartbeat", is_well, f"{max(age_s, 0):.0f} s ago{advice}")


async def examine(
    settings: Settings,
    home: Home,
    *,
    clock: Clock,
    reach: Mapping[str, Reach],
    is_root: bool,
    deadline_s: float = REACH_DEADLINE_S,
) -> AsyncIterator[Finding]:
    """Yield one finding after the other, slow ones last; each service has `deadline_s` to answer."""
    yield _settings(settings)
    if settings.shell and is_root:
        yield Finding("user", is_well=False, detail=UNBOUND_ROOT)
    yield _disk(home)
    yield _privacy(home)
    if home.database.is_file():
        yield await _database(home.database, "bot", home, clock)
    for space_id in home.space_ids():
        yield await _database(home.space(space_id).database, "memory", home, clock)
    for name, ask in reach.items():
        yield await _reached(name, ask, deadline_s)


def _settings(settings: Settings) -> Finding:
    where = "Telegram" if settings.telegram_bot_token else "the terminal (no TELEGRAM_BOT_TOKEN)"
    model = settings.gemini_model if settings.gemini_api_key else "the offline reader (no GEMINI_API_KEY)"
    embedder = {
        "gemini": "vectors by Gemini",
        "local": "vectors by the local embedder",
        "none": "no vectors (recall works by words)",
    }[settings.embedder_in_use]
    return Finding("settings", is_well=True, detail=f"{where}, {model}, {embedder}, {settings.timezone.key}")


def _disk(home: Home) -> Finding:
    folder = next(path for path in (home.root, *home.root.parents) if path.exists())
    made = "" if folder == home.root else " (made at the first start)"
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding(
            "disk", is_well=False, detail=f"{home.root} cannot be written ({error.strerror}); set REMEMBRANCER_HOME"
        )
    advice = "" if free >= ENOUGH_BYTES else "; free some space, or nothing more can be stored soon"
    return Finding("disk", free >= ENOUGH_BYTES, f"{home.root}{made}, {free / 1e9:.1f} GB free{advice}")


def _privacy(home: Home) -> Finding:
    exposed = [path for path in (home.root, home.spaces, home.backups, home.logs) if _others_may_enter(path)]
    if exposed:
        names = " ".join(str(path) for path in exposed)
        return Finding("privacy", is_well=False, detail=f"other users may read the home; run: chmod 700 {names}")
    return Finding("privacy", is_well=True, detail="only you may read the home")


def _others_may_enter(path: Path) -> bool:
    return os.name == "posix" and path.exists() and bool(path.stat().st_mode & 0o077)


async def _database(path: Path, schema: Schema, home: Home, clock: Clock) -> Finding:
    about = str(path.relative_to(home.root))
    try:
        database = await Database.open(path, schema, clock=clock, backups=home.backups, read_only=True)
        try:
            rows = await database.fetch_all("PRAGMA quick_check(1)")
            vectors = await _vectors(database) if schema == "memory" else ""
            given_up = await Mailbox(database, clock).count_dead() if schema == "memory" else 0
            spent = await _spent(database, clock) if schema == "memory" else ""
        finally:
            await database.close()
    except (MemoryFault, OSError) as error:
        return Finding(about, is_well=False, detail=line_for(error))
    except sqlite3.Error as error:
        return Finding(about, is_well=False, detail=f"cannot be opened ({error})")
    verdict = str(rows[0][0])
    if verdict != "ok":
        return Finding(
            about, is_well=False, detail="damaged; stop the server and bring a backup back: remembrancer restore FILE"
        )
    log_bytes = _log_bytes(path)
    if log_bytes > LARGE_LOG_BYTES:
        return Finding(
            about,
            is_well=False,
            detail=f"its log has grown to {log_bytes / 1e6:.0f} MB: something has been reading the file all the time "
            "(another program, a hanging command); end that, then start the server anew",
        )
    dead = f"; {given_up} that came in could not be taken up (inbox, state 'dead')" if given_up else ""
    return Finding(
        about, is_well=True, detail=f"opens, {path.stat().st_size / 1e6:.1f} MB, checked{vectors}{dead}{spent}"
    )


async def _vectors(database: Database) -> str:
    """Say how many segments have a vector of their present words, and whose; nothing where none was ever made."""
    row = await database.fetch_one(
        "SELECT (SELECT embedder FROM profile) AS embedder, (SELECT count(*) FROM vectors) AS made,"
        " (SELECT count(*) FROM vectors_due) AS due"
    )
    if row is None or row["embedder"] is None:
        return ""
    return f"; {row['made']} of {row['made'] + row['due']} segments have a vector ({row['embedder']})"


async def _spent(database: Database, clock: Clock) -> str:
    """Say how many calls were made today and what they cost; nothing where none was."""
    profile = await database.fetch_one("SELECT zone FROM profile")
    if profile is None:
        return ""
    zone = ZoneInfo(profile["zone"])
    total = (await bill_since(database, moment(datetime.combine(clock.now().astimezone(zone), time()), zone))).total
    return f"; {total.calls} model calls today, {shown_usd(total.usd)}" if total.calls else ""


def _log_bytes(path: Path) -> int:
    log = path.with_name(f"{path.name}-wal")
    return log.stat().st_size if log.exists() else 0


async def _reached(name: str, ask: Reach, deadline_s: float) -> Finding:
    try:
        async with asyncio.timeout(deadline_s):
            return Finding(name, is_well=True, detail=await ask())
    except TimeoutError:
        detail = f"no answer within {deadline_s:.0f} s; check the network"
    except OutOfReach as error:
        detail = str(error)
    except MemoryFault as error:
        detail = line_for(error)
    except OSError as error:
        detail = f"out of reach ({type(error).__name__}); check the network"
    return Finding(name, is_well=False, detail=detail)
