"""The ceiling of a space: what a day is, what fits under it, and who may take how much of it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models.ceiling import BACKGROUND, PROBE, TURN_TOKENS, Bill, Ceiling, Share
from bot.models.prices import TOKENS_FOR_A_DOLLAR
from memory.errors import CeilingReached
from memory.ports import Task, Usage
from memory.space import Space
from tests.fakes.clock import FakeClock

PRICED, UTILITY, UNPRICED = "gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-4-argon"
A_DOLLAR = Usage(prompt_tokens=0, output_tokens=1_000_000 * 10 // 75)
"""Of `PRICED`, in 2027."""
TASKS: dict[Share, tuple[Task, str]] = {"chat": ("chat", PRICED), "background": ("extract", UTILITY)}


@asynccontextmanager
async def opened(folder: Path, clock: FakeClock, zone: str = "Europe/Berlin") -> AsyncIterator[Space]:
    space = await Space.open(folder / "1", default_zone=ZoneInfo(zone), clock=clock, backups=folder / "backups")
    try:
        yield space
    finally:
        await space.close()


async def spend(space: Space, usd: float, *, task: Task = "chat") -> None:
    """Record a call that cost so much."""
    usage = Usage(output_tokens=round(A_DOLLAR.output_tokens * usd))
    async with space.db.transaction():
        await space.sessions.record_usage(usage, task=task, model=PRICED, turn_id=None)


async def test_each_share_has_its_part_of_what_is_left(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        ceiling = Ceiling(space, 1.0)

        async def left() -> list[float]:
            return [round(await ceiling.left_usd(share) or 0.0, 3) for share in ("chat", "background", "probe")]

        assert await left() == [1.0, BACKGROUND, PROBE]
        await spend(space, 0.3, task="extract")
        assert await left() == [0.7, 0.1, 0.1]
        await spend(space, 0.65)
        assert await left() == [0.05, 0.05, 0.05]
        await spend(space, 0.2)
        assert await left() == [0.0, 0.0, 0.0]


async def test_what_a_member_waits_for_is_no_background_work(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        await spend(space, 0.4, task="web")
        assert await Ceiling(space, 1.0).left_usd("background") == pytest.approx(BACKGROUND)


async def test_an_examination_under_way_or_broken_off_counts_with_its_whole_share(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with opened(tmp_path, clock) as space:
        ceiling = Ceiling(space, 1.0)
        run_id = await space.probes.begin(None)
        for _ in range(2):
            assert await ceiling.left_usd("chat") == pytest.approx(1.0 - PROBE)
            assert await ceiling.left_usd("background") == pytest.approx(BACKGROUND - PROBE)
            assert await ceiling.left_usd("probe") == pytest.approx(PROBE), "its own row must not starve it"
            await space.probes.fail(run_id, "Died")


async def test_without_a_ceiling_nothing_ends_and_at_zero_only_what_is_free_is_done(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with opened(tmp_path, clock) as space:
        assert await Ceiling(space, None).left_usd("probe") is None
        async with Ceiling(space, None).reserved("chat", PRICED, Usage(10**12)):
            pass
        for model in (PRICED, UNPRICED):
            with pytest.raises(CeilingReached):
                async with Ceiling(space, 0.0).reserved("chat", model, Usage(1)):
                    pass
        async with Ceiling(space, 0.0).reserved("chat", "offline-reader", Usage(10**12)):
            pass


async def test_tokens_stand_for_dollars_where_no_price_is_known(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        async with space.db.transaction():
            usage = Usage(TOKENS_FOR_A_DOLLAR // 2, TOKENS_FOR_A_DOLLAR // 4)
            await space.sessions.record_usage(usage, task="chat", model=UNPRICED, turn_id=None)
        ceiling = Ceiling(space, 1.0)

        assert await ceiling.left_usd("chat") == pytest.approx(0.25)
        assert (await ceiling.bill()).total.is_estimate


async def test_two_calls_side_by_side_cannot_take_the_same_money(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        ceiling, entered = Ceiling(space, 1.5), []

        async def call() -> None:
            async with ceiling.reserved("chat", PRICED, A_DOLLAR):
                entered.append(1)
                await asyncio.sleep(0)

        outcomes = await asyncio.gather(call(), call(), return_exceptions=True)

        assert len(entered) == 1
        assert [type(one) for one in outcomes if one is not None] == [CeilingReached]
        await call()


async def test_a_restart_changes_nothing(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        await spend(space, 0.75)
    async with opened(tmp_path, clock) as space:
        assert await Ceiling(space, 1.0).left_usd("chat") == pytest.approx(0.25, abs=1e-4)


@pytest.mark.parametrize(
    ("zone", "spent_at", "next_day"),
    [
        ("Europe/Berlin", "2027-03-02T09:00+00:00", "2027-03-02T23:00+00:00"),
        ("Europe/Berlin", "2027-03-27T23:30+00:00", "2027-03-28T22:00+00:00"),  # 23 hours long
        ("Europe/Berlin", "2027-10-30T22:30+00:00", "2027-10-31T23:00+00:00"),  # 25 hours long
        ("Asia/Beirut", "2027-03-27T21:59+00:00", "2027-03-27T22:00+00:00"),  # that midnight does not exist
        ("America/Havana", "2027-11-07T03:59+00:00", "2027-11-07T04:00+00:00"),  # that midnight comes twice
        ("America/Havana", "2027-11-07T04:30+00:00", "2027-11-08T05:00+00:00"),
        ("Pacific/Kiritimati", "2027-03-02T09:59+00:00", "2027-03-02T10:00+00:00"),
    ],
)
async def test_a_day_ends_at_the_midnight_of_the_space(tmp_path: Path, zone: str, spent_at: str, next_day: str) -> None:
    clock = FakeClock(datetime.fromisoformat(spent_at))
    end = datetime.fromisoformat(next_day)
    async with opened(tmp_path, clock, zone) as space:
        ceiling = Ceiling(space, 1.0)
        await spend(space, 1.0)

        assert ceiling.next_day().astimezone(UTC) == end
        clock.advance((end - clock.now()).total_seconds() - 1)
        assert await ceiling.left_usd("chat") == pytest.approx(0.0, abs=1e-4)
        clock.advance(1)
        assert await ceiling.left_usd("chat") == 1.0


async def test_a_clock_that_was_ahead_brings_no_new_money(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        clock.advance(3600)
        await spend(space, 0.5)
        clock.advance(-3600)
        assert await Ceiling(space, 1.0).left_usd("chat") == pytest.approx(0.5, abs=1e-4)


async def test_a_month_is_that_of_the_space_and_each_day_has_its_price(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2026, 11, 30, 22, 59, tzinfo=UTC))
    async with opened(tmp_path, clock) as space:
        await spend(space, 1.0)
        clock.advance(60)
        await spend(space, 1.0)
        assert (await Ceiling(space, None).bill_of_month()).total.usd == pytest.approx(0.5, abs=1e-4), (
            "half price in 2026"
        )


async def test_a_turn_is_over_by_its_dollars_or_by_its_tokens(tmp_path: Path, clock: FakeClock) -> None:
    async with opened(tmp_path, clock) as space:
        async with space.db.transaction():
            turn = await space.sessions.begin_turn()
            await space.sessions.record_usage(Usage(200_000), task="chat", model=PRICED, turn_id=turn.id)
        assert await Ceiling(space, 1.0).is_turn_over(turn.id)
        assert not await Ceiling(space, 2.0).is_turn_over(turn.id)
        assert not await Ceiling(space, None).is_turn_over(turn.id)

        async with space.db.transaction():
            await space.sessions.record_usage(Usage(TURN_TOKENS - 200_000), task="chat", model=PRICED, turn_id=turn.id)
            await space.sessions.record_usage(Usage(1), task="chat", model=PRICED, turn_id=turn.id)
        assert await Ceiling(space, None).is_turn_over(turn.id)


days = st.lists(
    st.tuples(
        st.floats(0, 0.5),
        st.lists(
            st.tuples(st.sampled_from(["chat", "background"]), st.integers(0, 60_000), st.integers(0, 8_000)),
            max_size=12,
        ),
    ),
    max_size=10,
)


@settings(max_examples=6)
@given(days)
def test_a_ceiling_is_overrun_by_no_more_than_one_call_was_larger_than_its_estimate(
    lived: Sequence[tuple[float, Sequence[tuple[Share, int, int]]]],
) -> None:
    async def live() -> None:
        clock = FakeClock()
        with TemporaryDirectory() as folder:
            async with opened(Path(folder), clock) as space:
                for daily_usd, made in lived:
                    bill = await _lived(space, Ceiling(space, daily_usd), made)
                    worst = max((more * 7.5e-6 for _, _, more in made), default=0.0)
                    assert bill.total.usd <= daily_usd + worst + 1e-9
                    assert bill.usd_of("extract") <= BACKGROUND * daily_usd + worst + 1e-9
                    clock.advance(24 * 3600)

    asyncio.run(live())


async def _lived(space: Space, ceiling: Ceiling, made: Sequence[tuple[Share, int, int]]) -> Bill:
    """Make the calls that fit, each of which says `more` than was expected; return the bill."""
    for share, prompt, more in made:
        task, model = TASKS[share]
        with suppress(CeilingReached):
            async with ceiling.reserved(share, model, Usage(prompt, 500)), space.db.transaction():
                usage = Usage(prompt, 500 + more)
                await space.sessions.record_usage(usage, task=task, model=model, turn_id=None)
    return await ceiling.bill()


async def test_a_space_may_be_set_to_less_than_the_operator_allows_and_never_to_more(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with opened(tmp_path, clock) as space:
        ceilings = [Ceiling(space, operators) for operators in (None, 1.0, 0.0)]
        for own, expected in (
            (None, [None, 1.0, 0.0]),
            (0.5, [0.5, 0.5, 0.0]),
            (2.0, [2.0, 1.0, 0.0]),
            (0.0, [0.0] * 3),
        ):
            async with space.db.transaction():
                await space.preference_store.set(daily_usd=own)
            assert [ceiling.daily_usd for ceiling in ceilings] == expected
            assert [await ceiling.left_usd("chat") for ceiling in ceilings] == expected
