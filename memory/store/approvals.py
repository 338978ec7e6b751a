"""Approvals of one space, as rows: calls that wait for a member's yes, and calls that were cut off, so that they may
have happened.

What is approved is the row: the arguments that were shown are those that are run. Who may answer, what is shown and
what then happens is decided above.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from memory.errors import UnknownId
from memory.messages import CallPart
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

Decision = Literal["approved", "refused", "expired"]
ApprovalState = Literal["asked", "approved", "refused", "expired"]

LIFETIME = timedelta(minutes=15)
DOUBT = timedelta(days=1)
"""So long the same call as one that may have happened is not run unasked."""


@dataclass(frozen=True)
class Approval:
    """A call that a member was asked about. `by_id` alone may answer; None: whoever may write here."""

    id: int
    name: str
    args: Mapping[str, Any]
    by_id: int | None
    state: ApprovalState
    expires_at: datetime

    @property
    def ref(self) -> str:
        return f"a{self.id}"

    @property
    def call(self) -> CallPart:
        """The call as it is run once it is approved; its id is none that a provider gives."""
        return CallPart(call_id=f"approved-{self.ref}", name=self.name, args=dict(self.args))


class ApprovalStore:
    """Every write joins the caller's transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def approval(self, approval_id: int) -> Approval:
        """Raises: UnknownId."""
        row = await self._db.fetch_one("SELECT * FROM approvals WHERE id = ?", (approval_id,))
        if row is None:
            raise UnknownId(f"a{approval_id}")
        return _approval(row)

    async def ask(self, call: CallPart, *, turn_id: int, by_id: int | None) -> Approval:
        """Store that a member is asked about a call; one they are asked about already is returned as it stands."""
        now = self._clock.now()
        asked = (call.name, canonical(call.args), by_id)
        open_one = await self._db.fetch_one(
            "SELECT * FROM approvals WHERE state = 'asked' AND name = ? AND args = ? AND by_id IS ? AND expires_at > ?",
            (*asked, to_utc_text(now)),
        )
        if open_one is not None:
            return _approval(open_one)
        written = await self._db.execute(
            "INSERT INTO approvals (name, args, by_id, turn_id, call_id, state, asked_at, expires_at)"
            " VALUES (?, ?, ?, ?, ?, 'asked', ?, ?)",
            (*asked, turn_id, call.call_id, to_utc_text(now), to_utc_text(now + LIFETIME)),
        )
        return await self.approval(written.rowid)

    async def decide(self, approval_id: int, decision: Decision) -> Approval:
        """Store what became of an approval and return it. One that was decided before stays as it is."""
        await self._db.execute(
            "UPDATE approvals SET state = ? WHERE id = ? AND state = 'asked'", (decision, approval_id)
        )
        return await self.approval(approval_id)

    async def lapse(self, name: str) -> None:
        """Let what a member was asked about calls of a tool, and has not answered yet, count as expired."""
        await self._db.execute("UPDATE approvals SET state = 'expired' WHERE state = 'asked' AND name = ?", (name,))

    async def tell(self, approval_id: int, turn_id: int) -> None:
        """Note the turn in which the model is told."""
        await self._db.execute("UPDATE approvals SET outcome_turn_id = ? WHERE id = ?", (turn_id, approval_id))

    async def untold(self) -> list[Approval]:
        """Return those that expired and of which the model does not know yet, oldest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM approvals WHERE outcome_turn_id IS NULL"
            " AND (state = 'expired' OR (state = 'asked' AND expires_at <= ?)) ORDER BY id",
            (to_utc_text(self._clock.now()),),
        )
        return [_approval(row) for row in rows]

    # Calls that may have happened

    async def doubt(self, call: CallPart, *, turn_id: int) -> None:
        """Note that a call may have happened."""
        await self._db.execute(
            "INSERT OR IGNORE INTO calls_in_doubt (name, args, turn_id, call_id, at) VALUES (?, ?, ?, ?, ?)",
            (call.name, canonical(call.args), turn_id, call.call_id, to_utc_text(self._clock.now())),
        )

    async def is_doubtful(self, call: CallPart) -> bool:
        """Whether the same call may have happened of late, and nobody has approved it since."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM calls_in_doubt WHERE name = ? AND args = ? AND at > ?",
            (call.name, canonical(call.args), to_utc_text(self._clock.now() - DOUBT)),
        )
        return row is not None

    async def settle(self, call: CallPart) -> None:
        """Note that the member knows of it: they approved the same call."""
        await self._db.execute(
            "DELETE FROM calls_in_doubt WHERE name = ? AND args = ?", (call.name, canonical(call.args))
        )


def canonical(args: Mapping[str, Any]) -> str:
    """Return arguments as JSON: the same text for the same arguments."""
    return json.dumps(args, sort_keys=True, ensure_ascii=False)


def _approval(row: Row) -> Approval:
    return Approval(
        id=row["id"],
        name=row["name"],
        args=json.loads(row["args"]),
        by_id=row["by_id"],
        state=row["state"],
        expires_at=from_utc_text(row["expires_at"]),
    )
