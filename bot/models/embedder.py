"""Gemini's embedder behind the port `Embedder`: batches, retries and checks what comes back.

The wire is `gemini.py`'s. A vector is cut to a size that keeps nearly all of its worth (the model is trained so that
its first numbers matter most) and a space's file small.
"""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from bot.models.failures import Failure, fault_of
from bot.models.gemini import GeminiModel
from bot.models.retry import wait_before_retry
from memory.ports import Clock

MODEL = "gemini-embedding-001"
SIZE = 384
BATCH = 100
"""Texts the service takes in one request."""

_log = logging.getLogger(__name__)


class GeminiEmbedder:
    """Implements `Embedder` over an open `GeminiModel`, which somebody else closes."""

    def __init__(self, gemini: GeminiModel, clock: Clock) -> None:
        self._gemini = gemini
        self._clock = clock

    @property
    def name(self) -> str:
        return f"{MODEL}:{SIZE}"

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        ends = self._clock.now() + timedelta(seconds=timeout_s)
        deadline = asyncio.timeout(timeout_s)
        try:
            async with deadline:
                made: list[list[float]] = []
                for start in range(0, len(texts), BATCH):
                    made += await self._ask(texts[start : start + BATCH], task, ends)
                return made
        except TimeoutError:
            if not deadline.expired():
                raise
        raise fault_of([Failure("unreachable", f"no vectors within {timeout_s:g} s")])

    async def _ask(self, texts: Sequence[str], task: Literal["query", "document"], ends: datetime) -> list[list[float]]:
        failures: list[Failure] = []
        while True:
            left_s = (ends - self._clock.now()).total_seconds()
            outcome = await self._gemini.vectors(texts, model=MODEL, task=task, size=SIZE, timeout_s=left_s)
            outcome = _checked(outcome, len(texts))
            if not isinstance(outcome, Failure):
                return outcome
            failures.append(outcome)
            _log.info("%s gave no vectors: %s %s", MODEL, outcome.kind, outcome.detail)
            wait_s = wait_before_retry(failures, (ends - self._clock.now()).total_seconds())
            if wait_s is None:
                raise fault_of(failures)
            await self._clock.sleep(wait_s)


def _checked(outcome: list[list[float]] | Failure, count: int) -> list[list[float]] | Failure:
    if isinstance(outcome, Failure):
        return outcome
    if len(outcome) != count or any(len(vector) != SIZE for vector in outcome):
        return Failure("garbled", f"{len(outcome)} vectors for {count} texts, or not of {SIZE} numbers")
    return outcome
