"""Attachments: what came with a member's messages is fetched, heard and read, then kept with their words in one commit.

This is the first part of a turn, so it can be stopped and is done again after a crash. What could not be taken in is a
note of the program and told to the member; it never becomes anybody's words. Showing media to the model is not done
here.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bot.turn.answer import Answer, formed
from bot.turn.attachments.taking import BARE, AttachmentReader, TakenIn, together
from bot.turn.notices import post_notices
from bot.turn.screen import Screen
from bot.turn.waiting import album_of, readable
from bot.turn.words import keep_words
from memory.space import Space
from memory.store.entries import Entry
from memory.store.mailbox import Waiting
from memory.store.sessions import Turn

AT_ONCE = 3
"""So many attachments are fetched side by side."""


class Attachments:
    """The files of one space's entries, on their way into the transcript."""

    def __init__(self, space: Space, reader: AttachmentReader, screen: Screen) -> None:
        self._space = space
        self._reader = reader
        self._screen = screen
        self._ready: dict[str, TakenIn] = {}
        """What was taken in and is not kept yet, by the entry's source."""

    async def are_waiting(self, turn: Turn) -> bool:
        """Whether the turn has entries whose words are not kept yet, because their files were to come first."""
        return bool(await self._unkept(turn))

    async def take_in(self, turn: Turn) -> str | None:
        """Take in what came with the turn's entries and keep it, or return what the member is told where nothing is
        left to answer; `keep` then belongs to the end of the turn.

        Raises: OperatorMustAct.
        """
        self._ready.clear()
        while new := [entry for entry in await self._entries(turn) if entry.source not in self._ready]:
            self._ready |= {one.entry.source: one for one in await self._all_taken_in(new)}
        taken = list(self._ready.values())
        if not any(one.is_answerable for one in taken):
            self._ready = {source: replace(one, told=()) for source, one in self._ready.items()}
            return "\n".join(dict.fromkeys(line for one in taken for line in one.told))
        async with self._space.db.transaction():
            await self.keep(turn)
        return None

    async def keep(self, turn: Turn) -> None:
        """Keep the words of all the turn's entries that are not kept yet, with what was taken in of their files.

        Joins the caller's transaction.
        """
        for entry in await self._unkept(turn):
            taken = self._ready.pop(entry.source) if entry.source in self._ready else bare(entry)
            await self._keep(turn, taken)

    async def _unkept(self, turn: Turn) -> list[Entry]:
        entries = [readable(row) for row in await self._taken(turn)]
        return [
            entry
            for entry in entries
            if entry is not None
            and entry.kind == "message"
            and await self._space.sessions.message_from(entry.source) is None
        ]

    async def _taken(self, turn: Turn) -> list[Waiting]:
        return [row for row in await self._space.mailbox.waiting() if row.turn_id == turn.id]

    async def _entries(self, turn: Turn) -> Sequence[Entry]:
        """Return the entries of the turn, with messages of its albums that came meanwhile: they join it."""
        async with self._space.db.transaction():
            waiting = await self._space.mailbox.waiting()
            entries = await self._unkept(turn)
            for first in {entry.album: entry for entry in entries if entry.album}.values():
                await self._space.mailbox.take([row.id for row in album_of(waiting, first)], turn.id)
            return await self._unkept(turn)

    async def _all_taken_in(self, entries: Sequence[Entry]) -> list[TakenIn]:
        limit = asyncio.Semaphore(AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._taken_in(entry, limit), name=f"take in {entry.source}") for entry in entries
                ]
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _taken_in(self, entry: Entry, limit: asyncio.Semaphore) -> TakenIn:
        pieces = []
        for number, attachment in enumerate(entry.attachments):
            async with limit:
                pieces.append(await self._reader.read(entry, attachment, number))
        return together(entry, pieces)

    async def _keep(self, turn: Turn, taken: TakenIn) -> None:
        session_id, entry = turn.session_id, taken.entry
        for media in taken.media:
            assert media.data is not None
            await self._space.media.put(media.data, media.mime_type, name=media.name)
        for note in taken.notes:
            await self._space.sessions.append(note, session_id=session_id, turn_id=turn.id)
        said = [(entry, taken.parts), *((quoted, ()) for quoted in taken.quoted)]
        shows = tuple([
            f"m{(await keep_words(self._space, one, session_id=session_id, turn_id=turn.id, more=parts)).id}"
            for one, parts in said
        ])  # fmt: skip
        await self._post("media", entry, [Answer(line, shows=shows) for line in taken.told])
        self._space.held.hold(entry)
        await post_notices(self._space, self._screen, entry)
        await self._post("heard", entry, [Answer(line, shows=shows) for line in taken.heard])

    async def _post(self, what: str, entry: Entry, answers: Sequence[Answer]) -> None:
        pieces = (piece for answer in answers for piece in formed(self._screen, answer, entry))
        for number, piece in enumerate(pieces):
            await self._space.mailbox.post(f"{what}:{entry.source}:{number}", piece)


def bare(entry: Entry) -> TakenIn:
    """Return an entry whose files were not taken in, because the turn ended before."""
    return TakenIn(entry, parts=(BARE,) if entry.attachments else ())
