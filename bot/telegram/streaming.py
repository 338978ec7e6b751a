"""Stream: one reply while it grows, in the way its chat allows, and the typing sign beside it.

In private chats it is a draft, which stands nowhere once the reply is delivered; elsewhere a message that is edited.
What is shown is a preview: it may skip and stop, and never fails a turn. Only the delivery that follows counts.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import ClassVar, Protocol

from telegram.error import BadRequest, ChatMigrated

from bot.quoting import literal
from bot.telegram.delivery import NoDrafts, Sender
from bot.telegram.render import MAX_UNITS, Piece, render
from bot.turn.screen import DeliverLater, DeliverNever, DeliveryFault, DeliveryUnknown, stream_key
from memory.errors import OperatorMustAct
from memory.messages import utf16_length
from memory.space import Space
from memory.store.entries import Outgoing

log = logging.getLogger(__name__)

TYPING_S = 4.0
"""A client shows a chat action for five seconds."""
DRAFT_S = 0.5
RENEW_S = 20.0
"""A client shows a draft for half a minute."""
EDIT_S = 1.3
FIRST_UNITS = 60
"""A reply shorter than this is not streamed into a message: it comes whole soon enough."""

MAX_SOURCE_CHARS = 2 * MAX_UNITS
"""What comes after so much Markdown does not fit the one message in any case."""


class Way(Protocol):
    """How a chat shows what grows. `pace_s` goes by between two showings, `patience_s` before a tool is named."""

    pace_s: ClassVar[float]
    patience_s: ClassVar[float]
    renew_s: ClassVar[float | None]
    """How long what is shown stays; None: for good."""

    def is_worth(self, piece: Piece) -> bool:
        """Whether so little is shown already."""
        ...

    async def show(self, piece: Piece) -> None:
        """Show it in place of what was shown.

        Raises: DeliverLater when it may be tried again; BadRequest, ChatMigrated, DeliveryFault, OperatorMustAct when
        this reply cannot be shown so.
        """
        ...


class Drafts:
    """A draft in a private chat. Nothing of it is stored, and nothing is left of it."""

    pace_s: ClassVar[float] = DRAFT_S
    patience_s: ClassVar[float] = 0.0
    renew_s: ClassVar[float | None] = RENEW_S

    def __init__(self, sender: Sender, turn_id: int, where: Outgoing) -> None:
        self._sender = sender
        self._turn_id = turn_id
        self._where = where

    def is_worth(self, piece: Piece) -> bool:
        return True

    async def show(self, piece: Piece) -> None:
        try:
            await self._sender.show_draft(self._turn_id, _filled(self._where, piece))
        except DeliveryUnknown as fault:
            log.debug("draft skipped: error=%s", fault)


class Edits:
    """A message that is opened once and then edited. Its row is written before, so that a crash leaves word of it."""

    pace_s: ClassVar[float] = EDIT_S
    patience_s: ClassVar[float] = EDIT_S
    renew_s: ClassVar[float | None] = None

    def __init__(self, space: Space, sender: Sender, turn_id: int, where: Outgoing) -> None:
        self._space = space
        self._sender = sender
        self._turn_id = turn_id
        self._where = where
        self._place: str | None = None

    def is_worth(self, piece: Piece) -> bool:
        return self._place is not None or utf16_length(piece.text) >= FIRST_UNITS

    async def show(self, piece: Piece) -> None:
        if self._place is None:
            self._place, is_shown = await self._open(_filled(self._where, piece))
            if is_shown:
                return
        await self._sender.edit(self._place, piece.text, piece.entities)

    async def _open(self, message: Outgoing) -> tuple[str, bool]:
        """Send the first part of the reply; return its place, and False if an earlier run opened it.

        Raises: DeliverNever when it may have been sent before.
        """
        mailbox = self._space.mailbox
        async with self._space.db.transaction():
            row = await mailbox.begin_stream(stream_key(self._turn_id), message, turn_id=self._turn_id)
            if row.place is None and row.attempts == 0:
                await mailbox.mark_sending(row.id)
        if row.place is not None:
            return row.place, False
        if row.attempts:
            raise DeliverNever("it may stand there already")
        try:
            place = await self._sender.send(message)
        except DeliverLater as fault:
            async with self._space.db.transaction():
                await mailbox.postpone(row.id, fault.not_before, fault.reason)
            raise
        async with self._space.db.transaction():
            await mailbox.mark_place(row.id, place)
        return place, True


class Stream:
    """One reply while it grows. `way` is how it is shown; `instead` makes the way that takes over where there are no
    drafts.
    """

    def __init__(
        self, space: Space, sender: Sender, turn_id: int, where: Outgoing, way: Way, *, instead: Callable[[], Way]
    ) -> None:
        self._clock = space.clock
        self._sender = sender
        self._turn_id = turn_id
        self._where = where
        self._way = way
        self._instead = instead
        self._text = ""
        self._line = ""
        """What is being done, shown below the text until there is more of that."""
        self._line_since = self._clock.now()
        self._shown: Piece | None = None
        self._changed = asyncio.Event()
        self._at_work = asyncio.Lock()
        """Held while a request is under way: an edit that is cut off could overwrite the finished reply."""
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        work = {"typing": self._type(), "painting": self._paint(), "renewing": self._renew()}
        self._tasks = [asyncio.create_task(w, name=f"{name} t{self._turn_id}") for name, w in work.items()]

    def show(self, text: str) -> None:
        self._text, self._line = text, ""
        self._changed.set()

    def show_line(self, line: str) -> None:
        """Say below the text what is being done."""
        self._line, self._line_since = line, self._clock.now()
        self._changed.set()

    def show_again(self) -> None:
        """Show what is there once more: it may have vanished."""
        if self._way.renew_s is not None:
            self._shown = None
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
            await self._clock.sleep(TYPING_S)

    async def _renew(self) -> None:
        while self._way.renew_s is not None:
            await self._clock.sleep(self._way.renew_s)
            self.show_again()

    async def _paint(self) -> None:
        """Show the newest, at the pace of the way, until something says that it is no use."""
        is_useful = True
        while is_useful:
            await self._changed.wait()
            self._changed.clear()
            piece = self._piece()
            if piece is not None and not self._sender.is_quiet:
                async with self._at_work:
                    is_useful = await self._try(piece)
            if self._is_behind():
                self._changed.set()
            await self._clock.sleep(self._way.pace_s)

    def _is_behind(self) -> bool:
        is_line_to_come = bool(self._line) and not self._has_line()
        return is_line_to_come or self._piece() is not None

    def _has_line(self) -> bool:
        age = (self._clock.now() - self._line_since).total_seconds()
        return bool(self._line) and age >= self._way.patience_s

    def _piece(self) -> Piece | None:
        """Return what is to be shown now: what one message can hold, if it is news and worth a message."""
        has_line = self._has_line()
        source = "\n\n".join(filter(None, [self._text.strip(), literal(self._line) if has_line else ""]))
        piece = next(iter(render(source[:MAX_SOURCE_CHARS])), None)
        if piece is None or piece == self._shown:
            return None
        return piece if has_line or self._way.is_worth(piece) else None

    async def _try(self, piece: Piece) -> bool:
        """Show it; False when this reply cannot be streamed."""
        try:
            await self._way.show(piece)
            self._shown = piece
        except DeliverLater:
            return True
        except NoDrafts:
            self._way = self._instead()
        except (BadRequest, ChatMigrated, DeliveryFault, OperatorMustAct) as error:
            log.info("streaming given up: turn=%s error=%s", self._turn_id, type(error).__name__)
            return False
        return True


def _filled(where: Outgoing, piece: Piece) -> Outgoing:
    return where.model_copy(update={"text": piece.text, "entities": piece.entities})
