"""Reminders by hand: set, listed, put off, finished, edited, deleted, by button and by typed command alike."""

from datetime import UTC, datetime
from pathlib import Path

from bot.commands.reminders import HOW_TO, STALE
from memory.store.mailbox import OutRow
from tests.bot.commands.test_facts import command, labels, press, press_data, reply
from tests.bot.turn.house import House, house
from tests.fakes.model import says

DENTIST = "/remind tomorrow 9:00 call the *dentist*"
HOUR = 3600.0


async def waiting(h: House) -> dict[str, str]:
    """Return what waits, with when it comes."""
    return {one.ref: f"{one.next_at:%d %H:%M}" for one in await h.space.reminders.waiting()}


async def rung(h: House, seconds: float) -> OutRow:
    """Let time pass and return the message that rang."""
    h.clock.advance(seconds)
    await h.runner.drain()
    return h.screen.rows[-1]


# Set


async def test_a_reminder_is_confirmed_with_its_time_and_letter_for_letter(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        told = await command(h, DENTIST)
        assert told.message.text == "⏰ Reminder n1 set: tomorrow 09:00 (Europe/Berlin)\n> call the \\*dentist\\*"
        assert labels(told) == [["Undo", "Edit"]]
        assert told.message.shows == ("n1",)
        assert await waiting(h) == {"n1": "03 08:00"}


async def test_a_day_is_called_today_or_tomorrow_by_the_members_clocks_and_dated_beyond(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        h.clock.advance(13.5 * 3600)
        told = [await command(h, f"/remind in {when} tea") for when in ("20 minutes", "40 minutes", "25 hours")]
        assert [one.message.text.splitlines()[0] for one in told] == [
            "⏰ Reminder n1 set: today 23:50 (Europe/Berlin)",
            "⏰ Reminder n2 set: tomorrow 00:10 (Europe/Berlin)",
            "⏰ Reminder n3 set: Thu 4 Mar 2027 00:30 (Europe/Berlin)",
        ]


async def test_who_had_another_zone_is_told_which_one_is_meant(tmp_path: Path) -> None:
    async with house(tmp_path, says("Good trip.")) as h:
        await h.say("I am off to Lisbon.")
        await command(h, "/settings zone Europe/Lisbon")
        told = await command(h, "/remind in 20 minutes tea")
        assert told.message.text.startswith("⏰ Reminder n1 set: today 09:20 (Europe/Lisbon)\n")


async def test_a_repeating_one_is_confirmed_with_its_next_three_dates_and_what_may_surprise(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        told = await command(h, "/remind monthly on the 31st pay the rent")
        assert told.message.text == (
            "⏰ Reminder n1 set: on the last day of every month at 09:00, "
            "next Wed 31 Mar 2027 09:00 · Fri 30 Apr 2027 09:00 · Mon 31 May 2027 09:00 (Europe/Berlin)\n"
            "(No hour was said, so I took 09:00.)\n> pay the rent"
        )


async def test_what_is_unclear_over_or_empty_stores_nothing_and_says_what_would_be_right(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        for text, told in (
            ("call Anna", "/remind tomorrow 9:00"),
            ("tomorrow at 5 call", "`5:00` or `17:00`"),
            ("today at 9:00 call", "is over: it is Tue 2 Mar 2027 10:00 now (Europe/Berlin)"),
            ("yesterday at 9:00 call", "is over"),
            ("tomorrow 9:00", "Say what the reminder is about"),
            ("*/5 * * * * water", "more often"),
            (f"tomorrow 9:00 {'x' * 1001}", "at most 1000 characters"),
        ):
            answer = (await command(h, f"/remind {text}")).message.text
            assert told in answer, text
            assert "Nothing was changed." in answer
        assert await waiting(h) == {}


async def test_alone_it_asks_and_takes_the_reply(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        for asked in ("/remind", "/reminders"):
            guide = await command(h, asked)
            assert "every weekday at 9" in guide.message.text
        told = await reply(h, guide, "in 20 minutes tea")
        assert told.message.text.startswith("⏰ Reminder n1 set: today 10:20 (Europe/Berlin)\n")


async def test_what_was_set_is_taken_back_by_its_button_once(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        told = await command(h, DENTIST)
        await press(h, told, "Undo")
        assert await waiting(h) == {}
        again = await press_data(h, told, "nundo:1:1")
        assert STALE in [row.message.text for row in h.screen.rows[-2:]], again


# List and card


async def test_the_list_begins_with_the_soonest_and_opens_cards(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, DENTIST)
        await command(h, "/remind every weekday at 8 standup")
        await command(h, "/remind in 20 minutes tea")
        page = await command(h, "/reminders")
        assert page.message.text == (
            "• **n3** Tue 2 Mar 2027 10:20 · tea\n"
            "• **n2** Wed 3 Mar 2027 08:00, every weekday (Monday to Friday) at 08:00 · standup\n"
            "• **n1** Wed 3 Mar 2027 09:00 · call the \\*dentist\\*\n\n"
            "3 wait · Europe/Berlin · `/reminders n3` shows one, `/remind` sets one"
        )
        card = await press(h, page, "n1")
        assert card.message.text.startswith("**n1** · Wed 3 Mar 2027 09:00 (Europe/Berlin)")
        assert labels(card) == [["Done", "⏱ 10 min", "⏱ 1 h", "⏱ tomorrow"], ["Edit", "Delete"], ["‹ All reminders"]]
        assert (await command(h, "/reminders n1")).message.text == card.message.text
        assert (await press(h, card, "‹ All reminders")).message.text == page.message.text


async def test_many_reminders_are_turned_by_pages_and_every_button_names_what_can_be_typed(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        for number in range(10):
            await command(h, f"/remind tomorrow {number + 10}:00 walk {number}")
        page = await command(h, "/reminders")
        second = await press(h, page, "2 ›")
        assert second.message.text == (await command(h, "/reminders 2")).message.text
        assert "page 2 of 2" in second.message.text
        card = await press(h, second, "n10")
        for row in card.message.buttons[:2]:
            assert all(button.typed.startswith("/reminders n10 ") for button in row)
        assert all(len(button.data.encode()) <= 64 for row in card.message.buttons for button in row)


async def test_wrong_input_is_answered_with_what_can_be_said(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, DENTIST)
        assert (await command(h, "/reminders dance")).message.text == HOW_TO
        assert (await command(h, "/reminders n1 dance")).message.text == HOW_TO
        assert "There is no n9" in (await command(h, "/reminders n9")).message.text
        assert "Say until when" in (await command(h, "/reminders n1 snooze dance")).message.text


# When it rang


async def test_a_rung_reminder_is_put_off_and_done_by_its_buttons(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, DENTIST)
        rang = await rung(h, 23 * HOUR - 1)
        assert rang.message.text != "⏰ call the \\*dentist\\*"
        rang = await rung(h, 1)
        assert (rang.message.text, rang.message.is_silent) == ("⏰ call the \\*dentist\\*", False)
        assert labels(rang) == [["Done", "⏱ 10 min", "⏱ 1 h", "⏱ tomorrow"]]
        assert "1 rang and is not done" in (await command(h, "/reminders")).message.text
        await press(h, rang, "⏱ 10 min")
        assert await waiting(h) == {"n1": "03 08:10"}
        rang = await rung(h, 600)
        assert rang.message.text == "⏰ call the \\*dentist\\*"
        await press(h, rang, "Done")
        assert (await h.space.reminders.reminder(1)).state == "done"
        assert "No reminder waits" in (await command(h, "/reminders")).message.text


async def test_it_is_put_off_by_typing_until_when(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, "/remind in 20 minutes tea")
        await rung(h, 1200)
        for until, at in (
            ("10 min", "02 09:30"),
            ("1 h", "02 10:20"),
            ("for 90 minutes", "02 10:50"),
            ("2 Stunden", "02 11:20"),
            ("15", "02 09:35"),
            ("tomorrow", "03 09:20"),
            ("morgen", "03 09:20"),
            ("18:00", "02 17:00"),
            ("Friday at 10:00", "05 09:00"),
        ):
            await command(h, f"/reminders n1 snooze {until}")
            assert await waiting(h) == {"n1": at}, until


async def test_a_repeating_one_that_is_put_off_says_so_and_keeps_its_times(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, "/remind daily at 10:20 pills")
        rang = await rung(h, 1200)
        told = await press_data(h, rang, "nlater:1:60")
        told = next(row for row in h.screen.rows[-2:] if "put off" in row.message.text)
        assert "put off to Tue 2 Mar 2027 11:20, then every day at 10:20" in told.message.text
        await rung(h, HOUR)
        assert await waiting(h) == {"n1": "03 09:20"}


# Edit and delete


async def test_an_edit_takes_a_time_words_or_both(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, DENTIST)
        await command(h, "/reminders n1 edit at 11:00")
        assert await waiting(h) == {"n1": "03 10:00"}
        await command(h, "/reminders n1 edit call the doctor")
        held = await h.space.reminders.reminder(1)
        assert (held.text, await waiting(h)) == ("call the doctor", {"n1": "03 10:00"})
        question = await command(h, "/reminders n1 edit")
        told = await reply(h, question, "on Friday at 8:00 see the vet")
        assert told.message.text == "⏰ Reminder n1 changed: Fri 5 Mar 2027 08:00 (Europe/Berlin)\n> see the vet"
        await press(h, told, "Undo")
        assert (await h.space.reminders.reminder(1)).text == "call the doctor"


async def test_another_time_of_day_keeps_the_rule_and_another_rule_takes_its_place(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, "/remind every weekday at 9 standup")
        assert "(Monday to Friday) at 11:00" in (await command(h, "/reminders n1 edit at 11:00")).message.text
        assert "every Monday at 08:00" in (await command(h, "/reminders n1 edit every Monday at 8:00")).message.text
        await command(h, "/remind 0 9 * * mon-fri standup")
        assert "say the whole rule anew" in (await command(h, "/reminders n2 edit at 11:00")).message.text


async def test_what_was_deleted_never_rings_and_comes_back_by_undo(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await command(h, DENTIST)
        deleted = await command(h, "/reminders n1 delete")
        assert deleted.message.text == "⏰ Reminder n1 deleted.\n> call the \\*dentist\\*"
        await press(h, deleted, "Undo")
        assert await waiting(h) == {"n1": "03 08:00"}
        await press_data(h, await command(h, "/reminders n1"), "ndel:1")
        before = len(h.screen.rows)
        h.clock.advance(48 * HOUR)
        await h.runner.drain()
        assert len(h.screen.rows) == before


# Groups


async def test_in_a_group_a_reminder_belongs_to_who_asked_and_rings_where_they_asked(tmp_path: Path) -> None:
    async with house(tmp_path, space_id="-5", operator_id=1) as h:
        ana = {"author": "Ana", "author_id": 7, "chat_id": -5, "thread_id": 55}
        bo = {"author": "Bo", "author_id": 8, "chat_id": -5}
        await h.say(DENTIST, kind="command", **ana)
        assert h.screen.rows[-1].message.for_member == 7
        for typed in ("delete", "done", "snooze 1 h", "edit at 9:00", "undo"):
            await h.say(f"/reminders n1 {typed}", kind="command", **bo)
            assert "only the one who said something" in h.screen.delivered[-1]
        await h.say("/reminders", kind="command", **bo)
        assert "Ana: call the" in h.screen.delivered[-1]
        h.clock.advance(23 * HOUR)
        await h.runner.drain()
        rang = h.screen.rows[-1].message
        assert rang.text == "⏰ Ana: call the \\*dentist\\*"
        assert (rang.chat_id, rang.thread_id, rang.for_member) == (-5, 55, 7)


async def test_a_command_is_read_at_the_moment_it_was_sent(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        sent = datetime(2027, 3, 2, 8, 50, tzinfo=UTC)
        await h.say("/remind in 20 minutes tea", kind="command", at=sent)
        assert await waiting(h) == {"n1": "02 09:10"}
