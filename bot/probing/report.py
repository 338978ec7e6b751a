"""Report: what a member reads of an examination of their memory, in words that need no knowledge of it.

Pure: values in, Markdown and buttons out. The words of a member stand in it as quotations of their own; which of them,
and where a report goes, is decided by those who read rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from bot.probing.amiss import Amiss, layer_words, remedy
from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.catalogue import DAY_OF_YEAR, N_, _, ngettext, written
from memory.findings import Run
from memory.store.entries import Button
from memory.store.probe_alarms import Alarm

MOST_ITEMS = 5
QUOTED_CHARS = 160
DEAD_MAN_NIGHTS = 3

NOTHING_YET = N_(
    "Nothing to examine yet. Tell me something worth remembering; from then on I examine myself every night whether I "
    "still know it."
)
LONG_UNEXAMINED = N_(
    "⚠️ **My memory has not been examined for {nights} nights**: the last that ended was on {day}. Until one does, "
    "nobody would notice a loss. Please tell the operator; /health shows more."
)
NEVER_EXAMINED = N_(
    "⚠️ **My memory has not been examined for {nights} nights**: none ever ended. Until one does, nobody would notice a "
    "loss. Please tell the operator; /health shows more."
)

Mood = Literal["quiet", "loud"]


@dataclass(frozen=True)
class Findings:
    """An examination and what is news in it. `still` was told before; what was dismissed is in none of them."""

    run: Run
    ok: bool | None
    news: Sequence[Amiss] = ()
    still: Sequence[Alarm] = ()
    recovered: Sequence[Amiss] = ()
    changes: Sequence[str] = ()
    """What is different from the last healthy night."""
    healthy_on: date | None = None
    missed: int = 0
    """Nights before this one on which nothing was examined."""
    growth: tuple[int, int] | None = None
    """Tokens of a prompt in healthy nights before and now, where it has grown too much."""


@dataclass(frozen=True)
class Report:
    """What is said, whether it may ring, and whether it is more than the line of a night like others."""

    answer: Answer
    mood: Mood = "quiet"
    is_news: bool = False


def report(found: Findings, zone: ZoneInfo) -> Report:
    """Return the message about an examination."""
    alarms = [one for one in found.news if one.alarm.kind != "unaskable"]
    parts = [*_head(found, alarms), status_line(found, zone)]
    parts += [_item(number, one, zone, is_alone=len(alarms) == 1) for number, one in _shown(alarms)]
    if len(alarms) > MOST_ITEMS:
        parts.append(_("and {count} more: /probe").format(count=len(alarms) - MOST_ITEMS))
    if alarms:
        parts.append(_changed(found))
    parts += [*_recovered(found), *_remarks(found)]
    buttons = [_row(number, one, is_alone=len(alarms) == 1) for number, one in _shown(alarms)]
    if alarms:
        buttons.append((run_again(),))
    shows = tuple(f"m{one.message_id}" for _, one in _shown(alarms) if one.said and one.message_id is not None)
    is_news = bool(alarms or found.recovered)
    return Report(Answer("\n\n".join(parts), tuple(buttons), shows=shows), "loud" if alarms else "quiet", is_news)


def unexamined(reason: str, *, nights: int, since: date | None) -> Report:
    """Return the message of a night on which no examination came to an end; `nights` is how many that makes."""
    text = _("I could not examine myself last night: {reason}; nothing is called lost.").format(reason=reason)
    if nights < DEAD_MAN_NIGHTS:
        return Report(Answer(text))
    alarm = _(LONG_UNEXAMINED if since else NEVER_EXAMINED).format(nights=nights, day=_day(since) if since else "")
    return Report(Answer(f"{alarm}\n\n{text}", ((run_again(),),)), "loud", is_news=True)


def status_line(found: Findings, zone: ZoneInfo) -> str:
    """Return the one line that sums up an examination."""
    run = found.run
    if not run.results and found.ok and not found.still:
        return _(NOTHING_YET)
    known = [one.verdict for one in run.results if one.verdict not in ("unknown", "unaskable")]
    sources = [one.source for one in run.results if one.source in ("pass", "lost")]
    parts = [_("Memory {passed}/{known}").format(passed=known.count("pass"), known=len(known))]
    unknown = sum(one.verdict == "unknown" for one in run.results)
    parts += [_("{count} unknown").format(count=unknown)] if unknown else []
    if sources:
        parts.append(_("sources {passed}/{known}").format(passed=sources.count("pass"), known=len(sources)))
    parts += [_canary(run)] if run.results or run.canary else []
    parts += [_integrity(run), _cost(run)]
    parts += [_still(found.still, zone)] if found.still else []
    return " · ".join(parts)


def well_again(recovered: Sequence[Amiss]) -> str:
    """Return the line that names what is amiss no more."""
    return _("✓ Well again: {names}.").format(names=", ".join(_name(one) for one in recovered))


def run_again() -> Button:
    """Return the button that examines once more."""
    return Button(text=_("Run again"), data="prun:", typed="/probe")


def _head(found: Findings, alarms: Sequence[Amiss]) -> Iterator[str]:
    if alarms:
        yield ngettext(
            "⚠️ **I examined my memory and found something amiss.**",
            "⚠️ **I examined my memory and found {count} things amiss.**",
            len(alarms),
        ).format(count=len(alarms))
    if found.missed:
        yield ngettext(
            "Before this, one night passed without an examination; this one makes up for it.",
            "Before this, {count} nights passed without an examination; this one makes up for it.",
            found.missed,
        ).format(count=found.missed)


def _shown(alarms: Sequence[Amiss]) -> list[tuple[int, Amiss]]:
    return list(enumerate(alarms[:MOST_ITEMS], start=1))


def _item(number: int, one: Amiss, zone: ZoneInfo, *, is_alone: bool) -> str:
    alarm = one.alarm
    names = [] if is_alone else [f"**{number}**"]
    names += [f"**{literal(one.about)}**"] if one.about else []
    names += [alarm.ref] if alarm.kind not in ("canary", "integrity") else []
    names.append(_("since {day}").format(day=_day(alarm.raised_at.astimezone(zone))))
    lines = [" · ".join(names)]
    if one.said:
        said = _("You said:") if one.message_id is None else _("You said (m{message}):").format(message=one.message_id)
        lines += [said, f"{quotation(one.said)}\n"]
    return "\n".join([*lines, f"{layer_words(alarm)} {remedy(one)}".strip()])


def _row(number: int, one: Amiss, *, is_alone: bool) -> tuple[Button, ...]:
    mark = "" if is_alone else f" {number}"
    of_alarm, ref = one.alarm.id, one.alarm.ref
    restore = Button(
        text=_("Restore") + mark if mark or one.is_derived else _("Restore from source"),
        data=f"prestore:{of_alarm}",
        typed=f"/probe restore {ref}",
    )
    source = Button(
        text=_("Source") + mark if mark else _("Show source"),
        data=f"psource:{of_alarm}",
        typed=f"/probe source {ref}",
    )
    dismiss = Button(text=_("Dismiss") + mark, data=f"pdismiss:{of_alarm}", typed=f"/probe dismiss {ref}")
    return (
        *((restore,) if one.can_be_restored else ()),
        *((source,) if one.message_id is not None else ()),
        dismiss,
    )


def _changed(found: Findings) -> str:
    if found.healthy_on is None:
        return _("There was no healthy night before this to compare with.")
    day = _day(found.healthy_on)
    if not found.changes:
        return _(
            "Nothing about the program, its model or its settings has changed since the last healthy night ({day})."
        ).format(day=day)
    return _("What has changed since the last healthy night ({day}): {changes}.").format(
        day=day, changes=literal("; ".join(found.changes))
    )


def _recovered(found: Findings) -> Iterator[str]:
    if found.recovered:
        yield well_again(found.recovered)


def _name(one: Amiss) -> str:
    match one.alarm.kind:
        case "canary":
            return _("learning and forgetting")
        case "integrity":
            return _("my files ({ref})").format(ref=one.alarm.ref)
        case _:
            return f"{literal(one.about)} ({one.alarm.ref})" if one.about else one.alarm.ref


def _remarks(found: Findings) -> Iterator[str]:
    refs = [one.alarm.ref for one in found.news if one.alarm.kind == "unaskable"]
    if refs:
        yield _(
            "I can't examine {refs}: the question can be answered without the fact, or does not fit it. Nothing is "
            "lost by that; `/facts {ref} question …` gives a better one."
        ).format(refs=", ".join(refs), ref=refs[0])
    why = _unfinished(found)
    if why:
        yield _("I could not examine all of it: {why}; nothing is called lost by that.").format(why=why)
    if found.run.judge.is_reliable is False:
        yield _(
            "The model that compares answers failed its own test, so what it alone would have decided is left open."
        )
    if found.growth is not None:
        before, now = found.growth
        yield _(
            "What I read before an answer has grown to {now} tokens ({before} before), so answers cost more."
        ).format(now=f"{now:,}", before=f"{before:,}")


def _unfinished(found: Findings) -> str:
    """Return why not all was examined, "" where it was; a case whose turn comes another night was not missed."""
    if not found.run.results:
        return ""
    if found.run.stopped == "budget":
        return _("the money for it was spent")
    if found.run.stopped == "model":
        return _("the model gave no answers")
    is_unknown = found.ok is None or any(one.verdict == "unknown" for one in found.run.results)
    return _("some answers are missing") if is_unknown else ""


def _canary(run: Run) -> str:
    if run.canary is None or run.canary.is_well is None:
        return _("canary unknown")
    return _("canary ok") if run.canary.is_well else _("canary failed")


def _integrity(run: Run) -> str:
    if not run.has_integrity:
        return _("integrity unknown")
    if not run.integrity:
        return _("integrity ok")
    return _("integrity {count} found").format(count=len(run.integrity))


def _cost(run: Run) -> str:
    if not run.has_model_arms:
        return _("model rests")
    return _("cost unknown") if run.usd is None else f"{run.usd * 100:.1f} ¢"


def _still(alarms: Sequence[Alarm], zone: ZoneInfo) -> str:
    since = min(alarm.raised_at for alarm in alarms).astimezone(zone)
    are_lost = all(alarm.kind == "lost" for alarm in alarms)
    told = _("still lost: {count} (since {day})") if are_lost else _("still amiss: {count} (since {day})")
    return told.format(count=len(alarms), day=_day(since))


def shortened(text: str) -> str:
    """Return as much of what was said as a report quotes."""
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTED_CHARS else f"{flat[: QUOTED_CHARS - 1]}…"


def _day(day: date | datetime) -> str:
    return written(day, DAY_OF_YEAR)
