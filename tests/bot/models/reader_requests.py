"""Requests as the program makes them, for tests of the offline reader."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.models.reader import OfflineReader
from memory.messages import CallPart, Message, ResultPart, TextPart, text_message
from memory.ports import ModelReply, ModelRequest, Task, ToolSpec

AT = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
"""Tuesday 2 March 2027, 10:00 in Berlin."""
NOW = "Now: Tuesday 2 March 2027, 10:00 (Europe/Berlin)"
RECALL = ToolSpec("recall", "Finds earlier text.", {"type": "object", "properties": {"query": {"type": "string"}}})


def block(facts: Sequence[str] = (), recalled: Sequence[str] = ()) -> str:
    """Return a memory block of fact lines (`[kind] subject: value`) and recalled lines."""
    lines: list[str] = []
    if facts:
        lines += ["Established facts (prefer these over summaries and older messages):", *(f"- {one}" for one in facts)]
    if recalled:
        lines += ["Recalled:", *recalled]
    return "\n".join([*lines, NOW])


def chat_request(
    *said: str,
    facts: Sequence[str] = (),
    recalled: Sequence[str] = (),
    after: Sequence[Message] = (),
    tools: Sequence[ToolSpec] = (),
    tools_enabled: bool = True,
) -> ModelRequest:
    """Return a chat request whose last member message is the last of `said`; the others were answered before."""
    messages: list[Message] = []
    for text in said:
        messages += [text_message("user", text, AT), text_message("model", "Understood.", AT)]
    return ModelRequest(
        task="chat",
        system="task: chat",
        messages=[*messages[:-1], *after],
        memory_block=block(facts, recalled),
        tools=tools,
        tools_enabled=tools_enabled,
    )


def recalled_turn(*texts: str) -> list[Message]:
    """Return what follows in a turn once recall was called and answered with items of these texts."""
    call = CallPart(call_id="c1", name="recall", args={"query": "anything"})
    response = {"items": [{"id": f"s{number}", "text": text} for number, text in enumerate(texts, start=1)]}
    result = ResultPart(call_id="c1", name="recall", response=response, is_reference=True)
    return [Message(role="model", parts=(call,), at=AT), Message(role="tool", parts=(result,), at=AT)]


async def answer(*said: str, facts: Sequence[str] = (), recalled: Sequence[str] = ()) -> str:
    """Return the reader's words to the last message, without tools."""
    return text_of(await OfflineReader().generate(chat_request(*said, facts=facts, recalled=recalled)))


def text_of(reply: ModelReply) -> str:
    (part,) = reply.parts
    assert isinstance(part, TextPart)
    return part.text


async def ask(task: Task, text: str) -> str:
    """Return the reader's words to a task whose user content is one text."""
    return text_of(
        await OfflineReader().generate(ModelRequest(task, f"task: {task}", [text_message("user", text, AT)]))
    )


async def changes(
    message: str,
    *facts: str,
    said: str = "2027-03-02T10:00+01:00 Tuesday Europe/Berlin",
    before: str = "Good morning",
) -> list[dict[str, Any]]:
    """Return the changes the reader proposes for a message; `facts` are lines `f12 | kind | subject | value`."""
    context = ["context:", f"member: {before}", "assistant: Hello."]
    lines = [*context, "facts:", *facts, *([f"said: {said}"] if said else []), "message:\n"]
    parts = (TextPart(text="\n".join(lines)), TextPart(text=message))
    request = ModelRequest("extract", "task: extract", [Message(role="user", parts=parts, at=AT)])
    document = json.loads(text_of(await OfflineReader().generate(request)))
    assert set(document) == {"changes"}
    found: list[dict[str, Any]] = document["changes"]
    return found
