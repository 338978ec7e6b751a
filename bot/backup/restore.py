"""Restoring: what a backup holds takes the place of what is here, which is kept; what was forgotten stays forgotten.

Everything is checked and made ready beside the home first; then it is swapped in (`swap`). Of the whole installation
the present state counts: who may speak here is not taken from a backup, unless nothing is known here. A space that the
backup does not hold stays as it is. The rows themselves are brought up to date by whoever opens them next.
"""

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.backup.check import checked
from bot.backup.manifest import BadBackup
from bot.backup.swap import decide, finish, staging
from bot.home import SPACE_ID, Home
from memory.errors import DamagedDatabase, NewerSchema
from memory.ports import Clock
from memory.store.copies import Contents, contents_of, copy_database, keep_ids_unused
from memory.store.database import Database
from memory.store.tombstones import Tombstones

_TAKEN_OVER = ("chats", "admissions")
"""Tables of bot.db from which a backup gives the rows that are not known here."""


@dataclass(frozen=True)
class Restored:
    """What was put in place, by space; where the former state lies (None: there was none); what could not be kept."""

    spaces: Mapping[str, Contents]
    kept_in: Path | None
    warnings: tuple[str, ...] = ()


async def restore(home: Home, file: Path, clock: Clock) -> Restored:
    """Put a backup in place: an archive, or the copy of one memory (.db). The caller holds the home.

    Raises: BadBackup, NewerSchema, StorageFull; nothing was changed then.
    """
    new = staging(home.root)
    try:
        ready = _ready_memory if file.suffix == ".db" else _ready_archive
        spaces = await asyncio.to_thread(ready, file, new)
        warnings = await _join(home, new, clock)
        items = _items(new)
        kept_in = home.backups / f"replaced-{clock.now():%Y%m%d-%H%M%S}"
        had_any = any((home.root / item).exists() for item in items)
        decide(home.root, items, kept_in=str(kept_in.relative_to(home.root)))
    except BaseException:
        shutil.rmtree(new.parent, ignore_errors=True)
        raise
    await asyncio.to_thread(finish, home.root)
    return Restored(spaces, kept_in if had_any else None, warnings)


def _ready_archive(file: Path, new: Path) -> dict[str, Contents]:
    """Unpack an archive and look into each database."""
    manifest = checked(file, new)
    spaces = {space_id: _looked_into(new, space_id, file) for space_id in manifest.spaces}
    if not spaces:
        raise BadBackup(f"{file} holds no memory: there is nothing to restore")
    if (new / "bot.db").exists():
        try:
            contents_of(new / "bot.db", "bot")
        except DamagedDatabase:
            raise BadBackup(f"{file} is damaged: its bot.db cannot be read; use another backup") from None
    return spaces


def _ready_memory(file: Path, new: Path) -> dict[str, Contents]:
    """Copy one memory, with what may stand in a log beside it, to where its profile says that it belongs."""
    if not file.is_file():
        raise BadBackup(f"there is no file {file}")
    copy = new / "memory.db"
    try:
        copy_database(file, copy)
        space_id = contents_of(copy, "memory").space_id
    except DamagedDatabase:
        raise BadBackup(f"{file} is no memory of Remembrancer, or is damaged; use another backup") from None
    if space_id is None or not SPACE_ID.fullmatch(space_id):
        raise BadBackup(f"{file} does not say which space it is the memory of")
    folder = new / "spaces" / space_id
    folder.mkdir(mode=0o700, parents=True)
    copy.rename(folder / "memory.db")
    return {space_id: _looked_into(new, space_id, file)}


def _looked_into(new: Path, space_id: str, file: Path) -> Contents:
    path = new / "spaces" / space_id / "memory.db"
    path.chmod(0o600)
    try:
        contents = contents_of(path, "memory")
    except NewerSchema as error:
        raise NewerSchema(file, error.found, error.known) from None
    except DamagedDatabase:
        raise BadBackup(f"{file} is damaged: the memory of {space_id} cannot be read; use another backup") from None
    if contents.space_id not in (None, space_id):
        raise BadBackup(f"{file} is refused: the memory of {space_id} in it is that of {contents.space_id}")
    return contents


async def _join(home: Home, new: Path, clock: Clock) -> tuple[str, ...]:
    """Bring what must outlive a restore from the present state into what is to come; return what could not be."""
    warnings = []
    for path in sorted(new.glob("spaces/*/memory.db")):
        live = home.space(path.parent.name).database
        if live.exists():
            try:
                await asyncio.to_thread(keep_ids_unused, path, live)
            except DamagedDatabase:
                warnings.append(
                    f"{live} is damaged: buttons in messages sent since the backup may no longer mean what they say"
                )
    if home.database.exists():
        try:
            await _join_bot(home, new, clock)
        except DamagedDatabase:
            warnings.append(
                f"{home.database} is damaged: what was forgotten since the backup may have come back; "
                "forget it again where it did"
            )
    return tuple(warnings)


async def _join_bot(home: Home, new: Path, clock: Clock) -> None:
    """Let the present bot.db go on, with what the backup's knows besides."""
    backed_up = new / "bot.db"
    if not backed_up.exists():
        return
    joined = new / "bot-joined.db"
    await asyncio.to_thread(copy_database, home.database, joined)
    present = await Database.open(joined, "bot", clock=clock, backups=home.backups)
    try:
        other = await Database.open(backed_up, "bot", clock=clock, backups=home.backups)
        try:
            await Tombstones(present, clock).add_all_of(other)
            for table in _TAKEN_OVER:
                await _take_over(table, other, present)
        finally:
            await other.close()
    finally:
        await present.close()
    for path in new.glob("bot.db*"):
        path.unlink()
    joined.rename(backed_up)
    for path in new.glob("bot-joined.db-*"):
        path.unlink()


async def _take_over(table: str, other: Database, present: Database) -> None:
    rows = await other.fetch_all(f"SELECT * FROM {table}")
    async with present.transaction():
        for row in rows:
            places = ", ".join("?" for _ in row)
            await present.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(row.keys())}) VALUES ({places})", tuple(row)
            )


def _items(new: Path) -> list[str]:
    """Return what is swapped: bot.db and whole folders of spaces; of a single memory the database alone."""
    bot = ["bot.db"] if (new / "bot.db").exists() else []
    folders = sorted(path for path in new.glob("spaces/*") if path.is_dir())
    if not bot and len(folders) == 1 and [path.name for path in folders[0].iterdir()] == ["memory.db"]:
        return [f"spaces/{folders[0].name}/memory.db"]
    return [*bot, *(f"spaces/{folder.name}" for folder in folders)]
