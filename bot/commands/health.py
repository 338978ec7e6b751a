"""`/health`: whether what this memory depends on is well, with what is not well first.

Only of the member's own memory and of what all share (the network, the disk); never of another memory.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

from bot.commands.ages import ago
from bot.health import ENOUGH_BYTES, LIVE_WITHIN_S
from bot.probing.regressions import last_line
from bot.quoting import literal
from bot.turn.answer import Answer
from memory.catalogue import N_, _
from memory.health import MemoryHealth, last_answered, memory_health
from memory.space import Space
from memory.store.entries import Entry

OLD_JOB = timedelta(hours=1)
OLD_EXAMINATION = timedelta(days=3)
OLD_BACKUP = timedelta(days=3)
NEVER_EXAMINED = N_("never examined yet; /probe does it now")


@dataclass(frozen=True)
class Vitals:
    """What is looked at; a time is None for what never was.

    `polled_s` is the age of the last poll of the chat service; None where none is polled. `trouble` is what hinders it
    all the same.
    """

    memory: MemoryHealth
    free_bytes: int
    polled_s: float | None
    trouble: str | None
    delivered_at: datetime | None
    answered_at: datetime | None
    examined_at: datetime | None
    examined: str
    backed_up_at: datetime | None
    version: str


class HealthCommand:
    """/health in one space. `polled_s` tells how long ago the chat service was polled with success, `trouble` what
    hinders it to bring messages.
    """

    def __init__(
        self,
        space: Space,
        *,
        polled_s: Callable[[], float | None] | None,
        trouble: Callable[[], str | None] | None = None,
    ) -> None:
        self._space = space
        self._polled_s = polled_s
        self._trouble = trouble

    async def health(self, rest: str, entry: Entry) -> Answer:
        """Answer `/health`."""
        space = self._space
        last = await space.probes.last_done()
        vitals = Vitals(
            memory=await memory_health(space),
            free_bytes=shutil.disk_usage(space.folder).free,
            polled_s=self._polled_s() if self._polled_s else None,
            trouble=self._trouble() if self._trouble else None,
            delivered_at=await space.mailbox.last_sent(),
            answered_at=await last_answered(space),
            examined_at=last.run.ended_at if last else None,
            examined=await last_line(space),
            backed_up_at=self._backed_up_at(),
            version=version("remembrancer"),
        )
        return Answer(health_text(vitals, space.clock.now()))

    def _backed_up_at(self) -> datetime | None:
        backup = self._space.backups / f"{self._space.id}-night.db"
        return datetime.fromtimestamp(backup.stat().st_mtime, UTC) if backup.is_file() else None


def health_text(vitals: Vitals, now: datetime) -> str:
    """Return the page: what is not well, then what was looked at."""
    flags = [f"⚠️ {line}" for line in _flags(vitals, now)]
    return "\n".join([*(flags or [_("✓ All is well.")]), *(f"• {line}" for line in _lines(vitals, now))])


def _flags(vitals: Vitals, now: datetime) -> Iterator[str]:
    if vitals.polled_s is not None and vitals.polled_s > LIVE_WITHIN_S:
        reached = _ago(timedelta(seconds=vitals.polled_s))
        yield _("Telegram was last reached {ago}: the network or the server hangs").format(ago=reached)
    if vitals.trouble is not None:
        yield _("{trouble}: tell the operator").format(trouble=literal(vitals.trouble))
    if vitals.free_bytes < ENOUGH_BYTES:
        yield _("the disk is nearly full ({free}): tell the operator").format(free=_gigabytes(vitals.free_bytes))
    late = [work for work in vitals.memory.waiting if now - work.since > OLD_JOB]
    if late:
        count = sum(work.count for work in late)
        yield _("work waits for longer than an hour ({count}): the model may be out of reach").format(count=count)
    if not vitals.memory.is_index_complete:
        yield _("the search index is not complete; the next start mends it")
    if vitals.examined_at is not None and now - vitals.examined_at > OLD_EXAMINATION:
        examined = _ago(now - vitals.examined_at)
        yield _("my memory was last examined {ago}: /probe does it now").format(ago=examined)
    if vitals.backed_up_at is not None and now - vitals.backed_up_at > OLD_BACKUP:
        yield _("the last backup was made {ago}").format(ago=_ago(now - vitals.backed_up_at))


def _lines(vitals: Vitals, now: datetime) -> Iterator[str]:
    if vitals.polled_s is not None:
        yield _("Telegram last reached: {ago}").format(ago=_ago(timedelta(seconds=vitals.polled_s)))
    yield _("last message delivered: {ago}").format(ago=_when(vitals.delivered_at, now))
    yield _("last answer of the model: {ago}").format(ago=_when(vitals.answered_at, now))
    waiting = sum(work.count for work in vitals.memory.waiting)
    yield _("work that waits: {count}").format(count=waiting) if waiting else _("no work waits")
    yield _("disk: {free}").format(free=_gigabytes(vitals.free_bytes))
    yield vitals.examined or _(NEVER_EXAMINED)
    yield _("last backup: {ago}").format(ago=_when(vitals.backed_up_at, now))
    yield _("version {version}").format(version=vitals.version)


def _when(at: datetime | None, now: datetime) -> str:
    return _("never yet") if at is None else _ago(now - at)


def _ago(passed: timedelta) -> str:
    return _("just now") if passed < timedelta(minutes=1) else ago(passed)


def _gigabytes(size: int) -> str:
    return _("{size} GB free").format(size=f"{size / 1e9:.1f}")
