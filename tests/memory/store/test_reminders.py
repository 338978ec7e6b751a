"""Reminders as rows: due once, moved with the zone, kept over a reopening, and every change can be taken back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.errors import UnknownId
from memory.space import Space
from memory.store.recurrence import Cron, Daily, Recurrence, Weekly, Yearly
from memory.store.reminder_rows import Asker, CannotRemind, Due, Reminder, Timing
from memory.store.reminders import MOST_WAITING
from memory.store.wall_times import UnclearTime, moment, wall_of
from tests.fakes.clock import FakeClock

BERLIN = "Europe/Berlin"
ME = Asker()


@asynccontextmanager
async def space(home: Path, clock: FakeClock, zone: str = BERLIN) -> AsyncIterator[Space]:
    opened = await Space.open(home / "1", default_zone=ZoneInfo(zone), clock=clock, backups=home / "backups")
    try:
        yield opened
    finally:
        await opened.close()


async def add(held: Space, text: str, timing: Timing) -> Reminder:
    async with held.db.transaction():
        return await held.reminders.add(text, timing, ME)


async def ring_all(held: Space) -> list[Due]:
    """Ring what is due, as the chat does."""
    async with held.db.transaction():
        await held.reminders.move()
        found = await held.reminders.due()
        for due in found:
            await held.reminders.ring(due, f"remind:{due.reminder.id}:{due.at.isoformat()}")
    return found


async def times_until(held: Space, clock: FakeClock, end: datetime) -> list[datetime]:
    """Let time pass from one due moment to the next and return when each came."""
    came = []
    while (next_at := await held.reminders.next_time()) is not None and next_at < end:
        clock.advance((next_at - clock.now()).total_seconds())
        came += [due.at for due in await ring_all(held)]
    return came


def again(rule: Recurrence, clock: FakeClock, zone: str = BERLIN) -> Timing:
    return Timing(wall=rule.first(wall_of(clock.now(), ZoneInfo(zone))), repeats=rule)


def at_nine(day: date) -> Timing:
    return Timing(wall=datetime.combine(day, time(9)))


# Due


async def test_a_reminder_is_due_once_and_then_has_rung(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        added = await add(held, "tea", Timing(at=clock.now() + timedelta(minutes=20)))
        assert await ring_all(held) == []
        clock.advance(1200)
        assert [due.reminder.id for due in await ring_all(held)] == [added.id]
        assert await ring_all(held) == []
        rung = await held.reminders.reminder(added.id)
        assert (rung.state, rung.next_at) == ("rung", None)


async def test_reminders_stand_in_the_file(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        added = await add(held, "dentist", at_nine(date(2027, 3, 3)))
    async with space(tmp_path, clock) as held:
        assert await held.reminders.waiting() == [added]


async def test_what_was_missed_again_and_again_comes_once_with_its_last_time(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        await add(held, "pills", again(Daily(at=time(18)), clock))
        clock.advance(86_400 * 5)
        (due,) = await ring_all(held)
        assert (due.at, due.count) == (datetime(2027, 3, 6, 17, 0, tzinfo=UTC), 5)
        assert await held.reminders.next_time() == datetime(2027, 3, 7, 17, 0, tzinfo=UTC)


async def test_every_other_week_keeps_its_week_when_some_were_missed(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        rule = Weekly(weekdays=(0,), every=2, at=time(9))
        await add(held, "review", again(rule, clock))
        clock.advance(86_400 * 30)
        await ring_all(held)
        next_at = await held.reminders.next_time()
        assert next_at is not None
        assert (next_at.date() - date(2027, 3, 8)).days % 14 == 0


@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("Europe/Berlin", date(2027, 3, 28)),
        ("Europe/Berlin", date(2027, 10, 31)),
        ("America/New_York", date(2027, 3, 14)),
        ("America/New_York", date(2027, 11, 7)),
        ("Australia/Lord_Howe", date(2027, 4, 4)),
        ("Australia/Lord_Howe", date(2027, 10, 3)),
        ("Asia/Kathmandu", date(2027, 3, 28)),
    ],
)
async def test_a_daily_reminder_comes_once_a_local_day_whatever_the_clocks_do(
    tmp_path: Path, zone: str, change: date
) -> None:
    here = ZoneInfo(zone)
    clock = FakeClock(datetime.combine(change - timedelta(days=2), time(12), tzinfo=UTC))
    start = wall_of(clock.now(), here).date()
    async with space(tmp_path, clock, zone) as held:
        rules = [Daily(at=time(number // 2, number % 2 * 30)) for number in range(1, 8)]
        for rule in rules:
            await add(held, rule.words, again(rule, clock, zone))
        came: dict[str, list[datetime]] = {}
        end = clock.now() + timedelta(days=5)
        while (next_at := await held.reminders.next_time()) is not None and next_at < end:
            clock.advance((next_at - clock.now()).total_seconds())
            for due in await ring_all(held):
                came.setdefault(due.reminder.text, []).append(due.at)
        for rule in rules:
            days = [start + timedelta(days=number) for number in range(1, 6)]
            wanted = [moment(datetime.combine(day, rule.at), here) for day in days]
            assert came[rule.words] == [at for at in wanted if at < end], rule.words
            assert len({wall_of(at, here).date() for at in came[rule.words]}) == len(came[rule.words])


async def test_several_times_that_the_clocks_skip_are_one(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2027, 3, 28, 0, 45, tzinfo=UTC))
    async with space(tmp_path, clock) as held:
        await add(held, "bell", again(Cron(expression="*/30 * * * *"), clock))
        came = await times_until(held, clock, datetime(2027, 3, 28, 2, 0, tzinfo=UTC))
        assert came == [datetime(2027, 3, 28, 1, 0, tzinfo=UTC), datetime(2027, 3, 28, 1, 30, tzinfo=UTC)]


async def test_the_leap_day_comes_every_year(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        await add(held, "cake", again(Yearly(month=2, day=29, at=time(9)), clock))
        came = await times_until(held, clock, datetime(2032, 12, 1, tzinfo=UTC))
        assert [at.date() for at in came] == [
            date(2028, 2, 29), date(2029, 2, 28), date(2030, 2, 28), date(2031, 2, 28), date(2032, 2, 29)
        ]  # fmt: skip


# Zones


async def test_wall_times_move_with_the_zone_and_moments_do_not(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        dentist = await add(held, "dentist", at_nine(date(2027, 3, 3)))
        pills = await add(held, "pills", again(Daily(at=time(18)), clock))
        tea = await add(held, "tea", Timing(at=clock.now() + timedelta(days=1)))
        async with held.db.transaction():
            await held.db.execute("UPDATE profile SET zone = 'America/New_York'")
    async with space(tmp_path, clock) as held:
        assert await held.reminders.is_elsewhere()
        async with held.db.transaction():
            await held.reminders.move()
        assert not await held.reminders.is_elsewhere()
        found = {one.id: one.next_at for one in await held.reminders.waiting()}
        assert found == {
            dentist.id: datetime(2027, 3, 3, 14, 0, tzinfo=UTC),
            pills.id: datetime(2027, 3, 2, 23, 0, tzinfo=UTC),
            tea.id: tea.next_at,
        }


async def test_a_daily_reminder_comes_once_on_the_day_its_member_flies_west(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        await add(held, "pills", again(Daily(at=time(12)), clock))
        clock.advance(3 * 3600)
        assert len(await ring_all(held)) == 1
        async with held.db.transaction():
            await held.db.execute("UPDATE profile SET zone = 'America/New_York'")
    async with space(tmp_path, clock) as held:
        assert await times_until(held, clock, datetime(2027, 3, 3, 12, 0, tzinfo=UTC)) == []


# Changes


async def test_a_time_that_is_over_or_far_away_stores_nothing(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        for timing in (at_nine(date(2027, 3, 2)), at_nine(date(2023, 3, 3)), at_nine(date(2050, 1, 1))):
            with pytest.raises(UnclearTime):
                await add(held, "x", timing)
        assert await held.reminders.waiting() == []


async def test_words_are_needed_and_limited_and_so_is_the_number_of_reminders(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        for text in (" \n", "x" * 1001):
            with pytest.raises(CannotRemind):
                await add(held, text, at_nine(date(2027, 3, 3)))
        async with held.db.transaction():
            for _ in range(MOST_WAITING):
                await held.reminders.add("x", at_nine(date(2027, 3, 3)), ME)
        with pytest.raises(CannotRemind, match="200"):
            await add(held, "one more", at_nine(date(2027, 3, 3)))


async def test_a_repeating_reminder_put_off_comes_then_and_at_its_own_time(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        added = await add(held, "pills", again(Daily(at=time(18)), clock))
        clock.advance(8 * 3600)
        assert len(await ring_all(held)) == 1
        async with held.db.transaction():
            await held.reminders.snooze(added.id, Timing(at=clock.now() + timedelta(hours=1)))
        came = await times_until(held, clock, datetime(2027, 3, 4, 0, 0, tzinfo=UTC))
        assert came == [datetime(2027, 3, 2, 18, 0, tzinfo=UTC), datetime(2027, 3, 3, 17, 0, tzinfo=UTC)]


async def test_done_ends_one_for_good_and_a_repeating_one_until_its_next_time(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        once = await add(held, "dentist", at_nine(date(2027, 3, 3)))
        daily = await add(held, "pills", again(Daily(at=time(18)), clock))
        async with held.db.transaction():
            await held.reminders.snooze(daily.id, Timing(at=clock.now() + timedelta(minutes=10)))
            done = await held.reminders.finish(daily.id)
            await held.reminders.finish(once.id)
        assert (done.state, done.next_at, done.is_snoozed) == ("waiting", daily.next_at, False)
        assert [one.id for one in await held.reminders.waiting()] == [daily.id]


async def test_every_change_can_be_taken_back_once_and_only_that_one(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        added = await add(held, "dentist", at_nine(date(2027, 3, 3)))
        async with held.db.transaction():
            changed = await held.reminders.change(added.id, text="doctor", timing=at_nine(date(2027, 3, 4)))
            assert await held.reminders.undo(added.id, added.version) is None
            back = await held.reminders.undo(added.id, changed.version)
            assert back is not None
            assert (back.text, back.next_at) == ("dentist", added.next_at)
            deleted = await held.reminders.delete(added.id)
            again_there = await held.reminders.undo(added.id, deleted.version)
            assert again_there is not None
            assert (again_there.state, again_there.next_at) == ("waiting", added.next_at)
            other = await held.reminders.add("bank", at_nine(date(2027, 3, 3)), ME)
            gone = await held.reminders.undo(other.id, other.version)
            assert gone is not None
            assert gone.state == "deleted"


async def test_a_deleted_one_is_neither_put_off_nor_done(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        added = await add(held, "pills", again(Daily(at=time(18)), clock))
        async with held.db.transaction():
            await held.reminders.delete(added.id)
        clock.advance(86_400 * 9)
        for change in (held.reminders.finish(added.id), held.reminders.snooze(added.id, at_nine(date(2027, 4, 1)))):
            with pytest.raises(CannotRemind, match="undo"):
                await change
        assert await ring_all(held) == []


async def test_what_is_changed_or_taken_back_in_another_zone_comes_by_its_clocks(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with space(tmp_path, clock) as held:
        renamed = await add(held, "dentist", at_nine(date(2027, 3, 3)))
        deleted = await add(held, "bank", at_nine(date(2027, 3, 3)))
        async with held.db.transaction():
            version = (await held.reminders.delete(deleted.id)).version
            await held.db.execute("UPDATE profile SET zone = 'America/New_York'")
    async with space(tmp_path, clock) as held:
        async with held.db.transaction():
            await held.reminders.change(renamed.id, text="doctor")
            await held.reminders.undo(deleted.id, version)
            await held.reminders.move()
        assert {one.next_at for one in await held.reminders.waiting()} == {datetime(2027, 3, 3, 14, 0, tzinfo=UTC)}


async def test_nothing_is_taken_back_to_a_time_that_is_over(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        added = await add(held, "tea", Timing(at=clock.now() + timedelta(minutes=20)))
        async with held.db.transaction():
            deleted = await held.reminders.delete(added.id)
        clock.advance(3600)
        async with held.db.transaction():
            assert await held.reminders.undo(added.id, deleted.version) is None
        assert await ring_all(held) == []


async def test_an_unknown_reminder_is_named(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        with pytest.raises(UnknownId, match="n9"):
            await held.reminders.reminder(9)
