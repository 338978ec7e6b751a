"""What is asked for in words: the time, the rule and the rest, in three languages; what is unclear is refused."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ledger.asked_times import Asked, read_asked
from memory.store.wall_times import UnclearTime, shown

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
"""Tuesday 2 March 2027, 10:00 in Berlin."""


def asked(text: str, at: datetime = TUESDAY, zone: ZoneInfo = BERLIN) -> Asked:
    return read_asked(text, at, zone)


def when(text: str) -> str:
    """Return the next time, and the rule before it if there is one."""
    timing = asked(text).timing
    if timing is None:
        return "never"
    if timing.wall is None:
        assert timing.at is not None
        return timing.at.isoformat()
    rule = f"{timing.repeats.words}: " if timing.repeats else ""
    return f"{rule}{shown(timing.wall)}"


ONCE = [
    ("tomorrow 9:00 call the dentist", "Wed 3 Mar 2027 09:00", "call the dentist"),
    ("me tomorrow at 9 to call the dentist", "Wed 3 Mar 2027 09:00", "call the dentist"),
    ("me to call mom tomorrow at 9.", "Wed 3 Mar 2027 09:00", "call mom"),
    ("call the dentist tomorrow at 9", "Wed 3 Mar 2027 09:00", "call the dentist"),
    ("tomorrow call the dentist at 9:30", "Wed 3 Mar 2027 09:30", "call the dentist"),
    ("on Friday at 10 buy milk", "Fri 5 Mar 2027 10:00", "buy milk"),
    ("at 18:00 call the bank", "Tue 2 Mar 2027 18:00", "call the bank"),
    ("at 9 call", "Wed 3 Mar 2027 09:00", "call"),
    ("at noon eat", "Tue 2 Mar 2027 12:00", "eat"),
    ("12 March 2028 at 5 pm renew the lease", "Sun 12 Mar 2028 17:00", "renew the lease"),
    (
        "tomorrow at 9:00 prepare the talk of Friday 12 March",
        "Wed 3 Mar 2027 09:00",
        "prepare the talk of Friday 12 March",
    ),
    ("do my daily standup tomorrow at 9:00", "Wed 3 Mar 2027 09:00", "do my daily standup"),
    ("buy 3 eggs tomorrow at 10:00", "Wed 3 Mar 2027 10:00", "buy 3 eggs"),
    ("tomorrow evening call mom", "Wed 3 Mar 2027 18:00", "call mom"),
    ("morgen um 9 Zahnarzt anrufen", "Wed 3 Mar 2027 09:00", "Zahnarzt anrufen"),
    ("mich morgen um 9 Uhr daran, dass der Müll raus muss", "Wed 3 Mar 2027 09:00", "der Müll raus muss"),
    ("30.4. 9:00 Balkon", "Fri 30 Apr 2027 09:00", "Balkon"),
    ("Freitag um 10 Milch kaufen", "Fri 5 Mar 2027 10:00", "Milch kaufen"),
    ("heute Abend um 8 Müll", "Tue 2 Mar 2027 20:00", "Müll"),
    ("um 18 Uhr Bank anrufen", "Tue 2 Mar 2027 18:00", "Bank anrufen"),
    ("завтра в 9 позвонить стоматологу", "Wed 3 Mar 2027 09:00", "позвонить стоматологу"),
    ("мне завтра в 9:00 позвонить", "Wed 3 Mar 2027 09:00", "позвонить"),
    ("нужно купить хлеб завтра в 18:00", "Wed 3 Mar 2027 18:00", "нужно купить хлеб"),
    ("в пятницу в 10 утра купить хлеб", "Fri 5 Mar 2027 10:00", "купить хлеб"),
    ("in 20 minutes tea", "2027-03-02T09:20:00+00:00", "tea"),
    ("tea in half an hour", "2027-03-02T09:30:00+00:00", "tea"),
    ("in an hour call Bob about tomorrow", "2027-03-02T10:00:00+00:00", "call Bob about tomorrow"),
    ("in 20 Minuten: Tee", "2027-03-02T09:20:00+00:00", "Tee"),
    ("через 20 минут чай", "2027-03-02T09:20:00+00:00", "чай"),
    ("через час позвонить", "2027-03-02T10:00:00+00:00", "позвонить"),
    ("call Anna", "never", "call Anna"),
]


@pytest.mark.parametrize(("text", "time_", "left"), ONCE)
def test_a_time_is_taken_out_of_the_words(text: str, time_: str, left: str) -> None:
    assert (when(text), asked(text).text) == (time_, left)


WEEKDAYS = "every weekday (Monday to Friday)"
AGAIN = [
    ("every weekday at 9 standup", f"{WEEKDAYS} at 09:00: Wed 3 Mar 2027 09:00", "standup"),
    ("standup every weekday at 9", f"{WEEKDAYS} at 09:00: Wed 3 Mar 2027 09:00", "standup"),
    ("Monday to Friday at 9 work", f"{WEEKDAYS} at 09:00: Wed 3 Mar 2027 09:00", "work"),
    ("jeden Werktag um 7:30 Kaffee", f"{WEEKDAYS} at 07:30: Wed 3 Mar 2027 07:30", "Kaffee"),
    ("по будням в 9 планёрка", f"{WEEKDAYS} at 09:00: Wed 3 Mar 2027 09:00", "планёрка"),
    ("с понедельника по пятницу в 9:00 работа", f"{WEEKDAYS} at 09:00: Wed 3 Mar 2027 09:00", "работа"),
    ("every Monday at 8:30 trash", "every Monday at 08:30: Mon 8 Mar 2027 08:30", "trash"),
    ("mondays at 9 standup", "every Monday at 09:00: Mon 8 Mar 2027 09:00", "standup"),
    ("jeden Montag um 8 Müll rausbringen", "every Monday at 08:00: Mon 8 Mar 2027 08:00", "Müll rausbringen"),
    ("каждый понедельник в 8:30 мусор", "every Monday at 08:30: Mon 8 Mar 2027 08:30", "мусор"),
    ("по понедельникам и четвергам в 19:00 спорт", "every Monday, Thursday at 19:00: Thu 4 Mar 2027 19:00", "спорт"),
    ("every mon, wed and fri at 7:15 gym", "every Monday, Wednesday, Friday at 07:15: Wed 3 Mar 2027 07:15", "gym"),
    ("every other Monday at 9 review", "every 2 weeks on Monday at 09:00: Mon 8 Mar 2027 09:00", "review"),
    (
        "alle zwei Wochen am Freitag um 15 Uhr Bericht",
        "every 2 weeks on Friday at 15:00: Fri 5 Mar 2027 15:00",
        "Bericht",
    ),
    ("weekly on Sunday at 20:00 plan", "every Sunday at 20:00: Sun 7 Mar 2027 20:00", "plan"),
    ("daily at 18:00 pills", "every day at 18:00: Tue 2 Mar 2027 18:00", "pills"),
    ("täglich um 18 Uhr Tabletten", "every day at 18:00: Tue 2 Mar 2027 18:00", "Tabletten"),
    ("ежедневно в 18:00 таблетки", "every day at 18:00: Tue 2 Mar 2027 18:00", "таблетки"),
    ("jeden Abend um 8 lesen", "every day at 20:00: Tue 2 Mar 2027 20:00", "lesen"),
    ("каждые 2 дня в 8:00 полить цветы", "every 2 days at 08:00: Wed 3 Mar 2027 08:00", "полить цветы"),
    (
        "on the last day of each month at 9:00 rent",
        "on the last day of every month at 09:00: Wed 31 Mar 2027 09:00",
        "rent",
    ),
    (
        "am letzten Tag jedes Monats um 10 Uhr Miete",
        "on the last day of every month at 10:00: Wed 31 Mar 2027 10:00",
        "Miete",
    ),
    (
        "в последний день каждого месяца в 10:00 плата",
        "on the last day of every month at 10:00: Wed 31 Mar 2027 10:00",
        "плата",
    ),
    ("monthly on the 31st at 9:00 report", "on the last day of every month at 09:00: Wed 31 Mar 2027 09:00", "report"),
    ("jeden Monat am 15. um 9 Uhr Bericht", "on day 15 of every month at 09:00: Mon 15 Mar 2027 09:00", "Bericht"),
    ("15 числа каждого месяца в 10:00 отчёт", "on day 15 of every month at 10:00: Mon 15 Mar 2027 10:00", "отчёт"),
    ("every 3 months on the 1st at 10:00 water", "on day 1 of every 3 months at 10:00: Thu 1 Apr 2027 10:00", "water"),
    (
        "every first Monday of the month at 9 team",
        "on the first Monday of every month at 09:00: Mon 5 Apr 2027 09:00",
        "team",
    ),
    (
        "am letzten Freitag im Monat um 9 Team",
        "on the last Friday of every month at 09:00: Fri 26 Mar 2027 09:00",
        "Team",
    ),
    (
        "в первый понедельник каждого месяца в 9 встреча",
        "on the first Monday of every month at 09:00: Mon 5 Apr 2027 09:00",
        "встреча",
    ),
    ("every 29 February at 9:00 cake", "every year on 29 February at 09:00: Tue 29 Feb 2028 09:00", "cake"),
    ("29 February every year at 10:00 cake", "every year on 29 February at 10:00: Tue 29 Feb 2028 10:00", "cake"),
    ("jeden 29. Februar um 12 Uhr Kuchen", "every year on 29 February at 12:00: Tue 29 Feb 2028 12:00", "Kuchen"),
    ("каждое 29 февраля в 10:00 торт", "every year on 29 February at 10:00: Tue 29 Feb 2028 10:00", "торт"),
    ("every year on 1 May at 10 picnic", "every year on 1 May at 10:00: Sat 1 May 2027 10:00", "picnic"),
    ("every hour stretch", "by cron `0 * * * *`: Tue 2 Mar 2027 11:00", "stretch"),
    ("0 9 * * mon-fri standup", "by cron `0 9 * * mon-fri`: Wed 3 Mar 2027 09:00", "standup"),
    ("0 9 * * 0,7 church", "by cron `0 9 * * 0,7`: Sun 7 Mar 2027 09:00", "church"),
    ("`5 4 * * sun` bake", "by cron `5 4 * * sun`: Sun 7 Mar 2027 04:05", "bake"),
]


@pytest.mark.parametrize(("text", "rule", "left"), AGAIN)
def test_a_rule_is_taken_out_of_the_words(text: str, rule: str, left: str) -> None:
    assert (when(text), asked(text).text) == (rule, left)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tomorrow at 5 call", "`5:00` or `17:00`"),
        ("every day at 5 call", "`5:00` or `17:00`"),
        ("tomorrow 9 call", "`9:00`"),
        ("tomorrow 25:00 call", "no time of day"),
        ("tomorrow call at 9:75", "no time of day"),
        ("every Monday 24:30 call", "no time of day"),
        ("03/04 at 9:00 taxes", "`2027-04-03` or `2027-03-04`"),
        ("Friday 13 March at 9:00 call", "it is Sat 13 Mar 2027"),
        ("every month pay", "on which day"),
        ("every day at 9 and 18 pills", "a second time"),
        ("in 1 hour and 30 minutes tea", "`in 90 minutes`"),
        ("jeden Tag um 9 und um 18 Uhr Tabletten", "a second time"),
        ("every 7 hours water", "1, 2, 3, 4, 6, 8 or 12"),
        ("every 5 minutes water", "as often as I remind"),
        ("*/5 * * * * water", "more often"),
        ("0 9 31 2 * never", "never comes"),
        ("0 9 * * 8 never", "0 to 7"),
    ],
)
def test_what_is_unclear_is_refused_with_what_would_be_right(text: str, told: str) -> None:
    with pytest.raises(UnclearTime, match=told.replace("`", ".")):
        asked(text)


def test_an_hour_that_was_not_said_is_nine_or_in_the_evening_six_and_named() -> None:
    assert asked("tomorrow call").notes == ("no hour was said, so I took 09:00",)
    assert asked("heute Abend Müll").notes == ("no hour was said, so I took 18:00",)


def test_an_hour_that_the_clocks_skip_is_named_with_the_one_that_stands_for_it() -> None:
    (note,) = asked("28.3.2027 02:30 change the clocks").notes
    assert note == "the clocks skip 02:30 that night, so it comes at Sun 28 Mar 2027 03:00"


def test_a_time_of_day_alone_is_known_as_such() -> None:
    assert asked("at 19:00").clock == time(19)
    assert asked("tomorrow at 19:00").clock is None


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"])
@pytest.mark.parametrize("at", [datetime(2027, 3, 2, hour, 30, tzinfo=UTC) for hour in range(0, 24, 3)])
def test_tomorrow_is_the_day_after_the_local_day(zone: str, at: datetime) -> None:
    here = ZoneInfo(zone)
    timing = asked("tomorrow at 9:00 call", at, here).timing
    assert timing is not None
    assert timing.wall is not None
    assert (timing.wall.date() - at.astimezone(here).date()).days == 1


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    try:
        found = asked(text)
    except UnclearTime:
        return
    assert found.timing is None or (found.timing.wall is None) != (found.timing.at is None)


@pytest.mark.parametrize(
    "text",
    [
        "29.2.2027 9:00 x",
        "31 April 9:00 pay",
        "2027-02-30 9:00 x",
        "30. Februar um 9:00 x",
        "45.1. 9:00 x",
        "9:00 30.2. x",
    ],
)
def test_an_hour_beside_a_day_that_does_not_exist_is_not_taken_for_the_next_one(text: str) -> None:
    with pytest.raises(UnclearTime, match="as a day of the calendar"):
        asked(text)


def test_figures_that_stand_apart_from_the_hour_are_words() -> None:
    assert asked("version 2.14.2027 release at 9:00").text == "version 2.14.2027 release"
