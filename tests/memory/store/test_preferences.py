"""The preferences of a space: what holds is what was committed, over a reopening too; a zone that was left counts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.messages import text_message
from memory.space import Space
from memory.store.preferences import NAME_CHARS, TONE_CHARS, Changes, Preferences, TooLong
from tests.fakes.clock import FakeClock

BERLIN, TOKYO, LISBON = (ZoneInfo(name) for name in ("Europe/Berlin", "Asia/Tokyo", "Europe/Lisbon"))
ALL = Preferences(
    zone=TOKYO,
    language="de",
    report="regressions",
    report_at=time(9, 30),
    probe_at=time(4),
    tone="short and dry",
    assistant_name="Ada",
    daily_usd=0.5,
    tools_on=("a.b", "c"),
    has_language=True,
)


@asynccontextmanager
async def space(home: Path, clock: FakeClock, *, read_only: bool = False) -> AsyncIterator[Space]:
    opened = await Space.open(
        home / "1", default_zone=BERLIN, clock=clock, backups=home / "backups", read_only=read_only
    )
    try:
        yield opened
    finally:
        await opened.close()


async def change(held: Space, **changes: object) -> Preferences:
    async with held.db.transaction():
        return await held.preference_store.set(**changes)  # type: ignore[arg-type]


def as_changes(held: Preferences) -> dict[str, object]:
    return {one.name: getattr(held, one.name) for one in fields(held) if one.name in Changes.__annotations__}


async def say(held: Space, at: datetime) -> None:
    async with held.db.transaction():
        session = await held.sessions.current_session()
        await held.sessions.append(text_message("user", "hello", at), session_id=session)


async def test_a_new_space_is_as_the_operator_set_it(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        assert held.preferences == Preferences(BERLIN)
        assert (held.preferences.language, held.preferences.has_language) == ("en", False)


async def test_what_is_set_holds_at_once_and_after_a_reopening(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        assert await change(held, **as_changes(ALL)) == ALL
        assert held.preferences == ALL
        assert held.zone == TOKYO
    for read_only in (False, True):
        async with space(tmp_path, clock, read_only=read_only) as held:
            assert held.preferences == ALL


async def test_none_lets_the_operators_settings_hold_again(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        await change(held, **as_changes(ALL))
        unset = {name: None for name in as_changes(ALL) if name not in ("zone", "tools_on")}
        assert await change(held, **unset, tools_on=()) == Preferences(TOKYO)


async def test_what_is_not_committed_is_seen_by_who_changes_it_alone_and_then_by_nobody(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with space(tmp_path, clock) as held:
        seen: list[str | None] = []

        async def look() -> None:
            seen.append(held.preferences.tone)

        with pytest.raises(RuntimeError, match="break"):
            async with held.db.transaction():
                await held.preference_store.set(tone="dry")
                seen.append(held.preferences.tone)
                await asyncio.create_task(look())
                raise RuntimeError("break")
        assert seen == ["dry", None]
        assert held.preferences.tone is None
        await change(held, assistant_name="Ada")
        assert (held.preferences.tone, held.preferences.assistant_name) == (None, "Ada")


async def test_a_person_s_text_stands_in_one_line_and_has_a_limit(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        await change(held, tone=" be\n\n kind\u202e\u2028now\t", assistant_name="  ")
        assert (held.preferences.tone, held.preferences.assistant_name) == ("be kind now", None)
        for name, most in (("tone", TONE_CHARS), ("assistant_name", NAME_CHARS)):
            await change(held, **{name: "x" * most})
            with pytest.raises(TooLong, match=f"has {most + 1} characters"):
                await change(held, **{name: "x" * (most + 1)})
            assert getattr(held.preferences, name) == "x" * most


async def test_a_moment_belongs_to_the_zone_that_held_then(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        await say(held, clock.now())
        before = clock.now()
        clock.advance(3600)
        left_berlin = clock.now()
        await change(held, zone=TOKYO)
        clock.advance(3600)
        async with held.db.transaction():
            await held.preference_store.set(at=clock.now() - timedelta(minutes=10), zone=LISBON)
    async with space(tmp_path, clock, read_only=True) as held:
        left_tokyo, a_moment = clock.now() - timedelta(minutes=10), timedelta(microseconds=1)
        # What was said in the same second was there first: it was read before the zone was another.
        moments = [before, left_berlin, left_berlin + a_moment, left_tokyo, left_tokyo + a_moment]
        assert [held.zone_at(at) for at in moments] == [BERLIN, BERLIN, TOKYO, TOKYO, LISBON]
        assert held.zone == LISBON
        assert held.zone_at(datetime(2001, 1, 1, tzinfo=UTC)) == BERLIN


async def test_a_zone_in_which_nothing_was_said_leaves_no_trace(tmp_path: Path, clock: FakeClock) -> None:
    async with space(tmp_path, clock) as held:
        assert (await change(held, zone=TOKYO)).past_zones == ()
        await say(held, clock.now())
        await change(held, zone=LISBON)
        await change(held, zone=BERLIN)
        await change(held, zone=BERLIN)
        assert held.preferences == replace(Preferences(BERLIN), past_zones=((clock.now(), TOKYO),))
