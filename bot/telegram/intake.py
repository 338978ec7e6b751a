"""Intake: takes updates off Telegram and into the inboxes of their spaces, in order.

Telegram forgets an update once a later one is asked for, so the offset moves only past what is stored. It is kept
nowhere: after a start Telegram gives again what it was not told to forget, and an update that is known counts once.
Who is not admitted leaves no trace. No task is made of an update: a flood waits at Telegram.
"""

import logging
import sqlite3

from pydantic import ValidationError
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from bot.errors import words_for
from bot.health import Heartbeat, OutOfReach
from bot.telegram.backoff import Backoff
from bot.telegram.chats import ChatStore
from bot.telegram.connection import Connection, RawUpdate, seconds_of
from bot.telegram.reader import Presence, Reader
from bot.telegram.updates import Arrival, arrival_of
from bot.turn.spaces import Spaces
from memory.errors import OperatorMustAct, StorageInTrouble
from memory.ports import Clock
from memory.store.mailbox import Entry

log = logging.getLogger(__name__)

FIRST_WAIT_S, MOST_WAIT_S = 1.0, 60.0
PRESS_DEADLINE_S = 3.0

REFUSED = (
    "Telegram does not accept the bot token; set TELEGRAM_BOT_TOKEN to the one BotFather shows"
    " (and check TELEGRAM_BASE_URL, if it is set)"
)
CANNOT_STORE = (
    "I can't store anything at the moment; the operator must look (the disk may be full). "
    "Your message is not lost: it waits at Telegram, for up to a day, and I take it up as soon as I can."
)
UNREADABLE = "Something you sent came in a form I can't read, so it was not stored. Please say it in other words."


class Intake:
    """The loop over one bot's updates."""

    def __init__(
        self,
        connection: Connection,
        chats: ChatStore,
        spaces: Spaces,
        reader: Reader,
        *,
        admitted: frozenset[int],
        clock: Clock,
        heartbeat: Heartbeat,
    ) -> None:
        self._connection = connection
        self._chats = chats
        self._spaces = spaces
        self._reader = reader
        self._admitted = admitted
        self._clock = clock
        self._heartbeat = heartbeat
        self._offset = 0
        self._poll_waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        self._store_waits = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        self._trouble: str | None = None
        self._told: set[int] = set()
        """Chats that know that nothing can be stored."""

    async def run(self) -> None:
        """Take updates for ever. Raises: OutOfReach when the token is refused."""
        while True:
            try:
                updates = await self._connection.updates(self._offset)
            except InvalidToken:
                raise OutOfReach(REFUSED) from None
            except TelegramError as error:
                await self._after_trouble(error)
                continue
            self._note_success()
            for update in updates:
                if not await self._take(update):
                    await self._clock.sleep(self._store_waits.next_s())
                    break
                self._offset = update["update_id"] + 1

    # Polling

    async def _after_trouble(self, error: TelegramError) -> None:
        """Wait before the next poll; a trouble of one kind is logged once, however long it lasts."""
        name = type(error).__name__
        if self._trouble != name:
            self._trouble = name
            log.warning("no updates from Telegram: error=%s; %s", name, _advice(error))
        wait_s = self._poll_waits.next_s()
        await self._clock.sleep(seconds_of(error) if isinstance(error, RetryAfter) else wait_s)

    def _note_success(self) -> None:
        if self._trouble is not None:
            log.info("updates from Telegram again")
            self._trouble = None
        self._poll_waits.reset()
        try:
            self._heartbeat.beat()
        except OSError as error:
            log.warning("heartbeat not written: error=%s", type(error).__name__)

    # Taking

    async def _take(self, update: RawUpdate) -> bool:
        """Deal with one update so that it may be forgotten; False when it cannot be stored now."""
        arrival: Arrival | None = None
        source = f"tg:{self._connection.bot.id}:{update['update_id']}"
        try:
            try:
                arrival = await self._admit(arrival_of(update))
                if arrival is not None:
                    await self._store(arrival, source)
            except ValidationError as error:
                await self._bury(source, error, arrival, UNREADABLE)
            except StorageInTrouble:
                raise
            except OperatorMustAct as error:
                # One memory that cannot be opened must not hold up the others; its member is told to send it again.
                await self._bury(source, error, arrival, words_for(error))
        except (OperatorMustAct, OSError, sqlite3.Error) as error:
            await self._note_full(error, arrival)
            return False
        self._store_waits.reset()
        self._told.clear()
        return True

    async def _admit(self, arrival: Arrival | None) -> Arrival | None:
        """Return the arrival if its chat is admitted: everything else is denied."""
        if arrival is None or not (arrival.chat.is_private or arrival.chat.is_group):
            return None
        known_as = arrival.moved.old_chat_id if arrival.moved else arrival.chat.id
        if known_as in self._admitted:
            return arrival
        return arrival if await self._chats.space_of(known_as) in {str(chat_id) for chat_id in self._admitted} else None

    async def _store(self, arrival: Arrival, source: str) -> None:
        """Write down what an arrival means. Raises: ValidationError, OperatorMustAct, OSError."""
        if arrival.moved is not None:
            await self._chats.move(arrival.moved.old_chat_id, arrival.moved.new_chat_id)
            return
        if arrival.user is None or arrival.user.is_bot:
            return
        match self._reader.read(arrival, source):
            case Presence(is_away=True):
                await self._chats.pause(arrival.chat.id)
            case Presence():
                await self._welcome_back(arrival.chat.id)
            case Entry() as entry:
                await self._store_entry(entry, arrival.chat.id)
            case None:
                pass

    async def _store_entry(self, entry: Entry, chat_id: int) -> None:
        runner = await self._spaces.runner(await self._chats.space_of(chat_id))
        if entry.press_id is not None:
            refusal = await runner.refusal(entry)
            await self._acknowledge(entry.press_id, refusal)
            if refusal is not None:
                return
        if entry.kind == "message" and not entry.text:
            await runner.notify(entry)
        else:
            await runner.receive(entry)
        await self._welcome_back(chat_id)

    async def _welcome_back(self, chat_id: int) -> None:
        """Send what waited while the member had the bot blocked."""
        if await self._chats.resume(chat_id):
            runner = await self._spaces.runner(await self._chats.space_of(chat_id))
            await runner.retry_deliveries()

    async def _acknowledge(self, press_id: str, refusal: str | None) -> None:
        """Let the button stop spinning. A press that is too old for that is taken all the same."""
        try:
            await self._connection.bot.answer_callback_query(press_id, refusal, read_timeout=PRESS_DEADLINE_S)
        except TelegramError as error:
            log.info("press not acknowledged: error=%s", type(error).__name__)

    async def _bury(self, source: str, error: Exception, arrival: Arrival | None, words: str) -> None:
        """Put an update aside that cannot be dealt with, tell the member, and go on."""
        log.warning("update put aside: source=%s error=%s", source, type(error).__name__)
        await self._chats.bury(source, type(error).__name__)
        await self._say(arrival, words)

    # Telling

    async def _note_full(self, error: Exception, arrival: Arrival | None) -> None:
        if not self._told:
            log.error("updates cannot be stored and wait at Telegram: error=%s", type(error).__name__)
        if arrival is not None and arrival.chat.id not in self._told:
            self._told.add(arrival.chat.id)
            await self._say(arrival, CANNOT_STORE)

    async def _say(self, arrival: Arrival | None, words: str) -> None:
        """Say something at once, past an outbox that may not take it."""
        if arrival is None:
            return
        try:
            await self._connection.bot.send_message(arrival.chat.id, words)
        except TelegramError as error:
            log.info("notice not sent: error=%s", type(error).__name__)


def _advice(error: TelegramError) -> str:
    if isinstance(error, Conflict):
        return "another program polls with the same token: stop it (each bot can be served by one program only)"
    return "polling goes on, with growing waits"
