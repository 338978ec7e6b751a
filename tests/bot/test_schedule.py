"""The ticks of the schedule, by the real library."""

import asyncio
import logging

import pytest

from bot.schedule import Schedule

TICK_S = 0.01


async def test_a_tick_arrives_and_the_end_is_clean() -> None:
    ticks: list[str] = []
    looked = asyncio.Event()

    async def first() -> None:
        ticks.append("first")
        looked.set()

    async def second() -> None:
        ticks.append("second")
        if ticks.count("second") == 3:
            looked.set()

    async with Schedule({"nights": first}, tick_s=TICK_S), asyncio.timeout(10):
        await looked.wait()
    ended = ticks.count("first")
    looked.clear()
    async with Schedule({"nights": second}, tick_s=TICK_S), asyncio.timeout(10):
        await looked.wait()
    assert ticks.count("first") == ended


async def test_a_look_under_way_is_not_begun_again_and_is_cut_off_at_the_end() -> None:
    begun, others, ended = [], asyncio.Event(), []

    async def long() -> None:
        begun.append(1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(1)

    async def short() -> None:
        if begun:
            others.set()

    async with Schedule({"long": long, "short": short}, tick_s=TICK_S):
        for _ in range(3):
            others.clear()
            async with asyncio.timeout(10):
                await others.wait()
    assert (len(begun), len(ended)) == (1, 1)


async def test_a_look_that_breaks_is_tried_at_the_next_tick(caplog: pytest.LogCaptureFixture) -> None:
    looks, enough = [], asyncio.Event()

    async def look() -> None:
        looks.append(1)
        if len(looks) == 2:
            enough.set()
        raise ValueError

    with caplog.at_level(logging.ERROR):
        async with Schedule({"nights": look}, tick_s=TICK_S):
            async with asyncio.timeout(10):
                await enough.wait()
    assert "look broke: look=nights" in caplog.text
