"""Remembrancer, wired: the one place that knows which parts make up the program."""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from uuid import uuid4

from bot import cli
from bot.clock import SystemClock
from bot.command_line.app import say
from bot.errors import line_for
from bot.health import Heartbeat, OutOfReach, Reach
from bot.home import Home
from bot.imports.reading_back import OnRead, ReadBack, read_back
from bot.mcp.opening import open_servers, reach_server
from bot.mcp.standing import Serving
from bot.models.meter import MeteredEmbedder
from bot.models.opening import open_embedder, open_gemini, open_model
from bot.models.reader import OfflineReader
from bot.probing.examination import Examination, Progress, examine_frozen
from bot.probing.hours import Hours
from bot.probing.scratch import sweep
from bot.probing.watch import Watch
from bot.schedule import TICK_S, Schedule
from bot.settings import Settings, default_home
from bot.shell.offering import sandbox_of, shell_tools
from bot.telegram.admission import Admission
from bot.telegram.app import TelegramApp
from bot.telegram.reach import reach_telegram
from bot.terminal import Chat, banner, make_screen
from bot.turn.attachments.downloads import Downloads
from bot.turn.runner import Runner
from bot.turn.screen import Screen
from bot.turn.spaces import Spaces
from bot.wiring import make_reader_back, make_runner, manner_of
from memory.errors import ReaderInTheWay
from memory.findings import Gate, Run
from memory.forget import effects, forget_again, plan, rows
from memory.ports import Clock, Embedder, Model
from memory.space import Space
from memory.store.database import Database
from memory.store.jobs import FORGET_EFFECTS
from memory.store.redaction import Redactor
from memory.store.tombstones import Tombstones
from tools.shell import Sandbox


class Remembrancer:
    """The program over its settings; implements `command_line.app.App`. Making it opens nothing."""

    tick_s = TICK_S

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.clock: Clock = SystemClock()
        self._redactor = Redactor(settings.secrets)

    @asynccontextmanager
    async def open_space(self, space_id: str, *, read_only: bool, as_it_is: bool = False) -> AsyncIterator[Space]:
        """Open a memory for the length of the context; `as_it_is`: nothing in it is mended first."""
        async with open_embedder(self.settings, self.clock) as embedder:
            space = await self._open(space_id, embedder, read_only=read_only, as_it_is=as_it_is)
            try:
                yield space
            finally:
                await space.close()

    async def serve_telegram(self) -> None:
        """Serve Telegram until told to stop."""
        assert self.settings.telegram_bot_token is not None
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(open_model(self.settings, self.clock))
            embedder = await stack.enter_async_context(open_embedder(self.settings, self.clock, model))
            shared = await stack.enter_async_context(self._shared())
            servers = await stack.enter_async_context(open_servers(self.settings.servers))
            examination, heartbeat = self.examination(shared), self._heartbeat()
            sandbox = await self._sandbox()
            app = TelegramApp(self.settings, shared, redactor=self._redactor, clock=self.clock, heartbeat=heartbeat)

            async def open_runner(space_id: str) -> Runner:
                space = await self._open(space_id, embedder, read_only=False)
                tombstones = Tombstones(shared, self.clock)
                return self.runner(
                    space,
                    model,
                    app.screen(space),
                    tombstones,
                    examination=examination,
                    heartbeat=heartbeat,
                    admission=app.admission_in(space),
                    downloads=app.downloads,
                    sandbox=sandbox,
                    servers=servers,
                )

            spaces = Spaces(open_runner)
            watch = Watch(spaces.at_work, examination, Hours.of(self.settings), self.clock)
            await app.serve(spaces, self.home.space_ids(), beside=Schedule(watch.looks(), tick_s=self.tick_s))

    async def chat(self, space_id: str) -> None:
        """Chat at the terminal, or with what is piped in, until that ends."""
        screen = make_screen()
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(open_model(self.settings, self.clock))
            embedder = await stack.enter_async_context(open_embedder(self.settings, self.clock, model))
            shared = await stack.enter_async_context(self._shared())
            space = await self._open(space_id, embedder, read_only=False)
            stack.push_async_callback(space.close)
            servers = await stack.enter_async_context(open_servers(self.settings.servers))
            examination = self.examination(shared)
            tombstones, sandbox = Tombstones(shared, self.clock), await self._sandbox()
            runner = self.runner(
                space, model, screen, tombstones, examination=examination, sandbox=sandbox, servers=servers
            )
            chat = Chat(runner, self._redactor, make_id=lambda: uuid4().hex)
            await chat.converse(screen, banner(model.name, is_offline=self._is_offline))

    async def forget(self, space: Space, ref: str) -> str:
        """Forget a fact, segment, message or turn from every layer, and return the receipt."""
        what = await plan(space, ref)
        async with self._shared() as shared, space.db.transaction():
            report = await rows(space, what, Tombstones(shared, self.clock))
            job = f"{FORGET_EFFECTS}:cli:{uuid4().hex}"
            await space.jobs.add(FORGET_EFFECTS, job, {})
        try:
            erased = await effects(space)
        except ReaderInTheWay as fault:
            return f"{report.words()}\n{line_for(fault)}"
        async with space.db.transaction():
            await space.jobs.finish_key(job)
        return f"{report.words()}\n{erased.words()}"

    async def probe(self, space: Space, *, on_progress: Progress | None) -> tuple[Run, Gate]:
        """Examine a memory and store what was found."""
        async with self._shared() as shared:
            return await self.examination(shared).run(space, on_progress=on_progress)

    async def probe_frozen(self, *, on_progress: Progress | None) -> tuple[Run, Gate]:
        """Examine a memory made of the frozen talk."""
        return await examine_frozen(self.settings, on_progress=on_progress)

    async def read_back(self, space: Space, tombstones: Tombstones, *, on_read: OnRead) -> ReadBack:
        """Read the facts of imported messages that wait for it, as far as today's money goes."""
        async with open_model(self.settings, self.clock) as model:
            utility = model.name if self._is_offline else self.settings.gemini_utility_model
            reader = make_reader_back(
                space, model, tombstones, daily_usd=self.settings.daily_usd, utility_model=utility
            )
            return await read_back(space, reader, on_read)

    def examination(self, shared: Database) -> Examination:
        """Return what examines the memories of the home, once what a killed one left is swept. The home is held."""
        sweep(self.home)
        return Examination(self.settings, self.home, shared, self.clock, elsewhere=(default_home(),))

    def reach(self) -> Mapping[str, Reach]:
        """Return how to ask each service that is set up, by its name."""
        services: dict[str, Reach] = {}
        if self.settings.telegram_bot_token:
            services["Telegram"] = lambda: reach_telegram(self.settings)
        if not self._is_offline:
            services["Gemini"] = self._reach_gemini
        if self.settings.shell:
            services["shell"] = self._reach_shell
        for name, server in self.settings.servers.servers.items():
            services[f"MCP {name}"] = partial(reach_server, name, server)
        return services

    async def _reach_gemini(self) -> str:
        async with open_gemini(self.settings, self.clock) as gemini:
            return await gemini.reach()

    async def _reach_shell(self) -> str:
        trouble = await sandbox_of(self.settings).trouble()
        if trouble is not None:
            raise OutOfReach(trouble)
        return "commands run in a sandbox (bubblewrap), in the operator's own space"

    async def _sandbox(self) -> Sandbox | None:
        """Return where commands run; None where none are to, or none can, which is said."""
        if not self.settings.shell:
            return None
        sandbox = sandbox_of(self.settings)
        trouble = await sandbox.trouble()
        if trouble is not None:
            say(f"REMEMBRANCER_SHELL: {trouble}")
            return None
        return sandbox

    @property
    def _is_offline(self) -> bool:
        return self.settings.gemini_api_key is None

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(self.home.heartbeat, self.clock)

    async def _open(
        self, space_id: str, embedder: Embedder | None, *, read_only: bool, as_it_is: bool = False
    ) -> Space:
        """Open a memory; what a restored file brought back is forgotten again before anybody writes to it."""
        folder = self.home.space(space_id) if read_only else self.home.create_space(space_id)
        metered = MeteredEmbedder(embedder, daily_usd=self.settings.daily_usd) if embedder is not None else None
        space = await Space.open(
            folder.path,
            default_zone=self.settings.timezone,
            clock=self.clock,
            backups=self.home.backups,
            read_only=read_only,
            embedder=metered,
            recency=self.settings.recency_percent / 100,
            as_it_is=as_it_is,
        )
        if metered is not None:
            metered.count_in(space)
        if not read_only and not as_it_is:
            try:
                async with self._shared() as shared:
                    await forget_again(space, Tombstones(shared, self.clock))
            except BaseException:
                await space.close()
                raise
        return space

    @asynccontextmanager
    async def _shared(self) -> AsyncIterator[Database]:
        """Open what belongs to the whole installation (bot.db)."""
        self.home.create()
        database = await Database.open(self.home.database, "bot", clock=self.clock, backups=self.home.backups)
        try:
            yield database
        finally:
            await database.close()

    def runner(
        self,
        space: Space,
        model: Model,
        screen: Screen,
        tombstones: Tombstones,
        *,
        examination: Examination | None = None,
        heartbeat: Heartbeat | None = None,
        admission: Admission | None = None,
        downloads: Downloads | None = None,
        sandbox: Sandbox | None = None,
        servers: Serving | None = None,
    ) -> Runner:
        """Wire one space by the settings."""
        manner = manner_of(self.settings)
        manner["daily_usd"] = self.settings.daily_usd
        if not self._is_offline:
            manner["utility_model"] = self.settings.gemini_utility_model
            manner["stand_in"] = OfflineReader(is_stand_in=True)
        if examination is not None:
            manner["examination"] = examination
        if heartbeat is not None:
            manner["polled_s"], manner["trouble"] = heartbeat.age_s, lambda: heartbeat.trouble
        if admission is not None:
            manner["admission"] = admission
        if downloads is not None:
            manner["downloads"], manner["redactor"] = downloads, self._redactor
        manner["more_tools"] = shell_tools(space, sandbox, self.settings.telegram_owner_id)
        if servers is not None:
            manner["servers"], manner["redactor"] = servers, self._redactor
        return make_runner(space, model, screen, tombstones, **manner)


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(cli.run(sys.argv[1:], Remembrancer))


if __name__ == "__main__":
    main()
