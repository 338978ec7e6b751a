"""What is forgotten stands in no file of the assistant's either: not in its text, not in its name."""

from memory.forget.masking import MASK
from memory.store.entries import Outgoing
from tests.memory.forget.world import CANARY, QUOTE, World

PICTURE = b"\x89PNG\xff"


async def test_a_forgotten_fact_is_masked_in_files_and_in_their_names(world: World) -> None:
    files = world.space.files
    files.write("trips/notes.txt", f"The safe: {CANARY.lower()}.\nThe tram: 28.\n".encode())
    files.write(f"{CANARY}.txt", b"nothing else")
    files.write("forgotten 1.txt", b"the first that was renamed")
    files.write("other.txt", b"The tram: 28.")
    files.write("picture.png", PICTURE)
    await world.turn(QUOTE, world.answer("Noted."))
    async with world.space.db.transaction():
        sent = Outgoing(text=f"📎 {CANARY}.txt", document=f"{CANARY}.txt", whole=f"# {CANARY}\nand more")
        await world.space.mailbox.post("receipt:1", sent)
    fact = await world.learn(1)

    receipt = await world.forget(fact.ref)

    assert "2 files of mine" in receipt
    assert {file.path: files.read(file.path) for file in files.listed()} == {
        "trips/notes.txt": f"The safe: {MASK}.\nThe tram: 28.\n".encode(),
        "forgotten 1.txt": b"the first that was renamed",
        "forgotten 2.txt": b"nothing else",
        "other.txt": b"The tram: 28.",
        "picture.png": PICTURE,
    }
    assert await world.columns_with(CANARY) == {}
    assert world.files_with(CANARY) == []


async def test_files_without_it_are_not_touched(world: World) -> None:
    before = world.space.files.write("other.txt", b"The tram: 28.")
    await world.turn(QUOTE, world.answer("Noted."))
    fact = await world.learn(1)

    receipt = await world.forget(fact.ref)

    assert "of mine" not in receipt
    assert world.space.files.listed() == [before]
