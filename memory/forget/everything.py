"""Everything: a whole memory is forgotten at once, with the same proof.

What stays is what the space is (its name, its zone, its settings but for those in a person's words), the ids of
updates, so that none of them arrives twice, and what calls of models cost, so that the day's ceiling holds. The tables
are read from the schema: a table that is added later is emptied too.
"""

import shutil
from pathlib import Path

from memory.errors import ReaderInTheWay
from memory.forget.report import Report
from memory.forget.steps import FORGOTTEN_MEDIA, effects, note_tombstones
from memory.space import Space
from memory.store.private import PRIVATE_FOLDERS
from memory.store.tombstones import Tombstones

EVERYTHING = "everything"
_KEPT = ("profile", "migrations", "inbox", "media", "usage")
_COUNTED = {
    "facts": "SELECT count(*) FROM facts WHERE status <> 'forgotten'",
    "procedures": "SELECT count(DISTINCT procedure_id) FROM procedure_versions",
    "reminders": "SELECT count(*) FROM reminders",
    "documents": "SELECT count(*) FROM documents",
    "approvals": "SELECT count(*) FROM approvals",
    "messages": "SELECT count(*) FROM messages",
    "turns": "SELECT count(*) FROM turns",
    "handoffs": "SELECT count(*) FROM handoffs",
    "journal": "SELECT count(*) FROM journal",
    "outbox": "SELECT count(*) FROM outbox",
    "questions": "SELECT count(*) FROM probe_questions",
    "media": f"SELECT count(*) FROM media WHERE mime_type <> '{FORGOTTEN_MEDIA}'",
}
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


async def counted(space: Space) -> dict[str, int]:
    """Return how much of each layer there is."""
    counts = {}
    for layer, sql in _COUNTED.items():
        row = await space.db.fetch_one(sql)
        assert row is not None
        counts[layer] = int(row[0])
    return {layer: count for layer, count in counts.items() if count}


async def confirmation(space: Space) -> str:
    """Return the word that confirms it: another one as soon as anything new was said."""
    row = await space.db.fetch_one("SELECT epoch FROM profile")
    assert row is not None
    return "".join(_letter(byte, n) for n, byte in enumerate(bytes(row["epoch"])[:6]))


async def rows_of_everything(space: Space, tombstones: Tombstones) -> Report:
    """Forget the whole space and look again. Joins the caller's transaction; the tombstone commits before it."""
    before = await counted(space)
    space.held.clear()
    await tombstones.add_space(space.id)
    async with space.db.transaction():
        await empty_rows(space)
        # What waits was said later, but what it replies to was not.
        await space.db.execute("UPDATE inbox SET body = json_set(body, '$.quote', NULL) WHERE body IS NOT NULL")
        await note_tombstones(space, tombstones)
        left = await counted(space)
    return Report(EVERYTHING, "forgotten", before, sum(left.values()))


async def empty_rows(space: Space) -> int:
    """Delete every row but what the space is and what waits in its inbox; return how many messages and facts went.

    Joins the caller's transaction.
    """
    before = await counted(space)
    db = space.db
    await db.execute("PRAGMA defer_foreign_keys = ON")
    await db.execute("UPDATE inbox SET turn_id = NULL")
    await db.execute("UPDATE usage SET turn_id = NULL")
    await db.execute("UPDATE inbox SET state = 'done', body = NULL WHERE state <> 'new' OR NOT json_valid(body)")
    await db.execute("UPDATE media SET mime_type = ?", (FORGOTTEN_MEDIA,))
    for table in await _tables(space):
        await db.execute(f"DELETE FROM {table}")
    await space.preference_store.set(tone=None, assistant_name=None)
    return before.get("messages", 0) + before.get("facts", 0)


async def _tables(space: Space) -> list[str]:
    rows = await space.db.fetch_all(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%_fts%'"
    )
    return [row["name"] for row in rows if row["name"] not in _KEPT]


async def effects_of_everything(space: Space) -> Report:
    """Erase from the disk what a whole memory left there; its file is written anew. Repeatable.

    Raises: ReaderInTheWay when the log could not be emptied: all else is done, try again.
    """
    async with space.db.transaction():  # nobody writes a file meanwhile whose row is not there yet
        rows = await space.db.fetch_all("SELECT sha256 FROM media WHERE mime_type <> ?", (FORGOTTEN_MEDIA,))
        for name in PRIVATE_FOLDERS:
            _empty(space.folder / name, keep={row["sha256"] for row in rows})
    report = await effects(space)
    await space.db.rewrite()
    if not await space.db.checkpoint():
        raise ReaderInTheWay
    return report


def _empty(folder: Path, *, keep: set[str]) -> None:
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in keep:
            path.unlink()


def _letter(byte: int, place: int) -> str:
    letters = _VOWELS if place % 2 else _CONSONANTS
    return letters[byte % len(letters)]
