"""The reminders tool: local wall times, the space's zone, refusals a model can act on, and receipts by the program."""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory.ports import ModelRequest
from tests.bot.turn.house import House, TaskModel, house
from tests.fakes.model import ScriptedModel, Step, calls, says

CALL = {"action": "set", "text": "call mom", "at": "2027-03-03T17:00"}


def asks(*wanted: dict[str, Any], last: str = "All right.") -> TaskModel:
    """Return a model that makes these calls one after another in a turn."""
    steps: list[Step] = [*(calls(("reminders", args)) for args in wanted), says(last)]
    return TaskModel(ScriptedModel(steps))


async def results(h: House) -> list[dict[str, Any]]:
    """Return the results of the last turn's calls."""
    turn = await h.space.sessions.last_turn()
    assert turn is not None
    messages = await h.space.sessions.turn_messages(turn.id)
    return [result.response for message in messages for result in message.results]


async def test_a_reminder_is_set_and_the_program_says_so_with_its_time(tmp_path: Path) -> None:
    async with house(tmp_path, model=asks(CALL)) as h:
        await h.say("remind me tomorrow at 5 pm to call mom", author_id=7)
        (result,) = await results(h)
        assert (result["set"], result["local"], result["zone"]) == ("n1", "Wed 3 Mar 2027 17:00", "Europe/Berlin")
        receipt = h.screen.rows[0].message
        assert receipt.text == "⏰ Reminder n1 set: tomorrow 17:00 (Europe/Berlin)\n> call mom"
        assert [(b.text, b.data) for b in receipt.buttons[0]] == [("Undo", "nundo:1:1"), ("Edit", "nedit:1")]
        assert h.screen.delivered[1] == "All right."


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Kathmandu", "America/New_York"])
async def test_the_time_is_the_members_wall_time_whatever_mark_stands_on_it(tmp_path: Path, zone: str) -> None:
    ways = ("2027-03-03T18:00", "2027-03-03T18:00Z", "2027-03-03 18:00:00", "2027-03-03T18:00+00:00")
    async with house(tmp_path, model=asks(*(CALL | {"at": at, "text": at} for at in ways)), zone=ZoneInfo(zone)) as h:
        await h.say("please remind me")
        for at, result in zip(ways, await results(h), strict=True):
            assert (result["local"], result["zone"]) == ("Wed 3 Mar 2027 18:00", zone)
            assert ("was left out" in result.get("note", "")) == at.endswith(("Z", "+00:00"))


@pytest.mark.parametrize(
    ("zone", "taken", "refused"),
    [
        ("Europe/Berlin", ("2027-03-03T17:00+01:00", "2027-07-03T17:00+02:00"), "2027-03-03T17:00+02:00"),
        ("Asia/Kathmandu", ("2027-03-03T17:00+0545", "2027-07-03T17:00+05:45"), "2027-03-03T17:00+02:00"),
    ],
)
async def test_an_offset_that_is_not_the_members_is_refused(
    tmp_path: Path, zone: str, taken: tuple[str, ...], refused: str
) -> None:
    wanted = [CALL | {"at": at} for at in (*taken, refused)]
    async with house(tmp_path, model=asks(*wanted), zone=ZoneInfo(zone)) as h:
        await h.say("please remind me")
        *good, bad = await results(h)
        assert [one["local"][-5:] for one in good] == ["17:00", "17:00"]
        assert zone in bad["error"]


MUDDLED: list[tuple[dict[str, Any], str]] = [
    ({"at": "2027-03-01T09:00"}, "is over: it is Tue 2 Mar 2027 10:00 now"),
    ({"at": "2023-03-03T09:00"}, "is over"),
    ({"at": "2027-02-30T09:00"}, "there is no day 2027-02-30"),
    ({"at": "2027-03-03T25:00"}, "there is no time 25:00"),
    ({"at": "2070-12-31T23:59"}, "20 years"),
    ({"at": "9999-12-31T23:59"}, "too far away"),
    ({"at": "9999-12-31", "repeat": "daily"}, "too far away"),
    ({"at": "0001-01-01T00:00Z"}, "too far away"),
    ({"at": "2027-03-03T17:00" * 400}, "local wall time"),
    ({"repeat": "cron", "cron": "9" * 5000 + " 9 * * *"}, "too long"),
    ({"id": "9" * 30, "action": "done"}, "looks like n12"),
    ({"at": "tomorrow"}, "local wall time"),
    ({"at": ""}, "no time was given"),
    ({"text": ""}, "say what the reminder is about"),
    ({"text": None, "at": None}, "no time was given"),
    ({"text": ["a"]}, "text"),
    ({"in_minutes": 5}, "either in_minutes or at"),
    ({"in_minutes": -5}, "in_minutes"),
    ({"in_minutes": 10**12, "at": ""}, "in_minutes"),
    ({"repeat": "daily", "at": ""}, "needs the time of day"),
    ({"repeat": "cron", "cron": "0 9 * * 8"}, "no weekday"),
    ({"repeat": "cron", "cron": ""}, "five fields"),
    ({"repeat": "hourly"}, "repeat"),
    ({"when": "now"}, "when"),
    ({"action": "remind"}, "action"),
    ({"action": "change", "id": "n9"}, "there is no n9"),
    ({"action": "delete", "id": "9x"}, "list"),
    ({"action": "snooze", "id": ""}, "looks like n12"),
]


async def test_a_muddled_call_stores_nothing_and_says_what_is_wrong(tmp_path: Path) -> None:
    async with house(tmp_path, model=TaskModel()) as h:
        for wrong, told in MUDDLED:
            h.model.chat.then(calls(("reminders", CALL | wrong)), says("When shall that be?"))
            await h.say("please remind me")
            (result,) = await results(h)
            assert told in result["error"], wrong
        assert await h.space.reminders.waiting() == []
        assert set(h.screen.delivered) == {"When shall that be?"}


async def test_a_refused_call_can_be_put_right_in_the_same_turn(tmp_path: Path) -> None:
    async with house(tmp_path, model=asks(CALL | {"at": "2026-03-03T17:00"}, CALL, last="I'll remind you.")) as h:
        await h.say("remind me tomorrow at 5 pm to call mom")
        assert ["error" in one for one in await results(h)] == [True, False]
        assert h.screen.delivered[-1] == "I'll remind you."


async def test_the_request_ends_with_date_weekday_time_and_zone(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def answer(request: ModelRequest) -> Any:
        requests.append(request)
        return says("When?")

    async with house(tmp_path, answer) as h:
        h.clock.advance(14 * 3600 + 1800)
        await h.say("remind me tomorrow at 9")
    assert (requests[0].memory_block or "").splitlines()[-1].startswith("Now: Wednesday 3 March 2027, 00:30")
    assert "Europe/Berlin" in (requests[0].memory_block or "")


RULES: list[tuple[dict[str, Any], str, str]] = [
    ({"repeat": "daily", "at": "18:00"}, "every day at 18:00", "Tue 2 Mar 2027 18:00"),
    ({"repeat": "daily", "at": "2027-03-05T18:00", "every": 2}, "every 2 days at 18:00", "Fri 5 Mar 2027 18:00"),
    ({"repeat": "weekdays", "at": "09:00"}, "every weekday (Monday to Friday) at 09:00", "Wed 3 Mar 2027 09:00"),
    (
        {"repeat": "weekly", "at": "9:00", "weekdays": ["mon", "fri"]},
        "every Monday, Friday at 09:00",
        "Fri 5 Mar 2027 09:00",
    ),
    ({"repeat": "weekly", "at": "2027-03-07T09:00"}, "every Sunday at 09:00", "Sun 7 Mar 2027 09:00"),
    (
        {"repeat": "monthly", "at": "09:00", "day": 31},
        "on the last day of every month at 09:00",
        "Wed 31 Mar 2027 09:00",
    ),
    ({"repeat": "yearly", "at": "2028-02-29T09:00"}, "every year on 29 February at 09:00", "Tue 29 Feb 2028 09:00"),
    ({"repeat": "cron", "at": "", "cron": "0 9 * * 0"}, "by cron `0 9 * * 0`", "Sun 7 Mar 2027 09:00"),
]


async def test_a_rule_is_told_with_its_next_three_times(tmp_path: Path) -> None:
    async with house(tmp_path, model=asks(*(CALL | rule for rule, _, _ in RULES))) as h:
        await h.say("please remind me")
        for (_, words, first), result in zip(RULES, await results(h), strict=True):
            assert result["repeats"] == words
            assert (result["next"][0], len(result["next"])) == (first, 3)


async def test_a_distance_is_a_moment_and_an_hour_that_was_not_given_is_named(tmp_path: Path) -> None:
    async with house(
        tmp_path,
        model=asks(
            {"action": "set", "text": "tea", "in_minutes": 20}, {"action": "set", "text": "x", "at": "2027-03-05"}
        ),
    ) as h:
        await h.say("remind me")
        tea, other = await results(h)
        assert tea["local"] == "Tue 2 Mar 2027 10:20"
        assert (other["local"], other["note"]) == ("Fri 5 Mar 2027 09:00", "no hour was given, so it is 09:00")
        (first, _) = await h.space.reminders.waiting()
        assert first.wall is None


async def test_reminders_are_listed_changed_put_off_finished_and_deleted_by_id(tmp_path: Path) -> None:
    async with house(
        tmp_path,
        model=asks(
            CALL,
            {"action": "list"},
            {"action": "change", "id": "n1", "at": "19:00"},
            {"action": "change", "id": "1", "text": "call dad"},
            {"action": "snooze", "id": "n1", "in_minutes": 10},
            {"action": "done", "id": "n1"},
            {"action": "delete", "id": "n1"},
        ),
    ) as h:
        await h.say("do all of it")
        _, listed, moved, renamed, later, done, deleted = await results(h)
        assert [one["id"] for one in listed["reminders"]] == ["n1"]
        assert moved["local"] == "Wed 3 Mar 2027 19:00"
        assert (renamed["text"], renamed["local"]) == ("call dad", "Wed 3 Mar 2027 19:00")
        assert later["local"] == "Tue 2 Mar 2027 10:10"
        assert (done["state"], deleted["state"]) == ("done", "deleted")
        assert [text.split(":")[0].rstrip(".") for text in h.screen.delivered[:-1]] == [
            "⏰ Reminder n1 set",
            "⏰ Reminder n1 changed",
            "⏰ Reminder n1 changed",
            "⏰ Reminder n1 put off",
            "⏰ Reminder n1 done.\n> call dad",
            "⏰ Reminder n1 deleted.\n> call dad",
        ]


async def test_a_time_of_day_alone_keeps_the_rule(tmp_path: Path) -> None:
    async with house(
        tmp_path, model=asks(CALL | {"repeat": "weekdays"}, {"action": "change", "id": "n1", "at": "19:00Z"})
    ) as h:
        await h.say("do it")
        assert (await results(h))[1]["repeats"] == "every weekday (Monday to Friday) at 19:00"


async def test_in_a_group_only_who_asked_may_change_it(tmp_path: Path) -> None:
    async with house(tmp_path, model=asks(CALL), space_id="-5") as h:
        await h.say("remind me", author="Ana", author_id=7, chat_id=-5)
        (held,) = await h.space.reminders.waiting()
        assert (held.asker.by, held.asker.by_id, held.asker.chat_id) == ("Ana", 7, -5)
        h.model.chat.then(calls(("reminders", {"action": "delete", "id": "n1"})), says("I cannot."))
        await h.say("delete it", author="Bo", author_id=8, chat_id=-5)
        assert "only they may change it" in (await results(h))[0]["error"]
        assert await h.space.reminders.waiting() == [held]


async def test_identical_calls_are_cut_short_and_set_one_reminder_each(tmp_path: Path) -> None:
    async with house(tmp_path, model=asks(*[CALL | {"text": ""}] * 3)) as h:
        await h.say("remind me")
        assert "third identical call" in (await results(h))[2]["error"]


async def test_the_same_reminder_is_set_once_a_turn(tmp_path: Path) -> None:
    twice = calls(("reminders", CALL), ("reminders", CALL))
    async with house(tmp_path, model=TaskModel(ScriptedModel([twice, says("I'll remind you.")]))) as h:
        await h.say("remind me")
        assert "set already, as n1" in (await results(h))[1]["error"]
        assert len(await h.space.reminders.waiting()) == 1
        assert h.screen.delivered[-1] == "I'll remind you."
