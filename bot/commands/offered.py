"""The commands that a member is offered, in words: what Telegram's menu shows and what /help lists. Pure.

What a command does, and those that are offered only where they apply, is elsewhere.
"""

import difflib
from dataclasses import dataclass

from memory.catalogue import N_, _


@dataclass(frozen=True)
class Command:
    """A name, what it is for, and the words that may follow it."""

    name: str
    usage: str
    purpose: str

    def follows(self) -> str:
        """Return what may follow the name, in the language that is spoken; "" for nothing."""
        return f" {_(self.usage)}" if self.usage else ""


COMMANDS: tuple[Command, ...] = (
    Command("start", "", N_("what I am and what I keep")),
    Command("help", "", N_("what I can do")),
    Command("new", "", N_("start a fresh conversation; my memory stays")),
    Command("facts", N_("[word, page or f12]"), N_("the facts I hold, word for word; with an id all about one")),
    Command("recall", N_("[question or days]"), N_("find what was said earlier; alone, how my memory is")),
    Command("remember", N_("text"), N_("keep something word for word")),
    Command(
        "forget",
        N_("f12, m12, t12, p3 or everything"),
        N_("erase a fact, message, turn, procedure or all, for good"),
    ),
    Command("remind", N_("time text"), N_("remind you, once or again and again: tomorrow 9:00 call the dentist")),
    Command("reminders", "[n12]", N_("the reminders ahead; snooze, finish, edit or delete one")),
    Command("procedures", N_("[p3 or add text]"), N_("how you want things done; teach, read or change one")),
    Command("undo", "[f12]", N_("take back the last change of the facts")),
    Command("keepsecret", "", N_("keep a password I left out, as a private fact")),
    Command(
        "probe", N_("[f12, list or add QUESTION = ANSWER]"), N_("examine my memory now, or what past nights found")
    ),
    Command("health", "", N_("whether all that I depend on is well")),
    Command("usage", "", N_("what today and this month cost, by task")),
    Command(
        "settings", N_("[zone, language, report, tone …]"), N_("time zone, language, reports, how I speak, budget")
    ),
    Command("why", "[t12]", N_("what the last answer was built from, or the one you reply to")),
    Command("compact", N_("[now or h3]"), N_("what would leave the prompt, or what a handoff kept")),
    Command("export", "", N_("everything I hold here, as a file")),
    Command("stop", "", N_("stop what I am doing now")),
)
"""In the order in which they are shown; also what is registered with Telegram."""

TYPED_ANSWERS = N_(
    "Where I ask you about a fact, `/keep f12`, `/drop f12` and `/choose f12` (or `/choose f12 f7`: f12 ended f7) "
    "answer as the buttons do; where I ask before I do something, `/approve a12` and `/refuse a12` do."
)
"""No commands of the menu: each is offered where it applies."""


def unknown(name: str) -> str:
    """Return what is said to a command that there is not, with the one that may be meant."""
    told = _("I don't know /{name}. /help lists what I can do.").format(name=name[:32])
    close = difflib.get_close_matches(name[:32].lower(), [command.name for command in COMMANDS], n=1)
    if not close:
        return told
    return f"{told} " + _("Did you mean /{name}?").format(name=close[0])
