"""What a call costs: the public prices of the models, in US dollars for a million tokens, as of `AS_OF`.

Standard tier, text, prompts up to 200,000 tokens; what a provider gives for free is not reckoned with. A model that is
not listed has no known price; where a ceiling must hold all the same, its tokens are limited by `ASSUMED`. What runs on
this machine costs nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bot.models import local_embedder
from bot.models.reader import offline
from memory.ports import Usage

AS_OF = date(2026, 10, 7)
"""When the table was taken from https://ai.google.dev/gemini-api/docs/pricing."""
MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens of each kind. `output` covers thoughts too."""

    prompt: float
    cached: float
    output: float
    since: date = date.min

    def usd(self, usage: Usage) -> float:
        """Return what tokens cost together. Cached ones are counted among the prompt's."""
        fresh = max(usage.prompt_tokens - usage.cached_tokens, 0) + usage.tool_tokens
        said = usage.output_tokens + usage.thought_tokens
        return (fresh * self.prompt + usage.cached_tokens * self.cached + said * self.output) / MILLION


FREE = Price(0.0, 0.0, 0.0)
TOKENS_FOR_A_DOLLAR = 250_000
"""What a dollar is taken to buy of a model whose price is not known."""
_ASSUMED = MILLION / TOKENS_FOR_A_DOLLAR
ASSUMED = Price(_ASSUMED, _ASSUMED, _ASSUMED)
_FLASH_3_6 = Price(1.50, 0.15, 7.50)
_FLASH_3_8 = (Price(0.75, 0.075, 3.75), Price(1.50, 0.15, 7.50, since=date(2027, 1, 1)))

PRICES: Mapping[str, Sequence[Price]] = {
    "gemini-3.8-flash": _FLASH_3_8,
    "gemini-3.7-flash": _FLASH_3_8,  # answered by 3.8
    "gemini-3.6-flash": (_FLASH_3_6,),
    "gemini-3.5-flash": (Price(1.50, 0.15, 9.00),),
    "gemini-3.5-flash-lite": (Price(0.30, 0.03, 2.50),),
    "gemini-3.1-flash-lite": (Price(0.25, 0.025, 1.50),),
    "gemini-3.1-pro-preview": (Price(2.00, 0.20, 12.00),),
    "gemini-3-flash-preview": (Price(0.50, 0.05, 3.00),),
    "gemini-2.5-pro": (Price(1.25, 0.125, 10.00),),
    "gemini-2.5-flash": (Price(0.30, 0.03, 2.50),),
    "gemini-2.5-flash-lite": (Price(0.10, 0.01, 0.40),),
    "gemini-embedding-001": (Price(0.15, 0.15, 0.0),),
    "gemini-embedding-2": (Price(0.20, 0.20, 0.0),),
    offline.NAME: (FREE,),
    local_embedder.NAME: (FREE,),
}
"""By the model's name, the oldest price first."""


def price_of(model: str, on: date) -> Price | None:
    """Return what a model costs on a day; None where that is not known. An embedder's name may carry its size."""
    prices = PRICES.get(model.removeprefix("models/").split(":")[0], ())
    return next((price for price in reversed(prices) if price.since <= on), None)


def shown_usd(usd: float) -> str:
    """Return an amount as a person reads it, small ones to a tenth of a cent."""
    if 0 < usd < 0.001:
        return "<$0.001"
    return f"${usd:.3f}" if 0 < usd < 0.095 else f"${usd:,.2f}"
