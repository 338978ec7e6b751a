"""Ceiling: what the calls of one space may cost in a day, and what they came to until now.

The bill is the space's own rows, priced, so a restart changes nothing; a day is one of the space's zone. A call is
estimated and must fit into what is left before it is made, beside all that are under way: so the ceiling is overrun by
no more than the last call was larger than its estimate. Where a price is not known, tokens are taken for dollars
(`prices.ASSUMED`). What costs nothing is never held back.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

from bot.models.prices import ASSUMED, price_of
from memory.errors import CeilingReached
from memory.ports import Task, Usage
from memory.space import Space
from memory.store.database import Database
from memory.store.spending import Used, examined_since, used_by_turn, used_since
from memory.store.wall_times import moment

Share = Literal["chat", "background", "probe"]
BACKGROUND_TASKS = frozenset({"extract", "summarise", "route", "entail", "judge", "embed"})
"""All others are done for a turn, while the member waits."""
BACKGROUND = 0.4
"""The part of a day's dollars that all background work together may cost, examinations included."""
PROBE = 0.2
"""The part of a day's dollars that its examinations may cost."""
WARN_AT = 0.8
"""The part of a day's dollars at which the member is warned."""
A_TURN = 0.25
"""The part of a day's dollars at which a turn is made to come to its end."""
TURN_TOKENS = 600_000
"""The tokens at which it is, whatever they cost: more than a turn needs that makes all the calls it may."""


@dataclass(frozen=True)
class Item:
    """A line of a bill. `probe` is what examinations asked of all models.

    `is_estimate` where tokens were estimated or a price was assumed.
    """

    task: Task | Literal["probe"]
    models: frozenset[str] = frozenset()
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float = 0.0
    is_estimate: bool = False

    def plus(self, other: "Item") -> "Item":
        """Return both as one line, of this one's task."""
        return Item(
            self.task,
            self.models | other.models,
            self.calls + other.calls,
            _sum(self.usage, other.usage),
            self.usd + other.usd,
            self.is_estimate or other.is_estimate,
        )


@dataclass(frozen=True)
class Bill:
    """What calls cost, a line a task. `unsettled` counts the examinations whose cost is not known (yet)."""

    items: tuple[Item, ...] = ()
    unsettled: int = 0

    @property
    def total(self) -> Item:
        """All lines as one."""
        total = Item("chat")
        for item in self.items:
            total = total.plus(item)
        return total

    def usd_of(self, *tasks: str) -> float:
        """Return what some tasks cost together."""
        return sum(item.usd for item in self.items if item.task in tasks)


class Ceiling:
    """The ceiling of one space. `operator_usd` None: there is none; 0: only what costs nothing is done."""

    def __init__(self, space: Space, operator_usd: float | None) -> None:
        self._space = space
        self.operator_usd = operator_usd
        self._under_way: dict[Share, float] = {"chat": 0.0, "background": 0.0, "probe": 0.0}

    @property
    def daily_usd(self) -> float | None:
        """What a day may cost now: no more than the operator allows, and less where the space is set to less."""
        own = self._space.preferences.daily_usd
        return min((usd for usd in (self.operator_usd, own) if usd is not None), default=None)

    def today(self) -> date:
        """Return the local date."""
        return self._space.clock.now().astimezone(self._space.zone).date()

    def _midnight(self, day: date) -> datetime:
        return moment(datetime.combine(day, time()), self._space.zone)

    def next_day(self) -> datetime:
        """Return when the local day ends, in the zone of the space."""
        return self._midnight(self.today() + timedelta(days=1)).astimezone(self._space.zone)

    async def bill(self) -> Bill:
        """Return what the calls of the local day cost."""
        return await bill_since(self._space.db, self._midnight(self.today()))

    async def bill_of_month(self) -> Bill:
        """Return what the calls of the month cost."""
        return await bill_since(self._space.db, self._midnight(self.today().replace(day=1)))

    async def left_usd(self, share: Share) -> float | None:
        """Return what is left of the day's dollars for chats, background work or an examination; None: no end to it.

        An examination whose cost is not known counts with its whole share, but for an examination itself.
        """
        daily = self.daily_usd
        if daily is None:
            return None
        before = dict(self._under_way)
        bill = await self.bill()
        # A call that was under way may have ended meanwhile, with its row not in the bill yet.
        chat, work = (max(before[one], self._under_way[one]) for one in ("chat", "background"))
        examined, total = bill.usd_of("probe"), bill.total.usd
        if bill.unsettled and share != "probe":
            work += max(0.0, PROBE * daily - examined)
        left = [daily - total - chat - work]
        if share != "chat":
            left.append(BACKGROUND * daily - bill.usd_of("probe", *BACKGROUND_TASKS) - work)
        if share == "probe":
            left.append(PROBE * daily - examined)
        return max(0.0, min(left))

    @asynccontextmanager
    async def reserved(self, share: Share, model: str, expected: Usage) -> AsyncIterator[None]:
        """Hold what a call is expected to cost while it is under way.

        Raises: CeilingReached when it does not fit into what is left.
        """
        usd, _ = cost(model, expected, self._space.clock.now().date())
        left = await self.left_usd(share) if usd else None
        # Nothing is awaited from the last look on: two calls cannot both take the same money.
        if left is not None and usd > left:
            raise CeilingReached(f"{left:.4f} USD are left for {share} today")
        self._under_way[share] += usd
        try:
            yield
        finally:
            self._under_way[share] -= usd

    async def is_turn_over(self, turn_id: int) -> bool:
        """Whether a turn has used as much as a turn may."""
        total = Bill(tuple(_item(used) for used in await used_by_turn(self._space.db, turn_id))).total
        tokens = total.usage.prompt_tokens + total.usage.output_tokens + total.usage.thought_tokens
        daily = self.daily_usd
        is_dear = daily is not None and total.usd > A_TURN * daily
        return is_dear or tokens > TURN_TOKENS


async def bill_since(database: Database, since: datetime) -> Bill:
    """Return what the calls of a space cost since a moment."""
    items: dict[str, Item] = {}
    for used in await used_since(database, since):
        items[used.task] = items[used.task].plus(_item(used)) if used.task in items else _item(used)
    examined = await examined_since(database, since)
    if examined.runs:
        assumed = ASSUMED.usd(Usage(examined.unpriced_tokens))
        usage = Usage(examined.prompt_tokens, examined.output_tokens)
        is_estimate = bool(assumed or examined.unsettled)
        items["probe"] = Item("probe", frozenset(), examined.runs, usage, examined.usd + assumed, is_estimate)
    return Bill(tuple(items.values()), examined.unsettled)


def share_of(task: Task) -> Share:
    """Return whose money a task is paid from."""
    return "background" if task in BACKGROUND_TASKS else "chat"


def cost(model: str, usage: Usage, on: date) -> tuple[float, bool]:
    """Return what a call costs in dollars, and whether that is known: not where the price is assumed."""
    price = price_of(model, on)
    return (price or ASSUMED).usd(usage), price is not None


def _item(used: Used) -> Item:
    usd, is_known = cost(used.model, used.usage, used.day)
    is_estimate = bool(usd) and (used.usage.is_estimate or not is_known)
    return Item(used.task, frozenset({used.model}), used.calls, used.usage, usd, is_estimate)


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.prompt_tokens + other.prompt_tokens,
        one.output_tokens + other.output_tokens,
        one.thought_tokens + other.thought_tokens,
        one.cached_tokens + other.cached_tokens,
        one.tool_tokens + other.tool_tokens,
        one.is_estimate or other.is_estimate,
    )
