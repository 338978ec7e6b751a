"""How large a prompt is, as the provider would count it, and how much of it can never leave.

Our own estimate (UTF-8 bytes, so that scripts of two and three bytes a letter count for more) is multiplied by what the
newest calls showed it to be worth in this space. Both numbers stand in the rows of usage, so a restart changes nothing.
Reads only.
"""

from collections.abc import Sequence

from memory.compaction.handoff import HandoffView
from memory.messages import Message, estimate_message_tokens
from memory.store.database import Database

SAMPLE = 20
"""So many of the newest counted calls are compared."""
SAMPLE_ROWS = 400
"""How far back they are looked for: background calls stand between them."""
MIN_FACTOR, MAX_FACTOR = 0.4, 2.5


class PromptLoad:
    """Measures prompts of one space."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def factor(self) -> float:
        """Return by what our estimates of prompts must be multiplied; 1 until a provider has counted one."""
        row = await self._db.fetch_one(
            "SELECT sum(prompt_tokens), sum(estimated_prompt_tokens) FROM (SELECT prompt_tokens,"
            " estimated_prompt_tokens FROM usage WHERE id > (SELECT coalesce(max(id), 0) FROM usage) - ?"
            " AND is_estimate = 0 AND estimated_prompt_tokens > 0 ORDER BY id DESC LIMIT ?)",
            (SAMPLE_ROWS, SAMPLE),
        )
        if row is None or not row[0] or not row[1]:
            return 1.0
        return min(MAX_FACTOR, max(MIN_FACTOR, int(row[0]) / int(row[1])))

    async def exceeds(self, estimated_tokens: int, threshold_tokens: int) -> bool:
        """Tell whether a prompt of this estimated size is over the threshold."""
        if estimated_tokens * MAX_FACTOR <= threshold_tokens:
            return False
        return estimated_tokens * await self.factor() > threshold_tokens

    async def irreducible(self, session_id: int, kept: Sequence[Message], handoffs: Sequence[HandoffView]) -> int:
        """Return the estimated tokens that compaction can never take away.

        System text, tools and memory block as the session's last prompt had them, the messages that stay, and the
        newest handoff (older ones fold away).
        """
        row = await self._db.fetch_one(
            "SELECT coalesce(sum(tokens), 0) FROM traces WHERE layer NOT IN ('tail', 'handoff')"
            " AND turn_id = (SELECT max(turn_id) FROM traces JOIN turns ON turns.id = turn_id WHERE session_id = ?)",
            (session_id,),
        )
        fixed = int(row[0]) if row else 0
        return fixed + estimate_message_tokens(kept) + sum(view.tokens for view in handoffs[-1:])
