"""Album: the nights of a memory as numbers, and the way to the process that draws them (`bot/picture.py`).

The drawing library is large and slow to load, so the server never does. Numbers and dates alone pass, no word of a
member.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict

DEADLINE_S = 60.0


class Mark(BaseModel):
    """What a night measured; None for what was not."""

    model_config = ConfigDict(frozen=True)

    night: date
    recall_rate: float | None
    prompt_size: int | None
    ledger_facts: int


class Album(BaseModel):
    """The nights of one picture, the oldest first; at least one."""

    model_config = ConfigDict(frozen=True)

    marks: tuple[Mark, ...]


async def drawn(album: Album) -> bytes | None:
    """Have the picture drawn by a process of its own; None when that fails or takes too long."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "bot.picture", stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_environment()
    )
    try:
        async with asyncio.timeout(DEADLINE_S):
            picture, _ = await process.communicate(album.model_dump_json().encode())
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return picture if process.returncode == 0 and picture else None


def _environment() -> dict[str, str]:
    """Return the environment without anything that is set up for the server: no key and no token is needed to draw."""
    passed_on = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**passed_on, "PYTHONPATH": str(Path(__file__).parents[1])}
