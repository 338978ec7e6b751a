"""What a message carries besides words is an attachment, a description of the program's, or told as not understood."""

from typing import Any

import pytest

from bot.telegram.reader import ALBUM_CUT, NO_TEXT, NOT_READ, ONLY_CAPTION, Reader
from bot.telegram.updates import UNREAD, User, arrival_of
from memory.store.entries import Entry
from memory.store.redaction import Redactor
from tests.fakes.clock import FakeClock

ME = User(id=123456, is_bot=True, first_name="Remembrancer", username="remembrancer_bot")
IDA = {"id": 7, "is_bot": False, "first_name": "Ida"}
PRIVATE = {"id": 7, "type": "private", "first_name": "Ida"}
SUPERGROUP = {"id": -100, "type": "supergroup", "title": "Home"}
FILE = {"file_id": "x", "file_unique_id": "u"}
ADDRESSED = {
    "caption": "@remembrancer_bot look",
    "caption_entities": [{"type": "mention", "offset": 0, "length": 17}],
}


def message(**fields: Any) -> dict[str, Any]:
    return {"message_id": 5, "date": 1_800_000_000, "chat": PRIVATE, "from": IDA, **fields}


def make_reader() -> Reader:
    return Reader(ME, frozenset({"facts", "remember"}), Redactor(["own-secret-word"]), FakeClock())


def read(body: dict[str, Any], kind: str = "message", *, reader: Reader | None = None) -> Entry | None:
    arrival = arrival_of({kind: body})
    assert arrival is not None
    entry = (reader or make_reader()).read(arrival, "tg:123456:1")
    assert entry is None or isinstance(entry, Entry)
    return entry


def entry_of(**fields: Any) -> Entry:
    entry = read(message(**fields))
    assert entry is not None
    return entry


@pytest.mark.parametrize("kind", ["voice", "audio", "video", "animation", "document"])
def test_a_file_is_an_attachment_with_what_telegram_says_of_it(kind: str) -> None:
    said = {"mime_type": "a/b", "file_name": "n.x", "file_size": 9, "duration": 3, "width": 4, "height": 5}
    entry = entry_of(**{kind: FILE | said})
    assert [one.model_dump() for one in entry.attachments] == [
        {
            "kind": kind, "file_id": "x", "unique_id": "u", "mime_type": "a/b", "name": "n.x", "size": 9,
            "duration_s": 3, "width": 4, "height": 5,
        }
    ]  # fmt: skip
    assert (entry.text, entry.notices, entry.has_content) == ("", (), True)


@pytest.mark.parametrize("number", [-1, 2**40, 2**70])
def test_a_measure_that_no_file_has_is_not_reckoned_with(number: int) -> None:
    said = dict.fromkeys(("file_size", "duration", "width", "height"), number)
    (one,) = entry_of(video=FILE | said).attachments
    assert (one.size, one.duration_s, one.width, one.height) == (None, None, None, None)


def test_an_animation_is_no_second_document() -> None:
    assert [one.kind for one in entry_of(animation=FILE, document=FILE).attachments] == ["animation"]


def test_a_round_video_has_sides() -> None:
    (one,) = entry_of(video_note=FILE | {"length": 384, "duration": 8}).attachments
    assert (one.kind, one.width, one.height, one.duration_s) == ("video_note", 384, 384, 8)


@pytest.mark.parametrize("field", ["photo", "live_photo"])
def test_of_a_photo_the_largest_size_that_can_be_fetched_counts(field: str) -> None:
    sizes = [
        FILE | {"file_id": "small", "width": 90, "height": 120},
        FILE | {"file_id": "right", "width": 900, "height": 1200, "file_size": 200_000},
        FILE | {"file_id": "vast", "width": 9000, "height": 12000, "file_size": 21_000_000},
    ]
    photo: Any = sizes if field == "photo" else {"photo": sizes, **FILE}
    (one,) = entry_of(**{field: photo}).attachments
    assert (one.kind, one.file_id, one.width) == ("photo", "right", 900)


def test_a_caption_is_the_members_words_and_nothing_need_be_told() -> None:
    entry = entry_of(caption="My passport expires in May", photo=[FILE])
    assert (entry.text, entry.notices, len(entry.attachments)) == ("My passport expires in May", (), 1)


def test_a_secret_in_a_files_name_goes() -> None:
    (one,) = entry_of(document=FILE | {"file_name": "own-secret-word.txt"}).attachments
    assert "own-secret-word" not in (one.name or "")


DESCRIBED = [
    pytest.param(
        {"sticker": FILE | {"emoji": "😀", "set_name": "Cats"}}, "[a sticker: 😀, from the set «Cats»]", id="sticker"
    ),
    pytest.param({"location": {"latitude": 52.52, "longitude": 13.405}}, "[a place: 52.52000, 13.40500]", id="place"),
    pytest.param(
        {
            "venue": {"location": {"latitude": 1, "longitude": 2}, "title": "Café", "address": "Long Road 1"},
            "location": {"latitude": 1, "longitude": 2},
        },
        "[a place: «Café», «Long Road 1», 1.00000, 2.00000]",
        id="venue",
    ),
    pytest.param(
        {"contact": {"phone_number": "+49 30 1234", "first_name": "Otto", "last_name": "Roth"}},
        "[a contact: «Otto Roth», +49 30 1234]",
        id="contact",
    ),
    pytest.param({"dice": {"emoji": "🎲", "value": 4}}, "[a throw of 🎲: 4]", id="dice"),
    pytest.param(
        {"poll": {"id": "1", "question": "When?", "options": [{"text": "Mon"}, {"text": "Tue"}]}},
        "[a poll: «When?»; options: «Mon», «Tue»]",
        id="poll",
    ),
    pytest.param(
        {"checklist": {"title": "Trip", "tasks": [{"id": 1, "text": "pack", "completion_date": 9}, {"text": "go"}]}},
        "[a checklist: «Trip»; ☑ «pack», ☐ «go»]",
        id="checklist",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "described"), DESCRIBED)
def test_what_is_neither_words_nor_file_is_described_and_is_nobodys_words(
    fields: dict[str, Any], described: str
) -> None:
    entry = entry_of(**fields)
    assert (entry.text, entry.described, entry.attachments, entry.notices) == ("", (described,), (), ())
    assert entry.has_content


def test_a_description_has_an_end_and_no_secret() -> None:
    (described,) = entry_of(poll={"question": "own-secret-word " + "x" * 5000}).described
    assert "own-secret-word" not in described
    assert len(described) <= 1_002


@pytest.mark.parametrize("kind", sorted(UNREAD))
def test_what_nobody_reads_is_no_message_and_the_member_is_told(kind: str) -> None:
    entry = entry_of(**{kind: {"title": "x"}})
    assert not entry.has_content
    assert entry.notices == (NOT_READ.format(kind=UNREAD[kind]),)


def test_the_words_beside_what_nobody_reads_count() -> None:
    entry = entry_of(caption="see this", story={"id": 1})
    assert (entry.text, entry.notices) == ("see this", (ONLY_CAPTION.format(kind="story"),))


def test_a_command_under_a_photo_is_done_and_the_photo_is_told_as_unread() -> None:
    entry = entry_of(
        photo=[FILE], caption="/remember this", caption_entities=[{"type": "bot_command", "offset": 0, "length": 9}]
    )
    assert (entry.kind, entry.text, entry.attachments) == ("command", "/remember this", ())
    assert entry.notices == (ONLY_CAPTION.format(kind="photo"),)


def test_an_empty_message_is_told_as_such() -> None:
    assert entry_of(text=" \u3164 ").notices == (NO_TEXT,)


def test_an_edited_caption_is_an_edit_of_words_alone() -> None:
    entry = read(message(caption="new", photo=[FILE], edit_date=1_800_000_600), "edited_message")
    assert entry is not None
    assert (entry.kind, entry.text, entry.attachments, entry.notices) == ("edit", "new", (), ())


def test_a_caption_that_was_taken_away_is_an_edit_to_no_words() -> None:
    entry = read(message(photo=[FILE], edit_date=1_800_000_600), "edited_message")
    assert entry is not None
    assert (entry.kind, entry.text, entry.attachments, entry.notices) == ("edit", "", (), ())
    assert read(message(edit_date=1_800_000_600), "edited_message") is None


def test_the_messages_of_an_album_name_it() -> None:
    assert entry_of(photo=[FILE], media_group_id="a1").album == "a1"


def test_an_album_that_nobody_reads_is_told_about_once() -> None:
    one = entry_of(paid_media={"star_count": 1}, media_group_id="a1")
    two = entry_of(paid_media={"star_count": 1}, media_group_id="a1", message_id=6)
    assert one.source == two.source == "tg:123456:album:a1"


def test_in_a_group_one_addressed_message_of_an_album_brings_those_after_it() -> None:
    reader = make_reader()
    group = {"chat": SUPERGROUP, "photo": [FILE]}
    assert read(message(**group, media_group_id="a1"), reader=reader) is None
    assert notices_of(message(**group, **ADDRESSED, media_group_id="a1"), reader) == (ALBUM_CUT,)
    assert notices_of(message(**group, media_group_id="a1"), reader) == ()
    assert read(message(**group, media_group_id="a2"), reader=reader) is None
    assert read(message(**group), reader=reader) is None
    assert notices_of(message(**group, **ADDRESSED, media_group_id="a3"), reader) == ()


def notices_of(body: dict[str, Any], reader: Reader) -> tuple[str, ...]:
    entry = read(body, reader=reader)
    assert entry is not None
    return entry.notices


def test_in_a_group_a_voice_message_counts_only_as_a_reply_to_us() -> None:
    earlier = {"message_id": 3, "chat": SUPERGROUP, "from": {"id": 123456, "is_bot": True}, "text": "And?"}
    assert read(message(chat=SUPERGROUP, voice=FILE)) is None
    assert read(message(chat=SUPERGROUP, voice=FILE, reply_to_message=earlier)) is not None
