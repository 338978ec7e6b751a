"""Spend: what one piece of work may cost, and what it did. A model and an embedder behind it ask before each call.

A call is estimated before it is made, and not made where it would cost more than is left; what it really cost is
counted after it, so the last call may go a little beyond. Where a price is not known, tokens are limited instead of
dollars. Nothing is written to any database here.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from bot.models.prices import TOKENS_FOR_A_DOLLAR, price_of
from memory.errors import CeilingReached, ModelFault, ModelSilent
from memory.messages import estimate_tokens
from memory.ports import (
    Clock,
    Embedder,
    Model,
    ModelReply,
    ModelRequest,
    OnText,
    Spent,
    Task,
    Usage,
    estimate_request_tokens,
)

EXPECTED_OUTPUT: Mapping[Task, int] = {"chat": 800, "extract": 500, "judge": 50, "entail": 50, "embed": 0}
"""Tokens of an answer with its thoughts, as reckoned with before it is there."""
EXPECTED_OUTPUT_ELSE = 400


class Purse:
    """The money for one piece of work. `allowance_usd` None: without a ceiling."""

    def __init__(self, allowance_usd: float | None, clock: Clock) -> None:
        self._allowance_usd = allowance_usd
        self._clock = clock
        self._usd = 0.0
        self._unpriced_tokens = 0
        self._spent: dict[Task, Spent] = {}

    def expected(self, task: Task, prompt_tokens: int) -> Usage:
        """Return what a call will use, as far as that can be told before it."""
        return expected_usage(task, prompt_tokens)

    def check(self, model: str, usage: Usage) -> None:
        """Raises: CeilingReached when a call that uses so much would cost more than is left."""
        if self._allowance_usd is None:
            return
        price = price_of(model, self._clock.now().date())
        if price is not None:
            is_over = self._usd + price.usd(usage) > self._allowance_usd
        else:
            is_over = self._unpriced_tokens + _all(usage) > self._allowance_usd * TOKENS_FOR_A_DOLLAR
        if is_over:
            raise CeilingReached(f"{self._allowance_usd:.2f} USD for this work are used up")

    def count(self, task: Task, model: str, usage: Usage) -> None:
        """Count a call that was made."""
        price = price_of(model, self._clock.now().date())
        usd = price.usd(usage) if price is not None else None
        if usd is None:
            self._unpriced_tokens += _all(usage)
        else:
            self._usd += usd
        before = self._spent.get(task, Spent())
        self._spent[task] = Spent(
            before.calls + 1,
            before.prompt_tokens + usage.prompt_tokens + usage.tool_tokens,
            before.output_tokens + usage.output_tokens + usage.thought_tokens,
            None if usd is None or before.usd is None else before.usd + usd,
        )

    def spent(self) -> Mapping[Task, Spent]:
        """Return what was counted until now, by task."""
        return dict(self._spent)


class SpendingModel:
    """A model that is paid from a purse. `utility_model` answers all tasks but `chat`."""

    def __init__(self, model: Model, purse: Purse, *, utility_model: str) -> None:
        self._model = model
        self._purse = purse
        self._utility_model = utility_model
        self.fault: ModelFault | None = None
        """Why the last request of a chat got no answer; None when it got one."""

    @property
    def name(self) -> str:
        return self._model.name

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Answer a request. Raises: CeilingReached before a call that is not covered; ModelFault."""
        try:
            reply = await self._paid(request, on_text)
        except ModelFault as fault:
            if request.task == "chat":
                self.fault = fault
            raise
        if request.task == "chat":
            self.fault = None
        return reply

    async def _paid(self, request: ModelRequest, on_text: OnText | None) -> ModelReply:
        model = self.name if request.task == "chat" else self._utility_model
        expected = self._purse.expected(request.task, estimate_request_tokens(request))
        self._purse.check(model, expected)
        try:
            reply = await self._model.generate(request, on_text=on_text)
        except ModelSilent:
            # It finished without a usable word, which is billed like any answer.
            self._purse.count(request.task, model, expected)
            raise
        except ModelFault:
            self._purse.count(request.task, model, Usage())
            raise
        self._purse.count(request.task, reply.model, reply.usage)
        return reply


class SpendingEmbedder:
    """An embedder that is paid from a purse. No service says how many tokens texts were, so these are estimates."""

    def __init__(self, embedder: Embedder, purse: Purse) -> None:
        self._embedder = embedder
        self._purse = purse

    @property
    def name(self) -> str:
        return self._embedder.name

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        """Return the vectors. Raises: CeilingReached before a call that is not covered; ModelFault."""
        expected = self._purse.expected("embed", sum(estimate_tokens(text) for text in texts))
        self._purse.check(self.name, expected)
        vectors = await self._embedder.embed(texts, task=task, timeout_s=timeout_s)
        self._purse.count("embed", self.name, expected)
        return vectors


def expected_usage(task: Task, prompt_tokens: int) -> Usage:
    """Return what a call will use, as far as that can be told before it."""
    return Usage(prompt_tokens, EXPECTED_OUTPUT.get(task, EXPECTED_OUTPUT_ELSE), is_estimate=True)


def _all(usage: Usage) -> int:
    return usage.prompt_tokens + usage.tool_tokens + usage.output_tokens + usage.thought_tokens
