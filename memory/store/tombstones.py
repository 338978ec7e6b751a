"""What was forgotten, as salted hashes in bot.db: an older source that comes again must not bring it back.

A whole message is known by the hash of all its words, a fact by the words of its quote, wherever they stand in a text.
Case, punctuation and spacing do not count. Only what was said before the forgetting is bound: a later own statement
wins. No text is kept, and no hash can be compared across spaces.
"""

import hashlib
import hmac
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.ports import Clock
from memory.store.database import Database, to_utc_text

Kind = Literal["message", "fact"]

SALT_BYTES = 16
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Burial:
    """Words that must not come back: a whole message, or the quote of a fact."""

    kind: Kind
    text: str


class Tombstones:
    """The tombstones of all spaces."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def add(self, space_id: str, burials: Sequence[Burial]) -> int:
        """Add a tombstone for each text with words; return how many were new. Joins a transaction of bot.db."""
        added = 0
        async with self._db.transaction():
            salt = await self._salt(space_id)
            for burial in burials:
                words = _words(burial.text)
                if words:
                    added += await self._bury(space_id, burial.kind, words, salt)
        return added

    async def covers(self, space_id: str, text: str, *, said_at: datetime) -> bool:
        """Tell whether a text that was said then is, or holds, something forgotten since."""
        rows = await self._db.fetch_all(
            "SELECT kind, words, salt, digest FROM tombstones WHERE space_id = ? AND at >= ?",
            (space_id, to_utc_text(said_at)),
        )
        words = _words(text)
        lengths = {(bytes(row["salt"]), int(row["words"])) for row in rows}
        known = {bytes(row["digest"]) for row in rows}
        return any(digest in known for salt, count in lengths for digest in _digests(words, count, salt))

    async def _salt(self, space_id: str) -> bytes:
        """Return the salt of a space: one for all its tombstones, so that a text is hashed once to be compared."""
        row = await self._db.fetch_one("SELECT salt FROM tombstones WHERE space_id = ? LIMIT 1", (space_id,))
        return bytes(row["salt"]) if row else os.urandom(SALT_BYTES)

    async def _bury(self, space_id: str, kind: Kind, words: list[str], salt: bytes) -> int:
        digest = _digest(words, salt)
        now = to_utc_text(self._clock.now())
        known = await self._db.execute(
            "UPDATE tombstones SET at = ? WHERE space_id = ? AND kind = ? AND digest = ?", (now, space_id, kind, digest)
        )
        if known.count:
            return 0
        await self._db.execute(
            "INSERT INTO tombstones (space_id, kind, words, salt, digest, at) VALUES (?, ?, ?, ?, ?, ?)",
            (space_id, kind, 0 if kind == "message" else len(words), salt, digest, now),
        )
        return 1


def _digests(words: list[str], count: int, salt: bytes) -> Iterator[bytes]:
    if count == 0:
        yield _digest(words, salt)
    for start in range(len(words) - count + 1 if count else 0):
        yield _digest(words[start : start + count], salt)


def _digest(words: Sequence[str], salt: bytes) -> bytes:
    return hmac.new(salt, " ".join(words).encode(), hashlib.sha256).digest()


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", text))]
