"""What `/recall` answers: results by pages, their whole texts and their reasons, days, the state of the memory.

Each is reached by a button and by a typed command. A search is kept by ids when it is asked, so that its pages stay
the same while memory grows; texts are read anew for each page.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date

from bot.commands.asked_days import AskedDays, asked_days
from bot.commands.facts import SAID_HERE, Press
from bot.commands.places import place_of_message
from bot.commands.recall_cards import (
    A_PAGE,
    ECHOED_CHARS,
    NOT_KEPT,
    NOTHING,
    Result,
    Words,
    day_page,
    days_page,
    health_page,
    nothing_said,
    results_page,
    whole,
    why_page,
)
from bot.probing.regressions import last_line
from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.catalogue import MOMENT, _, written
from memory.errors import UnknownId
from memory.health import memory_health
from memory.messages import Message
from memory.recall.days import days_with_words, said_on, scope_of
from memory.recall.items import Found, Item
from memory.recall.terms import is_small_talk
from memory.space import Space
from memory.store.entries import Entry
from memory.store.recalls import Hit, Search

CANDIDATES = 25
WHOLE_CHARS = 12_000
"""A message up to this length is shown whole, of a longer one the segment that was found."""
DAY_LINES = 12
LINE_CHARS = 80

_SEARCH = re.compile(r"r([0-9]{1,18})(?:\s+(why))?(?:\s+([0-9]{1,4}))?", re.IGNORECASE)
_TEXT = re.compile(r"([smp])([0-9]{1,18})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")


class RecallCommands:
    """/recall and the buttons of its answers, in one space. Keeping a search joins the caller's transaction."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def presses(self) -> dict[str, Press]:
        """Return the handlers of presses by prefix."""
        return {
            "recall": self._press_page,
            "rwhy": self._press_why,
            "full": self._press_full,
            "show": self._press_show,
            "rday": self._press_day,
            "rdays": self._press_days,
        }

    # Typed

    async def recall(self, rest: str, entry: Entry) -> Answer:
        """Answer `/recall`, a question, days, `r3 2`, `r3 why`, `s12`, `m12` or `p12`. Raises: UnknownId."""
        if not rest:
            health, examined = await memory_health(self._space), await last_line(self._space)
            return health_page(health, self._space.clock.now(), self._space.zone, examined=examined)
        if match := _SEARCH.fullmatch(rest):
            serve = self._why if match[2] else self._page
            return await serve(int(match[1]), int(match[3] or 1), entry)
        if _TEXT.fullmatch(rest):
            return await self._whole(rest.lower())
        asked = asked_days(rest, self._space.clock.now(), self._space.zone)
        if asked.question:
            return await self._search(asked, entry)
        return await self._days(asked.first, asked.last, asked.page)

    # Pressed

    async def _press_page(self, entry: Entry, rest: str) -> Answer:
        search_id, page = _numbers(rest, 2)
        return replace(await self._page(search_id, page, entry), where="instead")

    async def _press_why(self, entry: Entry, rest: str) -> Answer:
        search_id, page = _numbers(rest, 2)
        return await self._why(search_id, page, entry)

    async def _press_full(self, entry: Entry, rest: str) -> Answer:
        return await self._whole(rest) if _TEXT.fullmatch(rest) else Answer()

    async def _press_show(self, entry: Entry, rest: str) -> Answer:
        (message_id,) = _numbers(rest, 1)
        message = await self._space.sessions.message(message_id)
        place = await place_of_message(self._space, message_id)
        text = f"{_(SAID_HERE)}\n{quotation(message.text[:LINE_CHARS])}"
        return Answer(text, reply_to=place.target(entry) if place else None, shows=(f"m{message_id}",))

    async def _press_day(self, entry: Entry, rest: str) -> Answer:
        day = _day(rest)
        return await self._days(day, day, 1) if day else Answer()

    async def _press_days(self, entry: Entry, rest: str) -> Answer:
        first, _sign, more = rest.partition(":")
        last, _sign, page = more.partition(":")
        answer = await self._days(_day(first), _day(last), int(page) if _NUMBER.fullmatch(page) else 1)
        return replace(answer, where="instead")

    # Answered

    async def _search(self, asked: AskedDays, entry: Entry) -> Answer:
        scope = scope_of(asked.first, asked.last, self._space.zone)
        window = await self._window()
        found = await self._space.recall.search(asked.question, k=CANDIDATES, scope=scope, in_window=window)
        search = _as_search(found)
        if not search.hits:
            return Answer(_(NOTHING).format(asked=literal(asked.question[:ECHOED_CHARS])))
        return await self._page(await self._space.recalls.keep(search), 1, entry)

    async def _page(self, search_id: int, page: int, entry: Entry) -> Answer:
        search = await self._space.recalls.search(search_id)
        shown = await self._results(search, page, entry) if search else []
        return results_page(search, shown, page, self._space.zone) if search and shown else Answer(_(NOT_KEPT))

    async def _why(self, search_id: int, page: int, entry: Entry) -> Answer:
        search = await self._space.recalls.search(search_id)
        shown = await self._results(search, page, entry) if search else []
        return why_page(search, shown) if search and shown else Answer(_(NOT_KEPT))

    async def _whole(self, ref: str) -> Answer:
        """Return the whole text of a message, segment or procedure. Raises: UnknownId."""
        number = int(ref[1:])
        if ref[0] == "p":
            says = (await self._space.procedures.procedure(number)).shown.says
            return whole(_("**{ref}** · a procedure").format(ref=ref), says.text, ref=ref)
        segments = self._space.segments
        message_id = (await segments.segment(number)).message_id if ref[0] == "s" else number
        message = await self._space.sessions.message(message_id)
        parts = await segments.of_messages([message_id])
        when = written(message.at.astimezone(self._space.zone), MOMENT)
        heading = f"**m{message_id}** · {when} · {literal(_speaker(message))}"
        text = "".join(part.text for part in parts)
        if len(text) <= WHOLE_CHARS:
            return whole(heading, text, ref=f"m{message_id}")
        at = next((n for n, part in enumerate(parts) if ref == f"s{part.id}"), 0)
        around = [f"s{part.id}" for part in (*parts[max(0, at - 1) : at], *parts[at + 1 : at + 2])]
        heading = _("{heading} · part {number} of {count}").format(heading=heading, number=at + 1, count=len(parts))
        return whole(heading, parts[at].text, ref=f"m{message_id}", more=around)

    async def _days(self, first: date | None, last: date | None, page: int) -> Answer:
        """Return one day, or the days of a range to choose from."""
        days = await days_with_words(self._space.db, first, last, self._space.zone)
        if first is not None and first == last:
            return await self._day(first)
        if not days:
            return Answer(nothing_said(first, last))
        return days_page(days, page, first=first, last=last)

    async def _day(self, day: date) -> Answer:
        ids = await said_on(self._space.db, day, self._space.zone)
        journal = await self._space.journal.text(day)
        if not ids and not journal:
            return Answer(nothing_said(day, day))
        said = await self._space.sessions.messages(list(ids[:DAY_LINES]))
        lines = []
        for message in said:
            words = " ".join(message.text.split())
            cut = words if len(words) <= LINE_CHARS else f"{words[: LINE_CHARS - 1]}…"
            at = message.at.astimezone(self._space.zone)
            lines.append(f"• {at:%H:%M} {literal(_speaker(message))}, m{message.id}: {literal(cut)}")
        return day_page(day, journal, lines, left=len(ids) - len(said), refs=tuple(f"m{one}" for one in ids))

    # Looked up

    async def _window(self) -> frozenset[int]:
        """Return the messages that stand in a prompt anyway."""
        session_id = await self._space.sessions.open_session()
        if session_id is None:
            return frozenset()
        covered = await self._space.handoffs.last_covered(session_id)
        tail = await self._space.sessions.tail(session_id, after=covered)
        return frozenset(message.id for message in tail if message.id is not None)

    async def _results(self, search: Search, page: int, entry: Entry) -> list[Result]:
        """Return the results of a page as they stand now; what was taken back meanwhile is left out."""
        start = (page - 1) * A_PAGE
        hits = search.hits[start : start + A_PAGE] if page > 0 else ()
        results = [await self._result(number, hit, entry) for number, hit in enumerate(hits, start=start + 1)]
        return [one for one in results if one is not None]

    async def _result(self, number: int, hit: Hit, entry: Entry) -> Result | None:
        words = await self._words(hit)
        if words is None:
            return None
        place = await place_of_message(self._space, words.message_id)
        target = place.target(entry) if place and place.link is None else None
        return Result(number, hit, words, place.link if place else None, target)

    async def _words(self, hit: Hit) -> Words | None:
        """Return what was found as it stands now; None when it is gone or its text is not what was stored."""
        number = int(hit.ref[1:])
        with suppress(UnknownId):
            match hit.ref[0]:
                case "f":
                    fact = await self._space.facts.fact(number)
                    text, is_outdated = f"{fact.about}: {fact.value}", fact.status != "active"
                    return Words(text, fact.since, fact.by or _("you"), fact.message_id, is_outdated)
                case "p":
                    shown = (await self._space.procedures.procedure(number)).shown
                    return Words(shown.says.text, shown.at, shown.by or _("you"), None)
        found = await self._space.recall.by_ids([number]) if hit.ref[0] == "s" else []
        return next((Words(one.text, one.at, _teller(one), one.message, one.is_outdated) for one in found), None)


def _as_search(found: Found) -> Search:
    """Return a search of what was found, without what says nothing, was found before or only repeats a result."""
    reasons = {excluded.id: excluded.reason for excluded in found.excluded}
    said = [item.text for item in found.items if item.speaker != "assistant"]
    kept: dict[str, Hit] = {}
    left_out: list[tuple[str, str]] = []
    for item in found.items:
        words = " ".join(item.text.casefold().split())
        if is_small_talk(item.text):
            left_out.append((item.id, "idle"))
        elif item.speaker == "assistant" and any(text in item.text for text in said):
            left_out.append((item.id, "echo"))
        elif words in kept:
            left_out.append((item.id, "repeat"))
        else:
            kept[words] = Hit(item.id, round(item.score, 3), round(item.share, 3), reasons.get(item.id))
    shown = {item.id for item in found.items}
    left_out += [(excluded.id, excluded.reason) for excluded in found.excluded if excluded.id not in shown]
    return Search(found.query, tuple(kept.values()), tuple(left_out))


def _speaker(message: Message) -> str:
    return message.author or (_("you") if message.role == "user" else _("assistant"))


def _teller(item: Item) -> str:
    if item.is_document:
        return _("document {where}").format(where=item.author or "").strip()
    return item.author or _(item.speaker)


def _numbers(rest: str, count: int) -> Sequence[int]:
    """Return the numbers of a button's data. Raises: UnknownId for a button that never was."""
    parts = rest.split(":")
    if len(parts) != count or not all(_NUMBER.fullmatch(part) for part in parts):
        raise UnknownId(rest[:20])
    return [int(part) for part in parts]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
