"""Which chat belongs to which space, where nothing may be sent for now, and which updates could not be read.

Rows of the installation's own database. No message text.
"""

from datetime import datetime

from memory.ports import Clock
from memory.store.database import Database, from_utc_text, to_utc_text


class ChatStore:
    """The chats of one bot. Without a row a chat's space is named by its number; every write is a transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def space_of(self, chat_id: int) -> str:
        """Return the space of a chat: of a group that moved, the one it had before."""
        row = await self._db.fetch_one("SELECT space_id FROM chats WHERE chat_id = ?", (chat_id,))
        return str(row["space_id"]) if row else str(chat_id)

    async def chat_of(self, space_id: str) -> int:
        """Return where a space is spoken to now."""
        row = await self._db.fetch_one(
            "SELECT chat_id FROM chats WHERE space_id = ? ORDER BY created_at DESC, chat_id LIMIT 1", (space_id,)
        )
        return int(row["chat_id"] if row else space_id)

    async def oldest(self, space_id: str) -> datetime | None:
        """Return since when a chat of the space is known; None where none was ever noted."""
        row = await self._db.fetch_one("SELECT min(created_at) FROM chats WHERE space_id = ?", (space_id,))
        return from_utc_text(row[0]) if row and row[0] else None

    async def move(self, old_chat_id: int, new_chat_id: int) -> None:
        """Let a new chat go on with the space of an old one. Known moves change nothing."""
        space_id = await self.space_of(old_chat_id)
        async with self._db.transaction():
            await self._db.execute(
                "INSERT OR IGNORE INTO chats (chat_id, space_id, created_at) VALUES (?, ?, ?)",
                (new_chat_id, space_id, to_utc_text(self._clock.now())),
            )

    async def is_paused(self, chat_id: int) -> bool:
        """Whether the member blocked the bot and has not come back."""
        row = await self._db.fetch_one("SELECT paused_at FROM chats WHERE chat_id = ?", (chat_id,))
        return row is not None and row["paused_at"] is not None

    async def pause(self, chat_id: int) -> None:
        """Send nothing there until the member comes back."""
        space_id, now = await self.space_of(chat_id), to_utc_text(self._clock.now())
        async with self._db.transaction():
            # Where the space has a chat already, another row would make this old one the newest.
            await self._db.execute(
                "INSERT INTO chats (chat_id, space_id, created_at) SELECT ?, ?, ?"
                " WHERE NOT EXISTS (SELECT 1 FROM chats WHERE space_id = ?)",
                (chat_id, space_id, now, space_id),
            )
            await self._db.execute("UPDATE chats SET paused_at = ? WHERE chat_id = ?", (now, chat_id))

    async def resume(self, chat_id: int) -> bool:
        """Note that the member is back; False when they never were away."""
        if not await self.is_paused(chat_id):
            return False
        async with self._db.transaction():
            await self._db.execute("UPDATE chats SET paused_at = NULL WHERE chat_id = ?", (chat_id,))
        return True

    async def bury(self, source: str, reason: str) -> None:
        """Note an update that cannot be dealt with: its id and the name of an error class."""
        async with self._db.transaction():
            await self._db.execute(
                "INSERT OR IGNORE INTO dead_letters (source, reason, at) VALUES (?, ?, ?)",
                (source, reason, to_utc_text(self._clock.now())),
            )
