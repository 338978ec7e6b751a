"""Servers: the connections to the programs whose tools the assistant may use, from the start of this one to its end.

Each connection has a task of its own, in which it is made, watched, made anew and closed; who calls a tool only waits,
with a deadline. So a server that is dead, hangs or talks nonsense costs an answer, and never a turn.
"""

import asyncio
import logging
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import anyio
from mcp import Client, MCPError, types
from mcp.client.session import IncomingMessage
from pydantic import ValidationError

from bot.health import OutOfReach
from bot.mcp.config import Address, Config, Program
from bot.mcp.contents import words_of
from bot.mcp.standing import GONE, NO_COMMAND, NONSENSE, REFUSING, SILENT, STARTING, Standing
from bot.mcp.transport import Nonsense, opened
from tools.mcp import Brought, Offer
from tools.reduction import short
from tools.tool import ToolError

log = logging.getLogger(__name__)

MAX_TOOLS = 200
MAX_PAGES = 20
MAX_SAID_CHARS = 300
WHO = types.Implementation(name="remembrancer", version="1")


@dataclass(frozen=True)
class Patience:
    """How long is waited, in seconds: for a connection, a list of tools, a call and a close; by a call for a server
    that is not there; and after each failure (the last one again and again), which a connection that was shorter than
    `steady_s` is too. A list is read again at least every `relist_s`.
    """

    connect_s: float = 60.0
    list_s: float = 15.0
    call_s: float = 45.0
    wait_s: float = 15.0
    close_s: float = 5.0
    pauses_s: tuple[float, ...] = (1.0, 5.0, 30.0, 120.0)
    steady_s: float = 60.0
    relist_s: float = 600.0
    relist_pause_s: float = 1.0


PATIENCE = Patience()


class Connection:
    """The connection to one server. `why` is None while it is there."""

    def __init__(self, name: str, server: Program | Address, patience: Patience = PATIENCE) -> None:
        self.name = name
        self.server = server
        self.why: str | None = STARTING
        self.offers: tuple[Offer, ...] = ()
        """Its tools, as it last described them."""
        self._patience = patience
        self._client: Client | None = None
        self._scope: anyio.CancelScope | None = None
        self._woken = asyncio.Event()
        self._is_closing = self._is_wanted = self._is_lost = self._is_stale = False
        self._attempt: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """The attempt to connect that is under way or comes next, while there is no connection."""
        self._task = asyncio.create_task(self._keep(), name=f"server {name}")

    async def close(self) -> None:
        """End the connection and the program that was started for it."""
        self._is_closing = True
        self._woken.set()
        if self._scope is not None:
            self._scope.deadline = anyio.current_time() + (self._patience.close_s if self._client else 0)
        await self._task
        self._attempt.cancel()

    async def attempted(self, within_s: float) -> bool:
        """Wait until it is connected, or until that failed; False when neither came within the time."""
        if self._client is None:
            attempt = self._attempt
            self._is_wanted = True
            self._woken.set()
            await asyncio.wait([attempt], timeout=within_s)
            return attempt.done()
        return True

    async def call(self, offer: Offer, arguments: Mapping[str, Any]) -> Brought:
        """Raises: ToolError."""
        await self.attempted(self._patience.wait_s)
        client = self._client
        if client is None:
            raise ToolError(f"{self.name}: {self.why}; nothing was done. Tell the member, or try again later.")
        params = types.CallToolRequestParams(name=offer.tool, arguments=dict(arguments))
        try:
            async with asyncio.timeout(self._patience.call_s):
                result = await client.session.send_request(types.CallToolRequest(params=params), types.CallToolResult)
        except TimeoutError:
            self._look()
            raise ToolError(
                f"{self.name} gave no answer within {self._patience.call_s:.0f} s; it may have happened all the same"
            ) from None
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                raise ToolError(f"{self.name} broke off while it worked; it may have happened all the same") from None
            return Brought(f"refused: {short(error.message, MAX_SAID_CHARS)}", is_error=True)
        except ValidationError:
            raise ToolError(f"{self.name} answered what is no result; it may have happened all the same") from None
        return Brought(words_of(result), result.is_error)

    # In the task of the connection

    async def _keep(self) -> None:
        failures = 0
        told: str | None = None
        while not self._is_closing:
            attempt, began = self._attempt, anyio.current_time()
            try:
                await self._live()
                self.why = GONE
            except Exception as error:
                # Whatever a server makes the library raise ends its connection and nothing else.
                self.why = _reason(error)
            is_steady = attempt.done() and anyio.current_time() - began >= self._patience.steady_s
            failures, told = (0, None) if is_steady else (failures + 1, told)
            if not attempt.done():
                attempt.set_result(None)
                self._attempt = asyncio.get_running_loop().create_future()
            if self.why != told and not self._is_closing:
                log.warning("server of tools: server=%s %s", self.name, self.why)
                told = self.why
            await self._rest(failures)

    async def _live(self) -> None:
        """Connect, and stay until the connection is lost or is to be closed."""
        self._is_wanted = self._is_lost = self._is_stale = False
        with anyio.fail_after(self._patience.connect_s) as self._scope:
            way = opened(self.server, self._lose)
            client = Client(way, cache=None, client_info=WHO, message_handler=self._hear)
            async with client:
                self.offers = await self._listed(client)
                self._scope.deadline = math.inf
                self._client, self.why = client, None
                self._attempt.set_result(None)
                try:
                    await self._watch(client)
                finally:
                    self._client, self.why = None, GONE
                    self._attempt = asyncio.get_running_loop().create_future()
                    self._scope.deadline = anyio.current_time() + self._patience.close_s

    async def _watch(self, client: Client) -> None:
        while True:
            self._woken.clear()
            if self._is_closing or self._is_lost:
                return
            if self._is_stale:
                self._is_stale = False
                self.offers = await self._listed(client)
                await asyncio.sleep(self._patience.relist_pause_s)
            with anyio.move_on_after(self._patience.relist_s) as waiting:
                await self._woken.wait()
            self._is_stale |= waiting.cancelled_caught

    async def _rest(self, failures: int) -> None:
        """Wait before the next attempt, unless somebody wants the server now."""
        pauses = self._patience.pauses_s
        with anyio.move_on_after(pauses[min(failures, len(pauses)) - 1] if failures else 0):
            while not (self._is_closing or self._is_wanted):
                self._woken.clear()
                await self._woken.wait()

    async def _listed(self, client: Client) -> tuple[Offer, ...]:
        found: list[types.Tool] = []
        cursor: str | None = None
        if client.server_capabilities.tools is None:
            return ()
        with anyio.fail_after(self._patience.list_s):
            for _ in range(MAX_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
        return tuple(_offer(self.name, tool) for tool in found[:MAX_TOOLS])

    async def _hear(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._look()

    def _look(self) -> None:
        """Have the tools listed again: that they changed was said, or it is in doubt that the server is there."""
        self._is_stale = True
        self._woken.set()

    def _lose(self) -> None:
        self._is_lost = True
        self._woken.set()


class Servers:
    """The servers of the operator; implements `Serving`. Use it as a context: they are started in the background."""

    def __init__(self, config: Config, patience: Patience = PATIENCE) -> None:
        self._config = config
        self._patience = patience
        self._connections: dict[str, Connection] = {}

    @property
    def standings(self) -> Sequence[Standing]:
        return [Standing(one.name, one.server, one.why, one.offers) for one in self._connections.values()]

    async def begun(self, names: Collection[str], *, within_s: float) -> None:
        await asyncio.gather(*(self._connections[name].attempted(within_s) for name in names))

    @property
    def timeout_s(self) -> float:
        # A call that is given up is still told to the server, which gets a moment for it.
        return self._patience.wait_s + self._patience.call_s + 2 * self._patience.close_s

    async def call(self, offer: Offer, arguments: Mapping[str, Any]) -> Brought:
        return await self._connections[offer.server].call(offer, arguments)

    async def __aenter__(self) -> Self:
        named = self._config.servers.items()
        self._connections = {name: Connection(name, server, self._patience) for name, server in named}
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*(one.close() for one in self._connections.values()))


async def reach(name: str, server: Program | Address) -> str:
    """Connect to a server once, and say what it has. Raises: OutOfReach."""
    connection = Connection(name, server)
    try:
        await connection.attempted(PATIENCE.connect_s)
        if connection.why is not None:
            raise OutOfReach(f"{connection.why}; look at its entry in mcp.json")
        count = len(connection.offers)
        return f"answers, {count} {'tool' if count == 1 else 'tools'}"
    finally:
        await connection.close()


def _offer(server: str, tool: types.Tool) -> Offer:
    is_read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
    return Offer(server, tool.name, tool.description or tool.title or "", tool.input_schema, is_read_only)


def _reason(error: BaseException) -> str:
    """Return why there is no connection, without a word of the server's."""
    leaves = list(_leaves(error))
    # That it was closed is what is left of every other fault.
    match next((leaf for leaf in leaves if not _is_closed(leaf)), leaves[0]):
        case TimeoutError():
            return SILENT
        case FileNotFoundError() | PermissionError() | NotADirectoryError():
            return NO_COMMAND
        case MCPError() as fault if not _is_closed(fault):
            return REFUSING
        case ValidationError() | RuntimeError() | Nonsense():
            return NONSENSE
        case _:
            return GONE


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _is_closed(error: BaseException) -> bool:
    return isinstance(error, MCPError) and error.code in {types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT}
