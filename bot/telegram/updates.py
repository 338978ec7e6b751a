"""Updates in the form in which Telegram sends them: the fields we read, checked.

Fields that are not named here are passed over, so that new ones of the Bot API change nothing; a named one in another
form raises. What an update means is the reader's business.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bot.telegram.connection import KINDS, Kind, RawUpdate

MEDIA = {
    "animation": "animation",
    "audio": "audio file",
    "checklist": "checklist",
    "contact": "contact",
    "dice": "dice",
    "document": "document",
    "game": "game",
    "live_photo": "photo",
    "paid_media": "paid media",
    "photo": "photo",
    "poll": "poll",
    "sticker": "sticker",
    "story": "story",
    "venue": "place",
    "location": "location",
    "video": "video",
    "video_note": "video message",
    "voice": "voice message",
}
"""What a message can carry besides text, as people call it. Some come with a second field (an animation is
a document too): the first one here counts."""

SOMEBODY = "somebody"


def _whole(value: object) -> object:
    """Return a text without lone surrogates and NULs, which no database takes."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


Text = Annotated[str, BeforeValidator(_whole)]
Id = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class _Raw(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class User(_Raw):
    id: Id
    is_bot: bool = False
    first_name: Text = ""
    username: Text | None = None


class Chat(_Raw):
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


class Mark(_Raw):
    """An entity."""

    type: str
    offset: int
    length: int
    user: User | None = None


class _Source(_Raw):
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


class _External(_Raw):
    origin: _Source


class _Quote(_Raw):
    text: Text


class Earlier(_Raw):
    """The message that one replies to."""

    message_id: Id
    user: User | None = Field(default=None, alias="from")
    text: Text | None = None
    caption: Text | None = None
    forum_topic_created: object | None = None


class Message(_Raw):
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

    @property
    def words(self) -> str | None:
        return self.text if self.text is not None else self.caption

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.entities if self.text is not None else self.caption_entities

    @property
    def media(self) -> str | None:
        """What the message carries besides words, as people call it."""
        there = self.model_extra or {}
        return next((name for field, name in MEDIA.items() if there.get(field)), None)

    @property
    def answered(self) -> Earlier | None:
        """The message this one replies to; in a topic every message formally replies to the topic's beginning."""
        earlier = self.reply_to_message
        return None if earlier is None or earlier.forum_topic_created is not None else earlier

    @property
    def thread(self) -> int | None:
        """The topic; replies outside topics carry a thread's number too, but it cannot be sent to."""
        return self.message_thread_id if self.is_topic_message else None


class _Pressed(_Raw):
    message_id: Id
    chat: Chat
    message_thread_id: Id | None = None
    is_topic_message: bool = False


class Press(_Raw):
    id: Text
    user: User = Field(alias="from")
    data: Text = ""
    message: _Pressed


class _Member(_Raw):
    status: str


class Membership(_Raw):
    new_chat_member: _Member


class _Outline(_Raw):
    """As much of an update's body as tells where it comes from."""

    chat: Chat | None = None
    user: User | None = Field(default=None, alias="from")
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


def _moved(outline: _Outline) -> Moved | None:
    """Return the move that a service message tells of; one comes in the old group, one in the new."""
    if outline.chat is None:
        return None
    if outline.migrate_to_chat_id is not None:
        return Moved(outline.chat.id, outline.migrate_to_chat_id)
    if outline.migrate_from_chat_id is not None:
        return Moved(outline.migrate_from_chat_id, outline.chat.id)
    return None
