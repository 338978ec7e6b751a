"""Standing: how a server stands, and what is asked of whoever holds the connections. No connection is known here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.mcp.config import Address, Program
from memory.catalogue import N_
from tools.mcp import Offer, Remote

STARTING = N_("is being started")
GONE = N_("ended or cannot be reached")
SILENT = N_("does not answer")
NO_COMMAND = N_("its command cannot be run")
NONSENSE = N_("says what is no MCP")
REFUSING = N_("refuses us")


@dataclass(frozen=True)
class Standing:
    """A server. `why` says what is wrong, None while it is there; `offers` are its tools, as it last described them."""

    name: str
    server: Program | Address
    why: str | None = STARTING
    offers: tuple[Offer, ...] = ()


class Serving(Remote, Protocol):
    """The servers that are at work."""

    @property
    def standings(self) -> Sequence[Standing]:
        """How each of them stands, in the order of the file."""
        ...

    async def begun(self, names: Collection[str], *, within_s: float) -> None:
        """Wait until the first attempt to reach each of these has ended, or until the time is over."""
        ...
