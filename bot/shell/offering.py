"""Where the shell is offered: in the operator's own space alone, once a sandbox can be made there."""

from pathlib import Path

from bot.command_line.app import TERMINAL_SPACE
from bot.settings import Settings
from bot.shell.sandbox import Bubblewrap
from memory.space import Space
from tools.shell import Sandbox, ShellTool
from tools.tool import Tool


def sandbox_of(settings: Settings) -> Bubblewrap:
    """Return the sandbox by the settings: their file and the home stay unseen wherever they lie."""
    beside = (settings.mcp.parent,) if settings.mcp else ()
    return Bubblewrap(hidden=(settings.home, Path.cwd(), *beside))


def shell_tools(space: Space, sandbox: Sandbox | None, operator_id: int | None) -> list[Tool]:
    """Return the shell for the space of the operator's private chat or of the terminal; for any other nothing.

    What a command cut off by a crash may have left among the files is swept first.
    """
    if sandbox is None or space.id not in {str(operator_id), TERMINAL_SPACE}:
        return []
    space.files.sweep()
    return [ShellTool(sandbox)]
