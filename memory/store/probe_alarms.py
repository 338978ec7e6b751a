"""Alarms: what examinations found amiss, from the night it was found to the night it was found well again.

One open alarm for each thing that can be amiss; its kind and layer follow what was found last. Only a verdict that is
known and good clears it, and what an answer showed only an answer can clear. Every write joins the transaction that
stores the run.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.errors import UnknownId
from memory.findings import CaseResult, Run
from memory.store.database import Database, Row, from_utc_text, to_utc_text

AlarmKind = Literal["lost", "leak", "stale", "unaskable", "canary", "integrity"]

CANARY = "canary"


@dataclass(frozen=True)
class Alarm:
    """`ref` is f12, q12, `canary`, or what the integrity check was about; `raised_at` says since when."""

    id: int
    ref: str
    kind: AlarmKind
    layer: str
    raised_at: datetime
    cleared_at: datetime | None
    dismissed_at: datetime | None


@dataclass(frozen=True)
class _Sighting:
    """What a run says of one thing: `kind` None means that it is well."""

    ref: str
    kind: AlarmKind | None
    layer: str = ""
    is_by_answer: bool = False


class AlarmRows:
    """The alarms of one space."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find(self, where: str, *params: int) -> list[Alarm]:
        """Return the alarms a condition picks, in the order they were raised."""
        return [
            _alarm(row) for row in await self._db.fetch_all(f"SELECT * FROM probe_alarms {where} ORDER BY id", params)
        ]

    async def alarm(self, alarm_id: int) -> Alarm:
        """Raises: UnknownId."""
        found = await self.find("WHERE id = ?", alarm_id)
        if not found:
            raise UnknownId(f"alarm {alarm_id}")
        return found[0]

    async def follow(self, run_id: int, run: Run) -> None:
        """Raise, move and clear alarms by what a run found."""
        at = to_utc_text(run.ended_at)
        for one in _sightings(run):
            if one.kind is None:
                await self._clear(run_id, one, at)
            else:
                await self._raise(run_id, one, at)
        await self._clear_absent(run_id, run, at)

    async def _raise(self, run_id: int, one: _Sighting, at: str) -> None:
        known = await self._db.fetch_one("SELECT * FROM probe_alarms WHERE ref = ? AND cleared_run IS NULL", (one.ref,))
        if known is None:
            await self._db.execute(
                "INSERT INTO probe_alarms (ref, kind, layer, needs_answer, raised_run, raised_at, news_run)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?5)",
                (one.ref, one.kind, one.layer, one.is_by_answer, run_id, at),
            )
        elif (known["kind"], known["layer"]) != (one.kind, one.layer):
            await self._db.execute(
                "UPDATE probe_alarms SET kind = ?, layer = ?, needs_answer = ?, news_run = ?, dismissed_at = NULL"
                " WHERE id = ?",
                (one.kind, one.layer, one.is_by_answer, run_id, known["id"]),
            )

    async def _clear(self, run_id: int, one: _Sighting, at: str) -> None:
        await self._db.execute(
            "UPDATE probe_alarms SET cleared_run = ?, cleared_at = ? WHERE ref = ? AND cleared_run IS NULL"
            " AND needs_answer <= ?",
            (run_id, at, one.ref, one.is_by_answer),
        )

    async def _clear_absent(self, run_id: int, run: Run, at: str) -> None:
        """Clear what a run looked for and has not among its cases: it would be there, as lost, had it not gone rightly.

        And what the integrity check, which looks at everything whatever else is examined, no longer finds.
        """
        met = {one.ref for one in run.results}
        found = {finding.about for finding in run.integrity}
        for row in await self._db.fetch_all("SELECT id, ref, kind FROM probe_alarms WHERE cleared_run IS NULL"):
            if row["kind"] == "integrity":
                is_gone = run.has_integrity and row["ref"] not in found
            else:
                was_looked_for = row["kind"] != CANARY and (run.is_whole or row["ref"] in run.only)
                is_gone = was_looked_for and row["ref"] not in met
            if is_gone:
                await self._db.execute(
                    "UPDATE probe_alarms SET cleared_run = ?, cleared_at = ? WHERE id = ?", (run_id, at, row["id"])
                )


def _sightings(run: Run) -> list[_Sighting]:
    seen = [_of_case(result) for result in run.results if result.verdict != "unknown"]
    if run.canary is not None and run.canary.is_well is not None:
        failed = next((step.name for step in run.canary.steps if step.is_well is False), "")
        seen.append(_Sighting(CANARY, None if run.canary.is_well else "canary", failed, is_by_answer=True))
    about: dict[str, list[str]] = {}
    for finding in run.integrity:
        about.setdefault(finding.about, []).append(finding.words)
    return seen + [_Sighting(ref, "integrity", "; ".join(sorted(words))) for ref, words in about.items()]


def _of_case(result: CaseResult) -> _Sighting:
    if result.verdict == "pass" or result.verdict == "unknown":
        return _Sighting(result.ref, None, is_by_answer=result.is_answered)
    # What the assembled prompts show, they can also show to be well again.
    by_answer = result.is_answered and (result.present_is_right is False or result.verdict in ("unaskable", "leak"))
    return _Sighting(result.ref, result.verdict, result.layer, is_by_answer=by_answer)


def _alarm(row: Row) -> Alarm:
    return Alarm(
        id=row["id"],
        ref=row["ref"],
        kind=row["kind"],
        layer=row["layer"],
        raised_at=from_utc_text(row["raised_at"]),
        cleared_at=from_utc_text(row["cleared_at"]) if row["cleared_at"] else None,
        dismissed_at=from_utc_text(row["dismissed_at"]) if row["dismissed_at"] else None,
    )
