"""StandIn: behind a model stands one that always answers, for when the first cannot answer at all.

It is for the turns of a chat alone: what reads facts and what examines a memory must wait for the model itself.
"""

from dataclasses import replace

from memory.errors import ModelBusy, ModelMisconfigured, ModelQuotaSpent
from memory.ports import Model, ModelReply, ModelRequest, OnText


class StandIn:
    """Implements `Model`: `model` answers; where it is out of reach, out of money or set up wrongly, `other` does."""

    def __init__(self, model: Model, other: Model) -> None:
        self._model = model
        self._other = other

    @property
    def name(self) -> str:
        return self._model.name

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Answer a request; `ModelReply.fault` says why the model did not. Raises: ModelFault."""
        try:
            return await self._model.generate(request, on_text=on_text)
        except (ModelBusy, ModelQuotaSpent, ModelMisconfigured) as fault:
            # Not streamed: nobody should read a word of it before the line that says whose words these are. Without
            # tools, so that this step is the last: the next one would wait for the model once more.
            return replace(await self._other.generate(replace(request, tools_enabled=False)), fault=fault)
