"""What a member reads of recall: pages of results, why they were found, a whole text, days, the state of the memory.

Pure. Quotations are exact words; what was left out of one is marked by an ellipsis and can be opened.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from bot.commands.ages import age
from bot.commands.excerpts import Excerpt, excerpt, matched
from bot.commands.menus import day, turning
from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.catalogue import DAY_OF_YEAR, MOMENT, N_, _, ngettext, written
from memory.health import MemoryHealth
from memory.recall.days import SaidDay
from memory.store.entries import Button
from memory.store.recalls import Hit, Search

A_PAGE = 5
DAYS_A_PAGE = 8
DAYS_A_ROW = 4
ECHOED_CHARS = 60

NOTHING = N_(
    "I found nothing close to “{asked}”. Try fewer words, or others in which it may have been said; a name, a number "
    "or a day helps most. /facts lists the facts I hold, `/recall 12 March` shows a day."
)
NOTHING_SAID_ON = N_("Nothing I hold was said on {day}. `/recall` alone tells from when on I remember.")
NOTHING_SAID_SINCE = N_("Nothing I hold was said since {first}. `/recall` alone tells from when on I remember.")
NOTHING_SAID_UNTIL = N_("Nothing I hold was said until {last}. `/recall` alone tells from when on I remember.")
NOTHING_SAID_BETWEEN = N_(
    "Nothing I hold was said since {first} and until {last}. `/recall` alone tells from when on I remember."
)
NOT_KEPT = N_("That search is no longer kept. Ask again: `/recall` and the question.")
ASK = N_(
    "Ask by words (`/recall archive database`), by day (`/recall 12 March`, `/recall since 1 March until 12 March`)."
)
REASONS: Mapping[str, str] = {
    "k": N_("it lies beyond those I looked at"),
    "floor": N_("too little of what you ask for stands in it"),
    "window": N_("it stands in this conversation already"),
    "budget": N_("there was no room left"),
    "duplicate": N_("the same words were said again later"),
    "repeat": N_("the same words are shown above"),
    "idle": N_("it says nothing by itself (a greeting, a thank you)"),
    "echo": N_("it is an answer of mine that only repeats a result"),
    "hash": N_("it is not the text that was stored; `remembrancer doctor` looks into it"),
}
"""Why a candidate is left out, of a prompt or of the list, as a member reads it."""

_WORK = {
    "extract": N_("to be read for facts"),
    "remembered": N_("to be read for facts"),
    "compact": N_("shortening the prompt"),
    "forget_effects": N_("erasing from the disk"),
    "embed": N_("to be indexed by meaning"),
    "probe": N_("examining the memory"),
    "restore": N_("to be restored"),
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
    head = _("“{asked}” · {count} found").format(asked=literal(_cut(search.question)), count=count)
    span = _(" · {first} to {last}").format(first=shown[0].number, last=shown[-1].number)
    where = span if last > 1 else ""
    blocks = [_result(one, quote, zone) for one, quote in zip(shown, quotes, strict=True)]
    text = "\n\n".join([head + where, *blocks])
    return Answer(text, tuple(_buttons(search, shown, quotes, number, last)), shows=_refs(shown))


def _result(one: Result, quote: Excerpt, zone: ZoneInfo) -> str:
    when = written(one.words.at.astimezone(zone), MOMENT)
    about = [
        f"**{one.number}**",
        f"[{when}]({one.link})" if one.link else when,
        literal(one.words.speaker),
        one.hit.ref,
    ]
    about += [_("changed since")] if one.words.is_outdated else []
    return f"{' · '.join(about)}\n{quotation(quote.text, quote.matches)}"


def _buttons(
    search: Search, shown: Sequence[Result], quotes: Sequence[Excerpt], number: int, last: int
) -> Iterator[tuple[Button, ...]]:
    cut = [one for one, quote in zip(shown, quotes, strict=True) if not quote.is_whole]
    full = tuple(
        Button(
            text=_("Full text {number}").format(number=one.number),
            data=f"full:{one.hit.ref}",
            typed=f"/recall {one.hit.ref}",
        )
        for one in cut
    )
    show = tuple(
        Button(text=_("Show {number}").format(number=one.number), data=f"show:{one.words.message_id}")
        for one in shown
        if one.target is not None
    )
    yield from (row for row in (full, show) if row)
    pages = {number - 1: _("‹ Back"), number + 1: _("More ›")}
    turns = (
        Button(text=text, data=f"recall:{search.id}:{page}", typed=f"/recall r{search.id} {page}")
        for page, text in pages.items()
        if 1 <= page <= last
    )
    yield (
        Button(text=_("Why these"), data=f"rwhy:{search.id}:{number}", typed=f"/recall r{search.id} why {number}"),
        *turns,
    )


def why_page(search: Search, shown: Sequence[Result]) -> Answer:
    """Return what each result of a page matched, and what was left out and why."""
    head = _("Why these, for “{asked}”:").format(asked=literal(_cut(search.question)))
    lines = [head, *(_why_line(search.question, one) for one in shown)]
    left_out = sorted(search.left_out, key=lambda pair: pair[1])
    groups = [
        f"• {', '.join(ref for ref, _reason in pairs)}: {_reason_words(reason)}"
        for reason, pairs in groupby(left_out, key=lambda pair: pair[1])
    ]
    text = "\n".join([*lines, *([_("Not shown:"), *groups] if groups else [])])
    return Answer(text, shows=_refs(shown))


def _why_line(question: str, one: Result) -> str:
    words = matched(question, one.words.text)
    head = _("• **{number}** {ref}: score {score:.2f}, {share:.0%} of what you ask for matched")
    parts = [head.format(number=one.number, ref=one.hit.ref, score=one.hit.score, share=one.hit.share)]
    if words.found:
        parts.append(_("in its own words: {words}").format(words=literal(", ".join(words.found))))
    if words.missing:
        lacks = _("not in them: {words}")
        if not words.found:
            lacks = _("not in them: {words} (its day, its speaker or its talk matched)")
        parts.append(lacks.format(words=literal(", ".join(words.missing))))
    if one.hit.reason is None:
        verdict = _("A prompt would hold it.")
    else:
        verdict = _("A prompt would leave it out: {why}.").format(why=_reason_words(one.hit.reason))
    return f"{'; '.join(parts)}. {verdict}"


def _reason_words(reason: str) -> str:
    words = REASONS.get(reason, reason)
    return _(words)


def whole(heading: str, text: str, *, ref: str, more: Sequence[str] = ()) -> Answer:
    """Return a whole text under its heading; `more` are the ids of the parts around it."""
    ways = ", ".join(f"`/recall {one}`" for one in more)
    around = [_("Around it: {ways}").format(ways=ways)] if more else []
    return Answer("\n\n".join([f"{heading}\n{quotation(text)}", *around]), shows=(ref,))


def days_page(days: Sequence[SaidDay], number: int, *, first: date | None, last: date | None) -> Answer:
    """Return a page of days on which something was said, the newest first; there is at least one."""
    newest = list(reversed(days))
    pages = -(-len(newest) // DAYS_A_PAGE)
    at = min(max(number, 1), pages)
    shown = newest[(at - 1) * DAYS_A_PAGE : at * DAYS_A_PAGE]
    lines = [f"• {written(one.day)}: {_messages(one.count)}" for one in shown]
    buttons = [
        Button(text=written(one.day, DAY_OF_YEAR), data=f"rday:{one.day}", typed=f"/recall {one.day}") for one in shown
    ]
    rows = [tuple(buttons[start : start + DAYS_A_ROW]) for start in range(0, len(buttons), DAYS_A_ROW)]
    bounds = f"{first or ''}:{last or ''}"
    words = " ".join([*([f"since {first}"] if first else []), *([f"until {last}"] if last else [])])
    turns = turning(at, pages, lambda page: (f"rdays:{bounds}:{page}", f"/recall {words} page {page}"))
    head = ngettext(
        "{count:,} day on which something was said:", "{count:,} days on which something was said:", len(newest)
    ).format(count=len(newest))
    return Answer("\n".join([head, *lines]), (*rows, *turns))


def day_page(day_: date, journal: str, lines: Sequence[str], *, left: int, refs: tuple[str, ...]) -> Answer:
    """Return a day: its journal, or what was said (`left` more messages are not shown)."""
    if journal:
        return Answer(f"**{written(day_)}**\n{journal}", shows=refs)
    told = _("and {count} more; `/recall WORDS since {day} until {day}` finds them")
    more = [told.format(count=left, day=day_)] if left else []
    return Answer("\n".join([f"**{written(day_)}**", *lines, *more]), shows=refs)


def health_page(health: MemoryHealth, now: datetime, zone: ZoneInfo, *, examined: str) -> Answer:
    """Return what a memory holds, what waits and what the last examination said, in plain words."""
    lines = [*_health_lines(health, now, zone), *([examined] if examined else [])]
    return Answer("\n".join([_("**This memory**"), *(f"• {line}" for line in lines), _(ASK)]))


def _health_lines(health: MemoryHealth, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    counts = health.counts
    words = _("{messages} word for word, in {segments}")
    if health.since:
        words = _("{messages} word for word, from {day} on, in {segments}")
    since = day(health.since, zone) if health.since else ""
    yield words.format(messages=_messages(counts["messages"]), day=since, segments=_segments(counts["segments"]))
    facts = ngettext("{count:,} fact", "{count:,} facts", counts["facts"]).format(count=counts["facts"])
    procedures = ngettext("{count:,} procedure", "{count:,} procedures", counts["procedures"])
    yield (
        f"{facts}{_waiting(counts['pending facts'])}, "
        f"{procedures.format(count=counts['procedures'])}{_waiting(counts['pending procedures'])}"
    )
    yield _index_line(health)
    yield _work_line(health, now)
    if health.compacted_at:
        handoffs = ngettext("{count:,} handoff", "{count:,} handoffs", counts["handoffs"])
        yield _("the prompt was last shortened on {day} ({handoffs})").format(
            day=day(health.compacted_at, zone), handoffs=handoffs.format(count=counts["handoffs"])
        )
    else:
        yield _("the prompt was never shortened: all of this conversation stands in it")
    yield _("{size} MB on disk").format(size=f"{health.size / 1_000_000:.1f}")


def _index_line(health: MemoryHealth) -> str:
    lacking = health.counts["unindexed"]
    if health.is_index_complete:
        return _("the search index is complete")
    if lacking:
        return ngettext(
            "the search index lacks {count:,} segment; the next start mends it",
            "the search index lacks {count:,} segments; the next start mends it",
            lacking,
        ).format(count=lacking)
    return _("the search index lacks words of what it lists; the next start mends it")


def _work_line(health: MemoryHealth, now: datetime) -> str:
    told = _("{count} {work} (for {age})")
    names = [_WORK.get(work.kind, work.kind.replace("_", " ")) for work in health.waiting]
    works = [
        told.format(count=work.count, work=_(name), age=age(now - work.since))
        for work, name in zip(health.waiting, names, strict=True)
    ]
    return _("waiting: {works}").format(works=", ".join(works)) if works else _("nothing waits to be done")


def nothing_said(first: date | None, last: date | None) -> str:
    """Return that nothing was said in a stretch of days, of which one end at least is given."""
    if first is not None and first == last:
        return _(NOTHING_SAID_ON).format(day=written(first))
    if first is None:
        return _(NOTHING_SAID_UNTIL).format(last=last)
    return _(NOTHING_SAID_SINCE if last is None else NOTHING_SAID_BETWEEN).format(first=first, last=last)


def _refs(shown: Sequence[Result]) -> tuple[str, ...]:
    """Return the ids of what would take these results along when it is forgotten."""
    messages = (f"m{one.words.message_id}" for one in shown if one.words.message_id is not None)
    return tuple(dict.fromkeys([*messages, *(one.hit.ref for one in shown if one.hit.ref.startswith("p"))]))


def _waiting(count: int) -> str:
    return _(" ({count} not confirmed)").format(count=count) if count else ""


def _messages(count: int) -> str:
    return ngettext("{count:,} message", "{count:,} messages", count).format(count=count)


def _segments(count: int) -> str:
    return ngettext("{count:,} segment", "{count:,} segments", count).format(count=count)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= ECHOED_CHARS else f"{flat[:ECHOED_CHARS]}…"
