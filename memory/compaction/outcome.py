"""What became of a request to compact, what one would do, and what was kept: counts and the words for the member.

Pure values; nothing here decides anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from memory.compaction.handoff import Handoff, format_days

State = Literal["done", "known", "nothing", "cooling", "overfull"]

OVERFULL = (
    "What must stay in every prompt (system text, facts, the newest turns) is by itself over the size at which I "
    "compact ({threshold:,} tokens), so the prompt stays larger than that. Older turns still leave it, and nothing is "
    "lost; /new starts afresh with everything remembered, and the operator can raise REMEMBRANCER_COMPACT_AT_TOKENS."
)
COOLING = "The model was busy a moment ago; I compact a little later. Nothing is lost meanwhile."
NOTHING = "Nothing to compact: what stands in the prompt is short or still in use."


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

    def words(self) -> str:
        """Return the line for the member."""
        match self.state:
            case "done" | "known":
                return (
                    f"Compacted: {self.messages} messages ({self.chars:,} characters) left the prompt; handoff "
                    f"h{self.handoff_id} ({self.handoff_chars:,} characters) stands for them. Nothing was deleted: "
                    "every word stays stored, and /recall finds it."
                )
            case "overfull":
                return OVERFULL.format(threshold=self.threshold_tokens)
            case "cooling":
                return COOLING
            case "nothing" if self.set_aside:
                return f"{self.set_aside} long tool results are shown short from now on; recall reads them whole."
            case _:
                return NOTHING


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
        days = format_days(self.first_at.astimezone(zone), self.last_at.astimezone(zone))
        return (
            f"Compacting moves **{self.messages} messages** ({self.turns} of your turns, {self.chars:,} characters, "
            f"{days}) out of the prompt; a handoff of at most 1,900 characters stands for them. What stays word for "
            f"word: the newest {self.stays_messages} messages ({self.stays_chars:,} characters) and all facts. Nothing "
            "is deleted: every word stays stored, and /recall finds it."
        )


@dataclass(frozen=True)
class Kept:
    """A handoff with what became of its window: segments by route and the lines that stay in the prompt."""

    handoff: Handoff
    routes: Mapping[str, int] = field(default_factory=dict)
    pinned: Sequence[str] = ()

    def words(self) -> str:
        """Return the handoff's text as a quotation, the counts and the pinned lines."""
        quoted = "\n".join(f"> {line}" for line in self.handoff.text.splitlines())
        named = self.routes.get("KEEP", 0) + self.routes.get("COMPRESS", 0)
        counts = f"{named} segments named by its manifest, word for word"
        if self.routes.get("COMPRESS"):
            counts += f" ({self.routes['COMPRESS']} with a shorter text beside them)"
        if self.routes.get("DROP"):
            counts += f"; {self.routes['DROP']} left out of it (greetings, thanks, repeats): stored all the same"
        pinned = "\n".join(["Pinned, because recall did not find them:", *self.pinned]) if self.pinned else ""
        return "\n\n".join(part for part in (quoted, f"{counts}.", pinned) if part)
