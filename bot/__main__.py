"""Remembrancer, wired: the one place that knows which parts make up the program."""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import uuid4

from bot import cli
from bot.clock import SystemClock
from bot.errors import line_for
from bot.health import Heartbeat, Reach
from bot.home import Home
from bot.models.embedder import GeminiEmbedder
from bot.models.gemini import GeminiModel
from bot.models.local_embedder import LocalEmbedder
from bot.models.meter import MeteredEmbedder
from bot.models.reader import OfflineReader
from bot.settings import Settings
from bot.telegram.app import TelegramApp, reach_telegram
from bot.terminal import Chat, banner, make_screen
from bot.turn.agent import Limits
from bot.turn.prompt import Ceilings
from bot.turn.runner import Runner
from bot.turn.screen import Screen
from bot.turn.spaces import Spaces
from bot.wiring import make_runner
from memory.errors import ReaderInTheWay
from memory.forget import effects, forget_again, plan, rows
from memory.ports import Clock, Embedder, Model
from memory.space import Space
from memory.store.database import Database
from memory.store.jobs import FORGET_EFFECTS
from memory.store.redaction import Redactor
from memory.store.tombstones import Tombstones


class Remembrancer:
    """The program over its settings; implements `cli.App`. Making it opens nothing."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.clock: Clock = SystemClock()
        self._redactor = Redactor(settings.secrets)

    @asynccontextmanager
    async def open_space(self, space_id: str, *, read_only: bool) -> AsyncIterator[Space]:
        """Open a memory for the length of the context."""
        async with self._embedder() as embedder:
            space = await self._open(space_id, embedder, read_only=read_only)
            try:
                yield space
            finally:
                await space.close()

    async def serve_telegram(self) -> None:
        """Serve Telegram until told to stop."""
        assert self.settings.telegram_bot_token is not None
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(self._model())
            embedder = await stack.enter_async_context(self._embedder(model))
            shared = await stack.enter_async_context(self._shared())
            app = TelegramApp(
                self.settings, shared, redactor=self._redactor, clock=self.clock, heartbeat=self._heartbeat()
            )

            async def open_runner(space_id: str) -> Runner:
                space = await self._open(space_id, embedder, read_only=False)
                return self.runner(space, model, app.screen(space), Tombstones(shared, self.clock))

            await app.serve(Spaces(open_runner), self.home.space_ids())

    async def chat(self, space_id: str) -> None:
        """Chat at the terminal, or with what is piped in, until that ends."""
        screen = make_screen()
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(self._model())
            embedder = await stack.enter_async_context(self._embedder(model))
            shared = await stack.enter_async_context(self._shared())
            space = await self._open(space_id, embedder, read_only=False)
            stack.push_async_callback(space.close)
            runner = self.runner(space, model, screen, Tombstones(shared, self.clock))
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

    def reach(self) -> Mapping[str, Reach]:
        """Return how to ask each service that is set up, by its name."""
        services: dict[str, Reach] = {}
        if self.settings.telegram_bot_token:
            services["Telegram"] = lambda: reach_telegram(self.settings)
        if not self._is_offline:
            services["Gemini"] = self._reach_gemini
        return services

    async def _reach_gemini(self) -> str:
        async with self._gemini() as gemini:
            return await gemini.reach()

    @property
    def _is_offline(self) -> bool:
        return self.settings.gemini_api_key is None

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(self.home.heartbeat, self.clock)

    async def _open(self, space_id: str, embedder: Embedder | None, *, read_only: bool) -> Space:
        """Open a memory; what a restored file brought back is forgotten again before anybody writes to it."""
        folder = self.home.space(space_id) if read_only else self.home.create_space(space_id)
        metered = MeteredEmbedder(embedder) if embedder is not None else None
        space = await Space.open(
            folder.path,
            default_zone=self.settings.timezone,
            clock=self.clock,
            backups=self.home.backups,
            read_only=read_only,
            embedder=metered,
            recency=self.settings.recency_percent / 100,
        )
        if not read_only:
            if metered is not None:
                metered.count_in(space)
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

    @asynccontextmanager
    async def _model(self) -> AsyncIterator[Model]:
        if self._is_offline:
            yield OfflineReader()
            return
        async with self._gemini() as gemini:
            yield gemini

    @asynccontextmanager
    async def _embedder(self, model: Model | None = None) -> AsyncIterator[Embedder | None]:
        """Make the embedder of the settings; Gemini's shares the connections of a model that is open already."""
        match self.settings.embedder_in_use:
            case "local":
                yield LocalEmbedder()
            case "gemini" if isinstance(model, GeminiModel):
                yield GeminiEmbedder(model, self.clock)
            case "gemini":
                async with self._gemini() as gemini:
                    yield GeminiEmbedder(gemini, self.clock)
            case "none":
                yield None

    def _gemini(self) -> GeminiModel:
        settings = self.settings
        assert settings.gemini_api_key is not None
        return GeminiModel(
            api_key=settings.gemini_api_key.get_secret_value(),
            chat_model=settings.gemini_model,
            utility_model=settings.gemini_utility_model,
            fallback_model=settings.gemini_fallback_model,
            base_url=settings.gemini_base_url,
            clock=self.clock,
        )

    def runner(self, space: Space, model: Model, screen: Screen, tombstones: Tombstones) -> Runner:
        """Wire one space by the settings."""
        settings = self.settings
        return make_runner(
            space,
            model,
            screen,
            tombstones,
            limits=Limits(settings.tool_calls_per_turn, settings.turn_seconds, settings.compact_at_tokens),
            ceilings=Ceilings(settings.ledger_tokens, settings.recall_tokens),
            keep_turns=settings.keep_turns,
            compress=settings.compress,
            is_offline=self._is_offline,
            operator_id=settings.telegram_owner_id,
        )


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(cli.run(sys.argv[1:], Remembrancer))


if __name__ == "__main__":
    main()
