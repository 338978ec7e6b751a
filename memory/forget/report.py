"""Report: what a forgetting found before and what it left, and the receipt a member reads. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.forget.mentions import Mention
from memory.forget.remains import RECEIPT

SHOWN_IDS = 8
NAMES = {
    "facts": ("fact", "facts"),
    "procedures": ("procedure", "procedures"),
    "reminders": ("reminder", "reminders"),
    "messages": ("message", "messages"),
    "handoffs": ("handoff", "handoffs"),
    "pinned lines": ("pinned line", "pinned lines"),
    "journal": ("line of the journal", "lines of the journal"),
    "prompt": ("prompt", "prompts"),
    "inbox": ("arrived message", "arrived messages"),
    "outbox": ("sent message", "sent messages"),
    "questions": ("question of the probe", "questions of the probe"),
    "media": ("file", "files"),
    "files": ("file of mine", "files of mine"),
    "turns": ("turn", "turns"),
}
"""Each layer as a member reads it, one and many."""
_OUT_OF_REACH = "this chat on Telegram, what Google keeps of past requests, and backups made before"


@dataclass(frozen=True)
class Report:
    """The counts before and after. *Erased* once the effects are done, *forgotten* until then."""

    ref: str = ""
    state: Literal["forgotten", "erased"] = "forgotten"
    before: Mapping[str, int] = field(default_factory=dict)
    after: int = 0
    mentions: tuple[Mention, ...] = ()
    facts: tuple[int, ...] = ()
    """All facts that went: with a fact, its earlier and later values."""
    backups: int = 0
    """How many backup files of the installation lie beside the memories."""

    def words(self, show: Callable[[str], str] = str) -> str:
        """Return the receipt for the member (Markdown); `show` makes a stored text fit for where it is read."""
        if self.state == "erased":
            files = f" ({self.backups} {'files' if self.backups > 1 else 'file'} here)" if self.backups else ""
            return (
                "Erased: what you had me forget is gone from the database file, its log and the journal. Out of my "
                f"reach: {_OUT_OF_REACH}{files}."
            )
        found = f"Found before: {listed_counts(self.before)}; found after: {self.after}."
        lines = [f"{RECEIPT}{self.ref}{self._together()}. {found}"]
        same = [mention for mention in self.mentions if mention.is_verbatim]
        alike = [mention for mention in self.mentions if not mention.is_verbatim]
        if same:
            lines += ["You said it in other messages too, and those stay:", *_listed(same, show)]
        if alike:
            lines += ["Perhaps these are about it as well; they stay:", *_listed(alike, show)]
        if self.mentions:
            lines.append(f"`/forget m{self.mentions[0].message_id}` takes such a message too; you can name several.")
        return "\n".join(lines)

    def _together(self) -> str:
        others = [f"f{number}" for number in self.facts if f"f{number}" != self.ref]
        if not others:
            return ""
        which = ", ".join(others[:SHOWN_IDS]) + (" …" if len(others) > SHOWN_IDS else "")
        if self.ref.startswith("f"):
            return f", and with it the other values of the same thing ({which})"
        return f", and with it what I noted from it ({which})"


def listed_counts(counts: Mapping[str, int]) -> str:
    """Return the counts of layers as a member reads them."""
    return ", ".join(f"{count} {NAMES[layer][count != 1]}" for layer, count in counts.items()) or "nothing"


def _listed(mentions: Sequence[Mention], show: Callable[[str], str]) -> list[str]:
    shown = [f"- m{mention.message_id} “{show(mention.excerpt)}”" for mention in mentions[:SHOWN_IDS]]
    more = len(mentions) - SHOWN_IDS
    return [*shown, f"- and {more} more"] if more > 0 else shown
