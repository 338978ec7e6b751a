"""Ages: how long something takes or is over, in the unit that a person would choose. Pure."""

from datetime import timedelta

from memory.catalogue import ngettext

MINUTES_BELOW, HOURS_BELOW = 120, 48 * 60
"""Minutes are counted below so many minutes, hours below so many; then days."""


def age(waited: timedelta) -> str:
    """Return a length of time: "3 hours"."""
    minutes = _minutes(waited)
    if minutes < MINUTES_BELOW:
        return ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
    if minutes < HOURS_BELOW:
        return ngettext("{count} hour", "{count} hours", minutes // 60).format(count=minutes // 60)
    days = minutes // (24 * 60)
    return ngettext("{count:,} day", "{count:,} days", days).format(count=days)


def ago(passed: timedelta) -> str:
    """Return how long ago something was: "3 hours ago"."""
    minutes = _minutes(passed)
    if minutes < MINUTES_BELOW:
        return ngettext("{count} minute ago", "{count} minutes ago", minutes).format(count=minutes)
    if minutes < HOURS_BELOW:
        return ngettext("{count} hour ago", "{count} hours ago", minutes // 60).format(count=minutes // 60)
    days = minutes // (24 * 60)
    return ngettext("{count:,} day ago", "{count:,} days ago", days).format(count=days)


def _minutes(passed: timedelta) -> int:
    return max(0, int(passed.total_seconds() // 60))
