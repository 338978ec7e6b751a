"""What was forgotten, as salted hashes in bot.db: an older source that comes again must not bring it back.

Hashes of texts, for what comes by import: a whole message by all its words, a fact by the words of its quote, wherever
they stand; case, punctuation and spacing do not count. Of what a fact said, for what is read from an older message that
says it in other words. And of rows (number, time, words), for a file
that is older than the forgetting. Only what was said before the forgetting is bound: a later own statement wins. No
text is kept, and no hash can be compared across spaces.
"""

import hashlib
import hmac
import os
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar, get_args

import regex

from memory.ports import Clock
from memory.store.database import Database, to_utc_text

TextKind = Literal["message", "fact"]
RowKind = Literal["erased", "struck", "value", "procedure"]
"""A message that lost all its words; one that lost some; a fact; a version of a procedure."""
ROW_KINDS: tuple[RowKind, ...] = get_args(RowKind)

SALT_BYTES = 16
_EVERYTHING = "space"
_STATED = "stated"
_NEARLY = 0.5
"""A statement of the same value whose subject shares more than this part of its words says the same."""
_Key = TypeVar("_Key", int, str)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")


@dataclass(frozen=True)
class Burial:
    """Words that must not come back: a whole message, or the quote of a fact."""

    kind: TextKind
    text: str


@dataclass(frozen=True)
class RowBurial:
    """A row that must not come back with these words: a message's text, or a fact's quote and when it was said."""

    kind: RowKind
    id: int
    at: datetime
    text: str


@dataclass(frozen=True)
class StatementBurial:
    """What a fact said, in whatever words: what it is about and its value, as the ledger compares them."""

    subject: str
    value: str

    def digests(self, salt: bytes) -> list[bytes]:
        """Return the hash of the value together with each word of the subject."""
        return [_digest([_STATED, word, *_words(self.value)], salt) for word in dict.fromkeys(_words(self.subject))]


@dataclass(frozen=True)
class Graves:
    """The tombstones of one space that a file has not seen yet."""

    is_whole_space: bool
    salts: Collection[bytes]
    """One, unless tombstones of two homes came together."""
    rows: Mapping[str, Collection[bytes]]
    quotes: Mapping[int, Collection[bytes]]
    """Hashes of quotes, by the number of their words."""

    def holds(self, row: RowBurial) -> bool:
        """Tell whether a row was forgotten."""
        known = self.rows.get(row.kind, ())
        return bool(known) and any(_row_digest(row, salt) in known for salt in self.salts)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where forgotten quotes stand in a text, the longest ones first."""
        found = list(_WORD.finditer(text))
        words = [_folded(match.group()) for match in found]
        return [
            (found[start].start(), found[start + count - 1].end())
            for count in sorted(self.quotes, reverse=True)
            for salt in self.salts
            for start, digest in enumerate(_windows(words, count, salt))
            if digest in self.quotes[count]
        ]


class Tombstones:
    """The tombstones of all spaces."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def add(self, space_id: str, burials: Sequence[Burial | RowBurial | StatementBurial]) -> int:
        """Add a tombstone for each text with words; return how many were new. Joins a transaction of bot.db."""
        added = 0
        async with self._db.transaction():
            salt = await self._salt(space_id)
            for burial in burials:
                if isinstance(burial, StatementBurial):
                    for digest in burial.digests(salt):
                        added += await self._bury(space_id, _STATED, 0, salt, digest)
                    continue
                words = _words(burial.text)
                if not words:
                    continue
                if isinstance(burial, RowBurial):
                    added += await self._bury(space_id, burial.kind, 0, salt, _row_digest(burial, salt))
                else:
                    count = 0 if burial.kind == "message" else len(words)
                    added += await self._bury(space_id, burial.kind, count, salt, _digest(words, salt))
        return added

    async def add_space(self, space_id: str) -> None:
        """Bury all that was said in a space until now. Joins a transaction of bot.db."""
        async with self._db.transaction():
            salt = await self._salt(space_id)
            await self._bury(space_id, _EVERYTHING, 0, salt, _digest([_EVERYTHING], salt))

    async def has_everything(self, space_id: str) -> bool:
        """Tell whether all that was said in a space was ever forgotten at once."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM tombstones WHERE space_id = ? AND kind = ? LIMIT 1", (space_id, _EVERYTHING)
        )
        return row is not None

    async def covers(self, space_id: str, text: str, *, said_at: datetime) -> bool:
        """Tell whether a text that was said then is, or holds, something forgotten since."""
        rows = await self._db.fetch_all(
            "SELECT kind, words, salt, digest FROM tombstones WHERE space_id = ? AND at >= ?",
            (space_id, to_utc_text(said_at)),
        )
        if any(row["kind"] == _EVERYTHING for row in rows):
            return True
        words = _words(text)
        texts = [row for row in rows if row["kind"] in ("message", "fact")]
        lengths = {(bytes(row["salt"]), int(row["words"])) for row in texts}
        known = {bytes(row["digest"]) for row in texts}
        return any(digest in known for salt, count in lengths for digest in _windows(words, count, salt))

    async def covers_statement(self, space_id: str, statement: StatementBurial, *, said_at: datetime) -> bool:
        """Tell whether a fact that said the same was forgotten after this was said."""
        rows = await self._db.fetch_all(
            "SELECT salt, digest FROM tombstones WHERE space_id = ? AND kind = ? AND at >= ?",
            (space_id, _STATED, to_utc_text(said_at)),
        )
        known = {bytes(row["digest"]) for row in rows}
        for salt in {bytes(row["salt"]) for row in rows}:
            digests = statement.digests(salt)
            if sum(digest in known for digest in digests) > _NEARLY * len(digests):
                return True
        return False

    async def copy_to(self, other: Database, space_id: str) -> None:
        """Copy the tombstones of one space into another bot.db, which has none of it. Opens a transaction there."""
        rows = await self._db.fetch_all("SELECT * FROM tombstones WHERE space_id = ? ORDER BY id", (space_id,))
        async with other.transaction():
            for row in rows:
                await other.execute(
                    "INSERT INTO tombstones (space_id, kind, words, salt, digest, at) VALUES (?, ?, ?, ?, ?, ?)",
                    [row[name] for name in ("space_id", "kind", "words", "salt", "digest", "at")],
                )

    async def add_all_of(self, other: Database) -> int:
        """Add the tombstones of another bot.db that are not here, as they are; return how many. Opens a transaction."""
        rows = await other.fetch_all("SELECT * FROM tombstones ORDER BY id")
        added = 0
        async with self._db.transaction():
            for row in rows:
                written = await self._db.execute(
                    "INSERT INTO tombstones (space_id, kind, words, salt, digest, at) SELECT ?1, ?2, ?3, ?4, ?5, ?6"
                    " WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE space_id = ?1 AND kind = ?2 AND digest = ?5)",
                    [row[name] for name in ("space_id", "kind", "words", "salt", "digest", "at")],
                )
                added += written.count
        return added

    async def newest(self, space_id: str) -> str | None:
        """Return when something was last forgotten in a space, as stored; None when nothing ever was."""
        row = await self._db.fetch_one("SELECT max(at) FROM tombstones WHERE space_id = ?", (space_id,))
        return str(row[0]) if row and row[0] else None

    async def graves(self, space_id: str, *, after: str) -> Graves:
        """Return the tombstones of a space that were set after a stored time ("" for all)."""
        rows = await self._db.fetch_all(
            "SELECT kind, words, salt, digest FROM tombstones WHERE space_id = ? AND at > ?", (space_id, after)
        )
        return Graves(
            is_whole_space=any(row["kind"] == _EVERYTHING for row in rows),
            salts={bytes(row["salt"]) for row in rows},
            rows=_grouped((row["kind"], row["digest"]) for row in rows if row["kind"] in ROW_KINDS),
            quotes=_grouped((row["words"], row["digest"]) for row in rows if row["kind"] == "fact"),
        )

    async def _salt(self, space_id: str) -> bytes:
        """Return the salt of a space: one for all its tombstones, so that a text is hashed once to be compared."""
        row = await self._db.fetch_one("SELECT salt FROM tombstones WHERE space_id = ? LIMIT 1", (space_id,))
        return bytes(row["salt"]) if row else os.urandom(SALT_BYTES)

    async def _bury(self, space_id: str, kind: str, words: int, salt: bytes, digest: bytes) -> int:
        now = to_utc_text(self._clock.now())
        known = await self._db.execute(
            "UPDATE tombstones SET at = ? WHERE space_id = ? AND kind = ? AND digest = ?", (now, space_id, kind, digest)
        )
        if known.count:
            return 0
        await self._db.execute(
            "INSERT INTO tombstones (space_id, kind, words, salt, digest, at) VALUES (?, ?, ?, ?, ?, ?)",
            (space_id, kind, words, salt, digest, now),
        )
        return 1


def _grouped(digests: Iterable[tuple[_Key, bytes]]) -> dict[_Key, set[bytes]]:
    grouped: dict[_Key, set[bytes]] = {}
    for key, digest in digests:
        grouped.setdefault(key, set()).add(bytes(digest))
    return grouped


def _windows(words: list[str], count: int, salt: bytes) -> Iterator[bytes]:
    """Yield the hashes of all runs of `count` words; 0 means all of them at once."""
    if count == 0:
        yield _digest(words, salt)
    for start in range(len(words) - count + 1 if count else 0):
        yield _digest(words[start : start + count], salt)


def _row_digest(row: RowBurial, salt: bytes) -> bytes:
    return _digest([row.kind, str(row.id), to_utc_text(row.at), *_words(row.text)], salt)


def _digest(words: Sequence[str], salt: bytes) -> bytes:
    return hmac.new(salt, " ".join(words).encode(), hashlib.sha256).digest()


def _words(text: str) -> list[str]:
    return [_folded(word) for word in _WORD.findall(text)]


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
