"""The history of examinations: runs, what they found case by case, and the alarms that follow from it.

Whether a run shows a memory that is well is decided elsewhere (`memory.probe.gate`). No text of a person is in these
rows; the member's own questions are `probe_questions`' business. Every write is a transaction, or joins the caller's.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from memory.errors import StorageFull
from memory.findings import Arms, Baseline, CaseResult, Gate, Known, Run, prompt_size
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text
from memory.store.probe_alarms import Alarm, AlarmRows
from memory.store.probe_questions import ProbeQuestions

KEPT_RESULTS = 60
"""Of so many whole runs the results are kept case by case; of what is older only what it came to."""
HEALTHY = 14
ABANDONED = "Abandoned"
NO_ROOM = StorageFull.__name__


@dataclass(frozen=True)
class StoredRun:
    """A run that ended, as it was stored; `night` None: somebody asked for it."""

    id: int
    night: date | None
    ok: bool | None
    run: Run


@dataclass(frozen=True)
class Tries:
    """The runs for a night that came to nothing. One for which there was no room on the disk does not count."""

    count: int
    last_at: datetime | None
    has_no_room: bool = False
    """The last of them found the disk full."""


@dataclass(frozen=True)
class Point:
    """One night of the picture: how much was recalled, what a prompt and the ledger held."""

    night: date
    ok: bool | None
    recall_rate: float | None
    prompt_size: int | None
    ledger_facts: int
    ledger_tokens: int


class ProbeStore:
    """The examinations of one space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock
        self._alarms = AlarmRows(database)
        self.questions = ProbeQuestions(database, clock)

    # Running

    async def begin(self, night: date | None) -> int:
        """Note that a run begins, and return its id; `night` is the local date it counts for."""
        async with self._db.transaction():
            written = await self._db.execute(
                "INSERT INTO probe_runs (night, state, started_at) VALUES (?, 'running', ?)",
                (night.isoformat() if night else None, to_utc_text(self._clock.now())),
            )
        return written.rowid

    async def finish(self, run_id: int, run: Run, gate: Gate) -> None:
        """Store what a run found, and let the alarms follow: all of it or nothing.

        What was forgotten since it began is left out; where that was everything, nothing is stored.
        """
        async with self._db.transaction():
            forgotten = await self._forgotten()
            run = run.model_copy(update={"results": tuple(one for one in run.results if one.ref not in forgotten)})
            written = await self._db.execute(
                "UPDATE probe_runs SET state = 'done', ended_at = ?, ok = ?, is_whole = ?, has_model_arms = ?,"
                " recall_rate = ?, prompt_size = ?, ledger_facts = ?, ledger_tokens = ?, usd = ?, body = ?"
                " WHERE id = ?",
                (
                    to_utc_text(run.ended_at),
                    gate.ok,
                    run.is_whole,
                    run.has_model_arms,
                    gate.recall_rate,
                    prompt_size(run.results),
                    run.ledger_facts,
                    run.ledger_tokens,
                    run.usd,
                    run.model_copy(update={"results": ()}).model_dump_json(),
                    run_id,
                ),
            )
            if written.count:
                await self._keep_results(run_id, run)
                await self._alarms.follow(run_id, run)

    async def _forgotten(self) -> set[str]:
        rows = await self._db.fetch_all("SELECT id FROM facts WHERE status = 'forgotten'")
        return {f"f{row['id']}" for row in rows}

    async def _keep_results(self, run_id: int, run: Run) -> None:
        for result in run.results:
            await self._db.execute(
                "INSERT INTO probe_results (run_id, ref, verdict, is_answered, body) VALUES (?, ?, ?, ?, ?)",
                (run_id, result.ref, result.verdict, result.is_answered, result.model_dump_json()),
            )
        await self._db.execute(
            "DELETE FROM probe_results WHERE run_id < (SELECT min(id) FROM (SELECT id FROM probe_runs"
            " WHERE state = 'done' AND is_whole ORDER BY id DESC LIMIT ?))",
            (KEPT_RESULTS,),
        )

    async def fail(self, run_id: int, error: str) -> None:
        """Note that a run came to nothing; `error` is the name of a class. No alarm moves."""
        async with self._db.transaction():
            await self._end(error, "id = ?", run_id)

    async def abandon_open(self) -> int:
        """Note of the runs that a crash cut off that they failed, and return how many. Not while one is under way."""
        async with self._db.transaction():
            return await self._end(ABANDONED, "1")

    async def _end(self, error: str, which: str, *params: int) -> int:
        written = await self._db.execute(
            "UPDATE probe_runs SET state = 'failed', ended_at = ?, error = ? WHERE state = 'running' AND " + which,
            (to_utc_text(self._clock.now()), error, *params),
        )
        return written.count

    async def forget(self, refs: Collection[str]) -> None:
        """Delete what is known of cases: for forgetting alone. Joins the caller's transaction."""
        listed = json.dumps(list(refs))
        for table in ("probe_results", "probe_alarms"):
            await self._db.execute(f"DELETE FROM {table} WHERE ref IN (SELECT value FROM json_each(?))", (listed,))

    # Earlier runs

    async def last_done(self) -> StoredRun | None:
        """Return the newest whole run."""
        return await self._newest("is_whole")

    async def last_healthy(self) -> StoredRun | None:
        """Return the newest whole run that was well: what changed since explains what is not."""
        return await self._newest("is_whole AND ok = 1")

    async def last_arms(self) -> Arms | None:
        """Return what the newest night that was well was like in which the model was asked; None after any that was
        not well.
        """
        last = await self._newest("is_whole AND has_model_arms AND night IS NOT NULL")
        if last is None or not last.ok or last.run.stopped or last.night is None:
            return None
        return Arms(night=last.night, memory_mark=last.run.memory_mark, fingerprint=last.run.fingerprint)

    async def last_answered(self) -> dict[str, date]:
        """Return when the model was last asked about each case: the night, or the day (UTC) the run ended."""
        rows = await self._db.fetch_all(
            "SELECT p.ref, max(coalesce(r.night, substr(r.ended_at, 1, 10))) AS day FROM probe_results p"
            " JOIN probe_runs r ON r.id = p.run_id WHERE p.is_answered GROUP BY p.ref"
        )
        return {row["ref"]: date.fromisoformat(row["day"]) for row in rows}

    async def known(self) -> tuple[Known, ...]:
        """Return the cases of the newest whole run: each must be there again, or have gone rightly."""
        last = await self.last_done()
        results = last.run.results if last else ()
        return tuple(Known(ref=one.ref, message_id=one.message_id, critical=one.critical) for one in results)

    async def baselines(self, *, before: int | None = None) -> tuple[Baseline, ...]:
        """Return what the newest healthy runs measured, the newest first; those before a run, or all there are."""
        rows = await self._db.fetch_all(
            "SELECT prompt_size, body FROM probe_runs WHERE state = 'done' AND is_whole AND ok = 1"
            " AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?1",
            (HEALTHY, before),
        )
        return tuple(Baseline(row["prompt_size"], Run.model_validate_json(row["body"]).trial) for row in rows)

    async def last_trial(self) -> date | None:
        """Return when the extractor was last tried: the night, or the day (UTC) the run ended."""
        row = await self._db.fetch_one(
            "SELECT max(coalesce(night, substr(ended_at, 1, 10))) AS day FROM probe_runs"
            " WHERE state = 'done' AND json_extract(body, '$.trial') IS NOT NULL"
        )
        return date.fromisoformat(row["day"]) if row and row["day"] else None

    async def trend(self, days: int) -> list[Point]:
        """Return the newest `days` nights that have a run, the oldest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM probe_runs WHERE state = 'done' AND is_whole AND night IS NOT NULL"
            " ORDER BY night DESC LIMIT ?",
            (days,),
        )
        return [
            Point(
                date.fromisoformat(row["night"]),
                _flag(row["ok"]),
                row["recall_rate"],
                row["prompt_size"],
                row["ledger_facts"],
                row["ledger_tokens"],
            )
            for row in reversed(rows)
        ]

    async def last_night(self) -> date | None:
        """Return the newest night whose run has ended."""
        row = await self._db.fetch_one("SELECT max(night) FROM probe_runs WHERE state = 'done'")
        return date.fromisoformat(row[0]) if row and row[0] else None

    async def results_of(self, ref: str, count: int) -> list[tuple[datetime, CaseResult]]:
        """Return what the newest `count` runs said of a case and when they ended, the newest first."""
        rows = await self._db.fetch_all(
            "SELECT r.ended_at, p.body FROM probe_results p JOIN probe_runs r ON r.id = p.run_id WHERE p.ref = ?"
            " ORDER BY p.run_id DESC LIMIT ?",
            (ref, count),
        )
        return [(from_utc_text(row["ended_at"]), CaseResult.model_validate_json(row["body"])) for row in rows]

    async def tries(self, night: date) -> Tries:
        """Return which runs for a night have begun and not ended well."""
        row = await self._db.fetch_one(
            "SELECT count(*) FILTER (WHERE error IS NOT ?2) AS count, max(started_at) AS last_at,"
            " (SELECT error FROM probe_runs WHERE night = ?1 ORDER BY id DESC LIMIT 1) IS ?2 AS has_no_room"
            " FROM probe_runs WHERE night = ?1 AND state <> 'done'",
            (night.isoformat(), NO_ROOM),
        )
        assert row is not None
        last_at = from_utc_text(row["last_at"]) if row["last_at"] else None
        return Tries(row["count"], last_at, has_no_room=bool(row["has_no_room"]))

    async def nights_without(self, night: date) -> int:
        """Return how many nights up to and with this one have passed without a run that ended, since the last that did
        or the first that was begun; 0 where none was ever begun.
        """
        row = await self._db.fetch_one(
            "SELECT max(day) FILTER (WHERE state = 'done' AND is_whole) AS last, min(day) AS first FROM"
            " (SELECT state, is_whole, coalesce(night, substr(started_at, 1, 10)) AS day FROM probe_runs)"
        )
        assert row is not None
        if row["last"] is not None:
            return max(0, (night - date.fromisoformat(row["last"])).days)
        return (night - date.fromisoformat(row["first"])).days + 1 if row["first"] else 0

    async def _newest(self, which: str, *params: int) -> StoredRun | None:
        row = await self._db.fetch_one(
            f"SELECT * FROM probe_runs WHERE state = 'done' AND {which} ORDER BY id DESC LIMIT 1", params
        )
        return await self._stored(row) if row else None

    async def _stored(self, row: Row) -> StoredRun:
        results = await self._db.fetch_all(
            "SELECT body FROM probe_results WHERE run_id = ?"
            " ORDER BY substr(ref, 1, 1), CAST(substr(ref, 2) AS INTEGER)",
            (row["id"],),
        )
        run = Run.model_validate_json(row["body"])
        run = run.model_copy(update={"results": tuple(CaseResult.model_validate_json(one["body"]) for one in results)})
        night = date.fromisoformat(row["night"]) if row["night"] else None
        return StoredRun(row["id"], night, _flag(row["ok"]), run)

    # Alarms

    async def open_alarms(self) -> list[Alarm]:
        """Return what is amiss now, dismissed or not, in the order it was found."""
        return await self._alarms.find("WHERE cleared_run IS NULL")

    async def alarm(self, alarm_id: int) -> Alarm:
        """Raises: UnknownId."""
        return await self._alarms.alarm(alarm_id)

    async def dismiss(self, alarm_id: int) -> None:
        """Note that the member wants no more of an alarm: quiet until it clears or is found in another layer.

        Raises: UnknownId.
        """
        async with self._db.transaction():
            await self._alarms.alarm(alarm_id)
            await self._db.execute(
                "UPDATE probe_alarms SET dismissed_at = ? WHERE id = ?", (to_utc_text(self._clock.now()), alarm_id)
            )

    async def just_raised(self, run_id: int) -> list[Alarm]:
        """Return the alarms that are news since this run: raised by it, or found by it in another layer."""
        return await self._alarms.find("WHERE news_run = ?", run_id)

    async def just_cleared(self, run_id: int) -> list[Alarm]:
        """Return the alarms that this run cleared."""
        return await self._alarms.find("WHERE cleared_run = ?", run_id)


def _flag(ok: Literal[0, 1] | None) -> bool | None:
    return None if ok is None else bool(ok)
