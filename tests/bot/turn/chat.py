"""A chat over a home of its own without any screen, as the probe leads it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.models.spend import Purse, SpendingModel
from bot.turn.agent import Limits
from bot.turn.assistant import ChatAssistant
from bot.turn.prompt import Ceilings
from bot.wiring import make_assistant
from memory.ports import Clock, Embedder, Model
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones
from tests.bot.turn.house import HOURS, ZONE
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

QUERY_WAIT_S = 17.0
"""How long a memory waits for the vector of a question."""


@asynccontextmanager
async def chat_over(
    home: Path,
    model: Model,
    *,
    allowance_usd: float | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
) -> AsyncIterator[tuple[Space, ChatAssistant]]:
    """Open space 1 under `home`, and lead a chat with a model whose calls are paid from the allowance."""
    clock = clock or FakeClock()
    await lay_blank(home / "bot.db", "bot")
    await lay_blank(home / "spaces" / "1" / "memory.db")
    shared = await Database.open(home / "bot.db", "bot", clock=clock, backups=home / "backups")
    space = await Space.open(
        home / "spaces" / "1",
        default_zone=ZONE,
        clock=clock,
        backups=home / "backups",
        embedder=embedder,
        query_timeout_s=QUERY_WAIT_S,
    )
    purse = Purse(allowance_usd, clock)
    paid = SpendingModel(model, purse, utility_model=model.name)
    try:
        yield (
            space,
            make_assistant(
                space,
                paid,
                Tombstones(shared, clock),
                purse,
                limits=Limits(),
                ceilings=Ceilings(),
                keep_turns=4,
                hours=HOURS,
                is_offline=True,
            ),
        )
    finally:
        await space.close()
        await shared.close()
