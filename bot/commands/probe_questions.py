"""`/probe add`, `list` and `drop`: what a member wants to be asked every night, beside the facts of the ledger.

A question is taken only if an examination of it can mean something: its answer must be recognisable in an answer, must
not stand in the question, and must be something that was said.
"""

import re

from bot.commands.rights import Rights
from bot.quoting import literal
from bot.turn.answer import Answer
from memory.catalogue import N_, _
from memory.ledger.askable import Value, gives_away, usable_patterns
from memory.ledger.dates import find_dates
from memory.ledger.editing import MAX_QUESTION_CHARS
from memory.ledger.facts import Fact
from memory.ledger.subjects import share_words
from memory.ledger.support import MAX_VALUE_CHARS
from memory.probe.cases import stated
from memory.space import Space
from memory.store.entries import Entry
from memory.store.probe_questions import ProbeQuestion
from memory.store.redaction import is_masked

MOST_QUESTIONS = 50
LOOKED_AT = 25

ADD_HOW = N_("Say it as `/probe add When is the tax report due? = 12 March`.")
BLANK = N_("A question and its answer belong on either side of one “=”.")
SEVERAL = N_(
    "There are several “=” in that, so I can't tell the question from the answer. Leave one, or put spaces around that "
    "one alone."
)
TOO_LONG = N_("That is too long: at most {question} characters of question and {answer} of answer.")
SECRET = N_("That holds something secret, so I keep no question about it.")
GIVEN_AWAY = N_("The answer stands in the question, so anybody could give it. Ask without it.")
TOO_COMMON = N_(
    "I could not tell that answer from any other: nothing in it is its own (a name, a number, a date, a word of "
    "substance). Give a fuller answer."
)
NOT_SAID = N_(
    "Nothing you told me says “{answer}”, so I could only fail. `/remember {question} {answer}` keeps it; then add the "
    "question again."
)
KNOWN = N_("I am asked that already ({ref}).")
FULL = N_("I am asked {count} questions of yours already; `/probe drop q3` makes room.")
ADDED = N_("From tonight on I am asked: “{question}” Expected: {answer} ({ref}). `/probe drop {ref}` takes it back.")
ADDED_BY = N_(
    "From tonight on I am asked: “{question}” Expected: {answer} ({ref}, by {by}). `/probe drop {ref}` takes it back."
)
NONE = N_("There is no question of yours yet.")
DROPPED = N_("I am no longer asked {ref}.")
DROP_HOW = N_("Say which: `/probe drop q3`; `/probe list` shows them.")

_SPACED = re.compile(r"\s=\s")
_REF = re.compile(r"q([0-9]{1,18})", re.IGNORECASE)


class ProbeQuestionCommands:
    """The questions of one space's members. Every write joins the caller's transaction."""

    def __init__(self, space: Space, rights: Rights) -> None:
        self._space = space
        self._rights = rights
        self._questions = space.probes.questions

    async def add(self, rest: str, entry: Entry) -> Answer:
        """Answer `/probe add QUESTION = ANSWER`."""
        parted = _parted(rest)
        if isinstance(parted, str):
            return Answer(parted)
        question, answer = parted
        asked = await self._questions.all()
        same = next((one for one in asked if one.question.casefold() == question.casefold()), None)
        refused = _(KNOWN).format(ref=same.ref) if same else None
        if refused is None and len(asked) >= MOST_QUESTIONS:
            refused = _(FULL).format(count=MOST_QUESTIONS)
        value = Value(answer, find_dates(answer, entry.at, self._space.zone))
        refused = refused or _refused(question, value)
        patterns = usable_patterns((), value, question=question, replaced=None, rivals=())
        if refused or not patterns:
            return Answer(refused or _(TOO_COMMON))
        fact = await self._fact_that_says(question, patterns)
        if fact is None and not await self._is_said(question, answer, patterns):
            return Answer(_(NOT_SAID).format(question=literal(question), answer=literal(answer)))
        added = await self._questions.add(
            question, answer, patterns=patterns, fact_id=fact.id if fact else None, author_id=entry.author_id
        )
        told = _(ADDED_BY if fact else ADDED)
        by = fact.ref if fact else ""
        return Answer(told.format(question=literal(question), answer=literal(answer), ref=added.ref, by=by))

    async def list_(self, rest: str, entry: Entry) -> Answer:
        """Answer `/probe list`."""
        asked = await self._questions.all()
        return Answer("\n".join(_line(one) for one in asked) if asked else f"{_(NONE)} {_(ADD_HOW)}")

    async def drop(self, rest: str, entry: Entry) -> Answer:
        """Answer `/probe drop q3`. Raises: UnknownId, NotTheirs."""
        match = _REF.fullmatch(rest)
        if match is None:
            return Answer(_(DROP_HOW))
        number = int(match[1])
        for one in await self._questions.all():
            if one.id == number:
                self._rights.over_own(one.author_id, entry)
        await self._questions.remove(number)
        return Answer(_(DROPPED).format(ref=f"q{number}"))

    async def _fact_that_says(self, question: str, patterns: tuple[str, ...]) -> Fact | None:
        """Return the active fact whose value is the answer; of several, one that the question is about."""
        said = [fact for fact in await self._space.facts.active() if stated(patterns, fact.value)]
        return next((fact for fact in said if share_words(fact.subject, question)), said[0] if said else None)

    async def _is_said(self, question: str, answer: str, patterns: tuple[str, ...]) -> bool:
        for query in (answer, question):
            found = await self._space.recall.search(query, k=LOOKED_AT)
            if any(stated(patterns, item.text) for item in found.items):
                return True
        return False


def _parted(text: str) -> tuple[str, str] | str:
    """Return question and answer, or what is wrong."""
    spaced = list(_SPACED.finditer(f"{text} "))
    if len(spaced) == 1:
        start, stop = spaced[0].span()
    elif text.count("=") == 1:
        start, stop = text.index("="), text.index("=") + 1
    else:
        return f"{_(SEVERAL if '=' in text else BLANK)} {_(ADD_HOW)}"
    question, answer = (" ".join(part.split()) for part in (text[:start], text[stop:]))
    return (question, answer) if question and answer else f"{_(BLANK)} {_(ADD_HOW)}"


def _refused(question: str, value: Value) -> str | None:
    if len(question) > MAX_QUESTION_CHARS or len(value.text) > MAX_VALUE_CHARS:
        return _(TOO_LONG).format(question=MAX_QUESTION_CHARS, answer=MAX_VALUE_CHARS)
    if is_masked(question) or is_masked(value.text):
        return _(SECRET)
    return _(GIVEN_AWAY) if gives_away(question, value) and _has_substance(value) else None


def _has_substance(value: Value) -> bool:
    """Whether the answer could be recognised at all, whatever is asked."""
    return bool(usable_patterns((), value, question="", replaced=None, rivals=()))


def _line(one: ProbeQuestion) -> str:
    by = f" (f{one.fact_id})" if one.fact_id is not None else ""
    return f"• {one.ref} {literal(one.question)} = {literal(one.answer)}{by}"
