"""Which part of the tail leaves the prompt: the oldest complete exchanges. Pure: no rows, no model, no clock.

A window is a prefix of the tail that ends where a member's turn begins, so a call and its result always stay together
and the newest member turns stay verbatim. What is not settled yet (a running turn, an unread message) stays too.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.messages import Message, ResultPart, TextPart, ThoughtPart, parts_to_json

MIN_WINDOW_CHARS = 6_000
CHARS_PER_TOKEN = 4
URGENT_CHARS = 1
"""Where a prompt was refused, any window may leave."""


@dataclass(frozen=True)
class Window:
    """The messages that leave, in order, and how many member turns they hold."""

    messages: tuple[Message, ...]
    turns: int

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(message_id(message) for message in self.messages)

    @property
    def chars(self) -> int:
        return sum(size(message) for message in self.messages)

    @property
    def text(self) -> str:
        """All that was said and answered in it: what a summary may speak of."""
        return "\n".join(filter(None, (spoken(message) for message in self.messages)))


@dataclass(frozen=True)
class Limits:
    """`keep_turns` newest member turns stay; a window of fewer than `min_chars` characters is left alone."""

    keep_turns: int
    min_chars: int

    @classmethod
    def of(cls, *, threshold_tokens: int, keep_turns: int) -> "Limits":
        half = threshold_tokens * CHARS_PER_TOKEN // 2
        return cls(keep_turns=keep_turns, min_chars=min(MIN_WINDOW_CHARS, half))


WHOLE = Limits(keep_turns=0, min_chars=1)
"""What `/new` asks for: everything that is settled."""


def choose(
    tail: Sequence[Message],
    limits: Limits,
    *,
    running: frozenset[int] = frozenset(),
    unread: frozenset[int] = frozenset(),
) -> Window | None:
    """Return the largest window the limits allow, or None.

    `running` are the ids of turns that have not ended, `unread` those of messages whose extraction still waits.
    """
    starts = [n for n in range(len(tail)) if _starts_turn(tail, n)]
    stop = _settled(tail, running, unread)
    if limits.keep_turns:
        stop = min(stop, starts[-limits.keep_turns] if len(starts) >= limits.keep_turns else 0)
    allowed = [n for n in [*starts, len(tail)] if 0 < n <= stop and not _splits_call(tail, n)]
    if not allowed:
        return None
    window = Window(tuple(tail[: allowed[-1]]), turns=sum(n < allowed[-1] for n in starts))
    return window if window.chars >= limits.min_chars else None


def key(session_id: int, window: Window) -> str:
    """Return the name of a window's content: equal only for the same messages with the same parts."""
    content = [[message_id(m), parts_to_json(m.parts)] for m in window.messages]
    return hashlib.sha256(json.dumps([session_id, content]).encode()).hexdigest()


def message_id(message: Message) -> int:
    """Return the id of a stored message."""
    assert message.id is not None, "a message of the tail is stored"
    return message.id


def size(message: Message) -> int:
    """Return the characters of a message as a model is sent it."""
    return sum(
        len(part.text) if isinstance(part, TextPart | ThoughtPart) else len(part.model_dump_json(exclude_defaults=True))
        for part in message.parts
    )


def spoken(message: Message) -> str:
    """Return the words of a message, results of tools included."""
    results = (json.dumps(p.response, ensure_ascii=False) for p in message.parts if isinstance(p, ResultPart))
    return "\n".join(filter(None, (message.text, *results)))


def _starts_turn(tail: Sequence[Message], n: int) -> bool:
    return tail[n].role == "user" and (n == 0 or tail[n - 1].turn_id != tail[n].turn_id)


def _settled(tail: Sequence[Message], running: frozenset[int], unread: frozenset[int]) -> int:
    """Return how many messages stand before the first that may not leave yet."""
    for n, message in enumerate(tail):
        if message.turn_id in running or message.id in unread:
            return n
    return len(tail)


def _splits_call(tail: Sequence[Message], n: int) -> bool:
    called = {(message.turn_id, call.call_id) for message in tail[:n] for call in message.calls}
    return any((message.turn_id, result.call_id) in called for message in tail[n:] for result in message.results)
