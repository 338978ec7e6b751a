"""Servers of tools over HTTP: the library's own server on loopback, behind a door that looks at what comes."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2
import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.mcp.config import Address
from bot.mcp.servers import Connection
from bot.mcp.standing import GONE, REFUSING
from bot.mcp.transport import Capped
from tests.bot.mcp.programs import QUICK
from tools.mcp import Brought

TOKEN = "Bearer very-private-token"


@dataclass
class Door:
    """Lets in who has the token, unless it answers by itself; notes whom it let in and whom not."""

    inside: ASGIApp
    answer: Response | None = None
    asked: list[str | None] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inside(scope, receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.asked.append(headers.get("authorization"))
        refused = PlainTextResponse("who are you?", 401) if headers.get("authorization") != TOKEN else None
        await (self.answer or refused or self.inside)(scope, receive, send)


def tools() -> MCPServer:
    server = MCPServer("fake")

    @server.tool(description="Adds.", structured_output=False)
    def add(a: int, b: int) -> str:
        return str(a + b)

    return server


@asynccontextmanager
async def at_work(json_response: bool = False) -> AsyncIterator[tuple[Door, str]]:
    """Serve on loopback for the length of the context; yields the door and the address."""
    app = tools().streamable_http_app(json_response=json_response)
    door = Door(app)
    server = uvicorn.Server(uvicorn.Config(door, port=0, log_config=None, lifespan="on", ws="none"))
    task = asyncio.create_task(server.serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - the library has no event for it
            await asyncio.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield door, f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def connected(url: str, token: str = TOKEN) -> AsyncIterator[Connection]:
    connection = Connection("far", Address(url=url, headers={"Authorization": token}), QUICK)
    try:
        await connection.attempted(10)
        yield connection
    finally:
        await connection.close()


async def call(connection: Connection, tool: str, **arguments: object) -> Brought:
    return await connection.call(next(one for one in connection.offers if one.tool == tool), arguments)


@pytest.mark.parametrize("json_response", [False, True])
async def test_the_tools_of_an_address_are_listed_and_called_with_its_headers(json_response: bool) -> None:
    async with at_work(json_response) as (door, url), connected(url) as connection:
        assert connection.why is None
        assert (await call(connection, "add", a=1, b=2)).text == "3"
    assert set(door.asked) == {TOKEN}


async def test_a_token_that_is_refused_is_said_and_nothing_of_it() -> None:
    async with at_work() as (_, url), connected(url, "Bearer wrong-token-of-mine") as connection:
        assert connection.why == REFUSING


async def test_nobody_there_is_said() -> None:
    async with connected("http://127.0.0.1:9/mcp") as connection:
        assert connection.why == GONE


async def test_a_redirect_leads_to_no_other_host() -> None:
    async with at_work() as (far, far_url), at_work() as (door, url):
        door.answer = RedirectResponse(far_url, 307)
        async with connected(url) as connection:
            assert connection.why is not None
        assert far.asked == []


async def test_a_server_that_goes_and_comes_back_is_found_again() -> None:
    async with at_work() as (door, url), connected(url) as connection:
        door.answer = PlainTextResponse("down for a while", 503)
        assert (await call(connection, "add", a=1, b=2)).is_error
        door.answer = None
        assert (await call(connection, "add", a=1, b=2)).text == "3"


async def test_an_answer_without_end_is_cut_off() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"much " * 100

    far = httpx2.MockTransport(lambda request: httpx2.Response(200, content=endless()))
    async with httpx2.AsyncClient(transport=Capped(far, most_bytes=10_000)) as client:
        with pytest.raises(httpx2.RemoteProtocolError, match="too large"):
            await client.get("http://far.example/")


async def test_an_answer_that_is_packed_is_not_unpacked() -> None:
    packed = httpx2.Response(200, headers={"content-encoding": "gzip"}, content=gzip.compress(b"much " * 10_000))
    async with httpx2.AsyncClient(transport=Capped(httpx2.MockTransport(lambda request: packed))) as client:
        with pytest.raises(httpx2.RemoteProtocolError, match="packed"):
            await client.get("http://far.example/")
