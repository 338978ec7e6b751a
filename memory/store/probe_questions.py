"""What a member wants to be asked every night, beside the facts of the ledger. Whether it can be is not judged."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.errors import UnknownId
from memory.ports import Clock
from memory.store.database import Database, Row, to_utc_text


@dataclass(frozen=True)
class ProbeQuestion:
    """A question with its answer; `fact_id` is the fact that says it, None where it stands in the talk alone."""

    id: int
    question: str
    answer: str
    patterns: tuple[str, ...]
    fact_id: int | None
    author_id: int | None

    @property
    def ref(self) -> str:
        return f"q{self.id}"


class ProbeQuestions:
    """The questions of one space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def add(
        self,
        question: str,
        answer: str,
        *,
        patterns: Sequence[str],
        fact_id: int | None = None,
        author_id: int | None = None,
    ) -> ProbeQuestion:
        """Add a question and return it as read back."""
        async with self._db.transaction():
            written = await self._db.execute(
                "INSERT INTO probe_questions (question, answer, patterns, fact_id, author_id, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    question,
                    answer,
                    json.dumps(list(patterns), ensure_ascii=False),
                    fact_id,
                    author_id,
                    to_utc_text(self._clock.now()),
                ),
            )
            row = await self._db.fetch_one("SELECT * FROM probe_questions WHERE id = ?", (written.rowid,))
        assert row is not None
        return _question(row)

    async def all(self) -> list[ProbeQuestion]:
        """Return them, the oldest first."""
        return [_question(row) for row in await self._db.fetch_all("SELECT * FROM probe_questions ORDER BY id")]

    async def remove(self, question_id: int) -> None:
        """Remove a question; its alarm clears with the next examination. Raises: UnknownId."""
        async with self._db.transaction():
            gone = await self._db.execute("DELETE FROM probe_questions WHERE id = ?", (question_id,))
        if not gone.count:
            raise UnknownId(f"q{question_id}")


def _question(row: Row) -> ProbeQuestion:
    return ProbeQuestion(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        patterns=tuple(json.loads(row["patterns"])),
        fact_id=row["fact_id"],
        author_id=row["author_id"],
    )
