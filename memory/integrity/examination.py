"""The examination of one memory: every look there is, and what each found counted."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.integrity.fault import Fault
from memory.integrity.file import file_faults, media_faults, place_faults, work_faults
from memory.integrity.forgotten import forgotten_faults
from memory.integrity.gaps import gap_faults
from memory.integrity.handoffs import handoff_faults
from memory.integrity.index import index_faults
from memory.integrity.ledger import ledger_faults
from memory.integrity.transcript import message_faults, segment_faults, turn_faults
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database
from memory.store.preferences import PreferenceStore
from memory.store.tombstones import Tombstones


async def examine(database: Database, folder: Path, clock: Clock) -> list[Fault]:
    """Return everything that does not agree in a memory; `folder`, named like the space, is where its media lie.

    `database` is the memory or a copy of it, opened for writing.
    """
    return [
        *await examine_rows(database, folder.name, clock),
        *await _counted(media_faults(database, folder)),
    ]


async def examine_rows(
    database: Database, space_id: str, clock: Clock, *, tombstones: Tombstones | None = None
) -> list[Fault]:
    """Return the same but for the media, which a copy of the database has not.

    With `tombstones` it is looked for what was forgotten and is back.
    """
    zones = await PreferenceStore(database, clock, ZoneInfo("UTC")).load()
    looks = [
        file_faults(database),
        place_faults(database, space_id),
        segment_faults(database),
        message_faults(database),
        gap_faults(database, space_id, tombstones),
        turn_faults(database),
        index_faults(database),
        ledger_faults(database, zones),
        handoff_faults(database),
        work_faults(database, clock),
    ]
    if tombstones is not None:
        looks.append(forgotten_faults(database, space_id, tombstones, clock))
    return [found for look in looks for found in await _counted(look)]


async def examine_media(space: Space) -> list[Fault]:
    """Return the files of a live memory that are gone or changed."""
    return await _counted(media_faults(space.db, space.folder))


async def _counted(look: AsyncIterator[Fault]) -> list[Fault]:
    """Return equal faults as one, with how many there are."""
    counts = Counter[Fault]()
    async for found in look:
        counts[found.model_copy(update={"count": 1})] += found.count
    return [found.model_copy(update={"count": count}) for found, count in counts.items() if count]
