"""Days in a request to recall lie in the past; a date inside a question stays part of it."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.asked_days import AskedDays, asked_days

NOW = datetime(2027, 3, 2, 9, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")


def day(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1 March", "2027-03-01", "2027-03-01"),
        ("12 March", "2026-03-12", "2026-03-12"),
        ("12 March 2028", "2028-03-12", "2028-03-12"),
        ("2027-02-14", "2027-02-14", "2027-02-14"),
        ("yesterday", "2027-03-01", "2027-03-01"),
        ("Monday", "2027-03-01", "2027-03-01"),
        ("last Tuesday", "2027-02-23", "2027-02-23"),
        ("since 1 February until 12 February", "2027-02-01", "2027-02-12"),
        ("2027-02-01 to 2027-02-20", "2027-02-01", "2027-02-20"),
        ("since Monday", "2027-03-01", None),
        ("until 1 Jan", None, "2027-01-01"),
        ("seit dem 1. Februar", "2027-02-01", None),
    ],
)
def test_days_alone_ask_for_what_was_said_then(text: str, first: str | None, last: str | None) -> None:
    wanted = AskedDays("", day(first) if first else None, day(last) if last else None)
    assert asked_days(text, NOW, ZONE) == wanted


def test_a_marked_date_bounds_the_question_and_any_other_is_part_of_it() -> None:
    assert asked_days("archive database since 1 March", NOW, ZONE) == AskedDays("archive database", day("2027-03-01"))
    assert asked_days("what happened on 12 March", NOW, ZONE) == AskedDays("what happened on 12 March")
    assert asked_days("at 5", NOW, ZONE) == AskedDays("at 5")
    assert asked_days("since 1 February page 2", NOW, ZONE) == AskedDays("", day("2027-02-01"), None, 2)


@given(st.text(max_size=60))
def test_any_text_is_a_question_or_days(text: str) -> None:
    asked = asked_days(text, NOW, ZONE)
    assert asked.question or asked.first or asked.last or not text.strip()
