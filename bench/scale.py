"""`bench scale`: recall, storing and opening at ten thousand messages, a hundred thousand and (`--full`) a million.

Made-up talk with the same needles in it at every size: sentences of words that all occur elsewhere too, each asked for
by three of its words. CPU time of the process, wall time for opening; what is compared are ratios. The alternative to
storing is a bare insert with its commit.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import track

from bench.corpus import SEED, sentences, talk
from bench.measure import Figure, bare_ms, interval, median, percentile, report
from bot.clock import SystemClock
from memory.messages import Message, TextPart
from memory.space import Space

SIZES = {10_000: 10.0, 100_000: 40.0, 1_000_000: 400.0}
"""Messages → the goal for recall, CPU p95 in ms."""

RESIDENT_AT, RESIDENT_MB = 100_000, 150
DISK_BYTES = 1.2 * 1024
NEEDLES = 100
STORED = 200
_BATCH = 1000
_LONG_WORD = 6


@dataclass(frozen=True)
class Needle:
    text: str
    query: str


@dataclass(frozen=True)
class Size:
    """What was measured at one size."""

    messages: int
    recall_ms: Sequence[float]
    found: Sequence[bool]
    store_ms: Sequence[float]
    bare_ms: Sequence[float]
    open_s: float
    bytes_each: float
    resident_mb: float


async def run(*, as_json: bool, full: bool) -> int:
    """Measure and print; returns 1 when a goal is missed."""
    sizes = [size for size in SIZES if full or size < max(SIZES)]
    needles = _needles()
    measured = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measured.append(await _measure(Path(folder) / "bench", size, needles))
    figures = [figure for size in measured for figure in _figures(size)] + _ratios(measured[0], measured[-1])
    about: dict[str, str | int] = {"seed": SEED, "needles": NEEDLES, "sizes": ", ".join(f"{size:,}" for size in sizes)}
    report("scale", figures, about, as_json=as_json)
    return 0 if all(figure.is_met for figure in figures) else 1


def _needles() -> list[Needle]:
    """Return sentences and what asks for them: half of their telling words, in another order."""
    dice = random.Random(SEED)
    found = []
    for sentence in sentences(SEED + 7):
        words = [word for word in sentence.rstrip(".?").split() if len(word) >= _LONG_WORD]
        if len(set(words)) >= 5:
            found.append(Needle(sentence, f"What about {' '.join(dice.sample(sorted(set(words)), 3))}?"))
        if len(found) == NEEDLES:
            break
    return found


async def _measure(folder: Path, size: int, needles: Sequence[Needle]) -> Size:
    space = await _open(folder)
    await _fill(space, size, needles)
    await space.close()
    began = time.perf_counter()
    space = await _open(folder)
    open_s = time.perf_counter() - began
    bytes_each = (folder / "memory.db").stat().st_size / size
    recall_ms, found = await _ask(space, needles)
    resident_mb = await _resident_mb(folder, needles)
    store_ms, bare = await _store(space)
    await space.close()
    return Size(size, recall_ms, found, store_ms, bare, open_s, bytes_each, resident_mb)


async def _open(folder: Path) -> Space:
    return await Space.open(folder, default_zone=ZoneInfo("UTC"), clock=SystemClock(), backups=folder.parent)


async def _fill(space: Space, size: int, needles: Sequence[Needle]) -> None:
    messages = _with_needles(size, needles)
    steps = range(-(-size // _BATCH))
    for _ in track(steps, f"filling {size:,}", console=Console(stderr=True), transient=True):
        async with space.db.transaction():
            for message in islice(messages, _BATCH):
                await space.segments.store(await space.sessions.append(message, session_id=None))


def _with_needles(size: int, needles: Sequence[Needle]) -> Iterator[Message]:
    """Yield the talk with the needles in place of some messages, evenly spread."""
    places = {(2 * n + 1) * size // (2 * len(needles)): needle for n, needle in enumerate(needles)}
    for place, message in enumerate(talk(size)):
        needle = places.get(place)
        yield message.model_copy(update={"parts": (TextPart(text=needle.text),)}) if needle else message


async def _ask(space: Space, needles: Sequence[Needle]) -> tuple[list[float], list[bool]]:
    times, found = [], []
    for needle in needles:
        before = time.process_time()
        items = (await space.recall.search(needle.query, k=10)).items
        times.append((time.process_time() - before) * 1000)
        found.append(needle.text in [item.text for item in items])
    return times, found


async def _store(space: Space) -> tuple[list[float], list[float]]:
    times, bare = [], []
    for number, message in enumerate(talk(STORED, SEED + 9)):
        named = message.model_copy(update={"source": f"late:{number}"})
        before = time.process_time()
        async with space.db.transaction():
            await space.segments.store(await space.sessions.append(named, session_id=None))
        times.append((time.process_time() - before) * 1000)
        bare.append(await bare_ms(space, number))
    return times, bare


async def _resident_mb(folder: Path, needles: Sequence[Needle]) -> float:
    queries = [needle.query for needle in needles[:20]]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.resident", str(folder), *queries, stdout=asyncio.subprocess.PIPE
    )
    written, _ = await child.communicate()
    return float(written)


def _figures(size: Size) -> list[Figure]:
    at = f"{size.messages:,}: "
    p95, goal = percentile(size.recall_ms, 95), SIZES[size.messages]
    store, bare = percentile(size.store_ms, 95), percentile(size.bare_ms, 95)
    found = 100 * sum(size.found) / len(size.found)
    bounds = interval(sum(size.found), len(size.found))
    figures = [
        Figure(f"{at}recall, CPU median", median(size.recall_ms), "ms", "", True),
        Figure(f"{at}recall, CPU p95", p95, "ms", f"≤ {goal:.0f}", p95 <= goal),
        Figure(f"{at}needles any@10", found, "%", "", True, None, "", *bounds),
        Figure(f"{at}store one, CPU p95", store, "ms", "≤ 3 × bare", store <= 3 * bare, bare, "bare insert + commit"),
        Figure(f"{at}open, wall", size.open_s, "s", "≤ 1.5", size.open_s <= 1.5),
        Figure(f"{at}disk a message", size.bytes_each / 1024, "KB", "≤ 1.2", size.bytes_each <= DISK_BYTES),
    ]
    if size.messages == RESIDENT_AT:
        is_met = size.resident_mb <= RESIDENT_MB
        figures.append(Figure(f"{at}memory of the process", size.resident_mb, "MB", f"≤ {RESIDENT_MB}", is_met))
    return figures


def _ratios(first: Size, last: Size) -> list[Figure]:
    store = percentile(last.store_ms, 95) / percentile(first.store_ms, 95)
    opened = last.open_s / first.open_s
    lost = 100 * (sum(first.found) - sum(last.found)) / NEEDLES
    return [
        Figure("needles lost, last to first size", lost, "points", "≤ 3", lost <= 3),
        Figure("store one, last : first size", store, "", "≤ 1.5", store <= 1.5),
        Figure("open, last : first size", opened, "", "≤ 2", opened <= 2),
    ]
