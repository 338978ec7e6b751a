"""What a member decides about calls that wait for their yes: approve or refuse, by button or by command.

Only who asked for it may answer. What was decided once, or not in time, stays so: a second answer is told how it
stands, and nothing happens.
"""

import re
from collections.abc import Awaitable, Callable

from bot.commands.facts import Press
from bot.turn.answer import Answer
from bot.turn.asking import APPROVE, REFUSE, close, expire
from memory.catalogue import N_, _
from memory.space import Space
from memory.store.approvals import Approval, Decision
from memory.store.entries import Entry

DECIDE_WHAT = N_("Say which one, by its id: `/approve a12` or `/refuse a12`.")
NOT_YOURS = N_("Only the one for whom {ref} is to be done may answer that.")
DECIDED = {
    "approved": N_("{ref} was approved already; it is run once and no more."),
    "refused": N_("{ref} was refused already; nothing was done."),
    "expired": N_(
        "{ref} was not answered in time, so it counts as refused: nothing was done. Ask again if you want it."
    ),
}

_ID = re.compile(r"a?([0-9]{1,18})", re.IGNORECASE)


class ApprovalCommands:
    """/approve, /refuse and the buttons of one space. Every write joins the caller's transaction."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._store = space.approvals

    def presses(self) -> dict[str, Press]:
        """Return what the buttons do, by the beginning of their data."""
        return {
            APPROVE: lambda entry, rest: self._decide(rest, entry, "approved"),
            REFUSE: lambda entry, rest: self._decide(rest, entry, "refused"),
        }

    def commands(self) -> dict[str, Callable[[str, Entry], Awaitable[Answer]]]:
        """Return the commands by name."""
        return {
            APPROVE: lambda rest, entry: self._decide(rest, entry, "approved"),
            REFUSE: lambda rest, entry: self._decide(rest, entry, "refused"),
        }

    async def _decide(self, rest: str, entry: Entry, decision: Decision) -> Answer:
        """Raises: UnknownId."""
        match = _ID.fullmatch(rest)
        if match is None:
            return Answer(_(DECIDE_WHAT))
        approval = await self._store.approval(int(match[1]))
        if not self._may_answer(approval, entry):
            return Answer(_(NOT_YOURS).format(ref=approval.ref))
        if approval.state == "asked" and approval.expires_at <= self._space.clock.now():
            approval = await expire(self._space, approval)
        if approval.state != "asked":
            return Answer(_(DECIDED[approval.state]).format(ref=approval.ref))
        decided = await self._store.decide(approval.id, decision)
        await close(self._space, decided)
        return Answer(decided=decided)

    def _may_answer(self, approval: Approval, entry: Entry) -> bool:
        if not self._space.is_shared:
            return True
        return approval.by_id is not None and approval.by_id == entry.author_id
