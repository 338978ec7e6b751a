"""How calls of the fake Bot API go wrong, and the script that says which ones do."""

from dataclasses import dataclass, field
from typing import Any, Literal

CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
HOOKED = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"


@dataclass(frozen=True)
class Failure:
    """How a call goes wrong; `is_accepted` when it was carried out all the same and only the answer is lost."""

    status: int = 500
    description: str = "Internal Server Error"
    parameters: dict[str, int] = field(default_factory=dict)
    manner: Literal["answer", "page", "reset", "stall"] = "answer"
    is_accepted: bool = False


def too_many_requests(retry_after_s: int) -> Failure:
    """429 with the seconds to wait."""
    return Failure(429, f"Too Many Requests: retry after {retry_after_s}", {"retry_after": retry_after_s})


def conflict() -> Failure:
    """409, as when another instance polls."""
    return Failure(409, CONFLICT)


def refused(code: int, description: str, **parameters: int) -> Failure:
    """Any answer with `ok` false."""
    return Failure(code, description, dict(parameters))


def server_error(status: int = 502) -> Failure:
    """An HTML page from a proxy instead of JSON; with status 200, plain nonsense."""
    return Failure(status, "<html><h1>Bad Gateway</h1></html>", manner="page")


def reset(*, accepted: bool = False) -> Failure:
    """The connection breaks before the answer is complete."""
    return Failure(manner="reset", is_accepted=accepted)


def stall(*, accepted: bool = True) -> Failure:
    """No answer ever comes; the client has to give up."""
    return Failure(manner="stall", is_accepted=accepted)


@dataclass
class Call:
    """A request as it arrived. `status` is what was answered: 0 while it is open, or when no answer was given."""

    method: str
    params: dict[str, Any]
    status: int = 0

    @property
    def chat_id(self) -> int | None:
        value = self.params.get("chat_id")
        return int(value) if value is not None else None


@dataclass
class Scripted:
    failure: Failure
    method: str
    chat_id: int | None
    skip: int
    times: int | None

    def is_for(self, call: Call) -> bool:
        return self.method in {"*", call.method} and self.chat_id in {None, call.chat_id}
