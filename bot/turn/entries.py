"""Entries: what came in, taken up one after another: answered, stored as an edit, or made the beginning of a turn.

An entry that breaks is tried three times and then set aside, whole and counted, so that nothing a member sends can hold
up what comes after it. Running the turn is not done here.
"""

import logging
from collections.abc import Sequence
from typing import Protocol

from bot.errors import words_for
from bot.turn import asking
from bot.turn.agent import Running
from bot.turn.answer import Answer, formed
from bot.turn.notices import post_notices
from bot.turn.reactions import tell_reactions
from bot.turn.screen import Screen
from bot.turn.standing import answered, without_row
from bot.turn.waiting import album_of, readable
from bot.turn.words import change_words, keep_words
from memory.catalogue import N_, _
from memory.errors import MemberMustAct, OperatorMustAct
from memory.messages import utf16_length
from memory.space import Space
from memory.store.entries import Entry, Outgoing, place_of
from memory.store.mailbox import Waiting

log = logging.getLogger(__name__)

LONG_MESSAGE_UNITS = 4_000
"""A client splits a long paste near 4,096 UTF-16 units: a message of this size may have a continuation."""
CONTINUATION_S = 1.0
ALBUM_S = 1.0
"""An album is complete once none of its messages has come for so long."""
MAX_TRIES = 3
PAUSE_S = 5.0
"""Time before the next try."""
NOT_TAKEN_UP = N_(
    "I could not take in what you sent: something in it broke me three times. It is not in my memory, and I go on "
    "without it; please send it again in another form, as plain text or in smaller parts."
)


class Commands(Protocol):
    """Answers what a member asked by command, button or awaited reply."""

    async def answer(self, entry: Entry) -> Answer:
        """Do what was asked and return the answer. Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        ...


class Entries:
    """What waits in the inbox of one space."""

    def __init__(self, space: Space, commands: Commands, screen: Screen) -> None:
        self._space = space
        self._commands = commands
        self._screen = screen
        self._counted: set[str] = set()
        """The sources of entries whose next try is counted already."""

    def arrived(self, entry: Entry) -> None:
        """Note that an entry was stored just now: its first try is counted by its row."""
        self._counted.add(entry.source)

    async def take_up(self, row: Waiting) -> Running | None:
        """Answer an entry, store an edit, or begin the turn that is returned.

        What fails three times, or takes the process with it so often, is given up and told.

        Raises: OperatorMustAct when the storage fails, which counts as no try.
        """
        tries = await self._tries(row)
        if tries > MAX_TRIES:
            await self._bury(row, "Died")
            return None
        try:
            return await self._begin(row, is_alone=tries == MAX_TRIES)
        except OperatorMustAct:
            self._counted.add(row.source)
            raise
        except Exception as error:
            # The boundary of an entry: one that breaks must not hold up those behind it.
            log.exception("entry not taken up: space=%s in=%s try=%s", self._space.id, row.id, tries)
            if tries == MAX_TRIES:
                await self._bury(row, type(error).__name__)
            else:
                await self._space.clock.sleep(PAUSE_S)
        return None

    async def _tries(self, row: Waiting) -> int:
        """Return which try of an entry comes now; committed before it is made, so that one which kills us counts."""
        if row.source in self._counted:
            self._counted.remove(row.source)
            return row.attempts
        async with self._space.db.transaction():
            return await self._space.mailbox.count_attempt(row.id)

    async def _bury(self, row: Waiting, error: str) -> None:
        """Give an entry up and tell the member; it is kept whole for the operator."""
        log.error("entry given up: space=%s in=%s error=%s", self._space.id, row.id, error)
        async with self._space.db.transaction():
            await self._space.mailbox.bury(row.id, error)
            for number, message in enumerate(self._screen.render(_(NOT_TAKEN_UP), readable(row))):
                await self._space.mailbox.post(f"dead:{row.id}:{number}", message)

    async def _begin(self, row: Waiting, *, is_alone: bool) -> Running | None:
        """Store what an entry says, or answer it; return the turn that it begins."""
        entry = row.entry
        asked_for = await self._awaited(entry)
        if asked_for is not None:
            return await self._answer(row.id, asked_for)
        if entry.kind == "message":
            return await self._start_turn([row] if is_alone else await self._together(row))
        if entry.kind != "edit":
            return await self._answer(row.id, entry)
        await self._take_edit(row)
        return None

    async def _awaited(self, entry: Entry) -> Entry | None:
        """Return a reply that a message of ours awaits, with what it is for; None for all else."""
        is_own = entry.kind == "message" and entry.origin == "own" and entry.text and not entry.attachments
        place = place_of(entry.chat_id, entry.reply_to) if is_own else None
        asked = await self._space.mailbox.shown_at(place) if place else None
        if asked is None or asked.awaits is None or asked.for_member not in {None, entry.author_id}:
            return None
        return entry.model_copy(update={"press": asked.awaits})

    async def _start_turn(self, waiting: Sequence[Waiting]) -> Running:
        async with self._space.db.transaction():
            turn = await self._space.sessions.begin_turn()
            await self._space.mailbox.take([row.id for row in waiting], turn.id)
            await asking.tell_expired(self._space, turn)
            await tell_reactions(self._space, turn)
            # What has files is kept with them, in the turn: a download may take long, and can be stopped.
            for row in waiting if not any(row.entry.attachments for row in waiting) else ():
                await keep_words(self._space, row.entry, session_id=turn.session_id, turn_id=turn.id)
                await post_notices(self._space, self._screen, row.entry)
        self._counted.difference_update(row.source for row in waiting)
        return Running(turn, waiting[0].entry)

    async def _together(self, first: Waiting) -> Sequence[Waiting]:
        """Return a message with those that its sender's client sent along with it."""
        if first.entry.album is None:
            return await self._with_continuations(first)
        count = 0
        while True:
            album = album_of(await self._space.mailbox.waiting(), first.entry)
            if len(album) == count:
                return album
            count = len(album)
            await self._space.clock.sleep(ALBUM_S)

    async def _with_continuations(self, first: Waiting) -> list[Waiting]:
        """Return a message with the parts that a client split off it."""
        joined = [first]
        while utf16_length(joined[-1].entry.text) >= LONG_MESSAGE_UNITS:
            await self._space.clock.sleep(CONTINUATION_S)
            rest = [row for row in await self._space.mailbox.waiting() if row.id > joined[-1].id]
            more = readable(rest[0]) if rest else None
            if more is None or more.kind != "message" or more.author_id != first.entry.author_id or more.attachments:
                break
            joined.append(rest[0])
        return joined

    async def _take_edit(self, row: Waiting) -> None:
        """Append the new version of an edited message. No turn is made of it; its extraction is queued."""
        entry = row.entry
        async with self._space.db.transaction():
            old = await self._space.sessions.message_at(entry.place) if entry.place else None
            if old is not None:
                await change_words(self._space, old, entry)
            await post_notices(self._space, self._screen, entry)
            await self._space.mailbox.finish(row.id)

    async def _answer(self, inbox_id: int, entry: Entry) -> Running | None:
        """Answer a command or button; what it did, the answer and the entry's end commit together.

        A decision about a call begins a turn, which is returned: the entry ends with it.
        """
        try:
            async with self._space.db.transaction():
                answer = await self._commands.answer(entry)
                await self._post_answer(inbox_id, entry, answer)
                if answer.decided is not None:
                    turn = await asking.begin_turn(self._space, answer.decided)
                    await self._space.mailbox.take([inbox_id], turn.id)
                    return Running(turn, entry)
        except OperatorMustAct:
            raise
        except Exception as error:
            # The boundary of a command: one that breaks is answered all the same, or all behind it would wait for ever.
            if not isinstance(error, MemberMustAct):
                log.exception("command broke: space=%s in=%s", self._space.id, inbox_id)
            async with self._space.db.transaction():
                await self._post_answer(inbox_id, entry, Answer(words_for(error)))
        return None

    async def _post_answer(self, inbox_id: int, entry: Entry, answer: Answer) -> None:
        pressed_at = entry.place if entry.kind == "press" else None
        told = formed(self._screen, answer, entry)
        within = await self._within(entry, pressed_at, told) if answer.where == "within" and pressed_at else None
        for number, message in enumerate([within] if within else told):
            place = pressed_at if (within or answer.where == "instead") and number == 0 else None
            await self._space.mailbox.post(f"answer:{entry.source}:{number}", message, place=place)
        if answer.is_spent and answer.where != "instead" and pressed_at:
            await self._take_row(entry, pressed_at)
        await post_notices(self._space, self._screen, entry)
        if answer.decided is None:
            await self._space.mailbox.finish(inbox_id)

    async def _within(self, entry: Entry, place: str, told: Sequence[Outgoing]) -> Outgoing | None:
        """Return the message with the pressed button as it stands with its answer; None where that has no room."""
        shown = await self._space.mailbox.shown_at(place)
        return answered(shown, entry.press or "", told[0]) if shown is not None and len(told) == 1 else None

    async def _take_row(self, entry: Entry, place: str) -> None:
        """Take the pressed button and its row away from the message that carries them."""
        shown = await self._space.mailbox.shown_at(place)
        message = without_row(shown, entry.press or "") if shown is not None else None
        if message is not None and message != shown:
            await self._space.mailbox.post(f"spent:{entry.source}", message, place=place)
