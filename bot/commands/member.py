"""What a member asks by command, in a chat or a terminal: the answers, in Markdown.

Every command joins one transaction with its answer and the end of its inbox entry, so it happens once. Wrong input gets
a line that says what would be right.
"""

import re
from collections.abc import Awaitable, Callable

from bot.commands.approvals import ApprovalCommands
from bot.commands.choices import Choices
from bot.commands.compacting import Compacting
from bot.commands.export import ExportCommand
from bot.commands.facts import FactCommands, Press
from bot.commands.forgetting import Forgetting
from bot.commands.health import HealthCommand
from bot.commands.kept_secrets import SecretKeeper
from bot.commands.members import MemberList
from bot.commands.offered import COMMANDS, TYPED_ANSWERS, unknown
from bot.commands.probe import ProbeCommands
from bot.commands.procedures import ProcedureCommands
from bot.commands.recall import RecallCommands
from bot.commands.reminders import ReminderCommands
from bot.commands.rights import Rights
from bot.commands.settings import SettingsCommands
from bot.commands.settings_pages import OWN_NAME
from bot.commands.usage import UsageCommand
from bot.commands.why import why_text
from bot.mcp.toolbox import Toolbox
from bot.models.ceiling import Ceiling
from bot.probing.hours import Hours
from bot.quoting import literal
from bot.telegram.admission import Admission
from bot.turn.answer import Answer
from bot.turn.told import KEEP_ANYWAY
from bot.turn.words import keep_words
from memory.block import explain
from memory.catalogue import N_, _
from memory.compaction.compactor import Compactor
from memory.space import Space
from memory.store.entries import Entry, place_of
from memory.store.jobs import COMPACT, REMEMBERED
from memory.store.sessions import Turn
from memory.store.tombstones import Tombstones
from tools.registry import Registry

ECHOED_CHARS = 60
"""How much of what was asked is said again in an answer."""

START = N_("""I'm **{name}**, an assistant that keeps what you tell me.

- *Facts* you state (deadlines, decisions, limits, names) are kept word for word and stand in every conversation until \
you change them. /facts shows them all, with where each came from.
- Everything else stays stored exactly as said. /recall finds it again.
- {model}
- /forget erases: from every layer, for good.

Tell me something worth remembering, for example:
• a date: “The tax report is due on 12 March at 17:30.”
• a decision: “We decided to use Postgres for the archive.”
• a limit: “The kitchen may cost at most 4,000 euros.”
• a name: “Our vet is Dr. Brandt.”
• something about you: “I'm allergic to walnuts.”""")

TO_GOOGLE = N_(
    "To answer, the conversation and the facts that matter are sent to Google's Gemini. Beyond that, only web pages "
    "that I open and tools of servers that you switch on learn what I ask of them."
)
TO_NOBODY = N_("No model is configured: I answer offline, by quoting what you told me. Nothing leaves this machine.")

NOT_READ = N_("What stands behind /new is not read; send it as a message.")
WHY_WHAT = N_("/why shows the last answer, `/why t12` an earlier one, /why as a reply the answer it replies to.")
NO_TURN = N_("“{asked}” is not a turn.")
NO_ANSWER = N_("That message is no answer of mine.")

_TURN = re.compile(r"t?([0-9]{1,18})", re.IGNORECASE)


class MemberCommands:
    """Answers the commands of one space. `is_examining` and `polled_s`: None where nothing is examined or polled.

    `admission` is there in the operator's own space alone.
    """

    def __init__(
        self,
        space: Space,
        registry: Registry,
        tombstones: Tombstones,
        compactor: Compactor,
        ceiling: Ceiling,
        *,
        compact_at_tokens: int,
        is_offline: bool,
        hours: Hours,
        operator_id: int | None = None,
        is_examining: Callable[[], bool] | None = None,
        polled_s: Callable[[], float | None] | None = None,
        trouble: Callable[[], str | None] | None = None,
        admission: Admission | None = None,
        toolbox: Toolbox | None = None,
    ) -> None:
        self._space = space
        self._registry = registry
        self._is_offline = is_offline
        rights = Rights(space, operator_id)
        members = MemberList(space, admission) if admission else None
        settings = SettingsCommands(space, rights, ceiling, registry, hours, toolbox, members)
        self._menus = FactCommands(space, rights)
        keeper = SecretKeeper(space)
        self._forgetting = Forgetting(space, tombstones, rights)
        choices = Choices(space, rights)
        approvals = ApprovalCommands(space)
        compacting = Compacting(space, compactor)
        recall = RecallCommands(space)
        reminders = ReminderCommands(space, rights)
        probe = ProbeCommands(space, rights, recall, is_busy=is_examining)
        health = HealthCommand(space, polled_s=polled_s, trouble=trouble)
        usage = UsageCommand(space, ceiling, compact_at_tokens=compact_at_tokens)
        self._procedures = ProcedureCommands(space, rights)
        self._settings = settings
        self._choices = choices
        self._answers: dict[str, Callable[[str, Entry], Awaitable[str | Answer]]] = {
            **choices.commands(),
            **approvals.commands(),
            "keep": self._keep,
            "drop": self._drop,
            "start": self._start,
            "help": self._help,
            "new": self._new,
            "facts": self._menus.facts,
            "undo": self._menus.undo,
            "keepsecret": keeper.command,
            "recall": recall.recall,
            "remind": reminders.remind,
            "reminders": reminders.reminders,
            "procedures": self._procedures.procedures,
            "remember": self._remember,
            "forget": self._forgetting.answer,
            "probe": probe.probe,
            "health": health.health,
            "usage": usage.usage,
            "export": ExportCommand(space, rights).export,
            "settings": settings.settings,
            "why": self._why,
            "compact": compacting.command,
            "stop": self._stop,
        }
        # One line a kind of button: the data `keep:12` of a button (or what a message awaits) goes to the handler of
        # `keep` as (entry, "12"). A button may be pressed twice, and long after: the second press changes nothing.
        self._presses: dict[str, Press] = {
            **self._menus.presses(),
            **choices.presses(),
            **approvals.presses(),
            **recall.presses(),
            **reminders.presses(),
            **probe.presses(),
            **self._procedures.presses(),
            **settings.presses(),
            **(members.presses() if members else {}),
            "compact": compacting.press,
            KEEP_ANYWAY: keeper.press,
            "forget!": lambda entry, rest: self._press_forget(f"f{rest}", entry),
            "pforget!": lambda entry, rest: self._press_forget(f"p{rest}", entry),
        }

    async def answer(self, entry: Entry) -> Answer:
        """Do what was asked and return the answer. Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        said = await self._press(entry) if entry.press is not None else await self._command(entry)
        return Answer(said) if isinstance(said, str) else said

    async def _press(self, entry: Entry) -> Answer:
        """Answer a button, or the reply that a message awaited; a button of another version means nothing."""
        prefix, _sign, rest = (entry.press or "").partition(":")
        serve = self._presses.get(prefix)
        return await serve(entry, rest) if serve else Answer()

    async def _command(self, entry: Entry) -> str | Answer:
        name, rest = [*entry.text.removeprefix("/").split(maxsplit=1), "", ""][:2]
        serve = self._answers.get(name.partition("@")[0].lower())
        if serve is None:
            return unknown(name)
        return await serve(rest.strip(), entry)

    async def _start(self, rest: str, entry: Entry) -> str:
        await self._settings.greet(entry)
        name = literal(self._space.preferences.assistant_name or OWN_NAME)
        return _(START).format(name=name, model=_(TO_NOBODY if self._is_offline else TO_GOOGLE))

    async def _help(self, rest: str, entry: Entry) -> str:
        about = rest.lower().removeprefix("/")
        asked = [command for command in COMMANDS if command.name == about]
        commands = "\n".join(f"/{c.name}{c.follows()} – {_(c.purpose)}" for c in asked or COMMANDS)
        if asked:
            return commands
        tools = "\n".join(f"• {literal(line)}" for line in self._registry.help_lines)
        own = _("On my own I can:") + f"\n{tools}"
        return "\n\n".join([_("Just write to me. Besides that:"), commands, _(TYPED_ANSWERS), own])

    async def _new(self, rest: str, entry: Entry) -> str:
        old = await self._space.sessions.current_session()
        unread = f" {_(NOT_READ)}" if rest else ""
        if not await self._space.sessions.tail(old):
            return _("This is a fresh conversation already. My memory stays: /facts, /recall.") + unread
        await self._space.sessions.start_session()
        await self._space.jobs.add(COMPACT, f"{COMPACT}:session:{old}", {"session": old, "whole": 1})
        stays = _("What was said before stays stored (/recall) and the facts stay in place (/facts).")
        return _("A fresh conversation.") + f" {stays}{unread}"

    async def _remember(self, rest: str, entry: Entry) -> str:
        if not rest:
            return _("Say what to keep: `/remember The locker code is 4711.`")
        session_id = await self._space.sessions.current_session()
        stored = await keep_words(
            self._space, entry.model_copy(update={"text": rest}), session_id=session_id, turn_id=None, job=REMEMBERED
        )
        return _("Kept word for word ({ref}). I read it for facts now; a line follows.").format(ref=f"m{stored.id}")

    async def _press_forget(self, ref: str, entry: Entry) -> Answer:
        return Answer(await self._forgetting.forget([ref], entry), where="instead")

    async def _keep(self, rest: str, entry: Entry) -> Answer:
        """Keep what waits: a procedure or a fact."""
        is_procedure = self._procedures.decides(rest)
        return await (self._procedures.keep(rest, entry) if is_procedure else self._choices.keep(entry, rest))

    async def _drop(self, rest: str, entry: Entry) -> Answer:
        is_procedure = self._procedures.decides(rest)
        return await (self._procedures.drop(rest, entry) if is_procedure else self._choices.drop(entry, rest))

    async def _why(self, rest: str, entry: Entry) -> str:
        asked = _TURN.fullmatch(rest)
        if rest and asked is None:
            return f"{_(NO_TURN).format(asked=_shown(rest, ECHOED_CHARS))} {_(WHY_WHAT)}"
        sessions = self._space.sessions
        if rest == "" and entry.reply_to is not None:
            turn_id = await self._turn_of(entry)
            if turn_id is None:
                return f"{_(NO_ANSWER)} {_(WHY_WHAT)}"
            turn: Turn | None = await sessions.turn(turn_id)
        else:
            turn = await sessions.turn(int(asked[1])) if asked else await sessions.last_turn()
        if turn is None:
            return _("There was no answer yet. Write me something; then /why shows what I built the answer from.")
        reactions = await self._space.reactions.to_turn(turn.id)
        return why_text(turn, await explain(self._space, turn), self._space.zone, reactions=reactions)

    async def _turn_of(self, entry: Entry) -> int | None:
        """Return the turn of the answer, or of the member's own message, that an entry replies to."""
        place = place_of(entry.chat_id, entry.reply_to)
        if place is None:
            return None
        said = await self._space.sessions.message_at(place)
        return said.turn_id if said else await self._space.mailbox.turn_at(place)

    async def _stop(self, rest: str, entry: Entry) -> str:
        return _("Nothing is running.")


def _shown(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
