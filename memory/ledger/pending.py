"""Facts that wait for the member's yes: what somebody else wrote, and what code could not decide.

Nothing of them holds, and no prompt shows them, until they are kept. Every write joins the caller's transaction.
"""

from datetime import datetime

from memory.ledger.fact_rows import FactRows
from memory.ledger.facts import Fact, Statement
from memory.ledger.history import SubjectHistory
from memory.ledger.subjects import value_key
from memory.store.database import Database, to_utc_text


class PendingFacts:
    """The facts of one space that wait."""

    def __init__(self, database: Database, rows: FactRows, subjects: SubjectHistory) -> None:
        self._db = database
        self._rows = rows
        self._subjects = subjects

    async def suggest(self, statement: Statement, *, subject_key: str, rival: int | None) -> Fact | None:
        """Enter a statement that waits for the member's yes; `rival` is the active fact that would end with it.

        None when the message said so before, the same waits already, or the member has answered it since.
        """
        same = statement.value_key or value_key(statement.value)
        waits = "SELECT 1 FROM facts WHERE subject_key = ? AND value_key = ? AND status = 'pending'"
        if await self._rows.stated_in(statement.message_id, subject_key, same) is not None:
            return None
        if await self._db.fetch_one(waits, (subject_key, same)):
            return None
        fact_id = await self._rows.insert(statement, subject_key, same)
        await self._db.execute("UPDATE facts SET status = 'pending', replaces = ? WHERE id = ?", (rival, fact_id))
        await self._subjects.settle(subject_key)
        fact = await self._rows.fact(fact_id)
        return fact if fact.status == "pending" else None

    async def keep(self, fact_id: int, *, at: datetime) -> Fact:
        """Let a pending fact hold from the moment the member says so; any other stays as it is.

        One that is older than the value that holds enters the history where it was said. Raises: UnknownId.
        """
        fact = await self._rows.fact(fact_id)
        if fact.status == "pending":
            is_outdated = await self._subjects.is_outdated(fact.subject_key, fact.since, fact.message_id)
            await self._db.execute(
                "UPDATE facts SET status = 'superseded', since = ?, replaces = NULL WHERE id = ?",
                (to_utc_text(fact.since if is_outdated else max(fact.since, at)), fact_id),
            )
            await self._subjects.settle(fact.subject_key)
        return await self._rows.fact(fact_id)

    async def drop(self, fact_id: int) -> Fact:
        """Take a pending fact away, for good; any other stays as it is. Raises: UnknownId."""
        if (await self._rows.fact(fact_id)).status == "pending":
            await self._subjects.withdraw(fact_id)
        return await self._rows.fact(fact_id)

    async def waiting(self, subject_key: str) -> list[Fact]:
        """Return what waits for the member's yes about a subject, the oldest first."""
        return await self._rows.find("WHERE f.subject_key = ? AND f.status = 'pending' ORDER BY f.id", subject_key)
