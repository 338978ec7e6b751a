"""Handoffs, their manifests, pinned lines and the journal against the exact words they were made from.

Where something of a window was forgotten since, its handoff was struck, and is no longer compared.
"""

import re
from collections.abc import AsyncIterator, Iterator

from memory.catalogue import N_
from memory.compaction.claims import claims
from memory.compaction.wording import PREFIX_CHARS, is_frame
from memory.forget.masking import MASK
from memory.integrity.fault import Fault, fault
from memory.integrity.pages import count, paged
from memory.integrity.windows import StoredWindow, window_of
from memory.store.database import Database, Row

_QUERIES = (
    (
        "manifests",
        N_("entries name a hash that their segment has not"),
        "SELECT count(*) FROM manifest a LEFT JOIN segments s ON s.id = a.segment_id WHERE s.sha256 IS NOT a.sha256",
    ),
    (
        "manifests",
        N_("entries name segments from outside their window"),
        (
            "SELECT count(*) FROM manifest a JOIN handoffs h ON h.id = a.handoff_id JOIN segments s"
            " ON s.id = a.segment_id JOIN messages m ON m.id = s.message_id WHERE m.session_id IS NOT h.session_id"
            " OR coalesce(m.replaces, m.id) NOT BETWEEN h.first_message_id AND h.last_message_id"
        ),
    ),
    (
        "handoffs",
        N_("handoffs cover messages that are not in their session"),
        (
            "SELECT count(*) FROM handoffs h WHERE h.first_message_id > h.last_message_id OR NOT EXISTS (SELECT 1 FROM"
            " messages m WHERE m.id = h.last_message_id AND m.session_id = h.session_id)"
        ),
    ),
    (
        "handoffs",
        N_("pairs of handoffs cover the same messages"),
        (
            "SELECT count(*) FROM handoffs a JOIN handoffs b ON b.session_id = a.session_id AND b.id > a.id"
            " AND b.first_message_id <= a.last_message_id AND a.first_message_id <= b.last_message_id"
        ),
    ),
    (
        "handoffs",
        N_("pairs of handoffs are out of order"),
        (
            "SELECT count(*) FROM handoffs a JOIN handoffs b ON b.session_id = a.session_id AND b.id > a.id"
            " AND b.last_message_id < a.first_message_id"
        ),
    ),
)
_HEAD = re.compile(r"Handoff h(\d+): ")
_NAMES = re.compile(r"manifest h(\d+) names (\d+) segments")
_LABEL = re.compile(rf"([0-9a-f]{{{PREFIX_CHARS}}}) ")
_QUOTED = re.compile(r"“(.*)”")
_JOURNAL_LINE = re.compile(r"- \d\d:\d\d (.*)")


async def handoff_faults(database: Database) -> AsyncIterator[Fault]:
    """What stands for talk that left the prompt, against that talk."""
    for about, words, sql in _QUERIES:
        yield fault(about, words, count=await count(database, sql))
    async for row in paged(database, "SELECT id, text, origin FROM handoffs WHERE id > ? ORDER BY id LIMIT ?"):
        window = await window_of(database, row["id"])
        if window.can_be_compared and MASK not in row["text"]:
            for one in _of_handoff(row, window):
                yield one
        if window.can_be_compared:
            async for one in _of_journal(database, row["id"], window):
                yield one
    async for one in _of_pinned(database):
        yield one


def _of_handoff(row: Row, window: StoredWindow) -> Iterator[Fault]:
    text = str(row["text"])
    head, names = _HEAD.match(text), _NAMES.search(text)
    if head is None or names is None or {head.group(1), names.group(1)} != {str(row["id"])}:
        yield fault("handoffs", N_("handoffs are not in the form in which they were written"))
        return
    if int(names.group(2)) != len(window.hashes):
        yield fault("manifests", N_("manifests name another number of segments than their handoff says"))
    if not _is_told(row, window):
        yield fault("handoffs", N_("handoffs tell what their window does not hold"))


def _is_told(row: Row, window: StoredWindow) -> bool:
    """Tell whether every value of a summary, every quotation and every hash stands in the window."""
    _, *lines = str(row["text"]).split("\n")
    prefixes = {sha256[:PREFIX_CHARS] for sha256 in window.hashes}
    for number, line in enumerate(line for line in lines if not is_frame(line)):
        label, quoted = _LABEL.match(line), _QUOTED.search(line)
        if label is not None and label.group(1) not in prefixes:
            return False
        if quoted is not None and (row["origin"] == "excerpt" or number) and not window.quotes(quoted.group(1)):
            return False
        is_summary = row["origin"] == "summary" and number == 0
        if is_summary and not all(window.source.holds(claim) for claim in claims(line)):
            return False
    return True


async def _of_journal(database: Database, handoff_id: int, window: StoredWindow) -> AsyncIterator[Fault]:
    for row in await database.fetch_all("SELECT text FROM journal WHERE handoff_id = ?", (handoff_id,)):
        lines = row["text"].split("\n")
        for _ in [line for line in lines if MASK not in line and not _was_said(line, window)]:
            yield fault("journal", N_("lines of the journal are not what was said"))


def _was_said(line: str, window: StoredWindow) -> bool:
    found = _JOURNAL_LINE.fullmatch(line)
    if found is None:
        return False
    names = [f"{name}: " for name in ("member", *window.authors)]
    said = [found.group(1).removeprefix(name) for name in names if found.group(1).startswith(name)]
    return any(window.quotes(words) for words in said)


async def _of_pinned(database: Database) -> AsyncIterator[Fault]:
    rows = await database.fetch_all(
        "SELECT p.text, substr(m.text, s.start + 1, s.stop - s.start) AS words FROM pinned_lines p"
        " JOIN segments s ON s.id = p.segment_id JOIN messages m ON m.id = s.message_id"
    )
    for row in rows:
        if MASK in row["text"] or MASK in row["words"]:
            continue
        quoted = _QUOTED.search(row["text"])
        if quoted is None or quoted.group(1).strip("…") not in row["words"]:
            yield fault("handoffs", N_("pinned lines are not what was said"))
