"""Opening: how the rest of the program comes to servers of tools.

What speaks to them is loaded by its name, and only where there are any: the library takes most of a second and of the
memory that a start costs, and most installations have no such server.
"""

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.mcp.config import Address, Config, Program
from bot.mcp.standing import Serving

SPEAKER = "bot.mcp.servers"


@asynccontextmanager
async def open_servers(config: Config) -> AsyncIterator[Serving | None]:
    """Keep the servers at work for the length of the context; None where there are none."""
    if not config.servers:
        yield None
        return
    async with importlib.import_module(SPEAKER).Servers(config) as servers:
        yield servers


async def reach_server(name: str, server: Program | Address) -> str:
    """Connect to a server once, and say what it has. Raises: OutOfReach."""
    said: str = await importlib.import_module(SPEAKER).reach(name, server)
    return said
