"""Watch: what a server does for its memories by night and in the morning: examine each, and tell its members of it.

Each look asks the rows what is due, so a restart, a missed tick or a second look changes nothing. A report goes to the
space's own chat through its outbox, and nowhere else.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from bot.probing.album import Album, Mark, drawn
from bot.probing.examining import Examination
from bot.probing.hours import Hours
from bot.probing.nights import MAX_TRIES, due_night, may_try, newest_night
from bot.probing.regressions import REPORTED, findings_of
from bot.probing.report import Report, report, unexamined
from bot.schedule import Look
from bot.turn.runner import Runner
from memory.catalogue import N_, _, language, speaking
from memory.errors import MemoryFault
from memory.health import born
from memory.ports import Clock
from memory.space import Space
from memory.store.wall_times import moment

log = logging.getLogger(__name__)

PICTURED_NIGHTS = 28
PICTURE_TYPE = "image/png; of=nights"
"""Its own type, so that a picture is known from what members send."""
SUNDAY = 6
THREE_TIMES = N_("the examination broke off three times")
NOT_RUN = N_("the examination did not run")
NO_ROOM = N_(
    "there is no room on the disk for the copy that I examine (the operator can make some; then I do it at once)"
)


class Watch:
    """The nightly work of one process over its open spaces, which `at_work` returns.

    `hours` are those of a space that has none of its own. Each look reads what holds then; a date that is dealt with
    does not come again, so another hour holds from the next date on.
    """

    def __init__(
        self, at_work: Callable[[], Sequence[Runner]], examination: Examination, hours: Hours, clock: Clock
    ) -> None:
        self._at_work = at_work
        self._examination = examination
        self._hours = hours
        self._clock = clock
        self._reported: dict[str, date] = {}
        """The newest morning of each space that is dealt with, told or not to be told."""

    def looks(self) -> Mapping[str, Look]:
        """Return what is to be looked at each minute, by name."""
        return {"nights": self.examine_due, "mornings": self.report_due}

    async def examine_due(self) -> None:
        """Examine each memory whose night has come, one after another."""
        await self._for_each("examination", self._examine)

    async def report_due(self) -> None:
        """Tell of the night in each space whose morning has come, once it was examined or will not be."""
        await self._for_each("report", self._report)

    async def _for_each(self, what: str, work: Callable[[Runner], Awaitable[None]]) -> None:
        for runner in self._at_work():
            try:
                with speaking(runner.space.preferences.language):
                    await work(runner)
            except Exception as error:
                # The boundary of a memory: one in trouble is no reason to leave the others alone.
                is_known = isinstance(error, MemoryFault | OSError)
                name = type(error).__name__
                log.warning("%s failed: space=%s error=%s", what, runner.space.id, name, exc_info=not is_known)

    async def _examine(self, runner: Runner) -> None:
        space, now = runner.space, self._clock.now()
        last = await space.probes.last_night()
        night = due_night(now, self._hours_of(space).probe_at, space.zone, last=last, began=await born(space))
        if night is None:
            return
        tries = await space.probes.tries(night.day)
        if may_try(now, tries.count, tries.last_at):
            await self._examination.run(space, night=night.day)

    async def _report(self, runner: Runner) -> None:
        space, hours = runner.space, self._hours_of(runner.space)
        day = newest_night(self._clock.now(), hours.report_at, space.zone)
        if self._reported.get(space.id, date.min) >= day:
            return
        if hours.mode != "off" and not await self._is_told(runner, day, hours):
            return
        self._reported[space.id] = day

    async def _is_told(self, runner: Runner, day: date, hours: Hours) -> bool:
        """Tell of the night before a morning, unless there is nothing to tell; False while it may still be examined."""
        space = runner.space
        night = newest_night(moment(datetime.combine(day, hours.report_at), space.zone), hours.probe_at, space.zone)
        is_first = night <= newest_night(await born(space), hours.probe_at, space.zone)
        if not is_first and await space.mailbox.last_posted(f"{REPORTED}{day}:") is None:
            if await self._may_still_come(space, night):
                return False
            told = await self._told_of(space, night)
            if hours.mode == "nightly" or told.is_news:
                await self._tell(runner, day, told, is_pictured=day.weekday() == SUNDAY and hours.mode == "nightly")
        return True

    async def _may_still_come(self, space: Space, night: date) -> bool:
        """Whether the examination of a night is under way or will be tried. For room on the disk nobody waits."""
        if await _is_examined(space, night):
            return False
        tries = await space.probes.tries(night)
        is_newest = newest_night(self._clock.now(), self._hours_of(space).probe_at, space.zone) == night
        return self._examination.is_busy or (is_newest and tries.count < MAX_TRIES and not tries.has_no_room)

    async def _told_of(self, space: Space, night: date) -> Report:
        stored = await space.probes.last_done()
        if stored is not None and await _is_examined(space, night):
            return report(await findings_of(space, stored, missed=await _missed(space)), space.zone)
        tries = await space.probes.tries(night)
        reason = THREE_TIMES if tries.count >= MAX_TRIES else NO_ROOM if tries.has_no_room else NOT_RUN
        return unexamined(
            _(reason), nights=await space.probes.nights_without(night), since=stored.night if stored else None
        )

    async def _tell(self, runner: Runner, day: date, told: Report, *, is_pictured: bool) -> None:
        photo = await _picture(runner.space) if is_pictured else None
        await runner.tell(f"{REPORTED}{day}", replace(told.answer, photo=photo), is_silent=told.mood == "quiet")

    def _hours_of(self, space: Space) -> Hours:
        return self._hours.as_set(space.preferences)


async def _is_examined(space: Space, night: date) -> bool:
    last = await space.probes.last_night()
    return last is not None and last >= night


async def _missed(space: Space) -> int:
    """Return how many nights lie between the last two that were examined."""
    nights = [point.night for point in await space.probes.trend(2)]
    return (nights[-1] - nights[0]).days - 1 if len(nights) == 2 else 0


async def _picture(space: Space) -> str | None:
    """Draw the last weeks, keep the picture in place of the last one and return its hash; None where that fails."""
    marks = [
        Mark(
            night=point.night,
            recall_rate=point.recall_rate,
            prompt_size=point.prompt_size,
            ledger_facts=point.ledger_facts,
        )
        for point in await space.probes.trend(PICTURED_NIGHTS)
    ]
    picture = await drawn(Album(marks=tuple(marks), language=language())) if len(marks) > 1 else None
    if picture is None:
        return None
    async with space.db.transaction():
        kept = await space.media.put(picture, PICTURE_TYPE)
        old = await space.media.others(PICTURE_TYPE, kept.sha256)
        for sha256 in old:
            await space.media.drop(sha256)
    for sha256 in old:
        space.media.erase(sha256)
    return kept.sha256
