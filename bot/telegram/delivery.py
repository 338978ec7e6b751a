"""Sender: brings a message to a chat or completes one that is there, and says what may be done when that fails.

Every failure becomes a `DeliveryFault`, named by what is known: it did certainly not arrive, it can never arrive, it
may have arrived. What Telegram refuses for its form (entities, a topic that is gone) is sent again in a plainer form.
"""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypedDict

from telegram import (
    Bot,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from bot.telegram.backoff import Backoff
from bot.telegram.chats import ChatStore
from bot.telegram.connection import certainly_failed, seconds_of
from bot.telegram.entities import Entity
from bot.telegram.render import MAX_UNITS
from bot.turn.screen import DeliverLater, DeliverNever, DeliveryUnknown
from memory.messages import utf16_length
from memory.ports import Clock
from memory.store.files import FileRefused
from memory.store.mailbox import Buttons, Outgoing, OutRow, place_of

log = logging.getLogger(__name__)

AGAIN = "(Sent again: a copy of this may have arrived before.)"
FIRST_WAIT_S, MOST_WAIT_S = 2.0, 300.0
PAUSED_S = 86_400.0
"""How long a blocked chat's message waits at most; it goes out at once when the member comes back."""
NEW_TOKEN_WAIT_S = 60.0
BLOCKED = "the member blocked the bot"
CANNOT_SHOW = (
    "Telegram would not take my answer in any form I tried. Nothing you told me is lost; please ask again, perhaps in "
    "other words."
)
MAX_FORMS = 8
"""A message loses at most its photo or file, its entities, its topic, its reply, its buttons, its old chat and its
words on the way.
"""
PHOTO_NAME = "memory.png"
FILE_GONE = "(The file is not there any more.)"
FILE_REFUSED = "(Telegram would not take the file.)"

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


@dataclass(frozen=True)
class _Form:
    """A message as it is about to be sent."""

    chat_id: int
    text: str
    entities: tuple[Entity, ...]
    thread_id: int | None
    reply_to: int | None
    is_silent: bool
    buttons: Buttons
    is_question: bool
    """A reply is awaited."""
    photo: bytes | None = None
    document: tuple[str, bytes] | None = None
    """The name and the bytes of a file. The text is the caption of either."""


class Sender:
    """The way to one space's chat. While it is to be left alone (`is_quiet`), it makes no call.

    `picture` returns the bytes of a picture by its hash, None for one that is gone; `file` those of a file by its path,
    or raises FileRefused.
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
    ) -> None:
        self._space_id = space_id
        self._bot = bot
        self._chats = chats
        self._clock = clock
        self._picture = picture
        self._file = file
        self._backoff = Backoff(FIRST_WAIT_S, MOST_WAIT_S)
        self._quiet_until: datetime | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether Telegram asked to be left alone, or is out of reach, and that time is not over."""
        return self._quiet_until is not None and self._clock.now() < self._quiet_until

    async def deliver(self, row: OutRow, *, is_repeat: bool) -> str:
        """Complete the row's message where it stands, or send it, and return its place. Raises: DeliveryFault."""
        if row.place is not None:
            place = await self._complete(row.place, row.message)
            if place is not None:
                return place
        if not is_repeat:
            return await self.send(row.message)
        # A repeat is the last try: it waits until somebody answers at the other end.
        async with self._mapped(None, is_harmless=True):
            await self._bot.get_me()
        return await self._send_labelled(row.message)

    async def send(self, message: Outgoing) -> str:
        """Send a message, in a plainer form where the full one is refused, and return its place.

        Raises: DeliveryFault.
        """
        form = await self._form(message)
        for _ in range(MAX_FORMS):
            try:
                return await self._send(form)
            except ChatMigrated as error:
                await self._chats.move(form.chat_id, error.new_chat_id)
                form = replace(form, chat_id=error.new_chat_id, thread_id=None, reply_to=None)
            except BadRequest as error:
                form = _plainer(form, error)
        raise DeliverNever("refused in every form")

    async def edit(self, place: str, text: str, entities: tuple[Entity, ...] = (), *, buttons: Buttons = ()) -> None:
        """Give a message another text and these buttons alone. The same as before counts as done.

        Raises: BadRequest, ChatMigrated; DeliveryFault, never DeliveryUnknown: an edit may be done twice.
        """
        _, chat_id, message_id = place.split(":")
        try:
            async with self._mapped(int(chat_id), is_harmless=True):
                await self._bot.edit_message_text(
                    text,
                    int(chat_id),
                    int(message_id),
                    entities=_entities(entities),
                    reply_markup=_keyboard(buttons),
                    link_preview_options=NO_PREVIEW,
                )
        except BadRequest as error:
            if "not modified" not in str(error).lower():
                raise

    async def show_typing(self, chat_id: int, thread_id: int | None) -> None:
        """Show that somebody is at work. Raises: BadRequest, ChatMigrated, DeliveryFault."""
        # Not called as harmless as it is: a typing sign that failed is no reason to hold up the messages after it.
        async with self._mapped(chat_id, is_harmless=False):
            await self._bot.send_chat_action(chat_id, "typing", message_thread_id=thread_id)

    async def _send_labelled(self, message: Outgoing) -> str:
        """Send a repeat that says that it is one."""
        label = f"{AGAIN}\n\n"
        shift = utf16_length(label)
        if shift + utf16_length(message.text) > MAX_UNITS:
            await self.send(message.model_copy(update={"text": AGAIN, "entities": (), "buttons": (), "awaits": None}))
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
                if not (entities and _is_about_entities(error)):
                    return None
            else:
                return place
        return None

    async def _form(self, message: Outgoing) -> _Form:
        """Return the message for the chat the space has now; topics and replies of an old one mean nothing there."""
        chat_id = await self._chats.chat_of(self._space_id)
        if await self._chats.is_paused(chat_id):
            raise DeliverLater(self._after(PAUSED_S), BLOCKED)
        is_there = message.chat_id in {None, chat_id}
        document = self._document(message.document) if message.document else None
        return _Form(
            chat_id=chat_id,
            text=message.text if document or not message.document else f"{message.text}\n{FILE_GONE}",
            entities=message.entities,
            thread_id=message.thread_id if is_there else None,
            reply_to=message.reply_to if is_there else None,
            is_silent=message.is_silent,
            buttons=message.buttons,
            is_question=message.awaits is not None,
            photo=self._picture(message.photo) if message.photo else None,
            document=document,
        )

    def _document(self, path: str) -> tuple[str, bytes] | None:
        try:
            return path.rpartition("/")[2], self._file(path)
        except FileRefused:
            return None

    async def _send(self, form: _Form) -> str:
        async with self._mapped(form.chat_id, is_harmless=False):
            if form.photo is not None:
                sent = await self._send_photo(form, form.photo)
            elif form.document is not None:
                sent = await self._send_document(form, *form.document)
            else:
                sent = await self._send_text(form)
        place = place_of(form.chat_id, sent.message_id)
        assert place is not None
        return place

    async def _send_text(self, form: _Form) -> Message:
        return await self._bot.send_message(
            form.chat_id,
            form.text,
            entities=_entities(form.entities),
            link_preview_options=NO_PREVIEW,
            **_around(form),
        )

    async def _send_photo(self, form: _Form, photo: bytes) -> Message:
        return await self._bot.send_photo(
            form.chat_id,
            photo,
            caption=form.text,
            caption_entities=_entities(form.entities),
            filename=PHOTO_NAME,
            **_around(form),
        )

    async def _send_document(self, form: _Form, name: str, data: bytes) -> Message:
        return await self._bot.send_document(
            form.chat_id,
            data,
            caption=form.text,
            caption_entities=_entities(form.entities),
            filename=name,
            **_around(form),
        )

    @asynccontextmanager
    async def _mapped(self, chat_id: int | None, *, is_harmless: bool) -> AsyncIterator[None]:
        """Map what a call of the Bot API raises; `is_harmless` if doing it twice changes nothing.

        Raises: DeliverLater, DeliveryUnknown; BadRequest and ChatMigrated as they are.
        """
        if self._quiet_until is not None and self.is_quiet:
            raise DeliverLater(self._quiet_until, "Telegram is left alone")
        try:
            yield
        except (BadRequest, ChatMigrated):
            self._backoff.reset()
            raise
        except Forbidden as error:
            if chat_id is not None:
                log.info("chat paused: space=%s", self._space_id)
                await self._chats.pause(chat_id)
            raise DeliverLater(self._after(PAUSED_S), BLOCKED) from error
        except RetryAfter as error:
            raise self._quiet(seconds_of(error), "Telegram asked to wait") from error
        except InvalidToken as error:
            raise self._quiet(NEW_TOKEN_WAIT_S, "the token is refused") from error
        except TelegramError as error:
            if is_harmless or certainly_failed(error):
                raise self._quiet(self._backoff.next_s(), "Telegram is out of reach") from error
            raise DeliveryUnknown(type(error).__name__) from error
        else:
            self._backoff.reset()

    def _quiet(self, seconds: float, reason: str) -> DeliverLater:
        """Make no call for a while."""
        self._quiet_until = self._after(seconds)
        return DeliverLater(self._quiet_until, reason)

    def _after(self, seconds: float) -> datetime:
        return self._clock.now() + timedelta(seconds=seconds)


class _Around(TypedDict):
    """What every message is sent with, whatever it holds."""

    message_thread_id: int | None
    reply_parameters: ReplyParameters | None
    reply_markup: InlineKeyboardMarkup | ForceReply | None
    disable_notification: bool


def _around(form: _Form) -> _Around:
    return {
        "message_thread_id": form.thread_id,
        "reply_parameters": _reply(form.reply_to),
        "reply_markup": _markup(form),
        "disable_notification": form.is_silent,
    }


def _entities(entities: Sequence[Entity]) -> Sequence[MessageEntity]:
    return MessageEntity.de_list(list(entities), None)


def _reply(message_id: int | None) -> ReplyParameters | None:
    return ReplyParameters(message_id, allow_sending_without_reply=True) if message_id is not None else None


def _keyboard(buttons: Buttons) -> InlineKeyboardMarkup | None:
    rows = [[InlineKeyboardButton(button.text, callback_data=button.data) for button in row] for row in buttons]
    return InlineKeyboardMarkup(rows) if rows else None


def _markup(form: _Form) -> InlineKeyboardMarkup | ForceReply | None:
    """Return what stands under a message; one that awaits a reply opens the reply for the member instead."""
    if form.buttons or not form.is_question:
        return _keyboard(form.buttons)
    return ForceReply(selective=form.chat_id < 0)


def _plainer(form: _Form, error: BadRequest) -> _Form:
    """Return the form without what was refused, at last with other words: silence would look like a lost message.

    Raises: DeliverNever when nothing is left to give up.
    """
    reason = str(error).lower()
    if "chat not found" in reason or "rights" in reason:
        raise DeliverNever("there is no such chat" if "chat not found" in reason else "no right to write there")
    if form.photo is not None or form.document is not None:
        return _text_alone(form)
    if form.buttons and "button" in reason:
        log.warning("buttons refused")
        return replace(form, buttons=())
    if form.entities and _is_about_entities(error):
        return replace(form, entities=())
    if form.thread_id is not None and ("thread" in reason or "topic" in reason):
        return replace(form, thread_id=None)
    if form.reply_to is not None and "repl" in reason:
        return replace(form, reply_to=None)
    if form.entities:
        return replace(form, entities=())
    if form.thread_id is not None or form.reply_to is not None:
        return replace(form, thread_id=None, reply_to=None)
    if form.text != CANNOT_SHOW:
        log.warning("message refused whatever its form")
        return replace(form, text=CANNOT_SHOW)
    raise DeliverNever("refused")


def _text_alone(form: _Form) -> _Form:
    log.warning("picture or file refused")
    text = form.text if form.document is None else f"{form.text}\n{FILE_REFUSED}"
    return replace(form, photo=None, document=None, text=text)


def _is_about_entities(error: BadRequest) -> bool:
    reason = str(error).lower()
    return "entit" in reason or "url" in reason
