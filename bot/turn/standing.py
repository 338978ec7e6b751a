"""Standing messages: the new form of one of ours that stands in the chat, once what it asks is answered.

Pure: nothing is queued or sent here.
"""

from memory.messages import utf16_length
from memory.store.entries import Buttons, Outgoing

MESSAGE_UNITS = 4_096
_PARAGRAPH = "\n\n"


def ended(asked: Outgoing, outcome: str) -> Outgoing:
    """Return a question without its buttons, and with the outcome in place of its last paragraph: what holds until it
    is answered.
    """
    head = asked.text.rpartition(_PARAGRAPH)[0]
    text = f"{head}{_PARAGRAPH}{outcome}" if head else outcome
    return asked.model_copy(update={"text": text, "buttons": (), "for_member": None})


def answered(asked: Outgoing, data: str, outcome: Outgoing) -> Outgoing | None:
    """Return a message with the outcome of its button `data` under its words, and in place of that button's row.

    None where there is no such button (any more), or no room.
    """
    text = f"{asked.text}{_PARAGRAPH}{outcome.text}"
    rest = _without_row(asked.buttons, data)
    if rest == asked.buttons or utf16_length(text) > MESSAGE_UNITS:
        return None
    start = utf16_length(text) - utf16_length(outcome.text)
    moved = (entity | {"offset": entity["offset"] + start} for entity in outcome.entities)
    return asked.model_copy(
        update={
            "text": text,
            "entities": (*asked.entities, *moved),
            "buttons": (*rest, *outcome.buttons),
            "shows": (*asked.shows, *outcome.shows),
        }
    )


def without_row(asked: Outgoing, data: str) -> Outgoing:
    """Return a message without the row of its button `data`."""
    return asked.model_copy(update={"buttons": _without_row(asked.buttons, data)})


def _without_row(buttons: Buttons, data: str) -> Buttons:
    return tuple(row for row in buttons if all(button.data != data for button in row))
