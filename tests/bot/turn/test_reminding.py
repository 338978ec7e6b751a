"""Ringing: at its time, once, late if it must be, and never claimed where no reminder stands."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.turn.screen import DeliverLater
from tests.bot.turn.house import House, TaskModel, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, Step, calls, says

CALL = {"action": "set", "text": "call mom", "at": "2027-03-03T17:00"}
NOT_SET = "⚠ In this turn no reminder was set."
DAY_S = 86_400.0


async def asked(h: House, text: str) -> None:
    await h.say(text, kind="command")
    h.screen.delivered.clear()


async def passed(h: House, seconds: float) -> list[str]:
    """Let time pass and return what arrived."""
    h.clock.advance(seconds)
    before = len(h.screen.delivered)
    await h.runner.drain()
    return h.screen.delivered[before:]


# Late


@pytest.mark.parametrize(
    ("late_s", "note"),
    [
        (0, ""),
        (4, ""),
        (5, "\n(Late: this was due on Tue 2 Mar 2027 10:20.)"),
        (300, "\n(Late: this was due on Tue 2 Mar 2027 10:20.)"),
        (6 * 3600, "\n(Late: this was due on Tue 2 Mar 2027 10:20.)"),
    ],
)
async def test_a_late_reminder_comes_once_and_says_when_it_was_due(tmp_path: Path, late_s: float, note: str) -> None:
    async with house(tmp_path) as h:
        await asked(h, "/remind in 20 minutes tea")
        assert await passed(h, 1199) == []
        assert await passed(h, 1 + late_s) == [f"⏰ tea{note}"]
        assert await passed(h, DAY_S) == []


async def test_a_reminder_and_its_lateness_are_told_in_the_language_of_the_space(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await asked(h, "/settings language de")
        await h.say("/remind jeden Montag um 9 Mülltonne", kind="command")
        (told,) = h.screen.delivered
        assert "jeden Montag um 09:00" in told
        assert "Mo, 8. März 2027, 09:00" in told
        (late,) = await passed(h, 7 * DAY_S)
        assert late.startswith("⏰ Mülltonne\n(")
        assert "Mo, 8. März 2027, 09:00" in late
        assert "Late" not in late


async def test_the_model_reads_of_a_reminder_in_english_whatever_the_member_does(tmp_path: Path) -> None:
    weekly = {**CALL, "repeat": "weekly"}
    async with house(tmp_path, calls(("reminders", weekly)), says("Ist gestellt.")) as h:
        await asked(h, "/settings language de")
        await h.say("Erinnere mich jeden Mittwoch um 17 Uhr an Mama")
        receipt, _answer = h.screen.delivered
        assert "jeden Mittwoch um 17:00" in receipt
        (result,) = h.model.chat.requests[-1].messages[-1].results
        assert (result.response["local"], result.response["repeats"]) == (
            "Wed 3 Mar 2027 17:00",
            "every Wednesday at 17:00",
        )


async def test_what_was_missed_while_the_server_was_down_comes_late_once(tmp_path: Path, clock: FakeClock) -> None:
    async with house(tmp_path, clock=clock) as h:
        await asked(h, "/remind daily at 10:30 pills")
        await asked(h, "/remind tomorrow 9:00 dentist")
    clock.advance(3 * DAY_S)
    for _ in range(5):
        async with house(tmp_path, clock=clock) as h:
            told = await passed(h, 0)
            if told:
                arrived = told
    assert arrived == [
        "⏰ pills\n(Late: this was due on Thu 4 Mar 2027 10:30, the last of 3 times.)",
        "⏰ dentist\n(Late: this was due on Wed 3 Mar 2027 09:00.)",
    ]
    assert told == []


async def test_a_reminder_that_could_not_be_sent_in_time_says_so_when_it_arrives(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await asked(h, "/remind in 20 minutes tea")
        h.screen.faults = [DeliverLater(h.clock.now() + timedelta(minutes=20 + 20), "no network")]
        assert await passed(h, 1200) == []
        (held,) = await h.space.reminders.rung()
        assert not held.has_arrived
        assert await passed(h, 1200) == ["⏰ tea\n(Late: this was due on Tue 2 Mar 2027 10:20.)"]
        assert (await h.space.reminders.rung())[0].has_arrived


async def test_of_a_repeating_reminder_that_nobody_can_receive_only_the_newest_waits(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await asked(h, "/remind daily at 10:20 pills")
        h.screen.faults = [DeliverLater(h.clock.now() + timedelta(days=7), "blocked")] * 3
        for _ in range(3):
            assert await passed(h, DAY_S) == []
        async with h.space.db.transaction():
            await h.space.mailbox.hurry()
        h.screen.faults = []
        (told,) = await passed(h, 0)
        assert told.startswith("⏰ pills\n(Late: this was due on Thu 4 Mar 2027 10:20")


async def test_what_was_marked_done_before_it_could_be_sent_stays_unsent(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await asked(h, "/remind in 20 minutes tea")
        h.screen.faults = [DeliverLater(h.clock.now() + timedelta(days=1), "no network")]
        await passed(h, 1200)
        await asked(h, "/reminders n1 done")
        assert not any("⏰ tea" in text for text in await passed(h, DAY_S))


async def test_it_rings_by_itself_at_its_time_while_a_turn_is_under_way(tmp_path: Path, clock: FakeClock) -> None:
    async with house(tmp_path, clock=clock) as h:
        await asked(h, "/remind in 20 minutes tea")
        due = h.clock.now() + timedelta(minutes=20)
        h.runner.start()
        await h.screen.until(1)
        assert h.screen.delivered == ["⏰ tea"]
        assert h.clock.now() == due
        assert max(clock.slept) <= 60.0, "a host that slept is noticed within a minute"


async def test_a_quiet_space_sleeps_without_end(tmp_path: Path, clock: FakeClock) -> None:
    async with house(tmp_path, clock=clock) as h:
        h.runner.start()
        await h.runner.close()
        assert clock.slept == []


# Claims


def talks(*steps: Step) -> TaskModel:
    return TaskModel(ScriptedModel(steps))


CLAIMS = (
    "I'll remind you tomorrow at 17:00.",
    "Reminder set for 17:00!",
    "I've scheduled a reminder for you.",
    "Your reminder is now scheduled for 17:00.",
    "Done, scheduled for tomorrow.",
    "Saved, I'll let you know tomorrow at 17:00.",
    "Ich erinnere dich morgen um 17 Uhr.",
    "Напомню завтра в 17:00.",
)


async def test_a_promise_is_set_right_unless_a_reminder_was_stored(tmp_path: Path) -> None:
    async with house(tmp_path, model=talks()) as h:
        for claim in CLAIMS:
            h.model.chat.then(says(claim), calls(("reminders", CALL)), says(claim))
            await h.say("remind me tomorrow at 5 pm to call mom")
            await h.say("I mean it: remind me tomorrow at 5 pm to call mom")
            unkept, receipt, kept = h.screen.delivered[-3:]
            assert unkept.startswith(f"{claim}\n\n⚠")
            assert receipt.startswith("⏰ Reminder n")
            assert kept == claim


async def test_a_refused_call_bears_nothing_out(tmp_path: Path) -> None:
    past = CALL | {"at": "2023-03-03T17:00"}
    async with house(tmp_path, model=talks(calls(("reminders", past)), says("I'll remind you."))) as h:
        await h.say("remind me")
        assert h.screen.delivered == [f"I'll remind you.\n\n{NOT_SET}"]


async def test_a_reminder_of_an_earlier_turn_counts_only_where_it_was_looked_up(tmp_path: Path) -> None:
    claim = "Yes, I've set a reminder for tomorrow at 17:00."
    turns = [calls(("reminders", CALL)), says("ok"), says(claim), calls(("reminders", {"action": "list"})), says(claim)]
    async with house(tmp_path, model=talks(*turns)) as h:
        for text in ("remind me", "did you set it?", "look it up: did you set it?"):
            await h.say(text)
        assert h.screen.delivered[2:] == [f"{claim}\n\n{NOT_SET}", claim]


async def test_what_was_changed_or_deleted_may_be_called_so(tmp_path: Path) -> None:
    turns = [
        calls(("reminders", CALL)),
        says("ok"),
        calls(("reminders", {"action": "change", "id": "n1", "at": "19:00"})),
        says("I've moved it to 19:00."),
        calls(("reminders", {"action": "delete", "id": "n1"})),
        says("Deleted."),
        says("Deleted."),
    ]
    async with house(tmp_path, model=talks(*turns)) as h:
        for text in ("remind me", "move it to 7", "delete it", "delete it"):
            await h.say(text)
        *_, moved, _, deleted, claimed = h.screen.delivered
        assert (moved, deleted) == ("I've moved it to 19:00.", "Deleted.")
        assert "nothing was forgotten" in claimed
