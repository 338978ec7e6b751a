"""The procedures of one space, as rows: versions that never change, of which at most one holds and one waits.

A member teaches (active at once) or the assistant proposes (pending until a member keeps exactly that version). A new
version ends the one before, which stays in the history. Nothing here decides when a procedure is wanted.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.errors import UnknownId
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text
from memory.store.instructions import Instructions, UnclearProcedure

MOST_ACTIVE = 200
MOST_PENDING = 5
Status = Literal["pending", "active", "superseded"]

_VERSIONS = "SELECT * FROM procedure_versions"


@dataclass(frozen=True)
class Version:
    """One version of a procedure. `id` is never used again, whatever is dropped; `number` counts those that are there.

    `turn_id` names the turn of a proposal; None: a member taught it.
    """

    id: int
    procedure_id: int
    number: int
    status: Status
    says: Instructions
    by: str | None
    by_id: int | None
    turn_id: int | None
    at: datetime

    @property
    def ref(self) -> str:
        return f"p{self.procedure_id}"


@dataclass(frozen=True)
class Procedure:
    """A procedure with its versions, oldest first; there is at least one. `used_at`: when it last stood in a prompt."""

    id: int
    versions: tuple[Version, ...]
    used_at: datetime | None

    @property
    def ref(self) -> str:
        return f"p{self.id}"

    @property
    def active(self) -> Version | None:
        return next((one for one in self.versions if one.status == "active"), None)

    @property
    def pending(self) -> Version | None:
        return next((one for one in self.versions if one.status == "pending"), None)

    @property
    def shown(self) -> Version:
        """What it says now: the active version, else the one that waits."""
        return self.active or self.pending or self.versions[-1]


class ProcedureStore:
    """Every write joins the caller's transaction and returns what was read back."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    # Read

    async def procedure(self, procedure_id: int) -> Procedure:
        """Raises: UnknownId."""
        versions = [
            _version(row)
            for row in await self._db.fetch_all(f"{_VERSIONS} WHERE procedure_id = ? ORDER BY version", (procedure_id,))
        ]
        if not versions:
            raise UnknownId(f"p{procedure_id}")
        return Procedure(procedure_id, tuple(versions), await self._used_at(procedure_id))

    async def listed(self) -> list[Procedure]:
        """Return the procedures that hold or wait, in the order in which they came."""
        rows = await self._db.fetch_all(
            "SELECT DISTINCT procedure_id FROM procedure_versions WHERE status <> 'superseded' ORDER BY procedure_id"
        )
        return [await self.procedure(row["procedure_id"]) for row in rows]

    async def active(self) -> list[Version]:
        """Return the versions that hold."""
        rows = await self._db.fetch_all(f"{_VERSIONS} WHERE status = 'active' ORDER BY procedure_id")
        return [_version(row) for row in rows]

    async def versions(self) -> list[Version]:
        """Return every version there is."""
        return [_version(row) for row in await self._db.fetch_all(f"{_VERSIONS} ORDER BY id")]

    async def waiting(self, version_id: int) -> Version | None:
        """Return a version that waits for a member; None when it does not (any more)."""
        row = await self._db.fetch_one(f"{_VERSIONS} WHERE id = ? AND status = 'pending'", (version_id,))
        return _version(row) if row else None

    # Write

    async def teach(
        self, says: Instructions, *, by: str | None = None, by_id: int | None = None, procedure_id: int | None = None
    ) -> Version:
        """Let a member's procedure hold from now on, or with `procedure_id` a new version of it. `by`: who said so.

        Raises: UnknownId, UnclearProcedure.
        """
        await self._check_new(says, procedure_id, "active", MOST_ACTIVE)
        if procedure_id is not None:
            await self._supersede(procedure_id)
        return await self._insert(says, "active", by=by, by_id=by_id, procedure_id=procedure_id)

    async def propose(self, says: Instructions, *, turn_id: int, procedure_id: int | None = None) -> Version:
        """Let a procedure of the assistant's (or a new version) wait for a member.

        Raises: UnknownId, UnclearProcedure.
        """
        await self._check_new(says, procedure_id, "pending", MOST_PENDING)
        if procedure_id is not None and (await self.procedure(procedure_id)).pending is not None:
            raise UnclearProcedure(f"a version of p{procedure_id} waits already for the member's answer")
        return await self._insert(says, "pending", turn_id=turn_id, procedure_id=procedure_id)

    async def keep(self, version_id: int, *, by: str | None = None, by_id: int | None = None) -> Version | None:
        """Let exactly this version hold; None when it does not wait (any more)."""
        waiting = await self.waiting(version_id)
        if waiting is None:
            return None
        await self._supersede(waiting.procedure_id)
        await self._db.execute(
            "UPDATE procedure_versions SET status = 'active', by = ?, by_id = ? WHERE id = ?", (by, by_id, version_id)
        )
        return (await self.procedure(waiting.procedure_id)).active

    async def drop(self, version_id: int) -> Version | None:
        """Delete a version that waits and return it; None when it does not."""
        waiting = await self.waiting(version_id)
        if waiting is not None:
            await self._db.execute("DELETE FROM procedure_versions WHERE id = ?", (version_id,))
        return waiting

    async def erase(self, procedure_ids: Sequence[int]) -> None:
        """Delete procedures with all their versions: for forgetting alone."""
        for procedure_id in procedure_ids:
            await self._db.execute("DELETE FROM procedure_versions WHERE procedure_id = ?", (procedure_id,))
            await self._db.execute("DELETE FROM procedures WHERE id = ?", (procedure_id,))

    async def _check_new(self, says: Instructions, procedure_id: int | None, status: Status, most: int) -> None:
        if procedure_id is not None:
            await self.procedure(procedure_id)
        rows = await self._db.fetch_all(f"{_VERSIONS} WHERE status <> 'superseded'")
        same = next((one for one in map(_version, rows) if one.says == says), None)
        if same is not None:
            waits = ", which waits for Keep or Drop" if same.status == "pending" else ""
            raise UnclearProcedure(f"{same.ref} says exactly that already{waits}")
        if procedure_id is None and sum(row["status"] == status for row in rows) >= most:
            raise UnclearProcedure(f"there are {most} {status} procedures already; forget or decide about some first")

    async def _supersede(self, procedure_id: int) -> None:
        await self._db.execute(
            "UPDATE procedure_versions SET status = 'superseded' WHERE procedure_id = ? AND status = 'active'",
            (procedure_id,),
        )

    async def _insert(
        self,
        says: Instructions,
        status: Status,
        *,
        procedure_id: int | None,
        by: str | None = None,
        by_id: int | None = None,
        turn_id: int | None = None,
    ) -> Version:
        now = to_utc_text(self._clock.now())
        if procedure_id is None:
            written = await self._db.execute("INSERT INTO procedures (created_at) VALUES (?)", (now,))
            procedure_id = written.rowid
        row_id = (
            await self._db.execute(
                "INSERT INTO procedure_versions"
                " (procedure_id, version, status, name, trigger, steps, by, by_id, turn_id, created_at)"
                " VALUES (?1, (SELECT coalesce(max(version), 0) + 1 FROM procedure_versions WHERE procedure_id = ?1),"
                " ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                (procedure_id, status, says.name, says.trigger, _json(says.steps), by, by_id, turn_id, now),
            )
        ).rowid
        row = await self._db.fetch_one(f"{_VERSIONS} WHERE id = ?", (row_id,))
        assert row is not None
        return _version(row)

    async def _used_at(self, procedure_id: int) -> datetime | None:
        row = await self._db.fetch_one(
            "SELECT t.started_at FROM traces r JOIN turns t ON t.id = r.turn_id"
            " WHERE r.layer = 'procedure' AND r.ref = ? ORDER BY r.turn_id DESC LIMIT 1",
            (f"p{procedure_id}",),
        )
        return from_utc_text(row["started_at"]) if row else None


def _version(row: Row) -> Version:
    return Version(
        id=row["id"],
        procedure_id=row["procedure_id"],
        number=row["version"],
        status=row["status"],
        says=Instructions(row["name"], row["trigger"], tuple(json.loads(row["steps"]))),
        by=row["by"],
        by_id=row["by_id"],
        turn_id=row["turn_id"],
        at=from_utc_text(row["created_at"]),
    )


def _json(steps: Sequence[str]) -> str:
    return json.dumps(list(steps), ensure_ascii=False)
