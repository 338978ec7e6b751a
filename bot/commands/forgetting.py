"""What `/forget` answers: ids, the message that is replied to, or everything, which wants a word of confirmation.

Joins one transaction with its answer, as every command does. What must happen on the disk waits as a job.
"""

import re
from contextlib import suppress

from bot.commands.rights import Rights
from bot.quoting import literal
from bot.turn.topics import topic_of
from memory.catalogue import N_, _
from memory.errors import UnknownId
from memory.forget import EVERYTHING, confirmation, counted, plan, rows, rows_of_everything
from memory.forget.report import listed_counts
from memory.space import Space
from memory.store.entries import Entry, place_of
from memory.store.jobs import FORGET_EFFECTS
from memory.store.tombstones import Tombstones

FORGET_WHAT = N_(
    "Say what to forget, by its id: `/forget f12` (a fact, see /facts), `/forget m12`, `/forget t12`, `/forget p3`; "
    "`/forget everything` erases this whole memory, after a word of confirmation."
)
CONFIRM = N_(
    "This erases all I hold here: {found}. Nobody can bring it back, and what was said before now cannot be imported "
    "or restored into this memory either.\nIf that is what you want, send `/forget everything {word}`. "
    "(The word is good until something new is said.)"
)
WRONG_WORD = N_("That is not the word, so nothing was forgotten.")
NOT_AN_ID = N_("“{asked}” is not an id, so nothing was forgotten.")
NOTHING = N_("I hold nothing here, so there is nothing to forget.")
ECHOED_CHARS = 60
MOST_IDS = 20

_IDS = re.compile(r"[fmpst][0-9]{1,18}(?:[\s,]+[fmpst][0-9]{1,18})*", re.IGNORECASE)


class Forgetting:
    """Forgets in one space what its members name."""

    def __init__(self, space: Space, tombstones: Tombstones, rights: Rights) -> None:
        self._space = space
        self._rights = rights
        self._tombstones = tombstones

    async def answer(self, rest: str, entry: Entry) -> str:
        """Forget what the command names and return the receipt (Markdown).

        Raises: UnknownId, NotTheirs, OperatorOnly; nothing is forgotten then.
        """
        named = rest or await self._replied_to(entry)
        if not named:
            return _(FORGET_WHAT)
        first, *words = named.split()
        if first.lower() == EVERYTHING:
            return await self._everything(" ".join(words), entry)
        if not _IDS.fullmatch(named) or len(re.split(r"[\s,]+", named)) > MOST_IDS:
            shown = named if len(named) <= ECHOED_CHARS else f"{named[:ECHOED_CHARS]}…"
            return f"{_(NOT_AN_ID).format(asked=literal(shown))} {_(FORGET_WHAT)}"
        return await self.forget(list(dict.fromkeys(re.split(r"[\s,]+", named.lower()))), entry)

    async def forget(self, refs: list[str], entry: Entry) -> str:
        """Forget facts, messages, segments, turns or procedures by their ids and return the receipt (Markdown).

        Raises: UnknownId, NotTheirs; nothing is forgotten then.
        """
        plans = {ref: await plan(self._space, ref) for ref in refs}
        for ref, what in plans.items():
            if ref.startswith("p"):
                await self._rights.over_procedure(await self._space.procedures.procedure(int(ref[1:])), entry)
            else:
                await self._rights.over_words(what.lineage.sources, entry)
        receipts = [(await rows(self._space, plans.pop(refs[0]), self._tombstones)).words(literal)]
        for ref in plans:
            with suppress(UnknownId):  # it went with one before it
                receipts.append(
                    (await rows(self._space, await plan(self._space, ref), self._tombstones)).words(literal)
                )
        await self._space.jobs.add(FORGET_EFFECTS, f"{FORGET_EFFECTS}:{entry.source}", topic_of(entry))
        return "\n\n".join(receipts)

    async def _everything(self, said: str, entry: Entry) -> str:
        self._rights.over_everything(entry)
        found = await counted(self._space)
        word = await confirmation(self._space)
        if not found.keys() - {"outbox"}:
            return _(NOTHING)
        if said.lower() != word:
            asked = _(CONFIRM).format(found=listed_counts(found), word=word)
            return f"{_(WRONG_WORD)} {asked}" if said else asked
        report = await rows_of_everything(self._space, self._tombstones)
        payload = {EVERYTHING: 1, **topic_of(entry)}
        await self._space.jobs.add(FORGET_EFFECTS, f"{FORGET_EFFECTS}:{entry.source}", payload)
        return report.words()

    async def _replied_to(self, entry: Entry) -> str | None:
        place = place_of(entry.chat_id, entry.reply_to)
        message = await self._space.sessions.message_at(place) if place else None
        if message is not None:
            return f"m{message.id}"
        turn_id = await self._space.mailbox.turn_at(place) if place else None
        return f"t{turn_id}" if turn_id else None
