"""What becomes of approvals when something is forgotten: those that come of it, or hold its words, go. Reads only.

A call is run exactly as it was shown, so none is kept with other words: what waits can then not be approved any more.
"""

from memory.forget.change import Change
from memory.forget.lineage import Lineage
from memory.space import Space


async def approval_changes(space: Space, covered: Lineage) -> list[Change]:
    """Return the changes of approvals, whatever their state, and of calls that may have happened."""
    return [
        Change("approvals", table, row["id"], {})
        for table in ("approvals", "calls_in_doubt")
        for row in await space.db.fetch_all(f"SELECT id, turn_id, args FROM {table}")
        if row["turn_id"] in covered.turns or covered.wording.wide.mask_json(row["args"]) != row["args"]
    ]
