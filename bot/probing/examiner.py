"""The examiner: a process of its own that examines the copy of one memory in a scratch home, and says what it found.

    python -m bot.probing.examiner SCRATCH

It reads its orders from there and its settings from its environment, and knows no path to a live file. Each line it
prints is a `Said`; the last one holds the run (exit 0), or the name of what went wrong (exit 1). Nothing of a person is
printed, no traceback either. It ends when whoever started it is gone.
"""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bot.clock import SystemClock
from bot.home import Home
from bot.models.opening import open_embedder, open_model
from bot.models.spend import Purse, SpendingEmbedder, SpendingModel
from bot.probing.errand import Errand, Said
from bot.probing.fingerprint import fingerprint
from bot.settings import Settings, load
from bot.turn.assistant import ChatAssistant
from bot.wiring import make_assistant, manner_of
from memory.findings import Run
from memory.forget import forget_again
from memory.ports import Clock, Embedder
from memory.probe import frozen
from memory.probe.cases import Case
from memory.probe.run import examine
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones

QUERY_TIMEOUT_S = 20.0
"""What a question waits for its vector: nobody waits for the answer here, and one without it would look like a loss."""
STANDARD_INPUT = 0

Say = Callable[[Said], None]


@dataclass(frozen=True)
class Workshop:
    """What every space of a scratch home is opened with."""

    home: Home
    settings: Settings
    clock: Clock
    model: SpendingModel
    embedder: Embedder | None
    purse: Purse
    tombstones: Tombstones

    @asynccontextmanager
    async def opened(self, space_id: str) -> AsyncIterator[tuple[Space, ChatAssistant]]:
        """Open a space, made empty where there is none, with the chat over it."""
        space = await Space.open(
            self.home.create_space(space_id).path,
            default_zone=self.settings.timezone,
            clock=self.clock,
            backups=self.home.backups,
            embedder=self.embedder,
            query_timeout_s=QUERY_TIMEOUT_S,
            recency=self.settings.recency_percent / 100,
            as_it_is=True,
        )
        try:
            await forget_again(space, self.tombstones)
            manner = manner_of(self.settings)
            yield space, make_assistant(space, self.model, self.tombstones, self.purse, **manner)
        finally:
            await space.close()


async def examined(home: Home, settings: Settings, say: Say, *, clock: Clock) -> Run:
    """Do the errand that lies in a scratch home, and return the run.

    Raises: MemoryFault, OSError, ValueError.
    """
    errand = Errand.read(home.root)
    async with AsyncExitStack() as stack:
        purse = Purse(errand.allowance_usd, clock)
        model = await stack.enter_async_context(open_model(settings, clock))
        embedder = await stack.enter_async_context(open_embedder(settings, clock, model))
        shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
        stack.push_async_callback(shared.close)
        workshop = Workshop(
            home=home,
            settings=settings,
            clock=frozen.TalkClock() if errand.is_frozen else clock,
            model=SpendingModel(model, purse, utility_model=utility_name(settings, model.name)),
            embedder=SpendingEmbedder(embedder, purse) if embedder is not None else None,
            purse=purse,
            tombstones=Tombstones(shared, clock),
        )
        return await work(workshop, errand, say)


async def work(workshop: Workshop, errand: Errand, say: Say) -> Run:
    """Examine the restored copy, or play the frozen talk into an empty memory and examine that.

    Raises: MemoryFault.
    """
    names = (f"trial-{number}" for number in count(1))
    mark = fingerprint(
        workshop.settings,
        model=workshop.model.name,
        embedder=workshop.embedder.name if workshop.embedder is not None else None,
    )
    async with workshop.opened(errand.orders.space_id) as (space, assistant):
        cases = await _played(space, assistant, workshop.clock, say) if errand.is_frozen else None
        run = await examine(
            space,
            assistant,
            errand.orders,
            mark,
            cases=cases,
            tombstones=workshop.tombstones,
            new_space=lambda: workshop.opened(next(names)),
            on_progress=lambda done, total: say(Said(progress=(done, total))),
        )
    return frozen.with_unextracted(run, cases) if cases is not None else run


async def _played(space: Space, assistant: ChatAssistant, clock: Clock, say: Say) -> Sequence[Case]:
    """Play the frozen talk and return its cases as this memory holds them."""
    assert isinstance(clock, frozen.TalkClock)
    turns = frozen.talk()
    await frozen.play(assistant, clock, turns, on_said=lambda number: say(Said(progress=(number, len(turns)))))
    return await frozen.matched(space, frozen.cases())


def utility_name(settings: Settings, model: str) -> str:
    """Return the name of the model that answers all but chats; the offline reader answers everything."""
    return model if settings.gemini_api_key is None else settings.gemini_utility_model


def run(scratch: Path, say: Say, *, clock: Clock) -> int:
    """Do the errand and return the exit code."""
    try:
        settings = load(scratch).settings
        say(Said(run=asyncio.run(examined(Home(scratch), settings, say, clock=clock))))
    except Exception as error:
        # The boundary of the process: what went wrong is named, and nothing else of it is told.
        say(Said(failed=type(error).__name__))
        return 1
    return 0


def main(clock: Clock) -> None:
    """Examine what the last argument names, and exit."""
    logging.disable(logging.CRITICAL)
    threading.Thread(target=_end_with_parent, daemon=True, name="end with parent").start()
    sys.exit(run(Path(sys.argv[-1]), _print, clock=clock))


def _print(said: Said) -> None:
    sys.stdout.write(said.line())
    sys.stdout.flush()


def _end_with_parent() -> None:
    """End at once when the other end of the standard input is gone: nobody waits for what would be found."""
    # Not by way of `sys.stdin`: its lock would be held when this process ends by itself.
    while os.read(STANDARD_INPUT, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(SystemClock())
