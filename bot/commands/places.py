"""Where in a chat a message of the transcript stands: the address that opens it, or the message to point at."""

import re
from dataclasses import dataclass

from memory.space import Space
from memory.store.entries import Entry

_PLACE = re.compile(r"tg:(-?[0-9]+):([0-9]+)")
_SUPERGROUP = "-100"


@dataclass(frozen=True)
class Place:
    """A chat and one of its messages."""

    chat_id: int
    message_id: int

    @property
    def link(self) -> str | None:
        """The address of the message; only messages of supergroups have one."""
        chat = str(self.chat_id)
        return f"https://t.me/c/{chat[4:]}/{self.message_id}" if chat.startswith(_SUPERGROUP) else None

    def target(self, entry: Entry) -> int | None:
        """Return the message that an answer to the entry can point at: one of the same chat."""
        return self.message_id if self.chat_id == entry.chat_id else None


async def place_of_message(space: Space, message_id: int | None) -> Place | None:
    """Return where a message stands; None when it was not said in a chat."""
    place = await space.sessions.place_of(message_id) if message_id is not None else None
    match = _PLACE.fullmatch(place or "")
    return Place(int(match[1]), int(match[2])) if match else None
