"""Meter: stands between a space and the model and counts what background work costs.

What a chat turn's calls cost is recorded by the turn itself, together with the message they brought.
"""

from memory.ports import Model, ModelReply, ModelRequest, OnText
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
