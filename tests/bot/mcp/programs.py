"""Servers of tools for tests: the fake program, with little patience."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bot.mcp.config import Config, Program
from bot.mcp.servers import Patience, Servers
from tests.fakes import mcp_program

QUICK = Patience(connect_s=5, list_s=3, call_s=3, close_s=3, pauses_s=(60,), relist_pause_s=0)


def fake(folder: Path, fault: str = "", **more: object) -> Program:
    """Return the fake program over a folder of its own."""
    folder.mkdir(exist_ok=True)
    return Program.model_validate(
        {"command": sys.executable, "args": [mcp_program.__file__, str(folder), fault], **more}
    )


def serving(**programs: Program) -> AbstractAsyncContextManager[Servers]:
    """Keep programs at work, by their names."""
    return Servers(Config(programs), QUICK)


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds that another program or task brings about."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - another program is waited for
            await asyncio.sleep(0.01)


def pid_of(folder: Path) -> int:
    return int((folder / "pid").read_text())


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
