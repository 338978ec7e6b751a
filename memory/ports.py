"""What memory and the tools need from above, as protocols: a model, an embedder, a clock, and the chat as a whole.

An adapter maps everything its library can raise to the errors of `memory.errors`; nothing else crosses this line.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from memory.errors import ModelFault
from memory.messages import Message, Part, estimate_message_tokens, estimate_parts_tokens, estimate_tokens, text_of

Task = Literal["chat", "extract", "summarise", "entail", "judge", "route", "transcribe", "web", "embed"]
"""What a request is for; its first system line says so (`task: chat`). `embed` is no request to a model: it names what
vectors cost."""

OnText = Callable[[str], Awaitable[None]]
"""Called while an answer streams, with the whole visible text so far (after a retry it may start anew)."""


@dataclass(frozen=True)
class ToolSpec:
    """A function the model may call; `parameters` is a JSON schema of the subset every provider accepts."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ModelRequest:
    """One request, independent of the provider.

    `system` begins with the line `task: …`. `messages` are the history, oldest first; consecutive messages of one role
    are merged by the adapter. `memory_block` becomes the last part of the last user content; `shown` are media put
    right before it, for this turn alone (texts among them are notes of the program). `tools_enabled` False
    keeps the declarations and forbids calls. `schema` asks for one JSON document of that JSON schema. `searches` lets
    the provider search the web for it; it goes with neither tools nor a schema.
    """

    task: Task
    system: str
    messages: Sequence[Message]
    memory_block: str | None = None
    tools: Sequence[ToolSpec] = ()
    tools_enabled: bool = True
    schema: dict[str, Any] | None = None
    searches: bool = False
    deadline_s: float = 120.0
    shown: Sequence[Part] = ()


def estimate_request_tokens(request: ModelRequest) -> int:
    """Return the estimated size of a request."""
    fixed = estimate_tokens(request.system) + sum(estimate_tokens(str(spec)) for spec in request.tools)
    said = estimate_message_tokens(request.messages) + estimate_parts_tokens(request.shown)
    return fixed + said + estimate_tokens(request.memory_block or "")


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider counted them; `is_estimate` where it did not."""

    prompt_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cached_tokens: int = 0
    tool_tokens: int = 0
    is_estimate: bool = False


@dataclass(frozen=True)
class Source:
    """A page of the web that an answer rests on, as the provider names it."""

    title: str
    url: str


@dataclass(frozen=True)
class ModelReply:
    """A finished answer: at least one part, words or calls. `model` is the name of the model that answered.

    `sources` are what a search found; the words name them by number, `[1]` the first.
    """

    parts: tuple[Part, ...]
    model: str
    usage: Usage = field(default_factory=Usage)
    was_cut: bool = False
    """The model stopped at its output limit after it had said something."""
    sources: tuple[Source, ...] = ()
    fault: ModelFault | None = None
    """Why the model that was asked gave no answer and another stood in; None as a rule."""

    @property
    def text(self) -> str:
        """The visible words."""
        return text_of(self.parts)


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The name of the chat model, for reports."""
        ...

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Answer a request.

        Raises: ModelFault, and nothing else but CancelledError.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near their meanings are."""

    @property
    def name(self) -> str:
        """What makes two vectors comparable: provider, model and size. It is kept beside the vectors."""
        ...

    async def embed(
        self, texts: Sequence[str], *, task: Literal["query", "document"], timeout_s: float
    ) -> list[list[float]]:
        """Return a vector for each text, in order, all of one size; their length is not promised to be one.

        Raises: ModelFault, and nothing else but CancelledError.
        """
        ...


class Clock(Protocol):
    """Time. Tests put a fake one here, so nothing waits for the wall clock."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        ...

    async def sleep(self, seconds: float) -> None: ...


PromptLayer = Literal["ledger", "recalled", "handoff", "procedure"]
"""The parts of a prompt that bring memory into it."""


@dataclass(frozen=True)
class Piece:
    """One thing of memory that stands in a prompt: a line of the ledger, a recalled text, a line of a handoff, a
    procedure. `text` is as it stands there; `ref` is its id (f12, s12, h12, p12), "" where it has none.

    Of a recalled text, `message_id` is the message it stands in, and `is_outdated` that its heading says "changed
    since".
    """

    layer: PromptLayer
    ref: str
    text: str
    message_id: int | None = None
    is_outdated: bool = False


@dataclass(frozen=True)
class Assembled:
    """A prompt as the chat would send it, and what memory brought into it, in order."""

    request: ModelRequest
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Spent:
    """What calls of one kind cost together. `usd` is None where a price is not known."""

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0


class Assistant(Protocol):
    """The chat over one memory, as a whole: what examines a memory assembles and asks through it exactly as a member's
    chat does.
    """

    @property
    def model_name(self) -> str:
        """The name of the chat model."""
        ...

    async def assemble(self, question: str) -> Assembled:
        """Return the prompt of a fresh conversation that begins with this question. Reads only, and opens no
        transaction: it may be used inside one.
        """
        ...

    async def ask(self, request: ModelRequest) -> ModelReply:
        """Have a request answered, by the model its task is for.

        Raises: ModelFault; CeilingReached before a call that the money for this work does not cover.
        """
        ...

    async def say(self, text: str) -> str:
        """Say something as the member would (`/new` and other commands included), let all follow from it (turn, jobs,
        receipts), and return the text of what was answered. What the model could not do for now is left undone.

        Raises: ModelFault when the turn itself got no answer.
        """
        ...

    def spent(self) -> Mapping[Task, Spent]:
        """Return what all calls through this object cost until now, by task."""
        ...
