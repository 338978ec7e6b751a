"""/settings: what a space is set to, shown and changed by buttons, by replies and by typed commands alike.

Each way ends in the same method with a topic and a value. In a group everybody may look; the operator alone changes
things. What a setting does, others do: they read `space.preferences` where they work.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from zoneinfo import ZoneInfo

from bot.commands import settings_pages as pages
from bot.commands import settings_values as values
from bot.commands import zone_names
from bot.commands.facts import Press
from bot.commands.members import MemberList
from bot.commands.rights import Rights
from bot.mcp.page import servers_page, switched, tool_card
from bot.mcp.toolbox import Toolbox
from bot.models.ceiling import Ceiling
from bot.probing.hours import Hours
from bot.quoting import literal
from bot.turn.answer import Answer
from memory.catalogue import LANGUAGES, MOMENT_OF_YEAR, _, language_of, ngettext, speak, written
from memory.messages import estimate_tokens
from memory.space import Space
from memory.store.entries import Entry
from memory.store.preferences import Changes
from tools.registry import Registry

ALIASES: Mapping[str, str] = {
    "timezone": "zone",
    "tz": "zone",
    "lang": "language",
    "reports": "report",
    "examination": "probe",
    "style": "tone",
    "money": "budget",
    "tool": "tools",
}
_REGION = re.compile(r"(?P<region>[a-z]+)(?::(?P<page>[0-9]{1,4}))?", re.IGNORECASE)

Shows = Callable[[pages.State], Answer]
Sets = Callable[[str, Entry], Awaitable[Answer]]


class SettingsCommands:
    """Answers `/settings` and its buttons in one space. `hours` are the operator's. Writes join the transaction."""

    def __init__(
        self,
        space: Space,
        rights: Rights,
        ceiling: Ceiling,
        registry: Registry,
        hours: Hours,
        toolbox: Toolbox | None = None,
        members: MemberList | None = None,
    ) -> None:
        self._space = space
        self._store = space.preference_store
        self._rights = rights
        self._ceiling = ceiling
        self._registry = registry
        self._toolbox = toolbox
        self._members = members
        self._hours = hours
        self._topics: Mapping[str, tuple[Shows, Sets]] = {
            "zone": (pages.zone_page, self._zone),
            "language": (pages.language_page, self._language),
            "report": (pages.report_page, self._report),
            "probe": (pages.probe_page, self._probe),
            "tone": (pages.tone_page, self._tone),
            "name": (pages.name_page, self._name),
            "budget": (pages.budget_page, self._budget),
            "tools": (self._tools_page, self._tools),
        }

    def presses(self) -> Mapping[str, Press]:
        """Return the handler of presses, and of awaited replies, by its prefix."""
        return {pages.PREFIX: self._press}

    async def settings(self, rest: str, entry: Entry) -> Answer:
        """Answer `/settings`, `/settings zone`, `/settings zone Lisbon`, and so on.

        Raises: BadValue, TooLong, OperatorOnly.
        """
        topic, *value = rest.split(maxsplit=1) or [""]
        return await self._serve(topic, "".join(value), entry)

    async def greet(self, entry: Entry) -> None:
        """Speak the language of the member's chat program, if there is it and none was chosen."""
        code = language_of(entry.language)
        if code is not None and not self._space.preferences.has_language and self._rights.may_set(entry):
            await self._store.set(language=code)
            speak(code)

    async def _press(self, entry: Entry, rest: str) -> Answer:
        """Answer a button in place of the menu, and the reply that a menu awaited below it."""
        topic, _sign, value = rest.partition("=")
        if entry.kind == "message":
            return await self._serve(topic, entry.text, entry)
        if topic == pages.CLOSE:
            return replace(pages.closed(), where="instead")
        return replace(await self._serve(topic, value, entry), where="instead")

    async def _serve(self, topic: str, value: str, entry: Entry) -> Answer:
        """Show a page, or with a value change what it is about. Raises: BadValue, TooLong, OperatorOnly."""
        asked = topic.casefold()
        members = self._members if self._members is not None and self._members.is_for(entry) else None
        if not asked:
            overview = pages.overview(self._state())
            return overview if members is None else replace(overview, buttons=(members.way_in(), *overview.buttons))
        if asked == "members" and members is not None:
            return await members.page(value)
        known = self._topics.get(ALIASES.get(asked, asked))
        if known is None:
            names = ", ".join(f"`{name}`" for name in self._topics)
            raise values.BadValue(
                _("there is no setting “{topic}”; there are: {names}. For example `/settings zone Lisbon`").format(
                    topic=values.echoed(topic), names=names
                )
            )
        show, change = known
        if not value.strip():
            return show(self._state())
        self._rights.over_settings(entry)
        return await change(value.strip(), entry)

    # The settings

    async def _zone(self, value: str, entry: Entry) -> Answer:
        region = _REGION.fullmatch(value)
        if region and region["region"].capitalize() in zone_names.REGIONS:
            return pages.region_page(region["region"].capitalize(), int(region["page"] or 1))
        name, close = zone_names.meant(value), zone_names.near(value)
        if name is not None:
            return await self._move(ZoneInfo(name), entry)
        if close:
            return pages.choose_zone(close, values.echoed(value))
        raise values.BadValue(
            _(
                "I know no time zone “{text}”; name a large city that has the same time, such as Lisbon, or the full "
                "name, such as Europe/Lisbon (an offset alone knows no summer time)"
            ).format(text=values.echoed(value))
        )

    async def _move(self, zone: ZoneInfo, entry: Entry) -> Answer:
        await self._store.set(at=entry.at, zone=zone)
        moved = await self._space.reminders.move()
        now = written(self._space.clock.now().astimezone(zone), MOMENT_OF_YEAR)
        told = _("Time zone: **{zone}**. There it is {now}.").format(zone=zone.key, now=now)
        if moved:
            told += " " + ngettext(
                "{count} reminder keeps its time of day and comes by the clocks there (/reminders).",
                "{count} reminders keep their time of day and come by the clocks there (/reminders).",
                moved,
            ).format(count=moved)
        return pages.done(told)

    async def _language(self, value: str, entry: Entry) -> Answer:
        code = None if values.is_default(value) else values.language(value)
        held = await self._store.set(language=code)
        speak(held.language)
        return pages.done(_("My own texts are in {language} now.").format(language=LANGUAGES[held.language]))

    async def _report(self, value: str, entry: Entry) -> Answer:
        changes = Changes(report=None, report_at=None)
        if not values.is_default(value):
            mode, at = values.report(value)
            changes = Changes(report=mode) if mode is not None else Changes()
            changes |= Changes(report_at=at) if at is not None else Changes()
        await self._store.set(**changes)
        return pages.done(_("Report: {report}.").format(report=pages.report_words(self._state())))

    async def _probe(self, value: str, entry: Entry) -> Answer:
        if value.casefold() == "off":
            raise values.BadValue(
                _("the nightly examination itself stays on; `/settings report off` silences what it reports")
            )
        await self._store.set(probe_at=None if values.is_default(value) else values.clock(value))
        at = self._state().held.probe_at
        return pages.done(_("Examination: each night at {time}.").format(time=f"{at:%H:%M}"))

    async def _tone(self, value: str, entry: Entry) -> Answer:
        held = await self._store.set(tone=values.words(value))
        if held.tone is None:
            return pages.done(_("I speak as I am again."))
        return pages.done(_("I speak so from now on: “{tone}”").format(tone=literal(held.tone)))

    async def _name(self, value: str, entry: Entry) -> Answer:
        held = await self._store.set(assistant_name=values.words(value))
        return pages.done(_("My name: {name}").format(name=literal(held.assistant_name or pages.OWN_NAME)))

    async def _budget(self, value: str, entry: Entry) -> Answer:
        usd = None if values.is_default(value) else values.dollars(value, most=self._ceiling.operator_usd)
        await self._store.set(daily_usd=usd)
        told = _("Budget: {budget}.").format(budget=pages.budget_words(self._state()))
        if usd == 0:
            told += " " + _("No model is called: I answer from memory, by quoting.")
        return pages.done(told)

    async def _tools(self, value: str, entry: Entry) -> Answer:
        card = tool_card(self._toolbox, value) if self._toolbox else None
        if card is not None:
            return card
        more = await switched(self._toolbox, value) if self._toolbox else Answer()
        return self._with_own_tools(self._state(), more)

    def _tools_page(self, state: pages.State) -> Answer:
        return self._with_own_tools(state, servers_page(self._toolbox) if self._toolbox else Answer())

    def _with_own_tools(self, state: pages.State, more: Answer) -> Answer:
        own = pages.tools_page(state, self._registry.help_lines)
        text = f"{own.text}\n\n{more.text}" if more.text else own.text
        return replace(own, text=text, buttons=(*more.buttons, *own.buttons))

    # What is shown

    def _state(self) -> pages.State:
        specs = self._registry.specs
        return pages.State(
            self._space.preferences,
            self._hours,
            self._ceiling.operator_usd,
            self._space.clock.now(),
            tools=len(specs),
            tools_tokens=sum(estimate_tokens(str(spec)) for spec in specs),
        )
