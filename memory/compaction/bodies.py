"""Long results of tools, set aside: whole in the media store, short in the prompt.

For prompts that are too large although no window may leave: a talk of few turns with many results. The transcript keeps
what was there (the short form is a new version of the message), and recall reads it by hash. Nothing a person said is
ever shortened here.
"""

from collections.abc import Sequence

from memory.messages import Message, Part, ResultPart
from memory.store.database import Database
from memory.store.media import MediaStore
from memory.store.results import shortened, whole_result
from memory.store.sessions import SessionStore

LONG_CHARS = 4_000
"""Results up to this stay as they are: as many as a turn may ask for fit into a prompt. A shortened one stays below it,
so nothing is shortened twice."""
SHOWN_CHARS = 400
PRESENT_RESULTS = 1
"""The newest messages of results, which the model is about to read, are left as they are."""


class ResultBodies:
    """Sets results aside in one space."""

    def __init__(self, database: Database, sessions: SessionStore, media: MediaStore) -> None:
        self._db = database
        self._sessions = sessions
        self._media = media

    async def set_aside(self, session_id: int, tail: Sequence[Message]) -> int:
        """Shorten the long results of a session's tail, all but the newest, and return how many that were."""
        held = [message for message in tail if message.role == "tool"][:-PRESENT_RESULTS]
        long = [message for message in held if any(map(_is_long, message.parts))]
        if not long:
            return 0
        async with self._db.transaction():
            for message in long:
                parts = [await self._short(part) for part in message.parts]
                await self._sessions.append(
                    message.model_copy(update={"parts": tuple(parts)}),
                    session_id=session_id,
                    turn_id=message.turn_id,
                    replaces=message.id,
                )
        return sum(_is_long(part) for message in long for part in message.parts)

    async def _short(self, part: Part) -> Part:
        if not isinstance(part, ResultPart) or not _is_long(part):
            return part
        whole = (self._media.read(part.whole) if part.whole else None) or whole_result(part)
        stored = await self._media.put(whole, "application/json")
        return shortened(part, whole, stored.sha256, shown_chars=SHOWN_CHARS)


def _is_long(part: Part) -> bool:
    return isinstance(part, ResultPart) and len(whole_result(part).decode()) > LONG_CHARS
