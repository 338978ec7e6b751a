"""A document goes with the message it came with, whole; elsewhere its pages lose what is forgotten like any text."""

from pathlib import Path

from bot.turn.attachments.documents import Taken, take_document
from memory.forget import effects, effects_of_everything, forget_again, plan, rows_of_everything
from memory.forget.masking import MASK
from memory.integrity import examine
from memory.messages import CallPart, Message, ResultPart, TextPart
from memory.space import Space
from tests.fakes import documents as made
from tests.memory.forget.world import CANARY, QUOTE, World

WORD = "Quetzal-41"
SECOND = "Xylophone-52"
FILLER = "".join(
    f"Clause {n} of this page says that nothing else was agreed between the two sides.\n" for n in range(18)
)
PDF = made.pdf(
    [
        f"{first}\n{FILLER}"
        for first in (f"The vault opens with {WORD}.", f"The deposit is {SECOND}.", "The tram is 28.")
    ]
)
SOURCE = "tg:1:5"
MESSAGE = 4
"""The id of the message that a document of three pages came with: behind its pages."""


async def take(world: World, data: bytes = PDF, *, name: str = f"{WORD}.pdf", source: str = SOURCE) -> Taken:
    return await take_document(
        world.space, data, name=name, mime_type="application/pdf", at=world.clock.now(), source=f"{source}/0"
    )


async def hand_over(world: World, data: bytes = PDF, *, name: str = f"{WORD}.pdf", source: str = SOURCE) -> None:
    """Have a turn in which a document came, the model saw it as it is and retold it."""
    taken = await take(world, data, name=name, source=source)
    space = world.space
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        shown = await space.media.put(data, "application/pdf", name=name)
        said = Message(role="user", parts=(TextPart(text="Here it is."), shown), at=world.clock.now(), source=source)
        retold = world.answer(f"It says: the vault opens with {WORD}. The deposit is {SECOND}.")
        for message in (taken.note, said, retold):
            stored = await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
            await space.segments.store(stored)
        await space.sessions.end_turn(turn.id, "done")
    world.clock.advance(60)


async def look_up(world: World, page: int) -> int:
    """Have a later turn in which a tool showed a page, and return its id."""
    message = await world.space.sessions.message(page)
    call = CallPart(call_id="c1", name="files", args={"action": "read"}, signature=b"c2ln")
    response = {"document": "d1", "page": page, "text": message.text}
    result = ResultPart(call_id="c1", name="files", response=response)
    return await world.turn(
        "What does it say there?",
        Message(role="model", parts=(call,), at=world.clock.now(), origin="model"),
        Message(role="tool", parts=(result,), at=world.clock.now(), origin="tool"),
        world.answer("As it is written."),
    )


async def test_forgetting_the_message_takes_its_document_from_everywhere(world: World) -> None:
    await hand_over(world)
    await look_up(world, 2)

    receipt = await world.forget(f"m{MESSAGE + 1}")

    for word in (WORD, SECOND, "nothing else was agreed"):
        assert await world.columns_with(word) == {}
        assert world.files_with(word) == []
    assert world.space.files.listed() == []
    assert list((world.space.folder / "media").iterdir()) == []
    assert "1 document" in receipt
    assert list(await examine(world.space.db, world.space.folder, world.clock)) == []


async def test_a_document_that_came_twice_goes_with_either_message(world: World) -> None:
    await hand_over(world)
    await hand_over(world, source="tg:1:9")

    await world.forget(f"m{MESSAGE + 4}")

    assert await world.columns_with(WORD) == {}
    assert world.space.files.listed() == []


async def test_what_was_forgotten_may_be_handed_over_anew(world: World) -> None:
    await hand_over(world)
    await world.forget(f"m{MESSAGE + 1}")

    taken = await take(world, source="tg:1:30")

    assert WORD in taken.note.text
    assert taken.path == f"{WORD}.pdf"


async def test_a_file_that_cannot_be_read_goes_with_its_message(world: World) -> None:
    await hand_over(world, b"\0\1\2", name="data.bin")
    assert [file.path for file in world.space.files.listed()] == ["data.bin"]

    await world.forget("m2")

    assert world.space.files.listed() == []


async def test_a_forgotten_fact_is_masked_in_pages_and_the_file_that_holds_it_goes(world: World) -> None:
    data = made.pdf([f"Remember that {QUOTE}.\n{FILLER}", f"The tram is 28.\n{FILLER}", FILLER])
    await world.turn(QUOTE, world.answer("Noted."))
    await hand_over(world, data, name="notes.pdf")
    fact = await world.learn(1)

    await world.forget(fact.ref)

    assert await world.columns_with(CANARY) == {}
    assert world.files_with(CANARY) == []
    assert world.space.files.listed() == []
    assert list((world.space.folder / "media").iterdir()) == []
    first, second, _ = await world.space.sessions.messages(await world.space.documents.page_ids(1))
    assert (first.text.startswith("Remember that"), MASK in first.text) == (True, True)
    assert second.text.startswith("The tram is 28.")
    assert (await world.space.recall.search("tram")).items[0].speaker == "document notes.pdf, page 2"


async def test_a_text_that_was_handed_over_keeps_the_rest_of_its_file(world: World) -> None:
    await world.turn(QUOTE, world.answer("Noted."))
    await hand_over(world, f"{QUOTE}\nThe tram is 28.".encode(), name="notes.txt")
    fact = await world.learn(1)

    await world.forget(fact.ref)

    assert world.space.files.read("notes.txt").decode().endswith(f"{MASK}\nThe tram is 28.")
    assert await world.columns_with(CANARY) == {}


async def test_a_single_page_can_be_forgotten(world: World) -> None:
    await hand_over(world)
    page = (await world.space.documents.page_ids(1))[1]

    await world.forget(f"m{page}")

    texts = [m.text for m in await world.space.sessions.messages(await world.space.documents.page_ids(1))]
    assert (WORD in texts[0], texts[1], "The tram is 28." in texts[2]) == (True, MASK, True)
    assert world.space.files.listed() == []
    assert await world.columns_with(SECOND) == {}


async def test_the_members_documents_are_no_mentions_of_theirs(world: World) -> None:
    await world.turn(QUOTE, world.answer("Noted."))
    await hand_over(world, f"{QUOTE}\n{FILLER * 3}".encode(), name="notes.txt")
    fact = await world.learn(1)

    assert (await plan(world.space, fact.ref)).mentions == ()


async def test_an_older_file_of_the_memory_loses_the_document_again(world: World, tmp_path: Path) -> None:
    await hand_over(world)
    await world.space.db.checkpoint()
    older = (world.space.folder / "memory.db").read_bytes()
    await world.forget(f"m{MESSAGE + 1}")
    home = tmp_path / "older" / "ana"
    home.mkdir(parents=True)
    (home / "memory.db").write_bytes(older)
    restored = await Space.open(home, default_zone=world.space.zone, clock=world.clock, backups=tmp_path / "b")
    try:
        assert await forget_again(restored, world.tombstones) >= 1
        await effects(restored)
        rows = await restored.db.fetch_all("SELECT text, body FROM messages")
        assert not any(WORD in row["text"] + row["body"] for row in rows)
    finally:
        await restored.close()


async def test_everything_takes_documents_too(world: World) -> None:
    await hand_over(world)

    report = await rows_of_everything(world.space, world.tombstones)
    await effects_of_everything(world.space)

    assert report.after == 0
    assert world.files_with(WORD) == []
    assert await world.space.documents.by_ids([1]) == []
