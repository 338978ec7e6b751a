"""Hours: when a memory is examined and when its members read of it: as the operator's settings say, or as they do."""

from dataclasses import dataclass
from datetime import time
from typing import Self

from bot.settings import Settings
from memory.store.preferences import Preferences, ReportMode


@dataclass(frozen=True)
class Hours:
    """Local times in the zone of each memory, and how much its members read."""

    probe_at: time
    report_at: time
    mode: ReportMode

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(settings.probe_at, settings.report_at, settings.report)

    def as_set(self, preferences: Preferences) -> "Hours":
        """Return the hours of one memory: its own where it has any."""
        return Hours(
            preferences.probe_at or self.probe_at,
            preferences.report_at or self.report_at,
            preferences.report or self.mode,
        )
