"""Progress: the line that is seen while a tool runs, and what its work is called afterwards.

Pure; by the names of the tools. Neither ever becomes part of an answer's text.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from memory.catalogue import N_, _
from memory.messages import CallPart
from tools.facts import FactsTool
from tools.files import FilesTool
from tools.mcp import SERVER_SIGN
from tools.procedures import ProceduresTool
from tools.recall import RecallTool
from tools.remember import RememberTool
from tools.reminders import RemindersTool
from tools.shell import ShellTool
from tools.web import FetchUrlTool, WebSearchTool

MAX_HOST_CHARS = 60
AT_WORK = N_("⚙️ working…")
ASKING = N_("🔌 asking {server}…")
READING = N_("📄 reading {host}…")

_LINES: Mapping[str, str] = {
    RecallTool.name: N_("🧠 looking in my memory…"),
    FactsTool.name: N_("🧠 looking in my memory…"),
    RememberTool.name: N_("🧠 noting a fact…"),
    ProceduresTool.name: N_("📋 looking at your procedures…"),
    RemindersTool.name: N_("⏰ looking at your reminders…"),
    FilesTool.name: N_("📁 working with your files…"),
    WebSearchTool.name: N_("🔎 searching the web…"),
    FetchUrlTool.name: READING,
    ShellTool.name: N_("🖥 running a command…"),
}
_OF_REMINDERS: Mapping[str, str] = {
    "set": N_("⏰ setting a reminder…"),
    "change": N_("⏰ changing a reminder…"),
    "snooze": N_("⏰ putting a reminder off…"),
}
_WORKS: Mapping[str, str] = {
    RecallTool.name: N_("a look into my memory"),
    FactsTool.name: N_("a look at the facts"),
    RememberTool.name: N_("noting a fact"),
    ProceduresTool.name: N_("work on a procedure"),
    RemindersTool.name: N_("work on a reminder"),
    FilesTool.name: N_("work on a file"),
    WebSearchTool.name: N_("a web search"),
    FetchUrlTool.name: N_("reading a page"),
    ShellTool.name: N_("a command"),
}
_ANOTHER_WORK = N_("a call of {tool}")
_WORK_OF_SERVER = N_("a call of “{tool}” of the server “{server}”")


def line(call: CallPart) -> str:
    """Return what is seen while a call is served."""
    action = str(call.args.get("action"))
    if call.name == RemindersTool.name and action in _OF_REMINDERS:
        return _(_OF_REMINDERS[action])
    host = _host(call.args.get("url"))
    if call.name == FetchUrlTool.name and host is None:
        return _(AT_WORK)
    server, is_of_server, _tool = call.name.partition(SERVER_SIGN)
    if is_of_server:
        return _(ASKING).format(server=server)
    return _(_LINES.get(call.name, AT_WORK)).format(host=host)


def work(call: CallPart) -> str:
    """Return what a call's work is called, to say that it was or was not done."""
    server, is_of_server, tool = call.name.partition(SERVER_SIGN)
    if is_of_server:
        return _(_WORK_OF_SERVER).format(tool=tool, server=server)
    return _(_WORKS.get(call.name, _ANOTHER_WORK)).format(tool=call.name)


def _host(address: object) -> str | None:
    """Return the host of an address, all of it that is shown; None for one that is none or too long to be shown."""
    try:
        host = urlsplit(str(address)).hostname
    except ValueError:
        return None
    return host if host and len(host) <= MAX_HOST_CHARS else None
