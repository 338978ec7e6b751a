"""What a member does with the ledger by hand: read pages and cards, edit, pin, mark, undo.

Each is reached by a button and by a typed command, and both end in the same method. Forgetting is asked about here and
done where all forgetting is done.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.commands.menus import (
    ASKS,
    Card,
    edit_menu,
    edit_question,
    facts_page,
    fitting,
    forget_question,
)
from bot.commands.places import place_of_message
from bot.commands.rights import Rights
from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from bot.turn.told import receipt_buttons, receipt_lines
from bot.turn.words import keep_words
from memory.catalogue import N_, _
from memory.errors import UnknownId
from memory.forget import plan
from memory.ledger.changes import LedgerChange
from memory.ledger.editing import checked_patterns, checked_question, with_value
from memory.ledger.extract import apply_changes
from memory.ledger.facts import Fact
from memory.ledger.receipts import receipts
from memory.ledger.support import NotSupported, Words
from memory.ledger.verify import Source, Stating
from memory.space import Space
from memory.store.entries import Entry

MOST_FACTS = 400
"""As many facts as a filter may bring."""
ECHOED_CHARS = 60

NO_FACTS = N_(
    "I hold no facts yet. Tell me one in plain words, for example: “The tax report is due on 12 March at 17:30.”"
)
NO_FACT_ABOUT = N_("I hold no fact about “{word}”. /facts shows all.")
NOTHING_TO_UNDO = N_("There is nothing to undo.")
UNDO_HOW = N_("“{asked}” is not a fact. `/undo` takes the last change back, `/undo f12` the last one of that fact.")
UNDONE_ALREADY = N_("That was undone already.")
UNDONE = N_("✎ undone: {what} of {subject} · {ref}")
UNDONE_VALUE = N_("✎ undone: {value} counts no longer · {ref}")
UNDONE_TO = N_("✎ undone: {value} counts no longer; {subject} stays {now} · {ref}")
OVERTAKEN = N_("There is nothing left to undo: {value} counts no longer since you edited that message · {ref}")
NOT_CURRENT = N_("{ref} is not current, so it can't be changed. /facts shows what is.")
NOTHING_CHANGED = N_("Nothing changed: {subject} stays as it is ({ref}).")
SAID_HERE = N_("Said here:")
REFUSED = {
    "value": N_("That can't be a value: it needs words or numbers, at most 400 characters, and nothing secret."),
    "question": N_("That question can't be used: it must not hold the answer, nor be longer than 300 characters."),
    "patterns": N_(
        "Those patterns can't be used: each must match the whole value, and neither the question nor an "
        "“I don't know”. One a line, at most seven."
    ),
}
EDIT_HOW = N_(
    "Say what to change: `/facts {ref} value …`, `/facts {ref} question …`, `/facts {ref} patterns …`, "
    "`/facts {ref} pin` (or `unpin`), `/facts {ref} critical` (or `uncritical`)."
)
SET_NAMES = {
    "pinned": N_("the pin"),
    "critical": N_("the mark “critical”"),
    "question": N_("the question"),
    "patterns": N_("the patterns"),
}

_FACT = re.compile(r"f([0-9]{1,18})", re.IGNORECASE)
_PAGE = re.compile(r"[0-9]{1,4}")
_NUMBER = re.compile(r"[0-9]{1,18}")
_FLAGS = {"pin": ("pin", True), "unpin": ("pin", False), "critical": ("crit", True), "uncritical": ("crit", False)}

Press = Callable[[Entry, str], Awaitable[Answer]]


class FactCommands:
    """/facts, /undo and the buttons of their answers, in one space. Every write joins the caller's transaction."""

    def __init__(self, space: Space, rights: Rights) -> None:
        self._space = space
        self._rights = rights
        self._facts = space.facts

    def presses(self) -> dict[str, Press]:
        """Return the handlers of presses by prefix."""
        return {
            "facts": self._press_page,
            "fact": self._press_card,
            "source": self._press_source,
            "pin": self._press_flag,
            "crit": self._press_flag,
            "edit": self._press_edit,
            "forget": self._press_forget,
            "undo": self._press_undo,
        }

    # Typed

    async def facts(self, rest: str, entry: Entry) -> Answer:
        """Answer `/facts`, `/facts 2 word`, `/facts f12`, `/facts f12 pin`. Raises: UnknownId."""
        first, _, more = rest.partition(" ")
        if match := _FACT.fullmatch(first):
            return await self._about(await self._fact(match[1]), more.strip(), entry)
        if _PAGE.fullmatch(first):
            return await self._page(int(first), more.strip())
        return await self._page(1, rest)

    async def undo(self, rest: str, entry: Entry) -> Answer:
        """Answer `/undo` (the last change of the ledger) and `/undo f12` (of that fact). Raises: UnknownId."""
        match = _FACT.fullmatch(rest)
        if rest and match is None:
            return Answer(_(UNDO_HOW).format(asked=rest[:ECHOED_CHARS]))
        changes = self._facts.changes
        fact = await self._fact(match[1]) if match else None
        change = await (changes.last_of(fact.subject_key) if fact else changes.last())
        return await self._undone(change, entry) if change else Answer(_(NOTHING_TO_UNDO))

    async def _about(self, fact: Fact, asked: str, entry: Entry) -> Answer:
        what, _space, words = asked.partition(" ")
        if not what:
            return await self._card(fact, entry)
        if flag := _FLAGS.get(what.lower()):
            return await self._flagged(fact, *flag, entry)
        if what.lower() in ASKS and words.strip():
            return await self._edited(fact, what.lower(), entry.model_copy(update={"text": words.strip()}))
        return Answer(_(EDIT_HOW).format(ref=fact.ref))

    # Pressed

    async def _press_page(self, entry: Entry, rest: str) -> Answer:
        number, _, word = rest.partition(":")
        return replace(await self._page(int(number) if _PAGE.fullmatch(number) else 1, word), where="instead")

    async def _press_card(self, entry: Entry, rest: str) -> Answer:
        return replace(await self._card(await self._fact(rest), entry), where="instead")

    async def _press_flag(self, entry: Entry, rest: str) -> Answer:
        fact_id, _, wanted = rest.partition(":")
        flag = (entry.press or "").partition(":")[0]
        return replace(await self._flagged(await self._fact(fact_id), flag, wanted == "1", entry), where="instead")

    async def _press_source(self, entry: Entry, rest: str) -> Answer:
        fact = await self._fact(rest)
        return Answer(f"{_(SAID_HERE)}\n{quotation(fact.quote)}", reply_to=await self._reply_target(fact, entry))

    async def _press_edit(self, entry: Entry, rest: str) -> Answer:
        """Offer what can be edited, ask for it, and take the reply: each step's data says what the next one needs."""
        fact_id, _sign, part = rest.partition(":")
        fact = await self._fact(fact_id)
        if entry.kind == "message" and part in ASKS:
            return await self._edited(fact, part, entry)
        if fact.status != "active":
            return Answer(_(NOT_CURRENT).format(ref=fact.ref))
        await self._rights.over_fact(fact, entry)
        return edit_question(fact, part) if part in ASKS else replace(edit_menu(fact), where="instead")

    async def _press_forget(self, entry: Entry, rest: str) -> Answer:
        fact = await self._fact(rest)
        lineage = (await plan(self._space, fact.ref)).lineage
        await self._rights.over_words(lineage.sources, entry)
        covered = lineage.facts
        facts = [await self._facts.fact(one) for one in covered]
        others = [f"{one.value} ({one.ref})" for one in facts if one.id != fact.id]
        return replace(forget_question(fact, await self._facts.quotes(covered), others), where="instead")

    async def _press_undo(self, entry: Entry, rest: str) -> Answer:
        change = await self._facts.changes.change(int(rest)) if _NUMBER.fullmatch(rest) else None
        answer = await self._undone(change, entry) if change else Answer(_(NOTHING_TO_UNDO))
        return replace(answer, is_spent=True)

    # Done

    async def _page(self, number: int, asked: str) -> Answer:
        word = fitting(asked)
        facts = await self._facts.about(word, MOST_FACTS) if word else await self._facts.listed()
        if facts:
            return facts_page(facts, number, word=word, zone=self._space.zone)
        return Answer(_(NO_FACT_ABOUT).format(word=word[:ECHOED_CHARS]) if word else _(NO_FACTS))

    async def _card(self, fact: Fact, entry: Entry) -> Answer:
        change = await self._facts.changes.last_of(fact.subject_key)
        return Card(
            fact,
            await self._facts.values_of(fact.subject_key),
            link=await self._link(fact),
            has_source=await self._reply_target(fact, entry) is not None,
            undo=change.id if change else None,
        ).answer(self._space.zone)

    async def _flagged(self, fact: Fact, flag: str, is_on: bool, entry: Entry) -> Answer:
        if fact.status != "active":
            return Answer(_(NOT_CURRENT).format(ref=fact.ref))
        await self._rights.over_fact(fact, entry)
        await (self._facts.changes.set_pinned if flag == "pin" else self._facts.changes.set_critical)(fact.id, is_on)
        return await self._card(await self._facts.fact(fact.id), entry)

    async def _edited(self, fact: Fact, part: str, entry: Entry) -> Answer:
        if fact.status != "active":
            return Answer(_(NOT_CURRENT).format(ref=fact.ref))
        await self._rights.over_fact(fact, entry)
        zone = self._space.zone_at(fact.since)
        try:
            if part == "value":
                return await self._with_value(fact, entry)
            if part == "question":
                await self._facts.changes.set_question(fact.id, checked_question(fact, entry.text, zone))
            else:
                patterns = [line.strip() for line in entry.text.splitlines() if line.strip()]
                await self._facts.changes.set_patterns(fact.id, checked_patterns(fact, patterns, zone))
        except NotSupported:
            return Answer(_(REFUSED[part]))
        return await self._card(await self._facts.fact(fact.id), entry)

    async def _with_value(self, fact: Fact, entry: Entry) -> Answer:
        """Keep the member's words as the source of the new value. Raises: NotSupported; nothing is written then."""
        words = Words(entry.text, entry.at, self._space.zone_at(entry.at))
        statement = with_value(fact, Source(0, words, entry.author, self._space.clock.now())).statement
        session_id = await self._space.sessions.current_session()
        stored = await keep_words(self._space, entry, session_id=session_id, turn_id=None, job=None)
        assert stored.id is not None
        stating = Stating(replace(statement, message_id=stored.id), fact.id, is_change=True)
        told = await apply_changes(self._facts, stored.id, [stating])
        if not told:
            return Answer(_(NOTHING_CHANGED).format(subject=literal(fact.subject), ref=fact.ref))
        return Answer(receipt_lines(told, self._space.preferences), receipt_buttons(told))

    async def _undone(self, change: LedgerChange, entry: Entry) -> Answer:
        if change.is_undone:
            return Answer(_(UNDONE_ALREADY))
        fact = await self._facts.fact(change.fact_id)
        if change.message_id is None:
            await self._rights.over_fact(fact, entry)
        else:
            await self._rights.over_words([change.message_id], entry)
        before = await self._facts.current(fact.subject_key)
        is_overtaken = await self._facts.changes.is_overtaken(change)
        await self._facts.changes.undo(change)
        if change.message_id is None:
            what = _(" and ").join(_(SET_NAMES[column]) for column in change.before)
            return Answer(_(UNDONE).format(what=what, subject=literal(fact.subject), ref=fact.ref))
        after = await self._facts.current(fact.subject_key)
        told = receipts({fact.subject_key: before}, {fact.subject_key: after})
        if told:
            return Answer(literal(told[0].line(self._space.preferences, is_undone=True)))
        if is_overtaken:
            return Answer(literal(_(OVERTAKEN).format(value=fact.value, ref=fact.ref)))
        if after is None:
            return Answer(literal(_(UNDONE_VALUE).format(value=fact.value, ref=fact.ref)))
        told_now = _(UNDONE_TO).format(value=fact.value, subject=fact.subject, now=after.value, ref=fact.ref)
        return Answer(literal(told_now))

    # Looked up

    async def _fact(self, number: str) -> Fact:
        """Return a fact that is there to be shown. Raises: UnknownId."""
        fact = await self._facts.fact(int(number) if _NUMBER.fullmatch(number) else 0)
        if fact.status == "forgotten":
            raise UnknownId(fact.ref)
        return fact

    async def _reply_target(self, fact: Fact, entry: Entry) -> int | None:
        place = await place_of_message(self._space, fact.message_id)
        return place.target(entry) if place else None

    async def _link(self, fact: Fact) -> str | None:
        place = await place_of_message(self._space, fact.message_id)
        return place.link if place else None
