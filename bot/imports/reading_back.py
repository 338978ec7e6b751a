"""Reading back: what the facts of imported messages would cost to read, and reading them one after another.

Each message is a job of its space, so what the day's money does not reach is left to the next run, or to the server,
which goes on by itself. The jobs stand in the order in which the messages were said.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from bot.models.ceiling import cost
from bot.models.spend import expected_usage
from bot.turn.worker import Worker
from memory.errors import CeilingReached, ModelBusy, ModelMisconfigured, ModelQuotaSpent
from memory.ledger.reading import SCHEMA, SYSTEM
from memory.messages import estimate_tokens
from memory.space import Space
from memory.store.jobs import IMPORTED, LATER

OnRead = Callable[[int], None]

AROUND_TOKENS = 400
"""What goes with a message besides the instruction: the facts near it, and what was said before."""
_STOPS = {one.__name__: one for one in (CeilingReached, ModelBusy, ModelMisconfigured, ModelQuotaSpent)}


@dataclass(frozen=True)
class Estimate:
    """What reading would cost. `usd` rests on an assumed price where `is_known` is False."""

    messages: int
    tokens: int
    usd: float
    is_known: bool


@dataclass(frozen=True)
class ReadBack:
    """What was read. `facts` is how many more hold now; `left` messages wait; `stopped_by`: why, None at the end."""

    read: int
    facts: int
    left: int
    stopped_by: type[Exception] | None = None


async def unread(space: Space, message_ids: Sequence[int]) -> list[int]:
    """Return those of the messages that were never queued for reading, in the order in which they were said."""
    rows = await space.db.fetch_all(
        "SELECT m.id FROM json_each(?1) wanted JOIN messages m ON m.id = wanted.value"
        " WHERE m.text <> '' AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.key = ?2 || m.id) ORDER BY m.at, m.id",
        (json.dumps(list(message_ids)), f"{IMPORTED}:"),
    )
    return [int(row["id"]) for row in rows]


async def estimate(space: Space, message_ids: Sequence[int], *, model: str, on: date) -> Estimate:
    """Return what reading these messages, and those that wait already, would cost with a model on a day."""
    rows = await space.db.fetch_all(
        "SELECT length(CAST(m.text AS BLOB)) AS size FROM messages m WHERE m.id IN (SELECT value FROM json_each(?1)"
        " UNION SELECT payload ->> 'message' FROM jobs WHERE state = 'ready' AND kind = ?2)",
        (json.dumps(list(message_ids)), IMPORTED),
    )
    fixed = estimate_tokens(SYSTEM) + estimate_tokens(json.dumps(SCHEMA)) + AROUND_TOKENS
    total = Estimate(0, 0, 0.0, is_known=True)
    for row in rows:
        usage = expected_usage("extract", fixed + -(-row["size"] // 4))
        usd, is_known = cost(model, usage, on)
        tokens = usage.prompt_tokens + usage.output_tokens
        total = Estimate(total.messages + 1, total.tokens + tokens, total.usd + usd, total.is_known and is_known)
    return total


async def queue(space: Space, message_ids: Sequence[int]) -> None:
    """Queue the reading of messages, in this order, each once."""
    async with space.db.transaction():
        for number in message_ids:
            await space.jobs.add(IMPORTED, f"{IMPORTED}:{number}", {"message": number}, priority=LATER)


async def read_back(space: Space, worker: Worker, on_read: OnRead) -> ReadBack:
    """Read what waits until nothing does, or the model cannot go on."""
    async with space.db.transaction():
        await space.jobs.hurry(IMPORTED)
    before, read = await _facts(space), 0
    stopped_by: type[Exception] | None = None
    while stopped_by is None and (job := await space.jobs.next_of(IMPORTED)) is not None:
        await worker.do(job)
        stopped_by = _STOPS.get(await space.jobs.waiting_error(job.id) or "")
        read += stopped_by is None
        on_read(read)
    left = await space.jobs.count_waiting(IMPORTED)
    return ReadBack(read, await _facts(space) - before, left, stopped_by)


async def _facts(space: Space) -> int:
    row = await space.db.fetch_one("SELECT count(*) FROM facts WHERE status = 'active'")
    return int(row[0]) if row else 0
