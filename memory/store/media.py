"""Bytes beside the database (photos, documents, oversized tool results), named by their SHA-256."""

import os
from pathlib import Path

from memory.messages import MediaPart, media_part
from memory.ports import Clock
from memory.store.database import Database, to_utc_text


class MediaStore:
    def __init__(self, database: Database, folder: Path, clock: Clock) -> None:
        self._db = database
        self._folder = folder
        self._clock = clock

    async def put(self, data: bytes, mime_type: str, *, name: str | None = None) -> MediaPart:
        """Write the bytes (before the row that names them commits) and join the caller's transaction with the row."""
        part = media_part(data, mime_type, name=name)
        self._write(part.sha256, data)
        await self._db.execute(
            "INSERT OR IGNORE INTO media (sha256, mime_type, size, created_at) VALUES (?, ?, ?, ?)",
            (part.sha256, mime_type, part.size, to_utc_text(self._clock.now())),
        )
        return part

    def read(self, sha256: str) -> bytes | None:
        """Return the bytes, or None when they are gone."""
        try:
            return (self._folder / sha256).read_bytes()
        except FileNotFoundError:
            return None

    async def others(self, mime_type: str, sha256: str) -> list[str]:
        """Return what is kept of this type beside one."""
        rows = await self._db.fetch_all(
            "SELECT sha256 FROM media WHERE mime_type = ? AND sha256 <> ?", (mime_type, sha256)
        )
        return [str(row["sha256"]) for row in rows]

    async def drop(self, sha256: str) -> None:
        """Join the caller's transaction with the end of a row; `erase` the bytes once that is committed."""
        await self._db.execute("DELETE FROM media WHERE sha256 = ?", (sha256,))

    def erase(self, sha256: str) -> None:
        """Remove the bytes, if they are there."""
        (self._folder / sha256).unlink(missing_ok=True)

    async def find(self, prefix: str) -> str | None:
        """Return the one hash that begins so; None when there is none or several."""
        rows = await self._db.fetch_all(
            "SELECT sha256 FROM media WHERE substr(sha256, 1, ?) = ? LIMIT 2", (len(prefix), prefix.lower())
        )
        return str(rows[0]["sha256"]) if len(rows) == 1 else None

    async def kept(self, prefix: str) -> MediaPart | None:
        """Return the one file whose hash begins so, without its bytes; None when there is none or several."""
        sha256 = await self.find(prefix)
        row = await self._db.fetch_one("SELECT mime_type, size FROM media WHERE sha256 = ?", (sha256,))
        return MediaPart(mime_type=row["mime_type"], sha256=sha256, size=row["size"]) if sha256 and row else None

    def _write(self, sha256: str, data: bytes) -> None:
        target = self._folder / sha256
        if target.exists():
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
