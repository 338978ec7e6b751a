"""Examination: one memory is backed up, the backup is restored into a scratch home and examined there by a process of
its own, and what that found is stored.

Of the live memory nothing changes but the rows of the run, and they last: the process that examines has no path to it.
One that dies, hangs or talks nonsense makes the run a failed one, never a healthy one.
"""

import asyncio
import logging
import os
import random
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pydantic import SecretStr

import bot
from bot.home import Home
from bot.models.ceiling import Ceiling
from bot.probing.astray import astray
from bot.probing.errand import Errand, Said
from bot.probing.scratch import FreeBytes, free_bytes, scratch_of, sweep
from bot.settings import Settings, names
from bot.telegram.chats import ChatStore
from memory.errors import MemoryFault
from memory.findings import Gate, Run
from memory.integrity import examine_media
from memory.ports import Clock
from memory.probe import frozen
from memory.probe.gate import gate
from memory.probe.run import Orders
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones

log = logging.getLogger(__name__)

TRIAL_EVERY = timedelta(days=7)
SILENCE_S = 1800.0
"""An examination that says nothing for so long hangs: its longest step is the trial of the extractor."""
LIMIT_S = 3 * 3600.0
LONGEST_LINE = 64 * 1024 * 1024
PROGRAM = (sys.executable, "-P", "-m", "bot.probing.examiner")
TOLD = (
    "GEMINI_API_KEY",
    "GEMINI_BASE_URL",
    "GEMINI_MODEL",
    "GEMINI_UTILITY_MODEL",
    "GEMINI_FALLBACK_MODEL",
    "REMEMBRANCER_TIMEZONE",
    "REMEMBRANCER_COMPACT_AT_TOKENS",
    "REMEMBRANCER_KEEP_TURNS",
    "REMEMBRANCER_LEDGER_TOKENS",
    "REMEMBRANCER_RECALL_TOKENS",
    "REMEMBRANCER_RECENCY_PERCENT",
    "REMEMBRANCER_EMBEDDER",
    "REMEMBRANCER_COMPRESS",
    "REMEMBRANCER_TOOL_CALLS_PER_TURN",
    "REMEMBRANCER_TURN_SECONDS",
)
"""The settings that the process is given; none that leads to a person, a chat or a live file."""
PASSED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "SYSTEMROOT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    *(form for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY") for form in (name, name.lower())),
)
"""What of our own environment it needs to run and to reach the service."""

Progress = Callable[[int, int], Awaitable[None]]


class ExaminationFault(MemoryFault):
    """The examination came to nothing. `error` is the name of an error class, or Died, Hung or Nonsense."""

    def __init__(self, error: str) -> None:
        super().__init__(f"the examination came to nothing ({error}); nothing is called lost")
        self.error = error


class Examination:
    """Examines memories of one home, one at a time, whoever asks. `shared` is the home's bot.db.

    `elsewhere` are further homes in which a memory may lie that is missed here.
    """

    def __init__(
        self,
        settings: Settings,
        home: Home,
        shared: Database,
        clock: Clock,
        *,
        elsewhere: Sequence[Path] = (),
        program: Sequence[str] = PROGRAM,
        free: FreeBytes = free_bytes,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._settings = settings
        self._home = home
        self._chats = ChatStore(shared, clock)
        self._tombstones = Tombstones(shared, clock)
        self._clock = clock
        self._elsewhere = elsewhere
        self._program = program
        self._free = free
        self._silence_s = silence_s
        self._lock = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether an examination is under way."""
        return self._lock.locked()

    async def run(
        self, space: Space, *, night: date | None = None, only: Sequence[str] = (), on_progress: Progress | None = None
    ) -> tuple[Run, Gate]:
        """Examine a memory, store what was found and return it.

        `night` is the local date it counts for; `only` names the cases to examine, none of them: all there are.

        Raises: ExaminationFault, OSError when it came to nothing; OperatorMustAct.
        """
        async with self._lock:
            sweep(self._home)
            await space.probes.abandon_open()
            run_id = await space.probes.begin(night)
            try:
                run = await self._examined(space, await self._errand(space, night, only), on_progress)
                judged = gate(run, await space.probes.baselines())
                await space.probes.finish(run_id, run, judged)
            except BaseException as error:
                name = error.error if isinstance(error, ExaminationFault) else type(error).__name__
                log.warning("examination failed: space=%s run=%s error=%s", space.id, run_id, name)
                await space.probes.fail(run_id, name)
                raise
            return run, judged

    async def _examined(self, space: Space, errand: Errand, on_progress: Progress | None) -> Run:
        async with scratch_of(self._home, space, self._tombstones, self._clock, free=self._free) as scratch:
            errand.write(scratch.root)
            settings = self._paid_by(space)
            found = await sent(self._program, settings, scratch.root, on_progress, silence_s=self._silence_s)
        # What only the live files can tell.
        beside = [
            *await examine_media(space),
            *await astray(
                space, self._home, self._chats, self._tombstones, elsewhere=self._elsewhere, clock=self._clock
            ),
        ]
        return found.model_copy(update={"integrity": (*found.integrity, *beside)})

    async def _errand(self, space: Space, night: date | None, only: Sequence[str]) -> Errand:
        today = night or self._clock.now().astimezone(space.zone).date()
        last_trial = await space.probes.last_trial()
        orders = Orders(
            space_id=space.id,
            night=night,
            seed=night.toordinal() if night else random.SystemRandom().getrandbits(32),
            known=await space.probes.known(),
            asked=await space.probes.last_answered(),
            amiss=tuple(alarm.ref for alarm in await space.probes.open_alarms()),
            last_arms=await space.probes.last_arms(),
            has_trial=last_trial is None or today - last_trial >= TRIAL_EVERY,
            only=tuple(only),
        )
        return Errand(orders=orders, allowance_usd=await self._allowance_usd(space))

    def _paid_by(self, space: Space) -> Settings:
        """Return the settings with what a day of this memory may cost."""
        daily_usd = Ceiling(space, self._settings.daily_usd).daily_usd
        return self._settings.model_copy(update={"daily_usd": daily_usd})

    async def _allowance_usd(self, space: Space) -> float | None:
        """Return what the examinations of this local day may still cost."""
        return await Ceiling(space, self._settings.daily_usd).left_usd("probe")


async def examine_frozen(settings: Settings, *, on_progress: Progress | None = None) -> tuple[Run, Gate]:
    """Play the frozen talk into an empty memory in a scratch home and examine that; no home is touched.

    It may cost what a day may.

    Raises: ExaminationFault.
    """
    orders = Orders(space_id="frozen", night=None, seed=0)
    with tempfile.TemporaryDirectory(prefix="remembrancer-") as folder:
        scratch = Home(Path(folder) / "home")
        scratch.create()
        Errand(orders=orders, allowance_usd=settings.daily_usd, is_frozen=True).write(scratch.root)
        there = settings.model_copy(update={"timezone": frozen.ZONE})
        run = await sent(PROGRAM, there, scratch.root, on_progress)
    return run, gate(run, ())


async def sent(
    program: Sequence[str],
    settings: Settings,
    scratch: Path,
    on_progress: Progress | None,
    *,
    silence_s: float = SILENCE_S,
) -> Run:
    """Let a process of its own do the errand that lies in a scratch home, and return what it found.

    However this ends, the process is gone afterwards.

    Raises: ExaminationFault.
    """
    async with _started([*program, str(scratch)], scratch, environment(settings, scratch)) as process:
        try:
            async with asyncio.timeout(LIMIT_S):
                return await _heard(process, on_progress, silence_s)
        except TimeoutError:
            raise ExaminationFault("Hung") from None


async def _heard(process: Process, on_progress: Progress | None, silence_s: float) -> Run:
    assert process.stdout is not None
    while True:
        try:
            async with asyncio.timeout(silence_s):
                line = await process.stdout.readline()
            said = Said.model_validate_json(line) if line else None
        except ValueError:
            raise ExaminationFault("Nonsense") from None
        if said is None:
            raise ExaminationFault("Died")
        if said.failed is not None:
            raise ExaminationFault(said.failed)
        if said.run is not None:
            return said.run
        if said.progress is not None and on_progress is not None:
            await on_progress(*said.progress)


@asynccontextmanager
async def _started(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_LINE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def environment(settings: Settings, scratch: Path) -> dict[str, str]:
    """Return the environment of the process that examines.

    Where no money may be spent the offline reader answers the members, so it is the one that is examined.
    """
    if settings.daily_usd == 0:
        settings = settings.model_copy(update={"gemini_api_key": None, "embedder": _unpaid(settings)})
    fields = names()
    told = {name: getattr(settings, fields[name]) for name in TOLD} | {
        "REMEMBRANCER_EMBEDDER": settings.embedder_in_use
    }
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        **{name: _written(value) for name, value in told.items() if value is not None},
        "REMEMBRANCER_HOME": str(scratch),
        "HOME": str(scratch),
        "PYTHONPATH": str(Path(bot.__file__).parents[1]),
    }


def _unpaid(settings: Settings) -> str:
    return "none" if settings.embedder_in_use == "gemini" else settings.embedder


def _written(value: Any) -> str:
    """Return a value as it would be set."""
    match value:
        case SecretStr():
            return value.get_secret_value()
        case bool():
            return "on" if value else "off"
        case _:
            return str(value)
