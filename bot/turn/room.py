"""Room: keeps the requests of a turn under the size at which a space is compacted, before each call of the model.

At most one compaction a turn, done at once as a job of the space (so that it is told, cools down and survives a crash
like any other). What is then still too large, because the turn itself holds long results, loses those from view.
"""

from datetime import timedelta

from bot.turn.worker import Worker
from memory.compaction.compactor import Compactor
from memory.compaction.load import PromptLoad
from memory.space import Space
from memory.store.jobs import COMPACT
from memory.store.sessions import Turn

LEASE = timedelta(minutes=5)
"""Longer than a compaction takes: until then the job is this turn's own."""


class Room:
    """Makes room in the prompts of one space."""

    def __init__(self, space: Space, compactor: Compactor, worker: Worker, *, threshold_tokens: int) -> None:
        self._space = space
        self._compactor = compactor
        self._worker = worker
        self._load = PromptLoad(space.db)
        self._threshold_tokens = threshold_tokens

    async def is_lacking(self, estimated_tokens: int) -> bool:
        """Tell whether a request of this estimated size is over the threshold."""
        return await self._load.exceeds(estimated_tokens, self._threshold_tokens)

    async def make(self, turn: Turn) -> bool:
        """Make room for a turn; False when nothing could leave the prompt."""
        return await self._compact(turn, {}) or await self._set_aside(turn)

    async def make_at_once(self, turn: Turn) -> bool:
        """The same after the provider refused the prompt as too long: small windows leave too, and nothing waits."""
        return await self._compact(turn, {"urgent": 1}) or await self._set_aside(turn)

    async def _compact(self, turn: Turn, more: dict[str, int]) -> bool:
        before = await self._space.handoffs.last_covered(turn.session_id)
        key = ":".join([COMPACT, f"t{turn.id}", *more])
        async with self._space.db.transaction():
            job = await self._space.jobs.begin(
                COMPACT, key, {"session": turn.session_id, **more}, until=self._space.clock.now() + LEASE
            )
        if job is not None:
            await self._worker.do(job)
        return await self._space.handoffs.last_covered(turn.session_id) > before

    async def _set_aside(self, turn: Turn) -> bool:
        return await self._compactor.set_aside(turn.session_id) > 0
