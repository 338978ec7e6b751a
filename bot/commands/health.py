"""`/health`: whether what this memory depends on is well, with what is not well first.

Only of the member's own memory and of what all share (the network, the disk); never of another memory.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

from bot.commands.recall_cards import age
from bot.health import ENOUGH_BYTES, LIVE_WITHIN_S
from bot.probing.regressions import last_line
from bot.turn.answer import Answer
from memory.health import MemoryHealth, last_answered, memory_health
from memory.space import Space
from memory.store.mailbox import Entry

OLD_JOB = timedelta(hours=1)
OLD_EXAMINATION = timedelta(days=3)
OLD_BACKUP = timedelta(days=3)
NEVER_EXAMINED = "never examined yet; /probe does it now"


@dataclass(frozen=True)
class Vitals:
    """What is looked at; a time is None for what never was.

    `polled_s` is the age of the last poll of the chat service; None where none is polled.
    """

    memory: MemoryHealth
    free_bytes: int
    polled_s: float | None
    delivered_at: datetime | None
    answered_at: datetime | None
    examined_at: datetime | None
    examined: str
    backed_up_at: datetime | None
    version: str


class HealthCommand:
    """/health in one space. `polled_s` tells how long ago the chat service was polled with success."""

    def __init__(self, space: Space, *, polled_s: Callable[[], float | None] | None) -> None:
        self._space = space
        self._polled_s = polled_s

    async def health(self, rest: str, entry: Entry) -> Answer:
        """Answer `/health`."""
        space = self._space
        last = await space.probes.last_done()
        vitals = Vitals(
            memory=await memory_health(space),
            free_bytes=shutil.disk_usage(space.folder).free,
            polled_s=self._polled_s() if self._polled_s else None,
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
    return "\n".join([*(flags or ["✓ All is well."]), *(f"• {line}" for line in _lines(vitals, now))])


def _flags(vitals: Vitals, now: datetime) -> Iterator[str]:
    if vitals.polled_s is not None and vitals.polled_s > LIVE_WITHIN_S:
        yield f"Telegram was last reached {_ago(timedelta(seconds=vitals.polled_s))}: the network or the server hangs"
    if vitals.free_bytes < ENOUGH_BYTES:
        yield f"the disk is nearly full ({_gigabytes(vitals.free_bytes)}): tell the operator"
    late = [work for work in vitals.memory.waiting if now - work.since > OLD_JOB]
    if late:
        count = sum(work.count for work in late)
        yield f"work waits for longer than an hour ({count}): the model may be out of reach"
    if not vitals.memory.is_index_complete:
        yield "the search index is not complete; the next start mends it"
    if vitals.examined_at is not None and now - vitals.examined_at > OLD_EXAMINATION:
        yield f"my memory was last examined {_ago(now - vitals.examined_at)}: /probe does it now"
    if vitals.backed_up_at is not None and now - vitals.backed_up_at > OLD_BACKUP:
        yield f"the last backup was made {_ago(now - vitals.backed_up_at)}"


def _lines(vitals: Vitals, now: datetime) -> Iterator[str]:
    if vitals.polled_s is not None:
        yield f"Telegram last reached: {_ago(timedelta(seconds=vitals.polled_s))}"
    yield f"last message delivered: {_when(vitals.delivered_at, now)}"
    yield f"last answer of the model: {_when(vitals.answered_at, now)}"
    waiting = sum(work.count for work in vitals.memory.waiting)
    yield f"work that waits: {waiting}" if waiting else "no work waits"
    yield f"disk: {_gigabytes(vitals.free_bytes)}"
    yield vitals.examined or NEVER_EXAMINED
    yield f"last backup: {_when(vitals.backed_up_at, now)}"
    yield f"version {vitals.version}"


def _when(at: datetime | None, now: datetime) -> str:
    return "never yet" if at is None else _ago(now - at)


def _ago(passed: timedelta) -> str:
    return "just now" if passed < timedelta(minutes=1) else f"{age(passed)} ago"


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB free"
