"""An embedder at the port: near texts are near, and it can be told to fail, to hang or to give odd vectors."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from memory.errors import ModelFault, ModelRefused
from tests.fakes.gemini_vectors import vector_of


class FakeEmbedder:
    """Keeps what it was asked (`asked`); `meanwhile` happens, once, before the next answer."""

    def __init__(self, name: str = "fake:96", size: int = 96) -> None:
        self.name = name
        self.size = size
        self.asked: list[tuple[str, list[str]]] = []
        self.fault: ModelFault | None = None
        self.refused: set[str] = set()
        """A text with one of these words in it is refused, and the batch with it."""
        self.hangs = False
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    @property
    def documents(self) -> list[str]:
        return [text for task, texts in self.asked if task == "document" for text in texts]

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        self.asked.append((task, list(texts)))
        happens, self.meanwhile = self.meanwhile, None
        if happens is not None:
            await happens()
        if self.hangs:
            await asyncio.Event().wait()
        if self.fault is not None:
            raise self.fault
        if any(word in text for word in self.refused for text in texts):
            raise ModelRefused("HTTP 400")
        return [[3.0 * number for number in vector_of(text, self.size)] for text in texts]
