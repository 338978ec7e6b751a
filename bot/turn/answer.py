"""Answer: what comes of a command, of a pressed button or of an awaited reply, before a screen gives it its form."""

from dataclasses import dataclass
from typing import Literal

from bot.turn.screen import Screen
from memory.catalogue import N_, _
from memory.messages import utf16_length
from memory.store.approvals import Approval
from memory.store.entries import Buttons, Entry, Outgoing

MAX_CAPTION_UNITS = 1024
PICTURE = N_("How well I remembered, over the last weeks.")


@dataclass(frozen=True)
class Answer:
    """`text` is Markdown; "" says nothing.

    What a press brings stands `below` in a message of its own, `within` the message with the button (under its words
    and in place of the button's row, if there is room), or `instead` of its text and buttons. `is_spent` takes the
    pressed button away, with all that stand in its row.
    """

    text: str = ""
    buttons: Buttons = ()
    where: Literal["below", "within", "instead"] = "below"
    is_spent: bool = False
    reply_to: int | None = None
    """The chat's message that the answer points at."""
    awaits: str | None = None
    """What a reply to the answer is taken as: a press with this data."""
    shows: tuple[str, ...] = ()
    """Ids of the messages (m12), procedures (p12) and reminders (n12) whose words it shows again."""
    photo: str | None = None
    """The SHA-256 of a picture in the media store that goes with it."""
    document: str | None = None
    """The path of a file of the assistant's own that goes with it; the text is short then."""
    export: Literal["whole", "without media"] | None = None
    """All of the memory goes with it as a file; the text is short then."""
    decided: Approval | None = None
    """What the member decided: a turn begins that carries it."""


def formed(screen: Screen, answer: Answer, entry: Entry | None, *, for_member: int | None = None) -> list[Outgoing]:
    """Return the messages of an answer; its buttons stand under the last, for the author of the entry or `for_member`.

    A picture has a short answer as its caption, or stands before a long one. None for an answer that says nothing.
    """
    if not answer.text:
        return []
    *rest, last = screen.render(answer.text, entry)
    rest = [piece.model_copy(update={"shows": answer.shows}) for piece in rest]
    changes: dict[str, object] = {"buttons": answer.buttons, "awaits": answer.awaits, "shows": answer.shows}
    if answer.document is not None:
        changes["document"] = answer.document
    if answer.export is not None:
        changes["export"] = answer.export
    if answer.buttons or answer.awaits:
        changes["for_member"] = entry.author_id if entry else for_member
    if answer.reply_to is not None:
        changes["reply_to"] = answer.reply_to
    messages = [*rest, last.model_copy(update=changes)]
    return messages if answer.photo is None else _illustrated(messages, answer.photo)


def _illustrated(messages: list[Outgoing], photo: str) -> list[Outgoing]:
    first = messages[0]
    # The words of a picture cannot be changed as those of a message: what has buttons stands by itself.
    if len(messages) == 1 and not first.buttons and utf16_length(first.text) <= MAX_CAPTION_UNITS:
        return [first.model_copy(update={"photo": photo})]
    picture = Outgoing(text=_(PICTURE), chat_id=first.chat_id, thread_id=first.thread_id, photo=photo)
    return [picture, *messages]
