"""The rows of one subject, made to say what its statements and retractions amount to.

`timeline` decides; this reads what was stated from the rows and moves the rows accordingly, in the caller's
transaction. It reads and writes the rows of one subject only, so its cost does not depend on the size of the ledger.
"""

import json
import sys
from collections.abc import Sequence
from datetime import datetime

from memory.ledger.subjects import terms
from memory.ledger.timeline import Ending, Run, Stated, Word, arrange, ending_between, newest_word
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

_OPEN_OR_ANSWERED = (
    "SELECT f.id, f.since, f.message_id, f.status FROM facts f JOIN messages m ON m.id = f.message_id"
    " WHERE f.subject_key = ? AND m.role = 'user' AND m.origin IN ('own', 'import') AND (f.status = 'pending'"
    " OR (f.status = 'retracted' AND f.until IS NULL AND f.withdrawn_by IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM messages v WHERE v.id = f.withdrawn_by AND v.replaces = coalesce(m.replaces, m.id))))"
)
"""What waits of the member's own words, or waited until something else they said answered it; not what they edited."""
_LIVE = "f.status IN ('active', 'superseded', 'retracted') AND f.withdrawn_at IS NULL"


class SubjectHistory:
    """The histories of the subjects of one space, named by their keys."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def settle(self, key: str) -> None:
        """Make the rows of a subject say what its statements and retractions amount to."""
        rows = {row["id"]: row for row in await self._live_rows(key)}
        stated, endings = await self._stated(key), await self._endings(key)
        runs = arrange(stated, endings)
        settled = [(await self._conform(run, rows), run) for run in runs]
        chain = [(fact_id, run, _replaced(settled, n)) for n, (fact_id, run) in enumerate(settled)]
        # What is active last, so that no two are at any moment.
        for fact_id, run, replaces in sorted(chain, key=lambda link: link[1].status == "active"):
            await self._db.execute(
                "UPDATE facts SET status = ?1, until = ?2, replaces = ?3"
                " WHERE id = ?4 AND (status IS NOT ?1 OR until IS NOT ?2 OR replaces IS NOT ?3)",
                (run.status, to_utc_text(run.until) if run.until else None, replaces, fact_id),
            )
            if run.status == "active":
                await self._index(fact_id)
        await self._settle_waiting(key, newest_word(stated, endings))

    async def _settle_waiting(self, key: str, newest: Word | None) -> None:
        """Let what the member said newest answer what older words of their own still ask, as long as it counts."""
        for row in await self._db.fetch_all(_OPEN_OR_ANSWERED, (key,)):
            is_answered = newest is not None and newest > (from_utc_text(row["since"]), row["message_id"])
            if newest is not None and is_answered and row["status"] == "pending":
                await self.withdraw(row["id"], by=newest[1] if isinstance(newest[1], int) else None)
            elif not is_answered and row["status"] != "pending":
                await self._db.execute(
                    "UPDATE facts SET status = 'pending', withdrawn_at = NULL, withdrawn_by = NULL WHERE id = ?",
                    (row["id"],),
                )

    async def take_back_answered(self, key: str, message_id: int, *, by: int | None) -> None:
        """Let what a message once asked, and another has answered, never be asked again."""
        for row in await self._db.fetch_all(_OPEN_OR_ANSWERED, (key,)):
            if row["message_id"] == message_id and row["status"] != "pending":
                await self._db.execute("UPDATE facts SET withdrawn_by = ? WHERE id = ?", (by, row["id"]))

    async def is_outdated(self, key: str, since: datetime, message_id: int | None) -> bool:
        """Tell whether the value that holds was said after another one was, first or again."""
        runs = arrange(await self._stated(key), await self._endings(key))
        holding = [one for run in runs if run.status == "active" for one in run.stated]
        newest = newest_word(holding, ())
        return newest is not None and newest > (since, message_id or 0)

    async def _conform(self, run: Run, rows: dict[int, Row]) -> int:
        """Give the run its row: the first statement in the row, the others as further sources; return its id."""
        first, owner = run.first, run.owner
        if owner is None:
            owner = await self._copy(rows[first.fact_id], first)
        elif not (first.is_main and first.fact_id == owner):
            await self._stand_on(owner, first)
        for one in run.stated:
            is_here = one.fact_id == owner and one.is_main == (one is first)
            if is_here or one.message_id is None:
                continue
            if not one.is_main:
                await self._db.execute(
                    "DELETE FROM fact_sources WHERE fact_id = ? AND message_id = ?", (one.fact_id, one.message_id)
                )
            if one is not first:
                await self.note_source(owner, one.message_id, one.quote)
        return owner

    async def _copy(self, row: Row, first: Stated) -> int:
        """Make a row for a value that was stated again after another one had come between."""
        written = await self._db.execute(
            "INSERT INTO facts (kind, subject, subject_key, value, value_key, due, quote, question, patterns, critical,"
            " pinned, private, status, since, by, message_id, created_at)"
            " SELECT kind, subject, subject_key, value, value_key, due, ?, question, patterns, critical,"
            " pinned, private, 'superseded', ?, ?, ?, ? FROM facts WHERE id = ?",
            (
                first.quote,
                to_utc_text(first.since),
                first.by,
                first.message_id,
                to_utc_text(self._clock.now()),
                row["id"],
            ),
        )
        return written.rowid

    async def _stand_on(self, fact_id: int, first: Stated) -> None:
        await self._db.execute(
            "UPDATE facts SET since = ?, message_id = ?, quote = ?, by = ? WHERE id = ?",
            (to_utc_text(first.since), first.message_id, first.quote, first.by, fact_id),
        )

    async def stand_on_another(self, key: str, fact_id: int, *, by: int | None = None) -> None:
        """Let a fact stand on the earliest of its further sources; without one, withdraw it."""
        stated = [one for one in await self._stated(key) if one.fact_id == fact_id]
        others = [one for one in stated if not one.is_main]
        if not others:
            await self.withdraw(fact_id, by=by)
            return
        first = min(others, key=lambda one: one.key)
        await self._stand_on(fact_id, first)
        await self._db.execute(
            "DELETE FROM fact_sources WHERE fact_id = ? AND message_id = ?", (fact_id, first.message_id)
        )
        for main in stated:
            if main.is_main and main.message_id is not None:
                await self.note_source(fact_id, main.message_id, main.quote)
                await self._withdraw_source(fact_id, main.message_id, by)

    async def note_source(self, fact_id: int, message_id: int, quote: str) -> None:
        """Note that a message says a fact again."""
        await self._db.execute(
            "INSERT OR IGNORE INTO fact_sources (fact_id, message_id, quote) VALUES (?, ?, ?)",
            (fact_id, message_id, quote),
        )

    async def withdraw(self, fact_id: int, *, by: int | None = None) -> None:
        """Take a statement out of the history, `by` the message that replaces it; `settle` must follow.

        One that only waited never held: it has no `until`.
        """
        now = to_utc_text(self._clock.now())
        await self._db.execute(
            "UPDATE facts SET status = 'retracted', withdrawn_at = ?1, withdrawn_by = ?2,"
            " until = iif(status = 'pending', NULL, ?1), replaces = iif(status = 'pending', replaces, NULL)"
            " WHERE id = ?3",
            (now, by, fact_id),
        )

    async def take_back(self, key: str, message_id: int, *, by: int | None = None) -> None:
        """Take all that a message stated or retracted about a subject out of its history.

        A fact that was stated elsewhere too stands on that other message from then on.
        """
        await self._db.execute(
            "UPDATE fact_retractions SET withdrawn_at = ?1, withdrawn_by = ?2"
            " WHERE subject_key = ?3 AND message_id = ?4 AND withdrawn_at IS NULL",
            (to_utc_text(self._clock.now()), by, key, message_id),
        )
        again = "SELECT s.fact_id FROM facts f JOIN fact_sources s ON s.fact_id = f.id"
        for row in await self._db.fetch_all(f"{again} WHERE f.subject_key = ? AND s.message_id = ?", (key, message_id)):
            await self._withdraw_source(row["fact_id"], message_id, by)
        for row in await self._live_rows(key):
            if row["message_id"] == message_id:
                await self.stand_on_another(key, row["id"], by=by)
        await self.settle(key)

    async def _withdraw_source(self, fact_id: int, message_id: int, by: int | None) -> None:
        await self._db.execute(
            "UPDATE fact_sources SET withdrawn_at = ?, withdrawn_by = ?"
            " WHERE fact_id = ? AND message_id = ? AND withdrawn_at IS NULL",
            (to_utc_text(self._clock.now()), by, fact_id, message_id),
        )

    async def bring_back(self, key: str, by: int) -> None:
        """Let count again what an edit took back about a subject; `settle` must follow."""
        await self._revive(key, by)
        await self._db.execute(
            "UPDATE fact_sources SET withdrawn_at = NULL, withdrawn_by = NULL"
            " WHERE withdrawn_by = ? AND fact_id IN (SELECT id FROM facts WHERE subject_key = ?)",
            (by, key),
        )
        await self._db.execute(
            "UPDATE facts SET status = iif(until IS NULL, 'pending', 'superseded'), withdrawn_at = NULL,"
            " withdrawn_by = NULL WHERE subject_key = ? AND withdrawn_by = ? AND status = 'retracted'",
            (key, by),
        )
        await self._db.execute(
            "UPDATE fact_retractions SET withdrawn_at = NULL, withdrawn_by = NULL"
            " WHERE subject_key = ? AND withdrawn_by = ?",
            (key, by),
        )

    async def _revive(self, key: str, by: int) -> None:
        """Let facts that were withdrawn stand on what comes back of their further sources."""
        gone = await self._db.fetch_all(
            "SELECT f.id, f.message_id, f.quote, f.withdrawn_by, min(m.at), s.message_id AS source, s.quote AS said,"
            " m.author, m.at"
            " FROM facts f JOIN fact_sources s ON s.fact_id = f.id JOIN messages m ON m.id = s.message_id"
            " WHERE f.subject_key = ?1 AND f.withdrawn_at IS NOT NULL AND f.withdrawn_by IS NOT ?2"
            " AND s.withdrawn_by = ?2 GROUP BY f.id",
            (key, by),
        )
        for row in gone:
            await self._db.execute(
                "UPDATE facts SET status = 'superseded', withdrawn_at = NULL, withdrawn_by = NULL, since = ?,"
                " message_id = ?, quote = ?, by = ? WHERE id = ?",
                (row["at"], row["source"], row["said"], row["author"], row["id"]),
            )
            await self._db.execute(
                "UPDATE fact_sources SET message_id = ?, quote = ?, withdrawn_by = ?"
                " WHERE fact_id = ? AND message_id = ?",
                (row["message_id"], row["quote"], row["withdrawn_by"], row["id"], row["source"]),
            )

    async def repeats(self, key: str, message_id: int) -> list[int]:
        """Return the messages right behind one that only say its value of a subject again, in order."""
        stated, ends = sorted(await self._stated(key), key=lambda one: one.key), await self._endings(key)
        start = next((n for n, one in enumerate(stated) if one.message_id == message_id), None)
        if start is None:
            return []
        first, again = stated[start], []
        for one in stated[start + 1 :]:
            if one.value_key != first.value_key or ending_between(first.key, one.key, ends):
                break
            again.append(one.message_id)
        return [one for one in again if one is not None]

    async def neighbour(self, key: str, same: str, *, since: datetime, message_id: int) -> int | None:
        """Return the fact that the statement would only repeat where it stands in time; None for a row of its own."""
        new = Stated(sys.maxsize, since, message_id, "", None, same, is_main=False)
        runs = arrange([*await self._stated(key), new], await self._endings(key))
        beside = next(run.stated for run in runs if new in run.stated)
        return next((one.fact_id for one in beside if one is not new), None)

    async def _live_rows(self, key: str) -> list[Row]:
        return await self._db.fetch_all(f"SELECT * FROM facts f WHERE f.subject_key = ? AND {_LIVE}", (key,))

    async def _stated(self, key: str) -> list[Stated]:
        mains = [
            Stated(
                row["id"],
                from_utc_text(row["since"]),
                row["message_id"],
                row["quote"],
                row["by"],
                row["value_key"],
                is_main=True,
            )
            for row in await self._live_rows(key)
        ]
        rows = await self._db.fetch_all(
            "SELECT s.fact_id, s.message_id, s.quote, f.value_key, m.at, m.author FROM facts f"
            " JOIN fact_sources s ON s.fact_id = f.id JOIN messages m ON m.id = s.message_id"
            f" WHERE f.subject_key = ? AND s.withdrawn_at IS NULL AND {_LIVE}",
            (key,),
        )
        again = [
            Stated(
                row["fact_id"],
                from_utc_text(row["at"]),
                row["message_id"],
                row["quote"],
                row["author"],
                row["value_key"],
                is_main=False,
            )
            for row in rows
        ]
        return mains + again

    async def _endings(self, key: str) -> list[Ending]:
        rows = await self._db.fetch_all(
            "SELECT at, message_id FROM fact_retractions WHERE subject_key = ? AND withdrawn_at IS NULL", (key,)
        )
        return [Ending(from_utc_text(row["at"]), row["message_id"]) for row in rows]

    async def _index(self, fact_id: int) -> None:
        if await self._db.fetch_one("SELECT 1 FROM fact_terms WHERE fact_id = ? LIMIT 1", (fact_id,)):
            return
        row = await self._db.fetch_one("SELECT subject, value, quote FROM facts WHERE id = ?", (fact_id,))
        assert row is not None
        await self._db.execute(
            "INSERT INTO fact_terms (term, fact_id) SELECT value, ? FROM json_each(?)",
            (fact_id, json.dumps(terms(row["subject"], row["value"], row["quote"]))),
        )


def _replaced(settled: Sequence[tuple[int, Run]], n: int) -> int | None:
    """Return the fact whose place the n-th run took: the one before, unless a retraction lies between."""
    if n == 0 or settled[n - 1][1].status != "superseded":
        return None
    return settled[n - 1][0]
