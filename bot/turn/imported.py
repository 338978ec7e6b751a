"""Imported messages, read for facts: jobs that come after all others, told in one line when the last is done.

A receipt for each fact of years ago would bury a chat; `/facts` shows them. Which value of a subject holds is decided
by when it was said, whenever it is read.
"""

from dataclasses import replace

from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from memory.catalogue import _
from memory.ledger.extract import Extractor
from memory.ledger.subjects import normalise_subject, value_key
from memory.ledger.verify import Stating, Verified
from memory.space import Space
from memory.store.jobs import IMPORTED, Job
from memory.store.tombstones import StatementBurial, Tombstones


class ImportedFacts:
    """Reads the facts of imported messages in one space."""

    def __init__(self, space: Space, extractor: Extractor, screen: Screen, tombstones: Tombstones) -> None:
        self._space = space
        self._extractor = extractor
        self._screen = screen
        self._tombstones = tombstones

    async def read(self, job: Job) -> None:
        """Read one message, and enter what it states, but for what was forgotten since, together with the job's end."""
        extraction = await self._extractor.run(job.payload["message"])
        changes = [change for change in extraction.changes if not await self._is_forgotten(change)]
        extraction = replace(extraction, changes=tuple(changes))
        async with self._space.db.transaction():
            await self._extractor.apply(extraction)
            await self._space.jobs.finish(job.id)
            if await self._space.jobs.is_waiting(IMPORTED):
                return
            told = _("✓ I have read what was imported. /facts shows the facts I hold now.")
            for number, message in enumerate(formed(self._screen, Answer(told), None)):
                quiet = message.model_copy(update={"is_silent": True})
                await self._space.mailbox.post(f"job:{job.id}:{number}", quiet)

    async def _is_forgotten(self, change: Verified) -> bool:
        if not isinstance(change, Stating):
            return False
        said = change.statement
        stated = StatementBurial(normalise_subject(said.subject), said.value_key or value_key(said.value))
        return await self._tombstones.covers_statement(self._space.id, stated, said_at=said.since)
