"""The index: under which terms a segment is found: its own words, who spoke, when.

Rows of `segment_terms` hold the derived text exactly as it is in the full-text table, which triggers keep in step.
Storing a message writes its own rows and no others, whatever the size of the space: what stands around it is looked at
when something is sought (`nearby.py`). Only the newest version of an edited message is in here.
"""

import json
import os

from memory.recall.terms import NORMALISER, date_terms, terms
from memory.store.database import Database, from_utc_text
from memory.store.preferences import Zones

_NEWEST = "coalesce((SELECT max(n.id) FROM messages n WHERE n.replaces = m.id), m.id)"


class SegmentIndex:
    """Writes the index of one space. Every write joins the caller's transaction and renews the profile's epoch."""

    def __init__(self, database: Database, zones: Zones) -> None:
        self._db = database
        self._zones = zones

    async def add(self, message_id: int) -> None:
        """Index the segments of a message in place of its older versions, unless it is such a version itself."""
        versions = await self._versions(message_id)
        if not versions or versions[-1] != message_id:
            return
        if older := versions[:-1]:
            await self._drop(older)
        await self._write(message_id)
        await self._renew_epoch()

    async def drop_older(self, message_id: int) -> None:
        """Take the older versions of a message that has no words itself out of the index."""
        if older := [one for one in await self._versions(message_id) if one < message_id]:
            await self._drop(older)
            await self._renew_epoch()

    async def remove(self, message_id: int) -> None:
        """Take a message out of the index."""
        await self._drop([message_id])
        await self._renew_epoch()

    async def repair(self) -> int:
        """Index what is missing or was indexed by older rules; return how many messages. Opens transactions."""
        await self._mend_phantoms()
        rows = await self._db.fetch_all(
            "SELECT DISTINCT s.message_id FROM segments s JOIN messages v ON v.id = s.message_id"
            " JOIN messages m ON m.id = coalesce(v.replaces, v.id)"
            " LEFT JOIN segment_terms t ON t.segment_id = s.id"
            f" WHERE v.id = {_NEWEST} AND t.normaliser IS NOT ? ORDER BY s.message_id",
            (NORMALISER,),
        )
        for row in rows:
            async with self._db.transaction():
                await self.add(row[0])
        return len(rows)

    async def _mend_phantoms(self) -> None:
        """Rebuild the full-text table when it has not as many rows as the terms it is made from."""
        counts = await self._db.fetch_one(
            "SELECT (SELECT count(*) FROM segments_fts_docsize), (SELECT count(*) FROM segment_terms)"
        )
        if counts is not None and counts[0] != counts[1]:
            async with self._db.transaction():
                await self._db.execute("INSERT INTO segments_fts (segments_fts) VALUES ('rebuild')")
                await self._renew_epoch()

    async def _versions(self, message_id: int) -> list[int]:
        """Return the ids of a message's versions, the newest last."""
        rows = await self._db.fetch_all(
            "SELECT n.id FROM messages v JOIN messages n ON n.id = coalesce(v.replaces, v.id)"
            " OR n.replaces = coalesce(v.replaces, v.id) WHERE v.id = ? ORDER BY n.id",
            (message_id,),
        )
        return [row["id"] for row in rows]

    async def _write(self, message_id: int) -> None:
        rows = await self._db.fetch_all(
            "SELECT s.id, s.start, s.stop, m.text, m.author, m.at FROM segments s JOIN messages m"
            " ON m.id = s.message_id WHERE m.id = ? ORDER BY s.ordinal",
            (message_id,),
        )
        for row in rows:
            at = from_utc_text(row["at"])
            day = at.astimezone(self._zones.zone_at(at)).date()
            await self._db.execute(
                "INSERT INTO segment_terms (segment_id, body, speaker, date, normaliser)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (segment_id) DO UPDATE SET body = excluded.body,"
                " speaker = excluded.speaker, date = excluded.date, normaliser = excluded.normaliser",
                (
                    row["id"],
                    " ".join(terms(row["text"][row["start"] : row["stop"]])),
                    " ".join(terms(row["author"] or "")),
                    " ".join(date_terms(day)),
                    NORMALISER,
                ),
            )

    async def _drop(self, message_ids: list[int]) -> None:
        await self._db.execute(
            "DELETE FROM segment_terms WHERE segment_id IN (SELECT id FROM segments WHERE message_id IN"
            " (SELECT value FROM json_each(?)))",
            (json.dumps(message_ids),),
        )

    async def _renew_epoch(self) -> None:
        await self._db.execute("UPDATE profile SET epoch = ?", (os.urandom(16),))
