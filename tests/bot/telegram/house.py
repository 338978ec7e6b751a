"""The bot at work on the fake Telegram: real app, spaces and client; model and clock are in the test's hands."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.health import Heartbeat
from bot.mcp.standing import Serving
from bot.probing.examining import Examination
from bot.probing.hours import Hours
from bot.probing.watch import Watch
from bot.schedule import Schedule
from bot.settings import Settings
from bot.shell.offering import shell_tools
from bot.telegram.app import TelegramApp
from bot.turn.agent import Limits
from bot.turn.prompt import Ceilings
from bot.turn.runner import Runner
from bot.turn.spaces import Spaces
from bot.wiring import Manner, make_runner
from memory.ports import Model, ModelReply, ModelRequest, OnText
from memory.space import Space
from memory.store.database import Database, Row
from memory.store.redaction import Redactor
from memory.store.tombstones import Tombstones
from tests.bot.turn.house import ZONE
from tests.fakes.blank import lay_blank
from tests.fakes.model import extracts, says
from tests.fakes.telegram import FakeTelegram
from tools.shell import Sandbox

OWNER, FRIEND, GROUP, STRANGER = 7, 8, -100, 66


class HeldClock:
    """A clock that stands still; who sleeps on it wakes when the test moves it that far."""

    def __init__(self) -> None:
        self._now = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
        self._sleepers: list[tuple[datetime, asyncio.Event]] = []
        self._fell_asleep = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        sleeper = (self._now + timedelta(seconds=seconds), woken)
        self._sleepers.append(sleeper)
        self._fell_asleep.set()
        self._wake()
        try:
            await woken.wait()
        finally:
            self._sleepers.remove(sleeper)

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._wake()

    def _wake(self) -> None:
        for wake_at, woken in self._sleepers:
            if wake_at <= self._now:
                woken.set()

    async def until_asleep(self, seconds: float) -> None:
        """Wait until somebody sleeps for exactly so long from now on."""
        async with asyncio.timeout(10):
            while not any(at == self._now + timedelta(seconds=seconds) for at, _ in self._sleepers):
                self._fell_asleep.clear()
                await self._fell_asleep.wait()


@dataclass
class Talk:
    """A model whose chat answers come from `answer`; what it streams meanwhile, a test shows itself by `show`."""

    answer: Callable[[ModelRequest], str] = lambda request: f"You said: {words_of(request)}"
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    """A turn whose words are a key here waits for the event."""
    requests: list[ModelRequest] = field(default_factory=list)
    show: OnText | None = None
    """What the last chat request streams to."""
    name: str = "talk"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "chat":
            return extracts() if request.task == "extract" else says("")
        self.requests.append(request)
        self.show = on_text
        gate = self.gates.get(words_of(request))
        if gate is not None:
            await gate.wait()
        return says(self.answer(request))


def words_of(request: ModelRequest) -> str:
    """Return the member's newest words in a chat request."""
    return next(message.text for message in reversed(request.messages) if message.role == "user")


@dataclass
class Bot:
    """The app at work."""

    telegram: FakeTelegram
    home: Path
    clock: HeldClock
    model: Model
    shared: Database
    serving: "asyncio.Task[None]"
    opened: list[str]
    watch: Watch | None = None
    """What looks after its nights, where there is an examination."""
    heartbeat: Heartbeat | None = None

    async def look(self) -> None:
        """Look once for nights and mornings, as the schedule does each minute."""
        assert self.watch is not None
        for look in self.watch.looks().values():
            await look()

    async def rows(self, sql: str) -> list[Row]:
        """Read the installation's own database."""
        return await self.shared.fetch_all(sql)

    async def space_rows(self, space_id: int, sql: str) -> list[Row]:
        """Read a space's database beside the app."""
        path = self.home / "spaces" / str(space_id) / "memory.db"
        database = await Database.open(path, "memory", clock=self.clock, backups=self.home, read_only=True)
        try:
            return await database.fetch_all(sql)
        finally:
            await database.close()

    async def stop(self) -> None:
        """Stop at once, as a process that is killed would: turns in flight are cut off."""
        self.serving.cancel()
        await asyncio.gather(self.serving, return_exceptions=True)


def environment(telegram: FakeTelegram, home: Path) -> dict[str, str]:
    """Return the settings of a bot on the fake server."""
    return {
        "TELEGRAM_BOT_TOKEN": telegram.token,
        "TELEGRAM_OWNER_ID": str(OWNER),
        "TELEGRAM_ALLOWED_IDS": f"{FRIEND},{GROUP}",
        "TELEGRAM_BASE_URL": telegram.base_url,
        "TELEGRAM_BASE_FILE_URL": telegram.base_file_url,
        "REMEMBRANCER_HOME": str(home),
        "REMEMBRANCER_TURN_SECONDS": "1",
    }


def settings_for(telegram: FakeTelegram, home: Path, **more: str) -> Settings:
    return Settings.model_validate(environment(telegram, home) | more)


@asynccontextmanager
async def serving(
    telegram: FakeTelegram,
    home: Path,
    model: Model | None = None,
    *,
    clock: HeldClock | None = None,
    examination: Examination | None = None,
    sandbox: Sandbox | None = None,
    servers: Serving | None = None,
    **more: str,
) -> AsyncIterator[Bot]:
    """Serve the fake Telegram in a home for the length of the context."""
    clock = clock or HeldClock()
    model = model or Talk()
    settings = settings_for(telegram, home, **more)
    (home / "logs").mkdir(parents=True, exist_ok=True)
    opened: list[str] = []
    async with AsyncExitStack() as stack:
        await lay_blank(home / "bot.db", "bot")
        shared = await Database.open(home / "bot.db", "bot", clock=clock, backups=home / "backups")
        stack.push_async_callback(shared.close)
        heartbeat = Heartbeat(home / "logs" / "heartbeat", clock)
        app = TelegramApp(settings, shared, redactor=Redactor(settings.secrets), clock=clock, heartbeat=heartbeat)

        async def open_runner(space_id: str) -> Runner:
            opened.append(space_id)
            folder = home / "spaces" / space_id
            folder.mkdir(parents=True, exist_ok=True)
            await lay_blank(folder / "memory.db")
            space = await Space.open(folder, default_zone=ZONE, clock=clock, backups=home / "backups")
            hours = Hours.of(settings)
            manner = Manner(limits=Limits(), ceilings=Ceilings(), keep_turns=4, hours=hours, is_offline=False)
            if examination is not None:
                manner["examination"] = examination
            manner["trouble"] = lambda: heartbeat.trouble
            admission = app.admission_in(space)
            if admission is not None:
                manner["admission"] = admission
            manner["downloads"] = app.downloads
            if servers is not None:
                manner["servers"], manner["operator_id"] = servers, settings.telegram_owner_id
            manner["more_tools"] = shell_tools(space, sandbox, OWNER)
            return make_runner(space, model, app.screen(space), Tombstones(shared, clock), **manner)

        spaces = Spaces(open_runner)
        watch = Watch(spaces.at_work, examination, Hours.of(settings), clock) if examination else None
        schedule = Schedule(watch.looks()) if watch else None
        task = asyncio.create_task(app.serve(spaces, _known(home), beside=schedule), name="serve")
        bot = Bot(telegram, home, clock, model, shared, task, opened, watch, heartbeat)
        stack.push_async_callback(bot.stop)
        yield bot


def _known(home: Path) -> Sequence[str]:
    spaces = home / "spaces"
    return sorted(folder.name for folder in spaces.iterdir()) if spaces.exists() else []
