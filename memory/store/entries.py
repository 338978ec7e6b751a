"""What a member did and what they are told, as values: entries with attachments, messages with buttons.

They are kept as JSON, so a field that is added has a default. How they come, wait and go is the mailbox's business.
"""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.messages import Origin
from memory.store.spoken_secrets import SpokenSecret

EntryKind = Literal["message", "edit", "command", "press"]
AttachmentKind = Literal["photo", "video", "animation", "voice", "audio", "video_note", "document"]


class Attachment(BaseModel):
    """A file that came with an entry, as the chat service describes it: nothing of it is to be believed."""

    model_config = ConfigDict(frozen=True)

    kind: AttachmentKind
    file_id: str
    """What the service gives the bytes out for."""
    unique_id: str
    """The same for the same file, whoever sends it."""
    mime_type: str | None = None
    name: str | None = None
    size: int | None = None
    """In bytes, where the service says it."""
    duration_s: int | None = None
    width: int | None = None
    height: int | None = None


class Entry(BaseModel):
    """One thing a member did, already redacted. A command is `/name` with its arguments in `text`."""

    model_config = ConfigDict(frozen=True)

    source: str
    kind: EntryKind
    text: str
    at: datetime
    origin: Origin = "own"
    author: str | None = None
    author_id: int | None = None
    language: str | None = None
    """The code of the language that the author's chat program speaks."""
    chat_id: int | None = None
    thread_id: int | None = None
    message_id: int | None = None
    reply_to: int | None = None
    """The id of the chat's message that this one replies to."""
    quote: str | None = None
    """What the message replies to, or the part of it the member marked."""
    quoted_from: str | None = None
    forwarded_from: str | None = None
    press: str | None = None
    """The button's callback data."""
    press_id: str | None = None
    notices: tuple[str, ...] = ()
    """What the member must be told about this entry itself (a secret was not stored, a photo was not read)."""
    secrets: tuple[SpokenSecret, ...] = Field(default=(), exclude=True, repr=False)
    """What was masked and can be kept on request: in memory alone, on the way from the reader to `HeldSecrets`."""
    has_offer: bool = False
    """The first notice offers to keep what was masked."""
    attachments: tuple[Attachment, ...] = ()
    album: str | None = None
    """What the messages of one album have in common."""
    described: tuple[str, ...] = ()
    """What it carries that is neither words nor file (a place, a sticker), as the program puts it into words."""

    @property
    def has_content(self) -> bool:
        """Whether there is anything in it to answer."""
        return bool(self.text or self.attachments or self.described)

    @property
    def place(self) -> str | None:
        """Where the member sees it; None outside a chat."""
        return place_of(self.chat_id, self.message_id)


class Button(BaseModel):
    """A button under a message: `data` (1 to 64 bytes, ids and no private words) comes back as `Entry.press`."""

    model_config = ConfigDict(frozen=True)

    text: str
    data: str
    typed: str = ""
    """The command that does the same, shown where there are no buttons; "" where the text names it already."""


Buttons = tuple[tuple[Button, ...], ...]
"""Rows of buttons. What excludes each other stands in one row."""


class Lateness(BaseModel):
    """What is added to a message that goes out at `after` or later: when it should have come."""

    model_config = ConfigDict(frozen=True)

    after: datetime
    note: str


class Outgoing(BaseModel):
    """One message to the member. `entities` are in the channel's own JSON."""

    model_config = ConfigDict(frozen=True)

    text: str
    entities: tuple[dict[str, Any], ...] = ()
    chat_id: int | None = None
    thread_id: int | None = None
    reply_to: int | None = None
    is_silent: bool = False
    buttons: Buttons = ()
    for_member: int | None = None
    """Who alone may press the buttons and give the awaited reply; None: whoever may write here."""
    awaits: str | None = None
    """What a reply to this message is taken as: a press with this data whose text is the reply's."""
    shows: tuple[str, ...] = ()
    """Ids of the messages (m12), procedures (p12) and reminders (n12) whose words it shows, perhaps in parts: gone with
    any of them.
    """
    photo: str | None = None
    """The SHA-256 of a picture in the media store; the text, at most 1,024 UTF-16 units of it, then is its caption."""
    document: str | None = None
    """The path of a file of the assistant's own, sent as it is then; the text, as short, is its caption."""
    whole: str | None = None
    """The Markdown of an answer that is too long for messages, sent as a file; the text, as short, is its caption."""
    export: Literal["whole", "without media"] | None = None
    """All of the memory as a file, made when it is sent; the text, as short, is its caption."""
    late: Lateness | None = None

    def sent_at(self, now: datetime) -> "Outgoing":
        """Return the message as it goes out at a moment."""
        if self.late is None or now < self.late.after:
            return self
        return self.model_copy(update={"text": f"{self.text}\n{self.late.note}", "late": None})


def place_of(chat_id: int | None, message_id: int | None) -> str | None:
    """Return the name of a message's place in a chat."""
    return None if chat_id is None or message_id is None else f"tg:{chat_id}:{message_id}"
