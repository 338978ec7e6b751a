"""Report: what a forgetting found before and what it left, and the receipt a member reads. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.catalogue import N_, _, ngettext
from memory.forget.mentions import Mention
from memory.forget.remains import RECEIPT

SHOWN_IDS = 8
_COUNTS: Mapping[str, Callable[[int], str]] = {
    "facts": lambda count: ngettext("{count} fact", "{count} facts", count),
    "procedures": lambda count: ngettext("{count} procedure", "{count} procedures", count),
    "reminders": lambda count: ngettext("{count} reminder", "{count} reminders", count),
    "documents": lambda count: ngettext("{count} document", "{count} documents", count),
    "approvals": lambda count: ngettext(
        "{count} question for your approval", "{count} questions for your approval", count
    ),
    "messages": lambda count: ngettext("{count} message", "{count} messages", count),
    "handoffs": lambda count: ngettext("{count} handoff", "{count} handoffs", count),
    "pinned lines": lambda count: ngettext("{count} pinned line", "{count} pinned lines", count),
    "journal": lambda count: ngettext("{count} line of the journal", "{count} lines of the journal", count),
    "prompt": lambda count: ngettext("{count} prompt", "{count} prompts", count),
    "inbox": lambda count: ngettext("{count} arrived message", "{count} arrived messages", count),
    "outbox": lambda count: ngettext("{count} sent message", "{count} sent messages", count),
    "questions": lambda count: ngettext("{count} question of the probe", "{count} questions of the probe", count),
    "settings": lambda count: ngettext("{count} setting", "{count} settings", count),
    "media": lambda count: ngettext("{count} file", "{count} files", count),
    "files": lambda count: ngettext("{count} file of mine", "{count} files of mine", count),
    "turns": lambda count: ngettext("{count} turn", "{count} turns", count),
}
"""Each layer, counted, as a member reads it."""
_ERASED = N_(
    "Erased: what you had me forget is gone from the database file, its log and the journal. Out of my reach: this "
    "chat on Telegram, what Google keeps of past requests, and backups made before."
)


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
            return self._erased()
        found = _("Found before: {counts}; found after: {after}.").format(
            counts=listed_counts(self.before), after=self.after
        )
        lines = [f"{_(RECEIPT)}{self.ref}{self._together()}. {found}"]
        same = [mention for mention in self.mentions if mention.is_verbatim]
        alike = [mention for mention in self.mentions if not mention.is_verbatim]
        if same:
            lines += [_("You said it in other messages too, and those stay:"), *_listed(same, show)]
        if alike:
            lines += [_("Perhaps these are about it as well; they stay:"), *_listed(alike, show)]
        if self.mentions:
            again = _("`/forget m{message}` takes such a message too; you can name several.")
            lines.append(again.format(message=self.mentions[0].message_id))
        return "\n".join(lines)

    def _erased(self) -> str:
        if not self.backups:
            return _(_ERASED)
        return ngettext(
            "Erased: what you had me forget is gone from the database file, its log and the journal. Out of my reach: "
            "this chat on Telegram, what Google keeps of past requests, and backups made before ({count} file here).",
            "Erased: what you had me forget is gone from the database file, its log and the journal. Out of my reach: "
            "this chat on Telegram, what Google keeps of past requests, and backups made before ({count} files here).",
            self.backups,
        ).format(count=self.backups)

    def _together(self) -> str:
        others = [f"f{number}" for number in self.facts if f"f{number}" != self.ref]
        if not others:
            return ""
        which = ", ".join(others[:SHOWN_IDS]) + (" …" if len(others) > SHOWN_IDS else "")
        if self.ref.startswith("f"):
            return _(", and with it the other values of the same thing ({which})").format(which=which)
        return _(", and with it what I noted from it ({which})").format(which=which)


def listed_counts(counts: Mapping[str, int]) -> str:
    """Return the counts of layers as a member reads them."""
    return ", ".join(_COUNTS[layer](count).format(count=count) for layer, count in counts.items()) or _("nothing")


def _listed(mentions: Sequence[Mention], show: Callable[[str], str]) -> list[str]:
    shown = [f"- m{mention.message_id} “{show(mention.excerpt)}”" for mention in mentions[:SHOWN_IDS]]
    more = len(mentions) - SHOWN_IDS
    return [*shown, _("- and {count} more").format(count=more)] if more > 0 else shown
