"""The three steps: plan (reads), rows (SQL only, in one transaction), effects (files, index, log; after the commit).

A fact's quote and every spelling of its value are masked in its lineage; a message loses its words everywhere. A turn
that was touched keeps its texts alone, without calls and signatures, so that it can still be replayed. What a member
said elsewhere in words of their own is left, counted and shown.
"""

from collections import Counter
from dataclasses import dataclass, replace

from memory.errors import ReaderInTheWay
from memory.forget.change import Change
from memory.forget.documents import doomed_files
from memory.forget.files import files_with, strike_files
from memory.forget.lineage import Lineage, lineage, listed
from memory.forget.mentions import Mention, alike, verbatim
from memory.forget.remains import remains
from memory.forget.report import Report
from memory.recall.segments import cut
from memory.space import Space
from memory.store.tombstones import Tombstones

FORGOTTEN_MEDIA = "forgotten"
"""The MIME type of a media row whose file must go; the effects remove both."""


@dataclass(frozen=True)
class Plan:
    """What will be forgotten, row by row, and what will not: `mentions` are other messages about it."""

    lineage: Lineage
    changes: tuple[Change, ...]
    media: tuple[str, ...]
    files: tuple[str, ...] = ()
    """Paths of the assistant's own files that hold it."""
    doomed: tuple[str, ...] = ()
    """Paths of the files that go whole."""
    mentions: tuple[Mention, ...] = ()

    @property
    def found(self) -> dict[str, int]:
        """How many rows of each layer hold it."""
        counts = Counter[str](change.layer for change in self.changes)
        counts["facts"] = len(self.lineage.facts)
        counts["procedures"] += len(self.lineage.procedures)
        counts["media"] = len(self.media)
        counts["files"] = len(self.files) + len(self.doomed)
        return {layer: count for layer, count in counts.items() if count}


# Plan


async def plan(space: Space, ref: str) -> Plan:
    """Return what forgetting `f12`, `m12`, `s12`, `t12` or `p12` will change. Reads only.

    Raises: UnknownId, also for a fact that is forgotten already.
    """
    covered = await lineage(space, ref)
    same = await verbatim(space, covered)
    known = {mention.message_id for mention in same}
    others = [mention for mention in await alike(space, covered) if mention.message_id not in known]
    return replace(await plan_of(space, covered), mentions=(*same, *others))


async def plan_of(space: Space, covered: Lineage) -> Plan:
    """Return the changes alone."""
    changes, media = await remains(space, covered)
    doomed = await doomed_files(space, changes, covered.documents)
    masked = tuple(path for path in files_with(space, covered) if path not in doomed)
    return Plan(covered, changes, media, masked, doomed)


# Rows


async def rows(space: Space, what: Plan, tombstones: Tombstones) -> Report:
    """Forget what was planned and look again. Joins the caller's transaction; the tombstones commit before it."""
    await tombstones.add(space.id, what.lineage.burials)
    async with space.db.transaction():
        await forget_rows(space, what)
        await note_tombstones(space, tombstones)
        left = await plan_of(space, replace(what.lineage, stretches={}))
    found_after = len(left.changes) + len(left.media) + len(left.files) + len(left.doomed)
    return Report(what.lineage.ref, "forgotten", what.found, found_after, what.mentions, what.lineage.facts)


async def note_tombstones(space: Space, tombstones: Tombstones) -> None:
    """Note in the file itself that what is buried until now is gone from it. Joins the caller's transaction."""
    await space.db.execute("UPDATE profile SET forgotten_at = ?", (await tombstones.newest(space.id),))


async def forget_rows(space: Space, what: Plan) -> None:
    """Apply a plan. Joins the caller's transaction."""
    await _forget_facts(space, what.lineage)
    for change in what.changes:
        await _apply(space, change)
    for message_id in (change.id for change in what.changes if change.table == "messages"):
        await _recut(space, message_id)
    await _forget_rest(space, what)
    await space.preference_store.load()
    strike_files(space, what.lineage, what.files)
    for path in what.doomed:
        space.files.delete(path)


async def _forget_facts(space: Space, covered: Lineage) -> None:
    for message_id in sorted(covered.erased):
        await space.facts.withdraw_message(message_id)
    erased = listed(covered.erased)
    for table in ("fact_sources", "fact_retractions", "fact_changes"):
        await space.db.execute(f"DELETE FROM {table} WHERE message_id IN (SELECT value FROM json_each(?))", (erased,))
    facts = listed(covered.facts)
    await space.db.execute(
        "DELETE FROM fact_retractions WHERE subject_key IN (SELECT subject_key FROM facts WHERE id IN"
        " (SELECT value FROM json_each(?1))) AND subject_key NOT IN (SELECT subject_key FROM facts WHERE id NOT IN"
        " (SELECT value FROM json_each(?1)))",
        (facts,),
    )
    await space.db.execute("DELETE FROM fact_sources WHERE fact_id IN (SELECT value FROM json_each(?))", (facts,))
    await space.db.execute("DELETE FROM fact_terms WHERE fact_id IN (SELECT value FROM json_each(?))", (facts,))
    await space.db.execute(
        "UPDATE facts SET status = 'forgotten', subject = '', subject_key = 'forgotten ' || id, value = '',"
        " value_key = '', due = NULL, quote = '', question = '', patterns = '[]', critical = 0, pinned = 0,"
        " replaces = NULL, by = NULL, message_id = NULL WHERE id IN (SELECT value FROM json_each(?))",
        (facts,),
    )


async def _apply(space: Space, change: Change) -> None:
    if not change.values:
        await space.db.execute(f"DELETE FROM {change.table} WHERE id = ?", (change.id,))
        return
    columns = ", ".join(f"{column} = ?" for column in change.values)
    await space.db.execute(f"UPDATE {change.table} SET {columns} WHERE rowid = ?", (*change.values.values(), change.id))


async def _recut(space: Space, message_id: int) -> None:
    """Cut and index a changed message again; manifests follow, lines pinned to what no longer exists go."""
    segments = await space.db.fetch_all(
        "SELECT s.id, m.text FROM segments s JOIN messages m ON m.id = s.message_id WHERE m.id = ? ORDER BY s.ordinal",
        (message_id,),
    )
    if not segments:
        return
    text = segments[0]["text"]
    surplus = listed(row["id"] for row in segments[len(list(cut(text))) if text.strip() else 0 :])
    for table in ("manifest", "pinned_lines"):
        await space.db.execute(f"DELETE FROM {table} WHERE segment_id IN (SELECT value FROM json_each(?))", (surplus,))
    await space.segments.recut(message_id, reason="forgotten")
    await space.db.execute(
        "UPDATE manifest SET sha256 = (SELECT s.sha256 FROM segments s WHERE s.id = segment_id)"
        " WHERE segment_id IN (SELECT id FROM segments WHERE message_id = ?)",
        (message_id,),
    )


async def _forget_rest(space: Space, what: Plan) -> None:
    covered = what.lineage
    await space.db.execute(
        "UPDATE media SET mime_type = ? WHERE sha256 IN (SELECT value FROM json_each(?))",
        (FORGOTTEN_MEDIA, listed(what.media)),
    )
    gone = (*(f"f{number}" for number in covered.facts), *(f"p{number}" for number in covered.procedures))
    await space.db.execute("DELETE FROM traces WHERE ref IN (SELECT value FROM json_each(?))", (listed(gone),))
    await space.procedures.erase(covered.procedures)
    await space.probes.forget([*gone, *(f"q{change.id}" for change in what.changes if change.layer == "questions")])
    await space.recalls.clear()
    for message_id, job_id in (await space.jobs.waiting_reads()).items():
        if message_id in covered.erased:
            await space.jobs.finish(job_id)


# Effects


async def effects(space: Space) -> Report:
    """Erase from the disk what was forgotten: files, index remains, write-ahead log, journal files. Repeatable.

    Raises: ReaderInTheWay when the log could not be emptied: all else is done, try again.
    """
    gone = await space.db.fetch_all("SELECT sha256 FROM media WHERE mime_type = ?", (FORGOTTEN_MEDIA,))
    for row in gone:
        (space.folder / "media" / row["sha256"]).unlink(missing_ok=True)
    async with space.db.transaction():
        await space.db.execute("DELETE FROM media WHERE mime_type = ?", (FORGOTTEN_MEDIA,))
        # A deleted term stands in the index until its pages are merged.
        await space.db.execute("INSERT INTO segments_fts (segments_fts) VALUES ('optimize')")
    await space.journal.project()
    if not await space.db.checkpoint():
        raise ReaderInTheWay
    return Report(state="erased", backups=_backups(space))


def _backups(space: Space) -> int:
    """Return how many copies lie there: files, and folders of what a restore replaced."""
    return len(list(space.backups.iterdir())) if space.backups.is_dir() else 0
