"""Media that members send: albums, photos, voice messages and what goes wrong with them, as the member sees it."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.telegram.media import TRIES
from memory.errors import ModelBusy
from memory.messages import MediaPart, TextPart
from memory.ports import ModelReply, ModelRequest, OnText
from tests.bot.telegram.house import OWNER, HeldClock, Talk, serving
from tests.bot.turn.house import change
from tests.fakes.model import extracts, says
from tests.fakes.telegram import FILE, FakeTelegram
from tests.fakes.telegram_failures import refused, server_error, stall

ALBUM_S = 1.0


def jpeg(content: str) -> bytes:
    return b"\xff\xd8\xff\xe0" + content.encode()


@dataclass
class Listener(Talk):
    """Hears in a recording what its bytes say, and reads the vet out of every message that names one."""

    deafness: ModelBusy | None = None
    heard: list[ModelRequest] = field(default_factory=list)

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "transcribe":
            self.heard.append(request)
            if self.deafness is not None:
                raise self.deafness
            (part,) = request.messages[-1].parts
            assert isinstance(part, MediaPart)
            assert part.data is not None
            return says(part.data.decode())
        if request.task == "extract" and "vet is Dr. Brandt" in request.messages[-1].text:
            return extracts(change("vet", "Dr. Brandt", "vet is Dr. Brandt"))
        return await super().generate(request, on_text=on_text)


def photo(telegram: FakeTelegram, name: str, *, caption: str | None = None, who: int = OWNER, **more: Any) -> int:
    telegram.add_file(name, jpeg(name))
    sizes = [{"file_id": name, "file_unique_id": name, "width": 1200, "height": 900, "file_size": 100}]
    words: dict[str, Any] = {} if caption is None else {"caption": caption}
    return telegram.say(who, None, photo=sizes, **words, **more)


def voice(telegram: FakeTelegram, words: str, *, who: int = OWNER, **more: Any) -> int:
    telegram.add_file(words, words.encode())
    file = {"file_id": words, "file_unique_id": words, "duration": 3, "mime_type": "audio/ogg", "file_size": 90}
    return telegram.say(who, None, voice=file, **more)


def shown(request: ModelRequest) -> list[bytes | None]:
    """Return the bytes a request shows."""
    return [part.data for part in request.shown if isinstance(part, MediaPart)]


async def answered(telegram: FakeTelegram, count: int = 1, who: int = OWNER) -> list[str]:
    await telegram.until(lambda: len(telegram.texts(who)) >= count)
    return telegram.texts(who)


async def through_quiet(clock: HeldClock, telegram: FakeTelegram, count: int = 1) -> None:
    """Let the quiet second pass as often as it is waited for, until there are so many answers."""
    done = asyncio.create_task(answered(telegram, count))
    while not done.done():
        asleep = asyncio.create_task(clock.until_asleep(ALBUM_S))
        await asyncio.wait({done, asleep}, return_when=asyncio.FIRST_COMPLETED)
        if asleep.done():
            await asleep
            clock.advance(ALBUM_S)
        asleep.cancel()
        await asyncio.gather(asleep, return_exceptions=True)
    await done


# Albums


async def test_an_album_is_one_turn_with_all_photos_and_captions_however_its_messages_come(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk, clock = Talk(), HeldClock()
    async with serving(telegram, tmp_path, talk, clock=clock):
        photo(telegram, "one", caption="The hall.", media_group_id="a1")
        await clock.until_asleep(ALBUM_S)
        photo(telegram, "two", media_group_id="a1")
        await telegram.until(lambda: not telegram.pending)
        clock.advance(ALBUM_S)
        await clock.until_asleep(ALBUM_S)
        photo(telegram, "three", caption="The garden.", media_group_id="a1")
        await telegram.until(lambda: not telegram.pending)
        clock.advance(ALBUM_S)
        await clock.until_asleep(ALBUM_S)
        clock.advance(ALBUM_S)
        await answered(telegram)
    (request,) = talk.requests
    assert [message.text for message in request.messages if message.role == "user"] == ["The hall.", "", "The garden."]
    assert shown(request) == [jpeg("one"), jpeg("two"), jpeg("three")]
    assert len(telegram.texts(OWNER)) == 1


async def test_an_album_is_one_turn_over_a_restart_in_its_middle(telegram: FakeTelegram, tmp_path: Path) -> None:
    clock = HeldClock()
    async with serving(telegram, tmp_path, Talk(), clock=clock):
        photo(telegram, "one", media_group_id="a1")
        await clock.until_asleep(ALBUM_S)
    photo(telegram, "two", caption="Both of them.", media_group_id="a1")
    talk, clock = Talk(), HeldClock()
    async with serving(telegram, tmp_path, talk, clock=clock):
        await telegram.until(lambda: not telegram.pending)
        await through_quiet(clock, telegram)
    (request,) = talk.requests
    assert shown(request) == [jpeg("one"), jpeg("two")]


async def test_what_comes_of_an_album_while_it_is_fetched_joins_its_turn(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk, clock = Talk(), HeldClock()
    telegram.fail_next(FILE, server_error())
    async with serving(telegram, tmp_path, talk, clock=clock):
        photo(telegram, "one", media_group_id="a1")
        await clock.until_asleep(ALBUM_S)
        clock.advance(ALBUM_S)
        await telegram.until(lambda: telegram.count(FILE) == 1)
        await clock.until_asleep(1.0)
        photo(telegram, "two", media_group_id="a1")
        await telegram.until(lambda: not telegram.pending)
        clock.advance(1.0)
        await answered(telegram)
    (request,) = talk.requests
    assert shown(request) == [jpeg("one"), jpeg("two")]


async def test_an_album_of_ten_is_one_turn_and_others_do_not_join_it(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk, clock = Talk(), HeldClock()
    names = [f"photo {number}" for number in range(10)]
    for number, name in enumerate(names):
        photo(telegram, name, media_group_id="a1")
        if number == 4:
            telegram.say(OWNER, "and this")
    async with serving(telegram, tmp_path, talk, clock=clock):
        await telegram.until(lambda: not telegram.pending)
        await through_quiet(clock, telegram, 2)
    album, alone = talk.requests
    assert shown(album) == [jpeg(name) for name in names]
    assert shown(alone) == []
    assert [message.text for message in alone.messages if message.role == "user"][-1] == "and this"


async def test_an_edited_caption_takes_the_place_of_its_own_words(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk, clock = Talk(), HeldClock()
    async with serving(telegram, tmp_path, talk, clock=clock) as bot:
        first = telegram.message_id_of(photo(telegram, "one", caption="The hall.", media_group_id="a1"))
        photo(telegram, "two", caption="The garden.", media_group_id="a1")
        await telegram.until(lambda: not telegram.pending)
        await through_quiet(clock, telegram)
        telegram.edit(OWNER, first, "", caption="The attic.")
        await telegram.until(lambda: not telegram.pending)
        telegram.say(OWNER, "well?")
        await answered(telegram, 2)
        texts = [message.text for message in talk.requests[-1].messages if message.role == "user"]
        assert texts == ["The attic.", "The garden.", "well?"]
        edited = next(message for message in talk.requests[-1].messages if message.text == "The attic.")
        assert [type(part) for part in edited.parts] == [TextPart, MediaPart]
        assert shown(talk.requests[-1]) == []
        assert len(await bot.space_rows(OWNER, "SELECT id FROM turns")) == 2


# Photos


async def test_the_model_sees_a_photo_without_words_and_nobody_puts_words_to_it(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk(answer=lambda request: "A cat.")
    async with serving(telegram, tmp_path, talk) as bot:
        photo(telegram, "cat")
        assert await answered(telegram) == ["A cat."]
        (row,) = await bot.space_rows(OWNER, "SELECT text, place FROM messages WHERE role = 'user'")
        assert (row["text"], row["place"] is not None) == ("", True)
        assert await bot.space_rows(OWNER, "SELECT * FROM jobs WHERE kind = 'extract'") == []
    (request,) = talk.requests
    assert shown(request) == [jpeg("cat")]
    assert [part.mime_type for part in request.shown if isinstance(part, MediaPart)] == ["image/jpeg"]


async def test_later_turns_name_the_photo_and_do_not_show_it(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk):
        photo(telegram, "cat", caption="my cat")
        await answered(telegram)
        telegram.say(OWNER, "and now?")
        await answered(telegram, 2)
    assert [shown(request) for request in talk.requests] == [[jpeg("cat")], []]
    (part,) = [part for message in talk.requests[1].messages for part in message.parts if isinstance(part, MediaPart)]
    assert part.data is None
    assert part.label == f"photo {part.sha256[:8]}, 1200×900"


async def test_a_picture_is_what_its_bytes_say_it_is(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    telegram.add_file("d", jpeg("as a file"))
    async with serving(telegram, tmp_path, talk):
        telegram.say(
            OWNER, None, document={"file_id": "d", "file_name": "scan.png", "mime_type": "image/png", "file_size": 20}
        )
        await answered(telegram)
    (part,) = [part for part in talk.requests[0].shown if isinstance(part, MediaPart)]
    assert (part.mime_type, part.name, part.data) == ("image/jpeg", "scan.png", jpeg("as a file"))


async def test_a_place_is_described_to_the_model_and_is_nobodys_words(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk(answer=lambda request: "You are in Berlin.")
    async with serving(telegram, tmp_path, talk) as bot:
        telegram.say(OWNER, None, location={"latitude": 52.52, "longitude": 13.405})
        assert await answered(telegram) == ["You are in Berlin."]
        assert await bot.space_rows(OWNER, "SELECT * FROM segments WHERE message_id = 1") == []
        assert await bot.space_rows(OWNER, "SELECT * FROM jobs WHERE kind = 'extract'") == []
    (said,) = [message for message in talk.requests[0].messages if message.role == "user"]
    assert said.text == ""
    assert "[a place: 52.52000, 13.40500]" in str(said.parts)


# Voice


async def test_a_voice_message_is_the_members_own_words_with_receipt_and_undo(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Listener(answer=lambda request: "Good to know.")
    async with serving(telegram, tmp_path, talk) as bot:
        voice(telegram, "Our vet is Dr. Brandt.")
        texts = await answered(telegram, 3)
        assert texts[0].startswith("🎤 I heard: «Our vet is Dr. Brandt.»")
        assert texts[1] == "Good to know."
        assert texts[2].startswith("✎ vet → Dr. Brandt")
        receipt = telegram.sent[OWNER][2]
        assert "Undo" in str(receipt.keyboard)
        (fact,) = await bot.space_rows(OWNER, "SELECT status, value FROM facts")
        assert (fact["status"], fact["value"]) == ("active", "Dr. Brandt")
        (row,) = await bot.space_rows(OWNER, "SELECT text, origin FROM messages WHERE role = 'user'")
        assert (row["text"], row["origin"]) == ("Our vet is Dr. Brandt.", "own")
        usage = await bot.space_rows(OWNER, "SELECT task FROM usage")
        assert "transcribe" in [row["task"] for row in usage]
    (heard,) = talk.heard
    assert heard.system.startswith("task: transcribe\n")
    assert shown(talk.requests[0]) == []


async def test_a_forwarded_voice_message_says_nothing_for_the_member(telegram: FakeTelegram, tmp_path: Path) -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Otto"}
    async with serving(telegram, tmp_path, Listener()) as bot:
        voice(telegram, "Our vet is Dr. Brandt.", forward_origin=origin)
        await answered(telegram, 3)
        (row,) = await bot.space_rows(OWNER, "SELECT origin, author FROM messages WHERE role = 'user'")
        assert (row["origin"], row["author"]) == ("forward", "Otto")
        (fact,) = await bot.space_rows(OWNER, "SELECT status FROM facts")
        assert fact["status"] == "pending"


async def test_what_is_said_in_an_audio_file_is_not_the_members_word(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Listener()
    telegram.add_file("a", b"Our vet is Dr. Brandt.")
    audio = {"file_id": "a", "file_unique_id": "a", "duration": 3, "mime_type": "audio/mpeg", "file_size": 9}
    async with serving(telegram, tmp_path, talk) as bot:
        telegram.say(OWNER, None, audio=audio, caption="Listen to this.")
        await answered(telegram, 3)
        rows = await bot.space_rows(OWNER, "SELECT text, origin FROM messages WHERE role = 'user' ORDER BY id")
        assert [tuple(row) for row in rows] == [("Listen to this.", "own"), ("Our vet is Dr. Brandt.", "forward")]
        (fact,) = await bot.space_rows(OWNER, "SELECT status FROM facts")
        assert fact["status"] == "pending"


async def test_a_secret_that_is_spoken_is_not_stored_and_can_be_kept(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Listener()) as bot:
        voice(telegram, "The wifi password is plum-otter-9.")
        texts = await answered(telegram, 3)
        assert not any("plum-otter-9" in text for text in texts)
        assert any("Not stored: something that looked like" in text for text in texts)
        for table, column in (("messages", "body"), ("inbox", "body"), ("outbox", "body")):
            rows = await bot.space_rows(OWNER, f"SELECT {column} FROM {table}")
            # The name of the file stands for its bytes here.
            assert not any("plum-otter-9" in str(row[0]) and "file_id" not in str(row[0]) for row in rows)


async def test_a_spoken_command_is_just_words(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Listener()
    async with serving(telegram, tmp_path, talk):
        voice(telegram, "/new")
        await answered(telegram, 2)
    assert [message.text for message in talk.requests[0].messages if message.role == "user"] == ["/new"]


async def test_where_nobody_can_listen_the_member_is_told_and_no_model_is_asked(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Listener(deafness=ModelBusy("503"))
    async with serving(telegram, tmp_path, talk) as bot:
        voice(telegram, "Our vet is Dr. Brandt.")
        (text,) = await answered(telegram)
        assert text.startswith("I could not listen to this (voice message)")
        assert "Send it again later" in text
        assert await bot.space_rows(OWNER, "SELECT * FROM facts") == []
        (row,) = await bot.space_rows(OWNER, "SELECT text FROM messages WHERE role = 'user'")
        assert row["text"] == ""
        (kept,) = await bot.space_rows(OWNER, "SELECT mime_type FROM media")
        assert kept["mime_type"] == "audio/ogg"
    assert talk.requests == []


@pytest.mark.parametrize("said", ["NO SPEECH", "no speech."])
async def test_silence_is_told_as_such(telegram: FakeTelegram, tmp_path: Path, said: str) -> None:
    talk = Listener()
    async with serving(telegram, tmp_path, talk):
        voice(telegram, said)
        (text,) = await answered(telegram)
    assert text.startswith("I heard nobody speak in this (voice message).")
    assert talk.requests == []


# Documents


async def test_a_documents_caption_is_the_members_and_its_text_is_not(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Listener()
    telegram.add_file("d", b"Our vet is Dr. Brandt.\nCall before six.")
    async with serving(telegram, tmp_path, talk) as bot:
        file = {"file_id": "d", "file_unique_id": "d", "file_name": "notes.txt", "mime_type": "text/plain"}
        telegram.say(OWNER, None, document=file, caption="What does it say?")
        await telegram.until(lambda: talk.requests)
        await answered(telegram)
        rows = await bot.space_rows(OWNER, "SELECT text FROM messages WHERE role = 'user' AND origin = 'own'")
        assert [row["text"] for row in rows] == ["What does it say?"]
        facts = await bot.space_rows(OWNER, "SELECT status FROM facts WHERE status <> 'pending'")
        assert facts == []
    told = [message.text for message in talk.requests[0].messages if message.role == "notice"]
    assert any("Call before six." in text for text in told)


# What goes wrong


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("video", {"file_size": 25_000_000}, "Telegram gives me files of up to 20 MB"),
        ("document", {"file_size": 25_000_000, "file_name": "a.pdf"}, "Telegram gives me files of up to 20 MB"),
        ("video", {"file_size": 16_000_000}, "files of up to 14 MB"),
        ("voice", {"file_size": 5_000_000, "duration": 1801}, "recordings of up to 30 minutes"),
    ],
)
async def test_what_is_too_large_is_told_with_what_to_do_and_nothing_is_fetched(
    telegram: FakeTelegram, tmp_path: Path, kind: str, more: dict[str, Any], words: str
) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        fields: dict[str, Any] = {kind: {"file_id": "x", "file_unique_id": "x"} | more}
        telegram.say(OWNER, None, **fields)
        (text,) = await answered(telegram)
        assert words in text
        assert await bot.space_rows(OWNER, "SELECT * FROM facts") == []
    assert (telegram.count("getFile"), talk.requests) == (0, [])


FAULTS = [
    pytest.param(refused(400, "Bad Request: file is too big"), 1, "Telegram gives me files of up to 20 MB", id="big"),
    pytest.param(refused(400, "Bad Request: wrong file_id"), 1, "does not give this file out any more", id="gone"),
    pytest.param(server_error(), None, "could not fetch this from Telegram just now", id="unreachable"),
]


@pytest.mark.parametrize(("failure", "times", "words"), FAULTS)
async def test_a_failed_download_is_told_and_is_never_the_members_word(
    telegram: FakeTelegram, tmp_path: Path, failure: Any, times: int | None, words: str
) -> None:
    talk, clock = Talk(), HeldClock()
    telegram.fail_next("getFile", failure, times=times)
    async with serving(telegram, tmp_path, talk, clock=clock) as bot:
        photo(telegram, "one", caption="Is this mould?")
        for wait_s in (1.0, 2.0) if times is None else ():
            await clock.until_asleep(wait_s)
            clock.advance(wait_s)
        texts = await answered(telegram, 2)
        assert words in texts[0]
        assert texts[1] == "You said: Is this mould?"
        rows = await bot.space_rows(OWNER, "SELECT text FROM messages WHERE role = 'user'")
        assert [row["text"] for row in rows] == ["Is this mould?"]
    (request,) = talk.requests
    assert shown(request) == []
    assert "the member was told" in str(request.messages[-1].parts)
    if times is None:
        assert telegram.count("getFile") == TRIES


async def test_a_failed_download_without_words_is_answered_by_the_notice_alone(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    talk = Talk()
    telegram.fail_next("getFile", refused(400, "Bad Request: wrong file_id"))
    async with serving(telegram, tmp_path, talk):
        photo(telegram, "one")
        (text,) = await answered(telegram)
    assert "does not give this file out any more" in text
    assert talk.requests == []


async def test_a_file_that_is_gone_at_its_address_is_told(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next(FILE, refused(404, "Not Found"))
    async with serving(telegram, tmp_path, Talk()):
        photo(telegram, "one")
        (text,) = await answered(telegram)
    assert "does not give this file out any more" in text


async def test_a_download_that_breaks_off_is_tried_again(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk, clock = Talk(), HeldClock()
    telegram.fail_next(FILE, server_error())
    async with serving(telegram, tmp_path, talk, clock=clock):
        photo(telegram, "one")
        await clock.until_asleep(1.0)
        clock.advance(1.0)
        await answered(telegram)
    assert shown(talk.requests[0]) == [jpeg("one")]


async def test_stop_takes_effect_while_a_file_is_fetched(telegram: FakeTelegram, tmp_path: Path) -> None:
    talk = Talk()
    telegram.fail_next(FILE, stall())
    async with serving(telegram, tmp_path, talk) as bot:
        photo(telegram, "one", caption="Is this mould?")
        await telegram.until(lambda: telegram.count(FILE))
        telegram.say(OWNER, "/stop", date=1_900_000_000)
        assert (await answered(telegram))[0].startswith("Stopped")
        (row,) = await bot.space_rows(OWNER, "SELECT text FROM messages WHERE role = 'user'")
        assert row["text"] == "Is this mould?"
        assert await bot.space_rows(OWNER, "SELECT * FROM turns WHERE state <> 'stopped'") == []
    assert talk.requests == []


async def test_a_turn_that_was_killed_in_a_download_is_resumed_once(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next(FILE, stall())
    async with serving(telegram, tmp_path, Talk()) as bot:
        photo(telegram, "one", caption="Is this mould?")
        await telegram.until(lambda: telegram.count(FILE))
        await bot.stop()
    talk = Talk()
    async with serving(telegram, tmp_path, talk) as bot:
        assert await answered(telegram) == ["You said: Is this mould?"]
        rows = await bot.space_rows(OWNER, "SELECT text FROM messages WHERE role = 'user'")
        assert [row["text"] for row in rows] == ["Is this mould?"]
    assert [shown(request) for request in talk.requests] == [[jpeg("one")]]
