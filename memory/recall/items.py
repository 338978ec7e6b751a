"""The values recall takes and gives: where to look, what was found, what was left out and why. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory.messages import Origin, Role

Layer = Literal["fact", "segment", "procedure"]
Reason = Literal["k", "floor", "window", "budget", "duplicate", "hash"]
"""Why a candidate was left out: beyond the number asked for; too little of the query matched; stands in the prompt
anyway; does not fit; the same words were said again later; its text is not what was hashed."""


@dataclass(frozen=True)
class Scope:
    """Where to look. Times are half-open, `since` ≤ time < `until`, and apply to when something was said."""

    since: datetime | None = None
    until: datetime | None = None
    role: Role | None = None
    layers: frozenset[Layer] = frozenset({"fact", "segment", "procedure"})


EVERYWHERE = Scope()


@dataclass(frozen=True)
class Item:
    """Something found. `text` is exact: the segment, its best lines when packed, `subject: value` of a fact, all of a
    procedure.

    `refs` are the names an import gave the messages whose text stands in `text`; `turn` is None for imports.
    `share` is how much of what the query asks for matched, 0 to 1; `is_outdated` marks a segment whose message states
    a fact that has since changed. A fact has no `role`: facts are the member's. `document` is the number of the
    document whose words these are, where it is known here.
    """

    id: str
    layer: Layer
    text: str
    score: float
    at: datetime
    refs: tuple[str, ...]
    turn: int | None
    message: int | None
    tokens: int
    share: float = 1.0
    role: Role | None = None
    author: str | None = None
    sha256: str | None = None
    is_outdated: bool = False
    origin: Origin | None = None
    document: int | None = None

    @property
    def is_document(self) -> bool:
        """Whether these are words of a file that was handed over."""
        return self.origin == "document"

    @property
    def speaker(self) -> str:
        """Who said it, from the member's side: a name, "you" or "assistant"; of a document, which and where in it."""
        if self.is_document:
            return f"document {self.author or ''}".strip()
        return self.author or ("you" if self.role in {"user", None} else "assistant")


@dataclass(frozen=True)
class Excluded:
    id: str
    reason: Reason


@dataclass(frozen=True)
class Found:
    """The ranked list, best first, and what a prompt would leave out of it."""

    query: str
    items: list[Item] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    ms: float = 0.0


@dataclass(frozen=True)
class Packed:
    """What goes into a prompt: `text` has a line an item, with date, speaker and id before the exact words."""

    text: str = ""
    items: list[Item] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
