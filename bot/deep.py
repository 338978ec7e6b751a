"""Deep look: what `doctor --deep` finds in each memory, and what it makes anew.

Each memory is copied (a consistent copy, whoever writes to it meanwhile) and the copy is examined, so that looking
works beside a server. Rebuilding needs the home for itself; where a server runs, the findings say so instead.
"""

import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.errors import line_for
from bot.health import Finding
from bot.home import Home, HomeBusy
from memory.errors import MemoryFault
from memory.integrity import Fault, examine, rebuild
from memory.ports import Clock
from memory.space import Space
from memory.store.database import Database


async def look_deep(home: Home, *, clock: Clock, zone: ZoneInfo) -> AsyncIterator[Finding]:
    """Examine every memory, rebuild what can be where nobody else holds the home, and yield what was found."""
    if not home.space_ids():
        return
    with _held(home) as is_held:
        for space_id in home.space_ids():
            about = f"spaces/{space_id}, every hash and index"
            try:
                yield await _memory(about, home, space_id, clock=clock, zone=zone, may_rebuild=is_held)
            except (MemoryFault, OSError) as error:
                yield Finding(about, is_well=False, detail=line_for(error))
            except sqlite3.Error as error:
                yield Finding(about, is_well=False, detail=f"cannot be read through ({error})")


async def _memory(about: str, home: Home, space_id: str, *, clock: Clock, zone: ZoneInfo, may_rebuild: bool) -> Finding:
    faults = await _examined(home, space_id, clock)
    rebuilt = [fault for fault in faults if fault.can_be_rebuilt]
    if rebuilt and may_rebuild:
        folder = home.space(space_id).path
        space = await Space.open(folder, default_zone=zone, clock=clock, backups=home.backups)
        try:
            await rebuild(space)
        finally:
            await space.close()
        faults = await _examined(home, space_id, clock)
        rebuilt = [fault for fault in rebuilt if fault not in faults]
    else:
        rebuilt = []
    return Finding(about, is_well=not faults and not rebuilt, detail=_words(faults, rebuilt))


def _words(faults: Sequence[Fault], rebuilt: Sequence[Fault]) -> str:
    said = [f"rebuilt: {fault.about} ({fault.count} {fault.words})" for fault in rebuilt]
    said += [fault.line() for fault in faults]
    return " · ".join(said) or "all of it agrees"


async def _examined(home: Home, space_id: str, clock: Clock) -> list[Fault]:
    folder = home.space(space_id)
    with tempfile.TemporaryDirectory(prefix="remembrancer-") as scratch:
        copy = Path(scratch) / "memory.db"
        live = await Database.open(folder.database, "memory", clock=clock, backups=home.backups, read_only=True)
        try:
            await live.backup_to(copy)
        finally:
            await live.close()
        database = await Database.open(copy, "memory", clock=clock, backups=Path(scratch))
        try:
            return await examine(database, folder.path, clock)
        finally:
            await database.close()


@contextmanager
def _held(home: Home) -> Iterator[bool]:
    """Hold the home if nobody else does."""
    with ExitStack() as stack:
        try:
            stack.enter_context(home.locked())
        except HomeBusy:
            yield False
        else:
            yield True
