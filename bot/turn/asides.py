"""Asides: what the program says of an answer itself: who gave it in place of the model, and what is left of the money.

The words of a stand-in are never shown without the line that says so. All else is said seldom, in a message of its own.
"""

from datetime import timedelta

from bot.models.ceiling import WARN_AT, Ceiling
from bot.models.prices import shown_usd
from bot.models.reader import offline
from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from memory.catalogue import N_, _, written
from memory.errors import CeilingReached, ModelFault, ModelMisconfigured, ModelQuotaSpent
from memory.ports import ModelReply
from memory.space import Space
from memory.store.entries import Entry

SAID_AGAIN_AFTER = timedelta(hours=6)
"""How long nothing more is said of another model that answers."""

FROM_MEMORY = N_("From memory, without the model: {why}.")
NO_CALLS = N_("the operator allows no model calls")
NO_BUDGET = N_("the budget here is set to 0 (/settings budget)")
NO_MONEY = N_("the {daily} that a day may cost leaves no room for another answer until {until}")
NO_QUOTA = N_("its quota for today is used up; tomorrow I think again")
NOT_SET_UP = N_("it cannot be used as it is set up; the operator must change the settings")
OUT_OF_REACH = N_("it is busy or out of reach; ask again in a while for more than quotations")

GONE = N_("Answered by {by}, because {model} is no longer to be had (the operator can set another).")
BUSY = N_("Answered by {by}, because {model} is overloaded or at its limit just now.")

NEAR = N_(
    "{spent} of the {daily} that a day may cost is spent. When all is, I answer from memory until {until}. /usage "
    "shows what it went to."
)
ALL = N_("The {daily} that a day may cost is spent. I answer from memory until {until}. /usage shows what it went to.")
UNTIL = N_("HH:mm (EEE d MMM)")
_NEAR_KEY = "spend:near:"
_BY_KEY = "answered by:"


class Asides:
    """The asides of one space."""

    def __init__(self, space: Space, screen: Screen, ceiling: Ceiling, *, model: str) -> None:
        self._space = space
        self._screen = screen
        self._ceiling = ceiling
        self._model = model

    def heading(self, reply: ModelReply | None) -> str | None:
        """Return the line above an answer that another gave who only quotes; None above all others."""
        if reply is None or reply.fault is None or reply.model != offline.NAME:
            return None
        return _(FROM_MEMORY).format(why=self._why(reply.fault))

    async def post(self, turn_id: int, entry: Entry, reply: ModelReply | None) -> None:
        """Queue what is to be said after an answer. Joins the caller's transaction."""
        if reply is None or self.heading(reply):
            return
        if reply.fault is not None:
            await self._name(turn_id, entry, reply, reply.fault)
        await self._warn(entry)

    async def _name(self, turn_id: int, entry: Entry, reply: ModelReply, fault: ModelFault) -> None:
        """Say which model answered instead, unless that was said not long ago."""
        last = await self._space.mailbox.last_posted(_BY_KEY)
        if last is None or self._space.clock.now() - last >= SAID_AGAIN_AFTER:
            told = _(GONE if isinstance(fault, ModelMisconfigured) else BUSY)
            text = told.format(by=reply.model, model=self._model)
            await self._say(f"{_BY_KEY}t{turn_id}", entry, text)

    async def _warn(self, entry: Entry) -> None:
        """Warn once a day that the money comes to its end."""
        daily = self._ceiling.daily_usd
        spent = (await self._ceiling.bill()).total.usd if daily else 0.0
        if daily and spent >= WARN_AT * daily:
            told = _(NEAR if spent < daily else ALL)
            text = told.format(spent=shown_usd(spent), daily=shown_usd(daily), until=self._until())
            await self._say(f"{_NEAR_KEY}{self._ceiling.today()}", entry, text)

    async def _say(self, key: str, entry: Entry, text: str) -> None:
        for number, message in enumerate(formed(self._screen, Answer(text), entry)):
            await self._space.mailbox.post(f"{key}:{number}", message.model_copy(update={"is_silent": True}))

    def _why(self, fault: ModelFault) -> str:
        match fault:
            case CeilingReached():
                daily = self._ceiling.daily_usd
                if daily:
                    return _(NO_MONEY).format(daily=shown_usd(daily), until=self._until())
                return _(NO_CALLS if self._ceiling.operator_usd == 0 else NO_BUDGET)
            case ModelQuotaSpent():
                return _(NO_QUOTA)
            case ModelMisconfigured():
                return _(NOT_SET_UP)
            case _:
                return _(OUT_OF_REACH)

    def _until(self) -> str:
        return written(self._ceiling.next_day(), UNTIL)
