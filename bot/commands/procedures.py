"""What a member does with procedures: list and read them, teach, edit, keep or drop what the assistant proposed.

Each is reached by a button and by a typed command, and both end in the same method. A procedure holds only by what a
member does here; forgetting is asked about here and done where all forgetting is done.
"""

import re
from dataclasses import replace

from bot.commands.facts import Press
from bot.commands.procedure_cards import NO_PROCEDURES, add_how, card, edit_question, forget_question, page
from bot.commands.rights import Rights
from bot.quoting import literal
from bot.turn.answer import Answer
from memory.catalogue import N_, _
from memory.errors import UnknownId
from memory.space import Space
from memory.store.entries import Entry
from memory.store.instructions import read
from memory.store.procedures import Procedure, Version

GONE = N_("That one does not wait any more.")
DROPPED = N_("Dropped: {ref} never held, and its words are gone from my procedures.")
THE_VERSION = N_("version {number} of {ref}")
HOW = N_(
    "`/procedures` lists them, `/procedures p3` shows one, `/procedures p3 2` its version 2, `/procedures p3 edit …` "
    "changes it, `/procedures add …` teaches one, `/forget p3` erases one."
)

_REF = re.compile(r"p([0-9]{1,18})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")


class ProcedureCommands:
    """/procedures and the buttons of its answers, in one space. Every write joins the caller's transaction."""

    def __init__(self, space: Space, rights: Rights) -> None:
        self._space = space
        self._rights = rights
        self._procedures = space.procedures

    def presses(self) -> dict[str, Press]:
        """Return the handlers of presses, and of awaited replies, by prefix."""
        return {
            "procs": self._press_page,
            "proc": self._press_card,
            "pkeep": self._press_keep,
            "pdrop": self._press_drop,
            "padd": self._take_reply,
            "pedit": self._press_edit,
            "pforget": self._press_forget,
        }

    # Typed

    async def procedures(self, rest: str, entry: Entry) -> Answer:
        """Answer `/procedures`, `/procedures 2`, `… add TEXT`, `… p3`, `… p3 2`, `… p3 edit TEXT`.

        Raises: UnknownId, UnclearProcedure, NotTheirs.
        """
        first, *more = rest.split(maxsplit=1)[:2] or [""]
        text = more[0] if more else ""
        if match := _REF.fullmatch(first):
            return await self._about(await self._procedures.procedure(int(match[1])), text, entry)
        if first.lower() == "add":
            return await self._taught(text, entry) if text else Answer(add_how(), awaits="padd:")
        if first == "" or (_NUMBER.fullmatch(first) and not text):
            return await self._page(int(first or 1))
        return Answer(_(HOW))

    def decides(self, rest: str) -> bool:
        """Whether `/keep` or `/drop` was said of a procedure."""
        return _REF.fullmatch(rest) is not None

    async def keep(self, rest: str, entry: Entry) -> Answer:
        """Answer `/keep p3`: the version that waits holds from now on. Raises: UnknownId."""
        waiting = await self._waiting(rest)
        return await self._kept(waiting.id, entry) if waiting else Answer(_(GONE))

    async def drop(self, rest: str, entry: Entry) -> Answer:
        """Answer `/drop p3`. Raises: UnknownId."""
        waiting = await self._waiting(rest)
        return await self._dropped(waiting.id, entry) if waiting else Answer(_(GONE))

    async def _about(self, procedure: Procedure, asked: str, entry: Entry) -> Answer:
        if not asked:
            return card(procedure, procedure.shown, self._space.zone)
        if _NUMBER.fullmatch(asked):
            return self._version_card(procedure, int(asked))
        what, *text = asked.split(maxsplit=1)
        if what.lower() == "edit":
            return await self._taught(text[0], entry, procedure.id) if text else edit_question(procedure.shown)
        return Answer(_(HOW))

    # Pressed

    async def _press_page(self, entry: Entry, rest: str) -> Answer:
        return replace(await self._page(int(rest) if _NUMBER.fullmatch(rest) else 1), where="instead")

    async def _press_card(self, entry: Entry, rest: str) -> Answer:
        number, _sign, version = rest.partition(":")
        procedure = await self._procedure(number)
        shown = self._version_card(procedure, int(version)) if _NUMBER.fullmatch(version) else None
        return replace(shown or card(procedure, procedure.shown, self._space.zone), where="instead")

    async def _press_keep(self, entry: Entry, rest: str) -> Answer:
        answer = await self._kept(int(rest), entry) if _NUMBER.fullmatch(rest) else Answer(_(GONE))
        return replace(answer, is_spent=True)

    async def _press_drop(self, entry: Entry, rest: str) -> Answer:
        answer = await self._dropped(int(rest), entry) if _NUMBER.fullmatch(rest) else Answer(_(GONE))
        return replace(answer, is_spent=True)

    async def _press_edit(self, entry: Entry, rest: str) -> Answer:
        """Ask for the new version, and take the reply that brings it."""
        procedure = await self._procedure(rest)
        if entry.kind == "message":
            return await self._taught(entry.text, entry, procedure.id)
        return edit_question(procedure.shown)

    async def _take_reply(self, entry: Entry, rest: str) -> Answer:
        return await self._taught(entry.text, entry) if entry.kind == "message" else Answer()

    async def _press_forget(self, entry: Entry, rest: str) -> Answer:
        procedure = await self._procedure(rest)
        await self._rights.over_procedure(procedure, entry)
        return replace(forget_question(procedure), where="instead")

    # Done

    async def _page(self, number: int) -> Answer:
        found = await self._procedures.listed()
        if not found:
            return Answer(f"{_(NO_PROCEDURES)} {add_how()}", awaits="padd:")
        return page(found, number, self._space.zone)

    async def _taught(self, text: str, entry: Entry, procedure_id: int | None = None) -> Answer:
        """Let a member's own words hold as a procedure; what they read is what was stored."""
        if procedure_id is not None:
            await self._rights.over_procedure(await self._procedures.procedure(procedure_id), entry)
        kept = await self._procedures.teach(
            read(text), by=entry.author, by_id=entry.author_id, procedure_id=procedure_id
        )
        shown = card(await self._procedures.procedure(kept.procedure_id), kept, self._space.zone)
        return replace(shown, text=f"{_receipt(kept)}\n\n{shown.text}")

    async def _kept(self, version_id: int, entry: Entry) -> Answer:
        await self._check_decision(version_id, entry)
        kept = await self._procedures.keep(version_id, by=entry.author, by_id=entry.author_id)
        if kept is None:
            return Answer(_(GONE))
        shows = _("`/procedures {ref}` shows it.").format(ref=kept.ref)
        return Answer(f"{_receipt(kept)} {shows}", where="within")

    async def _dropped(self, version_id: int, entry: Entry) -> Answer:
        await self._check_decision(version_id, entry)
        dropped = await self._procedures.drop(version_id)
        return Answer(_(DROPPED).format(ref=dropped.ref), where="within") if dropped else Answer(_(GONE))

    async def _check_decision(self, version_id: int, entry: Entry) -> None:
        """Raises: NotTheirs."""
        waiting = await self._procedures.waiting(version_id)
        if waiting is not None:
            await self._rights.over_procedure(await self._procedures.procedure(waiting.procedure_id), entry)

    # Looked up

    def _version_card(self, procedure: Procedure, number: int) -> Answer:
        """Raises: UnknownId."""
        found = next((one for one in procedure.versions if one.number == number), None)
        if found is None:
            raise UnknownId(_(THE_VERSION).format(number=number, ref=procedure.ref))
        return card(procedure, found, self._space.zone)

    async def _procedure(self, number: str) -> Procedure:
        """Raises: UnknownId."""
        return await self._procedures.procedure(int(number) if _NUMBER.fullmatch(number) else 0)

    async def _waiting(self, ref: str) -> Version | None:
        """Raises: UnknownId."""
        return (await self._procedure(ref[1:])).pending


def _receipt(kept: Version) -> str:
    told = _("✎ procedure kept (version {number}): {name} · {ref}.")
    if kept.number == 1:
        told = _("✎ procedure kept: {name} · {ref}.")
    return told.format(number=kept.number, name=literal(kept.says.name), ref=kept.ref)
