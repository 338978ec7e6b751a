"""Meter: stands between a space and the models and counts what background work costs.

What a chat turn's calls cost is recorded by the turn itself, together with the message they brought.
"""

from collections.abc import Sequence
from typing import Literal

from memory.messages import estimate_tokens
from memory.ports import Embedder, Model, ModelReply, ModelRequest, OnText, Usage
from memory.space import Space


class Metered:
    """A model whose background calls are counted in the space they are made for."""

    def __init__(self, model: Model, space: Space) -> None:
        self._model = model
        self._space = space

    @property
    def name(self) -> str:
        return self._model.name

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        reply = await self._model.generate(request, on_text=on_text)
        if request.task != "chat":
            async with self._space.db.transaction():
                await self._space.sessions.record_usage(reply.usage, task=request.task, model=reply.model, turn_id=None)
        return reply


class MeteredEmbedder:
    """An embedder whose texts are counted. No service says how many tokens they were, so these are estimates.

    Counting must not cost a commit while a member waits: what queries cost is recorded with the next vectors made.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._space: Space | None = None
        self._tokens = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        vectors = await self._embedder.embed(texts, task=task, timeout_s=timeout_s)
        self._tokens += sum(estimate_tokens(text) for text in texts)
        if task == "document" and self._space is not None:
            await self._record(self._space)
        return vectors

    def count_in(self, space: Space) -> None:
        """Name the space whose texts these are; it is opened with its embedder, so it cannot be known before."""
        self._space = space

    async def _record(self, space: Space) -> None:
        usage, self._tokens = Usage(prompt_tokens=self._tokens, is_estimate=True), 0
        async with space.db.transaction():
            await space.sessions.record_usage(usage, task="embed", model=self.name, turn_id=None)
