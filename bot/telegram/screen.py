"""TelegramScreen: a member's chat as a turn sees it. The reply grows in one message, by edits, until it is delivered.

What is streamed is a preview: it may skip and stop, and never fails a turn. Only the delivery that follows it counts.
"""

import asyncio
import logging

from telegram.error import BadRequest, ChatMigrated

from bot.telegram.delivery import Sender
from bot.telegram.entities import is_blank
from bot.telegram.render import plain, render
from bot.turn.screen import DeliverLater, DeliveryFault, stream_key
from memory.errors import OperatorMustAct
from memory.messages import CallPart, utf16_length
from memory.space import Space
from memory.store.mailbox import Entry, Outgoing, OutRow

log = logging.getLogger(__name__)

TYPING_S = 4.0
"""A client shows a chat action for five seconds."""
EDIT_S = 1.3
FIRST_UNITS = 60
"""A reply shorter than this is not streamed: it comes whole soon enough."""
NOTHING = "(nothing to show)"


class TelegramScreen:
    """Implements `Screen` for one space."""

    def __init__(self, space: Space, sender: Sender) -> None:
        self._space = space
        self._sender = sender
        self._stream: _Stream | None = None

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        pieces = render(text) or plain(NOTHING)
        where = _where(entry)
        return [
            (where if number == 0 else where.model_copy(update={"reply_to": None})).model_copy(
                update={"text": piece.text, "entities": piece.entities}
            )
            for number, piece in enumerate(pieces)
        ]

    async def begin(self, turn_id: int, entry: Entry) -> None:
        self._stream = _Stream(self._space, self._sender, turn_id, _where(entry))
        self._stream.start()

    async def show_text(self, text: str) -> None:
        if self._stream is not None:
            self._stream.show(text)

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None:
        """The chat shows that somebody is at work; that is enough."""

    async def show_work(self, what: str) -> None:
        """Background work is not shown in a chat; what it brings is."""

    async def end(self) -> None:
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        return await self._sender.deliver(row, is_repeat=is_repeat)

    async def say(self, text: str) -> None:
        try:
            for piece in plain(text):
                await self._sender.send(Outgoing(text=piece.text))
        except (DeliveryFault, OperatorMustAct) as error:
            log.warning("notice not shown: space=%s error=%s", self._space.id, type(error).__name__)


class _Stream:
    """One reply while it grows, and the typing sign beside it."""

    def __init__(self, space: Space, sender: Sender, turn_id: int, where: Outgoing) -> None:
        self._space = space
        self._sender = sender
        self._turn_id = turn_id
        self._where = where
        self._text = ""
        self._shown = ""
        self._place: str | None = None
        self._changed = asyncio.Event()
        self._at_work = asyncio.Lock()
        """Held while a request is under way: an edit that is cut off could overwrite the finished reply."""
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        work = {"typing": self._type(), "painting": self._paint()}
        self._tasks = [asyncio.create_task(w, name=f"{name} t{self._turn_id}") for name, w in work.items()]

    def show(self, text: str) -> None:
        self._text = text
        self._changed.set()

    async def stop(self) -> None:
        """Show nothing more; what is under way arrives first."""
        async with self._at_work:
            for task in self._tasks:
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _type(self) -> None:
        chat_id = self._where.chat_id
        while chat_id is not None:
            try:
                await self._sender.show_typing(chat_id, self._where.thread_id)
            except (BadRequest, ChatMigrated, DeliveryFault, OperatorMustAct) as error:
                log.debug("typing not shown: error=%s", type(error).__name__)
            await self._space.clock.sleep(TYPING_S)

    async def _paint(self) -> None:
        """Show the newest text, at most once in `EDIT_S`, until something says that it is no use."""
        is_useful = True
        while is_useful:
            await self._changed.wait()
            self._changed.clear()
            text = _shown_part(self._text)
            if self._is_worth_showing(text) and not self._sender.is_quiet:
                async with self._at_work:
                    is_useful = await self._try(text)
            if text != self._shown and self._is_worth_showing(text):
                self._changed.set()
            await self._space.clock.sleep(EDIT_S)

    def _is_worth_showing(self, text: str) -> bool:
        is_long_enough = self._place is not None or utf16_length(text) >= FIRST_UNITS
        return is_long_enough and text != self._shown and not is_blank(text)

    async def _try(self, text: str) -> bool:
        """Show the text; False when this reply cannot be streamed."""
        try:
            if self._place is None:
                self._place = await self._open(text)
                # Only a message of an earlier run shows something else yet.
                return self._place is not None
            await self._sender.edit(self._place, text)
            self._shown = text
        except DeliverLater:
            return True
        except (BadRequest, ChatMigrated, DeliveryFault, OperatorMustAct) as error:
            log.info("streaming given up: turn=%s error=%s", self._turn_id, type(error).__name__)
            return False
        return True

    async def _open(self, text: str) -> str | None:
        """Send the first part of the reply and return its place; None when it may have been sent before.

        Its row is written before, so that a crash leaves word of what may stand in the chat.
        """
        mailbox = self._space.mailbox
        message = self._where.model_copy(update={"text": text})
        async with self._space.db.transaction():
            row = await mailbox.begin_stream(stream_key(self._turn_id), message, turn_id=self._turn_id)
            if row.place is None and row.attempts == 0:
                await mailbox.mark_sending(row.id)
        if row.place is not None or row.attempts:
            return row.place
        try:
            place = await self._sender.send(message)
        except DeliverLater as fault:
            async with self._space.db.transaction():
                await mailbox.postpone(row.id, fault.not_before, fault.reason)
            raise
        async with self._space.db.transaction():
            await mailbox.mark_place(row.id, place)
        self._shown = text
        return place


def _where(entry: Entry | None) -> Outgoing:
    """Return an empty message that goes where an entry came from; in a group it replies to it."""
    if entry is None:
        return Outgoing(text="")
    is_group = entry.chat_id is not None and entry.chat_id < 0
    return Outgoing(
        text="",
        chat_id=entry.chat_id,
        thread_id=entry.thread_id,
        reply_to=entry.message_id if is_group else None,
    )


def _shown_part(text: str) -> str:
    """Return what one message can hold of a growing text."""
    pieces = plain(text)
    return pieces[0].text if pieces else ""
