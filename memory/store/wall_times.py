"""Wall times: what the clocks of a zone show, and the moments they stand for. Pure.

A wall time is a naive datetime in whole minutes, so it means the same wherever its member travels; a zone turns it into
a moment. What the changes of clocks skip or show twice is dealt with here.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from memory.catalogue import MOMENT, _, written
from memory.errors import MemberMustAct

_MINUTE = timedelta(minutes=1)


class UnclearTime(MemberMustAct):
    """A time or a rule that cannot be read, is over or never comes; the text says what would be right."""


def moment(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return when the clocks of a zone show a wall time (UTC).

    One that they skip is the first they show after the gap; of one that they show twice it is the first.
    """
    while True:
        at = wall.replace(tzinfo=zone).astimezone(UTC)
        if at.astimezone(zone).replace(tzinfo=None) == wall:
            return at
        wall += _MINUTE


def wall_of(at: datetime, zone: ZoneInfo) -> datetime:
    """Return what the clocks of a zone show at a moment."""
    return at.astimezone(zone).replace(tzinfo=None)


def skip_notes(wall: datetime, zone: ZoneInfo) -> tuple[str, ...]:
    """Return what is to be said of a wall time that the clocks of a zone skip; of any other, nothing."""
    comes = wall_of(moment(wall, zone), zone)
    if comes == wall:
        return ()
    note = _("the clocks skip {time} that night, so it comes at {comes}")
    return (note.format(time=f"{wall:%H:%M}", comes=shown(comes)),)


def shown(wall: datetime) -> str:
    """Return a wall time as shown everywhere: `Fri 12 Mar 2027 17:30`, in the language that is spoken now."""
    return written(wall, MOMENT)
