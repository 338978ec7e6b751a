"""Transport: how the bytes go to a server and come back, over the library's own two ways, with what they leave open.

A program's stderr goes nowhere, and its environment holds nothing of ours; an address is left by no redirect to another
host; a server that talks nonsense only is taken for gone, and an answer over HTTP that has no end is cut off.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import Context
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import anyio
import httpx2
from mcp import StdioServerParameters, stdio_client, types
from mcp.client._transport import ReadStream, TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from bot.mcp.config import Address, Program

MAX_NONSENSE = 50
"""So many lines in a row that are no messages: it is no server. A few words before the first message are common."""
MAX_BODY_BYTES = 20_000_000
NO_SCHEMA = {"type": "object", "required": ["inputSchema"]}
"""Nothing that could be told to a model: what it requires is not declared."""
TIMEOUT = httpx2.Timeout(10, read=120)


class Nonsense(Exception):
    """What comes is no MCP."""


@asynccontextmanager
async def opened(server: Program | Address, ended: Callable[[], None]) -> AsyncIterator[TransportStreams]:
    """Open the way to a server; `ended` is called when nothing more comes from it."""
    way = _program(server) if isinstance(server, Program) else _address(server)
    async with way as (incoming, outgoing):
        yield Watched(incoming, ended), outgoing


@asynccontextmanager
async def _program(server: Program) -> AsyncIterator[TransportStreams]:
    parameters = StdioServerParameters(
        command=server.command, args=list(server.args), env=dict(server.env), cwd=server.cwd
    )
    with _nowhere() as stderr:
        async with stdio_client(parameters, errlog=stderr) as streams:
            yield streams


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


@asynccontextmanager
async def _address(server: Address) -> AsyncIterator[TransportStreams]:
    headers = {**server.headers, "accept-encoding": "identity"}
    transport = Capped(httpx2.AsyncHTTPTransport())
    async with (
        httpx2.AsyncClient(headers=headers, timeout=TIMEOUT, transport=transport) as client,
        streamable_http_client(server.url, http_client=client) as streams,
    ):
        yield streams


class Watched:
    """The messages of a server, as they come; implements the library's `ReadStream`."""

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], ended: Callable[[], None]) -> None:
        self._incoming = incoming
        self._ended = ended
        self._nonsense = 0

    @property
    def last_context(self) -> Context | None:
        """The context that the last message was sent in; the library asks for it."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            message = await self._incoming.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._ended()
            raise
        self._nonsense = self._nonsense + 1 if isinstance(message, Exception) else 0
        if self._nonsense >= MAX_NONSENSE:
            raise Nonsense
        if isinstance(message, SessionMessage):
            _mend(message)
        return message

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _mend(message: SessionMessage) -> None:
    """Mend a list of tools, which the library would refuse whole: one that is malformed is left with its name, so that
    it is seen and cannot be used.
    """
    if isinstance(message.message, types.JSONRPCResponse) and isinstance(message.message.result.get("tools"), list):
        named = [tool for tool in message.message.result["tools"] if isinstance(tool, dict) and "name" in tool]
        message.message.result["tools"] = [
            tool if _is_whole(tool) else {"name": str(tool["name"]), "inputSchema": NO_SCHEMA} for tool in named
        ]


def _is_whole(tool: dict[str, Any]) -> bool:
    try:
        return types.Tool.model_validate(tool).input_schema.get("type") == "object"
    except ValidationError:
        return False


class Capped(httpx2.AsyncBaseTransport):
    """Sends requests, and breaks off an answer that grows too large, or is packed: a small one may unpack to anything.
    Streams of events have a limit of their own.
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport, *, most_bytes: int = MAX_BODY_BYTES) -> None:
        self._transport = transport
        self._most_bytes = most_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.RemoteProtocolError("the answer is packed, which was not asked for")
        is_events = response.headers.get("content-type", "").startswith("text/event-stream")
        if not is_events and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _CappedBody(response.stream, self._most_bytes)
        return response

    async def aclose(self) -> None:
        await self._transport.aclose()


class _CappedBody(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.AsyncByteStream, most_bytes: int) -> None:
        self._body = body
        self._most_bytes = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._body:
            size += len(piece)
            if size > self._most_bytes:
                raise httpx2.RemoteProtocolError("the answer is too large")
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
