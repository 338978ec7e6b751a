"""What a member asks by command, in a chat or a terminal: the answers, in Markdown.

Every command joins one transaction with its answer and the end of its inbox entry, so it happens once. Wrong input gets
a line that says what would be right.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.choices import Choices
from bot.facts import FactCommands, Press
from bot.forgetting import Forgetting
from bot.kept_secrets import PREFIX, SecretKeeper
from bot.turn.answer import Answer
from bot.turn.words import keep_words
from bot.why import why_text
from memory.block import explain
from memory.recall.items import Item
from memory.space import Space
from memory.store.jobs import COMPACT, REMEMBERED
from memory.store.mailbox import Entry, place_of
from memory.store.sessions import Turn
from memory.store.tombstones import Tombstones
from tools.registry import Registry

RECALL_ITEMS = 5
RECALL_CANDIDATES = 20
SHOWN_CHARS = 300
ECHOED_CHARS = 60
"""How much of what was asked is said again in an answer."""


@dataclass(frozen=True)
class Command:
    """A name, what it is for, and the words that may follow it."""

    name: str
    usage: str
    purpose: str


COMMANDS: tuple[Command, ...] = (
    Command("start", "", "what I am and what I keep"),
    Command("help", "", "what I can do"),
    Command("new", "", "start a fresh conversation; my memory stays"),
    Command("facts", "[word, page or f12]", "the facts I hold, word for word; with an id all about one"),
    Command("recall", "question", "find what was said earlier"),
    Command("remember", "text", "keep something word for word"),
    Command("forget", "f12, m12, t12 or everything", "erase a fact, a message, a turn or all of it, for good"),
    Command("undo", "[f12]", "take back the last change of the facts"),
    Command("keepsecret", "", "keep a password I left out, as a private fact"),
    Command("why", "[t12]", "what the last answer was built from, or the one you reply to"),
    Command("compact", "", "shorten the prompt; nothing is lost"),
    Command("stop", "", "stop what I am doing now"),
)
"""In the order in which they are shown; also what is registered with Telegram."""

START = """I'm **Remembrancer**, an assistant that keeps what you tell me.

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
• something about you: “I'm allergic to walnuts.”"""

TO_GOOGLE = (
    "To answer, the conversation and the facts that matter are sent to Google's Gemini; nothing goes anywhere else."
)
TO_NOBODY = "No model is configured: I answer offline, by quoting what you told me. Nothing leaves this machine."


WHY_WHAT = "/why shows the last answer, `/why t12` an earlier one, /why as a reply the answer it replies to."

_TURN = re.compile(r"t?([0-9]{1,18})", re.IGNORECASE)


class MemberCommands:
    """Answers the commands of one space."""

    def __init__(self, space: Space, registry: Registry, tombstones: Tombstones, *, is_offline: bool) -> None:
        self._space = space
        self._registry = registry
        self._is_offline = is_offline
        self._menus = FactCommands(space)
        keeper = SecretKeeper(space)
        self._forgetting = Forgetting(space, tombstones)
        choices = Choices(space)
        self._answers: dict[str, Callable[[str, Entry], Awaitable[str | Answer]]] = {
            **choices.commands(),
            "start": self._start,
            "help": self._help,
            "new": self._new,
            "facts": self._menus.facts,
            "undo": self._menus.undo,
            "keepsecret": keeper.command,
            "recall": self._recall,
            "remember": self._remember,
            "forget": self._forgetting.answer,
            "why": self._why,
            "compact": self._compact,
            "stop": self._stop,
        }
        # One line a kind of button: the data `keep:12` of a button (or what a message awaits) goes to the handler of
        # `keep` as (entry, "12"). A button may be pressed twice, and long after: the second press changes nothing.
        self._presses: dict[str, Press] = {
            **self._menus.presses(),
            **choices.presses(),
            PREFIX: keeper.press,
            "forget!": self._press_forget,
        }

    async def answer(self, entry: Entry) -> Answer:
        """Do what was asked and return the answer. Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        said = await self._press(entry) if entry.press is not None else await self._command(entry)
        return Answer(said) if isinstance(said, str) else said

    async def _press(self, entry: Entry) -> Answer:
        """Answer a button, or the reply that a message awaited; a button of another version means nothing."""
        prefix, _, rest = (entry.press or "").partition(":")
        serve = self._presses.get(prefix)
        return await serve(entry, rest) if serve else Answer()

    async def _command(self, entry: Entry) -> str | Answer:
        name, _, rest = entry.text.removeprefix("/").partition(" ")
        serve = self._answers.get(name.partition("@")[0].strip().lower())
        if serve is None:
            return f"I don't know /{name.strip()[:32]}. /help lists what I can do."
        return await serve(rest.strip(), entry)

    async def _start(self, rest: str, entry: Entry) -> str:
        return START.format(model=TO_NOBODY if self._is_offline else TO_GOOGLE)

    async def _help(self, rest: str, entry: Entry) -> str:
        commands = "\n".join(f"/{c.name} {c.usage}".rstrip() + f" – {c.purpose}" for c in COMMANDS)
        tools = "\n".join(f"• {line}" for line in self._registry.help_lines)
        return f"Just write to me. Besides that:\n\n{commands}\n\nOn my own I can:\n{tools}"

    async def _new(self, rest: str, entry: Entry) -> str:
        old = await self._space.sessions.current_session()
        if not await self._space.sessions.tail(old):
            return "This is a fresh conversation already. My memory stays: /facts, /recall."
        await self._space.sessions.start_session()
        await self._space.jobs.add(COMPACT, f"{COMPACT}:session:{old}", {"session": old, "whole": 1})
        return "A fresh conversation. What was said before stays stored (/recall) and the facts stay in place (/facts)."

    async def _recall(self, rest: str, entry: Entry) -> str:
        if not rest:
            return "Say what to look for: `/recall archive database`."
        found = await self._space.recall.search(rest, k=RECALL_CANDIDATES)
        if not found.items:
            asked = _shown(rest, ECHOED_CHARS)
            return f"I found nothing close to “{asked}”. Other words may help; /facts lists the facts I hold."
        return "\n\n".join(self._found(item) for item in _without_repeats(found.items)[:RECALL_ITEMS])

    def _found(self, item: Item) -> str:
        at = item.at.astimezone(self._space.zone)
        about = [f"**{item.id}**", f"{at:%a} {at.day} {at:%b %Y %H:%M}", item.speaker]
        about += ["changed since"] if item.is_outdated else []
        quoted = "\n".join(f"> {line}" for line in _shown(item.text).splitlines() or [""])
        return f"{' · '.join(about)}\n{quoted}"

    async def _remember(self, rest: str, entry: Entry) -> str:
        if not rest:
            return "Say what to keep: `/remember The locker code is 4711.`"
        session_id = await self._space.sessions.current_session()
        stored = await keep_words(
            self._space, entry.model_copy(update={"text": rest}), session_id=session_id, turn_id=None, job=REMEMBERED
        )
        return f"Kept word for word (m{stored.id}). I read it for facts now; a line follows."

    async def _press_forget(self, entry: Entry, rest: str) -> Answer:
        return Answer(await self._forgetting.forget([f"f{rest}"], entry), where="instead")

    async def _why(self, rest: str, entry: Entry) -> str:
        asked = _TURN.fullmatch(rest)
        if rest and asked is None:
            return f"“{_shown(rest, ECHOED_CHARS)}” is not a turn. {WHY_WHAT}"
        sessions = self._space.sessions
        if rest == "" and entry.reply_to is not None:
            turn_id = await self._turn_of(entry)
            if turn_id is None:
                return f"That message is no answer of mine. {WHY_WHAT}"
            turn: Turn | None = await sessions.turn(turn_id)
        else:
            turn = await sessions.turn(int(asked[1])) if asked else await sessions.last_turn()
        if turn is None:
            return "There was no answer yet."
        return why_text(turn, await explain(self._space, turn), self._space.zone)

    async def _turn_of(self, entry: Entry) -> int | None:
        """Return the turn of the answer, or of the member's own message, that an entry replies to."""
        place = place_of(entry.chat_id, entry.reply_to)
        if place is None:
            return None
        said = await self._space.sessions.message_at(place)
        return said.turn_id if said else await self._space.mailbox.turn_at(place)

    async def _compact(self, rest: str, entry: Entry) -> str:
        session = await self._space.sessions.current_session()
        await self._space.jobs.add(COMPACT, f"{COMPACT}:{entry.source}", {"session": session, "asked": 1})
        return "I shorten the prompt now; nothing is lost. A line follows."

    async def _stop(self, rest: str, entry: Entry) -> str:
        return "Nothing is running."


def _shown(text: str, limit: int = SHOWN_CHARS) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _without_repeats(items: Sequence[Item]) -> list[Item]:
    """Leave out what was found before in the same words, and answers that only quote what was found."""
    said = [item.text for item in items if item.speaker != "assistant"]
    kept: dict[str, Item] = {}
    for item in items:
        is_quoting = item.speaker == "assistant" and any(text in item.text for text in said)
        if not is_quoting:
            kept.setdefault(" ".join(item.text.casefold().split()), item)
    return list(kept.values())
