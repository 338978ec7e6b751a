"""A stranger's way in: a code and nothing else, until the operator decides by a button."""

import re
import unicodedata
from pathlib import Path
from typing import Any

from bot.commands.members import ALONE, GROUP_OUT, IN, OUT, OVER
from bot.telegram.admission import Admission, random_code
from bot.telegram.settling import GROUP_WELCOME, WELCOME
from memory.store.database import Database
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, STRANGER, Bot, Talk, serving
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import refused, reset
from tests.fakes.telegram_world import Shown

OTHER, NEW_GROUP = 67, -200
CODE = re.compile(r"[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}")


def asks(telegram: FakeTelegram, user_id: int = STRANGER, text: str = "/start", **fields: Any) -> int:
    return telegram.say(user_id, text, **fields)


def question(telegram: FakeTelegram, about: int = STRANGER) -> Shown:
    """Return the newest message to the operator about somebody, as it stands now."""
    shown = [shown for shown in telegram.sent[OWNER] if f"Id: {about}" in shown.text]
    return shown[-1] if shown else Shown(OWNER, 0, "")


def buttons(shown: Shown) -> list[str]:
    return [b["callback_data"] for row in (shown.keyboard or {}).get("inline_keyboard", []) for b in row]


async def asked(telegram: FakeTelegram, user_id: int = STRANGER) -> Shown:
    """Let a stranger ask and return the question that the operator got."""
    asks(telegram, user_id)
    await telegram.until(lambda: telegram.texts(user_id) and _is_asked(telegram, user_id))
    await delivered(telegram)
    return question(telegram, user_id)


def _is_asked(telegram: FakeTelegram, about: int) -> bool:
    return any(f"Id: {about}" in text for text in telegram.texts(OWNER))


async def delivered(telegram: FakeTelegram) -> None:
    """Wait until what was sent to the operator is known to have arrived: what is sent next follows it."""
    before = telegram.texts(OWNER).count("Nothing is running.")
    telegram.say(OWNER, "/stop")
    await telegram.until(lambda: telegram.texts(OWNER).count("Nothing is running.") > before)


async def pressed(telegram: FakeTelegram, data: str, outcome: str, *, by: int = OWNER, about: int = STRANGER) -> None:
    """Press a button of the question and wait for what it says then."""
    telegram.press(by, question(telegram, about), data)
    await telegram.until(lambda: outcome in question(telegram, about).text)


async def admission_rows(bot: Bot) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await bot.rows("SELECT chat_id, state FROM admissions ORDER BY chat_id")]


async def test_a_stranger_gets_a_code_and_the_operator_the_question(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        asks(telegram, STRANGER, "/start from_a_link")
        await telegram.until(lambda: telegram.texts(STRANGER) and _is_asked(telegram, STRANGER))
        assert bot.opened == [str(OWNER)]
    (code,) = telegram.texts(STRANGER)
    assert CODE.fullmatch(code)
    shown = question(telegram)
    assert f"Name: User{STRANGER}\nId: {STRANGER}\nCode: {code}" in shown.text
    assert buttons(shown) == [f"admit:{STRANGER}", f"turnaway:{STRANGER}"]
    assert talk.requests == []


async def test_the_operator_is_asked_in_the_language_of_their_space(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "/settings language de")
        await telegram.until(lambda: any("Deutsch" in text for text in telegram.texts(OWNER)))
        asks(telegram)
        await telegram.until(lambda: telegram.texts(STRANGER) and _is_asked(telegram, STRANGER))
    (code,) = telegram.texts(STRANGER)
    shown = question(telegram)
    assert shown.text.startswith(
        f"Jemand möchte mit mir sprechen.\nName: User{STRANGER}\nId: {STRANGER}\nCode: {code}\n\nIch habe nur den Code"
    )
    assert [b["text"] for row in (shown.keyboard or {})["inline_keyboard"] for b in row] == ["Zulassen", "Ablehnen"]
    assert buttons(shown) == [f"admit:{STRANGER}", f"turnaway:{STRANGER}"]


async def test_admitted_a_stranger_is_told_and_has_a_memory_of_their_own(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        await telegram.until(lambda: WELCOME in telegram.texts(STRANGER))
        telegram.say(STRANGER, "hello")
        await telegram.until(lambda: "You said: hello" in telegram.texts(STRANGER))
        assert bot.opened == [str(OWNER), str(STRANGER)]
        assert buttons(question(telegram)) == []
        assert await bot.rows("SELECT * FROM admission_requests") == []
    async with serving(telegram, tmp_path) as bot:
        telegram.say(STRANGER, "still there?")
        await telegram.until(lambda: "You said: still there?" in telegram.texts(STRANGER))
    assert telegram.texts(STRANGER).count(WELCOME) == 1


async def test_admitted_a_stranger_is_welcomed_in_the_language_of_their_program(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    german: dict[str, Any] = {"from": {"id": STRANGER, "is_bot": False, "first_name": "Ida", "language_code": "de-AT"}}
    polish: dict[str, Any] = {"from": {"id": OTHER, "is_bot": False, "first_name": "Ola", "language_code": "pl"}}
    async with serving(telegram, tmp_path) as bot:
        asks(telegram, STRANGER, **german)
        asks(telegram, OTHER, **polish)
        await telegram.until(lambda: _is_asked(telegram, STRANGER) and _is_asked(telegram, OTHER))
        await delivered(telegram)
        await pressed(telegram, f"turnaway:{STRANGER}", OUT)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        await pressed(telegram, f"admit:{OTHER}", IN, about=OTHER)
        await telegram.until(lambda: len(telegram.texts(STRANGER)) == len(telegram.texts(OTHER)) == 2)
        spoken = [await bot.space_rows(who, "SELECT language FROM profile") for who in (STRANGER, OTHER)]
        assert [tuple(row) for (row,) in spoken] == [("de",), (None,)]
    assert telegram.texts(STRANGER)[1].startswith("Du bist zugelassen")
    assert telegram.texts(OTHER)[1] == WELCOME


async def test_a_language_that_was_chosen_stays_when_a_member_comes_back(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        await telegram.until(lambda: WELCOME in telegram.texts(STRANGER))
        telegram.say(STRANGER, "/settings language English")
        await telegram.until(lambda: len(telegram.texts(STRANGER)) == 3)
        bot.clock.advance(1)
        admission = Admission(bot.shared, bot.clock, operator_id=OWNER)
        await admission.remove(STRANGER)
        await admission.ask_for_person(STRANGER, language="de")
        await admission.decide(STRANGER, is_admitted=True)
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: len(telegram.texts(STRANGER)) == 4)
    assert telegram.texts(STRANGER)[3] == WELCOME


async def test_refused_a_stranger_is_told_nothing_and_not_heard(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        await pressed(telegram, f"turnaway:{STRANGER}", OUT)
        said = list(telegram.texts(STRANGER))
        bot.clock.advance(2 * 3600)
        asks(telegram)
        await telegram.until(lambda: not telegram.pending)
        assert telegram.texts(STRANGER) == said
        assert await bot.rows("SELECT * FROM admission_requests") == []
        await delivered(telegram)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        await telegram.until(lambda: WELCOME in telegram.texts(STRANGER))


async def test_a_refusal_ends_after_thirty_days(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        await pressed(telegram, f"turnaway:{STRANGER}", OUT)
        bot.clock.advance(31 * 86_400)
        asks(telegram)
        await telegram.until(lambda: len(telegram.texts(STRANGER)) == 2)


async def test_the_same_code_is_said_again_for_an_hour_and_not_too_often(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        for _ in range(6):
            asks(telegram)
        await telegram.until(lambda: not telegram.pending)
        assert len(telegram.texts(STRANGER)) == 3
        assert len(set(telegram.texts(STRANGER))) == 1
        bot.clock.advance(3601)
        asks(telegram)
        await telegram.until(lambda: len(telegram.texts(STRANGER)) == 4)
        assert len(set(telegram.texts(STRANGER))) == 2
        await telegram.until(lambda: len([t for t in telegram.texts(OWNER) if f"Id: {STRANGER}" in t]) == 2)


async def test_a_press_that_comes_too_late_says_so_and_admits_nobody(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        bot.clock.advance(3601)
        await pressed(telegram, f"admit:{STRANGER}", OVER)
        assert await admission_rows(bot) == []
        assert bot.opened == [str(OWNER)]


async def test_two_presses_count_once_and_the_first_holds(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        shown = await asked(telegram)
        telegram.press(OWNER, shown, f"admit:{STRANGER}")
        telegram.press(OWNER, shown, f"turnaway:{STRANGER}")
        telegram.press(OWNER, shown, f"admit:{STRANGER}")
        await telegram.until(lambda: not telegram.pending and IN in question(telegram).text)
        await delivered(telegram)
        assert await admission_rows(bot) == [(STRANGER, "admitted")]
        assert question(telegram).text.count(IN) == 1
        await telegram.until(lambda: telegram.texts(STRANGER).count(WELCOME) == 1)


async def test_two_strangers_at_once_have_codes_of_their_own(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        asks(telegram)
        asks(telegram, OTHER)
        await telegram.until(lambda: _is_asked(telegram, STRANGER) and _is_asked(telegram, OTHER))
        await delivered(telegram)
        await pressed(telegram, f"admit:{OTHER}", IN, about=OTHER)
        assert await admission_rows(bot) == [(OTHER, "admitted")]
    assert telegram.texts(STRANGER)[0] != telegram.texts(OTHER)[0]


HIDDEN = {"type": "hidden_user", "date": 1, "sender_user_name": "X"}
A_BOT = {"id": 5, "is_bot": True, "first_name": "X"}
NOT_A_START: dict[str, dict[str, Any]] = {
    "no command": {"text": "start"},
    "another command": {"text": "/started"},
    "a mere word": {"text": "/start", "entities": []},
    "by a bot": {"text": "/start", "via_bot": A_BOT},
    "forwarded": {"text": "/start", "forward_origin": HIDDEN},
    "to another bot": {"text": "/start@another_bot"},
    "in no form of Telegram's": {"text": "/start", "quote": {"text": 5}},
    "of a bot": {"text": "/start", "from": A_BOT | {"id": STRANGER}},
    "of another": {"text": "/start", "from": A_BOT | {"id": OTHER, "is_bot": False}},
}


async def test_anything_but_an_own_start_is_passed_over(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        for what, fields in NOT_A_START.items():
            more = {name: value for name, value in fields.items() if name != "text"}
            telegram.say(STRANGER, fields["text"], **more)
            await telegram.until(lambda: not telegram.pending)
            assert await bot.rows("SELECT * FROM admission_requests") == [], what
        assert bot.opened == []
        for table in ("admissions", "dead_letters", "chats"):
            assert await bot.rows(f"SELECT * FROM {table}") == []
    assert telegram.count("sendMessage") == 0


async def test_an_edited_start_and_a_start_in_a_foreign_group_are_passed_over(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.say(STRANGER, "/start@remembrancer_bot", chat_id=-500)
    message_id = telegram.message_id_of(telegram.say(STRANGER, "hm"))
    start = [{"type": "bot_command", "offset": 0, "length": 6}]
    telegram.edit(STRANGER, message_id, "/start", entities=start)
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: not telegram.pending)
        assert bot.opened == []
    assert telegram.count("sendMessage") == 0


async def test_a_flood_of_a_stranger_leaves_nothing_but_one_request(telegram: FakeTelegram, tmp_path: Path) -> None:
    for number in range(1000):
        telegram.say(STRANGER, "/start" if number % 2 else f"let me in {number}")
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: not telegram.pending, timeout=60)
        assert len(await bot.rows("SELECT * FROM admission_requests")) == 1
        assert await bot.rows("SELECT * FROM dead_letters") == []
    assert telegram.count("sendMessage", chat_id=STRANGER) == 3
    assert telegram.count("sendMessage", chat_id=OWNER) == 1


async def test_many_strangers_cannot_flood_the_operator(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        for hour in range(5):
            for number in range(8):
                asks(telegram, 1000 + hour * 8 + number)
            await telegram.until(lambda: not telegram.pending, timeout=30)
            bot.clock.advance(3601)
        assert len(await bot.rows("SELECT * FROM admission_requests")) == 20
        bot.clock.advance(86_400)
        asks(telegram)
        await telegram.until(lambda: telegram.texts(STRANGER))
        assert len(await bot.rows("SELECT * FROM admission_requests")) == 1
    assert sum("Code:" in text for text in telegram.texts(OWNER)) <= 21


async def test_a_name_cannot_forge_the_question(telegram: FakeTelegram, tmp_path: Path) -> None:
    name = "Ida\nId: 7\u202e\u2066 **boss** \u0007" + "x" * 300
    fields: dict[str, Any] = {"from": {"id": STRANGER, "is_bot": False, "first_name": name, "username": "not a name"}}
    async with serving(telegram, tmp_path):
        telegram.say(STRANGER, "/start", **fields)
        await telegram.until(lambda: _is_asked(telegram, STRANGER))
    lines = question(telegram).text.split("\n")
    assert lines[1].startswith("Name: Ida Id: 7 **boss** xxx")
    assert len(lines[1]) < 80
    assert lines[2] == f"Id: {STRANGER}"
    assert not any(unicodedata.category(sign) in {"Cc", "Cf"} for line in lines for sign in line)


async def test_a_question_survives_a_restart_and_is_asked_once(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        update_id = asks(telegram)
        again = {"update_id": update_id, "message": telegram_update(telegram, update_id)}
        await telegram.until(lambda: _is_asked(telegram, STRANGER) and not telegram.pending)
        await delivered(telegram)
    telegram.push_raw(again)
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: not telegram.pending)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        await telegram.until(lambda: WELCOME in telegram.texts(STRANGER))
    assert sum(f"Id: {STRANGER}" in text for text in telegram.texts(OWNER)) == 1
    assert len({text for text in telegram.texts(STRANGER) if CODE.fullmatch(text)}) == 1


def telegram_update(telegram: FakeTelegram, update_id: int) -> dict[str, Any]:
    """Return the message of an update that still waits, as it would come again."""
    chat, sender = {"id": STRANGER, "type": "private"}, {"id": STRANGER, "is_bot": False, "first_name": "X"}
    start = [{"type": "bot_command", "offset": 0, "length": 6}]
    return {
        "message_id": 1, "date": 1_800_000_000, "chat": chat, "from": sender, "text": "/start", "entities": start
    }  # fmt: skip


async def test_a_decision_whose_consequences_were_cut_off_is_settled_at_the_next_start(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: telegram.count("getUpdates"))
        async with bot.shared.transaction():
            await bot.shared.execute(
                "INSERT INTO admissions VALUES (66, 'admitted', NULL, '2027-03-02T08:00:00.000000+00:00', NULL)"
            )
    async with serving(telegram, tmp_path) as bot:
        telegram.open_chat(STRANGER)
        await telegram.until(lambda: WELCOME in telegram.texts(STRANGER))
        await _until_settled(bot)


async def test_an_operator_who_blocked_the_bot_is_asked_when_they_come_back(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.block(OWNER)
    async with serving(telegram, tmp_path) as bot:
        asks(telegram)
        await bot.clock.until_asleep(86_400)
        assert telegram.texts(STRANGER)
        telegram.block(OWNER, is_blocked=False)
        telegram.say(OWNER, "/stop")
        await telegram.until(lambda: _is_asked(telegram, STRANGER))


async def test_a_code_that_cannot_be_sent_is_no_trouble(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("sendMessage", refused(403, "Forbidden: bot was blocked by the user"), chat_id=STRANGER)
    telegram.fail_next("sendMessage", reset(), chat_id=STRANGER)
    async with serving(telegram, tmp_path):
        asks(telegram)
        asks(telegram)
        asks(telegram)
        await telegram.until(lambda: _is_asked(telegram, STRANGER) and telegram.texts(STRANGER))


async def test_a_request_that_cannot_be_stored_holds_up_nobody(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: telegram.count("getUpdates"))
        async with bot.shared.transaction():
            await bot.shared.execute(
                "CREATE TRIGGER full BEFORE INSERT ON admission_requests BEGIN SELECT raise(ABORT, 'no room'); END"
            )
        asks(telegram)
        telegram.say(OWNER, "hello")
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
    assert telegram.count("sendMessage", chat_id=STRANGER) == 0


async def test_only_the_operators_press_counts(telegram: FakeTelegram, tmp_path: Path) -> None:
    """A changed client may send any data under any message of the bot that it sees."""
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        for user_id, chat_id in ((FRIEND, FRIEND), (OWNER, GROUP), (FRIEND, OWNER)):
            chat = {"id": chat_id, "type": "private" if chat_id > 0 else "supergroup"}
            sender = {"id": user_id, "is_bot": False, "first_name": "X"}
            message = {"message_id": 3, "date": 1, "chat": chat}
            for data in ("members:1", f"unadmit!:{STRANGER}", f"admit:{STRANGER}"):
                telegram.push_raw({"callback_query": {"id": "1", "from": sender, "data": data, "message": message}})
        await telegram.until(lambda: not telegram.pending)
        await delivered(telegram)
        assert await admission_rows(bot) == []


# Groups


def membership(chat_id: int, status: str, *, by: int = OWNER, title: str = "Club") -> dict[str, Any]:
    return {
        "my_chat_member": {
            "chat": {"id": chat_id, "type": "supergroup", "title": title},
            "from": {"id": by, "is_bot": False, "first_name": "X"},
            "date": 1,
            "old_chat_member": {"status": "left"},
            "new_chat_member": {"status": status},
        }
    }


async def brought(telegram: FakeTelegram) -> None:
    telegram.open_chat(NEW_GROUP)
    telegram.push_raw(membership(NEW_GROUP, "member"))
    telegram.push_raw(membership(NEW_GROUP, "administrator"))
    await telegram.until(lambda: not telegram.pending and buttons(question(telegram, NEW_GROUP)))
    await delivered(telegram)


async def test_a_group_is_admitted_by_the_operator_who_brought_the_bot_there(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await brought(telegram)
        assert f"Name: Club\nId: {NEW_GROUP}" in question(telegram, NEW_GROUP).text
        telegram.say(OWNER, "/facts@remembrancer_bot", chat_id=NEW_GROUP)
        await telegram.until(lambda: not telegram.pending)
        assert bot.opened == [str(OWNER)]
        bot.clock.advance(86_400)
        await pressed(telegram, f"admit:{NEW_GROUP}", "Admitted", about=NEW_GROUP)
        await telegram.until(lambda: GROUP_WELCOME in telegram.texts(NEW_GROUP))
        telegram.say(STRANGER, "/facts@remembrancer_bot", chat_id=NEW_GROUP)
        await telegram.until(lambda: len(telegram.texts(NEW_GROUP)) == 2)
    assert sum(f"Id: {NEW_GROUP}" in text for text in telegram.texts(OWNER)) == 1


async def test_a_group_that_is_not_wanted_is_left(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        await brought(telegram)
        await pressed(telegram, f"turnaway:{NEW_GROUP}", GROUP_OUT, about=NEW_GROUP)
        await telegram.until(lambda: not telegram.is_in(NEW_GROUP))


async def test_a_group_that_was_left_is_left_again_when_it_is_refused_again(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        for _ in range(2):
            telegram.let_in(NEW_GROUP)
            await brought(telegram)
            await pressed(telegram, f"turnaway:{NEW_GROUP}", GROUP_OUT, about=NEW_GROUP)
            await telegram.until(lambda: not telegram.is_in(NEW_GROUP))
            await _until_settled(bot)
            bot.clock.advance(60)


async def test_leaving_is_tried_again_until_it_was_done(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("leaveChat", refused(500, "Internal Server Error"))
    async with serving(telegram, tmp_path) as bot:
        await brought(telegram)
        await pressed(telegram, f"turnaway:{NEW_GROUP}", GROUP_OUT, about=NEW_GROUP)
        await bot.clock.until_asleep(60)
        bot.clock.advance(60)
        await telegram.until(lambda: not telegram.is_in(NEW_GROUP))


async def test_a_group_to_which_others_bring_the_bot_is_ignored(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        for by in (STRANGER, FRIEND):
            telegram.push_raw(membership(NEW_GROUP, "member", by=by))
        telegram.push_raw(membership(NEW_GROUP, "left"))
        await telegram.until(lambda: not telegram.pending)
        assert bot.opened == []
        assert await bot.rows("SELECT * FROM admission_requests") == []
    assert telegram.count("sendMessage") == telegram.count("leaveChat") == 0


async def test_an_admitted_group_that_becomes_a_supergroup_stays_admitted(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await brought(telegram)
        await pressed(telegram, f"admit:{NEW_GROUP}", "Admitted", about=NEW_GROUP)
        await telegram.until(lambda: GROUP_WELCOME in telegram.texts(NEW_GROUP))
        telegram.migrate(NEW_GROUP, -1002)
        telegram.say(OWNER, None, chat_id=-1002, migrate_from_chat_id=NEW_GROUP)
        telegram.say(OWNER, "/facts@remembrancer_bot", chat_id=-1002)
        await telegram.until(lambda: telegram.texts(-1002))
        assert bot.opened == [str(OWNER), str(NEW_GROUP)]


# Taking back


async def listed(telegram: FakeTelegram, number: int = 1) -> Shown:
    """Show the operator the page of members in place of the question, and return it."""
    shown = question(telegram)
    chat = {"id": OWNER, "type": "private"}
    sender = {"id": OWNER, "is_bot": False, "first_name": "X"}
    message = {"message_id": shown.message_id, "date": 1, "chat": chat}
    query = {"id": "page", "from": sender, "data": f"members:{number}", "message": message}
    telegram.push_raw({"callback_query": query})
    await telegram.until(lambda: "Besides you" in stands(telegram, shown).text)
    return stands(telegram, shown)


def stands(telegram: FakeTelegram, shown: Shown) -> Shown:
    return next(one for one in telegram.sent[OWNER] if one.message_id == shown.message_id)


async def test_removed_a_member_is_served_no_longer_and_their_memory_is_kept(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        telegram.say(STRANGER, "hello")
        await telegram.until(lambda: "You said: hello" in telegram.texts(STRANGER))
        page = await listed(telegram)
        assert page.text == (
            "Besides you I serve:\n• -100 – by the settings (TELEGRAM_ALLOWED_IDS); taken off there\n"
            "• 8 – by the settings (TELEGRAM_ALLOWED_IDS); taken off there\n• 66 – a person, since Tue 2 Mar 2027"
        )
        telegram.press(OWNER, page, f"unadmit:{STRANGER}")
        await telegram.until(lambda: "no longer?" in stands(telegram, page).text)
        telegram.press(OWNER, stands(telegram, page), f"unadmit!:{STRANGER}")
        await telegram.until(lambda: "the memory is kept" in stands(telegram, page).text)
        await _until_settled(bot)
        said = len(telegram.texts(STRANGER))
        telegram.say(STRANGER, "anybody?")
        await telegram.until(lambda: not telegram.pending)
        assert len(telegram.texts(STRANGER)) == said
        assert (tmp_path / "spaces" / str(STRANGER) / "memory.db").exists()
        bot.clock.advance(60)
        await asked(telegram)
        await pressed(telegram, f"admit:{STRANGER}", IN)
        await telegram.until(lambda: telegram.texts(STRANGER).count(WELCOME) == 2)
        assert len(await bot.space_rows(STRANGER, "SELECT * FROM turns")) == 1
        assert bot.opened.count(str(STRANGER)) == 2


async def _until_settled(bot: Bot) -> None:
    while await bot.rows("SELECT * FROM admissions WHERE settled_at IS NULL"):
        await bot.telegram.until(lambda: True)


async def test_what_the_settings_say_wins(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path) as bot:
        await asked(telegram)
        await pressed(telegram, f"turnaway:{STRANGER}", OUT)
        assert await admission_rows(bot) == [(STRANGER, "refused")]
    async with serving(telegram, tmp_path, TELEGRAM_ALLOWED_IDS=f"{STRANGER}"):
        telegram.say(STRANGER, "hello")
        await telegram.until(lambda: "You said: hello" in telegram.texts(STRANGER))


async def test_the_members_stand_in_the_operators_settings_and_in_no_others(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path, TELEGRAM_ALLOWED_IDS=f"{FRIEND}"):
        telegram.say(OWNER, "/settings")
        await telegram.until(lambda: telegram.texts(OWNER))
        await delivered(telegram)
        shown = telegram.sent[OWNER][0]
        telegram.press(OWNER, shown, "members:1")
        await telegram.until(lambda: "• 8 – by the settings" in stands(telegram, shown).text)
        telegram.press(OWNER, stands(telegram, shown), "set:")
        await telegram.until(lambda: "Settings of this memory" in stands(telegram, shown).text)
        telegram.say(FRIEND, "/settings members")
        telegram.say(FRIEND, "/settings")
        await telegram.until(lambda: len(telegram.texts(FRIEND)) == 2)
    assert "there is no setting" in telegram.texts(FRIEND)[0].lower()
    assert "members:1" not in buttons(telegram.sent[FRIEND][1])


async def test_an_operator_who_serves_nobody_else_reads_how_others_come_in(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    async with serving(telegram, tmp_path, TELEGRAM_ALLOWED_IDS=""):
        telegram.say(OWNER, "/settings members")
        await telegram.until(lambda: telegram.texts(OWNER) == [ALONE])


# The rows


async def test_a_request_is_known_by_chat_and_time_so_that_no_two_share_a_name(tmp_path: Path) -> None:
    clock = FakeClock()
    await lay_blank(tmp_path / "bot.db", "bot")
    database = await Database.open(tmp_path / "bot.db", "bot", clock=clock, backups=tmp_path)
    codes = iter(["one", "two", "three"])
    try:
        admission = Admission(database, clock, operator_id=OWNER, make_code=lambda: next(codes))
        keys = []
        for _ in range(3):
            request = await admission.ask_for_person(STRANGER)
            assert request is not None
            keys.append(request.key)
            clock.advance(3600)
        assert len(set(keys)) == 3
        assert await admission.ask_for_person(STRANGER) is None
    finally:
        await database.close()


def test_codes_differ_and_can_be_read_out() -> None:
    codes = {random_code() for _ in range(500)}
    assert len(codes) == 500
    assert all(CODE.fullmatch(code) for code in codes)
