"""An export: all of one memory as a zip of JSON and Markdown, for its member to read, keep and carry elsewhere.

Nothing of what was forgotten is in it; what is private is in it, and marked. Rows are read first and the zip is made
from them in a thread, so that a chat beside it waits for the reading alone.
"""

import asyncio
import io
import json
import mimetypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from memory.space import Space
from memory.store.files import FileRefused
from memory.transfer import pages
from memory.transfer.ledger import Json, exported_ledger
from memory.transfer.messages import exported_messages, media_names
from memory.transfer.shapes import ABOUT, FACTS, FILES, MESSAGES, PROCEDURES, REMINDERS, About
from memory.transfer.things import exported_procedures, exported_reminders

_HASH_CHARS = 8
_PROBES = ("probe_runs", "probe_results", "probe_alarms", "probe_questions")
_SETTINGS = (
    "zone",
    "language",
    "report",
    "report_at",
    "probe_at",
    "tone",
    "assistant_name",
    "daily_usd",
    "tools_on",
)
_FORGOTTEN_MEDIA = "forgotten"


@dataclass(frozen=True)
class _Piece:
    """A file of the zip: its name, and its bytes or where they lie."""

    name: str
    content: bytes | Path


def export_name(space_id: str, now: datetime) -> str:
    """Return the name of an export: short, whatever the space is called."""
    return f"remembrancer-{space_id[:20]}-{now:%Y%m%d}.zip"


async def media_bytes(space: Space) -> int:
    """Return how much the media of a memory take."""
    row = await space.db.fetch_one("SELECT coalesce(sum(size), 0) FROM media WHERE mime_type <> ?", (_FORGOTTEN_MEDIA,))
    return int(row[0]) if row else 0


async def words_bytes(space: Space) -> int:
    """Return how much the words of the messages take, said in the lines and on the pages."""
    row = await space.db.fetch_one("SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM messages")
    return 2 * int(row[0]) if row else 0


async def export_to(space: Space, target: Path) -> dict[str, int]:
    """Write the export under a name that is not taken yet, and return how many of each kind are in it.

    Raises: FileExistsError, OSError; the name does not exist then.
    """
    made, counts = await _pieces(space, has_media=True)
    unfinished = target.with_name(f".{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            await asyncio.to_thread(_write, file, made)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            raise FileExistsError(target)
        unfinished.rename(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return counts


async def export_bytes(space: Space, has_media: bool) -> bytes:
    """Return the export."""
    made, _counts = await _pieces(space, has_media=has_media)
    file = io.BytesIO()
    await asyncio.to_thread(_write, file, made)
    return file.getvalue()


async def _pieces(space: Space, *, has_media: bool) -> tuple[list[_Piece], dict[str, int]]:
    now, zone = space.clock.now(), space.zone
    async with space.db.snapshot():
        # Facts before messages: beside a server, what is read later holds all that it was made from.
        history = [fact for fact in await space.facts.history() if fact.status != "forgotten"]
        ledger = await exported_ledger(space)
        reminders, procedures = await exported_reminders(space), await exported_procedures(space)
        rest = {
            "settings.json": await _settings(space),
            "handoffs.json": await _handoffs(space),
            "probes.json": await _probes(space),
        }
        journal = [(day, await space.journal.text(day)) for day in await space.journal.days()]
        messages = await exported_messages(space)
        media = await _media(space)
    about = About(space=space.id, zone=zone.key, made_at=now, has_media=has_media)
    files = _files(space)
    pieces = [
        _text("README.md", pages.readme(space.id, now, zone, has_media=has_media)),
        _text(ABOUT, about.model_dump_json(indent=1)),
        _json(FACTS, ledger),
        _text("facts.md", pages.facts_page(history, zone)),
        _text(MESSAGES, "".join(f"{line.model_dump_json(exclude_none=True)}\n" for line in messages)),
        *(_text(name, text) for name, text in pages.talk_pages(messages, zone)),
        _json(REMINDERS, reminders),
        _text("reminders.md", pages.reminders_page(reminders["reminders"], zone)),
        _json(PROCEDURES, procedures),
        _text("procedures.md", pages.procedures_page(procedures["procedures"])),
        *(_json(name, value) for name, value in rest.items()),
        *(_text(f"journal/{day.isoformat()}.md", f"# {day.isoformat()}\n\n{text}\n") for day, text in journal),
        *files,
        _json("media.json", {"media": media}),
        *([_Piece(one["file"], space.folder / "media" / one["sha256"]) for one in media] if has_media else []),
    ]
    counts = {
        "message": len(messages),
        "fact": len(history),
        "reminder": len(reminders["reminders"]),
        "procedure": len(procedures["procedures"]),
        "file": len(files),
        "media": len(media) if has_media else 0,
    }
    return pieces, counts


def _write(file: IO[bytes], made: Sequence[_Piece]) -> None:
    with ZipFile(file, "w", ZIP_DEFLATED, strict_timestamps=False) as archive:
        for piece in made:
            if isinstance(piece.content, bytes):
                archive.writestr(piece.name, piece.content)
            elif piece.content.is_file():
                archive.write(piece.content, piece.name)


def _text(name: str, text: str) -> _Piece:
    return _Piece(name, text.encode("utf-8", "replace"))


def _json(name: str, value: Mapping[str, object]) -> _Piece:
    return _text(name, json.dumps(value, ensure_ascii=False, indent=1))


def _files(space: Space) -> list[_Piece]:
    pieces = []
    for file in space.files.listed():
        try:
            pieces.append(_Piece(f"{FILES}{file.path}", space.files.read(file.path)))
        except FileRefused:
            continue  # it went, or became something else, since it was listed
    return pieces


async def _settings(space: Space) -> Json:
    row = await space.db.fetch_one("SELECT * FROM profile")
    return {name: row[name] for name in _SETTINGS} if row else {}


async def _handoffs(space: Space) -> Json:
    rows = await space.db.fetch_all("SELECT id, text, created_at AS at FROM handoffs ORDER BY id")
    return {"handoffs": [{"id": f"h{row['id']}", "at": row["at"], "text": row["text"]} for row in rows]}


async def _probes(space: Space) -> Json:
    return {
        table: [dict(row) for row in await space.db.fetch_all(f"SELECT * FROM {table} ORDER BY 1, 2")]
        for table in _PROBES
    }


async def _media(space: Space) -> list[Json]:
    names = await media_names(space)
    rows = await space.db.fetch_all(
        "SELECT * FROM media WHERE mime_type <> ? ORDER BY created_at, sha256", (_FORGOTTEN_MEDIA,)
    )
    return [
        {
            "file": f"media/{row['sha256'][:_HASH_CHARS]}{mimetypes.guess_extension(row['mime_type']) or ''}",
            "name": names.get(row["sha256"]),
            "sha256": row["sha256"],
            "mime_type": row["mime_type"],
            "size": row["size"],
            "at": row["created_at"],
        }
        for row in rows
    ]
