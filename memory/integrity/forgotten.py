"""What was forgotten and stands here again, by its tombstones. Reads only: forgetting again is what mends it."""

from collections.abc import AsyncIterator

from memory.compaction.wording import is_frame
from memory.forget.masking import MASK
from memory.integrity.fault import IS_BACK, STILL_TOLD, Fault, fault
from memory.integrity.pages import paged
from memory.integrity.windows import window_of
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text
from memory.store.procedures import ProcedureStore
from memory.store.tombstones import Graves, RowBurial, Tombstones

MIN_WORDS = 4
"""Shorter quotes may stand in what code writes, whatever was said."""

_OF_WINDOWS = (
    "SELECT id, text FROM handoffs UNION ALL SELECT handoff_id, text FROM journal WHERE handoff_id IS NOT NULL"
)
_OF_SEGMENTS = (
    "SELECT d.text, m.text AS said FROM (SELECT segment_id, text FROM pinned_lines"
    " UNION ALL SELECT segment_id, text FROM short_texts) d"
    " JOIN segments s ON s.id = d.segment_id JOIN messages m ON m.id = s.message_id"
)


async def forgotten_faults(
    database: Database, space_id: str, tombstones: Tombstones, clock: Clock
) -> AsyncIterator[Fault]:
    """Yield the messages, facts and procedures that a tombstone names, and what is derived from none that is left."""
    graves = await tombstones.graves(space_id, after="")
    if not graves.rows and not graves.quotes:
        return
    async for row in paged(database, "SELECT id, at, text FROM messages WHERE id > ? ORDER BY id LIMIT ?"):
        if _is_back(row, graves):
            yield fault("forgotten", IS_BACK)
    sql = "SELECT id, since, quote FROM facts WHERE status <> 'forgotten' AND id > ? ORDER BY id LIMIT ?"
    async for row in paged(database, sql):
        if graves.holds(RowBurial("value", row["id"], from_utc_text(row["since"]), row["quote"])):
            yield fault("forgotten", IS_BACK)
    for version in await ProcedureStore(database, clock).versions():
        if graves.holds(RowBurial("procedure", version.id, version.at, version.says.text)):
            yield fault("forgotten", IS_BACK)
    async for one in _derived(database, graves):
        yield one


def _is_back(row: Row, graves: Graves) -> bool:
    """A message that was masked whole, or of which nothing had to be masked, is as it should be."""
    text, at = row["text"], from_utc_text(row["at"])
    if graves.holds(RowBurial("erased", row["id"], at, text)):
        return bool(text.replace(MASK, "").strip())
    return graves.holds(RowBurial("struck", row["id"], at, text)) and bool(graves.spans(text))


async def _derived(database: Database, graves: Graves) -> AsyncIterator[Fault]:
    """Yield for each derived text that quotes what the words it was made of say no more: handoffs, the journal's rows
    of them, lines and short texts of a segment.
    """
    for row in await database.fetch_all(_OF_WINDOWS):
        lines = "\n".join(line for line in row["text"].split("\n") if not is_frame(line))
        if not _tells(graves, lines):
            continue
        window = await window_of(database, row["id"])
        if window.text is not None and not _tells(graves, window.text):
            yield fault("forgotten", STILL_TOLD)
    for row in await database.fetch_all(_OF_SEGMENTS):
        if _tells(graves, row["text"]) and not _tells(graves, row["said"]):
            yield fault("forgotten", STILL_TOLD)


def _tells(graves: Graves, text: str) -> bool:
    return any(len(text[start:stop].split()) >= MIN_WORDS for start, stop in graves.spans(text))
