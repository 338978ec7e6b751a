"""What Telegram Desktop exported is read as who said what, and only the member's own words may become facts."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.imports.choosing import chosen_chat, member_of
from bot.imports.telegram_desktop import BadExport, Reading, is_telegram_export, opened, survey
from bot.inputs import UsageFault
from memory.messages import Message
from tests.bot.imports.exports import FIRST, TALK, Json, account, chat, said, service, write

ZONE = ZoneInfo("Europe/Berlin")


def read(export: Json, folder: Path, *, me: str | None = "user42", number: int = 0) -> tuple[list[Message], Reading]:
    path = write(folder, export)
    with opened(path) as file:
        found = survey(file)
    reading = Reading(found.chats[number], me, ZONE)
    with opened(path) as file:
        return list(reading.messages(file)), reading


def test_of_a_chat_only_the_members_own_words_are_theirs(tmp_path: Path) -> None:
    messages, reading = read(TALK, tmp_path)

    assert [(m.role, m.origin, m.author, m.author_id, m.text, m.ref) for m in messages] == [
        ("user", "import", "Ann", 42, "My dentist is Dr. Vogel.", "77/2"),
        ("user", "forward", "Bob", 77, "I moved to Graz.", "77/3"),
        ("user", "forward", "Ann", 42, "The wedding is on 12 June 2027.", "77/5"),
        ("user", "forward", "Ann", 42, "Chosen for you", "77/6"),
        ("user", "forward", None, 77, "bye", "77/8"),
        ("user", "import", "Ann", 42, "We decided to paint the kitchen green.", "77/10"),
    ]
    assert dict(reading.skipped) == {"service": 2, "media": 2}


def test_what_was_forwarded_bears_the_name_of_its_writer(tmp_path: Path) -> None:
    (message,), _ = read(chat(said(1, "Ann", "user42", "Sale!", forwarded_from="Shop")), tmp_path)

    assert (message.author, message.origin) == ("Shop", "forward")


def test_the_answers_of_a_bot_are_the_assistants(tmp_path: Path) -> None:
    talk = chat(said(1, "Ann", "user42", "Hello"), said(2, "Bot", "user77", "Hello!"), kind="bot_chat")

    messages, _ = read(talk, tmp_path)

    assert [(m.role, m.origin) for m in messages] == [("user", "import"), ("model", "import")]


def test_in_a_groups_memory_all_who_speak_are_members_but_channels(tmp_path: Path) -> None:
    talk = chat(
        said(1, "Ann", "user42", "one"),
        said(2, "Bob", "user77", "two"),
        said(3, "News", "channel5", "three"),
        kind="private_group",
    )

    messages, _ = read(talk, tmp_path, me=None)

    assert [m.origin for m in messages] == ["import", "import", "forward"]


@pytest.mark.parametrize(
    ("more", "at"),
    [
        ({"date_unixtime": str(FIRST)}, datetime.fromtimestamp(FIRST, UTC)),
        ({"date_unixtime": None, "date": "2025-01-10T09:00:00"}, datetime(2025, 1, 10, 8, tzinfo=UTC)),
        ({"date_unixtime": None, "date": "2025-07-10T09:00:00"}, datetime(2025, 7, 10, 7, tzinfo=UTC)),
    ],
)
def test_the_second_counts_else_the_wall_time_in_the_zone_of_the_space(
    tmp_path: Path, more: Json, at: datetime
) -> None:
    (message,), _ = read(chat(said(1, "Ann", "user42", "x", **more)), tmp_path)

    assert message.at == at


@pytest.mark.parametrize(
    "odd",
    [
        {"date_unixtime": "soon"},
        {"date_unixtime": "99999999999999999999"},
        {"date_unixtime": None, "date": "yesterday"},
        {"text": None, "date": None, "date_unixtime": None},
        {"text": [None, 7, {"type": "x"}], "date_unixtime": "never"},
    ],
)
def test_an_odd_entry_is_counted_and_those_around_it_are_read(tmp_path: Path, odd: Json) -> None:
    talk = chat(said(1, "Ann", "user42", "one"), said(2, "Ann", "user42", "two") | odd, said(3, "Ann", "user42", "3"))
    talk["messages"] += [None, 7, "x", []]

    messages, reading = read(talk, tmp_path)

    assert [m.text for m in messages] == ["one", "3"]
    assert sum(reading.skipped.values()) == 5


def test_files_of_before_2021_have_bare_numbers(tmp_path: Path) -> None:
    (message,), _ = read(chat(said(1, "Ann", 42, "x")), tmp_path)  # type: ignore[arg-type]

    assert (message.origin, message.author_id) == ("import", 42)


def test_a_whole_account_is_looked_over_chat_by_chat(tmp_path: Path) -> None:
    export = account(TALK, chat(said(1, "Ann", "user42", "Note"), name=None, kind="saved_messages", number=42))
    path = write(tmp_path, export)

    with opened(path) as file:
        found = survey(file)
    messages, _ = read(export, tmp_path, number=1)

    assert found.owner == "42"
    assert [(one.title, one.id, one.count) for one in found.chats] == [
        ("Bob", 77, 10),
        ("saved messages", 42, 1),
        ("Left", 3, 1),
    ]
    assert [m.text for m in messages] == ["Note"]


@pytest.mark.parametrize("text", ["{}", '{"about": "x"}', '{"messages": [', '{"name": "Bob", "messages": [1, 2'])
def test_what_holds_no_chat_or_is_cut_off_says_so(text: str) -> None:
    with pytest.raises(BadExport):
        survey(io.StringIO(text))


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (json.dumps(TALK), True),
        (json.dumps(TALK, indent=1)[:300], True),
        (json.dumps(account(TALK))[:500], True),
        ('{"at": "2027-01-01", "role": "user", "text": "see \\"messages\\": [1]"}\n', False),
        ('{"at": "2027-01-01", "role": "user", "text": "x"}', False),
        ("\n[1, 2]", False),
        ("", False),
    ],
)
def test_an_export_is_told_from_lines_by_its_beginning(head: str, is_one: bool) -> None:
    assert is_telegram_export(head) == is_one


# Whose words


def who(export: Json, *, chat_name: str | None = None, me: str | None = None, known_id: str | None = None) -> str:
    found = survey(io.StringIO(json.dumps(export)))
    return member_of(chosen_chat(found, chat_name), found, me, known_id=known_id)


GROUP = chat(said(1, "Ann", "user42", "x"), said(2, "Bob", "user77", "y"), kind="private_group", name="Team", number=9)


@pytest.mark.parametrize(
    ("export", "asked", "key"),
    [
        (TALK, {}, "user42"),
        (chat(said(1, "Bob", "user77", "x")), {}, "nobody"),
        (GROUP, {"known_id": "77"}, "user77"),
        (GROUP, {"me": "Bob"}, "user77"),
        (GROUP, {"me": "42"}, "user42"),
        (GROUP, {"me": "user42", "known_id": "77"}, "user42"),
        (account(GROUP), {"chat_name": "team"}, "user42"),
        (account(GROUP), {"chat_name": "9"}, "user42"),
        (account(chat(name=None, kind="saved_messages", number=6)), {"chat_name": "saved messages"}, "user6"),
    ],
)
def test_the_member_is_found(export: Json, asked: dict[str, Any], key: str) -> None:
    assert who(export, **asked) == key


@pytest.mark.parametrize(
    ("export", "asked", "told"),
    [
        (GROUP, {}, r"--me ID: Ann \(42, 1 messages\); Bob \(77, 1 messages\)"),
        (GROUP, {"me": "Eve"}, "--me must be one of those"),
        (account(GROUP, TALK), {}, r"3 chats; choose one with --chat ID: Team \(9, 2 messages\); Bob \(77"),
        (account(GROUP, TALK), {"chat_name": "nobody"}, "no such chat"),
        (account(TALK, TALK), {"chat_name": "Bob"}, "several chats of that name"),
    ],
)
def test_what_cannot_be_told_is_asked_with_what_there_is(export: Json, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageFault, match=told):
        who(export, **asked)


def test_a_chat_of_service_messages_alone_has_no_member() -> None:
    assert who(chat(service(1), kind="private_group")) == "nobody"
