"""Secrets that were not stored, held in memory for ten minutes in case the member wants them kept.

They stand in no row, no file and no log, and are gone after a restart. One object a space: nothing crosses.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory.ports import Clock
from memory.store.entries import Entry
from memory.store.spoken_secrets import SpokenSecret

HELD_S = 600.0


@dataclass(frozen=True)
class Held:
    """What was masked in one entry, which is named by its source and by its place in the chat."""

    source: str
    place: str | None
    author_id: int | None
    until: datetime
    secrets: tuple[SpokenSecret, ...] = field(repr=False)


class HeldSecrets:
    """The held secrets of one space, newest last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[str, Held] = {}

    def hold(self, entry: Entry) -> None:
        """Hold what an entry brought along, if it did."""
        if entry.secrets:
            until = self._clock.now() + timedelta(seconds=HELD_S)
            self._held[entry.source] = Held(entry.source, entry.place, entry.author_id, until, entry.secrets)

    def find(self, source: str, *, author_id: int | None) -> Held | None:
        """Return what is held of an entry, or of the newest one without a `source`; only to who said it."""
        self.drop_expired()
        mine = [held for held in self._held.values() if held.author_id == author_id]
        return next((held for held in reversed(mine) if source in {"", held.source}), None)

    def drop_expired(self) -> None:
        """Let go of what was held long enough."""
        now = self._clock.now()
        self._held = {source: held for source, held in self._held.items() if held.until > now}

    def clear(self) -> None:
        """Let go of everything."""
        self._held.clear()

    def next_time(self) -> datetime | None:
        """Return when something is to be let go of; None when nothing is held."""
        return min((held.until for held in self._held.values()), default=None)
