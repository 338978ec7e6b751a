"""What a member asks by command, in a chat or a terminal: the answers, in Markdown.

Every command joins one transaction with its answer and the end of its inbox entry, so it happens once. Wrong input gets
a line that says what would be right.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.turn.words import keep_words
from memory.block import Explained, explain
from memory.forget import plan, rows
from memory.ledger.render import listing
from memory.recall.items import Item
from memory.space import Space
from memory.store.jobs import COMPACT, FORGET_EFFECTS, REMEMBERED
from memory.store.mailbox import Entry, place_of
from memory.store.tombstones import Tombstones
from tools.registry import Registry

RECALL_ITEMS = 5
LISTED_FACTS = 40
SHOWN_CHARS = 300


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
    Command("facts", "[word]", "the facts I hold, word for word"),
    Command("recall", "question", "find what was said earlier"),
    Command("remember", "text", "keep something word for word"),
    Command("forget", "f12, m12 or t12", "erase a fact, a message or a turn from every layer"),
    Command("why", "[t12]", "what the last answer was built from"),
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

FORGET_WHAT = "Say what to forget, by its id: `/forget f12` (a fact, see /facts), `/forget m12`, `/forget t12`."
NO_FACTS = "I hold no facts yet. Tell me one in plain words, for example: “The tax report is due on 12 March at 17:30.”"

_ID = re.compile(r"[fmst][0-9]{1,18}", re.IGNORECASE)
_TURN = re.compile(r"t?([0-9]{1,18})", re.IGNORECASE)


class MemberCommands:
    """Answers the commands of one space."""

    def __init__(self, space: Space, registry: Registry, tombstones: Tombstones, *, is_offline: bool) -> None:
        self._space = space
        self._registry = registry
        self._tombstones = tombstones
        self._is_offline = is_offline
        self._answers: dict[str, Callable[[str, Entry], Awaitable[str]]] = {
            "start": self._start,
            "help": self._help,
            "new": self._new,
            "facts": self._facts,
            "recall": self._recall,
            "remember": self._remember,
            "forget": self._forget,
            "why": self._why,
            "compact": self._compact,
            "stop": self._stop,
        }

    async def answer(self, entry: Entry) -> str:
        """Do what was asked and return the answer (Markdown). Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        if entry.kind == "press":
            return ""
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

    async def _facts(self, rest: str, entry: Entry) -> str:
        facts = await self._space.facts.about(rest, LISTED_FACTS) if rest else await self._space.facts.listed()
        if not facts:
            return f"I hold no fact about “{rest}”. /facts shows all." if rest else NO_FACTS
        return listing(facts, self._space.zone)

    async def _recall(self, rest: str, entry: Entry) -> str:
        if not rest:
            return "Say what to look for: `/recall archive database`."
        found = await self._space.recall.search(rest, k=RECALL_ITEMS)
        if not found.items:
            return f"I found nothing close to “{rest}”. Other words may help; /facts lists the facts I hold."
        return "\n\n".join(self._found(item) for item in found.items)

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

    async def _forget(self, rest: str, entry: Entry) -> str:
        ref = rest or await self._replied_to(entry)
        if not ref:
            return FORGET_WHAT
        if not _ID.fullmatch(ref):
            return f"“{_shown(ref, 40)}” is not an id, so nothing was forgotten. {FORGET_WHAT}"
        what = await plan(self._space, ref)
        report = await rows(self._space, what, self._tombstones)
        await self._space.jobs.add(FORGET_EFFECTS, f"{FORGET_EFFECTS}:{entry.source}", {})
        return report.words()

    async def _replied_to(self, entry: Entry) -> str | None:
        place = place_of(entry.chat_id, entry.reply_to)
        message = await self._space.sessions.message_at(place) if place else None
        if message is not None:
            return f"m{message.id}"
        turn_id = await self._space.mailbox.turn_at(place) if place else None
        return f"t{turn_id}" if turn_id else None

    async def _why(self, rest: str, entry: Entry) -> str:
        asked = _TURN.fullmatch(rest)
        if rest and asked is None:
            return f"“{_shown(rest, 40)}” is not a turn. /why shows the last one, `/why t12` an earlier one."
        sessions = self._space.sessions
        turn = await sessions.turn(int(asked[1])) if asked else await sessions.last_turn()
        if turn is None:
            return "There was no answer yet."
        lines = [f"**t{turn.id}** · {turn.prompt_tokens or 0} tokens · {turn.model or 'no model'}"]
        for layer, group in groupby(await explain(self._space, turn), key=lambda part: part.item.layer):
            parts = list(group)
            lines += [_talk_line(parts)] if layer == "tail" else map(_part_line, parts)
        return "\n".join(lines)

    async def _compact(self, rest: str, entry: Entry) -> str:
        session = await self._space.sessions.current_session()
        await self._space.jobs.add(COMPACT, f"{COMPACT}:{entry.source}", {"session": session, "asked": 1})
        return "I shorten the prompt now; nothing is lost. A line follows."

    async def _stop(self, rest: str, entry: Entry) -> str:
        return "Nothing is running."


def _part_line(part: Explained) -> str:
    text = " ".join(part.text.split())
    shown = f": {_shown(text)}" if text else ""
    name = "" if part.item.ref == part.item.layer else f" {part.item.ref}"
    return f"• {part.item.layer}{name} ({part.item.tokens}){shown}"


def _talk_line(parts: Sequence[Explained]) -> str:
    """Return one line for the messages that stood in the prompt as they were said: the member has them in the chat."""
    ids = sorted({int(part.item.ref[1:]) for part in parts})
    which = f"m{ids[0]}" if len(ids) == 1 else f"m{ids[0]} to m{ids[-1]}"
    return f"• conversation {which} ({sum(part.item.tokens for part in parts)})"


def _shown(text: str, limit: int = SHOWN_CHARS) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
