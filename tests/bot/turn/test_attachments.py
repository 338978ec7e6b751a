"""What came with a message is shown to the model where and when it should be, and is gone when it is forgotten."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.models.media_types import MAX_INLINE_BYTES
from bot.turn.agent import GAVE_UP
from bot.turn.attachments.downloads import NotFetched
from memory.forget import effects, plan, rows
from memory.integrity import Fault, examine
from memory.messages import MediaPart, TextPart
from memory.ports import ModelReply, ModelRequest
from memory.store.entries import Attachment, AttachmentKind
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.model import ScriptedModel, calls, extracts, says

JPEG = b"\xff\xd8\xff\xe0"


@dataclass
class Shelf:
    """Downloads by the attachment's id; so many fetches break as nothing should."""

    files: Mapping[str, bytes]
    breaks: int = 0
    asked: list[str] = field(default_factory=list)

    async def fetch(self, attachment: Attachment) -> bytes:
        self.asked.append(attachment.file_id)
        if self.breaks:
            self.breaks -= 1
            raise RuntimeError("broken off")
        if attachment.file_id not in self.files:
            raise NotFetched("gone")
        return self.files[attachment.file_id]


def attached(kind: AttachmentKind, file_id: str, **more: object) -> tuple[Attachment, ...]:
    return (Attachment.model_validate({"kind": kind, "file_id": file_id, "unique_id": file_id, **more}),)


def photo(name: str = "cat") -> tuple[Attachment, ...]:
    return attached("photo", name, width=4, height=3)


def shown(request: ModelRequest) -> list[bytes | str]:
    """Return the bytes and notes that a request shows."""
    return [
        part.data or b"" if isinstance(part, MediaPart) else part.text
        for part in request.shown
        if isinstance(part, MediaPart | TextPart)
    ]


async def forget(h: House, ref: str) -> None:
    async with h.space.db.transaction():
        await rows(h.space, await plan(h.space, ref), h.tombstones)
    await effects(h.space)


async def kept(h: House) -> list[bytes | None]:
    found = await h.space.db.fetch_all("SELECT sha256 FROM media ORDER BY created_at, sha256")
    return [h.space.media.read(row["sha256"]) for row in found]


async def faults(h: House) -> list[Fault]:
    """Return what integrity finds in the rows and the media."""
    return await examine(h.space.db, h.space.folder, h.clock)


# Showing


async def test_the_steps_of_a_turn_show_the_same_bytes(tmp_path: Path) -> None:
    steps = (calls(("clock", {})), says("A cat."), says("Yes."))
    async with house(tmp_path, *steps, downloads=Shelf({"cat": JPEG + b"cat"})) as h:
        await h.say("Who is that?", attachments=photo())
        await h.say("Really?")
        requests = h.model.chat.requests
        assert [shown(request) for request in requests] == [[JPEG + b"cat"], [JPEG + b"cat"], []]


async def test_a_photo_is_seen_again_when_the_model_asks(tmp_path: Path) -> None:
    def look(request: ModelRequest) -> ModelReply:
        (part,) = [part for message in request.messages for part in message.parts if isinstance(part, MediaPart)]
        return calls(("files", {"action": "show", "hash": part.sha256[:8]}))

    script = ScriptedModel([says("A cat."), look, says("It is grey."), says("You are welcome.")])
    async with house(tmp_path, model=TaskModel(script), downloads=Shelf({"cat": JPEG + b"cat"})) as h:
        await h.say("Who is that?", attachments=photo())
        await h.say("What colour was it?")
        await h.say("Thanks")
        assert [shown(request) for request in script.requests] == [[JPEG + b"cat"], [], [JPEG + b"cat"], []]


async def test_a_turn_tells_what_it_was_shown(tmp_path: Path) -> None:
    async with house(tmp_path, says("A cat."), downloads=Shelf({"cat": JPEG})) as h:
        await h.say("Who is that?", attachments=photo())
        await h.say("/why", kind="command")
        assert "Pictures and other media it was shown" in h.screen.delivered[-1]
        assert "1,120 tokens" in h.screen.delivered[-1]


async def test_a_recording_too_large_to_hear_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, downloads=Shelf({"a": b"x" * (MAX_INLINE_BYTES + 1)})) as h:
        await h.say("", attachments=attached("document", "a", mime_type="audio/mpeg"))
        assert "files of up to 14 MB" in h.screen.delivered[0]


async def test_a_picture_and_a_film_too_large_to_look_at_are_told(tmp_path: Path) -> None:
    filler = b"x" * MAX_INLINE_BYTES
    async with house(tmp_path, downloads=Shelf({"photo": JPEG + filler, "film": filler + b"x"})) as h:
        await h.say("", attachments=attached("document", "photo", mime_type="image/jpeg"))
        await h.say("", attachments=attached("document", "film", mime_type="video/mp4"))
        assert len(h.screen.delivered) == 2
        assert all("files of up to 14 MB" in text for text in h.screen.delivered)


async def test_a_reply_to_a_photo_names_it(tmp_path: Path) -> None:
    async with house(tmp_path, says("A cat."), says("Grey."), downloads=Shelf({"cat": JPEG})) as h:
        entry = await h.receive("", attachments=photo())
        await h.runner.drain()
        await h.say("What colour is it?", reply_to=entry.message_id)
        notes = [message.text for message in h.model.chat.requests[1].messages if message.role == "notice"]
        (part,) = [part for message in h.model.chat.requests[0].messages for part in message.media]
        assert any(f"replies to one with [photo {part.sha256[:8]}, 4×3]" in note for note in notes)


async def test_in_a_group_a_spoken_secret_goes_and_cannot_be_kept(tmp_path: Path) -> None:
    model = TaskModel(
        ScriptedModel([says("I see.")]), transcribe=ScriptedModel([says("The wifi password is plum-otter-9.")])
    )
    async with house(tmp_path, model=model, downloads=Shelf({"v": b"OggS"}), space_id="-100") as h:
        await h.say("", attachments=attached("voice", "v"), chat_id=-100)
        assert not any("plum-otter-9" in text for text in h.screen.delivered)
        assert not any("/keepsecret" in text for text in h.screen.delivered)
        assert any("Not stored" in text for text in h.screen.delivered)


@pytest.mark.parametrize("prefix", ["", "ab", "0123456789"])
async def test_what_is_not_kept_cannot_be_shown(tmp_path: Path, prefix: str) -> None:
    steps = (calls(("files", {"action": "show", "hash": prefix})), says("I can't see it."))
    async with house(tmp_path, *steps, downloads=Shelf({"cat": JPEG})) as h:
        await h.say("Show me")
        (result,) = h.model.chat.requests[1].messages[-1].results
        assert "nothing that can be shown" in result.response["error"]
        assert shown(h.model.chat.requests[1]) == []


async def test_what_a_request_cannot_hold_is_left_out_and_named(tmp_path: Path) -> None:
    large = {name: JPEG + name.encode() + b"x" * (MAX_INLINE_BYTES // 2) for name in ("one", "two", "three")}
    async with house(tmp_path, says("Two."), downloads=Shelf(large)) as h:
        attachments = [one for name in large for one in photo(name)]
        await h.say("Look", attachments=attachments)
        first, note, note_too = shown(h.model.chat.requests[0])
        assert first == large["one"]
        assert "left out" in str(note)
        assert "left out" in str(note_too)


async def test_what_was_left_out_is_shown_when_the_model_asks_for_it(tmp_path: Path) -> None:
    large = {name: JPEG + name.encode() + b"x" * (MAX_INLINE_BYTES // 2) for name in ("one", "two")}

    def look(request: ModelRequest) -> ModelReply:
        *_, second = [part for message in request.messages for part in message.media]
        return calls(("files", {"action": "show", "hash": second.sha256[:8]}))

    async with house(tmp_path, look, says("Two."), downloads=Shelf(large)) as h:
        await h.say("Look", attachments=[one for name in large for one in photo(name)])
        first, second = ([part for part in shown(one) if isinstance(part, bytes)] for one in h.model.chat.requests)
        assert (first, second) == ([large["one"]], [large["two"]])


async def test_a_talk_with_media_can_be_compacted(tmp_path: Path) -> None:
    steps = [says(f"Answer {number}. " + "A cat sleeps on the warm wall. " * 100) for number in range(5)]
    async with house(tmp_path, *steps, downloads=Shelf({"cat": JPEG}), keep_turns=1) as h:
        for number in range(5):
            await h.say("" if number % 2 else "Who is that on the wall?", attachments=photo(), described=("[a place]",))
        await h.say("/new", kind="command")
        assert await h.space.db.fetch_all("SELECT * FROM handoffs") != []
        assert await faults(h) == []


async def test_bytes_that_are_gone_are_named(tmp_path: Path) -> None:
    def lose(request: ModelRequest) -> ModelReply:
        for file in (tmp_path / "spaces" / "1" / "media").iterdir():
            file.unlink()
        return calls(("clock", {}))

    async with house(tmp_path, lose, says("Hm."), downloads=Shelf({"cat": JPEG})) as h:
        await h.say("Look", attachments=photo())
        (note,) = shown(h.model.chat.requests[1])
        assert "cannot be shown" in str(note)


# Taking in


async def test_a_picture_that_no_model_reads_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, downloads=Shelf({"g": b"GIF89a"})) as h:
        await h.say("", attachments=attached("document", "g", mime_type="image/gif"))
        (text,) = h.screen.delivered
        assert text.startswith("I can't read this (document, image/gif).")


async def test_without_a_model_a_voice_message_is_told_and_kept(tmp_path: Path) -> None:
    async with house(tmp_path, downloads=Shelf({"v": b"OggS"}), is_offline=True) as h:
        await h.say("", attachments=attached("voice", "v", mime_type="audio/ogg"))
        (text,) = h.screen.delivered
        assert text.startswith("I can't listen to this (voice message) without a model")
        assert await kept(h) == [b"OggS"]
        assert await faults(h) == []


async def test_a_caption_is_answered_although_its_voice_message_was_not_heard(tmp_path: Path) -> None:
    async with house(tmp_path, says("Well."), downloads=Shelf({})) as h:
        await h.say("My caption", attachments=attached("voice", "v"))
        notice, answer = h.screen.delivered
        assert notice.startswith("Telegram does not give this file out any more (voice message).")
        assert answer == "Well."
        assert shown(h.model.chat.requests[0]) == []


async def test_an_edited_caption_leaves_what_was_heard(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("Noted."), says("So.")]), transcribe=ScriptedModel([says("Come at six.")]))
    async with house(tmp_path, model=model, downloads=Shelf({"v": b"OggS"})) as h:
        entry = await h.receive("For Otto", attachments=attached("voice", "v", mime_type="audio/ogg"))
        await h.runner.drain()
        await h.say("For Otto", kind="edit", message_id=entry.message_id)
        assert len(await h.space.db.fetch_all("SELECT * FROM messages WHERE role = 'user'")) == 1
        await h.say("For Olga", kind="edit", message_id=entry.message_id)
        await h.say("And?")
        texts = [message.text for message in model.chat.requests[1].messages if message.role == "user"]
        assert texts == ["For Olga\nCome at six.", "And?"]


@pytest.mark.parametrize("kind", ["photo", "voice"])
async def test_a_caption_that_is_taken_away_takes_back_what_it_said(tmp_path: Path, kind: AttachmentKind) -> None:
    said, is_heard = "Our vet is Dr. Brandt.", kind == "voice"
    chat = ScriptedModel([says("Noted."), says("So.")])
    reading = ScriptedModel([extracts(change("vet", "Dr. Brandt", said)), *([extracts()] if is_heard else [])])
    model = TaskModel(chat, reading, transcribe=ScriptedModel([says("Come at six.")] if is_heard else []))
    files = attached(kind, "f", mime_type="audio/ogg") if is_heard else photo("f")
    async with house(tmp_path, model=model, downloads=Shelf({"f": JPEG})) as h:
        entry = await h.receive(said, attachments=files)
        await h.runner.drain()
        assert [fact.value for fact in await h.space.facts.active()] == ["Dr. Brandt"]
        for _ in range(2):
            await h.say("", kind="edit", message_id=entry.message_id)
        assert await h.space.facts.active() == []
        assert h.screen.delivered[-1].startswith("✎ no longer: vet (was Dr. Brandt)")
        assert (await h.space.recall.search("vet Brandt")).items == []
        rows = await h.space.db.fetch_all("SELECT text FROM messages WHERE role = 'user' ORDER BY id")
        assert [row["text"].partition("\n")[0] for row in rows] == [said, "Come at six." if is_heard else ""]
        assert await faults(h) == []
        await h.say("And?")
        assert all("Brandt" not in one.text for one in chat.requests[1].messages if one.role == "user")


async def test_a_recording_that_fills_an_answer_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, downloads=Shelf({"v": b"OggS"})) as h:
        h.model.transcribe = ScriptedModel([ModelReply((TextPart(text="word"),), model="m", was_cut=True)])
        await h.say("", attachments=attached("voice", "v"))
        assert "could not listen" in h.screen.delivered[0]


async def test_what_breaks_three_times_is_given_up_and_the_words_are_kept(tmp_path: Path) -> None:
    shelf = Shelf({"cat": JPEG}, breaks=9)
    async with house(tmp_path, downloads=shelf) as h:
        await h.receive("Who is that?", attachments=photo())
        for _ in range(3):
            with pytest.raises(RuntimeError):
                await h.runner.drain()
        await h.runner.drain()
        assert h.screen.delivered == [GAVE_UP]
        (message,) = [one for one in await h.space.sessions.turn_messages(1) if one.role == "user"]
        assert message.text == "Who is that?"


# Forgetting, integrity


async def test_forgetting_a_message_with_a_photo_removes_the_bytes_that_nobody_else_has(tmp_path: Path) -> None:
    files = {"cat": JPEG + b"cat", "dog": JPEG + b"dog"}
    async with house(tmp_path, says("A cat."), says("A dog."), says("The dog."), downloads=Shelf(files)) as h:
        await h.say("Who is that?", attachments=photo("cat"))
        await h.say("And that?", attachments=photo("dog"))
        await h.say("", attachments=photo("dog"))
        said = [row["id"] for row in await h.space.db.fetch_all("SELECT id FROM messages WHERE role = 'user'")]
        await forget(h, f"m{said[0]}")
        assert await kept(h) == [files["dog"]]
        await forget(h, f"m{said[1]}")
        assert await kept(h) == [files["dog"]]
        await forget(h, f"m{said[2]}")
        assert await kept(h) == []
        assert list((h.space.folder / "media").iterdir()) == []
        assert await faults(h) == []


async def test_a_photo_that_was_looked_at_again_goes_all_the_same(tmp_path: Path) -> None:
    def look(request: ModelRequest) -> ModelReply:
        (part,) = [part for message in request.messages for part in message.parts if isinstance(part, MediaPart)]
        return calls(("files", {"action": "show", "hash": part.sha256[:8]}))

    script = ScriptedModel([says("A cat."), look, says("Grey.")])
    async with house(tmp_path, model=TaskModel(script), downloads=Shelf({"cat": JPEG + b"cat"})) as h:
        await h.say("Who is that?", attachments=photo())
        await h.say("What colour was it?")
        await forget(h, "m1")
        assert await kept(h) == []


async def test_a_forgotten_fact_takes_the_recording_with_it(tmp_path: Path) -> None:
    said = "Our vet is Dr. Brandt."
    model = TaskModel(
        ScriptedModel([says("Good.")]),
        extract=ScriptedModel([extracts(change("vet", "Dr. Brandt", said))]),
        transcribe=ScriptedModel([says(said)]),
    )
    async with house(tmp_path, model=model, downloads=Shelf({"v": b"....ftypmp42"})) as h:
        await h.say("", attachments=attached("video_note", "v", mime_type="video/mp4"))
        assert len(await kept(h)) == 1
        await forget(h, "f1")
        assert await kept(h) == []
        outbox = await h.space.db.fetch_all("SELECT body FROM outbox")
        assert not any("Brandt" in row["body"] for row in outbox)
        assert await faults(h) == []


async def test_what_is_said_in_an_audio_file_goes_with_the_message_it_came_with(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("A story.")]), transcribe=ScriptedModel([says("Once there was a fox.")]))
    async with house(tmp_path, model=model, downloads=Shelf({"a": b"ID3"})) as h:
        entry = await h.receive("Listen", attachments=attached("audio", "a", mime_type="audio/mpeg"))
        await h.runner.drain()
        message = await h.space.sessions.message_from(entry.source)
        assert message is not None
        await forget(h, f"m{message.id}")
        left = await h.space.db.fetch_all("SELECT text FROM messages WHERE instr(text, 'fox')")
        assert left == []
        assert await kept(h) == []


async def test_what_was_told_of_a_document_goes_with_it(tmp_path: Path) -> None:
    async with house(tmp_path, says("I see."), downloads=Shelf({"d": b"boats and ropes " * 1_000})) as h:
        entry = await h.receive("", attachments=attached("document", "d", name="marina.txt", mime_type="text/plain"))
        await h.runner.drain()
        assert any("marina.txt" in text for text in h.screen.delivered)
        message = await h.space.sessions.message_from(entry.source)
        assert message is not None
        await forget(h, f"m{message.id}")
        outbox = await h.space.db.fetch_all("SELECT body FROM outbox")
        assert not any("marina" in row["body"] for row in outbox)


async def test_whom_a_message_came_from_and_what_it_replied_to_go_with_it(tmp_path: Path) -> None:
    async with house(tmp_path, says("I see."), says("Yes."), says("Well.")) as h:
        await h.say("Our boat leaks.", origin="forward", forwarded_from="Otto Marina")
        await h.say("Is that so?", quote="The keel is of oak.", quoted_from="Olga")
        await h.say("And you?", quote="Never mind.")
        said = await h.space.db.fetch_all("SELECT id FROM messages WHERE role = 'user'")
        for row in said[:2]:
            await forget(h, f"m{row['id']}")
        left = json.dumps([tuple(row) for row in await h.space.db.fetch_all("SELECT text, author FROM messages")])
        assert "Marina" not in left
        assert "keel" not in left
        assert "Never mind." in left
        assert await h.space.db.fetch_all("SELECT * FROM segment_terms WHERE instr(speaker, 'marina')") == []
        assert await faults(h) == []


async def test_a_memory_is_whole_after_media(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("A cat."), says("Hello.")]), transcribe=ScriptedModel([says("Hello there.")]))
    async with house(tmp_path, model=model, downloads=Shelf({"cat": JPEG, "v": b"OggS"})) as h:
        await h.say("", attachments=photo(), described=("[a place: 1, 2]",))
        await h.say("", attachments=attached("voice", "v", mime_type="audio/ogg"))
        assert await faults(h) == []
        assert len(await kept(h)) == 2
