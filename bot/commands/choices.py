"""What a member decides about facts that wait: keep or drop what somebody else wrote, choose between two values.

By button or by command, in the transaction of the answer. A decision that was made before changes nothing.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.commands.facts import Press
from bot.commands.rights import Rights
from bot.turn.answer import Answer
from bot.turn.told import receipt_buttons, receipt_lines
from memory.catalogue import N_, _
from memory.errors import UnknownId
from memory.ledger.facts import Fact
from memory.ledger.receipts import receipts
from memory.space import Space
from memory.store.entries import Buttons, Entry

KEEP_WHAT = N_("Say which one, by its id: `/keep f12` or `/drop f12`. /facts lists what waits (not confirmed).")
CHOOSE_WHAT = N_("Say which one holds, by its id: `/choose f12`, or `/choose f12 f7` when f12 ended f7.")
GONE = N_("That one does not wait any more.")
IN_HISTORY = N_("{kept} is in the history now: {current} was said later and holds.")
BOTH = N_("Both hold: {first} and {second}.")
DROPPED = N_("Dropped {refs}; it is no fact of yours.")

_ID = re.compile(r"f?([0-9]{1,18})", re.IGNORECASE)


class Choices:
    """The decisions of one space's members."""

    def __init__(self, space: Space, rights: Rights) -> None:
        self._space = space
        self._rights = rights
        self._facts = space.facts

    def presses(self) -> dict[str, Press]:
        """Return what the buttons do, by the beginning of their data."""
        return {"keep": self.keep, "drop": self.drop, "choose": self.choose, "both": self.both}

    def commands(self) -> dict[str, Callable[[str, Entry], Awaitable[Answer]]]:
        """Return what is a command of facts alone; `/keep` and `/drop` may mean a procedure too."""
        return {
            "choose": lambda rest, entry: self.choose(entry, rest),
        }

    async def keep(self, entry: Entry, rest: str) -> Answer:
        """Let a fact that waits hold from now on. Raises: UnknownId, NotTheirs."""
        ids = _ids(rest)
        if len(ids) != 1:
            return Answer(_(KEEP_WHAT))
        fact = await self._facts.fact(ids[0])
        return await self._kept(fact, entry) if fact.status == "pending" else _gone(fact)

    async def drop(self, entry: Entry, rest: str) -> Answer:
        """Take a fact away that waits. Raises: UnknownId, NotTheirs."""
        ids = _ids(rest)
        if len(ids) != 1:
            return Answer(_(KEEP_WHAT))
        fact = await self._facts.fact(ids[0])
        return await self._dropped([fact], entry) if fact.status == "pending" else _gone(fact)

    async def choose(self, entry: Entry, rest: str) -> Answer:
        """Let a fact hold: against the value that waits, or as the one that ended another.

        Raises: UnknownId, NotTheirs.
        """
        ids = _ids(rest)
        if len(ids) not in (1, 2):
            return Answer(_(CHOOSE_WHAT))
        fact = await self._facts.fact(ids[0])
        if len(ids) == 2:
            return await self._ended(fact, await self._facts.fact(ids[1]), entry)
        if fact.status == "pending":
            return await self._kept(fact, entry)
        rivals = [one for one in await self._facts.pending.waiting(fact.subject_key) if one.replaces == fact.id]
        return await self._dropped(rivals, entry) if rivals else _gone(fact)

    async def both(self, entry: Entry, rest: str) -> Answer:
        """Leave two facts as they are. Raises: UnknownId."""
        ids = _ids(rest)
        if len(ids) != 2:
            return Answer(_(CHOOSE_WHAT))
        first, second = [await self._facts.fact(one) for one in ids]
        return _decided(_(BOTH).format(first=first.ref, second=second.ref))

    async def _kept(self, fact: Fact, entry: Entry) -> Answer:
        await self._rights.over_fact(fact, entry)
        before = await self._facts.current(fact.subject_key)
        kept = await self._facts.pending.keep(fact.id, at=entry.at)
        undo = await self._facts.changes.note_said(kept.id, kept.message_id) if kept.message_id is not None else None
        current = await self._facts.current(fact.subject_key)
        if current is not None and current.id != kept.id:
            return _decided(_(IN_HISTORY).format(kept=kept.ref, current=current.ref))
        return await self._told(fact.subject_key, before, undo=undo)

    async def _dropped(self, waiting: list[Fact], entry: Entry) -> Answer:
        for fact in waiting:
            await self._rights.over_fact(fact, entry)
            await self._facts.pending.drop(fact.id)
        return _decided(_(DROPPED).format(refs=", ".join(fact.ref for fact in waiting)))

    async def _ended(self, fact: Fact, other: Fact, entry: Entry) -> Answer:
        """End the other fact, if both still hold."""
        if not fact.status == other.status == "active" or fact.id == other.id:
            return _gone(other)
        await self._rights.over_fact(other, entry)
        await self._facts.retract(other.id, at=max(entry.at, other.since))
        return await self._told(other.subject_key, other)

    async def _told(self, subject_key: str, before: Fact | None, *, undo: int | None = None) -> Answer:
        told = receipts({subject_key: before}, {subject_key: await self._facts.current(subject_key)})
        undoable = [replace(one, undo=undo) for one in told]
        # What it stands beside may ask of other facts too, so the button names its own.
        buttons = receipt_buttons(undoable, is_named=True)
        return _decided(receipt_lines(told, self._space.preferences) or _(GONE), buttons)


def _decided(text: str, buttons: Buttons = ()) -> Answer:
    """Return the outcome of a decision; the question bears it from then on."""
    return Answer(text, buttons, where="within", is_spent=True)


def _gone(fact: Fact) -> Answer:
    if fact.status == "forgotten":
        raise UnknownId(fact.ref)
    return Answer(_(GONE), is_spent=True)


def _ids(rest: str) -> list[int]:
    """Return the ids of facts that a command or a button names; empty when anything else stands there."""
    found = [_ID.fullmatch(word) for word in rest.replace(":", " ").split()]
    return [int(match[1]) for match in found if match] if all(found) else []
