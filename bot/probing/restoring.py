"""Restoring: what an examination found lost is made anew from its exact source, and examined once more.

A job does it, so that a crash on the way leaves nothing half done: each step may be repeated. Words that are gone
themselves cannot be restored here; the member is told so.
"""

import logging
from collections.abc import Sequence

from bot.probing.amiss import RESTORABLE
from bot.probing.examining import Examination
from bot.probing.regressions import amiss, fact_of
from bot.probing.report import well_again
from bot.quoting import literal
from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from bot.turn.topics import in_topic, topic_of
from memory.catalogue import N_, _
from memory.errors import MemoryFault
from memory.findings import CaseResult
from memory.integrity import rebuild
from memory.ledger.extract import Extractor
from memory.ledger.facts import Fact
from memory.probe.cases import Case, UnsoundPattern, cases_of
from memory.probe.standing import doubt
from memory.space import Space
from memory.store.entries import Entry
from memory.store.jobs import PROBE, RESTORE, Job
from memory.store.probe_alarms import Alarm

log = logging.getLogger(__name__)

IN_LEDGER = frozenset({"extracted", "active"})
"""Layers that are mended by reading the message again; the others by making the index anew."""

BEGUN = N_("I restore {ref} from m{message} and examine it once more; that may take a minute. A line follows.")
BEGUN_ANEW = N_("I make what does not agree ({ref}) anew and examine all of my memory; that may take some minutes.")
NO_SOURCE = N_(
    "There is nothing left to restore {ref} from: the message in which it was said is gone. Tell me again, or ask the "
    "operator for a backup."
)
NOTHING_LOST = N_(
    "Nothing of {ref} is missing from my storage, so there is nothing to restore. `/facts {ref} pin` puts it in "
    "front of every answer, `/facts {ref} question …` gives it another question to be found by."
)
RESTORED = N_("✓ Well again: **{about}**: {value} ({ref}). I restored it from m{message} and examined it once more.")
RENAMED = N_("{old} was damaged and is set aside; what you said is {ref} from now on.")
UNEXAMINED = N_(
    "I restored **{about}**: {value} ({ref}) from m{message}. Whether I know it again I could not examine just now; "
    "the next examination will tell, and /probe does it at once."
)
NOT_FOUND = N_(
    "I made what I could anew from m{message}, but examined once more I still do not know it. `/recall m{message}` "
    "shows what you said; telling me again keeps it anew."
)


class Restoring:
    """Restores facts of one space."""

    def __init__(self, space: Space, extractor: Extractor, examination: Examination, screen: Screen) -> None:
        self._space = space
        self._extractor = extractor
        self._examination = examination
        self._screen = screen

    async def restore(self, job: Job) -> None:
        """Make what an alarm is about anew, examine it and tell what came of it. Raises: MemoryFault."""
        alarm = await self._space.probes.alarm(job.payload["alarm"])
        if alarm.kind == "integrity":
            await self._make_anew(job)
            return
        message_id = job.payload["message"]
        if alarm.layer in IN_LEDGER:
            await self._read_again(alarm, message_id)
        else:
            await rebuild(self._space)
        told = await self._examined(alarm, message_id)
        async with self._space.db.transaction():
            answer = formed(self._screen, Answer(told, shows=(f"m{message_id}",)), None)
            for number, message in enumerate(in_topic(answer, job.payload)):
                await self._space.mailbox.post(f"restored:{job.id}:{number}", message)
            await self._space.jobs.finish(job.id)

    async def _make_anew(self, job: Job) -> None:
        """Make anew what is derived, and have all of the memory examined: any of it may have hung on that."""
        await rebuild(self._space)
        async with self._space.db.transaction():
            await self._space.jobs.add(PROBE, f"{PROBE}:restored:{job.id}", job.payload)
            await self._space.jobs.finish(job.id)

    async def _read_again(self, alarm: Alarm, message_id: int) -> None:
        """Enter anew what the message states; its rows that are sound stay as they are."""
        facts = self._space.facts
        async with self._space.db.transaction():
            await self._clear_damage(await fact_of(self._space, alarm.ref))
            before = {fact.id for fact in await facts.from_messages([message_id])}
        extraction = await self._extractor.run(message_id)
        async with self._space.db.transaction():
            await self._extractor.apply(extraction)
            entered = [fact for fact in await facts.from_messages([message_id]) if fact.id not in before]
            for fact, lost_id in zip(entered, await self._lost_ids(alarm, message_id), strict=False):
                await facts.renumber(fact.id, lost_id)

    async def _clear_damage(self, fact: Fact | None) -> None:
        """Let a row say again what its subject's history gives it; one that cannot be right is set aside."""
        if fact is None:
            return
        await self._space.facts.settle(fact.subject_key)
        case = await self._case(fact.ref)
        if case is None or await self._is_doubtful(case):
            await self._space.facts.set_aside(fact.id)

    async def _is_doubtful(self, case: Case) -> bool:
        try:
            return bool(await doubt(self._space, case))
        except UnsoundPattern:
            return True

    async def _lost_ids(self, alarm: Alarm, message_id: int) -> list[int]:
        """Return the ids of this message's facts whose rows are gone, as the last examination knew them."""
        stored = await self._space.probes.last_done()
        known = stored.run.results if stored else ()
        refs = {one.ref for one in known if one.message_id == message_id} | {alarm.ref}
        missing = [ref for ref in refs if ref.startswith("f") and await fact_of(self._space, ref) is None]
        return sorted(int(ref[1:]) for ref in missing)

    async def _examined(self, alarm: Alarm, message_id: int) -> str:
        """Examine what was restored, and return what came of it."""
        case = await self._case(await self._ref_now(alarm.ref))
        if case is None:
            return _(NOT_FOUND).format(message=message_id)
        before = await self._space.probes.open_alarms()
        result = await self._result(case.ref, alarm.ref)
        if result is not None and result.verdict == "lost":
            return _(NOT_FOUND).format(message=message_id)
        fact = await fact_of(self._space, case.ref)
        words = RESTORED if result is not None and result.verdict == "pass" else UNEXAMINED
        about = literal(fact.about if fact else case.question)
        lines = [_(words).format(about=about, value=literal(case.value), ref=case.ref, message=message_id)]
        lines += [_(RENAMED).format(old=alarm.ref, ref=case.ref)] if case.ref != alarm.ref else []
        return "\n".join([*lines, *await self._also_well(alarm, before)])

    async def _result(self, ref: str, old_ref: str) -> CaseResult | None:
        """Examine a case, and return what was found; None where that came to nothing."""
        try:
            run, _gate = await self._examination.run(self._space, only=tuple({ref, old_ref}))
        except (MemoryFault, OSError) as error:
            log.warning("restored, not examined: space=%s error=%s", self._space.id, type(error).__name__)
            return None
        return next((one for one in run.results if one.ref == ref), None)

    async def _also_well(self, alarm: Alarm, before: Sequence[Alarm]) -> list[str]:
        """Return the line that names what else is well by this, if anything is."""
        now = {one.id for one in await self._space.probes.open_alarms()}
        cleared = [one for one in before if one.id not in now and one.id != alarm.id and one.dismissed_at is None]
        return [well_again([await amiss(self._space, one, None) for one in cleared])] if cleared else []

    async def _ref_now(self, ref: str) -> str:
        """Return what holds of the subject of a fact, where its own row was set aside."""
        fact = await fact_of(self._space, ref)
        now = await self._space.facts.current(fact.subject_key) if fact else None
        return now.ref if now else ref

    async def _case(self, ref: str) -> Case | None:
        return next((case for case in await cases_of(self._space) if case.ref == ref), None)


async def ordered(space: Space, alarm: Alarm, entry: Entry) -> Answer:
    """Queue what restores an alarm's fact and return the answer; one that says why nothing can be restored.

    Joins the caller's transaction.
    """
    last = await space.probes.last_done()
    one = await amiss(space, alarm, last.run if last else None)
    if one.is_derived:
        await space.jobs.add(RESTORE, f"{RESTORE}:{entry.source}", {"alarm": alarm.id, **topic_of(entry)})
        return Answer(_(BEGUN_ANEW).format(ref=alarm.ref), is_spent=True)
    if alarm.kind != "lost" or alarm.layer not in RESTORABLE | {"stored"}:
        return Answer(_(NOTHING_LOST).format(ref=alarm.ref))
    if alarm.layer == "stored" or one.message_id is None:
        return Answer(_(NO_SOURCE).format(ref=alarm.ref))
    payload = {"alarm": alarm.id, "message": one.message_id, **topic_of(entry)}
    await space.jobs.add(RESTORE, f"{RESTORE}:{entry.source}", payload)
    return Answer(_(BEGUN).format(ref=alarm.ref, message=one.message_id), is_spent=True)
