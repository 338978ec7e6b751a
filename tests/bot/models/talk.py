"""Short ways to write a talk with the model in a test."""

from datetime import UTC, datetime
from typing import Any

from bot.models.gemini import GeminiModel
from memory.messages import CallPart, Message, ResultPart, TextPart
from memory.ports import Clock, ModelReply, ModelRequest, Task, ToolSpec
from tests.fakes.gemini import FakeGemini

AT = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
RECALL = ToolSpec(
    "recall",
    "Search memory.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


def new_model(fake: FakeGemini, clock: Clock, **settings: Any) -> GeminiModel:
    names = {"chat_model": "gemini-3.8-flash", "utility_model": "gemini-3.5-flash-lite"}
    given: dict[str, Any] = {"api_key": fake.api_key, "base_url": fake.url}
    return GeminiModel(clock=clock, **{**names, **given, **settings})


def user(text: str, **fields: Any) -> Message:
    return Message(role="user", parts=(TextPart(text=text),), at=AT, **fields)


def said(text: str, **fields: Any) -> Message:
    return Message(role="model", parts=(TextPart(text=text),), at=AT, **fields)


def notice(text: str, **fields: Any) -> Message:
    return Message(role="notice", parts=(TextPart(text=text),), at=AT, origin="program", **fields)


def called(*calls: CallPart, **fields: Any) -> Message:
    return Message(role="model", parts=calls, at=AT, **fields)


def results(*parts: ResultPart, **fields: Any) -> Message:
    return Message(role="tool", parts=parts, at=AT, origin="tool", **fields)


def reply_message(reply: ModelReply, **fields: Any) -> Message:
    return Message(role="model", parts=reply.parts, at=AT, origin="model", **fields)


def answers_to(message: Message, **fields: Any) -> Message:
    """Return results for every call of a message."""
    found = (ResultPart(call_id=call.call_id, name=call.name, response={"found": call.args}) for call in message.calls)
    return results(*found, **fields)


def ask(*messages: Message, task: Task = "chat", **fields: Any) -> ModelRequest:
    return ModelRequest(task=task, system=f"task: {task}\nBe kind.", messages=messages, **fields)


class Screen:
    """What the member sees while an answer streams."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def __call__(self, text: str) -> None:
        self.shown.append(text)
