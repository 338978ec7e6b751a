"""Dates in a member's words: found, resolved against the moment they were said, flagged where they cannot be known."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ledger.dates import DateMention, find_dates, format_when

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
"""Tuesday 2 March 2027, 10:00 in Berlin."""


def shown(text: str, at: datetime = TUESDAY, zone: ZoneInfo = BERLIN) -> list[str]:
    """Return each mention as it would be shown, ambiguous ones with both readings."""
    return [_shown(mention) for mention in find_dates(text, at, zone)]


def _shown(mention: DateMention) -> str:
    if mention.day is not None:
        return format_when(mention.day, mention.clock)
    if mention.readings:
        return " or ".join(format_when(day, mention.clock) for day in mention.readings)
    return f"{mention.clock:%H:%M}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tax report is due on Friday 12 March at 17:30.", "Fri 12 Mar 2027 17:30"),
        ("dentist tomorrow at 10", "Wed 3 Mar 2027 10:00"),
        ("It moved to Thursday at 9.", "Thu 4 Mar 2027 09:00"),
        ("tomorrow at 9", "Wed 3 Mar 2027 09:00"),
        ("23 April, still 18:00", "Fri 23 Apr 2027 18:00"),
        ("am 23. April, weiterhin um 18 Uhr", "Fri 23 Apr 2027 18:00"),
        ("at nine tomorrow", "Wed 3 Mar 2027 09:00"),
        ("tomorrow evening at 7", "Wed 3 Mar 2027 19:00"),
        ("tonight at 8", "Tue 2 Mar 2027 20:00"),
        ("the day after tomorrow", "Thu 4 Mar 2027"),
        ("Friday", "Fri 5 Mar 2027"),
        ("by Friday noon", "Fri 5 Mar 2027 12:00"),
        ("Tuesday", "Tue 2 Mar 2027"),
        ("next Tuesday at 5 pm", "Tue 9 Mar 2027 17:00"),
        ("next Friday", "Fri 12 Mar 2027"),
        ("Thursday next week", "Thu 11 Mar 2027"),
        ("last Friday", "Fri 26 Feb 2027"),
        ("5pm on Friday", "Fri 5 Mar 2027 17:00"),
        ("in two weeks", "Tue 16 Mar 2027"),
        ("in a fortnight", "Tue 16 Mar 2027"),
        ("three days ago", "Sat 27 Feb 2027"),
        ("in 3 hours", "Tue 2 Mar 2027 13:00"),
        ("in half an hour", "Tue 2 Mar 2027 10:30"),
        ("12 March", "Fri 12 Mar 2027"),
        ("1 March", "Wed 1 Mar 2028"),
        ("March 12th, 2028 at half past nine", "Sun 12 Mar 2028 09:30"),
        ("the 12th of March 2028", "Sun 12 Mar 2028"),
        ("3 July 1899", "Mon 3 Jul 1899"),
        ("29 February", "Tue 29 Feb 2028"),
        ("Sat 1 Jan", "Sat 1 Jan 2028"),
        ("by the 1st", "Thu 1 Apr 2027"),
        ("2031-04-09", "Wed 9 Apr 2031"),
        ("2027-03-12 17:30", "Fri 12 Mar 2027 17:30"),
        ("2027-03-12T17:30:00Z", "Fri 12 Mar 2027 18:30"),
        ("12.03.2027", "Fri 12 Mar 2027"),
        ("13/04/2027", "Tue 13 Apr 2027"),
        ("11/11/2027", "Thu 11 Nov 2027"),
        ("tomorrow morning at 6", "Wed 3 Mar 2027 06:00"),
        ("tomorrow at 5:30", "Wed 3 Mar 2027 05:30"),
        ("quarter to five pm on Friday", "Fri 5 Mar 2027 16:45"),
        ("Friday at 12 am", "Fri 5 Mar 2027 00:00"),
        ("Friday at 12 pm", "Fri 5 Mar 2027 12:00"),
    ],
)
def test_english_dates_are_resolved(text: str, expected: str) -> None:
    assert shown(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Steuer ist am Freitag, den 12. März um 17:30 Uhr fällig", "Fri 12 Mar 2027 17:30"),
        ("morgen um 9", "Wed 3 Mar 2027 09:00"),
        ("übermorgen", "Thu 4 Mar 2027"),
        ("heute Abend um 8", "Tue 2 Mar 2027 20:00"),
        ("am 3. Januar um 14 Uhr", "Mon 3 Jan 2028 14:00"),
        ("nächsten Dienstag", "Tue 9 Mar 2027"),
        ("kommenden Dienstag", "Tue 2 Mar 2027"),
        ("nächsten Dienstag um halb zehn", "Tue 9 Mar 2027 09:30"),
        ("bis 12.03. um 14 Uhr", "Fri 12 Mar 2027 14:00"),
        ("am 12.03.2027, 14.30 Uhr", "Fri 12 Mar 2027 14:30"),
        ("in zwei Wochen", "Tue 16 Mar 2027"),
        ("Freitagabend um 7", "Fri 5 Mar 2027 19:00"),
        ("Dienstag nächste Woche", "Tue 9 Mar 2027"),
        ("завтра в 9", "Wed 3 Mar 2027 09:00"),
        ("завтра в 9:00", "Wed 3 Mar 2027 09:00"),
        ("послезавтра", "Thu 4 Mar 2027"),
        ("в следующий вторник в 9 утра", "Tue 9 Mar 2027 09:00"),
        ("до пятницы 12 марта 17:30", "Fri 12 Mar 2027 17:30"),
        ("встреча в пятницу в 5 вечера", "Fri 5 Mar 2027 17:00"),
        ("через две недели", "Tue 16 Mar 2027"),
        ("через неделю", "Tue 9 Mar 2027"),
        ("12.03.2027 в 17:00", "Fri 12 Mar 2027 17:00"),
        ("mañana a las 9", "Wed 3 Mar 2027 09:00"),
        ("el viernes 12 de marzo", "Fri 12 Mar 2027"),
        ("dentro de 3 días", "Fri 5 Mar 2027"),
        ("demain à 9:15", "Wed 3 Mar 2027 09:15"),
        ("mardi prochain à 14h30", "Tue 9 Mar 2027 14:30"),
        ("dans deux semaines", "Tue 16 Mar 2027"),
    ],
)
def test_dates_in_other_languages_are_resolved(text: str, expected: str) -> None:
    assert shown(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "We decided that it may rain",
        "may 3 people come, we march 5 miles",
        "The budget is 2.310,40 or 3,000,000 at most",
        "call +49 30 1234567, bands 3-7/8-50",
        "DE89 3704 0044 0532 0130 00",
        "We sat at 9 Baker Street",
        "every Monday at 9",
        "We meet every Monday.",
        "jeden Dienstag, по пятницам, on Fridays",
        "Guten Morgen, am Morgen war es kalt",
        "I am hier and the sun is out",
        "version 3.12. is out, see 10.0.0.1",
        "add 3/4 cup of flour",
        "in March 2027",
        "31 February",
        "it costs at 3.50 euros",
        "por la mañana",
    ],
)
def test_what_names_no_day_is_left_alone(text: str) -> None:
    assert shown(text) == []


def test_numbers_that_can_be_read_in_two_ways_are_flagged_with_both_readings() -> None:
    (mention,) = find_dates("we meet 03/04 at 9", TUESDAY, BERLIN)

    assert mention.is_ambiguous
    assert mention.day is None
    assert mention.readings == (date(2027, 4, 3), date(2027, 3, 4))
    assert mention.clock == time(9)


def test_a_weekday_beside_them_decides_between_two_readings() -> None:
    assert shown("Thursday 03/04/2027") == ["Thu 4 Mar 2027"]


def test_a_wrong_weekday_is_flagged_and_the_date_stands() -> None:
    (mention,) = find_dates("Monday 12 March", TUESDAY, BERLIN)

    assert mention.is_weekday_wrong
    assert mention.day == date(2027, 3, 12)


def test_a_right_weekday_is_not_flagged() -> None:
    (mention,) = find_dates("Freitag, 12.03.2027", TUESDAY, BERLIN)

    assert not mention.is_weekday_wrong


def test_a_weekday_that_fits_only_the_date_just_past_means_that_one() -> None:
    assert shown("Friday 12 March", at=datetime(2027, 3, 20, 12, tzinfo=UTC)) == ["Fri 12 Mar 2027"]


def test_friday_said_on_a_friday_is_that_day_and_next_friday_a_week_later() -> None:
    friday = datetime(2027, 3, 5, 9, tzinfo=UTC)

    assert shown("Friday", at=friday) == ["Fri 5 Mar 2027"]
    assert shown("next Friday", at=friday) == ["Fri 12 Mar 2027"]


def test_a_time_without_a_day_stays_alone() -> None:
    (mention,) = find_dates("the shop closes at 17:30", TUESDAY, BERLIN)

    assert mention.is_clock_alone
    assert mention.clock == time(17, 30)
    assert mention.instant(BERLIN) is None


@pytest.mark.parametrize("text", ["tomorrow at 5", "завтра в 5", "morgen um halb drei", "at half past two tomorrow"])
def test_an_hour_that_may_be_in_the_night_or_after_noon_gives_the_day_alone(text: str) -> None:
    (mention,) = find_dates(text, TUESDAY, BERLIN)

    assert (mention.wording, mention.day, mention.clock) == (text, date(2027, 3, 3), None)
    assert mention.is_hour_unsure


def test_two_dates_in_one_sentence_are_two_mentions() -> None:
    assert shown("flight 12 March 6:40 and back 19 March") == ["Fri 12 Mar 2027 06:40", "Fri 19 Mar 2027"]


def test_the_wording_is_the_members_own() -> None:
    text = "The tax report is due on Friday 12 March at 17:30."
    (mention,) = find_dates(text, TUESDAY, BERLIN)

    assert mention.wording == "Friday 12 March at 17:30"
    assert text[mention.start : mention.end] == mention.wording


@pytest.mark.parametrize(
    ("zone", "text", "expected"),
    [
        ("Europe/Berlin", "dentist tomorrow at 10", "Thu 4 Mar 2027 10:00"),
        ("UTC", "dentist tomorrow at 10", "Wed 3 Mar 2027 10:00"),
        ("America/Los_Angeles", "dentist tomorrow at 10", "Wed 3 Mar 2027 10:00"),
        ("Asia/Tokyo", "morgen um 10", "Thu 4 Mar 2027 10:00"),
        ("Pacific/Kiritimati", "завтра в 10", "Thu 4 Mar 2027 10:00"),
        ("Pacific/Pago_Pago", "mañana a las 10", "Wed 3 Mar 2027 10:00"),
        ("Asia/Kathmandu", "demain à 10:00", "Thu 4 Mar 2027 10:00"),
    ],
)
def test_near_midnight_the_day_is_that_of_the_members_zone(zone: str, text: str, expected: str) -> None:
    half_past_eleven_in_utc = datetime(2027, 3, 2, 23, 30, tzinfo=UTC)

    assert shown(text, half_past_eleven_in_utc, ZoneInfo(zone)) == [expected]


def test_hours_are_counted_through_a_change_of_clocks() -> None:
    before_the_jump = datetime(2027, 3, 28, 0, 30, tzinfo=UTC)  # 01:30 in Berlin; 02:00 becomes 03:00

    assert shown("in 2 hours", before_the_jump) == ["Sun 28 Mar 2027 04:30"]


def test_days_are_counted_by_the_calendar_over_a_change_of_clocks() -> None:
    assert shown("tomorrow at 9", datetime(2027, 3, 27, 12, tzinfo=UTC)) == ["Sun 28 Mar 2027 09:00"]


def test_the_instant_is_in_the_zone_and_a_day_without_a_time_ends_at_its_last_second() -> None:
    with_time, without = find_dates("12 March at 17:30 or 28 March", TUESDAY, BERLIN)

    assert with_time.instant(BERLIN) == datetime(2027, 3, 12, 16, 30, tzinfo=UTC)
    assert without.instant(BERLIN) == datetime(2027, 3, 28, 21, 59, 59, tzinfo=UTC)


@given(st.dates(date(2027, 3, 2), date(2090, 1, 1)), st.none() | st.times())
def test_a_shown_date_is_read_back_as_the_same(day: date, clock: time | None) -> None:
    clock = clock.replace(second=0, microsecond=0) if clock else None

    (mention,) = find_dates(f"It is on {format_when(day, clock)}.", TUESDAY, BERLIN)

    assert (mention.day, mention.clock, mention.is_weekday_wrong) == (day, clock, False)


@given(st.integers(0, 6), st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)))  # noqa: DTZ001 (made aware below)
def test_a_weekday_is_always_within_the_coming_week(number: int, naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)
    name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[number]

    (mention,) = find_dates(name, at, BERLIN)

    assert mention.day is not None
    assert mention.day.weekday() == number
    assert timedelta() <= mention.day - at.astimezone(BERLIN).date() < timedelta(days=7)


_PIECES = st.sampled_from(
    [
        "Friday",
        "12 March",
        "at 17:30",
        "12.03.",
        "03/04",
        "in zwei Wochen",
        "завтра",
        "next",
        "2027-02-30",
        "99.99.",
        "am",
        "в 25",
        "half past thirteen",
        "31 Feb",
        "0 May",
        " ",
        ",",
        "\n",
        "morgen",
        "(",
        "Mon",
        "1e9",
        "of",
        "24:00",
        "٣",
        "²",
    ]
)


@settings(deadline=None)
@given(st.lists(_PIECES | st.text(max_size=12), max_size=8).map(" ".join))
def test_any_text_gives_ordered_mentions_that_quote_it(text: str) -> None:
    mentions = find_dates(text, TUESDAY, BERLIN)

    assert [text[mention.start : mention.end] for mention in mentions] == [mention.wording for mention in mentions]
    assert all(one.end <= other.start for one, other in pairwise(mentions))
