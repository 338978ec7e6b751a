"""Procedures, reminders and the assistant's own files in an export, and taken over from there. Each comes once."""

import json
from datetime import datetime
from typing import Any

from memory.errors import MemberMustAct
from memory.space import Space
from memory.store.database import to_utc_text
from memory.store.files import FileRefused, NoSuchFile
from memory.store.instructions import instructions
from memory.store.recurrence import from_json
from memory.store.reminder_rows import checked_text
from memory.store.reminders import MOST_WAITING
from memory.store.tombstones import Graves, RowBurial, Tombstones
from memory.transfer.shapes import (
    ADDED,
    KNOWN,
    LEFT_OUT,
    About,
    Counts,
    ExportedProcedure,
    ExportedReminder,
)

Json = dict[str, Any]


# Procedures


async def exported_procedures(space: Space) -> Json:
    """Return `procedures.json`."""
    by_id: dict[int, list[Json]] = {}
    for version in await space.procedures.versions():
        by_id.setdefault(version.procedure_id, []).append(
            {
                "number": version.number,
                "status": version.status,
                "name": version.says.name,
                "trigger": version.says.trigger,
                "steps": list(version.says.steps),
                "by": version.by,
                "by_id": version.by_id,
                "at": version.at.isoformat(),
                "row": version.id,
            }
        )
    return {"procedures": [{"id": f"p{number}", "versions": versions} for number, versions in sorted(by_id.items())]}


async def take_procedure(space: Space, one: ExportedProcedure, graves: Graves, *, keeps_id: bool) -> Counts:
    """Take a procedure over with its versions, unless one says the same here. Joins the caller's transaction."""
    try:
        says = [instructions(version.name, version.trigger, version.steps) for version in one.versions]
    except MemberMustAct:
        return LEFT_OUT
    pairs = list(zip(one.versions, says, strict=True))
    if any(graves.holds(RowBurial("procedure", version.row, version.at, said.text)) for version, said in pairs):
        return LEFT_OUT
    known = {version.says.text for version in await space.procedures.versions()}
    if known & {said.text for said in says}:
        return KNOWN
    first = min(version.at for version in one.versions)
    added = await space.db.execute(
        "INSERT INTO procedures (id, created_at) VALUES (?, ?)",
        (int(one.id[1:]) if keeps_id else None, to_utc_text(first)),
    )
    for version, said in pairs:
        await space.db.execute(
            "INSERT INTO procedure_versions"
            " (id, procedure_id, version, status, name, trigger, steps, by, by_id, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                version.row if keeps_id else None,
                added.rowid,
                version.number,
                version.status,
                said.name,
                said.trigger,
                json.dumps(said.steps, ensure_ascii=False),
                version.by,
                version.by_id,
                to_utc_text(version.at),
            ),
        )
    return ADDED


# Reminders


async def exported_reminders(space: Space) -> Json:
    """Return `reminders.json`: all but the deleted ones."""
    rows = await space.db.fetch_all("SELECT * FROM reminders WHERE state <> 'deleted' ORDER BY id")
    return {
        "reminders": [
            {
                "id": f"n{row['id']}",
                "text": row["text"],
                "state": row["state"],
                "wall": row["wall"],
                "repeats": json.loads(row["repeats"]) if row["repeats"] else None,
                "next_at": row["next_at"],
                "is_snoozed": bool(row["is_snoozed"]),
                "zone": row["zone"],
                "sent_due": row["sent_due"],
                "by": row["by"],
                "by_id": row["by_id"],
                "created_at": row["created_at"],
            }
            for row in rows
        ]
    }


async def take_reminder(space: Space, one: ExportedReminder, tombstones: Tombstones, *, keeps_id: bool) -> Counts:
    """Take a reminder over; one that was due meanwhile comes late, once. Joins the caller's transaction."""
    known = await space.db.fetch_one(
        "SELECT 1 FROM reminders WHERE text = ? AND created_at = ?", (one.text, to_utc_text(one.created_at))
    )
    if known is not None:
        return KNOWN
    waiting = await space.db.fetch_one("SELECT count(*) FROM reminders WHERE state = 'waiting'")
    is_full = one.state == "waiting" and waiting is not None and waiting[0] >= MOST_WAITING
    is_odd = (one.state == "waiting") != (one.next_at is not None) or (one.repeats is not None and one.wall is None)
    if is_full or is_odd or await tombstones.covers(space.id, one.text, said_at=one.created_at):
        return LEFT_OUT
    try:
        text = checked_text(one.text)
        repeats = json.dumps(one.repeats) if one.repeats is not None else None
        if repeats is not None:
            from_json(repeats)
        if one.wall is not None:
            datetime.fromisoformat(one.wall)
    except (MemberMustAct, ValueError):
        return LEFT_OUT
    await space.db.execute(
        "INSERT INTO reminders (id, text, state, wall, repeats, next_at, is_snoozed, zone, sent_due, by, by_id,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            int(one.id[1:]) if keeps_id else None,
            text,
            one.state,
            one.wall,
            repeats,
            to_utc_text(one.next_at) if one.next_at else None,
            int(one.is_snoozed),
            one.zone,
            to_utc_text(one.sent_due) if one.sent_due else None,
            one.by,
            one.by_id,
            to_utc_text(one.created_at),
        ),
    )
    return ADDED


# Files


async def take_file(space: Space, path: str, data: bytes, about: About, tombstones: Tombstones) -> Counts:
    """Take a file over where there is none of its name; what was forgotten after the export was made stays away."""
    try:
        return KNOWN if space.files.read(path) == data else LEFT_OUT
    except NoSuchFile:
        pass
    except FileRefused:
        return LEFT_OUT
    try:
        words = data.decode()
    except UnicodeDecodeError:
        words = ""
    if await tombstones.covers(space.id, f"{path} {words}", said_at=about.made_at):
        return LEFT_OUT
    try:
        space.files.write(path, data)
    except FileRefused:
        return LEFT_OUT
    return ADDED
