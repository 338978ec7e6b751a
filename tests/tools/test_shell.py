"""The shell tool: what it tells the model of a command, and where it is offered."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.shell.offering import shell_tools
from bot.wiring import make_registry
from memory.messages import CallPart
from memory.space import Space
from memory.store.files import NO_NAME, TWIN
from tests.bot.turn.house import ZONE, house
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock
from tools.shell import MAX_COMMAND_CHARS, QUOTED, Ran, ShellTool
from tools.tool import Context, ToolError


class Scripted:
    """A sandbox that answers as it is told to, and leaves what a command would."""

    def __init__(self, ran: Ran, *, hides: str = "") -> None:
        self._ran = ran
        self._hides = hides
        self.commands: list[str] = []

    async def run(self, command: str, files: Path) -> Ran:
        self.commands.append(command)
        if self._hides:
            files.mkdir(exist_ok=True)
            (files / self._hides).write_text("x")
        return self._ran


async def opened(home: Path, space_id: str) -> Space:
    await lay_blank(home / space_id / "memory.db")
    return await Space.open(home / space_id, default_zone=ZONE, clock=FakeClock(), backups=home)


async def told(home: Path, sandbox: Scripted, command: str = "ls") -> dict[str, Any]:
    """Return what the model is told of a command."""
    space = await opened(home, "7")
    try:
        tool = ShellTool(sandbox)
        return await tool.run(tool.parsed({"command": command}), Context(space, 1, ()))
    finally:
        await space.close()


async def test_a_command_s_output_and_exit_code_are_told_as_a_quotation(tmp_path: Path) -> None:
    sandbox = Scripted(Ran(2, "no such file\n"))
    assert await told(tmp_path, sandbox, "cat x") == {"output": "no such file\n", "exit_code": 2, "note": QUOTED}
    assert sandbox.commands == ["cat x"]


async def test_a_command_that_was_stopped_is_an_error_with_what_it_printed(tmp_path: Path) -> None:
    response = await told(tmp_path, Scripted(Ran(-9, "begun\n", stopped="stopped after 60 s")))
    assert response == {"output": "begun\n", "error": "stopped after 60 s", "note": QUOTED}


async def test_colours_hidden_signs_and_secrets_are_taken_out(tmp_path: Path) -> None:
    printed = "\x1b[31mred\x1b[0m\x07 \u202eback\n\x1b]0;title\x07token ghp_" + "a1B2" * 9 + "\r\n\ttab\n"
    response = await told(tmp_path, Scripted(Ran(0, printed)))
    assert "ghp_a1B2" not in response["output"]
    assert response["output"].startswith("red back\ntoken ")
    assert response["output"].endswith("\n\ttab\n")


async def test_what_may_not_stay_is_removed_and_named(tmp_path: Path) -> None:
    response = await told(tmp_path, Scripted(Ran(0, ""), hides=".hidden\udcff"))
    assert response["removed"] == [f".hidden?: {NO_NAME}"]
    json.dumps(response, ensure_ascii=False).encode()


async def test_the_same_name_in_two_spellings_is_told_as_such(tmp_path: Path) -> None:
    space = await opened(tmp_path, "7")
    space.files.write("\u00e9.txt", b"x")
    await space.close()
    response = await told(tmp_path, Scripted(Ran(0, ""), hides="e\u0301.txt"))
    assert response["removed"] == [f"e\u0301.txt: {TWIN}"]


async def test_the_files_are_swept_even_when_the_command_fails(tmp_path: Path) -> None:
    class Failing(Scripted):
        async def run(self, command: str, files: Path) -> Ran:
            await super().run(command, files)
            raise ToolError("no sandbox can be made")

    with pytest.raises(ToolError):
        await told(tmp_path, Failing(Ran(0, ""), hides=".hidden"))
    assert list((tmp_path / "7" / "files").iterdir()) == []


@pytest.mark.parametrize("command", ["", "x" * (MAX_COMMAND_CHARS + 1), "a\0b"])
async def test_a_command_that_cannot_be_run_says_why(command: str, tmp_path: Path) -> None:
    sandbox = Scripted(Ran(0, ""))
    with pytest.raises(ToolError, match="command"):
        await told(tmp_path, sandbox, command)
    assert sandbox.commands == []


async def test_every_command_asks_first(tmp_path: Path) -> None:
    registry = make_registry(more=[ShellTool(Scripted(Ran(0, "")))])
    call = CallPart(call_id="1", name="shell", args={"command": "true"})
    async with house(tmp_path) as h:
        assert await registry.asks(call, Context(h.space, 1, ()))
    assert registry.effect_of(call) == "external"


@pytest.mark.parametrize(
    ("space_id", "operator_id", "is_offered"),
    [
        ("7", 7, True),
        ("local", 7, True),
        ("local", None, True),
        ("8", 7, False),
        ("-100", 7, False),
        ("7", None, False),
    ],
)
async def test_the_shell_is_in_the_operator_s_own_space_alone(
    space_id: str, operator_id: int | None, is_offered: bool, tmp_path: Path
) -> None:
    space = await opened(tmp_path, space_id)
    try:
        registry = make_registry(more=shell_tools(space, Scripted(Ran(0, "")), operator_id))
        assert ("shell" in [spec.name for spec in registry.specs]) is is_offered
        assert any("approved" in line for line in registry.help_lines) is is_offered
        assert shell_tools(space, None, operator_id) == []
    finally:
        await space.close()


async def test_what_a_crash_left_among_the_files_is_swept_when_the_shell_is_offered_again(tmp_path: Path) -> None:
    space = await opened(tmp_path, "7")
    try:
        (space.folder / "files").mkdir()
        (space.folder / "files" / "link").symlink_to("/etc/passwd")
        shell_tools(space, Scripted(Ran(0, "")), 7)
        assert list((space.folder / "files").iterdir()) == []
    finally:
        await space.close()
