"""What the fake Gemini can be told to answer: words, calls, odd endings, refusals, broken streams."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Part = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """An answer. With `status` 200 the events are streamed one by one, else `body` is the refusal."""

    events: tuple[dict[str, Any], ...] = ()
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    stalls: bool = False
    """Nothing is ever sent."""
    breaks_after: int | None = None
    """The connection breaks after so many events."""
    pause_s: float = 0.0
    """Between two events."""
    raw: bytes | None = None
    """These bytes instead of any event."""


def parts(*pieces: Part, finish: str | None = "STOP", **candidate: Any) -> Reply:
    """Answer with these parts, one event each; the last event has the finish reason."""
    contents: list[dict[str, Any]] = [{"content": {"role": "model", "parts": [piece]}} for piece in pieces]
    contents = contents or [{}]
    if finish:
        contents[-1] = {**contents[-1], **candidate, "finishReason": finish}
    return Reply(tuple({"candidates": [{**content, "index": 0}]} for content in contents))


def say(text: str, *, chunks: int = 1, thought: str | None = None, finish: str | None = "STOP") -> Reply:
    """Answer with words, split into so many events, after a thought."""
    size = -(-len(text) // chunks) or 1
    pieces: list[Part] = [{"text": text[at : at + size]} for at in range(0, len(text), size)]
    if thought is not None:
        pieces.insert(0, {"text": thought, "thought": True})
    return parts(*pieces, finish=finish)


def call(name: str, args: dict[str, Any] | None = None, *, text: str = "", with_ids: bool = True) -> Reply:
    """Answer with one call; the server signs it and gives it an id."""
    return calls((name, args or {}), text=text, with_ids=with_ids)


def calls(*wanted: tuple[str, dict[str, Any]], text: str = "", with_ids: bool = True) -> Reply:
    """Answer with parallel calls; only the first is signed, as the real model does."""
    pieces: list[Part] = [{"text": text}] if text else []
    for name, args in wanted:
        body: Part = {"name": name, "args": args}
        pieces.append({"functionCall": body | ({"id": ""} if with_ids else {})})
    return parts(*pieces)


def ending(finish: str, *, text: str = "", message: str | None = None) -> Reply:
    """End with a finish reason, with words or with no content at all."""
    extra = {"finishMessage": message} if message else {}
    return parts(*([{"text": text}] if text else []), finish=finish, **extra)


def blocked(reason: str = "PROHIBITED_CONTENT") -> Reply:
    """No candidates: the prompt was blocked."""
    return Reply(({"promptFeedback": {"blockReason": reason}},))


def stalls() -> Reply:
    return Reply(stalls=True)


def breaks(reply: Reply, *, after: int) -> Reply:
    """Break the connection after so many events."""
    return replace(reply, breaks_after=after)


def error(status: int, name: str, message: str = "", details: Sequence[dict[str, Any]] = (), **headers: str) -> Reply:
    """Refuse with a status, in the API's shape; headers are named with underscores."""
    body = {"error": {"code": status, "message": message, "status": name, "details": list(details)}}
    return Reply(status=status, body=body, headers={key.replace("_", "-"): value for key, value in headers.items()})


def overloaded() -> Reply:
    return error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")


def limited(*, retry_s: float | None = None, quota: str = "GenerateRequestsPerMinutePerProjectPerModel") -> Reply:
    """429 that names a quota and, perhaps, a delay."""
    details: list[dict[str, Any]] = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}
    ]
    if retry_s is not None:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_s:g}s"})
    return error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", details)


PER_DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
