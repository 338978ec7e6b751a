"""Change: what one row becomes when something is forgotten, and the layer it belongs to. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Layer = Literal[
    "facts",
    "procedures",
    "reminders",
    "documents",
    "approvals",
    "messages",
    "handoffs",
    "pinned lines",
    "journal",
    "prompt",
    "inbox",
    "outbox",
    "questions",
    "settings",
    "media",
]


@dataclass(frozen=True)
class Change:
    """New values of columns of one row; without any, the row goes."""

    layer: Layer
    table: str
    id: int
    values: Mapping[str, str | None]
