"""A memory that grows with nothing wrong in it, and its examination night after night: what must stay silent.

The frozen talk and its variants one after another: every month the same kinds of things are told again with other
values, so that most of the ledger is superseded many times. Each night the ordinary orders go out (known cases, when
each was asked, weekly a trial), for a copy of the memory.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path

from bench.examining import SPACE_ID, examined, workshop
from bench.variants import variants
from memory.findings import Gate, Known, Run
from memory.probe import frozen
from memory.probe.frozen import TalkClock, TalkTurn
from memory.probe.gate import gate
from memory.probe.run import Orders

SEED = 20270301
PROBE_AT = time(3, 30)
TRIAL_EVERY = 7
TURNS_A_DAY = 2
APART = timedelta(minutes=7)


@dataclass(frozen=True)
class Night:
    """One night's run, and what its gate said."""

    day: date
    run: Run
    gate: Gate


async def live(root: Path, nights: int) -> list[Night]:
    """Tell so many days of talk, and examine a copy of the memory each night."""
    found: list[Night] = []
    days = list(_days(nights))
    clock = TalkClock(days[0][0].at)
    async with workshop(root / "live", clock) as shop:
        for number, turns in enumerate(days):
            async with shop.opened(SPACE_ID) as (_, assistant):
                for turn in turns:
                    clock.at = max(clock.at, turn.at)
                    await assistant.say(turn.text)
            night = datetime.combine(turns[0].at.date() + timedelta(days=1), PROBE_AT, frozen.ZONE)
            clock.at = max(clock.at, night)
            found.append(await _examined(root, night, number, found))
    return found


async def _examined(root: Path, night: datetime, number: int, before: Sequence[Night]) -> Night:
    copy = root / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root / "live", copy)
    orders = Orders(
        space_id=SPACE_ID,
        night=night.date(),
        seed=number,
        known=tuple(known_of(before[-1].run)) if before else (),
        asked=_asked(before),
        has_trial=number % TRIAL_EVERY == 0,
    )
    async with workshop(copy, TalkClock(night)) as shop:
        run = await examined(shop, orders=orders)
    return Night(night.date(), run, gate(run, []))


def known_of(run: Run) -> Iterator[Known]:
    """Yield what must be there again after a run."""
    for one in run.results:
        if one.verdict != "lost":
            yield Known(ref=one.ref, message_id=one.message_id, critical=one.critical)


def _asked(nights: Iterable[Night]) -> dict[str, date]:
    return {one.ref: night.day for night in nights for one in night.run.results if one.is_answered}


def _days(nights: int) -> Iterator[list[TalkTurn]]:
    """Yield the turns of each day, the talk and its variants moved on in time."""
    first = frozen.talk()[0].at
    told = [turn for variant in variants(nights * TURNS_A_DAY // 60 + 1, seed=SEED) for turn in variant.turns]
    for number in range(nights):
        day = first + timedelta(days=number)
        said = told[number * TURNS_A_DAY : (number + 1) * TURNS_A_DAY]
        yield [replace(turn, at=day + APART * place) for place, turn in enumerate(said)]
