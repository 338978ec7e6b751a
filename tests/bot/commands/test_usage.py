"""/usage: what today and this month cost, readable on a phone, for a space as a whole."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.ports import Task, Usage
from memory.space import Space
from tests.bot.turn.house import TaskModel, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, says

CHAT, LITE = "gemini-3.8-flash", "gemini-3.5-flash-lite"
PRICES = "• ~ is estimated; prices as of 7 October 2026"


async def used(space: Space, task: Task, model: str, usage: Usage) -> None:
    async with space.db.transaction():
        await space.sessions.record_usage(usage, task=task, model=model, turn_id=None)


async def test_a_fresh_memory_has_cost_nothing(tmp_path: Path) -> None:
    async with house(tmp_path, daily_usd=1.0) as h:
        await h.say("/usage", kind="command")
        assert h.screen.delivered[-1].splitlines() == [
            *("**Today** $0.00 of $1.00 (0%)", "• no calls", ""),
            *("**This month** $0.00", "• no calls", ""),
            *("**Conversation** empty", PRICES),
        ]


async def test_today_and_the_month_are_told_apart_and_by_task(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2027, 3, 1, 9, 0, tzinfo=UTC))
    model = TaskModel(ScriptedModel([says("Hi.", usage=Usage(12_000, 900, 100, 9_000), model=CHAT)]), name=CHAT)
    async with house(tmp_path, model=model, daily_usd=1.0, clock=clock) as h:
        await used(h.space, "chat", CHAT, Usage(1_000_000, 60_000))
        await used(h.space, "chat", "gemini-4-argon", Usage(10_000, 0))
        clock.advance(24 * 3600)
        await used(h.space, "extract", LITE, Usage(8_000, 500))
        await used(h.space, "embed", "gemini-embedding-001:384", Usage(2_000, is_estimate=True))
        await h.say("Hello")
        await h.say("/usage", kind="command")

        assert h.screen.delivered[-1].splitlines() == [
            "**Today** ~$0.017 of $1.00 (2%)",
            "• answers $0.013 · 12.0k in, 75% cached, 1.0k out",
            "• reading facts $0.004 · 8.0k in, 500 out",
            "• search by meaning <$0.001 · 2.0k in, 0 out",
            "• all 22.0k in, 41% cached, 1.5k out",
            "",
            "**This month** ~$2.01",
            "• answers ~$2.00 · 1.0M in, 1% cached, 61.0k out",
            "• reading facts $0.004 · 8.0k in, 500 out",
            "• search by meaning <$0.001 · 2.0k in, 0 out",
            "• all 1.0M in, 1% cached, 61.5k out",
            "",
            "**Conversation** 12.0k of 24.0k tokens (50%); at 24.0k its oldest part is put aside",
            "• models: gemini-3.5-flash-lite, gemini-3.8-flash, gemini-4-argon, gemini-embedding-001:384, scripted",
            PRICES,
        ]


@pytest.mark.parametrize(
    ("daily_usd", "against"), [(None, "$0.00 (no ceiling)"), (0.0, "$0.00 (ceiling $0: no model calls)")]
)
async def test_how_the_ceiling_stands_is_said(tmp_path: Path, daily_usd: float | None, against: str) -> None:
    async with house(tmp_path, daily_usd=daily_usd) as h:
        await h.say("/usage", kind="command")
        assert h.screen.delivered[-1].startswith(f"**Today** {against}\n")


async def test_examinations_are_a_line_of_their_own_and_one_that_broke_off_is_said(tmp_path: Path) -> None:
    async with house(tmp_path, daily_usd=1.0) as h:
        run_id = await h.space.probes.begin(None)
        await h.space.probes.fail(run_id, "Died")
        await h.say("/usage", kind="command")
        lines = h.screen.delivered[-1].splitlines()
        assert "• examinations ~$0.00 · 0 in, 0 out" in lines
        assert "• an examination is under way or broke off; its cost is not in this" in lines


async def test_a_conversation_that_begins_anew_is_empty(tmp_path: Path) -> None:
    async with house(tmp_path, says("Hi.", usage=Usage(6_000, 10), model=CHAT)) as h:
        await h.say("Hello")
        await h.say("/usage", kind="command")
        assert "**Conversation** 6.0k of 24.0k tokens (25%); at 24.0k its oldest" in h.screen.delivered[-1]
        await h.say("/new", kind="command")
        await h.say("/usage", kind="command")
        assert "**Conversation** empty" in h.screen.delivered[-1]


async def test_wrong_input_gets_a_line_that_says_what_is_right(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await h.say("/usage last year", kind="command")
        assert (
            h.screen.delivered[-1]
            == "“last year” means nothing here. /usage alone shows what today and this month cost."
        )


async def test_a_group_is_told_what_all_its_members_cost_together(tmp_path: Path) -> None:
    answers = [says("Hi.", usage=Usage(1_000_000), model=CHAT)] * 2
    async with house(tmp_path, *answers, space_id="-100") as h:
        for author_id in (7, 8):
            await h.say("Hello", author_id=author_id, author=f"Member {author_id}")
        await h.say("/usage", kind="command", author_id=7)
        assert h.screen.delivered[-1].startswith("**Today** $3.00 (no ceiling)\n• answers $3.00 · 2.0M in, 0 out")
        assert "Member" not in h.screen.delivered[-1]
