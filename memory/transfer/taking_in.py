"""Taking an export in: into a new memory or one with words of its own, as often as one likes, each thing once.

The whole file is read and checked before anything is stored. Messages come a batch at a time, all else in one
transaction behind them; what was cut off goes on when the same file is taken in again. What was forgotten here after
it was said stays away.
"""

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile, ZipFile, is_zipfile

from pydantic import BaseModel, ValidationError

from memory.errors import MemberMustAct
from memory.importing import CLOCKS_DIFFER, Imported
from memory.messages import Message
from memory.space import Space
from memory.store.files import MAX_FILES, MAX_TOTAL_BYTES
from memory.store.tombstones import Tombstones
from memory.transfer.ledger import is_unused, take_facts
from memory.transfer.messages import take_messages
from memory.transfer.shapes import (
    ABOUT,
    FACTS,
    FILES,
    FORMAT,
    MESSAGES,
    PROCEDURES,
    REMINDERS,
    About,
    Counts,
    ExportedLedger,
    ExportedMessage,
    ExportedProcedures,
    ExportedReminders,
)
from memory.transfer.things import take_file, take_procedure, take_reminder

MAX_BYTES = 2_000_000_000
"""Of one part of the file, unpacked: more is no talk."""
_Shape = TypeVar("_Shape", bound=BaseModel)


class BadExportFile(MemberMustAct):
    """The file is no export of a memory, or a part of it cannot be read; the text says which."""


@dataclass(frozen=True)
class TakenIn:
    """What became of each kind of thing."""

    messages: Imported
    facts: Counts
    procedures: Counts
    reminders: Counts
    files: Counts


@dataclass(frozen=True)
class _Export:
    about: About
    messages: tuple[ExportedMessage, ...]
    ledger: ExportedLedger
    procedures: ExportedProcedures
    reminders: ExportedReminders
    files: tuple[tuple[str, bytes], ...]


def is_export(path: Path) -> bool:
    """Tell whether a file is a zip, which only an export can be among what is imported."""
    return path.is_file() and is_zipfile(path)


async def take_in(path: Path, space: Space, tombstones: Tombstones, *, redact: Callable[[str], str]) -> TakenIn:
    """Take the export in. Raises: BadExportFile before anything is stored."""
    export = _read(path)
    latest = space.clock.now() + CLOCKS_DIFFER
    if any(at > latest for at in (*(one.at for one in export.messages), *(one.since for one in export.ledger.facts))):
        raise BadExportFile(f"{path} holds words of a time that is still to come")

    def is_forgotten(message: Message) -> Awaitable[bool]:
        return tombstones.covers(space.id, message.text, said_at=message.at)

    messages, ids = await take_messages(space, export.messages, redact=redact, is_forgotten=is_forgotten)
    graves = await tombstones.graves(space.id, after="")
    async with space.db.transaction():
        facts = await take_facts(space, export.ledger, ids, tombstones)
        procedures, reminders, files = Counts(), Counts(), Counts()
        keeps_ids = await is_unused(space.db, "procedures") and await is_unused(space.db, "procedure_versions")
        for procedure in export.procedures.procedures:
            procedures += await take_procedure(space, procedure, graves, keeps_id=keeps_ids)
        keeps_ids = await is_unused(space.db, "reminders")
        for reminder in export.reminders.reminders:
            reminders += await take_reminder(space, reminder, tombstones, keeps_id=keeps_ids)
    for name, data in export.files:
        files += await take_file(space, name, data, export.about, tombstones)
    return TakenIn(messages, facts, procedures, reminders, files)


def _read(path: Path) -> _Export:
    with _faults(path), ZipFile(path) as archive:
        names = set(archive.namelist())
        if ABOUT not in names:
            raise BadExportFile(
                f"{path} is no export of a memory (a backup of the whole home is put back with `remembrancer restore`)"
            )
        about = _shape(archive, ABOUT, About)
        if about.format > FORMAT:
            raise BadExportFile(f"{path} was written by a newer Remembrancer; import it with that version")
        # Not `splitlines`: JSON lets a line separator (U+2028) stand in a text as it is.
        lines = _part(archive, MESSAGES).decode().split("\n")
        return _Export(
            about,
            tuple(_message(line, number) for number, line in enumerate(lines, start=1) if line.strip()),
            _shape(archive, FACTS, ExportedLedger),
            _shape(archive, PROCEDURES, ExportedProcedures),
            _shape(archive, REMINDERS, ExportedReminders),
            _files(archive),
        )


def _message(line: str, number: int) -> ExportedMessage:
    try:
        return ExportedMessage.model_validate_json(line)
    except ValidationError:
        raise BadExportFile(f"{MESSAGES}, line {number} cannot be read") from None


def _shape(archive: ZipFile, name: str, shape: type[_Shape]) -> _Shape:
    try:
        return shape.model_validate(json.loads(_part(archive, name)))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in wrong["loc"])
        raise BadExportFile(f"{name} of the export cannot be read ({where}: {wrong['type']})") from None
    except RecursionError:
        raise BadExportFile(f"{name} of the export is nested too deeply") from None


def _part(archive: ZipFile, name: str) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > MAX_BYTES:
        raise BadExportFile(f"{name} of the export is too large")
    with archive.open(info) as file:
        return file.read(info.file_size + 1)


def _files(archive: ZipFile) -> tuple[tuple[str, bytes], ...]:
    """Return the assistant's own files; where each may go is for the store of files to say."""
    found = [info for info in archive.infolist() if info.filename.startswith(FILES) and not info.is_dir()]
    if len(found) > MAX_FILES or sum(info.file_size for info in found) > MAX_TOTAL_BYTES:
        raise BadExportFile("the export holds more files than a memory may have")
    return tuple((info.filename.removeprefix(FILES), _part(archive, info.filename)) for info in found)


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise BadExportFile(f"{path} is incomplete: {error.args[0]}") from None
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise BadExportFile(f"{path} cannot be read: {type(error).__name__}") from None
