"""What the fake Gemini answers in the day: facts as told, recordings as heard, all else as the offline reader would.

A chat answers from its prompt alone, so an answer that is right shows that the memory brought what it is about.
"""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.models.reader.answers import answer
from bot.models.reader.checks import verdict
from bot.models.reader.extract import extraction
from bot.models.reader.prompt import read_prompt
from memory.messages import Message, TextPart
from memory.ports import ModelRequest
from tests.fakes.gemini import Request
from tests.fakes.gemini_replies import Reply, say
from tests.fakes.gemini_rules import get

AT = datetime(2027, 3, 27, tzinfo=UTC)
UNKNOWN = "I don't know that."
NOTICE = "[From the program"


def words(request: Request) -> list[str]:
    """Return all texts of a request in order."""
    return [part["text"] for content in request.contents for part in content["parts"] if "text" in part]


def block(request: Request) -> str:
    """Return the memory block of a chat request."""
    return next(text for text in words(request) if text.splitlines()[-1:] and text.splitlines()[-1].startswith("Now: "))


def blobs(request: Request) -> list[bytes]:
    """Return the bytes that a request shows."""
    found = [get(part, "inlineData") for content in request.contents for part in content["parts"]]
    return [base64.b64decode(blob["data"].replace("-", "+").replace("_", "/")) for blob in found if blob]


def chats(request: Request) -> Reply:
    """Answer a chat nobody scripted, such as the questions of the night, from its prompt."""
    memory = block(request)
    said = [_message(content, but=memory) for content in request.contents]
    asked = ModelRequest("chat", "", said, memory_block=memory)
    return say(answer(read_prompt(asked)) or UNKNOWN)


def judges(request: Request) -> Reply:
    return say(verdict([_message(content) for content in request.contents]))


class Notes:
    """Reads facts: those that the day names by the words they stand in."""

    def __init__(self) -> None:
        self._told: dict[str, dict[str, object]] = {}

    def tell(self, quote: str, *, kind: str, subject: str, value: str, asks: str) -> None:
        """Let a fact be read wherever these words stand; `asks` is the question that it answers."""
        self._told[quote] = {
            "kind": kind, "subject": subject, "value": value, "quote": quote, "question": asks, "patterns": [],
            "critical": True,
        }  # fmt: skip

    def read(self, request: Request) -> Reply:
        before, text = (part["text"] for part in request.contents[-1]["parts"])
        told = [fact for quote, fact in self._told.items() if quote in text]
        return say(json.dumps({"changes": [_placed(fact, before.splitlines()) for fact in told]}))

    def read_all(self, request: Request) -> Reply:
        """Read as the offline reader would, whatever it is."""
        return say(extraction([_message(request.contents[-1])]))


def hears(request: Request) -> Reply:
    """Hear in a recording what its bytes say."""
    (recording,) = blobs(request)
    return say(recording.decode())


def _placed(fact: dict[str, object], known: Sequence[str]) -> dict[str, object]:
    """Return the change that enters a fact, in place of the one that is known of its subject."""
    old = next((line.split(" | ")[0] for line in known if f"| {fact['subject']} |" in line), None)
    return {"op": "replace" if old else "add", "replaces": old, **fact}


def _message(content: dict[str, Any], *, but: str = "") -> Message:
    """Return what somebody said in a content, without the program's notices and this text."""
    said = (part["text"] for part in content["parts"] if "text" in part)
    parts = tuple(TextPart(text=text) for text in said if text != but and not text.startswith(NOTICE))
    return Message(role="user" if content["role"] == "user" else "model", parts=parts, at=AT)
