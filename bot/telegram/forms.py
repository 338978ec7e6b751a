"""Form: a message in the shape in which it is about to be sent, and what it gives up where that shape is refused.

Pure. What is refused for its form goes out in a plainer one: at the end its words alone, or others in their place.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, ReplyParameters
from telegram.error import BadRequest

from bot.telegram.entities import Entity
from bot.turn.screen import DeliverNever
from memory.catalogue import N_, _
from memory.store.entries import Buttons

log = logging.getLogger(__name__)

CANNOT_SHOW = N_(
    "Telegram would not take my answer in any form I tried. Nothing you told me is lost; please ask again, perhaps in "
    "other words."
)
MAX_FORMS = 8
"""A message loses at most its photo or file, its entities, its topic, its reply, its buttons, its old chat and its
words on the way.
"""
FILE_REFUSED = N_("(Telegram would not take the file.)")


@dataclass(frozen=True)
class Form:
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


class Around(TypedDict):
    """What every message is sent with, whatever it holds."""

    message_thread_id: int | None
    reply_parameters: ReplyParameters | None
    reply_markup: InlineKeyboardMarkup | ForceReply | None
    disable_notification: bool


def around(form: Form) -> Around:
    return {
        "message_thread_id": form.thread_id,
        "reply_parameters": _reply(form.reply_to),
        "reply_markup": _markup(form),
        "disable_notification": form.is_silent,
    }


def entities_of(entities: Sequence[Entity]) -> Sequence[MessageEntity]:
    return MessageEntity.de_list(list(entities), None)


def _reply(message_id: int | None) -> ReplyParameters | None:
    return ReplyParameters(message_id, allow_sending_without_reply=True) if message_id is not None else None


def keyboard(buttons: Buttons) -> InlineKeyboardMarkup | None:
    rows = [[InlineKeyboardButton(button.text, callback_data=button.data) for button in row] for row in buttons]
    return InlineKeyboardMarkup(rows) if rows else None


def _markup(form: Form) -> InlineKeyboardMarkup | ForceReply | None:
    """Return what stands under a message; one that awaits a reply opens the reply for the member instead."""
    if form.buttons or not form.is_question:
        return keyboard(form.buttons)
    return ForceReply(selective=form.chat_id < 0)


def plainer(form: Form, error: BadRequest) -> Form:
    """Return the form without what was refused, at last with other words: silence would look like a lost message.

    Raises: DeliverNever when nothing is left to give up.
    """
    reason = str(error).lower()
    has_file = form.photo is not None or form.document is not None
    if "chat not found" in reason or ("rights" in reason and not has_file):
        raise DeliverNever("there is no such chat" if "chat not found" in reason else "no right to write there")
    if has_file:
        return _text_alone(form)
    if form.buttons and "button" in reason:
        log.warning("buttons refused")
        return replace(form, buttons=())
    if form.entities and is_about_entities(error):
        return replace(form, entities=())
    if form.thread_id is not None and ("thread" in reason or "topic" in reason):
        return replace(form, thread_id=None)
    if form.reply_to is not None and "repl" in reason:
        return replace(form, reply_to=None)
    if form.entities:
        return replace(form, entities=())
    if form.thread_id is not None or form.reply_to is not None:
        return replace(form, thread_id=None, reply_to=None)
    if form.text != _(CANNOT_SHOW):
        log.warning("message refused whatever its form")
        # What a button is for can only be judged by who saw the words above it.
        return replace(form, text=_(CANNOT_SHOW), buttons=())
    raise DeliverNever("refused")


def _text_alone(form: Form) -> Form:
    log.warning("picture or file refused")
    text = form.text if form.document is None else f"{form.text}\n{_(FILE_REFUSED)}"
    return replace(form, photo=None, document=None, text=text)


def is_about_entities(error: BadRequest) -> bool:
    reason = str(error).lower()
    return "entit" in reason or "url" in reason
