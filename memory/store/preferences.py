"""What one space is set to: its zone, its language, its hours, its budget, and how the assistant speaks there.

`None` means as the operator's settings say, which are not known here. The current value is held beside the row: who
reads it never waits, and sees what was committed (inside the transaction that changes it, what stands there). A zone
that is left is kept with the time until which it held, for what was said by its clocks.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Literal, Protocol, TypedDict, Unpack
from zoneinfo import ZoneInfo

from memory.catalogue import ENGLISH, LANGUAGES, N_
from memory.errors import MemberMustAct
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text
from memory.store.redaction import strip_hidden

ReportMode = Literal["nightly", "regressions", "off"]

TONE_CHARS = 200
NAME_CHARS = 40


class Zones(Protocol):
    """Where the clocks of a space are."""

    @property
    def zone(self) -> ZoneInfo:
        """The zone that it has now."""
        ...

    def zone_at(self, moment: datetime) -> ZoneInfo:
        """Return the zone by whose clocks something was meant that was said at a moment."""
        ...


class TooLong(MemberMustAct):
    """A text of the settings has no room in every prompt."""


@dataclass(frozen=True)
class Preferences:
    """What a space is set to. None, where it may be: as the operator's settings say."""

    zone: ZoneInfo
    language: str = ENGLISH
    report: ReportMode | None = None
    report_at: time | None = None
    probe_at: time | None = None
    tone: str | None = None
    assistant_name: str | None = None
    daily_usd: float | None = None
    tools_on: tuple[str, ...] = ()
    has_language: bool = False
    """Whether the language was chosen."""
    past_zones: tuple[tuple[datetime, ZoneInfo], ...] = field(default=(), repr=False)
    """The zones before this one, the oldest first, each with the moment until which it held."""

    def zone_at(self, moment: datetime) -> ZoneInfo:
        """Return the zone that held at a moment."""
        return next((zone for until, zone in self.past_zones if moment <= until), self.zone)


class Changes(TypedDict, total=False):
    """What may be set; None lets the operator's settings hold again."""

    zone: ZoneInfo
    language: str | None
    report: ReportMode | None
    report_at: time | None
    probe_at: time | None
    tone: str | None
    assistant_name: str | None
    daily_usd: float | None
    tools_on: tuple[str, ...]


class PreferenceStore:
    """The preferences of one space, over the row that says what the space is; until `load`, all is as by default."""

    def __init__(self, database: Database, clock: Clock, default_zone: ZoneInfo) -> None:
        self._db = database
        self._clock = clock
        self._committed = Preferences(default_zone)
        self._changed: Preferences | None = None
        """What stands in the transaction that is open; None while it changed nothing."""

    @property
    def current(self) -> Preferences:
        """What holds now."""
        return self._changed if self._changed is not None and self._db.is_writing else self._committed

    @property
    def zone(self) -> ZoneInfo:
        """The zone that the space has now."""
        return self.current.zone

    def zone_at(self, moment: datetime) -> ZoneInfo:
        """Return the zone that held at a moment."""
        return self.current.zone_at(moment)

    async def load(self) -> Preferences:
        """Read anew what holds; of a file that says nothing yet, nothing is taken."""
        row = await self._db.fetch_one("SELECT * FROM profile")
        past = await self._db.fetch_all("SELECT until, zone FROM past_zones ORDER BY until")
        if row is not None:
            self._hold(_preferences(row, past))
        return self.current

    async def set(self, *, at: datetime | None = None, **changes: Unpack[Changes]) -> Preferences:
        """Change what is named and return what holds then. Joins the caller's transaction.

        `at` is when that was asked for: what was said until then was meant by the clocks of the zone that is left.

        Raises: TooLong.
        """
        if changes.get("zone", self.zone) != self.zone:
            # Where nothing was said yet, or in no time at all, nothing was meant by the clocks there.
            await self._db.execute(
                "INSERT OR IGNORE INTO past_zones SELECT ?, ? WHERE EXISTS (SELECT 1 FROM messages)",
                (to_utc_text(at or self._clock.now()), self.zone.key),
            )
        columns = ", ".join(f"{name} = ?" for name in changes)
        values = [_stored(name, value) for name, value in changes.items()]
        await self._db.execute(f"UPDATE profile SET {columns}", values)
        return await self.load()

    def _hold(self, read: Preferences) -> None:
        if not self._db.is_writing:
            self._committed = read
            return
        if self._changed is None:
            self._db.at_end(self._end)
        self._changed = read

    def _end(self, is_committed: bool) -> None:
        if is_committed and self._changed is not None:
            self._committed = self._changed
        self._changed = None


def _stored(name: str, value: object) -> object:
    match value:
        case ZoneInfo():
            return value.key
        case time():
            return f"{value:%H:%M}"
        case tuple():
            return json.dumps(sorted(set(value)))
        case str() if name in _LIMITS:
            return _short(value, _LIMITS[name])
        case _:
            return value


def _short(text: str, most: int) -> str | None:
    """Return a text in one line, without what is not seen; None for an empty one. Raises: TooLong."""
    line = " ".join(strip_hidden(text).split())
    if len(line) > most:
        raise TooLong(N_("that has {count} characters; at most {most} fit"), count=len(line), most=most)
    return line or None


def _preferences(row: Row, past: list[Row]) -> Preferences:
    return Preferences(
        zone=ZoneInfo(row["zone"]),
        language=row["language"] if row["language"] in LANGUAGES else ENGLISH,
        report=row["report"],
        report_at=_time(row["report_at"]),
        probe_at=_time(row["probe_at"]),
        tone=row["tone"],
        assistant_name=row["assistant_name"],
        daily_usd=row["daily_usd"],
        tools_on=tuple(json.loads(row["tools_on"])),
        has_language=row["language"] is not None,
        past_zones=tuple((from_utc_text(one["until"]), ZoneInfo(one["zone"])) for one in past),
    )


def _time(text: str | None) -> time | None:
    return time.fromisoformat(text) if text else None


_LIMITS: Mapping[str, int] = {"tone": TONE_CHARS, "assistant_name": NAME_CHARS}
