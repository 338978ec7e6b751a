"""Sender: brings a message to a chat or completes one that is there, and says what may be done when that fails.

What Telegram refuses for its form (entities, a topic that is gone) is sent again in a plainer form. What any other
failure means is told by the line (`Line`).
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from telegram import Bot, LinkPreviewOptions, Message
from telegram.error import BadRequest, ChatMigrated, InvalidToken, RetryAfter

from bot.telegram.chats import ChatStore
from bot.telegram.entities import Entity
from bot.telegram.forms import MAX_FORMS, Form, around, entities_of, is_about_entities, keyboard, plainer
from bot.telegram.line import Line
from bot.telegram.render import MAX_UNITS, render
from bot.turn.screen import DeliverLater, DeliverNever
from memory.catalogue import N_, _
from memory.messages import utf16_length
from memory.ports import Clock
from memory.store.entries import Buttons, Outgoing, place_of
from memory.store.files import FileRefused
from memory.store.mailbox import OutRow
from memory.transfer.export import export_name

log = logging.getLogger(__name__)

AGAIN = N_("(Sent again: a copy of this may have arrived before.)")
PHOTO_NAME = "memory.png"
ANSWER_NAME = "answer.md"
REMEMBERED_PLACES = 32
FILE_GONE = N_("(The file is not there any more.)")

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


class NoDrafts(Exception):
    """The chat takes no drafts, or no more of them for now."""


@dataclass(frozen=True)
class Standing:
    """What a message shows."""

    text: str
    entities: tuple[Entity, ...]
    buttons: Buttons


class Sender:
    """The way to one space's chat. While it is to be left alone (`is_quiet`), it makes no call.

    `picture` returns the bytes of a picture by its hash, None for one that is gone; `file` those of a file by its path,
    or raises FileRefused; `export` makes the file with all of the memory, with its media or without.
    """

    def __init__(
        self,
        space_id: str,
        bot: Bot,
        chats: ChatStore,
        clock: Clock,
        *,
        picture: Callable[[str], bytes | None],
        file: Callable[[str], bytes],
        export: Callable[[bool], Awaitable[bytes]] | None = None,
    ) -> None:
        self._space_id = space_id
        self._bot = bot
        self._chats = chats
        self._clock = clock
        self._picture = picture
        self._file = file
        self._export = export
        self._line = Line(space_id, chats, clock)
        self._standing: dict[str, Standing] = {}
        """What stands at the last places, as far as it was sent from here."""

    @property
    def is_quiet(self) -> bool:
        """Whether Telegram asked to be left alone, or is out of reach, and that time is not over."""
        return self._line.is_quiet

    async def deliver(self, row: OutRow, *, is_repeat: bool) -> str:
        """Complete the row's message where it stands, or send it, and return its place. Raises: DeliveryFault."""
        if row.place is not None:
            place = await self._complete(row.place, row.message)
            if place is not None:
                return place
        if not is_repeat:
            return await self.send(row.message)
        # A repeat is the last try: it waits until somebody answers at the other end.
        async with self._line.mapped(None, is_harmless=True):
            await self._bot.get_me()
        return await self._send_labelled(row.message)

    async def send(self, message: Outgoing) -> str:
        """Send a message, in a plainer form where the full one is refused, and return its place.

        Raises: DeliveryFault.
        """
        form = await self._form(message)
        for _try in range(MAX_FORMS):
            try:
                return await self._send(form)
            except ChatMigrated as error:
                await self._chats.move(form.chat_id, error.new_chat_id)
                form = replace(form, chat_id=error.new_chat_id, thread_id=None, reply_to=None)
            except BadRequest as error:
                if message.whole is not None:
                    return await self._send_in_pieces(message, message.whole)
                form = plainer(form, error)
        raise DeliverNever("refused in every form")

    async def _send_in_pieces(self, message: Outgoing, whole: str) -> str:
        """Send what would not go out as a file in as many messages as it takes; return the place of the last."""
        log.warning("an answer is not taken as a file")
        *rest, last = render(whole)
        plain = message.model_copy(update={"whole": None})
        for piece in rest:
            filled = {"text": piece.text, "entities": piece.entities, "buttons": (), "awaits": None}
            await self.send(plain.model_copy(update=filled))
        return await self.send(plain.model_copy(update={"text": last.text, "entities": last.entities}))

    async def edit(self, place: str, text: str, entities: tuple[Entity, ...] = (), *, buttons: Buttons = ()) -> None:
        """Give a message another text and these buttons alone; what stands there already is not sent again.

        Raises: BadRequest, ChatMigrated; DeliveryFault, never DeliveryUnknown: an edit may be done twice.
        """
        standing = Standing(text, entities, buttons)
        if self._standing.pop(place, None) == standing:
            self._note(place, standing)
            return
        _chat, chat_id, message_id = place.split(":")
        try:
            async with self._line.mapped(int(chat_id), is_harmless=True):
                await self._bot.edit_message_text(
                    text,
                    int(chat_id),
                    int(message_id),
                    entities=entities_of(entities),
                    reply_markup=keyboard(buttons),
                    link_preview_options=NO_PREVIEW,
                )
        except BadRequest as error:
            if "not modified" not in str(error).lower():
                raise
        self._note(place, standing)

    def _note(self, place: str, standing: Standing) -> None:
        self._standing[place] = standing
        if len(self._standing) > REMEMBERED_PLACES:
            del self._standing[next(iter(self._standing))]

    async def show_typing(self, chat_id: int, thread_id: int | None) -> None:
        """Show that somebody is at work. Raises: BadRequest, ChatMigrated, DeliveryFault."""
        # Not called as harmless as it is: a typing sign that failed is no reason to hold up the messages after it.
        async with self._line.mapped(chat_id, is_harmless=False):
            await self._bot.send_chat_action(chat_id, "typing", message_thread_id=thread_id)

    async def show_draft(self, draft_id: int, message: Outgoing) -> None:
        """Show a text as the draft of that number (never 0), in a private chat, until the next message or for half a
        minute. As good as shown counts as done.

        Raises: NoDrafts; DeliveryFault.
        """
        chat_id = message.chat_id
        assert chat_id is not None
        if await self._chats.is_paused(chat_id):
            raise self._line.paused()
        try:
            async with self._line.mapped(chat_id, is_harmless=False):
                await self._draft(chat_id, draft_id, message)
        except BadRequest as error:
            if "not modified" not in str(error).lower():
                raise NoDrafts(str(error)) from error
        except DeliverLater as fault:
            if isinstance(fault.__cause__, RetryAfter):
                raise NoDrafts(fault.reason) from fault
            raise

    async def _draft(self, chat_id: int, draft_id: int, message: Outgoing) -> None:
        try:
            await self._bot.send_message_draft(
                chat_id,
                draft_id,
                message.text,
                message_thread_id=message.thread_id,
                entities=entities_of(message.entities),
            )
        except InvalidToken as error:
            # What the client makes of a server that does not know the method.
            raise NoDrafts("unknown to the server") from error

    async def _send_labelled(self, message: Outgoing) -> str:
        """Send a repeat that says that it is one."""
        label = f"{_(AGAIN)}\n\n"
        shift = utf16_length(label)
        if shift + utf16_length(message.text) > MAX_UNITS:
            await self.send(
                message.model_copy(update={"text": _(AGAIN), "entities": (), "buttons": (), "awaits": None})
            )
            return await self.send(message)
        entities = tuple(entity | {"offset": entity["offset"] + shift} for entity in message.entities)
        return await self.send(message.model_copy(update={"text": label + message.text, "entities": entities}))

    async def _complete(self, place: str, message: Outgoing) -> str | None:
        """Give a message that stands in the chat its new form; None when it must be sent anew."""
        for entities in (message.entities, ()):
            try:
                await self.edit(place, message.text, entities, buttons=message.buttons)
            except ChatMigrated as error:
                await self._chats.move(int(place.split(":")[1]), error.new_chat_id)
                return None
            except BadRequest as error:
                if not (entities and is_about_entities(error)):
                    return None
            else:
                return place
        return None

    async def _form(self, message: Outgoing) -> Form:
        """Return the message for the chat the space has now; topics and replies of an old one mean nothing there."""
        chat_id = await self._chats.chat_of(self._space_id)
        if await self._chats.is_paused(chat_id):
            raise self._line.paused()
        is_there = message.chat_id in {None, chat_id}
        has_file = message.document is not None or message.export is not None
        document = await self._exported(message) if message.export else self._document(message)
        return Form(
            chat_id=chat_id,
            text=message.text if document or not has_file else f"{message.text}\n{_(FILE_GONE)}",
            entities=message.entities,
            thread_id=message.thread_id if is_there else None,
            reply_to=message.reply_to if is_there else None,
            is_silent=message.is_silent,
            buttons=message.buttons,
            is_question=message.awaits is not None,
            photo=self._picture(message.photo) if message.photo else None,
            document=document,
        )

    async def _exported(self, message: Outgoing) -> tuple[str, bytes] | None:
        if self._export is None:
            return None
        return export_name(self._space_id, self._clock.now()), await self._export(message.export == "whole")

    def _document(self, message: Outgoing) -> tuple[str, bytes] | None:
        if message.whole is not None:
            return ANSWER_NAME, message.whole.encode("utf-8", "replace")
        try:
            return (message.document.rpartition("/")[2], self._file(message.document)) if message.document else None
        except FileRefused:
            return None

    async def _send(self, form: Form) -> str:
        async with self._line.mapped(form.chat_id, is_harmless=False):
            if form.photo is not None:
                sent = await self._send_photo(form, form.photo)
            elif form.document is not None:
                sent = await self._send_document(form, *form.document)
            else:
                sent = await self._send_text(form)
        place = place_of(form.chat_id, sent.message_id)
        assert place is not None
        if form.photo is None and form.document is None:
            self._note(place, Standing(form.text, form.entities, form.buttons))
        return place

    async def _send_text(self, form: Form) -> Message:
        return await self._bot.send_message(
            form.chat_id,
            form.text,
            entities=entities_of(form.entities),
            link_preview_options=NO_PREVIEW,
            **around(form),
        )

    async def _send_photo(self, form: Form, photo: bytes) -> Message:
        return await self._bot.send_photo(
            form.chat_id,
            photo,
            caption=form.text,
            caption_entities=entities_of(form.entities),
            filename=PHOTO_NAME,
            **around(form),
        )

    async def _send_document(self, form: Form, name: str, data: bytes) -> Message:
        return await self._bot.send_document(
            form.chat_id,
            data,
            caption=form.text,
            caption_entities=entities_of(form.entities),
            filename=name,
            **around(form),
        )
