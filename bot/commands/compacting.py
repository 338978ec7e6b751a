"""`/compact`: what would leave the prompt, the order to do it, and what a handoff kept. The work itself is a job.

By button or by command, in the transaction of the answer. An order that is given twice is carried out once.
"""

import re

from bot.turn.answer import Answer
from bot.turn.topics import topic_of
from memory.catalogue import N_, _
from memory.compaction.compactor import Compactor
from memory.compaction.outcome import NOTHING
from memory.space import Space
from memory.store.entries import Button, Entry
from memory.store.jobs import COMPACT

ORDER = "now"
BEGUN = N_("I shorten the prompt now; nothing is lost. A line follows.")
WHAT = N_(
    "/compact shows what would leave the prompt, `/compact now` does it, `/compact h3` shows what handoff h3 kept."
)

_HANDOFF = re.compile(r"h?([0-9]{1,18})", re.IGNORECASE)


class Compacting:
    """The commands of one space's members about compaction."""

    def __init__(self, space: Space, compactor: Compactor) -> None:
        self._space = space
        self._compactor = compactor

    async def command(self, rest: str, entry: Entry) -> Answer:
        """Answer `/compact`, `/compact now` or `/compact h3`. Raises: UnknownId."""
        handoff = _HANDOFF.fullmatch(rest)
        if handoff is not None:
            return Answer((await self._compactor.kept(int(handoff[1]))).words())
        if rest.casefold() == ORDER:
            return await self._begin(entry)
        return await self._preview() if rest == "" else Answer(_(WHAT))

    async def press(self, entry: Entry, rest: str) -> Answer:
        """Answer the buttons `compact:now` and `compact:h3`. Raises: UnknownId."""
        return await self.command(rest, entry)

    async def _preview(self) -> Answer:
        session_id = await self._space.sessions.open_session()
        preview = await self._compactor.preview(session_id) if session_id is not None else None
        if preview is None:
            return Answer(_(NOTHING))
        now = Button(text=_("Compact now"), data=f"compact:{ORDER}", typed=f"/compact {ORDER}")
        return Answer(preview.words(self._space.zone), ((now,),))

    async def _begin(self, entry: Entry) -> Answer:
        session = await self._space.sessions.current_session()
        payload = {"session": session, "asked": 1, **topic_of(entry)}
        await self._space.jobs.add(COMPACT, f"{COMPACT}:{entry.source}", payload)
        return Answer(_(BEGUN), is_spent=True)
