"""Sabotage of the examination itself: models that answer or judge wrongly, arms that are not what they say.

Nothing here touches a file. `catalogue` says what each is, and the names under which it must be reported.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle

from bot.models.reader import OfflineReader
from memory.errors import ModelBusy, ModelQuotaSpent
from memory.findings import Fingerprint, Known
from memory.messages import TextPart, text_message
from memory.ports import Assembled, Assistant, Model, ModelReply, ModelRequest, OnText, Spent, Task

Spoilt = Callable[[ModelRequest, str], str]
SpoiltPrompt = Callable[[str, Assembled, Mapping[str, Assembled]], Assembled]
TARGET = "passport"
ANSWER = "It expires on 3 June 2027."
NO_CHANGES = '{"changes": []}'


@dataclass
class SpoiltModel:
    """The offline reader, but for one task, whose replies are spoilt; raises what `fault` makes instead."""

    task: Task
    spoil: Spoilt = lambda request, text: text
    fault: Callable[[], Exception] | None = None
    name: str = field(default_factory=lambda: OfflineReader().name)

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == self.task and self.fault is not None:
            raise self.fault()
        reply = await OfflineReader().generate(request)
        if request.task != self.task:
            return reply
        return ModelReply((TextPart(text=self.spoil(request, reply.text)),), reply.model, reply.usage)


class SpoiltArms:
    """The chat over a memory, but for its prompts: `spoil` gets each, and the first that was made for a question."""

    def __init__(self, assistant: Assistant, spoil: SpoiltPrompt) -> None:
        self._assistant, self._spoil = assistant, spoil
        self._first: dict[str, Assembled] = {}

    @property
    def model_name(self) -> str:
        return self._assistant.model_name

    async def assemble(self, question: str) -> Assembled:
        assembled = await self._assistant.assemble(question)
        self._first.setdefault(question, assembled)
        return self._spoil(question, assembled, self._first)

    async def ask(self, request: ModelRequest) -> ModelReply:
        return await self._assistant.ask(request)

    async def say(self, text: str) -> str:
        return await self._assistant.say(text)

    def spent(self) -> Mapping[Task, Spent]:
        return self._assistant.spent()


@dataclass(frozen=True)
class Sabotage:
    """What is wrong, and the names under which it may be reported; `known` is what more was known the night before."""

    name: str
    layers: tuple[str, ...]
    model: Model | None = None
    arms: Callable[[Assistant], Assistant] | None = None
    mark: Callable[[Fingerprint], Fingerprint] | None = None
    known: tuple[Known, ...] = ()


def catalogue() -> list[Sabotage]:
    """Return all of it, made anew: some of it has a memory of its own."""
    words = cycle(("YES", "NO"))
    newer = Known(ref="f900", message_id=9_000, critical=True)
    anywhere = ("ledger", "recalled", "handoff", "prompt")
    return [
        _chat("model that knows the answer without being told", "unaskable", _guess),
        _chat("model that does not read its prompt", "read", _ignore),
        _chat("model that tells an old value", "read", _outdated),
        _chat("model that invents what nobody told", "never told", _invent),
        Sabotage("model that is down", ("model",), SpoiltModel("chat", fault=lambda: ModelBusy("503"))),
        Sabotage("quota that is spent", ("model",), SpoiltModel("chat", fault=lambda: ModelQuotaSpent("day"))),
        _judge("judge that always says yes", lambda request, text: "YES"),
        _judge("judge that always says no", lambda request, text: "NO"),
        _judge("judge that chats", lambda request, text: f"Well, I would say {text.lower()}."),
        _judge("judge that says one thing now and another then", lambda request, text: next(words)),
        Sabotage("judge that is down", ("unknown",), SpoiltModel("judge", fault=lambda: ModelBusy("503"))),
        Sabotage("extractor that keeps nothing", ("extracted",), SpoiltModel("extract", lambda *_: NO_CHANGES)),
        Sabotage("extractor that is down", ("extracted",), SpoiltModel("extract", fault=lambda: ModelBusy("503"))),
        Sabotage("absent arm that is not ablated", anywhere, arms=_arms(_cached)),
        Sabotage("answer in the window of the prompt", ("prompt",), arms=_arms(_windowed)),
        Sabotage("ledger without room for its lines", ("rendered",), arms=_arms(_unledgered)),
        Sabotage("prompt without any memory", ("rendered", "read"), arms=_arms(_empty)),
        Sabotage("recall that brings something for every question", ("never told",), arms=_arms(_noisy)),
        Sabotage("model changed", ("the model",), mark=lambda mark: mark.model_copy(update={"model": "another"})),
        Sabotage("prompts changed", ("the chat prompt",), mark=lambda mark: mark.model_copy(update={"prompts": {}})),
        Sabotage("copy older than the last night", ("stored",), known=(newer,)),
    ]


def _chat(name: str, layer: str, spoil: Spoilt) -> Sabotage:
    return Sabotage(name, (layer,), SpoiltModel("chat", spoil))


def _judge(name: str, spoil: Spoilt) -> Sabotage:
    return Sabotage(name, ("judge",), SpoiltModel("judge", spoil))


def _invent(request: ModelRequest, text: str) -> str:
    return "It is blue." if "don't have that" in text else text


def _guess(request: ModelRequest, text: str) -> str:
    return ANSWER if TARGET in request.messages[-1].text else text


def _ignore(request: ModelRequest, text: str) -> str:
    return "I don't know that." if TARGET in request.messages[-1].text else text


def _outdated(request: ModelRequest, text: str) -> str:
    return "You live in Leipzig." if "do I live" in request.messages[-1].text else text


def _arms(spoil: SpoiltPrompt) -> Callable[[Assistant], Assistant]:
    return lambda assistant: SpoiltArms(assistant, spoil)


def _cached(question: str, assembled: Assembled, first: Mapping[str, Assembled]) -> Assembled:
    return first[question] if TARGET in question else assembled


def _windowed(question: str, assembled: Assembled, first: Mapping[str, Assembled]) -> Assembled:
    request = assembled.request
    said = text_message("user", ANSWER, request.messages[-1].at)
    return replace(assembled, request=replace(request, messages=(said, *request.messages)))


def _unledgered(question: str, assembled: Assembled, first: Mapping[str, Assembled]) -> Assembled:
    gone = {piece.text for piece in assembled.pieces if piece.layer == "ledger"}
    block = "\n".join(line for line in (assembled.request.memory_block or "").splitlines() if line not in gone)
    pieces = tuple(piece for piece in assembled.pieces if piece.layer != "ledger")
    return Assembled(replace(assembled.request, memory_block=block), pieces)


def _empty(question: str, assembled: Assembled, first: Mapping[str, Assembled]) -> Assembled:
    request = replace(assembled.request, messages=assembled.request.messages[-1:], memory_block="Now: Monday")
    return Assembled(request, ())


def _noisy(question: str, assembled: Assembled, first: Mapping[str, Assembled]) -> Assembled:
    pieces = next(iter(first.values())).pieces
    return replace(assembled, pieces=(*assembled.pieces, *(one for one in pieces if one.layer == "recalled")))
