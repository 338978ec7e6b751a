"""Regressions: what an examination found, joined with the words it is about, for a report to the member.

Reads rows and writes none. Whether something is news is told from when the member was last told anything.
"""

from contextlib import suppress
from datetime import datetime

from bot.probing.amiss import Amiss
from bot.probing.report import Findings, shortened, status_line
from memory.catalogue import MOMENT_OF_YEAR, _, written
from memory.errors import UnknownId
from memory.findings import Run
from memory.ledger.facts import Fact
from memory.probe.gate import growth_of
from memory.space import Space
from memory.store.probe_alarms import Alarm
from memory.store.probe_runs import StoredRun

REPORTED, PROBED = "report:", "probed:"
"""How the keys of messages begin that tell of examinations: of nights, and of those that were asked for."""


async def findings_of(space: Space, stored: StoredRun, *, missed: int = 0) -> Findings:
    """Return what a report of this run tells."""
    probes = space.probes
    told_at = await last_told(space)
    raised = {alarm.id for alarm in await probes.just_raised(stored.id)}
    open_ = [alarm for alarm in await probes.open_alarms() if alarm.dismissed_at is None]
    news = [alarm for alarm in open_ if alarm.id in raised or told_at is None or alarm.raised_at > told_at]
    cleared = [
        alarm
        for alarm in await probes.just_cleared(stored.id)
        if alarm.dismissed_at is None and told_at is not None and alarm.raised_at <= told_at
    ]
    healthy = await probes.last_healthy()
    return Findings(
        run=stored.run,
        ok=stored.ok,
        news=[await amiss(space, alarm, stored.run) for alarm in news],
        still=[alarm for alarm in open_ if alarm not in news and alarm.kind != "unaskable"],
        recovered=[await amiss(space, alarm, stored.run) for alarm in cleared if alarm.kind != "unaskable"],
        changes=stored.run.fingerprint.changes_since(healthy.run.fingerprint) if healthy else (),
        healthy_on=healthy.night or healthy.run.ended_at.astimezone(space.zone).date() if healthy else None,
        missed=missed,
        growth=growth_of(stored.run, await probes.baselines(before=stored.id)),
    )


async def amiss(space: Space, alarm: Alarm, run: Run | None) -> Amiss:
    """Return an alarm with what the member said of it, as far as that is still there."""
    if alarm.kind == "integrity":
        findings = [one for one in run.integrity if one.about == alarm.ref] if run is not None else []
        return Amiss(alarm, is_derived=bool(findings) and all(one.can_be_rebuilt for one in findings))
    if alarm.ref.startswith("q") and (question := await _question(space, alarm.ref)) is not None:
        return Amiss(alarm, about=shortened(question))
    fact = await fact_of(space, alarm.ref)
    message_id = fact.message_id if fact else None
    if message_id is None and run is not None:
        message_id = next((one.message_id for one in run.results if one.ref == alarm.ref), None)
    said = await _text(space, message_id)
    if fact is not None and fact.private:
        # Its words are a secret, and the message holds them masked: nothing to show, nothing to read again.
        return Amiss(alarm, about=f"🔒 {fact.about}")
    # The quote of a damaged row may be damaged too: what stands in the message is what was said.
    quote = fact.quote if fact is not None and fact.quote and fact.quote in said else said
    return Amiss(alarm, fact.about if fact else "", shortened(quote), message_id if said else None)


async def fact_of(space: Space, ref: str) -> Fact | None:
    """Return the fact an alarm is about, if its row is there."""
    if ref[:1] == "f" and ref[1:].isdecimal():
        with suppress(UnknownId):
            return await space.facts.fact(int(ref[1:]))
    return None


async def last_told(space: Space) -> datetime | None:
    """Return when the member last had a report of any kind."""
    times = [await space.mailbox.last_posted(prefix) for prefix in (REPORTED, PROBED)]
    return max((time for time in times if time is not None), default=None)


async def last_line(space: Space) -> str:
    """Return when the last examination was and its line; "" where there was none."""
    stored = await space.probes.last_done()
    if stored is None:
        return ""
    at = written(stored.run.ended_at.astimezone(space.zone), MOMENT_OF_YEAR)
    found = await findings_of(space, stored)
    return _("Last examined on {at}: {status}").format(at=at, status=status_line(found, space.zone))


async def _question(space: Space, ref: str) -> str | None:
    return next((one.question for one in await space.probes.questions.all() if one.ref == ref), None)


async def _text(space: Space, message_id: int | None) -> str:
    if message_id is not None:
        with suppress(UnknownId):
            return (await space.sessions.message(message_id)).text
    return ""
