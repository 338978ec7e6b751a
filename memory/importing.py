"""Importing: what was said elsewhere becomes part of a memory: stored and indexed, but not part of the tail.

Lines of JSON are read and checked whole before anything is stored. Importing them again stores nothing: an entry is the
same when `ref`, `at` and text match; without `ref`, when its content and its occurrence do. No model is called, no fact
is read and nothing is compacted.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from memory.errors import BadImport
from memory.messages import Message, TextPart
from memory.recall.segments import SegmentStore
from memory.store.database import Database
from memory.store.sessions import SessionStore

FOREIGN = ("forward", "document")
"""Origins of words that are not the speaker's own."""
CLOCKS_DIFFER = timedelta(days=1)
"""So far ahead of now may lie what was said elsewhere. What lies further would hold against all that is said later."""
BATCH = 200
"""Entries a transaction: a chat beside it waits for one batch at most."""


def _whole(text: str) -> str:
    """Refuse half of a surrogate pair: JSON can hold it, a database cannot."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("holds half a character")
    return text


Words = Annotated[str, AfterValidator(_whole)]
"""A text that can be stored."""


class _Line(BaseModel):
    """One line of the file; further keys are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)

    at: str
    role: Literal["user", "model"]
    text: Words
    name: Words | None = None
    ref: Words | None = None
    origin: Any = None
    """`forward` or `document`, as an export writes it: somebody else's words. Whatever else is there means nothing."""


@dataclass(frozen=True)
class Imported:
    """What an import did. `redacted` counts entries with a secret that is not stored, `forgotten` entries that the
    member had forgotten before.
    """

    stored: int = 0
    known: int = 0
    redacted: int = 0
    forgotten: int = 0


def read_lines(lines: Iterable[str], zone: ZoneInfo) -> list[Message]:
    """Return the entries of JSON lines in order; blank ones are left out. A time without offset is local to `zone`.

    Raises: BadImport with the number of the first line that cannot be read and what is wrong with it.
    """
    return [entry for number, line in enumerate(lines, start=1) if (entry := _entry(line, number, zone)) is not None]


class Importer:
    """Stores entries in one space, indexed, outside of any session."""

    def __init__(self, database: Database, sessions: SessionStore, segments: SegmentStore) -> None:
        self._db = database
        self._sessions = sessions
        self._segments = segments

    async def store(
        self,
        entries: Iterable[Message],
        *,
        redact: Callable[[str], str],
        is_forgotten: Callable[[Message], Awaitable[bool]],
        on_stored: Callable[[int], None] = lambda done: None,
        on_own: Callable[[int], None] = lambda message_id: None,
    ) -> Imported:
        """Store what is new, a batch a transaction; `on_stored` gets how many entries were dealt with so far.

        What `is_forgotten` says was forgotten after it was said stays away. `on_own` gets the id of each entry that is
        the member's own words, whether it was stored now or before. No more than a batch is held at a time.
        """
        total, done = Imported(), 0
        named = _with_sources(_redacted(entries, redact))
        while batch := list(islice(named, BATCH)):
            async with self._db.transaction():
                counts = [
                    Imported(forgotten=1)
                    if await is_forgotten(entry)
                    else await self._store_one(entry, on_own, is_redacted=is_redacted)
                    for entry, is_redacted in batch
                ]
            total = _sum([total, *counts])
            done += len(batch)
            on_stored(done)
        return total

    async def _store_one(self, entry: Message, on_own: Callable[[int], None], *, is_redacted: bool) -> Imported:
        known = await self._db.fetch_one("SELECT id FROM messages WHERE source = ?", (entry.source,))
        if known is None:
            stored = await self._sessions.append(entry, session_id=None)
            await self._segments.store(stored)
        message_id = stored.id if known is None else int(known["id"])
        if entry.role == "user" and entry.origin == "import" and message_id is not None:
            on_own(message_id)
        return Imported(stored=int(known is None), known=int(known is not None), redacted=int(is_redacted))


def _entry(line: str, number: int, zone: ZoneInfo) -> Message | None:
    if not line.strip():
        return None
    try:
        parsed = _Line.model_validate(json.loads(line))
    except json.JSONDecodeError:
        raise BadImport(number, "is not JSON; each line must be one JSON object") from None
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        if not wrong["loc"]:
            raise BadImport(number, "must be one JSON object") from None
        key = ".".join(str(part) for part in wrong["loc"])
        raise BadImport(number, f"{key}: {wrong['msg'].lower().removeprefix('value error, ')}") from None
    except RecursionError:
        raise BadImport(number, "is nested too deeply") from None
    except ValueError:
        raise BadImport(number, "holds a number of too many digits") from None
    if not parsed.text.strip():
        return None
    return Message(
        role=parsed.role,
        parts=(TextPart(text=parsed.text),),
        at=_moment(parsed.at, zone, number),
        origin=parsed.origin if parsed.origin in FOREIGN else "import",
        author=parsed.name,
        ref=parsed.ref,
    )


def _moment(text: str, zone: ZoneInfo, number: int) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadImport(number, "at: must be a time like 2027-03-12T17:30:00+01:00") from None


def _redacted(entries: Iterable[Message], redact: Callable[[str], str]) -> Iterator[tuple[Message, bool]]:
    for entry in entries:
        text = redact(entry.text)
        author = None if entry.author is None else redact(entry.author)
        yield entry.model_copy(update={"parts": (TextPart(text=text),), "author": author}), text != entry.text


def _with_sources(entries: Iterable[tuple[Message, bool]]) -> Iterator[tuple[Message, bool]]:
    """Name each entry by what makes it the same one in another file."""
    seen: Counter[str] = Counter()
    for entry, is_redacted in entries:
        occurrence = 0
        if entry.ref is None:
            digest = _digest(entry)
            seen[digest] += 1
            occurrence = seen[digest]
        yield entry.model_copy(update={"source": source_of(entry, occurrence)}), is_redacted


def source_of(entry: Message, occurrence: int) -> str:
    """Return the name of an imported entry; of those without `ref`, the equal ones of a file are counted from 1."""
    name = f"import:{_digest(entry)}"
    return f"{name}:{occurrence}" if entry.ref is None else name


def _digest(entry: Message) -> str:
    identity = [entry.ref, entry.at.isoformat(), entry.text]
    if entry.ref is None:
        identity += [entry.role, entry.author]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def _sum(counts: Iterable[Imported]) -> Imported:
    totals = [astuple(count) for count in counts]
    return Imported(*(sum(column) for column in zip(*totals, strict=True)))
