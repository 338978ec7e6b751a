"""The tools of an assistant: their declarations, and the one place where a call runs and its result is capped."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from memory.catalogue import _
from memory.errors import MemberMustAct
from memory.messages import CallPart, ResultPart, storable
from memory.ports import ToolSpec
from memory.store.results import whole_result
from tools.tool import Context, Effect, Tool, ToolError

log = logging.getLogger(__name__)

MAX_RESULT_CHARS = 12_000
SHOWN_CHARS = 2_000


class Registry:
    """Tools by name. The prompt's list of tools is made from it, so the assistant never names one it has not got."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._own = tuple(tools)
        self.bring(())

    def bring(self, tools: Sequence[Tool]) -> None:
        """Offer these beside the assistant's own from now on, and none that was brought before."""
        offered = (*self._own, *tools)
        self._tools = {tool.name: tool for tool in offered}
        self.specs: tuple[ToolSpec, ...] = tuple(tool.spec() for tool in offered)

    @property
    def help_lines(self) -> tuple[str, ...]:
        """What each tool does, for the member."""
        return tuple(_(tool.help_line) for tool in self._tools.values())

    def effect_of(self, call: CallPart) -> Effect:
        """Return what a call does; of a tool that there is not, nothing."""
        tool = self._tools.get(call.name)
        return "none" if tool is None else tool.effect

    async def asks(self, call: CallPart, context: Context) -> bool:
        """Return whether a call waits for the member's yes; one that cannot be run anyway does not."""
        tool = self._tools.get(call.name)
        if tool is None:
            return False
        try:
            arguments = tool.parsed(call.args)
        except ToolError:
            return False
        return await tool.asks(arguments, context)

    def warning(self, call: CallPart) -> str:
        """Return what the member should know before they say yes to a call, "" for nothing."""
        tool = self._tools.get(call.name)
        return _(tool.warning) if tool and tool.warning else ""

    async def run(self, call: CallPart, context: Context) -> ResultPart:
        """Serve a call. Every failure is a result; a local tool joins the caller's transaction."""
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools)
            return answer(call, {"error": f"there is no tool {call.name!r}; the tools are: {known}"})
        response = await self._serve(tool, call, context)
        return answer(call, response, is_reference=tool.is_reference)

    async def _serve(self, tool: Tool, call: CallPart, context: Context) -> dict[str, Any]:
        try:
            async with asyncio.timeout(tool.timeout_s):
                return await tool.run(tool.parsed(call.args), context)
        except (ToolError, MemberMustAct) as error:
            log.info("tool refused the call: tool=%s turn=%s", tool.name, context.turn_id)
            return {"error": str(error)}
        except TimeoutError:
            log.warning("tool timed out: tool=%s turn=%s", tool.name, context.turn_id)
            return {"error": f"{tool.name} took longer than {tool.timeout_s:.0f} s and was stopped"}
        except Exception as error:
            # The one place where any failure of a tool becomes an answer; its text may be private.
            log.exception("tool failed: tool=%s turn=%s error=%s", tool.name, context.turn_id, type(error).__name__)
            if tool.effect == "local":
                raise
            return {"error": f"{tool.name} failed ({type(error).__name__}); tell the member it did not work"}


def answer(call: CallPart, response: dict[str, Any], *, is_reference: bool = False) -> ResultPart:
    """Return the result part of a call; whatever a stranger's text holds, it can be stored."""
    return ResultPart(call_id=call.call_id, name=call.name, response=storable(response), is_reference=is_reference)


def oversized(result: ResultPart) -> bytes | None:
    """Return the whole result as bytes to store when it is over the cap, else None."""
    whole = whole_result(result)
    return whole if len(whole.decode()) > MAX_RESULT_CHARS else None
