"""`/probe`: examine now, read what was found, ask a question every night, restore or dismiss what is amiss.

By button or by command, in the transaction of the answer; an examination and a restoring are jobs.
"""

import re
from collections.abc import Awaitable, Callable

from bot.commands.facts import Press
from bot.commands.probe_questions import ProbeQuestionCommands
from bot.commands.recall import RecallCommands
from bot.commands.rights import Rights
from bot.probing.amiss import layer_words
from bot.probing.regressions import amiss, last_line
from bot.probing.restoring import ordered
from bot.quoting import literal
from bot.turn.answer import Answer
from bot.turn.topics import topic_of
from memory.catalogue import N_, WEEKDAY_OF_YEAR, _, ngettext, written
from memory.errors import UnknownId
from memory.findings import CaseResult
from memory.space import Space
from memory.store.entries import Entry
from memory.store.jobs import PROBE
from memory.store.probe_alarms import Alarm

SHOWN_NIGHTS = 7

BEGUN = N_("I examine my memory now, on a copy; that may take some minutes. A report follows. {last}")
QUEUED = N_("Another memory is being examined just now; yours comes next. A report follows. {last}")
ON_ITS_WAY = N_("An examination was asked for already; its report follows.")
NOT_HERE = N_("I can't examine myself here.")
FIRST = N_("It is the first.")
NEVER_ASKED = N_("No examination has looked at {ref} yet.")
NOTHING_AMISS = N_("Nothing is amiss about {ref}.")
DISMISSED = N_("Dismissed: I stay quiet about {ref} until it is well again or something else of it is found amiss.")
GONE = N_("That is over already; /probe examines anew.")
THE_MESSAGE = N_("message of {ref}")
HOW = N_(
    "/probe examines me now. `/probe f12` shows what the last nights said of a fact; `/probe add QUESTION = ANSWER` "
    "lets me be asked something every night, `/probe list` shows those questions, `/probe drop q3` takes one back. "
    "`/probe restore f12`, `/probe source f12` and `/probe dismiss f12` do what the buttons of a report do."
)
_VERDICTS = {
    "pass": N_("known"),
    "lost": N_("lost"),
    "leak": N_("would survive forgetting"),
    "stale": N_("an old value stands as current"),
    "unaskable": N_("cannot be examined"),
    "unknown": N_("not known: no finished answer"),
}
_REF = re.compile(r"[fq][0-9]{1,18}", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")

Serve = Callable[[str, Entry], Awaitable[Answer]]


class ProbeCommands:
    """/probe and the buttons of reports, in one space.

    `is_busy` tells whether an examination is under way in this process; None where none can be made.
    """

    def __init__(
        self, space: Space, rights: Rights, recall: RecallCommands, *, is_busy: Callable[[], bool] | None
    ) -> None:
        self._space = space
        self._recall = recall
        self._is_busy = is_busy
        questions = ProbeQuestionCommands(space, rights)
        self._serves: dict[str, Serve] = {
            "add": questions.add,
            "list": questions.list_,
            "drop": questions.drop,
            "restore": self._of_ref(self._restore),
            "source": self._of_ref(self._source),
            "dismiss": self._of_ref(self._dismiss),
        }

    def presses(self) -> dict[str, Press]:
        """Return the handlers of presses by prefix."""
        return {
            "prun": lambda entry, rest: self._run(entry),
            "prestore": self._of_press(self._restore),
            "psource": self._of_press(self._source),
            "pdismiss": self._of_press(self._dismiss),
        }

    async def probe(self, rest: str, entry: Entry) -> Answer:
        """Answer `/probe` with whatever follows. Raises: MemberMustAct."""
        if not rest:
            return await self._run(entry)
        if _REF.fullmatch(rest):
            return await self._about(rest.lower())
        word, _space, more = rest.partition(" ")
        serve = self._serves.get(word.lower())
        return await serve(more.strip(), entry) if serve else Answer(_(HOW))

    async def _run(self, entry: Entry) -> Answer:
        if self._is_busy is None:
            return Answer(_(NOT_HERE))
        if await self._space.jobs.is_waiting(PROBE):
            return Answer(_(ON_ITS_WAY))
        await self._space.jobs.add(PROBE, f"{PROBE}:{entry.source}", topic_of(entry))
        words = QUEUED if self._is_busy() else BEGUN
        return Answer(_(words).format(last=await last_line(self._space) or _(FIRST)))

    async def _about(self, ref: str) -> Answer:
        said = await self._space.probes.results_of(ref, SHOWN_NIGHTS)
        if not said:
            await self._check(ref)
            return Answer(_(NEVER_ASKED).format(ref=ref))
        zone = self._space.zone
        lines = [f"• {written(at.astimezone(zone), WEEKDAY_OF_YEAR)}: {_said(one)}" for at, one in said]
        alarm = await self._open_alarm(ref)
        about = (await amiss(self._space, alarm, None)).about if alarm else ""
        head = f"**{literal(about)}** · {ref}" if about else f"**{ref}**"
        return Answer("\n".join([head, *lines, *([layer_words(alarm)] if alarm else [])]))

    async def _check(self, ref: str) -> None:
        """Raises: UnknownId for a fact or a question that is not there."""
        number = int(ref[1:])
        if ref[0] == "f":
            await self._space.facts.fact(number)
        elif all(question.id != number for question in await self._space.probes.questions.all()):
            raise UnknownId(ref)

    # Of one alarm

    async def _restore(self, alarm: Alarm, entry: Entry) -> Answer:
        return await ordered(self._space, alarm, entry)

    async def _source(self, alarm: Alarm, entry: Entry) -> Answer:
        last = await self._space.probes.last_done()
        one = await amiss(self._space, alarm, last.run if last else None)
        if one.message_id is None:
            raise UnknownId(_(THE_MESSAGE).format(ref=alarm.ref))
        return await self._recall.recall(f"m{one.message_id}", entry)

    async def _dismiss(self, alarm: Alarm, entry: Entry) -> Answer:
        await self._space.probes.dismiss(alarm.id)
        return Answer(_(DISMISSED).format(ref=alarm.ref), is_spent=True)

    def _of_press(self, serve: Callable[[Alarm, Entry], Awaitable[Answer]]) -> Press:
        async def pressed(entry: Entry, rest: str) -> Answer:
            alarm = await self._space.probes.alarm(int(rest)) if _NUMBER.fullmatch(rest) else None
            return await serve(alarm, entry) if alarm and alarm.cleared_at is None else Answer(_(GONE), is_spent=True)

        return pressed

    def _of_ref(self, serve: Callable[[Alarm, Entry], Awaitable[Answer]]) -> Serve:
        async def typed(rest: str, entry: Entry) -> Answer:
            alarm = await self._open_alarm(rest)
            if alarm is None:
                return Answer(_(NOTHING_AMISS).format(ref=literal(rest[:40])) if rest else _(HOW))
            return await serve(alarm, entry)

        return typed

    async def _open_alarm(self, ref: str) -> Alarm | None:
        alarms = await self._space.probes.open_alarms()
        return next((one for one in alarms if one.ref.casefold() == ref.casefold()), None)


def _said(one: CaseResult) -> str:
    parts = [_(_VERDICTS[one.verdict]) + (f" ({one.layer})" if one.layer else "")]
    parts += [_(one.detail)] if one.detail else []
    if one.mentions:
        told = ngettext("{count} other mentions of it", "{count} other mentions of it", one.mentions)
        parts.append(told.format(count=one.mentions))
    parts += [_("its source is not found by search alone")] if one.source == "lost" else []
    return ", ".join(parts)
