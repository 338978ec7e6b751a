"""The vectors of a space: made once, gone with the words they were made from, and never in the way of recall."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.errors import ModelBusy, ModelMisconfigured, ModelRefused
from memory.recall.embed import VectorStore
from memory.recall.items import Scope
from memory.store.database import Database, to_utc_text
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.memory.recall.conftest import ZONE, Memory

DENTIST = "My dentist is Doctor Abendroth in Lindenstrasse."
TYRES = "The winter tyres lie in the cellar behind the skis."
FLUTE = "Aunt Irma plays the flute in the town orchestra."


@pytest.fixture
async def space(memory: Memory) -> Memory:
    await add_profile(memory.db)
    return memory


async def add_profile(database: Database) -> None:
    async with database.transaction():
        await database.execute(
            "INSERT INTO profile (only, space_id, zone, epoch, created_at) VALUES (1, '1', ?, x'00', ?)",
            (ZONE.key, to_utc_text(datetime(2027, 3, 2, tzinfo=UTC))),
        )


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def vectors(space: Memory, embedder: FakeEmbedder) -> VectorStore:
    return VectorStore(space.db, embedder)


async def fill(vectors: VectorStore) -> None:
    while await vectors.fill(4):
        pass


async def text_of(space: Memory, segment_id: int) -> str:
    return (await space.segments.segment(segment_id)).text


async def nearest(space: Memory, vectors: VectorStore, query: str, *, scope: Scope | None = None) -> str | None:
    found = (await vectors.near(query, scope=scope or Scope(), count=3)).cosines
    return await text_of(space, next(iter(found))) if found else None


async def blobs(space: Memory) -> dict[int, bytes]:
    rows = await space.db.fetch_all("SELECT segment_id, vector FROM vectors")
    return {row["segment_id"]: row["vector"] for row in rows}


# --- finding


async def test_what_is_nearest_in_meaning_comes_first(space: Memory, vectors: VectorStore) -> None:
    for text in (DENTIST, TYRES, FLUTE):
        space.clock.advance(10_000)
        await space.say(text)
    await fill(vectors)
    assert await nearest(space, vectors, "who plays the flute") == FLUTE
    found = (await vectors.near("winter tyres", count=2)).cosines
    assert len(found) == 2
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert all(-1.001 <= cosine <= 1.001 for cosine in found.values())


async def test_a_segment_is_embedded_with_what_stood_before_it_in_the_same_talk(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    for text in ("one", "two", "three", "four"):
        await space.say(text)
    space.clock.advance(7_200)
    await space.say("next day")
    await fill(vectors)
    assert embedder.documents == ["one", "one\ntwo", "one\ntwo\nthree", "two\nthree\nfour", "next day"]


async def test_the_scope_limits_where_vectors_are_looked_at(space: Memory, vectors: VectorStore) -> None:
    await space.say(DENTIST)
    space.clock.advance(10_000)
    since = space.clock.now()
    await space.say(FLUTE, role="model")
    await fill(vectors)
    assert await nearest(space, vectors, "dentist Abendroth") == DENTIST
    assert await nearest(space, vectors, "dentist Abendroth", scope=Scope(since=since)) == FLUTE
    assert await nearest(space, vectors, "flute", scope=Scope(until=since)) == DENTIST
    assert await nearest(space, vectors, "flute", scope=Scope(role="user")) == DENTIST
    assert (await vectors.near("flute", scope=Scope(layers=frozenset({"fact"})), count=3)).cosines == {}


async def test_a_question_asked_twice_is_embedded_once(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    await vectors.near("dentist", count=1)
    await vectors.near("dentist", count=1)
    assert [task for task, _ in embedder.asked].count("query") == 1


async def test_who_spoke_is_part_of_the_meaning(space: Memory, vectors: VectorStore, embedder: FakeEmbedder) -> None:
    await space.say("I moved to Porto.", author="Dana")
    await space.say("Since when?", role="model")
    await fill(vectors)
    assert embedder.documents == ["Dana: I moved to Porto.", "Dana: I moved to Porto.\nSince when?"]


# --- without vectors


async def test_without_an_embedder_nothing_is_near_and_nothing_is_made(space: Memory) -> None:
    await space.say(DENTIST)
    vectors = VectorStore(space.db, None)
    assert await vectors.fill() == 0
    assert (await vectors.near("dentist", count=3)).cosines == {}


async def test_an_embedder_that_fails_gives_nothing_near(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    embedder.fault = ModelBusy("HTTP 503")
    assert (await vectors.near("dentist", count=3)).cosines == {}
    embedder.fault = None
    assert (await vectors.near("dentist", count=3)).cosines != {}


async def test_an_embedder_that_is_slow_gives_nothing_near(space: Memory, embedder: FakeEmbedder) -> None:
    vectors = VectorStore(space.db, embedder, query_timeout_s=0.01)
    await space.say(DENTIST)
    await fill(vectors)
    embedder.hangs = True
    assert (await vectors.near("dentist", count=3)).cosines == {}


async def test_a_query_vector_of_another_size_gives_nothing_near(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    embedder.size = 12
    assert (await vectors.near("dentist", count=3)).cosines == {}


# --- another embedder


async def test_vectors_of_another_embedder_are_not_used_and_are_made_anew(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    other = FakeEmbedder("other:16", size=16)
    changed = VectorStore(space.db, other)
    assert (await changed.near("dentist", count=3)).cosines == {}
    assert len(await changed.missing(10)) == 1
    await fill(changed)
    assert {len(blob) for blob in (await blobs(space)).values()} == {16}
    assert await nearest(space, changed, "dentist") == DENTIST
    assert (await vectors.near("dentist", count=3)).cosines == {}


async def test_a_size_that_changes_under_the_same_name_is_refused_and_named(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    await space.say(TYRES)
    embedder.size = 12
    with pytest.raises(ModelMisconfigured, match="fake:96 gives vectors of 12 numbers now"):
        await vectors.fill()
    assert len(await vectors.missing(10)) == 1


# --- filling


async def test_what_was_said_here_comes_before_what_was_imported(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say("imported long ago")
    async with space.db.transaction():
        await space.db.execute("UPDATE messages SET session_id = NULL")
        await space.segments.recut(1, reason="forgotten")
    await space.say("said just now")
    assert await vectors.fill(1) == 1
    assert embedder.documents == ["said just now"]


async def test_an_outage_stores_nothing_and_the_next_try_makes_all(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    embedder.fault = ModelBusy("HTTP 503")
    with pytest.raises(ModelBusy):
        await vectors.fill()
    assert await blobs(space) == {}
    embedder.fault = None
    assert await vectors.fill() == 1
    assert await vectors.fill() == 0


async def test_a_text_that_is_refused_does_not_stand_in_the_way(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    for text in ("fine", "poison", "also fine"):
        space.clock.advance(10_000)
        await space.say(text)
    embedder.refused = {"poison"}
    await vectors.fill()
    assert [len(blob) for blob in (await blobs(space)).values()] == [96, 0, 96]
    assert await vectors.missing(10) == []
    assert len((await vectors.near("fine", count=9)).cosines) == 2


async def test_when_every_text_is_refused_the_texts_are_not_at_fault(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say("one")
    await space.say("two")
    embedder.refused = {"o"}
    with pytest.raises(ModelRefused):
        await vectors.fill()
    assert len(await vectors.missing(10)) == 2


async def test_words_that_change_while_the_embedder_works_get_no_vector_of_the_old_ones(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    message_id = await space.say(DENTIST)
    await space.say(TYRES)
    embedder.meanwhile = lambda: space.erase(message_id)
    await vectors.fill()
    assert embedder.documents[0] == DENTIST
    assert await blobs(space) == {}
    await fill(vectors)
    assert embedder.documents[-1] == TYRES


async def test_a_crash_between_batches_loses_no_segment(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    for number in range(9):
        await space.say(f"note {number}")
    await vectors.fill(4)
    again = VectorStore(space.db, embedder)
    assert len(await again.missing(100)) == 5
    await fill(again)
    assert len(await blobs(space)) == 9
    assert len(embedder.documents) == 9


# --- what is in memory


async def test_a_new_vector_is_found_by_whoever_looked_before(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    reader = VectorStore(space.db, embedder)
    assert await nearest(space, vectors, "the flute") == await nearest(space, reader, "the flute") == DENTIST
    space.clock.advance(10_000)
    await space.say(FLUTE)
    await fill(vectors)
    assert await nearest(space, vectors, "the flute") == await nearest(space, reader, "the flute") == FLUTE


async def test_a_rollback_leaves_nothing_of_what_it_undid_in_memory(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    message_id = await space.say(DENTIST)
    space.clock.advance(10_000)
    await space.say(FLUTE)
    await fill(vectors)
    before = (await vectors.near("dentist", count=9)).cosines
    with pytest.raises(RuntimeError):
        async with space.db.transaction():
            await space.erase(message_id)
            assert len((await vectors.near("dentist", count=9)).cosines) == 1
            raise RuntimeError
    assert (await vectors.near("dentist", count=9)).cosines == before


# --- forgetting


async def test_forgotten_words_take_their_vector_and_those_they_are_part_of(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    first = await space.say(DENTIST)
    for text in (TYRES, FLUTE, "unrelated"):
        await space.say(text)
    await fill(vectors)
    old = await blobs(space)
    await space.erase(first)
    assert set(await blobs(space)) == {4}
    await fill(vectors)
    new = await blobs(space)
    assert set(new) == {2, 3, 4}
    assert new[2] != old[2]
    assert all("Abendroth" not in text for text in embedder.documents[-2:])


async def test_no_byte_of_a_forgotten_vector_is_left_in_the_file(
    space: Memory, vectors: VectorStore, tmp_path: Path
) -> None:
    message_id = await space.say(DENTIST)
    await space.say(TYRES)
    await fill(vectors)
    old = list((await blobs(space)).values())
    await space.db.checkpoint()
    assert all(blob in (tmp_path / "memory.db").read_bytes() for blob in old)
    await space.erase(message_id)
    await fill(vectors)
    await space.db.checkpoint()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert all(blob not in held for blob in old)


async def test_an_edit_takes_the_vector_of_the_version_before(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    first = await space.say(DENTIST)
    await space.say(TYRES)
    await fill(vectors)
    await space.say(FLUTE, replaces=first)
    assert await blobs(space) == {}
    await fill(vectors)
    assert sorted(embedder.documents[2:]) == sorted([FLUTE, f"{FLUTE}\n{TYRES}"])


async def test_two_spaces_share_no_vector(space: Memory, vectors: VectorStore, tmp_path: Path) -> None:
    await space.say(DENTIST)
    await fill(vectors)
    database = await Database.open(tmp_path / "other.db", "memory", clock=FakeClock(), backups=tmp_path / "b")
    await add_profile(database)
    assert (await VectorStore(database, FakeEmbedder()).near("dentist", count=3)).cosines == {}
    await database.close()


# --- always


async def test_after_any_history_every_indexed_segment_has_the_vector_of_its_words_or_is_due(
    space: Memory, vectors: VectorStore, embedder: FakeEmbedder
) -> None:
    dice = random.Random(7)
    said: list[int] = []
    for step in range(60):
        what = dice.random()
        if what < 0.5 or not said:
            said.append(await space.say(f"note {step} {dice.choice('abc')}"))
        elif what < 0.65:
            await space.say(f"edited {step}", replaces=dice.choice(said))
        elif what < 0.8:
            await space.erase(dice.choice(said))
        else:
            await vectors.fill(dice.randint(1, 5))
        await check(space, vectors)
    await fill(vectors)
    await check(space, vectors)
    assert await vectors.missing(9) == []


async def check(space: Memory, vectors: VectorStore) -> None:
    indexed = {row[0] for row in await space.db.fetch_all("SELECT segment_id FROM segment_terms")}
    due = {row[0] for row in await space.db.fetch_all("SELECT segment_id FROM vectors_due")}
    rows = await space.db.fetch_all("SELECT segment_id, text_sha256 FROM vectors")
    made = {row["segment_id"]: row["text_sha256"] for row in rows}
    assert indexed == due | set(made)
    assert not due & set(made)
    now = {window.segment_id: window.sha256 for window in await vectors._windows(list(made))}
    assert now == made


async def test_what_is_found_in_a_trial_and_after_it_is_what_the_file_holds_then(
    space: Memory, vectors: VectorStore
) -> None:
    for text in (DENTIST, FLUTE):
        await space.say(text)
        space.clock.advance(10_000)
    await fill(vectors)
    assert await nearest(space, vectors, "dentist") == DENTIST

    async with space.db.rolled_back():
        await space.db.execute("DELETE FROM segment_terms WHERE segment_id = 1")
        assert await nearest(space, vectors, "dentist") == FLUTE
    assert await nearest(space, vectors, "dentist") == DENTIST
