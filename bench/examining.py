"""The frozen talk in a memory of its own, examined in this process with any model: the parts of the examiner's process,
without the process.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.home import Home
from bot.models.reader import OfflineReader
from bot.models.spend import Purse, SpendingModel
from bot.probing.examiner import Workshop
from bot.probing.fingerprint import fingerprint
from bot.settings import Settings
from memory.findings import Run
from memory.ports import Clock, Model
from memory.probe import frozen
from memory.probe.cases import Case
from memory.probe.run import Orders, examine
from memory.store.database import Database
from memory.store.tombstones import Tombstones

SPACE_ID = "frozen"
COMPACT_AT_TOKENS = 4_500
"""At this size the talk is compacted four times."""


@asynccontextmanager
async def workshop(
    root: Path, clock: Clock, *, model: Model | None = None, compact_at_tokens: int = COMPACT_AT_TOKENS
) -> AsyncIterator[Workshop]:
    """Open a home under `root` in which memories are made and examined; without a model by the offline reader."""
    settings = Settings.model_validate(
        {
            "REMEMBRANCER_HOME": root,
            "REMEMBRANCER_TIMEZONE": frozen.ZONE.key,
            "REMEMBRANCER_COMPACT_AT_TOKENS": compact_at_tokens,
        }
    )
    home = Home(root)
    home.create()
    shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
    try:
        purse = Purse(None, clock)
        yield Workshop(
            home=home,
            settings=settings,
            clock=clock,
            model=_paid(model or OfflineReader(), purse),
            embedder=None,
            purse=purse,
            tombstones=Tombstones(shared, clock),
        )
    finally:
        await shared.close()


def with_model(shop: Workshop, model: Model) -> Workshop:
    """Return the workshop with another model, paid from a purse of its own."""
    purse = Purse(None, shop.clock)
    return replace(shop, model=_paid(model, purse), purse=purse)


def _paid(model: Model, purse: Purse) -> SpendingModel:
    return SpendingModel(model, purse, utility_model=model.name)


async def play(shop: Workshop, clock: frozen.TalkClock) -> None:
    """Play the frozen talk into an empty memory."""
    async with shop.opened(SPACE_ID) as (_, assistant):
        await frozen.play(assistant, clock, frozen.talk())


async def examined(shop: Workshop, *, orders: Orders | None = None, cases: Sequence[Case] = ()) -> Run:
    """Examine the memory of the talk, and change it: by these cases, without any by its own facts.

    Without orders everything is examined once.
    """
    async with shop.opened(SPACE_ID) as (space, assistant):
        return await examine(
            space,
            assistant,
            orders or Orders(space_id=SPACE_ID, night=None, seed=1),
            fingerprint(shop.settings, model=shop.model.name, embedder=None),
            cases=cases or None,
            new_space=lambda: shop.opened("trial"),
            on_progress=lambda done, total: None,
            tombstones=shop.tombstones,
        )


async def matched(shop: Workshop) -> list[Case]:
    """Return the cases of the talk as the memory holds them."""
    async with shop.opened(SPACE_ID) as (space, _):
        return await frozen.matched(space, frozen.cases())
