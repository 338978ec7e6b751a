"""The messages in an export: what members and the assistant said, as the lines that `import` reads, and back.

A message is there already when the memory holds one of the same time, speaker and words; that is so in the memory an
export came from and in any other that took it in. Calls, results and notes of the program are not exported.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from memory.importing import FOREIGN, Imported, source_of
from memory.messages import MediaPart, Message, TextPart
from memory.space import Space
from memory.store.database import to_utc_text
from memory.transfer.shapes import ExportedMessage

BATCH = 200


async def exported_messages(space: Space) -> list[ExportedMessage]:
    """Return the messages with words, in the order in which they came."""
    replaced = {row["id"]: row["replaces"] for row in await space.db.fetch_all("SELECT id, replaces FROM messages")}
    return [
        ExportedMessage(
            at=message.at,
            role="user" if message.role == "user" else "model",
            name=message.author,
            text=message.text,
            ref=message.ref,
            origin=message.origin if message.origin in FOREIGN else None,
            id=f"m{message.id}",
            replaces=f"m{replaced[message.id]}" if replaced[message.id] is not None else None,
            author_id=message.author_id,
        )
        for message in await _all(space)
        if message.role in ("user", "model") and message.text.strip() and message.id is not None
    ]


async def media_names(space: Space) -> dict[str, str]:
    """Return the names under which media were sent, by hash."""
    parts = [part for message in await _all(space) for part in message.parts if isinstance(part, MediaPart)]
    return {part.sha256: part.name for part in parts if part.name}


async def take_messages(
    space: Space,
    lines: Sequence[ExportedMessage],
    *,
    redact: Callable[[str], str],
    is_forgotten: Callable[[Message], Awaitable[bool]],
) -> tuple[Imported, dict[str, int]]:
    """Store what is new, a batch a transaction; return also which message here each one of the export is."""
    ids: dict[str, int] = {}
    seen: Counter[tuple[str, str, str | None, str]] = Counter()
    stored = forgotten = redacted = 0
    for start in range(0, len(lines), BATCH):
        async with space.db.transaction():
            for line in lines[start : start + BATCH]:
                message = _message(line, redact)
                redacted += message.text != line.text
                if await is_forgotten(message):
                    forgotten += 1
                    continue
                identity = (to_utc_text(message.at), message.role, message.author, message.text)
                seen[identity] += 1
                known = await _known(space, identity, seen[identity])
                if known is None:
                    known = await _store(space, message, seen[identity], ids.get(line.replaces or ""))
                    stored += 1
                ids[line.id] = known
    return Imported(stored, len(ids) - stored, redacted, forgotten), ids


async def _all(space: Space) -> list[Message]:
    rows = await space.db.fetch_all("SELECT id FROM messages ORDER BY id")
    return await space.sessions.messages([row["id"] for row in rows])


def _message(line: ExportedMessage, redact: Callable[[str], str]) -> Message:
    return Message(
        role=line.role,
        parts=(TextPart(text=redact(line.text)),),
        at=line.at,
        origin=line.origin if line.origin in FOREIGN else "import",
        author=redact(line.name) if line.name is not None else None,
        author_id=line.author_id,
        ref=line.ref,
    )


async def _known(space: Space, identity: tuple[str, str, str | None, str], occurrence: int) -> int | None:
    """Return the message that is the same one, of several equal ones that in the same place of their order."""
    row = await space.db.fetch_one(
        "SELECT id FROM messages WHERE at = ? AND role = ? AND author IS ? AND text = ? ORDER BY id LIMIT 1 OFFSET ?",
        (*identity, occurrence - 1),
    )
    return int(row["id"]) if row else None


async def _store(space: Space, message: Message, occurrence: int, replaces: int | None) -> int:
    named = message.model_copy(update={"source": source_of(message, occurrence)})
    known = await space.db.fetch_one("SELECT id FROM messages WHERE source = ?", (named.source,))
    if known is not None:
        return int(known["id"])
    stored = await space.sessions.append(named, session_id=None, replaces=replaces)
    await space.segments.store(stored)
    assert stored.id is not None
    return stored.id
