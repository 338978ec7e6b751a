"""Album: the nights of a memory as numbers, and the way to the process that draws them (`bot/probing/picture.py`).

The drawing library is large and slow to load, so the server never does. Numbers and dates alone pass, no word of a
member.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict

from bot.apart import done_apart
from memory.catalogue import ENGLISH

DEADLINE_S = 60.0


class Mark(BaseModel):
    """What a night measured; None for what was not."""

    model_config = ConfigDict(frozen=True)

    night: date
    recall_rate: float | None
    prompt_size: int | None
    ledger_facts: int


class Album(BaseModel):
    """The nights of one picture, the oldest first; at least one. `language` is the code of that of its captions."""

    model_config = ConfigDict(frozen=True)

    marks: tuple[Mark, ...]
    language: str = ENGLISH


async def drawn(album: Album) -> bytes | None:
    """Have the picture drawn by a process of its own; None when that fails or takes too long."""
    return await done_apart("bot.probing.picture", album.model_dump_json().encode(), deadline_s=DEADLINE_S)
