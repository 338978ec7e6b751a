"""TelegramScreen: a member's chat as a turn sees it. The reply grows there until it is delivered."""

import logging
from datetime import datetime, timedelta

from bot.telegram.delivery import Sender
from bot.telegram.render import plain, render
from bot.telegram.streaming import Drafts, Edits, Stream, Way
from bot.turn.progress import line
from bot.turn.screen import DeliveryFault
from memory.catalogue import N_, _
from memory.errors import OperatorMustAct
from memory.messages import CallPart
from memory.space import Space
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import OutRow

log = logging.getLogger(__name__)

NO_DRAFTS_FOR = timedelta(hours=1)
"""How long a chat that took no draft is not asked again."""
NOTHING = N_("(nothing to show)")
MOST_PIECES, MOST_CHARS = 4, 12_000
"""What is longer than so many messages or characters goes out as a file, after its beginning."""
HEAD_UNITS = 1_500
GOES_ON = N_("… It goes on: the whole answer is in the file below.")
WHOLE = N_("📄 The whole answer")


class TelegramScreen:
    """Implements `Screen` for one space."""

    def __init__(self, space: Space, sender: Sender) -> None:
        self._space = space
        self._sender = sender
        self._stream: Stream | None = None
        self._no_drafts_until: datetime | None = None

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        pieces = render(text) or plain(_(NOTHING))
        first = _where(entry)
        others = first.model_copy(update={"reply_to": None})
        if len(pieces) > MOST_PIECES or (len(pieces) > 1 and len(text) > MOST_CHARS):
            head = render(text, max_units=HEAD_UNITS)[0]
            begun = {"text": f"{head.text}\n\n{_(GOES_ON)}", "entities": head.entities}
            return [first.model_copy(update=begun), others.model_copy(update={"text": _(WHOLE), "whole": text})]
        return [
            (others if number else first).model_copy(update={"text": piece.text, "entities": piece.entities})
            for number, piece in enumerate(pieces)
        ]

    async def begin(self, turn_id: int, entry: Entry) -> None:
        where = _where(entry)
        edits = Edits(self._space, self._sender, turn_id, where)

        def without_drafts() -> Way:
            self._no_drafts_until = self._space.clock.now() + NO_DRAFTS_FOR
            return edits

        way = Drafts(self._sender, turn_id, where) if self._has_drafts(entry) else edits
        self._stream = Stream(self._space, self._sender, turn_id, where, way, instead=without_drafts)
        self._stream.start()

    async def show_text(self, text: str) -> None:
        if self._stream is not None:
            self._stream.show(text)

    async def show_call(self, call: CallPart) -> None:
        if self._stream is not None:
            self._stream.show_line(line(call))

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None:
        """The chat showed that it was at work; that is enough."""

    async def show_work(self, what: str) -> None:
        """Background work is not shown in a chat; what it brings is."""

    async def end(self) -> None:
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        place = await self._sender.deliver(row, is_repeat=is_repeat)
        if self._stream is not None:
            # A message takes a draft off the screen.
            self._stream.show_again()
        return place

    async def say(self, text: str) -> None:
        try:
            for piece in plain(text):
                await self._sender.send(Outgoing(text=piece.text))
        except (DeliveryFault, OperatorMustAct) as error:
            log.warning("notice not shown: space=%s error=%s", self._space.id, type(error).__name__)

    def _has_drafts(self, entry: Entry) -> bool:
        """Whether the chat is one person's, and took the last draft if it was asked lately."""
        is_private = entry.chat_id is not None and entry.chat_id > 0
        return is_private and (self._no_drafts_until is None or self._space.clock.now() >= self._no_drafts_until)


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
