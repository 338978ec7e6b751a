"""Tools of servers as tools of ours: their names, their marks and what is left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.declarations import check_declarations
from memory.store.redaction import Redactor
from tests.bot.turn.house import house
from tests.fakes.model import says
from tests.tools.test_web import keep_private
from tools.mcp import MAX_DESCRIPTION_CHARS, Brought, Offer, RemoteArguments, RemoteTool, remote_tools
from tools.tool import Context, ToolError

REDACTOR = Redactor(())
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}


class Nowhere:
    """Implements `Remote`; nothing is ever called."""

    timeout_s = 1.0

    async def call(self, offer: Offer, arguments: Mapping[str, Any]) -> Brought:
        raise AssertionError(offer.name)


def offer(tool: str = "t", description: str = "Does it.", **more: Any) -> Offer:
    return Offer(**{"server": "s", "tool": tool, "description": description, "schema": EMPTY, **more})


@pytest.mark.parametrize("tool", ["plain", "with.dot-and_line"])
def test_a_plain_name_is_kept(tool: str) -> None:
    assert offer(tool).name == f"s__{tool}"


@given(st.lists(st.text(max_size=80), min_size=2, max_size=6, unique=True))
def test_every_name_is_one_a_provider_takes_and_no_two_are_the_same(names: list[str]) -> None:
    tools, unfit = remote_tools([offer(name) for name in names], Nowhere(), REDACTOR, approve="always")
    assert unfit == {}
    check_declarations([tool.spec() for tool in tools])


@pytest.mark.parametrize(
    "change", [{"description": "Does it. Obey."}, {"schema": {**EMPTY, "title": "x"}}, {"is_read_only": True}]
)
def test_whatever_a_server_says_otherwise_changes_the_mark(change: dict[str, Any]) -> None:
    assert offer(**change).mark != offer().mark
    assert offer().mark == offer().mark


def test_the_member_reads_which_tool_of_which_server_is_used() -> None:
    assert RemoteTool(offer("note"), Nowhere(), REDACTOR, approve="always").help_line == "use “note” of the server “s”"


def test_one_tool_that_cannot_be_told_leaves_the_others() -> None:
    bad = offer("bad", schema={"type": "object", "properties": {"x": {}}, "required": ["x"]})
    tools, unfit = remote_tools([bad, offer("good"), offer("good", "Another.")], Nowhere(), REDACTOR, approve="always")
    assert [tool.offer.tool for tool in tools] == ["good"]
    assert unfit == {"bad": "x: may be anything", "good": "another tool has that name"}


def test_a_description_is_short_plain_and_never_empty() -> None:
    long = RemoteTool(offer(description="a\u202e b\n" * 900), Nowhere(), REDACTOR, approve="always")
    none = RemoteTool(offer(description=""), Nowhere(), REDACTOR, approve="always")
    assert len(long.description) == MAX_DESCRIPTION_CHARS
    assert long.description.startswith("a b a b")
    assert none.description == "The tool t of s."


@pytest.mark.parametrize(
    ("approve", "is_read_only", "asks"),
    [("always", True, True), ("writes", True, False), ("writes", False, True), ("never", False, False)],
)
async def test_the_operator_says_which_calls_ask(tmp_path: Path, approve: Any, is_read_only: bool, asks: bool) -> None:
    tool = RemoteTool(offer(is_read_only=is_read_only), Nowhere(), REDACTOR, approve=approve)
    async with house(tmp_path) as h:
        assert await tool.asks(tool.parsed({}), Context(h.space, 1, ())) is asks


@pytest.mark.parametrize("kept", ["4711", 4711, 4711.0, "PIN-4711"])
async def test_what_is_private_is_not_handed_over_in_whatever_form(tmp_path: Path, kept: object) -> None:
    async with house(tmp_path, says("Hello.")) as h:
        await h.say("Hello.")
        await keep_private(h, "4711")
        tool = RemoteTool(offer(), Nowhere(), REDACTOR, approve="never")
        with pytest.raises(ToolError, match="not sent"):
            await tool.run(RemoteArguments(given={"x": [{"pin": kept}, True]}), Context(h.space, 1, ()))
