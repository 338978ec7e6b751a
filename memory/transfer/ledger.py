"""The ledger in an export: every fact with its history, and taken over where it was said, never as current by itself.

What holds about a subject is settled anew from what was said and when. So facts that come into a memory with facts of
its own take their places among them by the times of their messages.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memory.ledger.facts import Fact, Statement
from memory.ledger.subjects import normalise_subject
from memory.space import Space
from memory.store.database import Database, Row, to_utc_text
from memory.store.tombstones import StatementBurial, Tombstones
from memory.transfer.shapes import (
    ADDED,
    KNOWN,
    LEFT_OUT,
    Counts,
    ExportedFact,
    ExportedLedger,
    ExportedRetraction,
)

Json = dict[str, Any]
Ids = Mapping[str, int]
"""The messages of the export that stand in this memory, by their ids there."""


def fact_json(fact: Fact) -> Json:
    """Return the shape of a fact in `facts --json`."""
    return {
        "id": fact.ref,
        "kind": fact.kind,
        "subject": fact.subject,
        "value": fact.value,
        "quote": fact.quote,
        "question": fact.question,
        "critical": fact.critical,
        "private": fact.private,
        "status": fact.status,
        "since": fact.since.isoformat(),
        "until": fact.until.isoformat() if fact.until else None,
        "replaces": ref("f", fact.replaces),
        "by": fact.by,
        "source": {"turn": ref("t", fact.turn_id), "message": ref("m", fact.message_id)},
    }


def ref(letter: str, number: int | None) -> str | None:
    """Return an id as it is shown."""
    return None if number is None else f"{letter}{number}"


async def is_unused(database: Database, table: str) -> bool:
    """Tell whether a table never gave an id, so that those of an export can be kept."""
    row = await database.fetch_one("SELECT 1 FROM sqlite_sequence WHERE name = ? AND seq > 0", (table,))
    return row is None


# Out


async def exported_ledger(space: Space) -> Json:
    """Return `facts.json`: nothing of what was forgotten."""
    facts = [fact for fact in await space.facts.history() if fact.status != "forgotten"]
    more = {row["id"]: row for row in await space.db.fetch_all("SELECT id, withdrawn_by FROM facts")}
    sources: dict[int, list[Json]] = {}
    for row in await space.db.fetch_all("SELECT * FROM fact_sources ORDER BY fact_id, message_id"):
        sources.setdefault(row["fact_id"], []).append(_withdrawn(row) | _said(row))
    retractions = await space.db.fetch_all("SELECT * FROM fact_retractions ORDER BY at, id")
    return {
        "facts": [
            fact_json(fact)
            | {
                "subject_key": fact.subject_key,
                "value_key": fact.value_key,
                "due": fact.due.isoformat() if fact.due else None,
                "patterns": list(fact.patterns),
                "pinned": fact.pinned,
                "sources": sources.get(fact.id, []),
                "withdrawn_at": fact.withdrawn_at.isoformat() if fact.withdrawn_at else None,
                "withdrawn_by": ref("m", more[fact.id]["withdrawn_by"]),
            }
            for fact in facts
        ],
        "retractions": [
            {"subject_key": row["subject_key"], "at": row["at"], "message": ref("m", row["message_id"])}
            | _withdrawn(row)
            for row in retractions
        ],
    }


def _said(row: Row) -> Json:
    return {"message": ref("m", row["message_id"]), "quote": row["quote"]}


def _withdrawn(row: Row) -> Json:
    return {"withdrawn_at": row["withdrawn_at"], "withdrawn_by": ref("m", row["withdrawn_by"])}


# In


async def take_facts(space: Space, ledger: ExportedLedger, ids: Ids, tombstones: Tombstones) -> Counts:
    """Enter the facts whose messages stand here. Joins the caller's transaction.

    A subject of which nothing is known here is taken over row by row; into the history of another one each statement
    is entered as if it were read now.
    """
    known = {row["subject_key"] for row in await space.db.fetch_all("SELECT DISTINCT subject_key FROM facts")}
    keeps_ids = await is_unused(space.db, "facts")
    total, new_ids = Counts(), dict[str, int]()
    for fact in sorted(ledger.facts, key=lambda one: (one.since, int(one.id[1:]))):
        message_id = ids.get(fact.source.message or "")
        if message_id is None or await _is_forgotten(space.id, fact, tombstones):
            total += LEFT_OUT
        elif await _is_stated(space, fact, message_id):
            total += KNOWN
        elif fact.subject_key in known and fact.withdrawn_at is None:
            total += await _enter(space, fact, message_id)
        else:
            new_ids[fact.id] = await _insert(space, fact, message_id, ids, keeps_id=keeps_ids)
            total += ADDED
    if keeps_ids:
        await _note_skipped(space)
    await _take_sources(space, [fact for fact in ledger.facts if fact.id in new_ids], new_ids, ids)
    touched = await _take_retractions(space, ledger.retractions, ids)
    for key in dict.fromkeys([*(f.subject_key for f in ledger.facts if f.id in new_ids), *touched]):
        await space.facts.settle(key)
    return total


async def _is_forgotten(space_id: str, fact: ExportedFact, tombstones: Tombstones) -> bool:
    """Tell whether its words, or what it says, were forgotten after it was said."""
    if await tombstones.covers(space_id, fact.quote, said_at=fact.since):
        return True
    stated = StatementBurial(normalise_subject(fact.subject), fact.value_key)
    return await tombstones.covers_statement(space_id, stated, said_at=fact.since)


async def _note_skipped(space: Space) -> None:
    """Note the ids of what was left out, so that nobody takes it for lost."""
    await space.db.execute(
        "INSERT INTO skipped_ids (name, first, last) SELECT 'facts', former + 1, id - 1"
        " FROM (SELECT id, lag(id, 1, 0) OVER (ORDER BY id) AS former FROM facts) WHERE id > former + 1"
    )


async def _is_stated(space: Space, fact: ExportedFact, message_id: int) -> bool:
    row = await space.db.fetch_one(
        "SELECT 1 FROM facts f WHERE f.subject_key = ?1 AND f.value_key = ?2 AND (f.message_id = ?3"
        " OR EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact_id = f.id AND s.message_id = ?3))",
        (fact.subject_key, fact.value_key, message_id),
    )
    return row is not None


async def _enter(space: Space, fact: ExportedFact, message_id: int) -> Counts:
    """Enter a statement among those that are known about its subject."""
    statement = Statement(
        kind=fact.kind,
        subject=fact.subject,
        value=fact.value,
        quote=fact.quote,
        question=fact.question,
        patterns=fact.patterns,
        since=fact.since,
        message_id=message_id,
        critical=fact.critical,
        due=fact.due,
        by=fact.by,
        value_key=fact.value_key,
        private=fact.private,
    )
    if fact.status != "pending":
        await space.facts.add(statement, subject_key=fact.subject_key)
        return ADDED
    current = await space.facts.current(fact.subject_key)
    rival = current.id if current else None
    waits = await space.facts.pending.suggest(statement, subject_key=fact.subject_key, rival=rival)
    return ADDED if waits else LEFT_OUT


async def _insert(space: Space, fact: ExportedFact, message_id: int, ids: Ids, *, keeps_id: bool) -> int:
    """Add a row as it was; what its subject amounts to is settled afterwards."""
    status = "superseded" if fact.withdrawn_at is None and fact.status != "pending" else fact.status
    written = await space.db.execute(
        "INSERT INTO facts (id, kind, subject, subject_key, value, value_key, due, quote, question, patterns, critical,"
        " pinned, private, status, since, until, by, message_id, withdrawn_at, withdrawn_by, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            int(fact.id[1:]) if keeps_id else None,
            fact.kind,
            fact.subject,
            fact.subject_key,
            fact.value,
            fact.value_key,
            to_utc_text(fact.due) if fact.due else None,
            fact.quote,
            fact.question,
            json.dumps(fact.patterns, ensure_ascii=False),
            int(fact.critical),
            int(fact.pinned),
            int(fact.private),
            status,
            to_utc_text(fact.since),
            to_utc_text(fact.until) if fact.until else None,
            fact.by,
            message_id,
            to_utc_text(fact.withdrawn_at) if fact.withdrawn_at else None,
            ids.get(fact.withdrawn_by or ""),
            to_utc_text(space.clock.now()),
        ),
    )
    return written.rowid


async def _take_sources(space: Space, facts: Iterable[ExportedFact], new_ids: Ids, ids: Ids) -> None:
    for fact in facts:
        # Of what holds or held, settling says what it replaced.
        if fact.replaces in new_ids and (fact.status == "pending" or fact.withdrawn_at is not None):
            await space.db.execute(
                "UPDATE facts SET replaces = ? WHERE id = ?", (new_ids[fact.replaces or ""], new_ids[fact.id])
            )
        for one in fact.sources:
            if one.message in ids:
                await space.db.execute(
                    "INSERT OR IGNORE INTO fact_sources (fact_id, message_id, quote, withdrawn_at, withdrawn_by)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (
                        new_ids[fact.id],
                        ids[one.message],
                        one.quote,
                        to_utc_text(one.withdrawn_at) if one.withdrawn_at else None,
                        ids.get(one.withdrawn_by or ""),
                    ),
                )


async def _take_retractions(space: Space, retractions: Iterable[ExportedRetraction], ids: Ids) -> list[str]:
    """Add what ended a subject, each once, and return the subjects."""
    touched = []
    for one in retractions:
        message_id = ids.get(one.message) if one.message is not None else None
        if one.message is not None and message_id is None:
            continue
        written = await space.db.execute(
            "INSERT INTO fact_retractions (subject_key, at, message_id, withdrawn_at, withdrawn_by)"
            " SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM fact_retractions"
            " WHERE subject_key = ?1 AND at = ?2 AND message_id IS ?3)",
            (
                one.subject_key,
                to_utc_text(one.at),
                message_id,
                to_utc_text(one.withdrawn_at) if one.withdrawn_at else None,
                ids.get(one.withdrawn_by or ""),
            ),
        )
        touched += [one.subject_key] if written.count else []
    return touched
