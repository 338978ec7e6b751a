"""What a write to the ledger costs, in a small one and in a large one, in turn; beside it one bare insert."""

import time
from pathlib import Path

from bench.corpus import START, budget
from bench.house import MovingClock, house
from bench.measure import Figure, bare_ms, median
from bot.models.reader import OfflineReader
from memory.messages import Message, text_message
from memory.space import Space

SMALL, LARGE = 10, 10_000
ROUNDS = 150
BATCH = 500


async def write_cost(home: Path) -> list[Figure]:
    """Measure a fact's entering and its replacement in a small and a large ledger, in turn, and a bare insert."""
    async with (
        house(home / "small", OfflineReader(), MovingClock(START)) as small,
        house(home / "large", OfflineReader(), MovingClock(START)) as large,
    ):
        for space, count in ((small.space, SMALL), (large.space, LARGE)):
            await _fill(space, count)
        cpu: dict[str, list[float]] = {"add": [], "add large": [], "replace": [], "replace large": [], "bare": []}
        for number in range(ROUNDS):
            for space, size in ((small.space, ""), (large.space, " large")):
                first = await _two_messages(space)
                cpu[f"add{size}"].append(await _write_ms(space, LARGE + number, first, 8))
                cpu[f"replace{size}"].append(await _write_ms(space, LARGE + number, first + 1, 9))
            cpu["bare"].append(await bare_ms(large.space, number))
    bare = median(cpu["bare"])
    return [figure for name in ("add", "replace") for figure in _cost(name, cpu, bare)]


def _cost(name: str, cpu: dict[str, list[float]], bare: float) -> list[Figure]:
    large = median(cpu[f"{name} large"])
    ratio = large / median(cpu[name])
    return [
        Figure(f"CPU to {name} a fact, {LARGE:,} : {SMALL} facts", ratio, "", "≤ 1.2", ratio <= 1.2),
        Figure(f"CPU to {name} a fact in {LARGE:,}", large, "ms", "reported", True, bare, "one insert and commit"),
    ]


async def _fill(space: Space, size: int) -> None:
    message_id = await _two_messages(space)
    for start in range(0, size, BATCH):
        async with space.db.transaction():
            for number in range(start, min(start + BATCH, size)):
                await space.facts.add(budget(number, message_id=message_id))


async def _two_messages(space: Space) -> int:
    """Store two messages, the first of which has the id that is returned and the second the next."""
    async with space.db.transaction():
        first = await space.sessions.append(_message(space), session_id=None)
        await space.sessions.append(_message(space), session_id=None)
    assert first.id is not None
    return first.id


def _message(space: Space) -> Message:
    at = space.clock.now()
    return text_message("user", "The budget of a project.", at, source=f"bench:{at.isoformat()}")


async def _write_ms(space: Space, number: int, message_id: int, factor: int) -> float:
    statement = budget(number, message_id=message_id, factor=factor, since=space.clock.now())
    before = time.process_time()
    async with space.db.transaction():
        await space.facts.add(statement)
    return (time.process_time() - before) * 1000
