"""One streamed answer: its events put together, and the verdict whether it can be used.

The events are the provider's JSON. Text grows by joining plain neighbours; every other part stays as it came, with
its signature. Nothing here knows the network or the SDK.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from bot.models.failures import Failure
from bot.models.garble import has_written_call, is_repetition, without_written_calls
from bot.models.grounding import with_sources
from bot.models.parts import SYNTHETIC, Wire, part_from_wire
from memory.messages import CallPart, Part, TextPart, ThoughtPart, estimate_message_tokens, estimate_tokens
from memory.ports import ModelReply, ModelRequest, Source, Usage

_CHECK_EVERY_CHARACTERS = 200

_WITHHELD = frozenset(
    {
        "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE", "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER", "NO_IMAGE",
    }
)  # fmt: skip
"""The server took the answer back; asking the same again brings the same."""

_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
"""The model slipped; a second look usually helps."""

_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})


@dataclass
class Answer:
    """The answer so far. `add` takes the events in order."""

    parts: list[Part] = field(default_factory=list)
    finish_reason: str | None = None
    block_reason: str | None = None
    usage: Wire = field(default_factory=dict)
    error: Wire | None = None
    grounding: Wire = field(default_factory=dict)
    first_call_number: int = 1
    _checked: int = 0

    @property
    def text(self) -> str:
        """The visible words so far."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    def add(self, event: Wire) -> None:
        """Take the next event of the stream."""
        self.error = event.get("error") or self.error
        self.block_reason = (event.get("promptFeedback") or {}).get("blockReason") or self.block_reason
        self.usage |= {key: value for key, value in (event.get("usageMetadata") or {}).items() if value is not None}
        for candidate in (event.get("candidates") or [])[:1]:
            self.finish_reason = candidate.get("finishReason") or self.finish_reason
            self.grounding |= candidate.get("groundingMetadata") or {}
            for raw in (candidate.get("content") or {}).get("parts") or []:
                if raw:
                    self._append(part_from_wire(raw, call_id=self._next_call_id()))

    def has_degenerated(self) -> bool:
        """Whether the model repeats itself without end; cheap enough to ask after every event."""
        text = self.text
        if len(text) - self._checked < _CHECK_EVERY_CHARACTERS:
            return False
        self._checked = len(text)
        return is_repetition(text)

    def _append(self, part: Part) -> None:
        last = self.parts[-1] if self.parts else None
        if _is_plain_text(last) and _is_plain_text(part) and type(last) is type(part):
            self.parts[-1] = last.model_copy(update={"text": last.text + part.text})
        else:
            self.parts.append(part)

    def _next_call_id(self) -> str:
        calls = sum(isinstance(part, CallPart) for part in self.parts)
        return f"{SYNTHETIC}{self.first_call_number + calls}"


def begin_answer(request: ModelRequest) -> Answer:
    """Return an empty answer whose made-up call ids are new to the request's history."""
    return Answer(first_call_number=1 + sum(len(message.calls) for message in request.messages))


def settle(answer: Answer, request: ModelRequest, *, model: str, is_last_try: bool) -> ModelReply | Failure:
    """Return the reply of a finished stream, or why it cannot be used.

    On the last try a tool call written as text is cut out and said not to have run; before, it is a failure.
    """
    if failure := _bad_ending(answer):
        return failure
    reason = str(answer.finish_reason)
    if is_repetition(answer.text):
        return Failure("garbled", "the answer repeats itself", reason="repetition")
    parts = tuple(answer.parts)
    tools = [tool.name for tool in request.tools]
    if tools and has_written_call(answer.text, tools):
        if not is_last_try:
            return Failure("garbled", "a tool call was written as text", reason="written_call")
        parts = _without_written_calls(parts, tools)
    if not any(isinstance(part, CallPart) or (isinstance(part, TextPart) and part.text.strip()) for part in parts):
        if reason in _CUT:
            return Failure("silent", "the output limit was reached before anything was said", reason=reason.lower())
        return Failure("garbled", "nothing was said", reason="empty" if reason == "STOP" else reason.lower())
    sources: tuple[Source, ...] = ()
    if request.searches:
        text, sources = with_sources(answer.text, answer.grounding)
        parts = (TextPart(text=text),)
    return ModelReply(parts, model, _usage(answer, request), was_cut=reason in _CUT, sources=sources)


def _bad_ending(answer: Answer) -> Failure | None:
    reason = answer.finish_reason
    if answer.block_reason and not answer.parts:
        return Failure("silent", "the prompt was blocked", reason=answer.block_reason.lower())
    if reason is None:
        return Failure("unreachable", "the answer was cut off")
    if reason in _WITHHELD:
        return Failure("silent", "the answer was withheld", reason=reason.lower())
    if reason in _MALFORMED:
        return Failure("garbled", "the answer was malformed", reason=reason.lower())
    if reason == "MISSING_THOUGHT_SIGNATURE":
        return Failure("unsigned", "a thought signature was missing")
    return None


def _without_written_calls(parts: Sequence[Part], tools: Sequence[str]) -> tuple[Part, ...]:
    text = without_written_calls("".join(part.text for part in parts if isinstance(part, TextPart)), tools)
    return (*(part for part in parts if not isinstance(part, TextPart)), TextPart(text=text))


def _is_plain_text(part: Part | None) -> TypeGuard[TextPart | ThoughtPart]:
    return isinstance(part, TextPart | ThoughtPart) and part.signature is None and not part.extra


def _usage(answer: Answer, request: ModelRequest) -> Usage:
    counts: dict[str, Any] = answer.usage
    if not counts.get("promptTokenCount"):
        prompt = estimate_message_tokens(request.messages) + estimate_tokens(
            request.system + (request.memory_block or "")
        )
        return Usage(prompt_tokens=prompt, output_tokens=estimate_tokens(answer.text), is_estimate=True)
    return Usage(
        prompt_tokens=counts["promptTokenCount"],
        output_tokens=counts.get("candidatesTokenCount", 0),
        thought_tokens=counts.get("thoughtsTokenCount", 0),
        cached_tokens=counts.get("cachedContentTokenCount", 0),
        tool_tokens=counts.get("toolUsePromptTokenCount", 0),
    )
