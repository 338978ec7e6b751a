"""What was said: every stretch against its hash, texts against their parts, calls against results."""

import json
from collections import Counter
from collections.abc import AsyncIterator

from pydantic import ValidationError

from memory.catalogue import N_
from memory.integrity.fault import Fault, fault
from memory.integrity.pages import count, paged
from memory.messages import TextPart, parts_from_json, parts_to_json, text_of
from memory.recall.segments import digest
from memory.store.database import Database

NOT_READ = N_("messages cannot be read")
NAMED = 5
"""So many messages that cannot be read are named."""

_UNCUT = (
    "SELECT count(*) FROM messages m WHERE role IN ('user', 'model') AND trim(text, ' \t\r\n') <> ''"
    " AND NOT EXISTS (SELECT 1 FROM segments s WHERE s.message_id = m.id)"
)


async def segment_faults(database: Database) -> AsyncIterator[Fault]:
    """Every stretch against its hash, and the stretches of a message against its text."""
    covered: dict[int, int] = {}
    lengths: dict[int, int] = {}
    sql = (
        "SELECT s.id, s.message_id, s.start, s.stop, s.sha256, m.text FROM segments s JOIN messages m"
        " ON m.id = s.message_id WHERE s.id > ? ORDER BY s.id LIMIT ?"
    )
    async for row in paged(database, sql):
        if digest(row["text"][row["start"] : row["stop"]]) != row["sha256"]:
            yield fault("segments", N_("stretches of text are not what was hashed"))
        covered[row["message_id"]] = covered.get(row["message_id"], 0) + row["stop"] - row["start"]
        lengths[row["message_id"]] = len(row["text"])
    for message_id, chars in covered.items():
        if chars != lengths[message_id]:
            yield fault("segments", N_("messages are not wholly covered by their segments"))
    yield fault(
        "segments", N_("messages are not cut into segments"), count=await count(database, _UNCUT), can_be_rebuilt=True
    )


async def message_faults(database: Database) -> AsyncIterator[Fault]:
    """The text of a message against its parts."""
    unreadable: list[str] = []
    async for row in paged(database, "SELECT id, text, body FROM messages WHERE id > ? ORDER BY id LIMIT ?"):
        said = _said(row["body"])
        if said is None:
            unreadable.append(f"m{row['id']}")
        elif said != row["text"]:
            yield fault("messages", N_("messages have other words in their parts than in their text"))
    named = ", ".join([*unreadable[:NAMED], *["…"][: len(unreadable) - NAMED]])
    yield fault("messages", f"{NOT_READ}: {named}", count=len(unreadable))


async def read_by_text(database: Database) -> None:
    """Let each message that cannot be read be its bare text: for a copy, which is to be looked at all the same."""
    sql = "SELECT id, text, body FROM messages WHERE id > ? ORDER BY id LIMIT ?"
    unreadable = [row async for row in paged(database, sql) if _said(row["body"]) is None]
    async with database.transaction():
        for row in unreadable:
            body = parts_to_json([TextPart(text=row["text"])])
            await database.execute("UPDATE messages SET body = ? WHERE id = ?", (body, row["id"]))


def _said(body: str) -> str | None:
    """Return the words in the parts of a message; None when they cannot be read."""
    try:
        return text_of(parts_from_json(body))
    except ValidationError:
        return None


async def turn_faults(database: Database) -> AsyncIterator[Fault]:
    """Calls and results of turns that ended well: each call has exactly one result, each result a call."""
    sql = (
        "SELECT t.id, json_group_array(json(m.body)) AS bodies FROM turns t JOIN messages m ON m.turn_id = t.id"
        " AND m.replaces IS NULL AND m.role IN ('model', 'notice', 'tool') AND json_valid(m.body)"
        " WHERE t.state = 'done' AND t.id > ? GROUP BY t.id ORDER BY t.id LIMIT ?"
    )
    async for row in paged(database, sql):
        calls, results = _calls(row["bodies"])
        if calls - results:
            yield fault("tools", N_("turns have a call without a result"))
        if results - calls:
            yield fault("tools", N_("turns have a result without a call"))


def _calls(bodies: str) -> tuple[Counter[str], Counter[str]]:
    calls, results = Counter[str](), Counter[str]()
    for body in json.loads(bodies):
        for part in body:
            if part.get("kind") == "call":
                calls[part["call_id"]] += 1
            elif part.get("kind") == "result":
                results[part["call_id"]] += 1
    return calls, results
