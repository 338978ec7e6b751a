"""The transcript as contents that Gemini accepts: checked and repaired, whatever was stored.

Gemini's rules: the first content is the user's; a content is never empty; calls follow a user content or results; the
very next content answers every call once, in order, with its id and name; in the current turn the first call of each
step carries its thought signature; the last content is not the model's. The functions here are pure and total: what
cannot be sent as it is (lost results, expired files, unsigned calls of old turns) is said in words, labelled as the
program's, never dropped in silence and never put into the model's mouth. They do not know the SDK.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from memory.messages import (
    CallPart,
    FilePart,
    MediaPart,
    Message,
    NotePart,
    OpaquePart,
    Part,
    ResultPart,
    TextPart,
    ThoughtPart,
    text_of,
)

UNSIGNED_CALL = b"skip_thought_signature_validator"
"""The value Gemini documents for a call that it did not sign itself."""

FILE_LIFETIME = timedelta(hours=47)
"""Gemini deletes an uploaded file after 48 hours; an hour is left for the request."""

_NOTE = "[From the program, not from the member] "
_INTERRUPTED = {"error": "interrupted"}


@dataclass(frozen=True)
class Content:
    """One content of a request."""

    role: Literal["user", "model"]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Sources:
    """The time, and what to leave out after the server complained about it."""

    now: datetime
    without_signatures: bool = False
    without_files: bool = False


@dataclass
class _Exchange:
    """The calls of one step and the result found for each."""

    calls: tuple[CallPart, ...]
    results: list[ResultPart | None] = field(init=False)

    def __post_init__(self) -> None:
        self.results = [None] * len(self.calls)

    def knows(self, result: ResultPart) -> bool:
        return any(call.call_id == result.call_id for call in self.calls)

    def take(self, result: ResultPart) -> None:
        """Keep the result at the first open call of its id; a second answer to the same call is ignored."""
        for index, call in enumerate(self.calls):
            if call.call_id == result.call_id and self.results[index] is None:
                self.results[index] = result
                return

    def answers(self) -> tuple[ResultPart, ...]:
        return tuple(
            (found or ResultPart(call_id=call.call_id, name=call.name, response=_INTERRUPTED)).model_copy(
                update={"name": call.name}
            )
            for call, found in zip(self.calls, self.results, strict=True)
        )


@dataclass(frozen=True)
class _Block:
    """A stretch of the history of one kind; `opens` marks the words that open a turn."""

    kind: Literal["user", "model", "tool"]
    parts: tuple[Part, ...]
    opens: bool = False
    exchange: _Exchange | None = None


def build_contents(
    messages: Sequence[Message], memory_block: str | None, sources: Sources, *, shown: Sequence[Part] = ()
) -> list[Content]:
    """Return the contents of a request, acceptable whatever the messages are.

    The memory block becomes the last part of the content that opens the current turn, so that it stays where it is
    while the turn's steps follow; what is shown stands right before it, each named. Media of messages whose bytes are
    not at hand are named where they were.
    """
    blocks = list(_blocks(messages, sources))
    start = max((index for index, block in enumerate(blocks) if block.opens), default=0)
    past = [piece for block in blocks[:start] for piece in _past(block)]
    current = [piece for block in blocks[start:] for piece in _current(block)]
    merged = _with_edges(_merged(past + current))
    last = (*_shown(shown, sources), *((TextPart(text=memory_block),) if memory_block else ()))
    if last:
        merged = _with_last(merged, last)
    return [Content("model" if block.kind == "model" else "user", block.parts) for block in merged]


def _blocks(messages: Sequence[Message], sources: Sources) -> Iterator[_Block]:
    exchange: _Exchange | None = None
    previous: Message | None = None
    for message in messages:
        parts = tuple(_sendable(message, sources))
        if message.role == "model":
            calls = tuple(part for part in parts if isinstance(part, CallPart))
            exchange = _Exchange(calls) if calls else exchange
            yield _Block("model", parts, exchange=exchange if calls else None)
        else:
            words = tuple(_claimed(parts, exchange if message.role == "tool" else None))
            yield _Block("user", words, opens=message.role != "tool" and _opens_turn(message, previous))
        previous = message


def _claimed(parts: Iterable[Part], exchange: _Exchange | None) -> Iterator[Part]:
    """Give results to their calls and yield what is left; a result that nobody asked for is told in words."""
    for part in parts:
        if isinstance(part, ResultPart):
            if exchange is not None and exchange.knows(part):
                exchange.take(part)
            else:
                yield _note(f"Result of the tool {part.name}: {_json(part.response)}")
        elif isinstance(part, CallPart):
            yield _note(f"Call of the tool {part.name}: {_json(part.args)}")
        else:
            yield part


def _opens_turn(message: Message, previous: Message | None) -> bool:
    """Stored messages know their turn; before that, words after results or open calls belong to the running turn."""
    if previous is None:
        return True
    if message.turn_id is not None and previous.turn_id is not None:
        return message.turn_id != previous.turn_id
    return previous.role != "tool" and not previous.calls


def _sendable(message: Message, sources: Sources) -> Iterator[Part]:
    for part in message.parts:
        sendable = _unsigned(part) if sources.without_signatures else part
        if isinstance(part, MediaPart) and (not part.data or sources.without_files):
            sendable = _note(f"[{part.label}]")
        elif isinstance(part, FilePart) and _is_gone(part, message, sources):
            sendable = _note(f"A file ({part.mime_type or 'unknown type'}) was here; it is no longer available.")
        elif isinstance(part, NotePart) or (message.role == "notice" and isinstance(part, TextPart)):
            sendable = _note(part.text)
        if not _is_blank(sendable):
            yield sendable


def _is_gone(part: FilePart, message: Message, sources: Sources) -> bool:
    is_uploaded = "/files/" in part.uri
    return sources.without_files or (is_uploaded and sources.now - message.at > FILE_LIFETIME)


def _is_blank(part: Part) -> bool:
    """True for what says nothing, and for malformed calls and results, which nobody could pair."""
    if isinstance(part, OpaquePart):
        return not part.raw or "functionCall" in part.raw or "functionResponse" in part.raw
    if not isinstance(part, TextPart | ThoughtPart):
        return False
    return not part.text.strip() and part.signature is None and not part.extra


def _unsigned(part: Part) -> Part:
    if isinstance(part, OpaquePart):
        raw = {key: value for key, value in part.raw.items() if key != "thoughtSignature"}
        return part.model_copy(update={"raw": raw})
    return part.model_copy(update={"signature": None})


def _past(block: _Block) -> Iterator[_Block]:
    """Old steps stay as they are if the model signed them; else calls and results are told in the user's place."""
    if block.exchange is None:
        yield block
    elif block.exchange.calls[0].signature is not None:
        yield from _step(block, block.exchange.calls)
    else:
        yield replace(block, parts=tuple(part for part in block.parts if not isinstance(part, CallPart)), exchange=None)
        yield _Block("user", tuple(_told(block.exchange)))


def _current(block: _Block) -> Iterator[_Block]:
    if block.exchange is None:
        yield block
    else:
        first, *others = block.exchange.calls
        if first.signature is None:
            first = first.model_copy(update={"signature": UNSIGNED_CALL})
        yield from _step(block, (first, *others))


def _step(block: _Block, calls: tuple[CallPart, ...]) -> Iterator[_Block]:
    assert block.exchange is not None
    queue = iter(calls)
    yield replace(block, parts=tuple(next(queue) if isinstance(part, CallPart) else part for part in block.parts))
    yield _Block("tool", block.exchange.answers())


def _told(exchange: _Exchange) -> Iterator[Part]:
    for call, result in zip(exchange.calls, exchange.answers(), strict=True):
        yield _note(f"The tool {call.name} was run with {_json(call.args)}; its result: {_json(result.response)}")


def _merged(blocks: Iterable[_Block]) -> list[_Block]:
    """Drop what says nothing and join neighbours of one kind."""
    merged: list[_Block] = []
    for block in blocks:
        if not _says_something(block):
            continue
        if merged and merged[-1].kind == block.kind:
            last = merged.pop()
            block = replace(block, parts=last.parts + block.parts, opens=last.opens or block.opens)
        merged.append(block)
    return merged


def _says_something(block: _Block) -> bool:
    return any(not isinstance(part, ThoughtPart) or part.signature is not None for part in block.parts)


def _with_edges(blocks: list[_Block]) -> list[_Block]:
    if not blocks or blocks[0].kind != "user":
        opening = _Block("user", (_note("The beginning of this conversation is not shown."),))
        blocks = [opening, *blocks]
    if blocks[-1].kind == "model":
        blocks = [*blocks, _Block("user", (_note("Please go on."),))]
    return blocks


def _shown(parts: Sequence[Part], sources: Sources) -> Iterator[Part]:
    for part in parts:
        if not isinstance(part, MediaPart):
            yield _note(text_of([part]))
        elif part.data and not sources.without_files:
            yield _note(f"This is {part.label}:")
            yield part
        else:
            yield _note(f"{part.label} cannot be shown.")


def _with_last(blocks: list[_Block], parts: tuple[Part, ...]) -> list[_Block]:
    users = [index for index, block in enumerate(blocks) if block.kind == "user"]
    index = max((index for index in users if blocks[index].opens), default=users[0])
    opening = blocks[index]
    return [*blocks[:index], replace(opening, parts=(*opening.parts, *parts)), *blocks[index + 1 :]]


def _note(text: str) -> TextPart:
    return TextPart(text=_NOTE + text)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
