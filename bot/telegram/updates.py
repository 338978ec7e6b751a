"""Updates in the form in which Telegram sends them: the fields we read, checked.

Fields that are not named here are passed over, so that new ones of the Bot API change nothing; a named one in another
form raises. What an update means is the reader's business.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import AliasChoices, ConfigDict, Field

from bot.telegram.carried import Checklist, Contact, Dice, File, LivePhoto, Location, Poll, Raw, Sticker, Text, Venue
from bot.telegram.connection import KINDS, Kind, RawUpdate
from memory.catalogue import N_

UNREAD = {
    "game": N_("game"),
    "giveaway": N_("giveaway"),
    "invoice": N_("invoice"),
    "live_photo": N_("photo"),
    "paid_media": N_("paid media"),
    "story": N_("story"),
}
"""What a message can carry that is not read, as people call it."""

MAX_SIGN_CHARS = 8
SOMEBODY = "somebody"

Id = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class User(Raw):
    id: Id
    is_bot: bool = False
    first_name: Text = ""
    username: Text | None = None
    language_code: Text | None = None


class Chat(Raw):
    id: Id
    type: str
    title: Text | None = None
    first_name: Text | None = None

    @property
    def is_private(self) -> bool:
        return self.type == "private"

    @property
    def is_group(self) -> bool:
        return self.type in {"group", "supergroup"}


class Mark(Raw):
    """An entity."""

    type: str
    offset: int
    length: int
    user: User | None = None


class _Source(Raw):
    """Where a forwarded or quoted message comes from: a user, a hidden user, a chat or a channel."""

    sender_user: User | None = None
    sender_user_name: Text | None = None
    sender_chat: Chat | None = None
    chat: Chat | None = None

    @property
    def name(self) -> str:
        chat = self.sender_chat or self.chat
        names = (
            self.sender_user.first_name if self.sender_user else None,
            self.sender_user_name,
            (chat.title or chat.first_name) if chat else None,
        )
        return next((name for name in names if name), SOMEBODY)


class _External(Raw):
    origin: _Source


class _Quote(Raw):
    text: Text


class Earlier(Raw):
    """The message that one replies to."""

    message_id: Id
    user: User | None = Field(default=None, alias="from")
    text: Text | None = None
    caption: Text | None = None
    forum_topic_created: object | None = None


class Message(Raw):
    model_config = ConfigDict(frozen=True, extra="allow")

    message_id: Id
    date: datetime
    edit_date: datetime | None = None
    chat: Chat
    user: User | None = Field(default=None, alias="from")
    sender_chat: Chat | None = None
    """A chat speaks, not a person: a channel, or an anonymous administrator (`from` is a stand-in then)."""
    text: Text | None = None
    caption: Text | None = None
    entities: tuple[Mark, ...] = ()
    caption_entities: tuple[Mark, ...] = ()
    forward_origin: _Source | None = None
    forward_date: int | None = None
    via_bot: User | None = None
    reply_to_message: Earlier | None = None
    external_reply: _External | None = None
    quote: _Quote | None = None
    message_thread_id: Id | None = None
    is_topic_message: bool = False
    media_group_id: Text | None = None
    photo: tuple[File, ...] = ()
    live_photo: LivePhoto | None = None
    voice: File | None = None
    audio: File | None = None
    video_note: File | None = None
    video: File | None = None
    animation: File | None = None
    document: File | None = None
    sticker: Sticker | None = None
    venue: Venue | None = None
    location: Location | None = None
    contact: Contact | None = None
    dice: Dice | None = None
    poll: Poll | None = None
    checklist: Checklist | None = None

    @property
    def words(self) -> str | None:
        return self.text if self.text is not None else self.caption

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.entities if self.text is not None else self.caption_entities

    @property
    def sizes(self) -> tuple[File, ...]:
        """The sizes of its photo."""
        return self.photo or (self.live_photo.photo if self.live_photo else ())

    @property
    def unread(self) -> str | None:
        """What the message carries that nobody reads, as people call it."""
        there = self.model_extra or {}
        name = next((name for field, name in UNREAD.items() if there.get(field)), None)
        return UNREAD["live_photo"] if self.live_photo and not self.sizes else name

    @property
    def answered(self) -> Earlier | None:
        """The message this one replies to; in a topic every message formally replies to the topic's beginning."""
        earlier = self.reply_to_message
        return None if earlier is None or earlier.forum_topic_created is not None else earlier

    @property
    def thread(self) -> int | None:
        """The topic; replies outside topics carry a thread's number too, but it cannot be sent to."""
        return self.message_thread_id if self.is_topic_message else None


class _Pressed(Raw):
    message_id: Id
    chat: Chat
    message_thread_id: Id | None = None
    is_topic_message: bool = False


class Press(Raw):
    id: Text
    user: User = Field(alias="from")
    data: Text = ""
    message: _Pressed


class _Member(Raw):
    status: str


class Membership(Raw):
    new_chat_member: _Member


class _Sign(Raw):
    type: str
    emoji: Text = ""


class Reacted(Raw):
    """A reaction that changed. Of an anonymous one there is no `user`."""

    chat: Chat
    message_id: Id
    user: User
    date: datetime
    new_reaction: tuple[_Sign, ...] = ()

    @property
    def emoji(self) -> str | None:
        """The first sign that everybody knows; None where there is none (any more)."""
        return next((sign.emoji for sign in self.new_reaction if sign.type == "emoji" and _is_sign(sign.emoji)), None)


class _Outline(Raw):
    """As much of an update's body as tells where it comes from."""

    chat: Chat | None = None
    user: User | None = Field(default=None, validation_alias=AliasChoices("from", "user"))
    message: "_Outline | None" = None
    migrate_to_chat_id: Id | None = None
    migrate_from_chat_id: Id | None = None


@dataclass(frozen=True)
class Moved:
    """A group became a supergroup and has another number now."""

    old_chat_id: int
    new_chat_id: int


@dataclass(frozen=True)
class Arrival:
    """An update of a kind we take, with where it comes from. The rest of it is unread."""

    kind: Kind
    body: object
    chat: Chat
    user: User | None
    moved: Moved | None = None


def arrival_of(update: RawUpdate) -> Arrival | None:
    """Return where an update comes from; None for kinds that are not ours. Raises: ValidationError."""
    for kind in KINDS:
        if update.get(kind) is not None:
            outline = _Outline.model_validate(update[kind])
            chat = outline.chat or (outline.message.chat if outline.message else None)
            return Arrival(kind, update[kind], chat, outline.user, _moved(outline)) if chat else None
    return None


def _is_sign(text: str) -> bool:
    return 0 < len(text) <= MAX_SIGN_CHARS and not any(map(str.isalnum, text))


def _moved(outline: _Outline) -> Moved | None:
    """Return the move that a service message tells of; one comes in the old group, one in the new."""
    if outline.chat is None:
        return None
    if outline.migrate_to_chat_id is not None:
        return Moved(outline.chat.id, outline.migrate_to_chat_id)
    if outline.migrate_from_chat_id is not None:
        return Moved(outline.migrate_from_chat_id, outline.chat.id)
    return None
