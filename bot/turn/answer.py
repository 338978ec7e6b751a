"""Answer: what comes of a command, of a pressed button or of an awaited reply, before a screen gives it its form."""

from dataclasses import dataclass
from typing import Literal

from bot.turn.screen import Screen
from memory.store.mailbox import Buttons, Entry, Outgoing


@dataclass(frozen=True)
class Answer:
    """`text` is Markdown; "" says nothing.

    What a press brings stands `below` in a message of its own, or `instead` of the text and buttons of the message
    with the button. `is_spent` takes the pressed button away, with all that stand in its row.
    """

    text: str = ""
    buttons: Buttons = ()
    where: Literal["below", "instead"] = "below"
    is_spent: bool = False
    reply_to: int | None = None
    """The chat's message that the answer points at."""
    awaits: str | None = None
    """What a reply to the answer is taken as: a press with this data."""
    shows: tuple[str, ...] = ()
    """Ids of the messages (m12) and procedures (p12) whose words it shows again."""


def formed(screen: Screen, answer: Answer, entry: Entry | None, *, for_member: int | None = None) -> list[Outgoing]:
    """Return the messages of an answer; its buttons stand under the last, for the author of the entry or `for_member`.

    None for one that says nothing.
    """
    if not answer.text:
        return []
    *rest, last = screen.render(answer.text, entry)
    rest = [piece.model_copy(update={"shows": answer.shows}) for piece in rest]
    changes: dict[str, object] = {"buttons": answer.buttons, "awaits": answer.awaits, "shows": answer.shows}
    if answer.buttons or answer.awaits:
        changes["for_member"] = entry.author_id if entry else for_member
    if answer.reply_to is not None:
        changes["reply_to"] = answer.reply_to
    return [*rest, last.model_copy(update=changes)]
