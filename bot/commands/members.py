"""Members: the operator's buttons by which people and groups are let in, turned away and taken off again.

Only in the operator's own private space; anywhere else a button of this kind means nothing. What follows from a
decision (a memory is opened or closed, somebody is told) is done elsewhere, after it.
"""

import re

from bot.commands.facts import Press
from bot.commands.menus import day, turning
from bot.quoting import literal
from bot.telegram.admission import Admission, Decision
from bot.turn.answer import Answer
from memory.catalogue import N_, _
from memory.space import Space
from memory.store.entries import Button, Entry

ADMIT, TURN_AWAY, PAGE, REMOVE, REMOVE_AT_LAST = "admit", "turnaway", "members", "unadmit", "unadmit!"
"""The beginnings of the buttons' data; an id, or the number of a page, follows."""
SETTINGS = "set:"
"""The data of the button that leads back to all settings."""
A_PAGE = 8

IN = N_("✓ Admitted. They were told, and have a memory of their own now.")
IN_BY_SETTINGS = N_("✓ Admitted: the settings say so.")
GROUP_IN = N_("✓ Admitted. The group was told, and has a memory of its own now.")
OUT = N_("✗ Refused. They are told nothing, and not listened to for 30 days.")
GROUP_OUT = N_("✗ Refused. I leave the group; bring me there again and I ask again.")
OVER = N_("This request is over. If they send me /start again, I ask you again.")
ALONE = N_("I serve you alone. Whoever else sends me /start gets a code, and you are asked.")
LIST = N_("Besides you I serve:")
BY_SETTINGS = N_("{id} – by the settings (TELEGRAM_ALLOWED_IDS); taken off there")
PERSON = N_("{id} – a person, since {day}")
GROUP = N_("{id} – a group, since {day}")
REMOVE_PERSON = N_("Serve {id} no longer? I answer them nothing from then on. Their memory is kept, not erased.")
REMOVE_GROUP = N_("Serve the group {id} no longer? I leave it. Its memory is kept, not erased.")
REMOVED = N_("{id} is no longer served; the memory is kept. Whoever is admitted again finds it as it was.")
NOT_THERE = N_("{id} is not served by a decision of yours.")

_NUMBER = re.compile(r"[0-9]{1,4}")
_ID = re.compile(r"-?[1-9][0-9]{0,18}")


class MemberList:
    """The people and groups besides the operator, as the operator sees and decides them in their own space."""

    def __init__(self, space: Space, admission: Admission) -> None:
        self._space = space
        self._admission = admission

    def presses(self) -> dict[str, Press]:
        """Return what the buttons do, by the beginning of their data."""
        return {
            ADMIT: self._admit,
            TURN_AWAY: self._turn_away,
            PAGE: self._turn_page,
            REMOVE: self._ask_to_remove,
            REMOVE_AT_LAST: self._remove,
        }

    def is_for(self, entry: Entry) -> bool:
        """Whether an entry is the operator's, in their own private chat."""
        operator_id = self._admission.operator_id
        return entry.author_id == operator_id and entry.chat_id == operator_id

    def way_in(self) -> tuple[Button, ...]:
        """Return the row that leads here from other menus."""
        return (Button(text=_("Members"), data=f"{PAGE}:1", typed="/settings members"),)

    async def page(self, number: str) -> Answer:
        """Return a page of those who are served, with a button to take each off; pages count from 1."""
        admitted = await self._admission.admitted()
        fixed = sorted(self._admission.always - {self._admission.operator_id})
        lines = [_(BY_SETTINGS).format(id=chat_id) for chat_id in fixed]
        last = max(1, -(-len(admitted) // A_PAGE))
        at = min(max(int(number) if _NUMBER.fullmatch(number) else 1, 1), last)
        shown = admitted[(at - 1) * A_PAGE : at * A_PAGE]
        lines += [self._line(one) for one in shown]
        if not lines:
            return Answer(_(ALONE), (_up(),), where="instead")
        rows = [
            (Button(text=_("Remove {id}").format(id=one.chat_id), data=f"{REMOVE}:{one.chat_id}"),) for one in shown
        ]
        turns = turning(at, last, lambda page: (f"{PAGE}:{page}", ""))
        return Answer("\n".join([_(LIST), *(f"• {line}" for line in lines)]), (*rows, *turns, _up()), where="instead")

    def _line(self, one: Decision) -> str:
        words = PERSON if one.chat_id > 0 else GROUP
        return _(words).format(id=one.chat_id, day=day(one.at, self._space.zone))

    async def _turn_page(self, entry: Entry, rest: str) -> Answer:
        return await self.page(rest) if self.is_for(entry) else Answer()

    async def _admit(self, entry: Entry, rest: str) -> Answer:
        return await self._decide(entry, rest, is_admitted=True)

    async def _turn_away(self, entry: Entry, rest: str) -> Answer:
        return await self._decide(entry, rest, is_admitted=False)

    async def _decide(self, entry: Entry, rest: str, *, is_admitted: bool) -> Answer:
        chat_id = self._meant(entry, rest)
        if chat_id is None:
            return Answer()
        decision = await self._admission.decide(chat_id, is_admitted=is_admitted)
        shown = await self._space.mailbox.shown_at(entry.place) if entry.place else None
        who = literal(shown.text.partition("\n\n")[0]) if shown else str(chat_id)
        return Answer(f"{who}\n\n{self._outcome(chat_id, decision)}", _second_thoughts(decision), where="instead")

    def _outcome(self, chat_id: int, decision: Decision | None) -> str:
        """Return what holds now, whichever press brought it about."""
        if decision is None:
            return _(OVER)
        if chat_id in self._admission.always:
            return _(IN_BY_SETTINGS)
        is_person = chat_id > 0
        if decision.state == "admitted":
            return _(IN) if is_person else _(GROUP_IN)
        return _(OUT) if is_person else _(GROUP_OUT)

    async def _ask_to_remove(self, entry: Entry, rest: str) -> Answer:
        chat_id = self._meant(entry, rest)
        if chat_id is None:
            return Answer()
        words = REMOVE_PERSON if chat_id > 0 else REMOVE_GROUP
        remove = Button(text=_("Remove"), data=f"{REMOVE_AT_LAST}:{chat_id}")
        return Answer(_(words).format(id=chat_id), ((remove, _back()),), where="instead")

    async def _remove(self, entry: Entry, rest: str) -> Answer:
        chat_id = self._meant(entry, rest)
        if chat_id is None:
            return Answer()
        words = REMOVED if await self._admission.remove(chat_id) else NOT_THERE
        return Answer(_(words).format(id=chat_id), ((_back(),),), where="instead")

    def _meant(self, entry: Entry, rest: str) -> int | None:
        """Return the id of a button that the operator pressed; None for all else."""
        return int(rest) if self.is_for(entry) and _ID.fullmatch(rest) else None


def _second_thoughts(decision: Decision | None) -> tuple[tuple[Button, ...], ...]:
    """Return the way back from a refusal: who was refused cannot ask."""
    if decision is None or decision.state != "refused" or decision.chat_id < 0:
        return ()
    return ((Button(text=_("Admit after all"), data=f"{ADMIT}:{decision.chat_id}"),),)


def _up() -> tuple[Button, ...]:
    return (Button(text=_("‹ Settings"), data=SETTINGS),)


def _back() -> Button:
    return Button(text=_("‹ Members"), data=f"{PAGE}:1")
