"""TelegramApp: serves one bot from start to stop, and asks Telegram whether it is there.

Starting waits for the network as long as it takes; stopping lets turns in flight finish. What a killed process left
undone is taken up by the spaces that are opened at start.
"""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from telegram import BotCommand
from telegram.error import InvalidToken, RetryAfter, TelegramError

from bot.commands.member import COMMANDS
from bot.health import Heartbeat, OutOfReach
from bot.settings import Settings
from bot.telegram.backoff import Backoff
from bot.telegram.chats import ChatStore
from bot.telegram.connection import Connection, seconds_of
from bot.telegram.delivery import Sender
from bot.telegram.intake import FIRST_WAIT_S, MOST_WAIT_S, REFUSED, Intake
from bot.telegram.reader import Reader
from bot.telegram.screen import TelegramScreen
from bot.telegram.updates import User
from bot.turn.screen import Screen
from bot.turn.spaces import Spaces
from memory.errors import OperatorMustAct
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database
from memory.store.redaction import Redactor

log = logging.getLogger(__name__)

REACH_S = 10.0


class TelegramApp:
    """One bot over `shared`, the installation's own database. Making it opens nothing."""

    def __init__(
        self, settings: Settings, shared: Database, *, redactor: Redactor, clock: Clock, heartbeat: Heartbeat
    ) -> None:
        owner = settings.telegram_owner_id
        assert owner is not None
        self._admitted = frozenset({owner, *settings.telegram_allowed_ids})
        self._turn_s = settings.turn_seconds
        self._connection = Connection(settings)
        self._chats = ChatStore(shared, clock)
        self._redactor = redactor
        self._clock = clock
        self._heartbeat = heartbeat

    def screen(self, space: Space) -> Screen:
        """Return the screen of a space: its chat."""
        bot = self._connection.bot
        return TelegramScreen(
            space, Sender(space.id, bot, self._chats, self._clock, picture=space.media.read, file=space.files.read)
        )

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
                await spaces.close(grace_s=self._turn_s)
                await self._connection.close()
        log.info("stopped")

    async def _work(
        self, spaces: Spaces, known_space_ids: Sequence[str], beside: AbstractAsyncContextManager[object]
    ) -> None:
        await self._until_done("open", self._connection.open)
        # Polling is refused while a webhook is set. What waits at Telegram stays there for us.
        await self._until_done("delete webhook", self._connection.bot.delete_webhook)
        await self._register_commands()
        for space_id in known_space_ids:
            await self._take_up(spaces, space_id)
        log.info("serving: chats=%s", len(self._admitted))
        async with beside:
            await self._intake(spaces).run()

    def _intake(self, spaces: Spaces) -> Intake:
        me = self._connection.bot.bot
        user = User(id=me.id, is_bot=True, first_name=me.first_name, username=me.username)
        reader = Reader(user, frozenset(command.name for command in COMMANDS), self._redactor, self._clock)
        return Intake(
            self._connection,
            self._chats,
            spaces,
            reader,
            admitted=self._admitted,
            clock=self._clock,
            heartbeat=self._heartbeat,
        )

    async def _until_done(self, name: str, call: Callable[[], Awaitable[object]]) -> None:
        """Repeat a call until it succeeds, with growing waits. Raises: OutOfReach when the token is refused."""
        waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        is_told = False
        while True:
            try:
                await call()
            except InvalidToken:
                raise OutOfReach(REFUSED) from None
            except TelegramError as error:
                if not is_told:
                    log.warning("Telegram not reached, trying on: call=%s error=%s", name, type(error).__name__)
                is_told = True
                wait_s = waits.next_s()
                await self._clock.sleep(seconds_of(error) if isinstance(error, RetryAfter) else wait_s)
            else:
                return

    async def _register_commands(self) -> None:
        try:
            await self._connection.bot.set_my_commands([BotCommand(c.name, c.purpose) for c in COMMANDS])
        except TelegramError as error:
            log.warning("commands not registered: error=%s", type(error).__name__)

    async def _take_up(self, spaces: Spaces, space_id: str) -> None:
        """Open a space that is known from before if it is still admitted; it goes on with what a stop left open."""
        admitted_spaces = {await self._chats.space_of(chat_id) for chat_id in self._admitted}
        if space_id not in admitted_spaces | {str(chat_id) for chat_id in self._admitted}:
            return
        try:
            await spaces.runner(space_id)
        except OperatorMustAct:
            # The others are served all the same; its members are told when they write.
            log.exception("space not opened: space=%s", space_id)


async def reach_telegram(settings: Settings) -> str:
    """Ask Telegram who the bot is, and return its name. Raises: OutOfReach."""
    connection = Connection(settings, answer_s=REACH_S)
    try:
        await connection.open()
        return f"answers as @{connection.bot.username}"
    except InvalidToken:
        raise OutOfReach(REFUSED) from None
    except TelegramError as error:
        raise OutOfReach(f"no answer ({type(error).__name__}); check the network and TELEGRAM_BASE_URL") from None
    finally:
        await connection.close()


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
