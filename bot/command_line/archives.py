"""The commands that keep a home or a memory in a file, and bring it back: backup, restore, export."""

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path

from bot.backup.manifest import BadBackup
from bot.backup.restore import restore
from bot.backup.write import SUFFIX, Written, default_name, write_backup
from bot.command_line.app import (
    FINE,
    NOT_WELL,
    App,
    NothingThere,
    many,
    reading,
    say,
    settle,
    show,
    space_id,
    tombstones_of,
)
from bot.command_line.progress import progress
from bot.inputs import UsageFault
from memory.forget import forget_again
from memory.transfer.export import export_name, export_to

_SIZES = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))


async def backup_command(args: argparse.Namespace, app: App) -> int:
    """Write a backup of the whole home. Raises: NothingThere, UsageFault, BackupBusy."""
    target = _target(args.file, app.home.backups, default_name(app.clock))
    settle(app)
    if not app.home.space_ids():
        raise NothingThere(f"there is no memory in {app.home.root} yet, so there is nothing to back up")
    with app.home.backing_up(), progress("backing up", None) as advance:
        try:
            written = await asyncio.to_thread(write_backup, app.home, target, app.clock, advance)
        except BadBackup as error:
            raise NothingThere(f"the backup could not be read back, so none was kept: {error}") from None
    show("\n".join(_written_lines(written)))
    return FINE


def _written_lines(written: Written) -> list[str]:
    spaces = written.manifest.spaces
    held = [f"{name}: {many(one.messages, 'message')}, {many(one.facts, 'fact')}" for name, one in spaces.items()]
    beside = sum(Path(name).name not in ("memory.db", "bot.db") for name in written.manifest.files)
    return [
        str(written.path),
        f"{many(len(spaces), 'space')} ({'; '.join(held)}), {many(beside, 'further file')}, {_size(written.size)}",
        "Read back and found whole. It is not encrypted: whoever has the file can read all of it.",
        f"To bring it back: remembrancer restore {written.path}",
    ]


async def restore_command(args: argparse.Namespace, app: App) -> int:
    """Put a backup in place of what is there. Raises: HomeBusy, UsageFault, NothingThere."""
    file: Path = args.file
    if not file.is_file():
        raise UsageFault(f"{file} is a folder, not a file" if file.is_dir() else f"there is no file {file}")
    with app.home.locked():
        try:
            done = await restore(app.home, file, app.clock)
        except BadBackup as error:
            raise NothingThere(f"{error}; nothing was changed") from None
        for name, contents in done.spaces.items():
            show(f"{name}: {many(contents.messages, 'message')}, {many(contents.facts, 'fact')} restored")
        for warning in done.warnings:
            say(warning)
        await _settle_in(app, tuple(done.spaces))
    others = sorted(set(app.home.space_ids()) - set(done.spaces))
    if others:
        show(f"not in the backup, and left as they are: {', '.join(others)}")
    if done.kept_in is not None:
        show(f"what was there before is kept in {done.kept_in}")
    return NOT_WELL if done.warnings else FINE


async def _settle_in(app: App, restored: tuple[str, ...]) -> None:
    """Bring what was restored up to date, and forget again what was forgotten since."""
    for name in restored:
        async with tombstones_of(app) as tombstones, app.open_space(name, read_only=False, as_it_is=True) as space:
            count = await forget_again(space, tombstones)
            await space.journal.project()
        if count:
            show(f"{name}: {many(count, 'thing')} forgotten since the backup: forgotten again")


async def export_command(args: argparse.Namespace, app: App) -> int:
    """Write all of one memory as a zip for people and programs. Raises: NothingThere, UsageFault."""
    name = export_name(space_id(args, app), app.clock.now())
    target = _target(args.file, Path(), name)
    async with reading(args, app) as space:
        try:
            counts = await export_to(space, target)
        except FileExistsError:
            raise _exists(target) from None
    show(target)
    show(f"{_counted(counts)}, {_size(target.stat().st_size)}")
    show("It is not encrypted, and private facts are in it. `remembrancer import` takes it in again.")
    return FINE


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(many(count, one) for one, count in counts.items())


def _target(asked: Path | None, folder: Path, name: str) -> Path:
    """Return where a file goes that must not be there yet. Raises: UsageFault."""
    if asked is None:
        return _unused(folder / name)
    target = _unused(asked / name) if asked.is_dir() else asked
    if target.suffix != SUFFIX:
        raise UsageFault(f"it is written as a zip: give it a name that ends with {SUFFIX}")
    if target.exists():
        raise _exists(target)
    if not target.parent.is_dir():
        raise UsageFault(f"there is no folder {target.parent}")
    return target


def _unused(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free


def _exists(target: Path) -> UsageFault:
    return UsageFault(f"{target} is there already and is not overwritten: give another name, or remove it first")


def _size(size: int) -> str:
    return next((f"{size / unit:.1f} {name}" for unit, name in _SIZES if size >= unit), f"{size} bytes")
