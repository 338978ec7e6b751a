"""TelegramApp: serves one bot from start to stop.

Starting waits for the network as long as it takes; stopping lets turns in flight finish. What a killed process left
undone is taken up by the spaces that are opened at start.
"""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Any

from bot.commands.offered import COMMANDS
from bot.health import Heartbeat
from bot.settings import Settings
from bot.telegram.admission import Admission
from bot.telegram.chats import ChatStore
from bot.telegram.connection import Connection
from bot.telegram.delivery import Sender
from bot.telegram.intake import Intake, Source
from bot.telegram.media import TelegramDownloads
from bot.telegram.menu import register_commands
from bot.telegram.pairing import Pairing
from bot.telegram.polling import Polling
from bot.telegram.reader import Reader
from bot.telegram.retry import until_done
from bot.telegram.screen import TelegramScreen
from bot.telegram.settling import Settling
from bot.telegram.updates import User
from bot.telegram.webhook import Webhook
from bot.turn.attachments.downloads import Downloads
from bot.turn.screen import Screen
from bot.turn.spaces import Spaces
from memory.errors import OperatorMustAct
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database
from memory.store.redaction import Redactor
from memory.transfer.export import export_bytes

log = logging.getLogger(__name__)


class TelegramApp:
    """One bot over `shared`, the installation's own database. Making it opens nothing."""

    def __init__(
        self, settings: Settings, shared: Database, *, redactor: Redactor, clock: Clock, heartbeat: Heartbeat
    ) -> None:
        owner = settings.telegram_owner_id
        assert owner is not None
        self._admission = Admission(shared, clock, operator_id=owner, always=frozenset(settings.telegram_allowed_ids))
        self._settings = settings
        self._connection = Connection(settings)
        self._chats = ChatStore(shared, clock)
        self._redactor = redactor
        self._clock = clock
        self._heartbeat = heartbeat

    def screen(self, space: Space) -> Screen:
        """Return the screen of a space: its chat."""
        bot = self._connection.bot
        sender = Sender(
            space.id,
            bot,
            self._chats,
            self._clock,
            picture=space.media.read,
            file=space.files.read,
            export=partial(export_bytes, space),
        )
        return TelegramScreen(space, sender)

    @property
    def downloads(self) -> Downloads:
        """Return what brings the files that members send."""
        return TelegramDownloads(self._connection.bot, self._clock)

    def admission_in(self, space: Space) -> Admission | None:
        """Return whom the bot serves, for the operator's own space, where that is decided; None for any other."""
        return self._admission if space.id == str(self._admission.operator_id) else None

    async def serve(
        self,
        spaces: Spaces,
        known_space_ids: Sequence[str],
        *,
        beside: AbstractAsyncContextManager[object] | None = None,
    ) -> None:
        """Serve until SIGTERM or SIGINT, then let turns in flight finish. A second signal ends the process at once.

        `beside` is open while updates are taken in, and closed before the spaces are.

        Raises: OutOfReach when the token is refused.
        """
        with _told_to_stop() as told:
            stop = asyncio.create_task(told.wait(), name="told to stop")
            work = asyncio.create_task(self._work(spaces, known_space_ids, beside or nullcontext()), name="telegram")
            try:
                await asyncio.wait({stop, work}, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    await work
            finally:
                for task in (stop, work):
                    task.cancel()
                await asyncio.gather(stop, work, return_exceptions=True)
                await spaces.close(grace_s=self._settings.turn_seconds)
                await self._connection.close()
        log.info("stopped")

    async def _work(
        self, spaces: Spaces, known_space_ids: Sequence[str], beside: AbstractAsyncContextManager[object]
    ) -> None:
        bot = self._connection.bot
        await until_done("open", self._connection.open, self._clock)
        await register_commands(bot)
        for space_id in known_space_ids:
            await self._take_up(spaces, space_id)
        reader = self._reader()
        pairing = Pairing(bot, self._admission, self._chats, spaces, reader)
        intake = Intake(bot, self._chats, spaces, reader, admission=self._admission, pairing=pairing)
        settling = Settling(bot, self._admission, self._chats, spaces, intake, self._clock)
        log.info("serving")
        async with beside:
            await _side_by_side(settling=settling.run(), updates=self._source().run(intake.take))

    def _reader(self) -> Reader:
        me = self._connection.bot.bot
        user = User(id=me.id, is_bot=True, first_name=me.first_name, username=me.username)
        return Reader(user, frozenset(command.name for command in COMMANDS), self._redactor, self._clock)

    def _source(self) -> Source:
        settings, connection = self._settings, self._connection
        if settings.telegram_webhook_url is None or settings.telegram_webhook_secret is None:
            return Polling(connection, self._clock, self._heartbeat)
        return Webhook(
            connection,
            self._clock,
            self._heartbeat,
            url=settings.telegram_webhook_url,
            secret=settings.telegram_webhook_secret,
            listen=settings.webhook_listen_in_use,
        )

    async def _take_up(self, spaces: Spaces, space_id: str) -> None:
        """Open a space that is known from before if it is still admitted; it goes on with what a stop left open."""
        if not await self._admission.has_space(space_id):
            return
        try:
            await spaces.runner(space_id)
        except OperatorMustAct:
            # The others are served all the same; its members are told when they write.
            log.exception("space not opened: space=%s", space_id)


async def _side_by_side(**work: Coroutine[Any, Any, None]) -> None:
    """Run all until one fails, then cancel the others. Raises: what that one raised."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for name, one in work.items():
                tasks.create_task(one, name=name)
    except ExceptionGroup as group:
        raise group.exceptions[0] from None


@contextlib.contextmanager
def _told_to_stop() -> Iterator[asyncio.Event]:
    """Yield an event that the first SIGTERM or SIGINT sets; the second has its usual effect."""
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    signals = (signal.SIGTERM, signal.SIGINT)

    def restore() -> None:
        for number in signals:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)

    def stop() -> None:
        log.info("told to stop: turns in flight finish first")
        restore()
        told.set()

    for number in signals:
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop)
    try:
        yield told
    finally:
        restore()
