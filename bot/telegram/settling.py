"""Settling: what follows from the operator's decisions: who was admitted is welcomed, who was removed is let go.

A decision stays on the list until all that follows was done, so a stop in between loses nothing; doing it twice changes
nothing. One memory or chat in trouble holds up no other.
"""

import logging
import sqlite3

from telegram import Bot
from telegram.error import BadRequest, Forbidden, TelegramError

from bot.telegram.admission import Admission, Decision
from bot.telegram.chats import ChatStore
from bot.telegram.intake import Intake
from bot.turn.answer import Answer
from bot.turn.spaces import Spaces
from memory.catalogue import N_, _, speaking
from memory.errors import OperatorMustAct
from memory.ports import Clock
from memory.store.database import to_utc_text

log = logging.getLogger(__name__)

AGAIN_S = 60.0

WELCOME = N_("You are admitted: tell me something worth remembering. /start says what I am and what I keep.")
GROUP_WELCOME = N_("I'm admitted here: name me or reply to me, and I answer. /help lists what I can do.")


class Settling:
    """The settling of one bot's decisions."""

    def __init__(
        self, bot: Bot, admission: Admission, chats: ChatStore, spaces: Spaces, intake: Intake, clock: Clock
    ) -> None:
        self._bot = bot
        self._admission = admission
        self._chats = chats
        self._spaces = spaces
        self._intake = intake
        self._clock = clock

    async def run(self) -> None:
        """Settle for ever, first what a stop left open."""
        while True:
            self._admission.news.clear()
            if await self._settle_all():
                await self._admission.news.wait()
            else:
                await self._clock.sleep(AGAIN_S)

    async def _settle_all(self) -> bool:
        """Settle what is open; False when something must be tried again."""
        is_all_done = True
        try:
            for decision in await self._admission.unsettled():
                is_all_done = await self._settle(decision) and is_all_done
        except (OperatorMustAct, OSError, sqlite3.Error) as error:
            log.warning("decisions not settled: error=%s", type(error).__name__)
            return False
        return is_all_done

    async def _settle(self, decision: Decision) -> bool:
        try:
            await self._follow(decision)
        except (OperatorMustAct, OSError, sqlite3.Error, TelegramError) as error:
            log.warning("decision not settled: chat=%s error=%s", decision.chat_id, type(error).__name__)
            return False
        await self._admission.settle(decision)
        return True

    async def _follow(self, decision: Decision) -> None:
        """Do what follows from a decision. Raises: OperatorMustAct, OSError, sqlite3.Error, TelegramError."""
        space_id = await self._chats.space_of(decision.chat_id)
        if decision.state == "admitted":
            await self._welcome(space_id, decision)
            return
        if decision.state == "removed" and not await self._admission.has_space(space_id):
            await self._intake.close_space(space_id)
        if decision.chat_id < 0 and not await self._admission.has(decision.chat_id):
            await self._leave(await self._chats.chat_of(space_id))

    async def _welcome(self, space_id: str, decision: Decision) -> None:
        runner = await self._spaces.runner(space_id)
        space = runner.space
        if decision.language is not None and not space.preferences.has_language:
            async with space.db.transaction():
                await space.preference_store.set(language=decision.language)
        with speaking(space.preferences.language):
            words = _(WELCOME) if decision.chat_id > 0 else _(GROUP_WELCOME)
        await runner.tell(f"admitted:{to_utc_text(decision.at)}", Answer(words))

    async def _leave(self, chat_id: int) -> None:
        try:
            await self._bot.leave_chat(chat_id)
        except (BadRequest, Forbidden) as error:
            # We are out already.
            log.info("group not left: error=%s", type(error).__name__)
