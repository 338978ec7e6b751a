"""What became of a request to compact, what one would do, and what was kept: counts and the words for the member.

Pure values; nothing here decides anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from memory.catalogue import DAY_OF_MONTH, LONG_DAY, LONG_DAY_OF_YEAR, N_, _, ngettext, written
from memory.compaction.handoff import Handoff

State = Literal["done", "known", "nothing", "cooling", "overfull"]

OVERFULL = N_(
    "What must stay in every prompt (system text, facts, the newest turns) is by itself over the size at which I "
    "compact ({threshold} tokens), so the prompt stays larger than that. Older turns still leave it, and nothing is "
    "lost; /new starts afresh with everything remembered, and the operator can raise REMEMBRANCER_COMPACT_AT_TOKENS."
)
COOLING = N_("The model was busy a moment ago; I compact a little later. Nothing is lost meanwhile.")
NOTHING = N_("Nothing to compact: what stands in the prompt is short or still in use.")


@dataclass(frozen=True)
class Outcome:
    """Counts only, no text. `set_aside` are long results of tools that are shown short from now on."""

    state: State
    handoff_id: int | None = None
    messages: int = 0
    chars: int = 0
    handoff_chars: int = 0
    is_summary: bool = False
    pinned: int = 0
    set_aside: int = 0
    threshold_tokens: int = 0
    must_be_told: bool = False
    """The member must hear of it even if they did not ask: once a session."""

    def plain_words(self) -> str:
        """Return the line for a member who did not ask: in the words of the talk, not of prompts and handoffs."""
        if self.state != "done":
            return self.words()
        return ngettext(
            "I put the older part of our talk ({count} message) aside to keep answers quick; every word stays stored, "
            "and /recall finds it.",
            "I put the older part of our talk ({count} messages) aside to keep answers quick; every word stays stored, "
            "and /recall finds it.",
            self.messages,
        ).format(count=self.messages)

    def words(self) -> str:
        """Return the line for a member who asked."""
        match self.state:
            case "done" | "known":
                return _(
                    "Compacted: {messages} messages ({chars} characters) left the prompt; handoff h{handoff} "
                    "({handoff_chars} characters) stands for them. Nothing was deleted: every word stays stored, and "
                    "/recall finds it."
                ).format(
                    messages=self.messages,
                    chars=f"{self.chars:,}",
                    handoff=self.handoff_id,
                    handoff_chars=f"{self.handoff_chars:,}",
                )
            case "overfull":
                return _(OVERFULL).format(threshold=f"{self.threshold_tokens:,}")
            case "cooling":
                return _(COOLING)
            case "nothing" if self.set_aside:
                told = _("{count} long tool results are shown short from now on; recall reads them whole.")
                return told.format(count=self.set_aside)
            case _:
                return _(NOTHING)


@dataclass(frozen=True)
class Preview:
    """What would leave if a session were compacted now, and what would stay."""

    messages: int
    turns: int
    chars: int
    first_at: datetime
    last_at: datetime
    stays_messages: int
    stays_chars: int

    def words(self, zone: ZoneInfo) -> str:
        """Return what the member decides by."""
        return _(
            "Compacting moves **{messages} messages** ({turns} of your turns, {chars} characters, {days}) out of the "
            "prompt; a handoff of at most 1,900 characters stands for them. What stays word for word: the newest "
            "{stays_messages} messages ({stays_chars} characters) and all facts. Nothing is deleted: every word stays "
            "stored, and /recall finds it."
        ).format(
            messages=self.messages,
            turns=self.turns,
            chars=f"{self.chars:,}",
            days=_days(self.first_at.astimezone(zone), self.last_at.astimezone(zone)),
            stays_messages=self.stays_messages,
            stays_chars=f"{self.stays_chars:,}",
        )


def _days(first: datetime, last: datetime) -> str:
    if first.date() == last.date():
        return written(last, LONG_DAY)
    is_same_month = (first.year, first.month) == (last.year, last.month)
    begins = DAY_OF_MONTH if is_same_month else LONG_DAY_OF_YEAR if first.year == last.year else LONG_DAY
    return _("{first} to {last}").format(first=written(first, begins), last=written(last, LONG_DAY))


@dataclass(frozen=True)
class Kept:
    """A handoff with what became of its window: segments by route and the lines that stay in the prompt."""

    handoff: Handoff
    routes: Mapping[str, int] = field(default_factory=dict)
    pinned: Sequence[str] = ()

    def words(self) -> str:
        """Return the handoff's text as a quotation, with how much it stands for, the counts and the pinned lines."""
        told = _("h{handoff}: {handoff_chars} characters stand in each prompt for {chars} characters of our talk.")
        sizes = {"handoff_chars": f"{len(self.handoff.text):,}", "chars": f"{self.handoff.window_chars:,}"}
        head = told.format(handoff=self.handoff.id, **sizes)
        quoted = "\n".join(f"> {line}" for line in self.handoff.text.splitlines())
        named = self.routes.get("KEEP", 0) + self.routes.get("COMPRESS", 0)
        counts = _("{count} segments named by its manifest, word for word").format(count=named)
        if self.routes.get("COMPRESS"):
            counts += _(" ({count} with a shorter text beside them)").format(count=self.routes["COMPRESS"])
        if self.routes.get("DROP"):
            left_out = _("; {count} left out of it (greetings, thanks, repeats): stored all the same")
            counts += left_out.format(count=self.routes["DROP"])
        pinned = "\n".join([_("Pinned, because recall did not find them:"), *self.pinned]) if self.pinned else ""
        return "\n\n".join(part for part in (head, quoted, f"{counts}.", pinned) if part)
