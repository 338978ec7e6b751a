"""The nights and mornings of a server, by the fake clock: what is examined, what is told, and how often."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from bot.probing.examination import ExaminationFault
from bot.probing.hours import Hours
from bot.probing.report import NOTHING_YET
from bot.probing.watch import PICTURE_TYPE, Watch
from memory.errors import StorageFull
from tests.bot.probing.examinations import ScriptedExamination, known, lost
from tests.bot.turn.house import ZONE, House, house
from tests.fakes.clock import FakeClock

HOURS = Hours(time(3, 30), time(8, 0), "nightly")
EVENING = datetime(2027, 3, 2, 20, 0, tzinfo=ZONE).astimezone(UTC)
"""When the memories of these tests are made: a Tuesday."""
BROKEN, FULL = ExaminationFault("Died"), StorageFull(Path("x"))


class Days:
    """A house that is watched minute by minute (here: quarter of an hour by quarter)."""

    def __init__(self, h: House, examination: ScriptedExamination, hours: Hours = HOURS) -> None:
        self.h = h
        self.examination = examination
        self.hours = hours
        self.restart()

    def restart(self) -> None:
        self.watch = Watch(lambda: [self.h.runner], self.examination, self.hours, self.h.clock)

    async def look(self) -> None:
        for look in self.watch.looks().values():
            await look()
        if await self.h.space.mailbox.undelivered():
            await self.h.runner.drain()

    async def until(self, *when: int) -> None:
        """Look every fifteen minutes until that local time."""
        end = datetime(*when, tzinfo=ZONE)  # type: ignore[arg-type, misc]
        while self.h.clock.now() < end:
            self.h.clock.advance(900)
            await self.look()

    def at(self, *when: int) -> None:
        """Let the time be another one, with nobody looking meanwhile."""
        moment = datetime(*when, tzinfo=ZONE)  # type: ignore[arg-type, misc]
        self.h.clock.advance((moment - self.h.clock.now()).total_seconds())

    @property
    def told(self) -> list[str]:
        return self.h.screen.delivered


@asynccontextmanager
async def days(
    home: Path, examination: ScriptedExamination, *, mode: Literal["nightly", "regressions", "off"] = "nightly"
) -> AsyncIterator[Days]:
    async with house(home, clock=FakeClock(EVENING), examination=examination) as h:
        yield Days(h, examination, Hours(HOURS.probe_at, HOURS.report_at, mode))


async def test_each_night_is_examined_once_and_told_once_in_the_morning(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 3, 7, 45)
        assert (d.examination.nights, d.told) == ([date(2027, 3, 3)], [])
        await d.until(2027, 3, 6, 20, 0)
        assert d.examination.nights == [date(2027, 3, day) for day in (3, 4, 5, 6)]
        assert d.told == ["Memory 1/1 · sources 1/1 · canary ok · integrity ok · 1.8 ¢"] * 4
        assert all(row.message.is_silent for row in d.h.screen.rows)


async def test_restarts_examine_and_tell_nothing_again(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        for _ in range(40):
            d.h.clock.advance(1_800)
            d.restart()
            await d.look()
        assert (d.examination.nights, len(d.told)) == ([date(2027, 3, 3)], 1)


async def test_an_examination_before_midnight_is_told_the_next_morning(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        d.hours = Hours(time(23, 30), time(8, 0), "nightly")
        d.restart()
        await d.until(2027, 3, 4, 9, 0)
        assert d.examination.nights == [date(2027, 3, 2), date(2027, 3, 3)]
        assert len(d.told) == 2


async def test_a_host_that_slept_makes_up_for_its_nights_once_and_says_how_many(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 3, 9, 0)
        d.at(2027, 3, 10, 9, 5)
        await d.look()
        await d.look()
        assert d.examination.nights == [date(2027, 3, 3), date(2027, 3, 10)]
        assert len(d.told) == 2
        assert d.told[1].startswith("Before this, 6 nights passed without an examination")


async def test_seven_mornings_on_which_a_host_wakes_late_are_seven_examinations(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        for day in range(3, 10):
            d.at(2027, 3, day, 7, 0)
            await d.until(2027, 3, day, 9, 0)
        assert d.examination.nights == [date(2027, 3, day) for day in range(3, 10)]
        assert len(d.told) == 7


async def test_a_clock_change_brings_no_night_twice(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        d.hours = Hours(time(2, 30), time(8, 0), "nightly")
        d.restart()
        d.at(2027, 10, 29, 12, 0)
        await d.until(2027, 11, 2, 12, 0)
        assert d.examination.nights == [date(2027, 10, 29), *(date(2027, 10, day) for day in (30, 31)),
                                        *(date(2027, 11, day) for day in (1, 2))]  # fmt: skip


async def test_an_examination_that_breaks_off_is_tried_three_times_and_said(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination(BROKEN)) as d:
        await d.until(2027, 3, 3, 20, 0)
        assert d.examination.nights == [date(2027, 3, 3)] * 3
        assert len(d.told) == 1
        assert "broke off three times; nothing is called lost" in d.told[0]


async def test_a_full_disk_uses_up_no_night_and_is_said_in_the_morning(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination(FULL)) as d:
        await d.until(2027, 3, 3, 9, 0)
        assert 4 < len(d.examination.nights) < 14
        assert len(d.told) == 1
        assert "no room on the disk" in d.told[0]
        d.examination.then(known("f1"))
        await d.until(2027, 3, 3, 10, 0)
        assert await d.h.space.probes.last_night() == date(2027, 3, 3)
        await d.until(2027, 3, 4, 9, 0)
        assert d.told[1:] == ["Memory 1/1 · sources 1/1 · canary ok · integrity ok · 1.8 ¢"]


async def test_tries_that_a_crash_cut_off_count(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination(BROKEN)) as d:
        d.at(2027, 3, 3, 3, 31)
        for _ in range(2):
            await d.h.space.probes.begin(date(2027, 3, 3))
        d.at(2027, 3, 3, 3, 45)
        await d.look()
        assert d.examination.nights == []
        await d.until(2027, 3, 3, 9, 0)
        assert len(d.examination.nights) == 1
        assert "broke off three times" in d.told[0]


async def test_a_clock_that_is_set_back_tells_nothing_again_after_a_restart(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 5, 9, 0)
        d.at(2027, 3, 4, 9, 0)
        d.restart()
        await d.until(2027, 3, 5, 12, 0)
        assert (len(d.examination.nights), len(d.told)) == (3, 3)


async def test_three_nights_without_an_examination_are_told_loudly(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),), BROKEN)) as d:
        await d.until(2027, 3, 6, 9, 0)
        assert "has not been examined for 3 nights" in d.told[-1]
        assert not d.h.screen.rows[-1].message.is_silent
        assert [row.message.is_silent for row in d.h.screen.rows[:-1]] == [True] * 3


async def test_a_try_that_works_is_reported_as_if_nothing_had_been(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination(BROKEN, BROKEN, (known("f1"),))) as d:
        await d.until(2027, 3, 3, 9, 0)
        assert len(d.examination.nights) == 3
        assert [text[:10] for text in d.told] == ["Memory 1/1"]


async def test_a_morning_waits_for_the_examination_that_makes_up_for_the_night(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        d.at(2027, 3, 3, 10, 0)
        await d.watch.report_due()
        await d.h.runner.drain()
        assert d.told == []
        await d.look()
        assert len(d.told) == 1


async def test_what_is_lost_rings_once_then_is_a_word_then_is_well_again(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 3, 9, 0)
        d.examination.then(lost("f1", "indexed"))
        await d.until(2027, 3, 5, 9, 0)
        d.examination.then(known("f1"))
        await d.until(2027, 3, 7, 9, 0)
        assert [row.message.is_silent for row in d.h.screen.rows] == [True, False, True, True, True]
        assert "search index has lost it" in d.told[1]
        assert d.told[2].endswith("still lost: 1 (since 4 Mar)")
        assert d.told[3].endswith("✓ Well again: f1.")
        assert d.told[4].startswith("Memory 1/1")


async def test_an_alarm_that_was_raised_elsewhere_is_told_in_the_morning(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((lost("f1", "indexed"),))) as d:
        await d.examination.run(d.h.space)
        await d.until(2027, 3, 3, 9, 0)
        assert [row.message.is_silent for row in d.h.screen.rows] == [False]


async def test_only_what_is_news_is_told_to_who_wants_no_more(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),)), mode="regressions") as d:
        await d.until(2027, 3, 4, 9, 0)
        assert d.told == []
        d.examination.then(lost("f1", "indexed"))
        await d.until(2027, 3, 6, 9, 0)
        assert len(d.told) == 1
        d.examination.then(known("f1"))
        await d.until(2027, 3, 8, 9, 0)
        assert len(d.told) == 2


async def test_reports_can_be_off_while_examinations_go_on(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((lost("f1", "indexed"),)), mode="off") as d:
        await d.until(2027, 3, 4, 9, 0)
        assert (len(d.examination.nights), d.told) == (2, [])


async def test_an_empty_memory_says_that_there_is_nothing_to_examine(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination(())) as d:
        await d.until(2027, 3, 3, 9, 0)
        assert d.told == [NOTHING_YET]


async def test_on_sundays_the_report_has_a_picture_and_the_last_one_goes(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 6, 9, 0)
        assert all(row.message.photo is None for row in d.h.screen.rows)
        await d.until(2027, 3, 7, 9, 0)
        first = d.h.screen.rows[-1].message.photo
        assert first is not None
        picture = d.h.space.media.read(first)
        assert picture is not None
        assert picture[:8] == b"\x89PNG\r\n\x1a\n"
        await d.until(2027, 3, 14, 9, 0)
        second = d.h.screen.rows[-1].message.photo
        assert second not in {None, first}
        assert d.h.space.media.read(first) is None
        rows = await d.h.space.db.fetch_all("SELECT sha256 FROM media WHERE mime_type = ?", (PICTURE_TYPE,))
        assert [row["sha256"] for row in rows] == [second]
        d.examination.then(lost("f1", "indexed"))
        await d.examination.run(d.h.space)
        d.restart()
        count = len(d.told)
        await d.look()
        assert len(d.told) == count, "a morning that was told of is over, whatever is found later"


async def test_one_memory_in_trouble_leaves_the_others_alone(tmp_path: Path) -> None:
    examination = ScriptedExamination(BROKEN, (known("f1"),))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    async with days(tmp_path / "a", examination) as one, days(tmp_path / "b", examination) as other:
        other.h.clock.advance(timedelta(hours=8).total_seconds())
        one.h.clock.advance(timedelta(hours=8).total_seconds())
        watch = Watch(lambda: [one.h.runner, other.h.runner], examination, HOURS, one.h.clock)
        await watch.examine_due()
        assert await one.h.space.probes.last_night() is None
        assert await other.h.space.probes.last_night() == date(2027, 3, 3)


async def test_each_memory_is_told_of_its_night_in_its_own_language(tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    clock = FakeClock(EVENING)
    async with (
        house(tmp_path / "a", clock=clock) as german,
        house(tmp_path / "b", clock=clock, space_id="2") as english,
    ):
        async with german.space.db.transaction():
            await german.space.preference_store.set(language="de")
        clock.advance(timedelta(hours=13).total_seconds())
        watch = Watch(lambda: [german.runner, english.runner], examination, HOURS, clock)
        await watch.examine_due()
        await watch.report_due()
        for h in (german, english):
            await h.runner.drain()
        assert german.screen.delivered == ["Gedächtnis 1/1 · Quellen 1/1 · Probefakt ok · Dateien ok · 1.8 ¢"]
        assert english.screen.delivered == ["Memory 1/1 · sources 1/1 · canary ok · integrity ok · 1.8 ¢"]


async def set_hours(d: Days, **changes: object) -> None:
    async with d.h.space.db.transaction():
        await d.h.space.preference_store.set(**changes)  # type: ignore[arg-type]


async def test_a_memory_with_hours_of_its_own_goes_by_them(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await set_hours(d, probe_at=time(5), report_at=time(21, 30))
        await d.until(2027, 3, 3, 4, 45)
        assert d.examination.nights == []
        await d.until(2027, 3, 3, 21, 15)
        assert (d.examination.nights, d.told) == ([date(2027, 3, 3)], [])
        await d.until(2027, 3, 3, 21, 30)
        assert len(d.told) == 1


async def test_an_hour_that_is_set_after_the_report_holds_from_the_next_day_on(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 3, 10, 0)
        assert len(d.told) == 1
        await set_hours(d, report_at=time(20), probe_at=time(19))
        for restarts in (False, True):
            if restarts:
                d.restart()
            await d.until(2027, 3, 3, 23, 45)
            assert (d.examination.nights, len(d.told)) == ([date(2027, 3, 3)], 1)
        await d.until(2027, 3, 4, 20, 0)
        assert (d.examination.nights, len(d.told)) == ([date(2027, 3, 3), date(2027, 3, 4)], 2)


async def test_reports_that_are_switched_on_by_day_begin_the_next_morning(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),)), mode="off") as d:
        await d.until(2027, 3, 4, 15, 0)
        await set_hours(d, report="nightly")
        await d.until(2027, 3, 5, 7, 45)
        assert d.told == []
        await d.until(2027, 3, 5, 8, 0)
        assert len(d.told) == 1
        await set_hours(d, report="off")
        await d.until(2027, 3, 7, 9, 0)
        assert len(d.told) == 1


async def test_a_member_who_moves_is_told_once_a_date_by_the_clocks_there(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await d.until(2027, 3, 3, 9, 0)
        assert len(d.told) == 1
        await set_hours(d, zone=ZoneInfo("America/New_York"))
        await d.until(2027, 3, 4, 13, 45)
        assert len(d.told) == 1
        await d.until(2027, 3, 4, 14, 0)
        assert len(d.told) == 2
        assert d.examination.nights == [date(2027, 3, 3), date(2027, 3, 4)]


async def test_an_own_hour_that_the_clocks_skip_or_repeat_comes_once(tmp_path: Path) -> None:
    async with days(tmp_path, ScriptedExamination((known("f1"),))) as d:
        await set_hours(d, probe_at=time(1), report_at=time(2, 30))
        for first, last in (((2027, 3, 27, 12), (2027, 3, 29, 1)), ((2027, 10, 30, 12), (2027, 11, 1, 1))):
            d.at(*first)
            await d.look()
            before = len(d.told)
            await d.until(*last)
            assert len(d.told) == before + 1
