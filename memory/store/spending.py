"""What the calls of a space came to: the rows of usage and of examinations, added up. Counts and times, no text.

Nothing here knows a price: what tokens cost is the business of whoever pays for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memory.ports import Task, Usage
from memory.store.database import Database, Row, to_utc_text
from memory.store.probe_runs import NO_ROOM


@dataclass(frozen=True)
class Used:
    """What the calls of one task to one model came to on one day (UTC), added up.

    `usage.is_estimate` when tokens of one of them at least were not counted by the provider.
    """

    task: Task
    model: str
    day: date
    calls: int
    usage: Usage


@dataclass(frozen=True)
class Examined:
    """What the examinations since a moment came to. `usd` is what is known of it.

    `unsettled` counts those whose cost nobody knows: they are under way, or broke off once they had begun.
    """

    runs: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced_tokens: int = 0
    unsettled: int = 0


_ADDED_UP = (
    "SELECT task, model, substr(at, 1, 10) AS day, count(*) AS calls, sum(prompt_tokens) AS prompt_tokens,"
    " sum(output_tokens) AS output_tokens, sum(thought_tokens) AS thought_tokens, sum(cached_tokens) AS cached_tokens,"
    " sum(tool_tokens) AS tool_tokens, max(is_estimate) AS is_estimate FROM usage WHERE {} GROUP BY task, model, day"
    " ORDER BY min(id)"
)


async def used_since(database: Database, moment: datetime) -> Sequence[Used]:
    """Return what calls came to since a moment, those of a clock that went ahead included."""
    return [_used(row) for row in await database.fetch_all(_ADDED_UP.format("at >= ?"), (to_utc_text(moment),))]


async def used_by_turn(database: Database, turn_id: int) -> Sequence[Used]:
    """Return what the calls of one turn came to until now."""
    return [_used(row) for row in await database.fetch_all(_ADDED_UP.format("turn_id = ?"), (turn_id,))]


async def examined_since(database: Database, moment: datetime) -> Examined:
    """Return what the examinations that began since a moment came to."""
    row = await database.fetch_one(
        "SELECT count(*) AS runs, coalesce(sum(usd), 0.0) AS usd,"
        " count(*) FILTER (WHERE state <> 'done' AND error IS NOT ?2) AS unsettled,"
        " coalesce(sum(json_extract(body, '$.prompt_tokens')), 0) AS prompt_tokens,"
        " coalesce(sum(json_extract(body, '$.output_tokens')), 0) AS output_tokens,"
        " coalesce(sum(json_extract(body, '$.prompt_tokens') + json_extract(body, '$.output_tokens'))"
        " FILTER (WHERE usd IS NULL), 0) AS unpriced_tokens FROM probe_runs WHERE started_at >= ?1",
        (to_utc_text(moment), NO_ROOM),
    )
    assert row is not None
    return Examined(**dict(row))


def _used(row: Row) -> Used:
    usage = Usage(
        prompt_tokens=row["prompt_tokens"],
        output_tokens=row["output_tokens"],
        thought_tokens=row["thought_tokens"],
        cached_tokens=row["cached_tokens"],
        tool_tokens=row["tool_tokens"],
        is_estimate=bool(row["is_estimate"]),
    )
    return Used(row["task"], row["model"], date.fromisoformat(row["day"]), row["calls"], usage)
