"""What a member reads of recall: pages of results, why they were found, a whole text, days, the state of the memory.

Pure. Quotations are exact words; what was left out of one is marked by an ellipsis and can be opened.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from bot.commands.excerpts import Excerpt, excerpt, matched
from bot.commands.menus import day, turning
from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.health import MemoryHealth
from memory.recall.days import SaidDay
from memory.store.mailbox import Button
from memory.store.recalls import Hit, Search

A_PAGE = 5
DAYS_A_PAGE = 8
DAYS_A_ROW = 4
ECHOED_CHARS = 60

NOTHING = (
    "I found nothing close to “{asked}”. Try fewer words, or others in which it may have been said; a name, a number "
    "or a day helps most. /facts lists the facts I hold, `/recall 12 March` shows a day."
)
NO_DAYS = "Nothing I hold was said {when}. `/recall` alone tells from when on I remember."
NOT_KEPT = "That search is no longer kept. Ask again: `/recall` and the question."
ASK = "Ask by words (`/recall archive database`), by day (`/recall 12 March`, `/recall since 1 March until 12 March`)."
REASONS: Mapping[str, str] = {
    "k": "it lies beyond those I looked at",
    "floor": "too little of what you ask for stands in it",
    "window": "it stands in this conversation already",
    "budget": "there was no room left",
    "duplicate": "the same words were said again later",
    "repeat": "the same words are shown above",
    "idle": "it says nothing by itself (a greeting, a thank you)",
    "echo": "it is an answer of mine that only repeats a result",
    "hash": "it is not the text that was stored; `remembrancer doctor` looks into it",
}
"""Why a candidate is left out, of a prompt or of the list, as a member reads it."""

_WORK = {
    "extract": "to be read for facts",
    "remembered": "to be read for facts",
    "compact": "shortening the prompt",
    "forget_effects": "erasing from the disk",
    "embed": "to be indexed by meaning",
    "probe": "examining the memory",
    "restore": "to be restored",
}


@dataclass(frozen=True)
class Words:
    """What was found, as it stands now: a segment, `subject: value` of a fact, or a procedure (of no message)."""

    text: str
    at: datetime
    speaker: str
    message_id: int | None
    is_outdated: bool = False


@dataclass(frozen=True)
class Result:
    """A hit with its words. `link` opens the message; `target` is the message of this chat to point at instead."""

    number: int
    hit: Hit
    words: Words
    link: str | None
    target: int | None


def results_page(search: Search, shown: Sequence[Result], number: int, zone: ZoneInfo) -> Answer:
    """Return a page of results, of which there is at least one."""
    quotes = [excerpt(one.words.text, search.question) for one in shown]
    count = len(search.hits)
    last = -(-count // A_PAGE)
    head = f"“{literal(_cut(search.question))}” · {count} found"
    where = f" · {shown[0].number} to {shown[-1].number}" if last > 1 else ""
    blocks = [_result(one, quote, zone) for one, quote in zip(shown, quotes, strict=True)]
    text = "\n\n".join([head + where, *blocks])
    return Answer(text, tuple(_buttons(search, shown, quotes, number, last)), shows=_refs(shown))


def _result(one: Result, quote: Excerpt, zone: ZoneInfo) -> str:
    local = one.words.at.astimezone(zone)
    when = f"{local:%a} {local.day} {local:%b %Y %H:%M}"
    about = [
        f"**{one.number}**",
        f"[{when}]({one.link})" if one.link else when,
        literal(one.words.speaker),
        one.hit.ref,
    ]
    about += ["changed since"] if one.words.is_outdated else []
    return f"{' · '.join(about)}\n{quotation(quote.text, quote.matches)}"


def _buttons(
    search: Search, shown: Sequence[Result], quotes: Sequence[Excerpt], number: int, last: int
) -> Iterator[tuple[Button, ...]]:
    cut = [one for one, quote in zip(shown, quotes, strict=True) if not quote.is_whole]
    full = tuple(
        Button(text=f"Full text {one.number}", data=f"full:{one.hit.ref}", typed=f"/recall {one.hit.ref}")
        for one in cut
    )
    show = tuple(
        Button(text=f"Show {one.number}", data=f"show:{one.words.message_id}")
        for one in shown
        if one.target is not None
    )
    yield from (row for row in (full, show) if row)
    pages = {number - 1: "‹ Back", number + 1: "More ›"}
    turns = (
        Button(text=text, data=f"recall:{search.id}:{page}", typed=f"/recall r{search.id} {page}")
        for page, text in pages.items()
        if 1 <= page <= last
    )
    yield (
        Button(text="Why these", data=f"rwhy:{search.id}:{number}", typed=f"/recall r{search.id} why {number}"),
        *turns,
    )


def why_page(search: Search, shown: Sequence[Result]) -> Answer:
    """Return what each result of a page matched, and what was left out and why."""
    lines = [f"Why these, for “{literal(_cut(search.question))}”:", *(_why_line(search.question, one) for one in shown)]
    left_out = sorted(search.left_out, key=lambda pair: pair[1])
    groups = [
        f"• {', '.join(ref for ref, _ in pairs)}: {REASONS.get(reason, reason)}"
        for reason, pairs in groupby(left_out, key=lambda pair: pair[1])
    ]
    text = "\n".join([*lines, *(["Not shown:", *groups] if groups else [])])
    return Answer(text, shows=_refs(shown))


def _why_line(question: str, one: Result) -> str:
    words = matched(question, one.words.text)
    parts = [
        f"• **{one.number}** {one.hit.ref}: score {one.hit.score:.2f}, {one.hit.share:.0%} of what you ask for matched"
    ]
    parts += [f"in its own words: {literal(', '.join(words.found))}"] if words.found else []
    if words.missing:
        missing = literal(", ".join(words.missing))
        parts.append(f"not in them: {missing}" + ("" if words.found else " (its day, its speaker or its talk matched)"))
    if one.hit.reason is None:
        return f"{'; '.join(parts)}. A prompt would hold it."
    return f"{'; '.join(parts)}. A prompt would leave it out: {REASONS.get(one.hit.reason, one.hit.reason)}."


def whole(heading: str, text: str, *, ref: str, more: Sequence[str] = ()) -> Answer:
    """Return a whole text under its heading; `more` are the ids of the parts around it."""
    around = f"\n\nAround it: {', '.join(f'`/recall {ref}`' for ref in more)}" if more else ""
    return Answer(f"{heading}\n{quotation(text)}{around}", shows=(ref,))


def days_page(days: Sequence[SaidDay], number: int, *, first: date | None, last: date | None) -> Answer:
    """Return a page of days on which something was said, the newest first; there is at least one."""
    newest = list(reversed(days))
    pages = -(-len(newest) // DAYS_A_PAGE)
    at = min(max(number, 1), pages)
    shown = newest[(at - 1) * DAYS_A_PAGE : at * DAYS_A_PAGE]
    lines = [f"• {written_day(one.day)}: {_number(one.count, 'message')}" for one in shown]
    buttons = [
        Button(text=f"{one.day.day} {one.day:%b}", data=f"rday:{one.day}", typed=f"/recall {one.day}") for one in shown
    ]
    rows = [tuple(buttons[start : start + DAYS_A_ROW]) for start in range(0, len(buttons), DAYS_A_ROW)]
    bounds = f"{first or ''}:{last or ''}"
    words = " ".join([*([f"since {first}"] if first else []), *([f"until {last}"] if last else [])])
    turns = turning(at, pages, lambda page: (f"rdays:{bounds}:{page}", f"/recall {words} page {page}"))
    return Answer("\n".join([f"{_number(len(newest), 'day')} on which something was said:", *lines]), (*rows, *turns))


def day_page(day_: date, journal: str, lines: Sequence[str], *, left: int, refs: tuple[str, ...]) -> Answer:
    """Return a day: its journal, or what was said (`left` more messages are not shown)."""
    if journal:
        return Answer(f"**{written_day(day_)}**\n{journal}", shows=refs)
    more = [f"and {left} more; `/recall WORDS since {day_} until {day_}` finds them"] if left else []
    return Answer("\n".join([f"**{written_day(day_)}**", *lines, *more]), shows=refs)


def health_page(health: MemoryHealth, now: datetime, zone: ZoneInfo, *, examined: str) -> Answer:
    """Return what a memory holds, what waits and what the last examination said, in plain words."""
    lines = [*_health_lines(health, now, zone), *([examined] if examined else [])]
    return Answer("\n".join(["**This memory**", *(f"• {line}" for line in lines), ASK]))


def _health_lines(health: MemoryHealth, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    counts = health.counts
    since = f", from {day(health.since, zone)} on" if health.since else ""
    yield f"{_number(counts['messages'], 'message')} word for word{since}, in {_number(counts['segments'], 'segment')}"
    yield (
        f"{_number(counts['facts'], 'fact')}{_waiting(counts['pending facts'])}, "
        f"{_number(counts['procedures'], 'procedure')}{_waiting(counts['pending procedures'])}"
    )
    if health.is_index_complete:
        yield "the search index is complete"
    else:
        lacking = _number(counts["unindexed"], "segment") if counts["unindexed"] else "words of what it lists"
        yield f"the search index lacks {lacking}; the next start mends it"
    works = [
        f"{work.count} {_WORK.get(work.kind, work.kind.replace('_', ' '))} (for {age(now - work.since)})"
        for work in health.waiting
    ]
    yield f"waiting: {', '.join(works)}" if works else "nothing waits to be done"
    if health.compacted_at:
        handoffs = _number(counts["handoffs"], "handoff")
        yield f"the prompt was last shortened on {day(health.compacted_at, zone)} ({handoffs})"
    else:
        yield "the prompt was never shortened: all of this conversation stands in it"
    yield f"{health.size / 1_000_000:.1f} MB on disk"


def written_day(one: date) -> str:
    """Return a day as a person writes it."""
    return f"{one:%a} {one.day} {one:%b %Y}"


def _refs(shown: Sequence[Result]) -> tuple[str, ...]:
    """Return the ids of what would take these results along when it is forgotten."""
    messages = (f"m{one.words.message_id}" for one in shown if one.words.message_id is not None)
    return tuple(dict.fromkeys([*messages, *(one.hit.ref for one in shown if one.hit.ref.startswith("p"))]))


def _waiting(count: int) -> str:
    return f" ({count} not confirmed)" if count else ""


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def age(waited: timedelta) -> str:
    """Return how long something took, in the unit that a person would choose."""
    minutes = max(0, int(waited.total_seconds() // 60))
    if minutes < 120:
        return _number(minutes, "minute")
    return _number(minutes // 60, "hour") if minutes < 48 * 60 else _number(minutes // (24 * 60), "day")


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= ECHOED_CHARS else f"{flat[:ECHOED_CHARS]}…"
