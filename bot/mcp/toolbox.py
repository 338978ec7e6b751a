"""Toolbox: which tools of servers one space has switched on, and that its registry offers exactly those.

A tool is switched on as what it was then: one that its server describes otherwise since is off again, and the member is
told. The registry changes between turns alone, so a turn keeps its tools to its end.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from bot.mcp.standing import STARTING, Serving, Standing
from bot.models.declarations import BadDeclaration, check_declarations
from bot.quoting import literal
from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from memory.catalogue import _
from memory.messages import estimate_tokens
from memory.space import Space
from memory.store.entries import Button, Entry
from memory.store.redaction import Redactor
from tools.mcp import SERVER_SIGN, RemoteTool, remote_tools
from tools.registry import Registry

FIRST_WAIT_S = 5.0
"""So long a turn waits for servers that are being started and have tools switched on here."""
TERMINAL_SPACE = "local"


@dataclass(frozen=True)
class Shelf:
    """A server with the tools it can offer here, and of its others why not."""

    standing: Standing
    tools: tuple[RemoteTool, ...]
    unfit: dict[str, str]


class Toolbox:
    """The tools of servers in one space. `operator_id` names the space that is the operator's own."""

    def __init__(
        self,
        space: Space,
        registry: Registry,
        serving: Serving,
        screen: Screen,
        redactor: Redactor,
        *,
        operator_id: int | None,
    ) -> None:
        self._space = space
        self._redactor = redactor
        self._registry = registry
        self._serving = serving
        self._screen = screen
        self._is_operators = space.id in {TERMINAL_SPACE, str(operator_id)}

    async def renew(self, turn_id: int, entry: Entry) -> None:
        """Let the registry offer what is switched on now; what changed since is switched off, and the member told."""
        on = self._on()
        if not on:
            self._registry.bring(())
            return
        waited_for = {one.name for one in self._standings() if one.why == STARTING and any(_is_of(one, n) for n in on)}
        await self._serving.begun(waited_for, within_s=FIRST_WAIT_S)
        changed = [tool for tool in self._tools() if on.get(tool.name, tool.offer.mark) != tool.offer.mark]
        if changed:
            async with self._space.db.transaction():
                await self._set({name: mark for name, mark in on.items() if name not in {t.name for t in changed}})
                for number, message in enumerate(formed(self._screen, _told_of(changed), entry)):
                    await self._space.mailbox.post(f"tools:t{turn_id}:{number}", message, turn_id=turn_id)
        self._registry.bring(self.switched_on)

    @property
    def switched_on(self) -> Sequence[RemoteTool]:
        """The tools that are switched on and still what they were then, in the order of their names."""
        on = self._on()
        found = [tool for tool in self._tools() if on.get(tool.name) == tool.offer.mark]
        return sorted(found, key=lambda tool: tool.name)

    @property
    def tokens(self) -> int:
        """What the switched-on tools take in each prompt."""
        return sum(estimate_tokens(str(tool.spec())) for tool in self.switched_on)

    def shelves(self) -> list[Shelf]:
        """Return the servers that this space may use, each with its tools."""
        return [self._shelf(standing) for standing in self._standings()]

    def tool(self, which: str) -> RemoteTool | None:
        """Return a tool by its id or its name; None where there is none."""
        return next((tool for tool in self._tools() if which in {tool.name, id_of(tool)}), None)

    async def switch(self, which: str, *, is_on: bool) -> RemoteTool | None:
        """Switch a tool on or off, named by its id or its name; None where there is none. Joins the transaction."""
        tool = self.tool(which)
        if tool is None:
            return None
        on = {name: mark for name, mark in self._on().items() if name != tool.name}
        await self._set({**on, tool.name: tool.offer.mark} if is_on else on)
        self._registry.bring(self.switched_on)
        return tool

    def _standings(self) -> list[Standing]:
        return [one for one in self._serving.standings if self._is_operators or one.server.spaces == "all"]

    def _shelf(self, standing: Standing) -> Shelf:
        tools, unfit = remote_tools(standing.offers, self._serving, self._redactor, approve=standing.server.approve)
        fit = []
        for tool in tools:
            try:
                check_declarations([tool.spec()])
                fit.append(tool)
            except BadDeclaration as fault:
                unfit[tool.offer.tool] = fault.problem
        return Shelf(standing, tuple(fit), unfit)

    def _tools(self) -> list[RemoteTool]:
        return [tool for shelf in self.shelves() for tool in shelf.tools]

    def _on(self) -> dict[str, str]:
        """Return the marks of the switched-on tools by their names."""
        pairs = (kept.rpartition("@") for kept in self._space.preferences.tools_on)
        return {name: mark for name, _sign, mark in pairs}

    async def _set(self, on: dict[str, str]) -> None:
        # What was asked of a tool that was another then is not answered for the one it is now.
        for name in {name for name, _mark in self._on().items() ^ on.items()}:
            await self._space.approvals.lapse(name)
        await self._space.preference_store.set(tools_on=tuple(f"{name}@{mark}" for name, mark in on.items()))


def id_of(tool: RemoteTool) -> str:
    """Return a short id of a tool as it is described now."""
    return hashlib.sha256(f"{tool.name}@{tool.offer.mark}".encode()).hexdigest()[:12]


def _is_of(standing: Standing, name: str) -> bool:
    return name.startswith(f"{standing.name}{SERVER_SIGN}")


def _told_of(changed: Sequence[RemoteTool]) -> Answer:
    names = ", ".join(f"**{literal(tool.name)}**" for tool in changed)
    text = _(
        "Switched off, because its server describes it otherwise than when you switched it on: {names}. /settings "
        "tools shows what it is now."
    ).format(names=names)
    return Answer(text, ((Button(text=_("Tools"), data="set:tools", typed="/settings tools"),),))
