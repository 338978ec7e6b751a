"""Report: what a member reads of an examination of their memory, in words that need no knowledge of it.

Pure: values in, Markdown and buttons out. The words of a member stand in it as quotations of their own; which of them,
and where a report goes, is decided by those who read rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.findings import Run
from memory.store.mailbox import Button
from memory.store.probe_alarms import Alarm

MOST_ITEMS = 5
QUOTED_CHARS = 160
DEAD_MAN_NIGHTS = 3

NOTHING_YET = (
    "Nothing to examine yet. Tell me something worth remembering; from then on I examine myself every night whether I "
    "still know it."
)
LOST: Mapping[str, str] = {
    "stored": "The message in which you said it is gone from my storage.",
    "extracted": "The message is there, but the fact that I had made of it is gone from my list.",
    "active": "It is in my list, but not as you said it: altered, or marked as no longer true though nobody said so.",
    "rendered": "It is in my list of facts, but the list I read before I answer does not show it.",
    "segment": "The message is there, but the part of it that I search is gone or damaged.",
    "indexed": "The message is there, but my search index has lost it.",
    "ranked": "The message is in my search index, but a question about it no longer finds it.",
    "packed": "A search finds the message, but it no longer gets among what I read before I answer.",
    "read": "It was in front of me, and I answered without it or wrongly all the same.",
}
"""Where a fact was lost, by the layer that says no first."""
PLACES: Mapping[str, str] = {
    "ledger": "my list of facts",
    "recalled": "what I find by searching",
    "handoff": "my summary of earlier talk",
    "journal": "my journal",
    "procedure": "a procedure",
    "vectors": "my search by meaning",
}
REMEDIES: Mapping[str, str] = {
    "stored": "I can't bring it back by myself: tell me again, or ask the operator for a backup.",
    "extracted": "I can read the message again.",
    "active": "I can read the message again.",
    "rendered": "I can make its index anew; pinning it (`/facts {ref} pin`) puts it first.",
    "segment": "I can cut and index the message again.",
    "indexed": "I can make the index anew.",
    "ranked": "I can make the index anew; another question (`/facts {ref} question …`) may find it better.",
    "packed": "Nothing is lost from my storage; pinning it (`/facts {ref} pin`) puts it first.",
    "read": "Nothing is lost from my storage; a clearer question (`/facts {ref} question …`) may help.",
}
RESTORABLE = frozenset({"extracted", "active", "rendered", "segment", "indexed", "ranked"})
"""Layers that can be made anew from the message itself."""

Mood = Literal["quiet", "loud"]


@dataclass(frozen=True)
class Amiss:
    """One thing that is amiss. `said` is what the member said of it, shortened; "" where that is gone or private.

    `is_derived`: of files, and those can be made anew from others that are sound.
    """

    alarm: Alarm
    about: str = ""
    said: str = ""
    message_id: int | None = None
    is_derived: bool = False

    @property
    def can_be_restored(self) -> bool:
        has_source = self.alarm.kind == "lost" and self.alarm.layer in RESTORABLE and self.message_id is not None
        return has_source or self.is_derived


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
        parts.append(f"and {len(alarms) - MOST_ITEMS} more: /probe")
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
    text = f"I could not examine myself last night: {reason}; nothing is called lost."
    if nights < DEAD_MAN_NIGHTS:
        return Report(Answer(text))
    last = f"the last that ended was on {_day(since)}" if since else "none ever ended"
    text = (
        f"⚠️ **My memory has not been examined for {nights} nights**: {last}. Until one does, nobody would notice a "
        f"loss. Please tell the operator; /health shows more.\n\n{text}"
    )
    return Report(Answer(text, ((run_again(),),)), "loud", is_news=True)


def status_line(found: Findings, zone: ZoneInfo) -> str:
    """Return the one line that sums up an examination."""
    run = found.run
    if not run.results and found.ok and not found.still:
        return NOTHING_YET
    known = [one.verdict for one in run.results if one.verdict not in ("unknown", "unaskable")]
    sources = [one.source for one in run.results if one.source in ("pass", "lost")]
    parts = [f"Memory {known.count('pass')}/{len(known)}"]
    unknown = sum(one.verdict == "unknown" for one in run.results)
    parts += [f"{unknown} unknown"] if unknown else []
    parts += [f"sources {sources.count('pass')}/{len(sources)}"] if sources else []
    parts += [f"canary {_canary(run)}", f"integrity {_integrity(run)}", _cost(run)]
    parts += [_still(found.still, zone)] if found.still else []
    return " · ".join(parts)


def layer_words(alarm: Alarm) -> str:
    """Return what an alarm means, in a sentence."""
    match alarm.kind:
        case "lost":
            return LOST.get(alarm.layer, "I no longer know it.")
        case "leak":
            return f"If you had me forget it, it would still stand in {PLACES.get(alarm.layer, alarm.layer)}."
        case "stale":
            return f"An old value of it still stands as the current one in {PLACES.get(alarm.layer, alarm.layer)}."
        case "unaskable":
            return "I can't tell whether I know it: its question can be answered without it, or does not fit it."
        case "canary":
            return (
                "Each night, on a copy, I learn a made-up fact and forget it again. That did not go as it must: "
                f"{alarm.layer or 'a step failed'}."
            )
        case "integrity":
            return f"Something in my files does not agree ({alarm.ref}): {alarm.layer}."


def well_again(recovered: Sequence[Amiss]) -> str:
    """Return the line that names what is amiss no more."""
    return f"✓ Well again: {', '.join(_name(one) for one in recovered)}."


def run_again() -> Button:
    """Return the button that examines once more."""
    return Button(text="Run again", data="prun:", typed="/probe")


def _head(found: Findings, alarms: Sequence[Amiss]) -> Iterator[str]:
    if alarms:
        count = "something" if len(alarms) == 1 else f"{len(alarms)} things"
        yield f"⚠️ **I examined my memory and found {count} amiss.**"
    if found.missed:
        nights = "one night" if found.missed == 1 else f"{found.missed} nights"
        yield f"Before this, {nights} passed without an examination; this one makes up for it."


def _shown(alarms: Sequence[Amiss]) -> list[tuple[int, Amiss]]:
    return list(enumerate(alarms[:MOST_ITEMS], start=1))


def _item(number: int, one: Amiss, zone: ZoneInfo, *, is_alone: bool) -> str:
    alarm = one.alarm
    names = [] if is_alone else [f"**{number}**"]
    names += [f"**{literal(one.about)}**"] if one.about else []
    names += [alarm.ref] if alarm.kind not in ("canary", "integrity") else []
    names.append(f"since {_day(alarm.raised_at.astimezone(zone))}")
    lines = [" · ".join(names)]
    if one.said:
        where = f" (m{one.message_id})" if one.message_id is not None else ""
        lines += [f"You said{where}:", f"{quotation(one.said)}\n"]
    return "\n".join([*lines, f"{layer_words(alarm)} {_remedy(one)}".strip()])


def _remedy(one: Amiss) -> str:
    match one.alarm.kind:
        case "lost" if one.alarm.layer in RESTORABLE and not one.can_be_restored:
            return REMEDIES["stored"]
        case "lost":
            return REMEDIES.get(one.alarm.layer, "").format(ref=one.alarm.ref)
        case "stale" | "leak":
            return f"`/facts {one.alarm.ref}` shows what I hold about it."
        case "canary":
            return "Your own facts are examined apart from it, so none of them needs to be lost; tell the operator."
        case "integrity" if one.is_derived:
            return "I can make it anew from what you said, which is not touched by it."
        case "integrity":
            return "The operator can look into it: `remembrancer doctor --deep`."
        case _:
            return ""


def _row(number: int, one: Amiss, *, is_alone: bool) -> tuple[Button, ...]:
    mark = "" if is_alone else f" {number}"
    of_alarm, ref = one.alarm.id, one.alarm.ref
    restore = Button(
        text=f"Restore{mark}" if mark or one.is_derived else "Restore from source",
        data=f"prestore:{of_alarm}",
        typed=f"/probe restore {ref}",
    )
    source = Button(
        text=f"Source{mark}" if mark else "Show source", data=f"psource:{of_alarm}", typed=f"/probe source {ref}"
    )
    dismiss = Button(text=f"Dismiss{mark}", data=f"pdismiss:{of_alarm}", typed=f"/probe dismiss {ref}")
    return (
        *((restore,) if one.can_be_restored else ()),
        *((source,) if one.message_id is not None else ()),
        dismiss,
    )


def _changed(found: Findings) -> str:
    if found.healthy_on is None:
        return "There was no healthy night before this to compare with."
    since = f"the last healthy night ({_day(found.healthy_on)})"
    if not found.changes:
        return f"Nothing about the program, its model or its settings has changed since {since}."
    return f"What has changed since {since}: {literal('; '.join(found.changes))}."


def _recovered(found: Findings) -> Iterator[str]:
    if found.recovered:
        yield well_again(found.recovered)


def _name(one: Amiss) -> str:
    match one.alarm.kind:
        case "canary":
            return "learning and forgetting"
        case "integrity":
            return f"my files ({one.alarm.ref})"
        case _:
            return f"{literal(one.about)} ({one.alarm.ref})" if one.about else one.alarm.ref


def _remarks(found: Findings) -> Iterator[str]:
    refs = [one.alarm.ref for one in found.news if one.alarm.kind == "unaskable"]
    if refs:
        yield (
            f"I can't examine {', '.join(refs)}: the question can be answered without the fact, or does not fit it. "
            f"Nothing is lost by that; `/facts {refs[0]} question …` gives a better one."
        )
    why = _unfinished(found)
    if why:
        yield f"I could not examine all of it: {why}; nothing is called lost by that."
    if found.run.judge.is_reliable is False:
        yield "The model that compares answers failed its own test, so what it alone would have decided is left open."
    if found.growth is not None:
        before, now = found.growth
        yield f"What I read before an answer has grown to {now:,} tokens ({before:,} before), so answers cost more."


def _unfinished(found: Findings) -> str:
    """Return why not all was examined, "" where it was; a case whose turn comes another night was not missed."""
    if not found.run.results:
        return ""
    if found.run.stopped == "budget":
        return "the money for it was spent"
    if found.run.stopped == "model":
        return "the model gave no answers"
    is_unknown = found.ok is None or any(one.verdict == "unknown" for one in found.run.results)
    return "some answers are missing" if is_unknown else ""


def _canary(run: Run) -> str:
    if run.canary is None or run.canary.is_well is None:
        return "unknown"
    return "ok" if run.canary.is_well else "failed"


def _integrity(run: Run) -> str:
    if not run.has_integrity:
        return "unknown"
    return "ok" if not run.integrity else f"{len(run.integrity)} found"


def _cost(run: Run) -> str:
    if not run.has_model_arms:
        return "model rests"
    return "cost unknown" if run.usd is None else f"{run.usd * 100:.1f} ¢"


def _still(alarms: Sequence[Alarm], zone: ZoneInfo) -> str:
    since = min(alarm.raised_at for alarm in alarms).astimezone(zone)
    word = "lost" if all(alarm.kind == "lost" for alarm in alarms) else "amiss"
    return f"still {word}: {len(alarms)} (since {_day(since)})"


def shortened(text: str) -> str:
    """Return as much of what was said as a report quotes."""
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTED_CHARS else f"{flat[: QUOTED_CHARS - 1]}…"


def _day(day: date | datetime) -> str:
    return f"{day.day} {day:%b}"
