"""An extract request, taken apart: the message to read, the current facts, the moment it was said.

Reads the line forms of the request (`facts:`, `said:`, `message:`); decides nothing about them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.models.reader.statements import Moment
from memory.ledger.facts import Kind
from memory.messages import Message, TextPart

_FACT = re.compile(r"^f(?P<id>\d+) \| (?P<kind>[^|]+) \| (?P<subject>[^|]+) \| (?P<value>.+)$", re.MULTILINE)
_SAID = re.compile(
    r"^said: (?P<at>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d:\d\d|Z)?)(?P<rest>.*)$", re.MULTILINE
)
_ZONE = re.compile(r"[A-Z][A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)+|\bUTC\b")
_CONTEXT = re.compile(r"^context:\n(?P<lines>.*?)^facts:", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(r"^message:[ \t]*\n?", re.MULTILINE)


@dataclass(frozen=True)
class CurrentFact:
    """A fact the request listed as current."""

    id: str
    kind: Kind
    subject: str
    value: str


@dataclass(frozen=True)
class Reading:
    """An extract request, taken apart."""

    message: str
    facts: tuple[CurrentFact, ...]
    said: Moment | None
    context: str
    """What was said just before, by both."""


def read_request(messages: Sequence[Message]) -> Reading:
    """Return the message to read, the current facts, the moment it was said and what was said before it."""
    texts = [part.text for message in messages for part in message.parts if isinstance(part, TextPart)]
    frame, message = _split(texts)
    facts = tuple(
        CurrentFact(
            f"f{match['id']}", cast("Kind", match["kind"].strip()), match["subject"].strip(), match["value"].strip()
        )
        for match in _FACT.finditer(frame)
    )
    context = _CONTEXT.search(frame)
    return Reading(message, facts, _moment(frame), context["lines"] if context else "")


def _split(texts: list[str]) -> tuple[str, str]:
    if len(texts) > 1:
        last = texts[-1]
        if last.startswith("message:"):
            return "\n".join(texts[:-1]), _MESSAGE.sub("", last, count=1)
        if texts[-2].rstrip().endswith("message:"):
            return "\n".join(texts[:-1]), last
    joined = "\n".join(texts)
    match = _MESSAGE.search(joined)
    return (joined[: match.start()], joined[match.end() :]) if match else ("", "")


def _moment(frame: str) -> Moment | None:
    match = _SAID.search(frame)
    name = _ZONE.search(match["rest"]) if match else None
    if match is None or name is None:
        return None
    try:
        zone, at = ZoneInfo(name.group()), datetime.fromisoformat(match["at"])
    except (ZoneInfoNotFoundError, ValueError):
        return None
    return Moment(at if at.tzinfo else at.replace(tzinfo=zone), zone)
