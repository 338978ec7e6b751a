"""A whole memory goes at once; what stays names the space and keeps an update from arriving twice."""

from pathlib import Path
from zoneinfo import ZoneInfo

from memory.forget import confirmation, counted, effects_of_everything, rows_of_everything
from memory.store.entries import Entry
from memory.store.preferences import Preferences
from memory.store.private import PRIVATE_COLUMNS
from tests.memory.forget.world import CANARY, World, everywhere

WORDS = ("zanzibar", "cellar", "understood", "attic", "old house", "safe")


async def erase(world: World) -> str:
    async with world.space.db.transaction():
        report = await rows_of_everything(world.space, world.tombstones)
    return report.words()


async def fill(world: World) -> None:
    """Have the canary in every layer and in every folder that may hold a person's text."""
    await everywhere(world)
    async with world.space.db.transaction():
        await world.space.media.put(f"a photo of {CANARY}".encode(), "image/jpeg", name=f"{CANARY}.jpg")
    for path in ("files/notes/safe.txt", f"media/{CANARY}.unfinished", "journal/left.unfinished"):
        target = world.space.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"the safe code is {CANARY}")


async def test_an_erased_memory_is_in_no_column_no_file_and_no_byte(world: World) -> None:
    await fill(world)

    await erase(world)
    for _ in range(2):
        await effects_of_everything(world.space)

    for word in WORDS:
        assert await world.columns_with(word) == {}, word
        assert world.files_with(word) == [], word
    kept = {"profile", "inbox", "media"}
    for name in PRIVATE_COLUMNS:
        table, column = name.split(".")
        rows = await world.space.db.fetch_all(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL")
        assert table in kept or rows == [], name
    assert [path for path in world.space.folder.rglob("*") if path.is_file()] == [
        path for path in world.space.folder.iterdir() if path.name.startswith("memory.db")
    ]


async def test_the_receipt_proves_it_by_counts(world: World) -> None:
    await fill(world)
    found = await counted(world.space)

    words = await erase(world)

    assert words.startswith("Forgotten: everything. Found before: 1 fact, ")
    assert f"{found['messages']} messages" in words
    assert words.endswith("found after: 0.")
    assert await counted(world.space) == {}


async def test_what_waits_behind_the_command_is_dealt_with_and_what_came_before_never_comes_twice(world: World) -> None:
    first = Entry(source="tg:1:1", kind="message", text="My code is 4711.", at=world.clock.now())
    later = Entry(source="tg:1:3", kind="message", text="Hello again.", at=world.clock.now())
    async with world.space.db.transaction():
        await world.space.mailbox.receive(first)
        (row,) = await world.space.mailbox.waiting()
        await world.space.mailbox.finish(row.id)
        await world.space.mailbox.receive(later)

    await erase(world)

    assert [row.entry.text for row in await world.space.mailbox.waiting()] == ["Hello again."]
    async with world.space.db.transaction():
        assert not await world.space.mailbox.receive(first)


async def test_no_id_that_was_shown_is_ever_used_again(world: World) -> None:
    """A button under an old message must not hit a new fact."""
    await fill(world)
    newest = {table: await newest_id(world, table) for table in ("facts", "messages", "segments", "turns", "outbox")}

    await erase(world)
    turn = await world.turn("My code is 4711.", world.answer("Noted."))
    message = (await world.space.sessions.turn_messages(turn))[0]
    await world.learn(message.id or 0, value="4711", quote="My code is 4711", subject="code")

    for table, before in newest.items():
        assert await newest_id(world, table) > before, table


async def newest_id(world: World, table: str) -> int:
    row = await world.space.db.fetch_one(f"SELECT max(id) FROM {table}")
    return int(row[0]) if row else 0


async def test_the_memory_works_on_afterwards(world: World) -> None:
    await fill(world)
    await erase(world)
    await effects_of_everything(world.space)

    await world.turn("The kayak lies behind the boathouse.", world.answer("Noted."))

    assert (await world.space.recall.search("kayak")).items[0].text == "The kayak lies behind the boathouse."
    async with world.space.db.transaction():
        await world.space.db.execute("INSERT INTO segments_fts (segments_fts, rank) VALUES ('integrity-check', 1)")


async def test_what_was_said_before_is_bound_and_what_is_said_later_is_not(world: World) -> None:
    said_before = world.clock.now()
    await fill(world)
    await erase(world)
    world.clock.advance(1)

    assert await world.tombstones.covers("ana", "Anything at all", said_at=said_before)
    assert not await world.tombstones.covers("ana", "Anything at all", said_at=world.clock.now())
    assert not await world.tombstones.covers("ben", "Anything at all", said_at=said_before)


async def test_the_word_of_confirmation_is_another_one_once_something_new_was_said(world: World) -> None:
    word = await confirmation(world.space)
    assert word == await confirmation(world.space)
    assert word.isalpha()

    await world.turn("One thing more.", world.answer("Yes?"))

    assert await confirmation(world.space) != word


async def test_a_file_of_another_space_is_untouched(world: World, tmp_path: Path) -> None:
    others = tmp_path / "spaces" / "ben" / "files" / "notes.txt"
    others.parent.mkdir(parents=True)
    others.write_text("Ben's own")
    await fill(world)

    await erase(world)
    await effects_of_everything(world.space)

    assert others.read_text() == "Ben's own"


async def test_of_the_settings_a_persons_words_go_and_the_rest_stays(world: World) -> None:
    await fill(world)
    async with world.space.db.transaction():
        await world.space.preference_store.set(
            zone=ZoneInfo("Asia/Tokyo"), tone=f"say {CANARY}", assistant_name="Ada", report="off", daily_usd=0.5
        )
    assert world.space.preferences.past_zones

    await erase(world)

    kept = Preferences(ZoneInfo("Asia/Tokyo"), report="off", daily_usd=0.5)
    assert world.space.preferences == kept
    assert await world.space.preference_store.load() == kept
