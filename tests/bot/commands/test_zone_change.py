"""A zone that changes while a memory is at work: new words go by it, old ones keep the meaning they had."""

from datetime import UTC, datetime
from pathlib import Path

from memory.integrity.examination import examine_rows
from tests.bot.commands.test_facts import command, reads
from tests.bot.turn.house import House, change, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import extracts

LATE = datetime(2027, 3, 2, 23, 30, tzinfo=UTC)
"""Half past midnight in Berlin, on the third."""
DUE = change("tax report", "tomorrow", "The tax report is due tomorrow.", kind="deadline")
MOVED = change(
    "tax report", "5 March", "The tax report is due on 5 March now.", kind="deadline", op="replace", replaces="f1"
)


async def faults(h: House) -> list[str]:
    return [one.words for one in await examine_rows(h.space.db, h.space.id, h.clock)]


async def test_dates_said_before_keep_their_meaning_and_later_ones_go_by_the_new_zone(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DUE), extracts(MOVED)), clock=FakeClock(LATE)) as h:
        await h.say("The tax report is due tomorrow.", author_id=7)
        assert h.screen.delivered[-1] == "✎ tax report → Thu 4 Mar · f1"
        await command(h, "/settings zone America/Los_Angeles")
        assert await faults(h) == []
        assert (await h.space.facts.fact(1)).due == datetime(2027, 3, 4, 22, 59, 59, tzinfo=UTC)

        h.clock.advance(60)
        await h.say("The tax report is due on 5 March now.", author_id=7)
        assert h.screen.delivered[-1] == "✎ tax report → Fri 5 Mar (was Thu 4 Mar) · f2"
        await command(h, "/settings zone Tokyo")
        told = (await command(h, "/undo")).message.text
        assert told == "✎ undone: tax report → Thu 4 Mar (was Fri 5 Mar) · f1"
        assert await faults(h) == []


async def test_what_is_forgotten_is_known_by_the_moment_it_was_said_to_be(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(DUE)), clock=FakeClock(LATE)) as h:
        await h.say("The tax report is due tomorrow.", author_id=7)
        await command(h, "/settings zone America/Los_Angeles")
        await command(h, "/settings tone mention that the tax report is due tomorrow (Thu 4 Mar 2027)")
        await command(h, "/settings name Ada")
        told = (await command(h, "/forget f1")).message.text
        assert "1 setting" in told
        assert "found after: 0" in told
        assert (h.space.preferences.tone, h.space.preferences.assistant_name) == (None, "Ada")


async def test_reminders_keep_their_time_of_day_over_a_change_of_clocks_too(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2027, 3, 26, 9, 0, tzinfo=UTC))  # Friday; Lisbon's clocks change on Sunday, as Berlin's
    async with house(tmp_path, clock=clock) as h:
        for asked in ("tomorrow 9:00 call", "daily at 18:00 walk", "in 90 minutes tea"):
            await command(h, f"/remind {asked}")
        told = (await command(h, "/settings zone Lisbon")).message.text
        assert told == (
            "✓ Time zone: **Europe/Lisbon**. There it is Fri 26 Mar 09:00. 2 reminders keep their time of day and come "
            "by the clocks there (/reminders)."
        )
        waiting = {one.text: one.next_at for one in await h.space.reminders.waiting()}
        assert waiting == {
            "call": datetime(2027, 3, 27, 9, 0, tzinfo=UTC),
            "walk": datetime(2027, 3, 26, 18, 0, tzinfo=UTC),
            "tea": datetime(2027, 3, 26, 10, 30, tzinfo=UTC),
        }
        rang = []
        for _ in range(72):
            clock.advance(3600)
            before = len(h.screen.delivered)
            await h.runner.drain()
            rang += [f"{clock.now():%d %H} {text}" for text in h.screen.delivered[before:]]
        # On Sunday, the 28th, six in the evening is an hour earlier in UTC.
        assert [one for one in rang if "walk" in one] == ["26 18 ⏰ walk", "27 18 ⏰ walk", "28 17 ⏰ walk"]
        assert [one for one in rang if "call" in one] == ["27 09 ⏰ call"]


async def test_a_zone_that_is_set_again_moves_nothing_and_one_without_reminders_says_nothing_of_them(
    tmp_path: Path,
) -> None:
    async with house(tmp_path) as h:
        told = "✓ Time zone: **Europe/Berlin**. There it is Tue 2 Mar 10:00."
        assert (await command(h, "/settings zone Berlin")).message.text == told
        await command(h, "/remind tomorrow 9:00 call")
        assert (await command(h, "/settings zone Berlin")).message.text == told
        assert "1 reminder keeps its time of day" in (await command(h, "/settings zone Tokyo")).message.text
