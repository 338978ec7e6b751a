"""MCP: the tools of other programs as tools of the assistant, under names, schemas and words that a model may be shown.

A server says of its own tools what it likes: its words are capped and cleaned, and a tool is only what it was when the
member switched it on (`Offer.mark`). What comes back is a stranger's. How a server is reached is not known here.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from memory.catalogue import _
from memory.ports import ToolSpec
from memory.store.redaction import Redactor, strip_hidden
from tools.disclosure import check_disclosure
from tools.reduction import Irreducible, problems, reduced, short
from tools.tool import Arguments, Context, Effect, Tool, ToolError
from tools.web import STRANGERS

Approve = Literal["always", "writes", "never"]
"""Which calls ask the member first; `writes`: all but of a tool that its server calls read-only."""

SERVER_SIGN = "__"
"""What stands between the name of a server and that of its tool."""
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 600
MAX_TEXT_CHARS = 100_000
MARK_CHARS = 32
_PLAIN = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True)
class Offer:
    """A tool as its server describes it."""

    server: str
    tool: str
    description: str
    schema: Mapping[str, Any]
    is_read_only: bool = False

    @property
    def name(self) -> str:
        """The name a model calls it by: `<server>__<tool>`, with a mark where that could not be kept as it is."""
        whole = f"{self.server}{SERVER_SIGN}{self.tool}"
        plain = _PLAIN.sub("_", whole)
        if plain == whole and len(whole) <= MAX_NAME_CHARS:
            return whole
        mark = _digest([self.server, self.tool])[:6]
        return f"{plain[: MAX_NAME_CHARS - len(mark) - 1]}_{mark}"

    @property
    def mark(self) -> str:
        """What changes whenever the server says something else of the tool."""
        return _digest([self.server, self.tool, self.description, self.schema, self.is_read_only])[:MARK_CHARS]


@dataclass(frozen=True)
class Brought:
    """What a call brought: its words, and whether the server itself calls it a failure."""

    text: str
    is_error: bool = False


class Remote(Protocol):
    """Where the tools of servers run."""

    @property
    def timeout_s(self) -> float:
        """How long a call may take at most, a new connection included."""
        ...

    async def call(self, offer: Offer, arguments: Mapping[str, Any]) -> Brought:
        """Raises: ToolError when the server is not there or gives no answer that can be read."""
        ...


class RemoteArguments(Arguments):
    """The arguments of a call as the model gave them; they fit what it was shown."""

    given: dict[str, Any]


class RemoteTool(Tool):
    """A tool of a server; `redactor` takes secrets, ours and the server's own, out of what it brings.

    Raises: Irreducible when it cannot be told to a model.
    """

    effect: ClassVar[Effect] = "external"
    arguments: ClassVar[type[Arguments]] = RemoteArguments

    def __init__(self, offer: Offer, remote: Remote, redactor: Redactor, *, approve: Approve) -> None:
        self.offer = offer
        self._remote = remote
        self._redactor = redactor
        self._asks = approve == "always" or (approve == "writes" and not offer.is_read_only)
        said = short(offer.description, MAX_DESCRIPTION_CHARS) or f"The tool {offer.tool} of {offer.server}."
        self._spec = ToolSpec(offer.name, said, reduced(offer.schema))

    @property
    def name(self) -> str:
        return self.offer.name

    @property
    def description(self) -> str:
        return self._spec.description

    @property
    def help_line(self) -> str:
        tool = short(self.offer.tool, MAX_NAME_CHARS)
        return _("use “{tool}” of the server “{server}”").format(tool=tool, server=self.offer.server)

    @property
    def timeout_s(self) -> float:
        return self._remote.timeout_s

    def spec(self) -> ToolSpec:
        return self._spec

    def parsed(self, args: dict[str, Any]) -> RemoteArguments:
        schema = self._spec.parameters
        given = {name: value for name, value in args.items() if value is not None or _may_be_null(schema, name)}
        if wrong := list(problems(given, schema)):
            raise ToolError(
                f"wrong arguments for {self.name}: {'; '.join(wrong)}. Call it again with arguments that fit."
            )
        return RemoteArguments(given=given)

    async def asks(self, arguments: Any, context: Context) -> bool:
        return self._asks

    async def run(self, arguments: RemoteArguments, context: Context) -> dict[str, Any]:
        for text in _texts(arguments.given):
            await check_disclosure(text, context.space)
        brought = await self._remote.call(self.offer, arguments.given)
        text = self._redactor.redact(strip_hidden(brought.text[:MAX_TEXT_CHARS])).text
        cut = {"cut": True} if len(brought.text) > MAX_TEXT_CHARS else {}
        if brought.is_error:
            return {"error": f"{self.offer.server} says: {text or 'it failed, without saying why'}", "note": STRANGERS}
        return {"text": text, **cut, "note": STRANGERS}


def remote_tools(
    offers: Sequence[Offer], remote: Remote, redactor: Redactor, *, approve: Approve
) -> tuple[list[RemoteTool], dict[str, str]]:
    """Return the tools of a server that a model can be shown, in the order of their names, and of each of the others
    why not.
    """
    tools: dict[str, RemoteTool] = {}
    unfit: dict[str, str] = {}
    for offer in sorted(offers, key=lambda offer: (offer.name, offer.mark)):
        try:
            if offer.name in tools:
                raise Irreducible("another tool has that name")
            tools[offer.name] = RemoteTool(offer, remote, redactor, approve=approve)
        except Irreducible as why:
            unfit[offer.tool] = str(why)
    return list(tools.values()), unfit


def _may_be_null(schema: Mapping[str, Any], name: str) -> bool:
    return bool(schema["properties"].get(name, {}).get("nullable"))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case int() | float() if not isinstance(value, bool):
            yield str(value)
        case dict():
            for key, item in value.items():
                yield str(key)
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
