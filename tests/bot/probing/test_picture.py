"""The picture of the nights: its size, and what it is drawn from."""

import struct
from datetime import date, timedelta

import pytest

from bot.probing.album import Album, Mark
from bot.probing.picture import draw


def album(nights: int, *, rate: float | None = 1.0, size: int | None = 900) -> Album:
    first = date(2027, 2, 1)
    return Album(
        marks=tuple(
            Mark(night=first + timedelta(days=n), recall_rate=rate, prompt_size=size, ledger_facts=n)
            for n in range(nights)
        )
    )


@pytest.mark.parametrize(
    "shown",
    [album(1), album(2), album(28), album(3, rate=None, size=None), album(3, rate=0.0)],
    ids=["one", "two", "many", "unknown", "nothing known"],
)
def test_a_picture_is_a_png_of_a_phones_size_whatever_the_nights_measured(shown: Album) -> None:
    picture = draw(shown)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (900, 1200)
