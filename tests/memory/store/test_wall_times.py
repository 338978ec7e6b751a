"""Which moment a wall time stands for where clocks change."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from memory.store.wall_times import moment


@pytest.mark.parametrize(
    ("zone", "day", "at", "expected"),
    [
        ("Europe/Berlin", date(2027, 3, 28), time(2, 30), datetime(2027, 3, 28, 1, 0, tzinfo=UTC)),
        ("Europe/Berlin", date(2027, 3, 28), time(2, 0), datetime(2027, 3, 28, 1, 0, tzinfo=UTC)),
        ("Europe/Berlin", date(2027, 3, 28), time(3, 0), datetime(2027, 3, 28, 1, 0, tzinfo=UTC)),
        ("Europe/Berlin", date(2027, 10, 31), time(2, 30), datetime(2027, 10, 31, 0, 30, tzinfo=UTC)),
        ("America/New_York", date(2027, 3, 14), time(2, 59), datetime(2027, 3, 14, 7, 0, tzinfo=UTC)),
        ("America/New_York", date(2027, 11, 7), time(1, 30), datetime(2027, 11, 7, 5, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", date(2027, 10, 3), time(2, 15), datetime(2027, 10, 2, 15, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", date(2027, 4, 4), time(1, 45), datetime(2027, 4, 3, 14, 45, tzinfo=UTC)),
        ("Asia/Kathmandu", date(2027, 3, 28), time(3, 30), datetime(2027, 3, 27, 21, 45, tzinfo=UTC)),
    ],
)
def test_a_time_in_a_gap_comes_after_it_and_one_in_a_fold_first(
    zone: str, day: date, at: time, expected: datetime
) -> None:
    assert moment(datetime.combine(day, at), ZoneInfo(zone)) == expected
