"""The index: under which terms a segment is found (its own words, who spoke, what stood around it, when).

Rows of `segment_terms` hold the derived text exactly as it is in the full-text table, which triggers keep in step.
Context comes from two messages before and one after in the same talk, so storing a message touches its neighbours and
nothing else, whatever the size of the space. Only the newest version of an edited message is in here. Ranking and what
a query means to a person are not decided here.
"""

import json
import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memory.recall.terms import NORMALISER, date_terms, terms
from memory.store.database import Database, Row, from_utc_text

TALK_GAP = timedelta(hours=1)
"""A longer silence ends a talk: what was said before it is no context of what comes after."""

_BEFORE = 2
_AFTER = 1
_CONTEXT_TERMS = 120

_NEWEST = "coalesce((SELECT max(n.id) FROM messages n WHERE n.replaces = m.id), m.id)"
_NEIGHBOURS = (
    "SELECT near.*, (SELECT t.body FROM segments s JOIN segment_terms t ON t.segment_id = s.id"
    " WHERE s.message_id = near.id ORDER BY s.ordinal {nearest} LIMIT 1) AS body"
    f" FROM (SELECT m.id AS place, {_NEWEST} AS id, m.at FROM messages m WHERE m.session_id IS ? AND m.replaces IS NULL"
    " AND m.role IN ('user', 'model') AND m.text <> '' AND m.id {side} ? ORDER BY m.id {outwards} LIMIT ?) near"
)
_BEFORE_IT = _NEIGHBOURS.format(side="<", outwards="DESC", nearest="DESC")
_AFTER_IT = _NEIGHBOURS.format(side=">", outwards="ASC", nearest="ASC")


class SegmentIndex:
    """Writes the index of one space. Every write joins the caller's transaction and renews the profile's epoch."""

    def __init__(self, database: Database, zone: ZoneInfo) -> None:
        self._db = database
        self._zone = zone

    async def add(self, message_id: int) -> None:
        """Index the segments of a message in place of its older versions, and refresh its neighbours' context."""
        place = await self._place(message_id)
        if place is None or place["newest"] != message_id:
            return
        older = [version for version in json.loads(place["versions"]) if version != message_id]
        if older:
            await self._drop(older)
        await self._write(message_id)
        await self._refresh(place, itself=True)
        await self._renew_epoch()

    async def remove(self, message_id: int) -> None:
        """Take a message out of the index and out of its neighbours' context."""
        place = await self._place(message_id)
        await self._drop([message_id])
        if place is not None:
            await self._refresh(place, itself=False)
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

    async def _place(self, message_id: int) -> Row | None:
        """Return where a message stands (the place of its first version), when, and its versions."""
        return await self._db.fetch_one(
            f"SELECT m.id AS place, m.session_id, m.at, {_NEWEST} AS newest,"
            " (SELECT json_group_array(n.id) FROM messages n WHERE n.replaces = m.id OR n.id = m.id) AS versions"
            " FROM messages v JOIN messages m ON m.id = coalesce(v.replaces, v.id) WHERE v.id = ?",
            (message_id,),
        )

    async def _write(self, message_id: int) -> None:
        rows = await self._db.fetch_all(
            "SELECT s.id, s.start, s.stop, m.text, m.author, m.at FROM segments s JOIN messages m"
            " ON m.id = s.message_id WHERE m.id = ? ORDER BY s.ordinal",
            (message_id,),
        )
        for row in rows:
            day = from_utc_text(row["at"]).astimezone(self._zone).date()
            await self._db.execute(
                "INSERT INTO segment_terms (segment_id, body, speaker, context, date, normaliser)"
                " VALUES (?, ?, ?, '', ?, ?) ON CONFLICT (segment_id) DO UPDATE SET body = excluded.body,"
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

    async def _refresh(self, place: Row, *, itself: bool) -> None:
        """Write the context of those a message is context of, and of the message itself."""
        before = await self._before(place["session_id"], place["place"], place["at"], _AFTER)
        after = await self._after(place["session_id"], place["place"], place["at"], _BEFORE)
        own = [(place["place"], place["newest"], place["at"])] if itself else []
        for at_place, message_id, at in (*((r["place"], r["id"], r["at"]) for r in (*before, *after)), *own):
            await self._write_context(message_id, session_id=place["session_id"], place=at_place, at=at)

    async def _write_context(self, message_id: int, *, session_id: int | None, place: int, at: str) -> None:
        """What was said before belongs to a message's first segment, what was said after to its last."""
        ends = await self._db.fetch_all(
            "SELECT s.id, t.context FROM segments s JOIN segment_terms t ON t.segment_id = s.id"
            " WHERE s.message_id = ? ORDER BY s.ordinal",
            (message_id,),
        )
        if not ends:
            return
        before = await self._before(session_id, place, at, _BEFORE)
        after = await self._after(session_id, place, at, _AFTER)
        earlier = [(row["body"] or "").split()[-_CONTEXT_TERMS:] for row in reversed(before)]
        later = [(row["body"] or "").split()[:_CONTEXT_TERMS] for row in after]
        wanted = [(ends[0], earlier), (ends[-1], later)] if len(ends) > 1 else [(ends[0], earlier + later)]
        for row, words in wanted:
            context = " ".join(word for part in words for word in part)
            if context != row["context"]:
                await self._db.execute(
                    "UPDATE segment_terms SET context = ? WHERE segment_id = ?", (context, row["id"])
                )

    async def _before(self, session_id: int | None, place: int, at: str, count: int) -> list[Row]:
        """Return up to `count` messages of the same talk just before a place, nearest first."""
        return _unbroken(await self._db.fetch_all(_BEFORE_IT, (session_id, place, count)), at)

    async def _after(self, session_id: int | None, place: int, at: str, count: int) -> list[Row]:
        return _unbroken(await self._db.fetch_all(_AFTER_IT, (session_id, place, count)), at)

    async def _renew_epoch(self) -> None:
        await self._db.execute("UPDATE profile SET epoch = ?", (os.urandom(16),))


def _unbroken(rows: Sequence[Row], at: str) -> list[Row]:
    """Return the rows up to the first silence that ends a talk, counted outwards from `at`."""
    kept: list[Row] = []
    last = from_utc_text(at)
    for row in rows:
        moment: datetime = from_utc_text(row["at"])
        if abs(moment - last) > TALK_GAP:
            break
        kept.append(row)
        last = moment
    return kept
