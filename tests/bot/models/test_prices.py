from datetime import date

import pytest

from bot.models.embedder import MODEL as EMBEDDER
from bot.models.local_embedder import NAME as LOCAL
from bot.models.prices import AS_OF, FREE, PRICES, price_of
from bot.models.reader.offline import NAME as OFFLINE
from bot.settings import Settings
from memory.ports import Usage


def test_every_model_of_the_defaults_has_a_price() -> None:
    settings = Settings.model_validate({})

    names = (settings.gemini_model, settings.gemini_utility_model, f"{EMBEDDER}:384")

    assert [name for name in names if price_of(name, AS_OF) in (None, FREE)] == []


@pytest.mark.parametrize("name", [OFFLINE, f"{LOCAL}:384"])
def test_what_runs_here_costs_nothing(name: str) -> None:
    assert price_of(name, AS_OF) == FREE


@pytest.mark.parametrize("name", ["gemini-4-argon", "gemini-3.8-flash-something", ""])
def test_nothing_is_guessed_for_a_model_that_is_not_listed(name: str) -> None:
    assert price_of(name, AS_OF) is None


def test_a_price_that_changes_is_the_one_of_the_day() -> None:
    last, first = (
        price_of("gemini-3.8-flash", date(2026, 12, 31)),
        price_of("models/gemini-3.8-flash", date(2027, 1, 1)),
    )

    assert last is not None
    assert first is not None
    assert (last.prompt, first.prompt) == (0.75, 1.50)


def test_prices_of_a_model_stand_in_the_order_of_their_days() -> None:
    assert [name for name, prices in PRICES.items() if list(prices) != sorted(prices, key=lambda p: p.since)] == []


def test_cached_tokens_are_part_of_the_prompt_and_thoughts_are_paid_as_output() -> None:
    price = price_of("gemini-3.8-flash", date(2027, 1, 1))
    usage = Usage(
        prompt_tokens=1_000_000, cached_tokens=400_000, output_tokens=10_000, thought_tokens=90_000, tool_tokens=200_000
    )

    assert price is not None
    assert price.usd(usage) == pytest.approx(0.8 * 1.50 + 0.4 * 0.15 + 0.1 * 7.50)
