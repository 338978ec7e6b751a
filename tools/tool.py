"""Tool: what every capability has in common, and the errors it answers with.

A tool declares its arguments as a pydantic model; the JSON schema a model is shown comes from that, in the subset every
provider accepts. A tool's failure is an answer the model can act on, never an exception of the turn.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from memory.ledger.receipts import Receipt
from memory.ports import ToolSpec
from memory.space import Space
from memory.store.procedures import Version
from memory.store.reminder_rows import Asker, Reminder

Effect = Literal["none", "local", "external"]
"""`local`: it writes this space's rows or files and runs inside the transaction that commits its result. `external`: it
reaches beyond this program, so that it began is committed before it runs.
"""
Change = Literal["set", "changed", "put off", "done", "deleted", "restored"]
"""What became of a reminder."""

TIMEOUT_S = 30.0


class ToolError(Exception):
    """A call that cannot be served; the text goes to the model and says what to do instead."""


class Arguments(BaseModel):
    """The arguments of a call: exactly the declared ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Reminded:
    """A reminder that was set or changed, and what was taken for granted."""

    reminder: Reminder
    change: Change
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Context:
    """Where a call runs: the space, the turn, the ids of the member's messages in it, and who asks from where.

    A tool that changed the ledger appends what the member is told of it to `receipts`; a procedure that waits for the
    member's answer, to `proposals`; a reminder, to `reminded`; the path of a file that goes to the member as a
    document, to `documents`.
    """

    space: Space
    turn_id: int
    message_ids: tuple[int, ...]
    asker: Asker = field(default_factory=Asker)
    receipts: list[Receipt] = field(default_factory=list)
    proposals: list[Version] = field(default_factory=list)
    reminded: list[Reminded] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)


class Tool(Protocol):
    """One capability. `description` is for the model, `help_line` (a text of the catalogue) for the member.

    A tool inherits from this: what it does not say is as it stands here.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def help_line(self) -> str: ...

    @property
    def arguments(self) -> type[Arguments]: ...

    @property
    def effect(self) -> Effect: ...

    @property
    def is_reference(self) -> bool:
        """Whether its results repeat memory: they are never indexed and never extracted."""
        return False

    @property
    def timeout_s(self) -> float:
        """How long a call may take."""
        return TIMEOUT_S

    @property
    def warning(self) -> str:
        """What the member should know before they say yes to a call (a text of the catalogue), "" for nothing."""
        return ""

    async def asks(self, arguments: Any, context: Context) -> bool:
        """Whether this call waits for the member's yes before it is run. Reads only."""
        return False

    def spec(self) -> ToolSpec:
        """Return the declaration as a model is shown it."""
        return spec_of(self)

    def parsed(self, args: dict[str, Any]) -> Any:
        """Return the arguments of a call as `run` takes them. Raises: ToolError that names each wrong one."""
        return parse_arguments(self, args)

    async def run(self, arguments: Any, context: Context) -> dict[str, Any]:
        """Serve a call.

        Raises: ToolError.
        """
        ...


def spec_of(tool: Tool) -> ToolSpec:
    """Return the declaration of a tool as a model is shown it."""
    schema = tool.arguments.model_json_schema()
    properties = {name: _plain(field) for name, field in schema.get("properties", {}).items()}
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if schema.get("required"):
        parameters["required"] = schema["required"]
    return ToolSpec(tool.name, tool.description, parameters)


def parse_arguments(tool: Tool, args: dict[str, Any]) -> Arguments:
    """Return the validated arguments; explicit nulls count as left out.

    Raises: ToolError that names each wrong argument.
    """
    try:
        return tool.arguments.model_validate({name: value for name, value in args.items() if value is not None})
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
        raise ToolError(f"wrong arguments for {tool.name}: {wrong}. Call it again with arguments that fit.") from error


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Keep the keywords every provider knows."""
    return {key: field[key] for key in ("type", "description", "enum", "items", "minimum", "maximum") if key in field}
