"""The page of servers in `/settings tools`: how each stands and what it offers; and the card of each tool. Pure.

A card shows all that the model is shown of a tool, and there it is switched on. A button names a tool as it was shown:
once its server describes it otherwise, the button means nothing any more.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bot.commands.menus import turning
from bot.mcp.toolbox import Shelf, Toolbox, id_of
from bot.quoting import literal, quotation
from bot.turn.answer import Answer
from memory.catalogue import N_, _, ngettext
from memory.store.entries import Button
from tools.mcp import RemoteTool
from tools.reduction import short

TOOLS_A_PAGE = 8
TOOLS_A_ROW = 2
SHOWN_CHARS = 160
BUTTON_CHARS = 28
UNFIT_SHOWN = 5
ON, OFF = "✓", "○"
NO_SUCH = N_("There is no such tool any more. There are these:")


def servers_page(toolbox: Toolbox, number: int = 1) -> Answer:
    """Return a page of the tools of servers; beyond the last page comes the last. Says nothing where there are none."""
    shelves = toolbox.shelves()
    if not shelves:
        return Answer()
    tools = [tool for shelf in shelves for tool in shelf.tools]
    last = max(1, -(-len(tools) // TOOLS_A_PAGE))
    at = min(max(number, 1), last)
    shown = tools[(at - 1) * TOOLS_A_PAGE : at * TOOLS_A_PAGE]
    on = {tool.name for tool in toolbox.switched_on}
    lines = [_head(len(on), toolbox.tokens)]
    for shelf in shelves:
        lines += _server_lines(shelf, [tool for tool in shown if tool.offer.server == shelf.standing.name], on)
    buttons = [_button(tool, is_on=tool.name in on) for tool in shown]
    rows = [tuple(buttons[start : start + TOOLS_A_ROW]) for start in range(0, len(buttons), TOOLS_A_ROW)]
    turns = turning(at, last, lambda page: (f"set:tools={page}", f"/settings tools {page}"))
    return Answer("\n".join(lines), (*rows, *turns))


async def switched(toolbox: Toolbox, value: str) -> Answer:
    """Do what stands behind a button or was typed (`on ID`, `off NAME`, a number of a page), and return the page."""
    word, _sign, which = value.partition(" ")
    if word == "show":
        return _with_line(servers_page(toolbox), _(NO_SUCH))
    if word in {"on", "off"}:
        tool = await toolbox.switch(which.strip(), is_on=word == "on")
        page = _page_of(toolbox, tool)
        return page if tool is not None else _with_line(page, _(NO_SUCH))
    return servers_page(toolbox, int(word) if word.isdecimal() and len(word) < 6 else 1)


def tool_card(toolbox: Toolbox, value: str) -> Answer | None:
    """Return the card of a tool (`show ID`, `show NAME`); None for all else, and for a tool that is not there."""
    word, _sign, which = value.partition(" ")
    tool = toolbox.tool(which.strip()) if word == "show" else None
    if tool is None:
        return None
    is_on = tool.name in {one.name for one in toolbox.switched_on}
    word, label = ("off", _("Switch off")) if is_on else ("on", _("Switch on"))
    switch = Button(text=label, data=f"set:tools={word} {id_of(tool)}", typed=f"/settings tools {word} {tool.name}")
    back = Button(text=_("‹ Tools"), data="set:tools", typed="/settings tools")
    return Answer("\n".join(_card_lines(tool, is_on=is_on)), ((switch, back),))


def _card_lines(tool: RemoteTool, *, is_on: bool) -> Iterator[str]:
    head = _("**{name}** is on.") if is_on else _("**{name}** is off.")
    yield head.format(name=literal(tool.name)) + " " + _("Its server says of it, and I am shown no more than that:")
    schema = tool.spec().parameters
    for words in filter(None, (tool.description, schema.get("description"))):
        yield f"{quotation(words)}\n"
    declared = schema.get("properties") or {}
    yield _("It takes:") if declared else _("It takes nothing.")
    for name, one in declared.items():
        yield _parameter(name, one, is_needed=name in schema.get("required", ()))


def _parameter(name: str, declared: Mapping[str, Any], *, is_needed: bool) -> str:
    rules = {key: rule for key, rule in declared.items() if key not in {"type", "description"}}
    marks = ", ".join(filter(None, [declared.get("type"), _("needed") if is_needed else None]))
    said = [declared.get("description"), json.dumps(rules, ensure_ascii=False) if rules else None]
    told = " ".join(filter(None, said))
    return f"• `{name}`" + (f" ({marks})" if marks else "") + (f": {literal(told)}" if told else "")


def _page_of(toolbox: Toolbox, tool: RemoteTool | None) -> Answer:
    names = [one.name for shelf in toolbox.shelves() for one in shelf.tools]
    place = names.index(tool.name) if tool is not None and tool.name in names else 0
    return servers_page(toolbox, place // TOOLS_A_PAGE + 1)


def _with_line(page: Answer, line: str) -> Answer:
    return Answer(f"{line}\n\n{page.text}", page.buttons)


def _head(count: int, tokens: int) -> str:
    head = _("**Tools of servers**: off until they are switched on; each button shows one.")
    if not count:
        return head
    on = ngettext(
        "{count} is on and takes about {tokens} tokens in each prompt.",
        "{count} are on and take about {tokens} tokens in each prompt.",
        count,
    )
    said = on.format(count=count, tokens=f"{tokens:,}")
    return f"{head} {said}"


def _server_lines(shelf: Shelf, tools: list[RemoteTool], on: set[str]) -> Iterator[str]:
    standing = shelf.standing
    state = f": {_(standing.why)}" if standing.why else " " + _("is there") + _asking(shelf)
    yield f"\n**{literal(standing.name)}**{state}"
    for tool in tools:
        said = short(tool.description, SHOWN_CHARS)
        yield f"{ON if tool.name in on else OFF} `{tool.name}`: {literal(said)}"
    for name, why in list(shelf.unfit.items())[:UNFIT_SHOWN]:
        yield _("✗ {name} cannot be used ({why})").format(name=literal(short(name, BUTTON_CHARS)), why=literal(why))
    if (more := len(shelf.unfit) - UNFIT_SHOWN) > 0:
        yield _("✗ and {count} more that cannot be used").format(count=more)


def _asking(shelf: Shelf) -> str:
    match shelf.standing.server.approve:
        case "never":
            return _("; its calls are made without asking you")
        case "writes":
            return _("; calls that only read are made without asking you")
        case _:
            return _("; each call asks you first")


def _button(tool: RemoteTool, *, is_on: bool) -> Button:
    text = f"{ON if is_on else OFF} {short(tool.offer.tool, BUTTON_CHARS)}"
    return Button(text=text, data=f"set:tools=show {id_of(tool)}", typed=f"/settings tools show {tool.name}")
