"""Waiting entries: what can be read of them, and which belong together."""

from collections.abc import Sequence
from contextlib import suppress

from memory.errors import Unreadable
from memory.store.entries import Entry
from memory.store.mailbox import Waiting


def readable(row: Waiting) -> Entry | None:
    """Return the entry of a row; None for one that cannot be read."""
    with suppress(Unreadable):
        return row.entry
    return None


def album_of(rows: Sequence[Waiting], first: Entry) -> list[Waiting]:
    """Return the messages of an entry's album that no turn has taken yet, in order."""
    return [
        row
        for row in rows
        if row.state == "new"
        and (entry := readable(row)) is not None
        and (entry.kind, entry.album, entry.author_id) == ("message", first.album, first.author_id)
    ]
