"""What becomes of documents when something is forgotten. Reads only.

A document goes with the entry it came with: its pages, the notices of it, what the assistant said in those turns, the
file. Elsewhere the words are masked in pages as in any text that is not the member's; a file that is no text cannot
lose them, so it goes.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from memory.forget.change import Change
from memory.messages import MediaPart, Message
from memory.space import Space
from memory.store.documents import Document, document_of

RECOGNISED_CHARS = 4_000
"""A document is recognised elsewhere by its beginning: all of a long one would be found in nearly everything."""

Pair = tuple[Message, Message]
"""A message and what it becomes."""


@dataclass(frozen=True)
class Gone:
    """Documents that go whole: the messages that go with them, which of those are pages, and how each one begins."""

    documents: tuple[Document, ...] = ()
    messages: frozenset[int] = frozenset()
    pages: frozenset[int] = frozenset()
    beginnings: tuple[str, ...] = ()


async def gone_with(space: Space, messages: Sequence[Message]) -> Gone:
    """Return what goes with entries that are erased."""
    sources = [message.source for message in messages if message.role == "user" and message.source is not None]
    documents = await space.documents.handed_over_with(sources)
    pages = [page for one in documents for page in await space.documents.page_ids(one.id)]
    beside = [message for one in documents for message in await _told_of(space, one)]
    return Gone(
        tuple(documents),
        frozenset([*pages, *beside]),
        frozenset(pages),
        tuple([await _beginning(space, one) for one in documents]),
    )


async def turns_that_read(space: Space, documents: Iterable[Document]) -> set[int]:
    """Return the turns in which a tool showed pages of documents: its results name their ids."""
    turns: set[int] = set()
    for one in documents:
        rows = await space.db.fetch_all(
            "SELECT DISTINCT turn_id FROM messages WHERE role = 'tool' AND turn_id IS NOT NULL AND instr(body, ?)",
            (f'"{one.ref}"',),
        )
        turns |= {int(row["turn_id"]) for row in rows}
    return turns


async def document_changes(space: Space, rewritten: Iterable[Pair], gone: Collection[int]) -> list[Change]:
    """Return the changes of documents that go, or whose pages lose words: they are their bytes no more."""
    pages = {document_of(message.source) for message, _ in rewritten}
    found = await space.documents.by_ids([*(one for one in pages if one is not None), *gone])
    return [Change("documents", "documents", one.id, {"sha256": None}) for one in found if one.sha256 is not None]


async def without_bytes(space: Space, rewritten: Sequence[Pair], changes: Iterable[Change]) -> list[Pair]:
    """Return the messages that change, and those that show one of these documents as it was: without its bytes."""
    hashes = {one.sha256 for one in await space.documents.by_ids(change.id for change in changes)} - {None}
    known = {message.id: (message, new) for message, new in rewritten}
    for sha256 in hashes:
        rows = await space.db.fetch_all(
            "SELECT id FROM messages WHERE role = 'user' AND instr(body, ?)", (f'"sha256":"{sha256}"',)
        )
        for message in await space.sessions.messages([row["id"] for row in rows]):
            known.setdefault(message.id, (message, message))
    return [(message, _without(new, hashes)) for message, new in known.values()]


async def doomed_files(space: Space, changes: Iterable[Change], gone: Collection[int]) -> tuple[str, ...]:
    """Return the paths of files that go: of documents that go, and those of others that are no text."""
    ids = [change.id for change in changes if change.table == "documents"]
    hashes = {one.sha256: one.id in gone for one in await space.documents.by_ids(ids)}
    return tuple(_files(space, hashes)) if hashes else ()


def _files(space: Space, hashes: dict[str | None, bool]) -> Iterable[str]:
    for file in space.files.listed():
        data = space.files.read(file.path)
        is_whole = hashes.get(hashlib.sha256(data).hexdigest())
        if is_whole or (is_whole is not None and not _is_text(data)):
            yield file.path


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return not data.startswith(b"%PDF")


def _without(message: Message, hashes: Collection[str | None]) -> Message:
    kept = tuple(part for part in message.parts if not (isinstance(part, MediaPart) and part.sha256 in hashes))
    return message.model_copy(update={"parts": kept})


async def _told_of(space: Space, document: Document) -> list[int]:
    """Return the notices of a document and what the assistant said and did in their turns."""
    rows = await space.db.fetch_all(
        "WITH notice AS (SELECT m.id, m.turn_id FROM handed_over h JOIN messages m ON m.source = h.source"
        " WHERE h.document_id = ?) SELECT id FROM notice UNION SELECT a.id FROM notice n JOIN messages a"
        " ON a.turn_id = n.turn_id AND a.role IN ('model', 'tool')",
        (document.id,),
    )
    return [int(row["id"]) for row in rows]


async def _beginning(space: Space, document: Document) -> str:
    text = ""
    for page in await space.documents.page_ids(document.id):
        text += f"{(await space.sessions.message(page)).text}\n"
        if len(text) >= RECOGNISED_CHARS:
            break
    return text[:RECOGNISED_CHARS]
