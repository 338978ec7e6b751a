"""Meter: stands between a space and the models; each call must fit under the ceiling, and is counted by task.

What a chat turn's calls cost is recorded by the turn itself, together with the message they brought; what brought none
is recorded here. A call that was broken off has cost something too: that is estimated, and recorded with the next call.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal

from bot.models.ceiling import Ceiling, share_of
from bot.models.spend import expected_usage
from memory.errors import ModelSilent
from memory.messages import estimate_tokens
from memory.ports import Embedder, Model, ModelReply, ModelRequest, OnText, Task, Usage, estimate_request_tokens
from memory.space import Space


class Metered:
    """A model whose calls are paid by the space they are made for. `utility_model` answers all tasks but `chat`."""

    def __init__(self, model: Model, space: Space, ceiling: Ceiling, *, utility_model: str | None = None) -> None:
        self._model = model
        self._space = space
        self._ceiling = ceiling
        self._utility_model = utility_model or model.name
        self._broken_off: list[tuple[Task, str, Usage]] = []

    @property
    def name(self) -> str:
        return self._model.name

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Answer a request. Raises: CeilingReached before a call that does not fit under the ceiling; ModelFault."""
        while self._broken_off:
            await self._record(*self._broken_off.pop())
        task = request.task
        model = self.name if task == "chat" else self._utility_model
        expected = expected_usage(task, estimate_request_tokens(request))
        async with self._ceiling.reserved(share_of(task), model, expected):
            try:
                reply = await self._model.generate(request, on_text=on_text)
            except asyncio.CancelledError:
                self._broken_off.append((task, model, expected))
                raise
            except ModelSilent:
                # It finished without a usable word, which is billed like any answer.
                await self._record(task, model, expected)
                raise
            if task != "chat":
                await self._record(task, reply.model, reply.usage)
        return reply

    async def _record(self, task: Task, model: str, usage: Usage) -> None:
        async with self._space.db.transaction():
            await self._space.sessions.record_usage(usage, task=task, model=model, turn_id=None)


class MeteredEmbedder:
    """An embedder whose texts are paid and counted. No service says how many tokens they were, so these are estimates.

    Counting must not cost a commit while a member waits: what queries cost is recorded with the next vectors made.
    """

    def __init__(self, embedder: Embedder, *, daily_usd: float | None = None) -> None:
        self._embedder = embedder
        self._daily_usd = daily_usd
        self._space: Space | None = None
        self._ceiling: Ceiling | None = None
        self._tokens = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        """Return the vectors. Raises: CeilingReached before a call that does not fit under the ceiling; ModelFault.

        A query belongs to the chat, vectors of documents are background work.
        """
        if self._ceiling is None:
            return await self._embedder.embed(texts, task=task, timeout_s=timeout_s)
        expected = expected_usage("embed", sum(estimate_tokens(text) for text in texts))
        async with self._ceiling.reserved("chat" if task == "query" else "background", self.name, expected):
            vectors = await self._embedder.embed(texts, task=task, timeout_s=timeout_s)
            self._tokens += expected.prompt_tokens
            if task == "document":
                await self._record()
        return vectors

    def count_in(self, space: Space) -> None:
        """Name the space whose texts these are; it is opened with its embedder, so it cannot be known before."""
        self._space = space
        self._ceiling = Ceiling(space, self._daily_usd)

    async def _record(self) -> None:
        if self._space is None or self._space.db.is_read_only:
            return
        usage, self._tokens = Usage(prompt_tokens=self._tokens, is_estimate=True), 0
        async with self._space.db.transaction():
            await self._space.sessions.record_usage(usage, task="embed", model=self.name, turn_id=None)
