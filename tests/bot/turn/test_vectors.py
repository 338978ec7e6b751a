"""Vectors are made when nothing else is to be done, in batches, and an outage of their maker disturbs nobody."""

from pathlib import Path

from memory.errors import ModelBusy, ModelQuotaSpent
from memory.importing import Importer, read_lines
from memory.recall.embed import BATCH
from memory.space import Space
from tests.bot.turn.house import ZONE, House, house
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.model import says


async def vectors(space: Space) -> int:
    row = await space.db.fetch_one("SELECT count(*) FROM vectors")
    assert row is not None
    return int(row[0])


async def jobs(space: Space) -> list[str]:
    return [row[0] for row in await space.db.fetch_all("SELECT state FROM jobs WHERE kind = 'embed' ORDER BY id")]


async def import_notes(h: House, count: int) -> None:
    async def is_forgotten(entry: object) -> bool:
        return False

    lines = [f'{{"at": "2026-05-0{1 + n % 9}T10:00:00Z", "role": "user", "text": "note {n}"}}' for n in range(count)]
    importer = Importer(h.space.db, h.space.sessions, h.space.segments)
    await importer.store(read_lines(lines, ZONE), redact=str, is_forgotten=is_forgotten)


async def test_what_was_said_has_its_vectors_once_the_turn_is_over(tmp_path: Path) -> None:
    async with house(tmp_path, says("Noted."), embedder=FakeEmbedder()) as h:
        await h.say("My cat is called Moritz.")
        assert await vectors(h.space) == 2
        assert len((await h.space.vectors.near("the cat Moritz", count=5)).cosines) == 2


async def test_an_import_is_embedded_in_batches_after_what_was_said(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    async with house(tmp_path, says("Noted."), embedder=embedder) as h:
        await import_notes(h, BATCH + 10)
        await h.say("My cat is called Moritz.")
        assert await vectors(h.space) == BATCH + 12
        assert "My cat is called Moritz." in embedder.asked[0][1]
        assert max(len(texts) for _, texts in embedder.asked) == BATCH
        assert set(await jobs(h.space)) == {"done"}


async def test_without_an_embedder_no_job_is_queued(tmp_path: Path) -> None:
    async with house(tmp_path, says("Noted.")) as h:
        await h.say("My cat is called Moritz.")
        assert await jobs(h.space) == []


async def test_an_outage_is_waited_out_and_tells_the_member_nothing(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fault = ModelQuotaSpent()
    async with house(tmp_path, says("Noted."), says("Fine."), embedder=embedder) as h:
        await h.say("My cat is called Moritz.")
        await h.say("He is black.")
        asked = len(embedder.asked)
        await h.runner.drain()
        assert len(embedder.asked) == asked == 1, "asked again before its time"
        assert h.screen.delivered == ["Noted.", "Fine."]
        embedder.fault = None
        h.clock.advance(1_801)
        await h.runner.drain()
        assert await vectors(h.space) == 4


async def test_a_batch_that_was_given_up_is_taken_up_with_the_next_words(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fault = ModelBusy()
    async with house(tmp_path, says("Noted."), says("Fine."), embedder=embedder) as h:
        await h.say("My cat is called Moritz.")
        for _ in range(8):
            h.clock.advance(3_600)
            await h.runner.drain()
        assert await jobs(h.space) == ["failed"]
        assert h.screen.delivered == ["Noted."]
        embedder.fault = None
        await h.say("He is black.")
        assert await vectors(h.space) == 4


async def test_another_process_goes_on_where_one_stopped(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fault = ModelBusy()
    async with house(tmp_path, says("Noted."), embedder=embedder) as h:
        await import_notes(h, 3 * BATCH)
        await h.say("My cat is called Moritz.")
        clock = h.clock
    clock.advance(3_600)
    async with house(tmp_path, clock=clock, embedder=FakeEmbedder()) as again:
        await again.runner.drain()
        assert await vectors(again.space) == 3 * BATCH + 2
