"""The journal: rows a day, and their projection to `journal/YYYY-MM-DD.md`. The rows are the truth.

Every write of rows joins the caller's transaction; the files are written after it and can be written again at any time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from memory.store.database import Database, to_utc_text


@dataclass(frozen=True)
class JournalEntry:
    """What was said on a local day; `at` is its last moment (UTC)."""

    day: date
    at: datetime
    text: str


@dataclass(frozen=True)
class JournalDay:
    """All that the journal holds of a local day."""

    day: date
    text: str


class JournalStore:
    def __init__(self, database: Database, folder: Path) -> None:
        self._db = database
        self._folder = folder

    async def add(self, entry: JournalEntry, *, handoff_id: int | None = None) -> None:
        await self._db.execute(
            "INSERT INTO journal (day, at, handoff_id, text) VALUES (?, ?, ?, ?)",
            (entry.day.isoformat(), to_utc_text(entry.at), handoff_id, entry.text),
        )

    async def days(self) -> list[date]:
        rows = await self._db.fetch_all("SELECT DISTINCT day FROM journal ORDER BY day")
        return [date.fromisoformat(row["day"]) for row in rows]

    async def text(self, day: date) -> str:
        """Return what the journal holds of a day; empty when nothing."""
        rows = await self._db.fetch_all("SELECT text FROM journal WHERE day = ? ORDER BY at, id", (day.isoformat(),))
        return "\n".join(row["text"] for row in rows)

    async def between(self, first: date, last: date) -> list[JournalDay]:
        """Return the days from `first` to `last` (both included) that have rows, oldest first."""
        return [JournalDay(day, await self.text(day)) for day in await self.days() if first <= day <= last]

    async def project(self, days: Sequence[date] | None = None) -> None:
        """Write the files of these days, or of all days (and remove files of days without rows)."""
        known = await self.days()
        for day in known if days is None else days:
            self._write(day, await self.text(day))
        if days is None and self._folder.exists():
            names = {_name(day) for day in known}
            for path in self._folder.iterdir():
                if path.name not in names:
                    path.unlink()

    async def catch_up(self) -> None:
        """Write the files of what was added last, should that have been cut off."""
        rows = await self._db.fetch_all(
            "SELECT DISTINCT day FROM journal WHERE handoff_id = (SELECT max(handoff_id) FROM journal)"
        )
        await self.project([date.fromisoformat(row["day"]) for row in rows])

    def _write(self, day: date, text: str) -> None:
        content = f"# {day:%A} {day.day} {day:%B %Y}\n\n{text}\n"
        target = self._folder / _name(day)
        if target.exists() and target.read_text(encoding="utf-8") == content:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_suffix(".unfinished")
        unfinished.write_text(content, encoding="utf-8")
        unfinished.replace(target)


def _name(day: date) -> str:
    return f"{day.isoformat()}.md"
