"""Reactions of members to answers, as rows: what stands under an answer now, and whether the model knows of it.

A reaction is neither words nor a fact. Only answers bear one here, and only of somebody who has written to us.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.store.database import Database, to_utc_text


@dataclass(frozen=True)
class Reaction:
    """What a person's reaction to a message is now; `emoji` None: none, or none that says anything."""

    place: str
    member_id: int
    emoji: str | None
    at: datetime


@dataclass(frozen=True)
class Answered:
    """A reaction to the answer of a turn."""

    turn_id: int
    emoji: str


class ReactionStore:
    """Every write joins the caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def note(self, reaction: Reaction) -> bool:
        """Store what a reaction is now, in place of what it was; False for one to no answer, or of no member."""
        row = await self._db.fetch_one(
            "SELECT turn_id FROM outbox WHERE place = ? AND key LIKE 'turn:%' AND turn_id IS NOT NULL"
            " AND EXISTS (SELECT 1 FROM messages WHERE author_id = ?)",
            (reaction.place, reaction.member_id),
        )
        if row is None:
            return False
        whose = (reaction.place, reaction.member_id)
        if reaction.emoji is None:
            await self._db.execute("DELETE FROM reactions WHERE place = ? AND member_id = ?", whose)
            return True
        await self._db.execute(
            "INSERT INTO reactions (place, member_id, turn_id, emoji, at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (place, member_id) DO UPDATE SET at = excluded.at, emoji = excluded.emoji,"
            " is_told = is_told AND emoji = excluded.emoji",
            (*whose, row["turn_id"], reaction.emoji, to_utc_text(reaction.at)),
        )
        return True

    async def to_turn(self, turn_id: int) -> Sequence[str]:
        """Return the signs under the answer of a turn, oldest first."""
        rows = await self._db.fetch_all("SELECT emoji FROM reactions WHERE turn_id = ? ORDER BY at", (turn_id,))
        return [row["emoji"] for row in rows]

    async def take_untold(self) -> list[Answered]:
        """Return those the model does not know of, oldest first; from now on it does."""
        rows = await self._db.fetch_all("SELECT turn_id, emoji FROM reactions WHERE is_told = 0 ORDER BY at, turn_id")
        if rows:
            await self._db.execute("UPDATE reactions SET is_told = 1 WHERE is_told = 0")
        return [Answered(row["turn_id"], row["emoji"]) for row in rows]
