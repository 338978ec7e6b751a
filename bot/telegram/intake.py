"""Intake: brings updates into the inboxes of their spaces, in order, wherever they come from.

One at a time: the next is dealt with when this one may be forgotten by Telegram. An update that is known counts once.
Who is not admitted can do no more than ask to be; what else they send leaves no trace.
"""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from pydantic import ValidationError
from telegram import Bot
from telegram.error import TelegramError

from bot.errors import words_for
from bot.telegram.admission import Admission
from bot.telegram.chats import ChatStore
from bot.telegram.connection import RawUpdate
from bot.telegram.pairing import Pairing
from bot.telegram.reader import Presence, Reader
from bot.telegram.updates import Arrival, arrival_of
from bot.turn.runner import Runner
from bot.turn.spaces import Spaces
from memory.catalogue import ENGLISH, N_, _, language_of, speaking
from memory.errors import OperatorMustAct, StorageInTrouble
from memory.store.entries import Entry
from memory.store.reactions import Reaction

log = logging.getLogger(__name__)

PRESS_DEADLINE_S = 3.0

CANNOT_STORE = N_(
    "I can't store anything at the moment; the operator must look (the disk may be full). "
    "Your message is not lost: it waits at Telegram, for up to a day, and I take it up as soon as I can."
)
UNREADABLE = N_("Something you sent came in a form I can't read, so it was not stored. Please say it in other words.")


Take = Callable[[RawUpdate], Awaitable[bool]]
"""Deals with one update so that it may be forgotten; False when it cannot be stored now."""


class Source(Protocol):
    """Where the updates of one bot come from."""

    async def run(self, take: Take) -> None:
        """Hand in updates for ever, each until it was taken. Raises: OutOfReach when the token is refused."""
        ...


class Intake:
    """The way into the spaces of one bot."""

    def __init__(
        self, bot: Bot, chats: ChatStore, spaces: Spaces, reader: Reader, *, admission: Admission, pairing: Pairing
    ) -> None:
        self._bot = bot
        self._chats = chats
        self._spaces = spaces
        self._reader = reader
        self._admission = admission
        self._pairing = pairing
        self._turn = asyncio.Lock()
        self._told: set[int] = set()
        """Chats that know that nothing can be stored."""

    async def take(self, update: RawUpdate) -> bool:
        """Deal with one update so that it may be forgotten; False when it cannot be stored now."""
        async with self._turn:
            return await self._take(update)

    async def close_space(self, space_id: str) -> None:
        """Let go of a space that is no longer served; a turn in flight is cut off. Nothing comes in meanwhile."""
        async with self._turn:
            await self._spaces.close_one(space_id, grace_s=0)

    async def _take(self, update: RawUpdate) -> bool:
        arrival: Arrival | None = None
        source = f"tg:{self._bot.id}:{update['update_id']}"
        try:
            try:
                arrival = await self._admit(arrival_of(update), source)
                if arrival is not None:
                    await self._store(arrival, source)
            except ValidationError as error:
                await self._bury(source, error, arrival, partial(_, UNREADABLE))
            except StorageInTrouble:
                raise
            except OperatorMustAct as error:
                # One memory that cannot be opened must not hold up the others; its member is told to send it again.
                await self._bury(source, error, arrival, partial(words_for, error))
        except (OperatorMustAct, OSError, sqlite3.Error) as error:
            await self._note_full(error, arrival)
            return False
        self._told.clear()
        return True

    async def _admit(self, arrival: Arrival | None, source: str) -> Arrival | None:
        """Return the arrival if its chat is admitted: everything else is denied, though it may be a request."""
        if arrival is None or not (arrival.chat.is_private or arrival.chat.is_group):
            return None
        known_as = arrival.moved.old_chat_id if arrival.moved else arrival.chat.id
        if await self._admission.has(known_as):
            return arrival
        try:
            await self._pairing.consider(arrival, source)
        except (OperatorMustAct, OSError, sqlite3.Error) as error:
            # It can be sent again; the members' updates must not wait for it.
            log.warning("request not taken: error=%s", type(error).__name__)
        return None

    async def _store(self, arrival: Arrival, source: str) -> None:
        """Write down what an arrival means. Raises: ValidationError, OperatorMustAct, OSError."""
        if arrival.moved is not None:
            await self._chats.move(arrival.moved.old_chat_id, arrival.moved.new_chat_id)
            return
        if arrival.user is None or arrival.user.is_bot:
            return
        runner = await self._spaces.runner(await self._chats.space_of(arrival.chat.id))
        with speaking(runner.space.preferences.language):
            read = self._reader.read(arrival, source)
        match read:
            case Presence(is_away=True):
                await self._chats.pause(arrival.chat.id)
            case Presence():
                await self._welcome_back(arrival.chat.id)
            case Reaction() as reaction:
                await runner.note(reaction)
            case Entry() as entry:
                await self._store_entry(entry, runner, arrival.chat.id)
            case None:
                pass

    async def _store_entry(self, entry: Entry, runner: Runner, chat_id: int) -> None:
        if entry.press_id is not None:
            refusal = await runner.refusal(entry)
            await self._acknowledge(entry.press_id, refusal)
            if refusal is not None:
                return
        if entry.kind == "message" and not entry.has_content:
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
            await self._bot.answer_callback_query(press_id, refusal, read_timeout=PRESS_DEADLINE_S)
        except TelegramError as error:
            log.info("press not acknowledged: error=%s", type(error).__name__)

    async def _bury(self, source: str, error: Exception, arrival: Arrival | None, told: Callable[[], str]) -> None:
        """Put an update aside that cannot be dealt with, tell the member, and go on."""
        log.warning("update put aside: source=%s error=%s", source, type(error).__name__)
        await self._chats.bury(source, type(error).__name__)
        await self._say(arrival, told)

    # Telling

    async def _language(self, arrival: Arrival) -> str:
        """Return the language of the chat's memory if that is open, else that of the app it was written with."""
        with contextlib.suppress(OperatorMustAct, OSError, sqlite3.Error):
            space_id = await self._chats.space_of(arrival.chat.id)
            for runner in self._spaces.at_work():
                if runner.space.id == space_id:
                    return runner.space.preferences.language
        return language_of(arrival.user.language_code if arrival.user else None) or ENGLISH

    async def _note_full(self, error: Exception, arrival: Arrival | None) -> None:
        if not self._told:
            log.error("updates cannot be stored and wait at Telegram: error=%s", type(error).__name__)
        if arrival is not None and arrival.chat.id not in self._told:
            self._told.add(arrival.chat.id)
            await self._say(arrival, partial(_, CANNOT_STORE))

    async def _say(self, arrival: Arrival | None, told: Callable[[], str]) -> None:
        """Say something at once, past an outbox that may not take it."""
        if arrival is None:
            return
        with speaking(await self._language(arrival)):
            words = told()
        try:
            await self._bot.send_message(arrival.chat.id, words)
        except TelegramError as error:
            log.info("notice not sent: error=%s", type(error).__name__)
