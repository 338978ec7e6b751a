"""Pages of `/settings`: what a space is set to, what comes from the operator, and the buttons that change it. Pure.

The data of a button is `set:TOPIC` (a page) or `set:TOPIC=VALUE`, spelled as the command is typed, so that it means the
same however late it is pressed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.commands.menus import turning
from bot.commands.zone_names import REGIONS, city_of, of_region
from bot.models.prices import shown_usd
from bot.probing.hours import Hours
from bot.quoting import literal
from bot.turn.answer import Answer
from bot.turn.manner import manner_of
from memory.catalogue import LANGUAGES, MOMENT_OF_YEAR, N_, _, written
from memory.messages import estimate_tokens
from memory.store.entries import Button, Buttons
from memory.store.preferences import NAME_CHARS, TONE_CHARS, Preferences

PREFIX = "set"
CLOSE = "close"
OWN_NAME = "Remembrancer"
MODES = {
    "nightly": N_("every morning"),
    "regressions": N_("only when something got worse"),
    "off": N_("never"),
}
MODE_BUTTONS = {"nightly": N_("Every morning"), "regressions": N_("Only if worse"), "off": N_("Never")}
TONES = (N_("short and dry"), N_("warm and cheerful"), N_("formal"), N_("in plain words"))
REPORT_TIMES = ("07:00", "08:00", "09:00", "20:00")
PROBE_TIMES = ("02:00", "03:30", "05:00")
SHARES = (0.25, 0.5)
"""The parts of the operator's budget that are offered."""
ZONES_A_PAGE = 24
ZONES_A_ROW = 3
CLOSED = N_("The settings are closed. /settings opens them.")


@dataclass(frozen=True)
class State:
    """What the pages show. `hours` and `operator_usd` are what the operator's settings say."""

    preferences: Preferences
    hours: Hours
    operator_usd: float | None
    now: datetime
    tools: int
    tools_tokens: int

    @property
    def held(self) -> Hours:
        """The hours that hold."""
        return self.hours.as_set(self.preferences)


def overview(state: State) -> Answer:
    """Return the page of all settings."""
    held = state.preferences
    lines = [
        _("**Settings** of this memory"),
        "",
        _("• Time zone: {zone} (there it is {now})").format(
            zone=held.zone.key, now=written(state.now.astimezone(held.zone), MOMENT_OF_YEAR)
        ),
        _("• Language of my own texts: {language}").format(language=LANGUAGES[held.language]),
        _("• Report: {report}").format(report=report_words(state)),
        _("• Examination: at {time}").format(time=f"{state.held.probe_at:%H:%M}") + _marked(held.probe_at),
        _("• Tone: {tone}").format(tone=f"“{literal(held.tone)}”" if held.tone else _("as I am")),
        _("• My name: {name}").format(name=literal(held.assistant_name or OWN_NAME)),
        _("• Budget: {budget}").format(budget=budget_words(state)),
        _("• Tools: {count} (about {tokens} tokens in each prompt)").format(
            count=state.tools, tokens=f"{state.tools_tokens:,}"
        ),
        "",
        _("(the operator's) marks what nobody set here. Type for example `/settings zone Lisbon`."),
    ]
    topics = (
        (("zone", _("Time zone")), ("language", _("Language"))),
        (("report", _("Report")), ("probe", _("Examination"))),
        (("tone", _("Tone")), ("name", _("My name"))),
        (("budget", _("Budget")), ("tools", _("Tools"))),
    )
    rows = tuple(tuple(_open(topic, text) for topic, text in row) for row in topics)
    return Answer("\n".join(lines), (*rows, (_close(),)))


def done(text: str) -> Answer:
    """Return what was changed, with the way back."""
    return Answer(f"✓ {text}", (_back(),))


def closed() -> Answer:
    return Answer(_(CLOSED))


def zone_page(state: State) -> Answer:
    """Return the page of the regions."""
    text = _(
        "**Time zone**: {zone}\n\nReply with a city, or press a region. `/settings zone Lisbon` does the same. "
        "Reminders keep their time of day; dates you said before keep their meaning. It costs nothing."
    ).format(zone=state.preferences.zone.key)
    regions = [_set("zone", region, region) for region in REGIONS]
    plain = (_set("zone", "UTC", "UTC"),)
    return Answer(text, (*_rows(regions, 3), plain, _back()), awaits=_data("zone"))


def region_page(region: str, number: int) -> Answer:
    """Return a page of the zones of a region; beyond the last comes the last."""
    names = of_region(region)
    last = max(1, -(-len(names) // ZONES_A_PAGE))
    at = min(max(number, 1), last)
    shown = names[(at - 1) * ZONES_A_PAGE : at * ZONES_A_PAGE]
    text = _("**Time zones** of {region}, page {at} of {last}. Reply with a city that you do not find.").format(
        region=region, at=at, last=last
    )
    turns = turning(at, last, lambda page: (_data("zone", f"{region}:{page}"), f"/settings zone {region}:{page}"))
    up = (_open("zone", _("‹ Regions")), _close())
    return Answer(text, (*_zones(shown), *turns, up), awaits=_data("zone"))


def choose_zone(names: Sequence[str], asked: str) -> Answer:
    """Ask which of several zones is meant."""
    text = _("“{asked}” is not the whole name of a time zone. Did you mean one of these?").format(asked=asked)
    rows = _rows([_set("zone", name, name) for name in names], 1)
    return Answer(text, (*rows, _back()), awaits=_data("zone"))


def language_page(state: State) -> Answer:
    """Return the page of the languages."""
    text = _(
        "**Language** of my own texts (menus, receipts, reports): {language}. In talk I answer you in the language you "
        "write. It costs nothing."
    ).format(language=LANGUAGES[state.preferences.language])
    return Answer(text, (*_rows([_set("language", code, name) for code, name in LANGUAGES.items()], 3), _back()))


def report_page(state: State) -> Answer:
    """Return the page of the report."""
    text = _(
        "**Report** on how well I remember: {report}\n\nReply with a time of day, or press. `/settings report "
        "regressions 09:30` sets both. The report itself costs nothing."
    ).format(report=report_words(state))
    modes = [_set("report", mode, _(shown)) for mode, shown in MODE_BUTTONS.items()]
    times = [_set("report", at, at) for at in REPORT_TIMES]
    return Answer(text, (tuple(modes), tuple(times), (_default("report"),), _back()), awaits=_data("report"))


def probe_page(state: State) -> Answer:
    """Return the page of the examination."""
    text = _(
        "**Examination** of my memory: each night at {time}\n\nReply with a time of day, or press. It may cost up to a "
        "fifth of the day's budget. `/settings report off` silences its report; /probe examines at once."
    ).format(time=f"{state.held.probe_at:%H:%M}{_marked(state.preferences.probe_at)}")
    times = tuple(_set("probe", at, at) for at in PROBE_TIMES)
    return Answer(text, (times, (_default("probe"),), _back()), awaits=_data("probe"))


def tone_page(state: State) -> Answer:
    """Return the page of the tone."""
    tone = state.preferences.tone
    text = _(
        "**Tone**: {tone}\n\nReply with how I shall speak, in at most {most} characters, or press. It takes "
        "about {tokens} tokens in each prompt."
    ).format(
        tone=f"“{literal(tone)}”" if tone else _("as I am"),
        most=TONE_CHARS,
        tokens=estimate_tokens(manner_of(Preferences(state.preferences.zone, tone=tone or TONES[0]))),
    )
    tones = [_set("tone", _(one), _(one)) for one in TONES]
    return Answer(text, (*_rows(tones, 2), (_set("tone", "off", _("As I am")),), _back()), awaits=_data("tone"))


def name_page(state: State) -> Answer:
    """Return the page of the assistant's name."""
    text = _(
        "**My name**: {name}\n\nReply with what you want to call me, in at most {most} characters. It costs a few "
        "tokens in each prompt."
    ).format(name=literal(state.preferences.assistant_name or OWN_NAME), most=NAME_CHARS)
    return Answer(text, ((_set("name", "off", OWN_NAME),), _back()), awaits=_data("name"))


def budget_page(state: State) -> Answer:
    """Return the page of the budget."""
    text = _(
        "**Budget**: {budget}\n\nReply with dollars a day, such as 0.50, or press. When it is spent I answer from "
        "memory, by quoting. /usage shows what was spent."
    ).format(budget=budget_words(state))
    shares = [round(share * state.operator_usd, 2) for share in SHARES] if state.operator_usd else []
    offered = tuple(_set("budget", f"{usd:.2f}", shown_usd(usd)) for usd in shares if usd)
    return Answer(text, (*((offered,) if offered else ()), (_default("budget"),), _back()), awaits=_data("budget"))


def tools_page(state: State, lines: Iterable[str]) -> Answer:
    """Return the page of the tools that are always there."""
    listed = "\n".join(f"• {literal(line)}" for line in lines)
    text = _("**Tools**: I use them when a message needs one. They take about {tokens} tokens in each prompt.")
    head = text.format(tokens=f"{state.tools_tokens:,}")
    return Answer(f"{head}\n{listed}", (_back(),))


def report_words(state: State) -> str:
    """Return when it is reported."""
    own, held = state.preferences, state.held
    if held.mode == "off":
        return _(MODES["off"]) + _marked(own.report)
    mode, at = _(MODES[held.mode]) + _marked(own.report), f"{held.report_at:%H:%M}" + _marked(own.report_at)
    return _("{mode}, at {time}").format(mode=mode, time=at)


def budget_words(state: State) -> str:
    """Return what a day may cost."""
    own, operators = state.preferences.daily_usd, state.operator_usd
    if own is None and operators is None:
        return _("no ceiling") + _marked(None)
    if own is None or (operators is not None and own > operators):
        return _("{usd} a day").format(usd=shown_usd(operators or 0.0)) + _marked(None)
    of = _(" (the operator allows {usd})").format(usd=shown_usd(operators)) if operators is not None else ""
    return _("{usd} a day").format(usd=shown_usd(own)) + of


def _marked(own: object) -> str:
    return "" if own is not None else _(" (the operator's)")


def _rows(buttons: Sequence[Button], width: int) -> Buttons:
    return tuple(tuple(buttons[start : start + width]) for start in range(0, len(buttons), width))


def _zones(names: Sequence[str]) -> Buttons:
    return _rows([_set("zone", name, city_of(name)) for name in names], ZONES_A_ROW)


def _data(topic: str, value: str | None = None) -> str:
    return f"{PREFIX}:{topic}" if value is None else f"{PREFIX}:{topic}={value}"


def _open(topic: str, text: str) -> Button:
    return Button(text=text, data=_data(topic), typed=f"/settings {topic}")


def _set(topic: str, value: str, text: str) -> Button:
    return Button(text=text, data=_data(topic, value), typed=f"/settings {topic} {value}")


def _default(topic: str) -> Button:
    return _set(topic, "default", _("As the operator set it"))


def _back() -> tuple[Button, ...]:
    return Button(text=_("‹ Settings"), data=_data(""), typed="/settings"), _close()


def _close() -> Button:
    return Button(text=_("Close"), data=_data(CLOSE))
