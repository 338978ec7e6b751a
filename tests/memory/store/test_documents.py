"""A document is known by its bytes, and by the entries it came with."""

from pathlib import Path

from memory.store.database import Database
from memory.store.documents import Document, DocumentStore, document_of
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock


async def opened(home: Path) -> tuple[Database, DocumentStore]:
    await lay_blank(home / "memory.db")
    database = await Database.open(home / "memory.db", "memory", clock=FakeClock(), backups=home)
    return database, DocumentStore(database, FakeClock())


async def added(store: DocumentStore, sha256: str, *, trouble: str | None = None, chars: int = 9) -> Document:
    return await store.add(sha256, kind="pdf", pages=3, parts=3, chars=chars, trouble=trouble)


async def test_what_could_not_be_read_at_first_is_what_it_was_read_as_last(tmp_path: Path) -> None:
    database, store = await opened(tmp_path)
    async with database.transaction():
        first = await added(store, "a" * 64, trouble="too large", chars=0)
        again = await added(store, "a" * 64)
        await store.end_reading(again.id)
    known = await store.of_hash("a" * 64)
    assert known is not None
    assert (known.id, known.chars, known.trouble, known.is_read) == (first.id, 9, None, True)
    await database.close()


async def test_documents_are_found_by_the_entries_they_came_with_and_by_no_others(tmp_path: Path) -> None:
    database, store = await opened(tmp_path)
    async with database.transaction():
        one, other = await added(store, "a" * 64), await added(store, "b" * 64)
        await store.hand_over("tg:1:2/0", one.id)
        await store.hand_over("tg:1:2/1", other.id)
        await store.hand_over("tg:1:22/0", other.id)
    assert [found.id for found in await store.handed_over_with(["tg:1:2"])] == [one.id, other.id]
    assert [found.id for found in await store.handed_over_with(["tg:1:22", "tg:1:3"])] == [other.id]
    assert await store.handed_over_with(["tg:1"]) == []
    await database.close()


def test_a_page_knows_its_document_by_its_source() -> None:
    document = Document(12, None, "pdf", 3, 3, 9, None, True)
    assert document_of(document.source(7)) == 12
    assert document_of("tg:1:2") is None
    assert document_of(None) is None
