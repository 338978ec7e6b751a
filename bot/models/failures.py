"""Why a request got no answer, read from what the server sent, and the fault that memory is told.

A `Failure` is a value, so that the retry ladder can weigh several of them; `fault_of` names who must act. Details are
made of codes, statuses and reasons alone: the server's sentences and bodies may quote the member's words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from memory.errors import (
    ModelBusy,
    ModelFault,
    ModelMisconfigured,
    ModelQuotaSpent,
    ModelRefused,
    ModelSilent,
    PromptTooLong,
)

Kind = Literal[
    "overloaded",  # 5xx: the server, for this model
    "unreachable",  # no connection, a cut or unreadable answer
    "limited",  # 429: a minute's limit
    "disputed",  # 429: a day's quota is named, and a short delay is given
    "spent",  # 429: the day's quota
    "gone",  # 404: no such model
    "misconfigured",  # key, permission, region
    "unsigned",  # 400: a thought signature is missing or not accepted
    "no_file",  # a file or a medium of the history cannot be read (any more)
    "too_long",
    "refused",  # any other 4xx
    "garbled",  # an answer nobody could use: worth a second look
    "silent",  # nothing usable, and asking again would not help
]

LONGEST_WAIT_S = 60.0
"""A longer wait is not for a turn: the member is told instead."""

_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")
_TOO_LONG = re.compile(
    r"token count|too many tokens|maximum number of tokens|context length|request payload size", re.IGNORECASE
)
_SIGNATURE = re.compile(r"thought[ _]?signature", re.IGNORECASE)
_FILE = re.compile(
    r"\bfiles?\b.*(permission|exist|expired|not found)|permission.*\bfile\b|file_?uri"
    r"|unsupported mime ?type|unable to process input|document has no pages",
    re.IGNORECASE,
)
_SETTINGS = re.compile(r"API_?KEY|api key|location is not supported|billing|FAILED_PRECONDITION", re.IGNORECASE)


@dataclass(frozen=True)
class Failure:
    """One attempt that gave no answer. `wait_s` is the delay the server asked for, `reason` a finish reason."""

    kind: Kind
    detail: str = ""
    wait_s: float | None = None
    reason: str = ""


def fault_of(failures: Sequence[Failure]) -> ModelFault:
    """Return the fault for a request that was given up; `failures` are its attempts, at least one, the last decides.

    A day's quota that was named with a short delay counts as spent once it was named again after that delay.
    """
    last = failures[-1]
    if last.kind == "disputed":
        repeated = sum(failure.kind == "disputed" for failure in failures) > 1
        return ModelQuotaSpent(last.detail) if repeated else ModelBusy(last.detail, retry_after_s=last.wait_s)
    if last.kind in {"silent", "garbled"}:
        return ModelSilent(last.reason, last.detail)
    if last.kind in {"overloaded", "unreachable", "limited"}:
        return ModelBusy(last.detail, retry_after_s=last.wait_s)
    return _DECIDED[last.kind](last.detail)


_DECIDED: Mapping[str, type[ModelFault]] = {
    "spent": ModelQuotaSpent,
    "gone": ModelMisconfigured,
    "misconfigured": ModelMisconfigured,
    "too_long": PromptTooLong,
    "unsigned": ModelRefused,
    "no_file": ModelRefused,
    "refused": ModelRefused,
}


def failure_of_status(
    status: object, body: object, *, retry_after: str | None = None, now: datetime, model: str
) -> Failure:
    """Return the failure that an HTTP status and its body describe, in whatever shape they are."""
    code = status if isinstance(status, int) else 0
    error = _error(body)
    detail = _detail(code, error, model)
    if code == 429:
        return _limit(error, detail, retry_after, now)
    if code >= 500 or code == 408:
        return Failure("overloaded", detail, _seconds(retry_after, now))
    if 300 <= code < 500:
        return Failure(_client_kind(code, error), detail)
    return Failure("unreachable", detail)


def _client_kind(code: int, error: Mapping[str, Any]) -> Kind:
    text = f"{error.get('status')} {error.get('message')} {list(_reasons(error))}"
    if code == 413 or _TOO_LONG.search(text):
        return "too_long"
    if _SIGNATURE.search(text):
        return "unsigned"
    if code in {400, 403, 404} and _FILE.search(text):
        return "no_file"
    if code in {300, 301, 302, 303, 307, 308, 401, 403} or _SETTINGS.search(text):
        return "misconfigured"
    return "gone" if code == 404 else "refused"


def _limit(error: Mapping[str, Any], detail: str, retry_after: str | None, now: datetime) -> Failure:
    """Decide between a minute's limit and a day's quota from both things the server says.

    Rule: a day's quota named without a delay, or with one too long to wait for, is spent. Named with a short delay
    the two disagree: the delay is obeyed once, and the quota is spent if it is named again. Else it is a limit.
    """
    wait_s = _retry_delay(error)
    if wait_s is None:
        wait_s = _seconds(retry_after, now)
    if not _names_a_day(error):
        return Failure("limited", detail, wait_s)
    if wait_s is None or wait_s > LONGEST_WAIT_S:
        return Failure("spent", detail)
    return Failure("disputed", detail, wait_s)


def _names_a_day(error: Mapping[str, Any]) -> bool:
    names = [
        str(violation.get(key, ""))
        for entry in _details(error)
        for violation in _objects(entry.get("violations"))
        for key in ("quotaId", "quotaMetric", "description")
    ]
    return any(re.search(r"per[ _]?day", name, re.IGNORECASE) for name in names)


def _retry_delay(error: Mapping[str, Any]) -> float | None:
    for entry in _details(error):
        if match := _DURATION.fullmatch(str(entry.get("retryDelay", ""))):
            return float(match[1])
    return None


def _seconds(header: str | None, now: datetime) -> float | None:
    """Read a Retry-After header: seconds, or a date."""
    if header is None:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d+)?", header.strip()):
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())


def _error(body: object) -> Mapping[str, Any]:
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return {}
    inner = body.get("error", body)
    return inner if isinstance(inner, dict) else {}


def _details(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from _objects(error.get("details"))


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (entry for entry in value if isinstance(entry, dict))


def _reasons(error: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(entry["reason"]) for entry in _details(error) if "reason" in entry)


def _detail(code: int, error: Mapping[str, Any], model: str) -> str:
    """Only words of the API's own vocabulary, in capitals, get through."""
    named: Iterable[object] = (error.get("status"), *_reasons(error), *_quotas(error))
    words = [str(word) for word in named if re.fullmatch(r"[A-Za-z_-]{1,80}", str(word or ""))]
    return " ".join([f"HTTP {code}", *words, f"({model})"])


def _quotas(error: Mapping[str, Any]) -> Iterator[object]:
    for entry in _details(error):
        yield from (violation.get("quotaId") for violation in _objects(entry.get("violations")))
