"""When the model need not be asked: nothing it would answer from has changed since it last was."""

import hashlib
from collections.abc import Collection, Mapping
from datetime import date, timedelta

from memory.findings import Arms, Fingerprint
from memory.store.database import Database

LONGEST_REST = timedelta(days=7)

_DRAWN_ON = (
    "SELECT id, subject, value, quote, question, patterns, critical, pinned, status, due, since FROM facts ORDER BY id",
    "SELECT id, message_id, start, stop, sha256 FROM segments ORDER BY id",
    "SELECT id, text FROM handoffs ORDER BY id",
    "SELECT id, text FROM pinned_lines ORDER BY id",
    "SELECT segment_id, text FROM short_texts ORDER BY segment_id",
    "SELECT id, status, name, trigger, steps FROM procedure_versions ORDER BY id",
    "SELECT id, question, answer, patterns FROM probe_questions ORDER BY id",
)


async def mark_of(database: Database) -> str:
    """Return a hash of all that a prompt may draw on: the same as long as nothing of it changed."""
    whole = hashlib.sha256()
    for sql in _DRAWN_ON:
        for row in await database.fetch_all(sql):
            whole.update(repr(tuple(row)).encode())
    return whole.hexdigest()


def may_rest(
    night: date,
    last: Arms | None,
    *,
    mark: str,
    fingerprint: Fingerprint,
    refs: Collection[str],
    asked: Mapping[str, date],
) -> bool:
    """Tell whether the model may rest tonight: it was asked about each case, the newest time less than seven nights
    ago, that run was well, and neither the memory (`mark`) nor anything else an answer depends on has changed since.
    """
    if last is None or not night - last.night < LONGEST_REST or not all(ref in asked for ref in refs):
        return False
    return (last.memory_mark, last.fingerprint) == (mark, fingerprint)
