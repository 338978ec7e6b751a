"""Sources: a fact that matches lifts the segments it was read from, however little of the query their own words hold.

A fact knows what its subject is called and what one would ask; the message that stated it may say neither. So scattered
messages are gathered by what was understood of them. Reads only.
"""

import json
from collections.abc import Sequence

from memory.recall.items import Scope
from memory.recall.rank import RankedFact, RankedSegment
from memory.store.database import Database, to_utc_text

LIFT = 0.5
"""What part of a fact's score its source gains."""

_FACTS = 5
"""How many of the best facts point at their sources."""

_READ = (
    "WITH told AS (SELECT id AS fact_id, message_id, quote FROM facts UNION ALL"
    " SELECT fact_id, message_id, quote FROM fact_sources WHERE withdrawn_at IS NULL)"
    " SELECT told.fact_id, s.id FROM told JOIN messages m ON m.id = told.message_id"
    " JOIN segments s ON s.message_id = m.id JOIN segment_terms t ON t.segment_id = s.id"
    " WHERE told.fact_id IN (SELECT value FROM json_each(:facts))"
    " AND instr(substr(m.text, s.start + 1, s.stop - s.start), told.quote) > 0"
    " AND m.at >= :since AND m.at < :until AND coalesce(m.role = :role, 1)"
)


async def lifted(
    database: Database, ranked: Sequence[RankedSegment], facts: Sequence[RankedFact], scope: Scope
) -> list[RankedSegment]:
    """Return the segments and the sources of the best facts within the scope, best first.

    A source holds of the query what its fact holds.
    """
    if not facts:
        return list(ranked)
    best = {fact.row["id"]: fact for fact in facts[:_FACTS]}
    rows = await database.fetch_all(
        _READ,
        {
            "facts": json.dumps(list(best)),
            "since": to_utc_text(scope.since) if scope.since else "",
            "until": to_utc_text(scope.until) if scope.until else "9999",
            "role": scope.role,
        },
    )
    found = {segment.id: segment for segment in ranked}
    for fact_id, segment_id in rows:
        fact, segment = best[fact_id], found.get(segment_id, RankedSegment(segment_id, 0.0, 0.0))
        found[segment_id] = RankedSegment(segment_id, segment.score + LIFT * fact.score, max(segment.share, fact.share))
    return sorted(found.values(), key=lambda segment: -segment.score)
