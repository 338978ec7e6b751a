"""Documents: a file that a member hands over becomes a file of the space, text to recall, and a notice in the turn.

Its words are somebody else's: they never stand as the member's. A short document stands whole in the turn it came with
and is read for facts, which wait for the member's yes; of a long one the turn holds the beginning, and its pages are
found by recall and by the files tool. Fetching the bytes is not done here, nor storing the turn's messages.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.documents.names import numbered_names, plain_name
from bot.documents.reader import WHOLE_CHARS, Piece, Reading, read_document
from bot.turn.attachments.document_words import Handed, note, told
from memory.messages import MediaPart, Message, TextPart, media_part, text_message
from memory.space import Space
from memory.store.documents import Document
from memory.store.files import FileRefused, FileStore, NoSuchFile
from memory.store.jobs import EXTRACT

HEAD_CHARS = 1_500
NO_TOPIC: Mapping[str, int] = {}
BATCH = 20
"""Pages a transaction: what else is stored meanwhile waits for one batch at most."""
MAX_SHOWN_PAGES = 20
MAX_SHOWN_BYTES = 5_000_000
"""A PDF up to these is shown to the model as it is: at 258 tokens a page, and far below the 20 MB of a request."""
PDF = "application/pdf"


@dataclass(frozen=True)
class Taken:
    """What becomes of a document.

    `note` is a notice to be appended, as it is, to the turn right before the member's message (its `source` is that of
    the document: forgetting the entry finds it by that). `told` is for the member, "" when nothing is to be said.
    `path` is where the file stands in `files/`, None when it could not be kept there. `shown` are the bytes for the
    model to see in this turn, None where the text is all.
    """

    note: Message
    told: str
    path: str | None
    shown: MediaPart | None = None


async def take_document(
    space: Space,
    data: bytes,
    *,
    name: str,
    mime_type: str,
    at: datetime,
    source: str,
    author_id: int | None = None,
    topic: Mapping[str, int] = NO_TOPIC,
) -> Taken:
    """Read a document in a process apart, keep the file and its text, and return what the turn says of it.

    To be called while no transaction is open: it opens its own. `source` is the entry's with a slash and the number of
    the document in it (`tg:1:22/0`); a second call with it changes nothing and returns the same. One that was broken
    off goes on where it was. What is noted from it later is told in `topic` (`topic_of`).

    Raises: OperatorMustAct when the storage fails; nothing for what the bytes are.
    """
    name = plain_name(name, mime_type)
    document = await _read(space, data, name=name, at=at, source=source, author_id=author_id, topic=topic)
    path = _kept(space.files, name, data)
    excerpt, is_whole = await _beginning(space, document)
    shown = media_part(data, PDF, name=name) if _is_shown(document, len(data)) else None
    handed = Handed(document, name, len(data), path, excerpt, is_whole, is_shown=shown is not None)
    told_of = text_message("notice", note(handed), at, origin="document", source=source)
    return Taken(told_of, told(handed), path, shown)


def _kept(files: FileStore, name: str, data: bytes) -> str | None:
    """Keep the bytes, once whatever they are called, and return where; None when they are not taken."""
    try:
        for file in files.listed():
            if file.size == len(data) and files.read(file.path) == data:
                return file.path
        for path in numbered_names(name):
            try:
                files.read(path)
            except NoSuchFile:
                return files.write(path, data).path
    except FileRefused:
        return None
    return None


async def _read(
    space: Space,
    data: bytes,
    *,
    name: str,
    at: datetime,
    source: str,
    author_id: int | None,
    topic: Mapping[str, int],
) -> Document:
    """Return the document, its pages stored: a known one as it is, any other as it is read now."""
    sha256 = hashlib.sha256(data).hexdigest()
    document = await space.documents.of_hash(sha256)
    reading = await read_document(data) if document is None or not document.is_read else None
    async with space.db.transaction():
        if reading is not None:
            document = await space.documents.add(
                sha256,
                kind=reading.kind,
                pages=reading.pages,
                parts=reading.parts,
                chars=reading.chars,
                trouble=reading.trouble,
            )
        assert document is not None
        await space.documents.hand_over(source, document.id)
    if reading is not None:
        await _store(space, document, reading, name=name, at=at, author_id=author_id, topic=topic)
    return document


async def _store(
    space: Space,
    document: Document,
    reading: Reading,
    *,
    name: str,
    at: datetime,
    author_id: int | None,
    topic: Mapping[str, int],
) -> None:
    """Store what is not stored yet, so many pages a transaction."""
    for start in range(0, len(reading.pieces), BATCH):
        async with space.db.transaction():
            for piece in reading.pieces[start : start + BATCH]:
                await _store_piece(space, document, piece, name=name, at=at, author_id=author_id)
    async with space.db.transaction():
        if reading.trouble != "too large":  # it may have been the machine: another time it may do
            await space.documents.end_reading(document.id)
        if reading.chars <= WHOLE_CHARS:
            for message_id in await space.documents.page_ids(document.id):
                await space.jobs.add(EXTRACT, f"{EXTRACT}:{message_id}", {"message": message_id, **topic})


async def _store_piece(
    space: Space, document: Document, piece: Piece, *, name: str, at: datetime, author_id: int | None
) -> None:
    source = document.source(piece.number)
    if await space.sessions.message_from(source) is not None:
        return
    message = Message(
        role="user",
        parts=(TextPart(text=piece.text),),
        at=at,
        origin="document",
        author=", ".join(filter(None, [name, piece.label])),
        author_id=author_id,
        source=source,
    )
    await space.segments.store(await space.sessions.append(message, session_id=None))


async def _beginning(space: Space, document: Document) -> tuple[str, bool]:
    """Return what stands in the turn, as it is stored now, and whether that is all."""
    ids = await space.documents.page_ids(document.id)
    limit = WHOLE_CHARS if document.chars <= WHOLE_CHARS else HEAD_CHARS
    text = "\n\n".join(message.text for message in await _first(space, ids, limit))
    return text[:limit], document.chars <= WHOLE_CHARS


async def _first(space: Space, ids: Sequence[int], chars: int) -> list[Message]:
    """Return messages up to the one that makes so many characters full."""
    found: list[Message] = []
    for message_id in ids:
        if sum(len(message.text) for message in found) >= chars:
            break
        found.append(await space.sessions.message(message_id))
    return found


def _is_shown(document: Document, size: int) -> bool:
    is_sound = document.kind == "pdf" and document.trouble is None
    return is_sound and 0 < document.pages <= MAX_SHOWN_PAGES and size <= MAX_SHOWN_BYTES
