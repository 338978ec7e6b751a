"""Rules and moments against a plain calendar: every day looked at, every minute walked."""

import calendar
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.catalogue import speaking
from memory.store.recurrence import (
    WORKDAYS,
    Daily,
    Monthly,
    MonthlyWeekday,
    Recurrence,
    Weekly,
    Yearly,
    cron,
    from_json,
    to_json,
    upcoming,
)
from memory.store.wall_times import UnclearTime, moment

NINE = time(9)
TUESDAY = datetime(2027, 3, 2, 10, 0)  # noqa: DTZ001 (wall times are naive)
NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def dates(rule: Recurrence, count: int = 10, after: datetime = TUESDAY) -> list[date]:
    return [wall.date() for wall in upcoming(rule, rule.first(after), count)]


def days_that(are_meant: Callable[[date], bool], count: int = 10, after: date = date(2027, 3, 3)) -> list[date]:
    """Return the next days that are meant, by looking at each."""

    def walk() -> Iterator[date]:
        day = after
        while True:
            if are_meant(day):
                yield day
            day += timedelta(days=1)

    days = walk()
    return [next(days) for _ in range(count)]


def is_last(day: date) -> bool:
    return day.day == calendar.monthrange(day.year, day.month)[1]


@pytest.mark.parametrize(
    ("rule", "english", "german"),
    [
        (Daily(at=NINE), "every day at 09:00", "jeden Tag um 09:00"),
        (Daily(at=NINE, every=3), "every 3 days at 09:00", "alle 3 Tage um 09:00"),
        (
            Weekly(weekdays=WORKDAYS, at=NINE),
            "every weekday (Monday to Friday) at 09:00",
            "jeden Werktag (Montag bis Freitag) um 09:00",
        ),
        (Weekly(weekdays=(5, 2), at=NINE), "every Wednesday, Saturday at 09:00", "jeden Mittwoch, Samstag um 09:00"),
        (
            Weekly(weekdays=(0,), every=2, at=NINE),
            "every 2 weeks on Monday at 09:00",
            "alle 2 Wochen am Montag um 09:00",
        ),
        (Monthly(day=5, at=NINE), "on day 5 of every month at 09:00", "am 5. jedes Monats um 09:00"),
        (
            Monthly(day=31, every=3, at=NINE),
            "on the last day of every 3 months at 09:00",
            "alle 3 Monate am letzten Tag um 09:00",
        ),
        (
            MonthlyWeekday(nth=-1, weekday=4, at=NINE),
            "on the last Friday of every month at 09:00",
            "am letzten Freitag jedes Monats um 09:00",
        ),
        (Yearly(month=3, day=12, at=NINE), "every year on 12 March at 09:00", "jedes Jahr am 12. März um 09:00"),
    ],
)
def test_a_rule_is_said_in_the_language_that_is_spoken(rule: Recurrence, english: str, german: str) -> None:
    assert rule.words == english
    with speaking("de"):
        assert rule.words == german


# Days


@pytest.mark.parametrize("number", range(7))
def test_a_weekday_is_that_of_the_calendar(number: int) -> None:
    assert dates(Weekly(weekdays=(number,), at=NINE)) == days_that(lambda day: day.weekday() == number)


def test_every_weekday_is_monday_to_friday() -> None:
    assert dates(Weekly(weekdays=WORKDAYS, at=NINE)) == days_that(lambda day: day.isoweekday() <= 5)


def test_every_other_week_keeps_its_week_over_the_year() -> None:
    found = dates(Weekly(weekdays=(0, 3), every=2, at=NINE), 60)
    weeks = {(day - timedelta(days=day.weekday())) for day in found}
    assert {(later - earlier).days for earlier, later in zip(sorted(weeks), sorted(weeks)[1:], strict=False)} == {14}
    assert {day.weekday() for day in found} == {0, 3}


def test_the_thirty_first_is_the_last_day_of_shorter_months() -> None:
    assert dates(Monthly(day=31, at=NINE), 24) == days_that(is_last, 24)
    assert "last day" in Monthly(day=31, at=NINE).words
    assert Monthly(day=30, at=NINE).note == "in shorter months on their last day"


@pytest.mark.parametrize("number", [1, 15, 28, 29, 30])
def test_a_day_of_the_month_comes_in_every_month(number: int) -> None:
    wanted = days_that(lambda day: day.day == number or (is_last(day) and day.day < number), 30)
    assert dates(Monthly(day=number, at=NINE), 30) == wanted


def test_every_third_month_steps_over_the_year() -> None:
    found = dates(Monthly(day=31, every=3, at=NINE), 5)
    assert found == [date(2027, 3, 31), date(2027, 6, 30), date(2027, 9, 30), date(2027, 12, 31), date(2028, 3, 31)]


def test_the_leap_day_is_the_last_of_february_in_other_years() -> None:
    rule = Yearly(month=2, day=29, at=NINE)
    assert dates(rule, 12) == days_that(lambda day: day.month == 2 and is_last(day), 12)
    assert rule.note == "in years without it on 28 February"


@pytest.mark.parametrize("nth", [1, 2, 3, 4, -1])
def test_the_nth_weekday_of_a_month_is_that_of_the_calendar(nth: int) -> None:
    def is_meant(day: date) -> bool:
        fridays = [
            week[calendar.FRIDAY] for week in calendar.monthcalendar(day.year, day.month) if week[calendar.FRIDAY]
        ]
        return day.day == fridays[nth - 1 if nth > 0 else nth]

    rule = MonthlyWeekday.model_validate({"nth": nth, "weekday": calendar.FRIDAY, "at": NINE})
    assert dates(rule, 14) == days_that(is_meant, 14)


def test_today_counts_while_its_hour_lies_ahead() -> None:
    early, late = datetime(2027, 3, 2, 8, 59), datetime(2027, 3, 2, 9, 0)  # noqa: DTZ001
    for rule in (Daily(at=NINE), Weekly(weekdays=(1,), at=NINE), Monthly(day=2, at=NINE), cron("0 9 * * *", early)):
        assert rule.first(early) == late
        assert rule.first(late) > late


@given(
    st.one_of(
        st.builds(Daily, at=st.times(), every=st.integers(1, 366)),
        st.builds(
            Weekly, at=st.times(), weekdays=st.sets(st.integers(0, 6), min_size=1).map(tuple), every=st.integers(1, 52)
        ),
        st.builds(Monthly, at=st.times(), day=st.integers(1, 31), every=st.integers(1, 12)),
        st.builds(Yearly, at=st.times(), month=st.integers(1, 12), day=st.integers(1, 31)),
    ),
    st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2090, 1, 1)),  # noqa: DTZ001
)
def test_times_only_go_forward_and_a_rule_survives_being_stored(
    rule: Daily | Weekly | Monthly | Yearly, after: datetime
) -> None:
    times = upcoming(rule, rule.first(after), 4)
    assert times[0] > after
    assert times == sorted(set(times))
    assert from_json(to_json(rule)) == rule


# Cron


@pytest.mark.parametrize(
    ("field", "days"),
    [
        *((name, {number}) for number, name in enumerate(NAMES)),
        *((str(number), {(number - 1) % 7}) for number in range(8)),
        ("mon-fri", {0, 1, 2, 3, 4}),
        ("1-5", {0, 1, 2, 3, 4}),
        ("5-7", {4, 5, 6}),
        ("fri-sun", {4, 5, 6}),
        ("0-2", {6, 0, 1}),
        ("sun,wed", {6, 2}),
        ("*/2", {6, 1, 3, 5}),
        ("mon-fri/2", {0, 2, 4}),
        ("*", set(range(7))),
    ],
)
def test_weekdays_are_numbered_as_cron_numbers_them(field: str, days: set[int]) -> None:
    assert dates(cron(f"0 9 * * {field}", TUESDAY)) == days_that(lambda day: day.weekday() in days)


def test_a_day_and_a_weekday_are_joined_by_or_unless_one_is_a_star() -> None:
    assert dates(cron("0 9 13 * fri", TUESDAY)) == days_that(lambda day: day.day == 13 or day.weekday() == 4)
    assert dates(cron("0 9 13 * *", TUESDAY), 5) == days_that(lambda day: day.day == 13, 5)
    assert dates(cron("0 9 31 * *", TUESDAY), 5) == days_that(lambda day: day.day == 31, 5)
    assert dates(cron("0 9 29 2 *", TUESDAY), 2) == [date(2028, 2, 29), date(2032, 2, 29)]


def test_all_times_of_a_day_come_in_order() -> None:
    rule = cron("*/30 9-10 * jan,dec 1", TUESDAY)
    assert [f"{wall:%d %b %H:%M}" for wall in upcoming(rule, rule.first(TUESDAY), 5)] == [
        "06 Dec 09:00",
        "06 Dec 09:30",
        "06 Dec 10:00",
        "06 Dec 10:30",
        "13 Dec 09:00",
    ]


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("0 9 * *", "five fields"),
        ("0 9 * * mon fri", "five fields"),
        ("60 9 * * *", "no minute"),
        ("0 24 * * *", "no hour"),
        ("0 9 0 * *", "no day of the month"),
        ("0 9 * 13 *", "no month"),
        ("0 9 * * 8", "no weekday"),
        ("0 9 * * monday", "no weekday"),
        ("0 9 * * fri-mon", "ends before it begins"),
        ("0 9 * * */0", "no weekday"),
        ("0 9 L * *", "no day of the month"),
        ("0 9 31 2 *", "never comes"),
        ("* * * * *", "more often"),
        ("0,5 9 * * *", "more often"),
        ("55,0 23,0 * * *", "more often"),
        ("0 9 ² * *", "no day of the month"),
    ],
)
def test_a_wrong_rule_is_refused_with_what_is_wrong(expression: str, told: str) -> None:
    with pytest.raises(UnclearTime, match=told):
        cron(expression, TUESDAY)


def test_the_usual_short_names_stand_for_their_rules() -> None:
    assert cron("@weekly", TUESDAY).expression == "0 0 * * sun"
    assert cron("@HOURLY", TUESDAY).expression == "0 * * * *"


# Moments


CHANGES = [
    ("Europe/Berlin", date(2027, 3, 28)),
    ("Europe/Berlin", date(2027, 10, 31)),
    ("America/New_York", date(2027, 3, 14)),
    ("America/New_York", date(2027, 11, 7)),
    ("Australia/Lord_Howe", date(2027, 4, 4)),
    ("Australia/Lord_Howe", date(2027, 10, 3)),
    ("Asia/Kathmandu", date(2027, 3, 28)),
    ("America/Havana", date(2027, 3, 14)),
]


@pytest.mark.parametrize(("name", "day"), CHANGES)
def test_a_wall_time_is_the_first_minute_at_which_the_clocks_have_reached_it(name: str, day: date) -> None:
    zone = ZoneInfo(name)
    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC) - timedelta(hours=2)
    minutes = [midnight + timedelta(minutes=number) for number in range(9 * 60)]
    clocks = [at.astimezone(zone).replace(tzinfo=None) for at in minutes]
    for number in range(0, 5 * 60, 10):
        wall = datetime.combine(day, time()) + timedelta(minutes=number)
        reached = next(at for at, shown in zip(minutes, clocks, strict=True) if shown >= wall)
        assert moment(wall, zone) == reached, wall


def test_a_day_that_a_zone_left_out_is_the_first_moment_after_it() -> None:
    wall = datetime(2011, 12, 30, 9, 0)  # noqa: DTZ001 (Samoa went from the 29th to the 31st)
    assert moment(wall, ZoneInfo("Pacific/Apia")) == datetime(2011, 12, 30, 10, 0, tzinfo=UTC)
