"""The procedures tool: reads the ways of doing things that hold, and proposes one that only a member can make hold."""

import re
from typing import Any, ClassVar, Literal

from pydantic import Field

from memory.catalogue import N_
from memory.recall.items import Scope
from memory.store.instructions import instructions
from memory.store.procedures import Version
from tools.tool import Arguments, Context, Effect, Tool, ToolError

MAX_PROCEDURES = 20
_ID = re.compile(r"p?([0-9]{1,18})", re.IGNORECASE)
_PROCEDURES = Scope(layers=frozenset({"procedure"}))


class ProceduresArguments(Arguments):
    action: Literal["find", "read", "propose"] = Field(
        description="find: list procedures; read: one with all its steps; propose: suggest one to the member"
    )
    about: str = Field(default="", description="find: what it should be about; empty for all")
    id: str = Field(default="", description="read: its id (p3); propose: the procedure that gets a new version")
    name: str = Field(default="", description="propose: a short name")
    trigger: str = Field(default="", description="propose: when it is wanted, e.g. 'when I ask for the weekly report'")
    steps: list[str] = Field(default_factory=list, description="propose: the steps in order, one short sentence each")


class ProceduresTool(Tool):
    name: ClassVar[str] = "procedures"
    description: ClassVar[str] = (
        "The member's own ways of doing things. `find` and `read` look them up. `propose` suggests one after you did "
        "something for the member in several steps that worked, or when the member tells you how they want something "
        "done: it holds only once the member taps Keep, so never say that it is saved. Follow a procedure only when "
        "the member asks for it now."
    )
    help_line: ClassVar[str] = N_("look up how you want things done, and suggest a procedure for you to keep")
    arguments: ClassVar[type[Arguments]] = ProceduresArguments
    effect: ClassVar[Effect] = "local"
    is_reference: ClassVar[bool] = True

    async def run(self, arguments: ProceduresArguments, context: Context) -> dict[str, Any]:
        match arguments.action:
            case "find":
                return await self._find(arguments.about, context)
            case "read":
                return await self._read(_number(arguments.id), context)
            case "propose":
                return await self._propose(arguments, context)

    async def _find(self, about: str, context: Context) -> dict[str, Any]:
        active = await context.space.procedures.active()
        if about:
            found = await context.space.recall.search(about, k=MAX_PROCEDURES, scope=_PROCEDURES)
            order = {item.id: place for place, item in enumerate(found.items)}
            active = sorted((one for one in active if one.ref in order), key=lambda one: order[one.ref])
        shown = [{"id": one.ref, "name": one.says.name, "trigger": one.says.trigger} for one in active]
        return {"procedures": shown[:MAX_PROCEDURES], "of": len(shown)}

    async def _read(self, number: int, context: Context) -> dict[str, Any]:
        held = (await context.space.procedures.procedure(number)).active
        if held is None:
            raise ToolError(f"p{number} does not hold: the member has not kept it")
        return _shown(held)

    async def _propose(self, arguments: ProceduresArguments, context: Context) -> dict[str, Any]:
        if context.proposals:
            raise ToolError("one proposal a turn: the member has to read each")
        says = instructions(arguments.name, arguments.trigger, arguments.steps)
        proposed = await context.space.procedures.propose(
            says, turn_id=context.turn_id, procedure_id=_number(arguments.id) if arguments.id else None
        )
        context.proposals.append(proposed)
        return {
            "proposed": proposed.ref,
            "status": "not saved: the member is shown it and decides with Keep or Drop",
        }


def _shown(version: Version) -> dict[str, Any]:
    says = version.says
    return {"id": version.ref, "name": says.name, "trigger": says.trigger, "steps": list(says.steps)}


def _number(ref: str) -> int:
    match = _ID.fullmatch(ref.strip())
    if match is None:
        raise ToolError(f"{ref!r} is not the id of a procedure; it looks like p3")
    return int(match[1])
