"""The reminders of one space, as rows: what is to be said when, and what became of it.

A reminder comes at a wall time, once or by a rule, or at a moment that no zone moves ("in 20 minutes"). From a wall
time the moment is worked out in the zone of the space, and again when that zone is another. What is due is put into
the outbox by whoever asks (`bot/turn/reminding.py`); whether it arrived, the outbox knows.
"""

import json
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memory.catalogue import N_
from memory.errors import UnknownId
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text
from memory.store.preferences import Zones
from memory.store.recurrence import to_json
from memory.store.reminder_rows import Asker, CannotRemind, Due, Reminder, Timing, checked_text, reminder_of
from memory.store.wall_times import UnclearTime, moment, shown, wall_of

MOST_WAITING = 200
MOST_AHEAD = timedelta(days=366 * 20)
RUNG_SHOWN = timedelta(days=7)
"""So long a reminder that rang and was not marked done is listed."""
_KEPT = ("text", "state", "wall", "repeats", "next_at", "is_snoozed", "zone")
"""The columns that a change may change, and that taking it back brings back."""


class ReminderStore:
    """Every write joins the caller's transaction and returns what was read back."""

    def __init__(self, database: Database, clock: Clock, zones: Zones) -> None:
        self._db = database
        self._clock = clock
        self._zones = zones

    @property
    def _zone(self) -> ZoneInfo:
        return self._zones.zone

    # Read

    async def reminder(self, reminder_id: int) -> Reminder:
        """Raises: UnknownId."""
        row = await self._row(reminder_id)
        return reminder_of(row)

    async def waiting(self) -> list[Reminder]:
        """Return those that wait, the soonest first."""
        return await self._found("WHERE r.state = 'waiting' ORDER BY r.next_at, r.id")

    async def rung(self) -> list[Reminder]:
        """Return those that rang of late and were not marked done, the newest first."""
        since = to_utc_text(self._clock.now() - RUNG_SHOWN)
        return await self._found("WHERE r.state = 'rung' AND r.sent_due >= ? ORDER BY r.sent_due DESC, r.id", since)

    async def set_in(self, turn_id: int) -> list[Reminder]:
        """Return those that the assistant set in a turn and that stand."""
        return await self._found("WHERE r.turn_id = ? AND r.state <> 'deleted' ORDER BY r.id", turn_id)

    async def changed_in(self, turn_id: int) -> list[Reminder]:
        """Return those that the assistant last changed in a turn."""
        return await self._found("WHERE r.changed_turn_id = ? ORDER BY r.id", turn_id)

    async def next_time(self) -> datetime | None:
        """Return when the next one is due; None when none waits."""
        row = await self._db.fetch_one("SELECT min(next_at) FROM reminders WHERE next_at IS NOT NULL")
        return from_utc_text(row[0]) if row and row[0] else None

    async def due(self) -> list[Due]:
        """Return those whose time has come, in order; each once, however many of its times were missed."""
        now = self._clock.now()
        return [
            self._due(found, now)
            for found in await self._found("WHERE r.next_at <= ? ORDER BY r.next_at, r.id", to_utc_text(now))
        ]

    async def is_elsewhere(self) -> bool:
        """Whether moments stand there that were worked out in another zone."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM reminders WHERE next_at IS NOT NULL AND zone <> ? LIMIT 1", (self._zone.key,)
        )
        return row is not None

    # Write

    async def add(self, text: str, timing: Timing, asker: Asker, *, turn_id: int | None = None) -> Reminder:
        """Store a reminder; `turn_id`: the assistant set it.

        Raises: CannotRemind, UnclearTime when its time is over.
        """
        waiting = await self._db.fetch_one("SELECT count(*) FROM reminders WHERE state = 'waiting'")
        if waiting and waiting[0] >= MOST_WAITING:
            raise CannotRemind(N_("{count} reminders wait already; delete some first (/reminders)"), count=MOST_WAITING)
        written = await self._db.execute(
            "INSERT INTO reminders (text, state, wall, repeats, next_at, zone, by, by_id, chat_id, thread_id, turn_id,"
            " created_at) VALUES (?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                checked_text(text),
                *self._timed(timing),
                self._zone.key,
                asker.by,
                asker.by_id,
                asker.chat_id,
                asker.thread_id,
                turn_id,
                to_utc_text(self._clock.now()),
            ),
        )
        return await self.reminder(written.rowid)

    async def change(
        self, reminder_id: int, *, text: str | None = None, timing: Timing | None = None, turn_id: int | None = None
    ) -> Reminder:
        """Give a reminder other words, another time or both; with a time it waits again.

        Raises: UnknownId, CannotRemind, UnclearTime.
        """
        values: dict[str, Any] = {"is_snoozed": 0} if timing else {}
        if text is not None:
            values["text"] = checked_text(text)
        if timing is not None:
            wall, repeats, next_at = self._timed(timing)
            values |= {"state": "waiting", "wall": wall, "repeats": repeats, "next_at": next_at}
        return await self._update(reminder_id, values, turn_id=turn_id)

    async def snooze(self, reminder_id: int, timing: Timing, *, turn_id: int | None = None) -> Reminder:
        """Put a reminder off: one that repeats comes then too, unless its next time is sooner.

        Raises: UnknownId, UnclearTime; CannotRemind for a deleted one.
        """
        found = await self._standing(reminder_id)
        if found.repeats is None:
            return await self.change(reminder_id, timing=timing, turn_id=turn_id)
        assert found.wall is not None
        _, _, at = self._timed(timing)
        regular = to_utc_text(moment(found.wall, self._zone))
        values = {"state": "waiting", "next_at": min(at, regular), "is_snoozed": int(at < regular)}
        return await self._update(reminder_id, values, turn_id=turn_id)

    async def finish(self, reminder_id: int, *, turn_id: int | None = None) -> Reminder:
        """Mark it done: for good, or until its next time. Raises: UnknownId; CannotRemind for a deleted one."""
        found = await self._standing(reminder_id)
        if found.repeats is not None and found.wall is not None:
            regular = to_utc_text(moment(found.wall, self._zone))
            return await self._update(reminder_id, {"next_at": regular, "is_snoozed": 0}, turn_id=turn_id)
        return await self._update(reminder_id, {"state": "done", "next_at": None, "is_snoozed": 0}, turn_id=turn_id)

    async def delete(self, reminder_id: int, *, turn_id: int | None = None) -> Reminder:
        """Let it never come again; its words stay until they are forgotten. Raises: UnknownId."""
        return await self._update(reminder_id, {"state": "deleted", "next_at": None, "is_snoozed": 0}, turn_id=turn_id)

    async def undo(self, reminder_id: int, version: int) -> Reminder | None:
        """Take back the change that made this version, or the reminder itself if nothing was before it.

        None when it was changed since, or rang. Raises: UnknownId.
        """
        row = await self._row(reminder_id)
        if row["version"] != version:
            return None
        if row["was"] is None:
            return await self.delete(reminder_id) if version == 1 else None
        values = json.loads(row["was"])
        if values["next_at"] is not None and from_utc_text(values["next_at"]) <= self._clock.now():
            return None
        return await self._update(reminder_id, values)

    async def ring(self, due: Due, key: str) -> None:
        """Note that its message is in the outbox under a key; it waits for its next time, if it has one."""
        next_at = moment(due.next_wall, self._zone) if due.next_wall is not None else None
        await self._db.execute(
            "UPDATE reminders SET state = ?, wall = coalesce(?, wall), next_at = ?, is_snoozed = 0, sent_key = ?,"
            " sent_due = ?, version = version + 1, was = NULL WHERE id = ?",
            (
                "rung" if next_at is None else "waiting",
                due.next_wall.isoformat() if due.next_wall else None,
                to_utc_text(next_at) if next_at else None,
                key,
                to_utc_text(due.at),
                due.reminder.id,
            ),
        )

    async def move(self) -> int:
        """Work out anew, in the zone of the space, what was worked out in another; return how many were moved.

        A put-off moment stays, and so does one that no clock named.
        """
        rows = await self._db.fetch_all(
            "SELECT id, wall, is_snoozed FROM reminders WHERE next_at IS NOT NULL AND zone <> ?", (self._zone.key,)
        )
        by_the_clock = {row["id"]: row["wall"] for row in rows if row["wall"] is not None and not row["is_snoozed"]}
        for reminder_id, wall in by_the_clock.items():
            at = to_utc_text(moment(datetime.fromisoformat(wall), self._zone))
            await self._db.execute("UPDATE reminders SET next_at = ? WHERE id = ?", (at, reminder_id))
        await self._db.execute("UPDATE reminders SET zone = ? WHERE next_at IS NOT NULL", (self._zone.key,))
        return len(by_the_clock)

    def _due(self, found: Reminder, now: datetime) -> Due:
        """Return what to say now: a time put off by the member comes before the regular ones."""
        assert found.next_at is not None
        if found.repeats is None or found.wall is None:
            return Due(found, found.next_at, 1, None)
        at, wall, count = found.next_at, found.wall, int(found.is_snoozed)
        while (comes := moment(wall, self._zone)) <= now:
            at, wall, count = comes, found.repeats.following(wall), count + 1
        return Due(found, at, count, wall)

    def _timed(self, timing: Timing) -> tuple[str | None, str | None, str]:
        """Return a timing as columns: wall, repeats, next_at. Raises: UnclearTime when it is over or far away."""
        at, now = timing.moment(self._zone), self._clock.now()
        if at <= now:
            raise UnclearTime(
                N_("{at} is over: it is {now} now ({zone}); say a time that lies ahead"),
                at=shown(wall_of(at, self._zone)),
                now=shown(wall_of(now, self._zone)),
                zone=self._zone.key,
            )
        if at > now + MOST_AHEAD:
            raise UnclearTime(N_("that is more than 20 years ahead; say an earlier time"))
        return (
            timing.wall.isoformat() if timing.wall else None,
            to_json(timing.repeats) if timing.repeats else None,
            to_utc_text(at),
        )

    async def _update(self, reminder_id: int, values: dict[str, Any], *, turn_id: int | None = None) -> Reminder:
        row = await self._row(reminder_id)
        if values.get("next_at") is not None:
            values = {"zone": self._zone.key, **values}
        values["was"] = json.dumps({name: row[name] for name in _KEPT})
        columns = ", ".join(f"{name} = ?" for name in values)
        await self._db.execute(
            f"UPDATE reminders SET {columns}, version = version + 1, changed_turn_id = ? WHERE id = ?",
            (*values.values(), turn_id, reminder_id),
        )
        return await self.reminder(reminder_id)

    async def _standing(self, reminder_id: int) -> Reminder:
        found = await self.reminder(reminder_id)
        if found.state == "deleted":
            raise CannotRemind(N_("{ref} was deleted; `/reminders {ref} undo` brings it back"), ref=found.ref)
        return found

    async def _row(self, reminder_id: int) -> Row:
        row = await self._db.fetch_one(f"{_SELECT} WHERE r.id = ?", (reminder_id,))
        if row is None:
            raise UnknownId(f"n{reminder_id}")
        return row

    async def _found(self, where: str, *params: str | int) -> list[Reminder]:
        return [reminder_of(row) for row in await self._db.fetch_all(f"{_SELECT} {where}", params)]


_SELECT = "SELECT r.*, o.state = 'sent' AS has_arrived FROM reminders r LEFT JOIN outbox o ON o.key = r.sent_key"
