"""Menus: pages of facts, the card of one fact and the buttons under them, as text and data.

Pure: facts in, answers out. What a button does is the business of the commands; here stands only how its data is
spelled, always in ids, so that a button means the same however late it is pressed. Each menu is readable and usable
without its buttons too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from bot.turn.told import waiting_row
from memory.catalogue import N_, _, ngettext, written
from memory.ledger.facts import Fact
from memory.ledger.render import in_reading_order, listing
from memory.store.entries import Button, Buttons

FACTS_A_PAGE = 8
FACTS_A_ROW = 4
MAX_DATA_BYTES = 64
SHOWN_VALUES = 6
"""Earlier values shown on a card, the newest of them."""
PATTERNS_CHARS = 80
"""Longer ones are counted, not shown: they are for the program."""

ASKS = {
    "value": N_("Reply to this message with the new value of **{subject}** (now: {value})."),
    "question": N_(
        "Reply to this message with the question by which I am to be asked for **{subject}**. It must not hold "
        "the answer ({value})."
    ),
    "patterns": N_(
        "Reply to this message with the regular expressions, one a line, that recognise **{subject}** in an "
        "answer. Each must match “{value}” whole."
    ),
}
"""What can be edited of a fact, and what the member is asked then."""
PARTS = {"value": N_("Value"), "question": N_("Question"), "patterns": N_("Patterns")}
"""The same as buttons say it."""


def facts_page(facts: Sequence[Fact], number: int, *, word: str, zone: ZoneInfo) -> Answer:
    """Return a page of facts, of which there is at least one. Pages count from 1; beyond the last comes the last."""
    ordered = in_reading_order(facts)
    last = max(1, -(-len(ordered) // FACTS_A_PAGE))
    at = min(max(number, 1), last)
    shown = ordered[(at - 1) * FACTS_A_PAGE : at * FACTS_A_PAGE]
    where = [_count(len(ordered), word), *([page_of(at, last)] if last > 1 else [])]
    how = _("`/facts {ref}` shows one").format(ref=shown[0].ref)
    text = f"{listing(map(_literal, shown), zone)}\n\n{' · '.join([*where, how])}"
    cards = [Button(text=fact.ref, data=f"fact:{fact.id}") for fact in shown]
    rows = [tuple(cards[start : start + FACTS_A_ROW]) for start in range(0, len(cards), FACTS_A_ROW)]
    turns = turning(at, last, lambda page: (f"facts:{page}:{word}", f"/facts {page} {word}".strip()))
    return Answer(text, (*rows, *turns))


def page_of(at: int, last: int) -> str:
    """Return which of several pages is shown."""
    return _("page {at} of {last}").format(at=at, last=last)


def _count(count: int, word: str) -> str:
    if not word:
        return ngettext("{count} fact", "{count} facts", count).format(count=count)
    told = ngettext("{count} fact about “{word}”", "{count} facts about “{word}”", count)
    return told.format(count=count, word=literal(word))


def fitting(word: str) -> str:
    """Return as much of a filter as fits into the data of a button, so that all pages are of the same filter."""
    room = MAX_DATA_BYTES - len("facts:9999:")
    return word.encode()[:room].decode(errors="ignore").strip()


@dataclass(frozen=True)
class Card:
    """All that a card shows of a fact. `undo` is the newest change of its subject that can be undone."""

    fact: Fact
    values: Sequence[Fact]
    link: str | None
    has_source: bool
    undo: int | None

    def answer(self, zone: ZoneInfo) -> Answer:
        """Return the card and its buttons."""
        return Answer("\n".join(_card_lines(self, zone)), _card_buttons(self))


def edit_menu(fact: Fact) -> Answer:
    """Return the choice of what can be edited."""
    parts = tuple(
        Button(text=_(PARTS[part]), data=f"edit:{fact.id}:{part}", typed=f"/facts {fact.ref} {part} …") for part in ASKS
    )
    asked = _("What of **{subject}** is to be changed?").format(subject=literal(fact.subject))
    return Answer(asked, (parts, (_back_to(fact),)))


def edit_question(fact: Fact, part: str) -> Answer:
    """Return the message whose reply is the new value, question or patterns."""
    asked = _(ASKS[part]).format(subject=literal(fact.subject), value=literal(fact.value))
    return Answer(asked, awaits=f"edit:{fact.id}:{part}")


def forget_question(fact: Fact, words: Sequence[str], others: Sequence[str]) -> Answer:
    """Return the confirmation that names exactly what would go: the fact's own words and the values beside it."""
    what = literal(f"{fact.subject}: {fact.value}")
    lines = [_("Forget **{what}** ({ref}) for good, from every layer? These words go:").format(what=what, ref=fact.ref)]
    lines += [f"{quotation(text)}\n" for text in words]
    if others:
        told = _("With it go the other values of the same thing: {values}.")
        lines.append(told.format(values=literal(", ".join(others))))
    forget = Button(text=_("Forget for good"), data=f"forget!:{fact.id}", typed=f"/forget {fact.ref}")
    return Answer("\n".join(lines).rstrip(), ((forget, _back_to(fact, _("Keep it"))),))


def turning(at: int, last: int, ways: Callable[[int], tuple[str, str]]) -> Iterator[tuple[Button, ...]]:
    """Yield the row that turns pages, if there are any; `ways` gives a page's data and what can be typed instead."""
    pages = [page for page in (at - 1, at + 1) if 1 <= page <= last]
    if pages:
        yield tuple(
            Button(text=f"‹ {page}" if page < at else f"{page} ›", data=ways(page)[0], typed=ways(page)[1])
            for page in pages
        )


def _card_lines(card: Card, zone: ZoneInfo) -> Iterator[str]:
    fact = _literal(card.fact)
    states = {_("🔒 private"): fact.private, _("📌 pinned"): fact.pinned, _("❗ critical"): fact.critical}
    marks = [mark for mark, holds in states.items() if holds]
    yield " · ".join([f"**{fact.subject}**", fact.ref, *marks])
    yield fact.value
    yield _state(fact, zone)
    if fact.quote:
        # A line right behind a quotation would become part of it.
        yield f"{quotation(card.fact.quote)}\n"
    source = f"m{fact.message_id}" if fact.message_id is not None else None
    if source or card.link:
        shown = source or _("the chat")
        yield _("Said in {source}").format(source=f"[{shown}]({card.link})" if card.link else shown)
    earlier = [one for one in card.values if one.id != fact.id]
    if earlier:
        yield _("Other values:")
        yield from (_value_line(_literal(one), zone) for one in reversed(earlier[-SHOWN_VALUES:]))
    if fact.question:
        yield _("Asked as: {question}").format(question=fact.question)
    if fact.patterns:
        shown = " ".join(f"`{pattern}`" for pattern in fact.patterns if "`" not in pattern)
        count = len(fact.patterns)
        counted = ngettext("one long pattern", "{count} patterns", count).format(count=count)
        told = shown if 0 < len(shown) <= PATTERNS_CHARS else counted
        yield _("Recognised by: {patterns}").format(patterns=told)


def _literal(fact: Fact) -> Fact:
    """Return a fact whose words show as they are, whatever signs stand in them."""
    return replace(
        fact,
        subject=literal(fact.subject),
        value=literal(fact.value),
        question=literal(fact.question),
        by=literal(fact.by) if fact.by else None,
    )


def _state(fact: Fact, zone: ZoneInfo) -> str:
    since = _("since {day}").format(day=day(fact.since, zone))
    if fact.by:
        since = _("since {day}, said by {name}").format(day=day(fact.since, zone), name=fact.by)
    if fact.status == "active":
        return since
    if fact.status == "pending":
        return _("not confirmed, {since}").format(since=since)
    if fact.withdrawn_at is not None:
        return _("taken back, {since}").format(since=since)
    if fact.until is None:
        return _("no longer so, {since}").format(since=since)
    return _("no longer so, {since} until {day}").format(since=since, day=day(fact.until, zone))


def _value_line(fact: Fact, zone: ZoneInfo) -> str:
    until = day(fact.until, zone) if fact.until else _("now")
    told = _("• {value} ({ref}, {first} until {last})")
    return told.format(value=fact.value, ref=fact.ref, first=day(fact.since, zone), last=until)


def _card_buttons(card: Card) -> Buttons:
    fact = card.fact
    if fact.status != "active":
        undo = _undo_button(card)
        waiting = [waiting_row(fact)] if fact.status == "pending" else []
        return (*waiting, *([undo] if undo else []), (_all_facts(),))
    pin = Button(
        text=_("Unpin") if fact.pinned else _("Pin"),
        data=f"pin:{fact.id}:{int(not fact.pinned)}",
        typed=f"/facts {fact.ref} {'unpin' if fact.pinned else 'pin'}",
    )
    critical = Button(
        text=_("Not critical") if fact.critical else _("Critical"),
        data=f"crit:{fact.id}:{int(not fact.critical)}",
        typed=f"/facts {fact.ref} {'uncritical' if fact.critical else 'critical'}",
    )
    edit = Button(text=_("Edit"), data=f"edit:{fact.id}", typed=f"/facts {fact.ref} value …")
    forget = Button(text=_("Forget"), data=f"forget:{fact.id}", typed=f"/forget {fact.ref}")
    source = (Button(text=_("Show source"), data=f"source:{fact.id}"),) if card.has_source else ()
    undo = _undo_button(card)
    return ((edit, pin, critical), (*source, *(undo or ()), forget), (_all_facts(),))


def _undo_button(card: Card) -> tuple[Button, ...] | None:
    if card.undo is None:
        return None
    return (Button(text=_("Undo last change"), data=f"undo:{card.undo}", typed=f"/undo {card.fact.ref}"),)


def _back_to(fact: Fact, text: str | None = None) -> Button:
    return Button(text=text or _("‹ Back"), data=f"fact:{fact.id}")


def _all_facts() -> Button:
    return Button(text=_("‹ All facts"), data="facts:1:")


def day(at: datetime, zone: ZoneInfo) -> str:
    """Return a day as a person writes it."""
    return written(at.astimezone(zone))
