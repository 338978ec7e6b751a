"""Which night is due: once a local date, whatever clocks, zones and hosts do."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from bot.probing.nights import MAX_TRIES, Night, due_night, may_try, newest_night

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
CHANGES = {
    "Europe/Berlin": (date(2027, 3, 28), date(2027, 10, 31)),
    "America/New_York": (date(2027, 3, 14), date(2027, 11, 7)),
    "Australia/Lord_Howe": (date(2027, 10, 3), date(2027, 4, 4)),
    "Asia/Kathmandu": (date(2027, 3, 28), date(2027, 10, 31)),
}
"""The days of the clock changes, forward and back; Kathmandu has none."""
TIMES = tuple(time(hour, minute) for hour in range(4) for minute in (0, 30) if (hour, minute) != (0, 0))


@pytest.mark.parametrize("at", TIMES, ids=str)
@pytest.mark.parametrize(("zone", "change"), [(zone, day) for zone, days in CHANGES.items() for day in days])
def test_each_date_is_due_exactly_once_through_a_clock_change(zone: str, change: date, at: time) -> None:
    z = ZoneInfo(zone)
    last, fired = change - timedelta(days=3), []
    now = datetime.combine(change - timedelta(days=2), time(0), tzinfo=z).astimezone(UTC)
    for _ in range((5 * 24 - 1) * 4):
        night = due_night(now, at, z, last=last, began=LONG_AGO)
        if night is not None:
            fired.append((night, now.astimezone(z).replace(tzinfo=None)))
            last = night.day
        now += timedelta(minutes=15)
    assert [night for night, _ in fired] == [Night(change + timedelta(days=n)) for n in range(-2, 3)]
    late = [local for night, local in fired if local != datetime.combine(night.day, at)]
    assert all(local.date() == change for local in late), "only the day of the change may be late"


BERLIN, AT = ZoneInfo("Europe/Berlin"), time(3, 30)


def local(*when: int, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime(*when, tzinfo=zone).astimezone(UTC)  # type: ignore[arg-type, misc]


def test_a_week_asleep_is_made_up_for_once_and_counted() -> None:
    night = due_night(local(2027, 3, 9, 7, 0), AT, BERLIN, last=date(2027, 3, 1), began=LONG_AGO)
    assert night == Night(date(2027, 3, 9), missed=7)
    assert due_night(local(2027, 3, 9, 7, 1), AT, BERLIN, last=night.day, began=LONG_AGO) is None


def test_a_new_memory_waits_for_its_first_night() -> None:
    began = local(2027, 3, 2, 15, 0)
    assert due_night(local(2027, 3, 2, 15, 1), AT, BERLIN, last=None, began=began) is None
    assert due_night(local(2027, 3, 3, 3, 29), AT, BERLIN, last=None, began=began) is None
    assert due_night(local(2027, 3, 3, 3, 30), AT, BERLIN, last=None, began=began) == Night(date(2027, 3, 3))


def test_an_old_memory_that_was_never_examined_is_due_at_once_and_missed_nothing() -> None:
    night = due_night(local(2027, 3, 2, 15, 0), AT, BERLIN, last=None, began=LONG_AGO)
    assert night == Night(date(2027, 3, 2), missed=0)


def test_a_clock_that_is_set_back_brings_no_night_again() -> None:
    assert due_night(local(2027, 3, 1, 4, 0), AT, BERLIN, last=date(2027, 3, 2), began=LONG_AGO) is None


def test_a_zone_that_changes_brings_no_date_twice() -> None:
    auckland, honolulu = ZoneInfo("Pacific/Auckland"), ZoneInfo("Pacific/Honolulu")
    now = local(2027, 3, 2, 4, 0, zone=auckland)
    done = due_night(now, AT, auckland, last=date(2027, 3, 1), began=LONG_AGO)
    assert done == Night(date(2027, 3, 2))
    fired = [
        night
        for hours in range(72)
        if (night := due_night(now + timedelta(hours=hours), AT, honolulu, last=done.day, began=LONG_AGO))
    ]
    assert {night.day for night in fired} == {date(2027, 3, 3), date(2027, 3, 4)}
    assert fired[0].missed == 0


def test_before_the_time_has_come_the_night_is_that_of_yesterday() -> None:
    assert newest_night(local(2027, 3, 2, 3, 29), AT, BERLIN) == date(2027, 3, 1)
    assert newest_night(local(2027, 3, 2, 3, 30), AT, BERLIN) == date(2027, 3, 2)


def test_a_night_that_came_to_nothing_is_tried_three_times_with_growing_waits() -> None:
    now = local(2027, 3, 2, 3, 30)
    tried: list[datetime] = []
    for _ in range(24 * 60):
        if may_try(now, len(tried), tried[-1] if tried else None):
            tried.append(now)
        now += timedelta(minutes=1)
    assert len(tried) == MAX_TRIES
    first, second = (later - earlier for earlier, later in pairwise(tried))
    assert timedelta(0) < first < second


def test_a_try_that_lies_ahead_holds_up_nothing() -> None:
    now = local(2027, 3, 2, 3, 30)
    assert may_try(now, 1, now + timedelta(hours=5))
    assert not may_try(now, MAX_TRIES, now + timedelta(hours=5))
