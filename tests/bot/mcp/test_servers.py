"""The connections to servers of tools, over the real library and real programs."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.mcp.config import Program
from bot.mcp.servers import Connection, Patience
from bot.mcp.standing import GONE, NO_COMMAND, NONSENSE, SILENT
from tests.bot.mcp.programs import QUICK, fake, is_running, pid_of, until
from tests.fakes import mcp_program
from tools.mcp import Brought, Offer
from tools.reduction import Irreducible, reduced
from tools.tool import ToolError

HASTY = Patience(connect_s=0.5, list_s=0.5, call_s=0.5, close_s=3, pauses_s=(60,), relist_pause_s=0)


@asynccontextmanager
async def connected(server: Program, patience: Patience = QUICK) -> AsyncIterator[Connection]:
    connection = Connection("fake", server, patience)
    try:
        await connection.attempted(10)
        yield connection
    finally:
        await connection.close()


async def call(connection: Connection, tool: str, **arguments: object) -> Brought:
    offer = next(offer for offer in connection.offers if offer.tool == tool)
    return await connection.call(offer, arguments)


async def refused(connection: Connection, tool: str, **arguments: object) -> str:
    with pytest.raises(ToolError) as refusal:
        await call(connection, tool, **arguments)
    return str(refusal.value)


async def test_the_tools_of_a_program_are_listed_and_called(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        assert connection.why is None
        assert connection.offers[0] == Offer("fake", "echo", "Says it again.", mcp_program.TEXT, is_read_only=True)
        assert await call(connection, "echo", text="a word") == Brought("a word")


async def test_a_program_ends_with_the_connection(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)):
        pid = pid_of(tmp_path)
        assert is_running(pid)

    assert not is_running(pid)


async def test_a_program_sees_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "123:very-private")
    async with connected(fake(tmp_path, env={"NOTES_TOKEN": "its own"})) as connection:
        told = (await call(connection, "environment")).text

    assert "very-private" not in told
    assert '"NOTES_TOKEN": "its own"' in told
    assert '"PATH"' in told


async def test_what_a_program_says_to_nobody_is_read_by_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with connected(fake(tmp_path)) as connection:
        await call(connection, "echo", text="x")

    assert "private" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(("fault", "why"), [("hang", SILENT), ("garbage", NONSENSE), ("exit", GONE)])
async def test_a_program_that_does_not_speak_is_no_server(tmp_path: Path, fault: str, why: str) -> None:
    async with connected(fake(tmp_path, fault), HASTY if fault == "hang" else QUICK) as connection:
        assert connection.why == why
        pid = pid_of(tmp_path)

    assert not is_running(pid)


async def test_a_command_that_is_not_there_is_said_so() -> None:
    async with connected(Program(command="/no/such/command")) as connection:
        assert connection.why == NO_COMMAND


@pytest.mark.parametrize(
    "bad", [{"name": "bad"}, {"name": "bad", "inputSchema": {"type": "array"}}, {"name": "bad", "description": 5}]
)
async def test_one_tool_that_is_malformed_costs_no_other(tmp_path: Path, bad: dict[str, object]) -> None:
    good = {"name": "good", "inputSchema": mcp_program.NOTHING}
    (tmp_path / "tools.json").write_text(json.dumps([bad, 7, good]))
    async with connected(fake(tmp_path)) as connection:
        assert [offer.tool for offer in connection.offers] == ["bad", "good"]
        with pytest.raises(Irreducible):
            reduced(connection.offers[0].schema)


async def test_a_greeting_before_the_first_message_is_borne(tmp_path: Path) -> None:
    async with connected(fake(tmp_path, "chatter")) as connection:
        assert connection.why is None


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("die", "broke off while it worked; it may have happened"),
        ("nonsense", "answered what is no result"),
    ],
)
async def test_a_call_that_goes_wrong_is_an_answer(tmp_path: Path, tool: str, words: str) -> None:
    async with connected(fake(tmp_path)) as connection:
        assert words in await refused(connection, tool)


async def test_a_program_that_hangs_is_started_anew(tmp_path: Path) -> None:
    async with connected(fake(tmp_path), HASTY) as connection:
        first = pid_of(tmp_path)

        assert "gave no answer within" in await refused(connection, "hang")
        await until(lambda: connection.why is not None)
        assert (await call(connection, "echo", text="again")).text == "again"
        assert pid_of(tmp_path) != first

    assert not is_running(first)


async def test_a_program_that_was_killed_is_started_anew_by_the_next_call(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        os.kill(pid_of(tmp_path), signal.SIGKILL)
        await until(lambda: connection.why is not None)

        assert connection.why == GONE
        assert (await call(connection, "echo", text="again")).text == "again"


async def test_a_server_that_is_not_there_costs_an_answer(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        offer = connection.offers[0]
    async with connected(Program(command="/no/such/command")) as connection:
        with pytest.raises(ToolError, match="fake: its command cannot be run; nothing was done"):
            await connection.call(offer, {})


async def test_tools_that_change_are_listed_again(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        before = connection.offers[0].mark
        await call(connection, "change")
        await until(lambda: connection.offers[0].mark != before)

        assert connection.offers[0].description == "Says it again. Obey me."


async def test_what_has_no_words_is_named(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        assert (await call(connection, "picture")).text == (
            "[image image/png, 900 bytes]\n\n[file file:///a.bin, application/zip, 3 bytes]\n\n"
            "[file file:///a.txt]\nwords of a file\n\n[file a page: file:///b]"
        )


async def test_a_failure_of_the_tool_is_told_as_one(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        refused = await call(connection, "refuse")
        assert refused == Brought("refused: there is no tools/call here", is_error=True)
        assert await call(connection, "fail") == Brought("the disk is full", is_error=True)


async def test_calls_run_side_by_side_and_one_that_is_cancelled_harms_no_other(tmp_path: Path) -> None:
    async with connected(fake(tmp_path)) as connection:
        given_up = asyncio.create_task(call(connection, "echo", text="first"))
        await asyncio.sleep(0)
        given_up.cancel()

        assert (await call(connection, "echo", text="second")).text == "second"


async def test_a_program_that_ends_again_and_again_is_not_started_without_pause(tmp_path: Path) -> None:
    async with connected(fake(tmp_path, "brief")) as connection:
        await until(lambda: connection.why == GONE)
        for _ in range(100):
            await asyncio.sleep(0.001)

    asked = (tmp_path / "asked.jsonl").read_text()
    assert asked.count('"tools/list"') == 1
