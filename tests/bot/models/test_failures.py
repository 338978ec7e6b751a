"""What the server said becomes a failure, and a failure becomes the error that names who must act."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.failures import Failure, Kind, failure_of_status, fault_of
from memory.errors import (
    ModelBusy,
    ModelFault,
    ModelMisconfigured,
    ModelQuotaSpent,
    ModelRefused,
    ModelSilent,
    PromptTooLong,
)
from tests.fakes.gemini_replies import PER_DAY, limited

NOW = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
PER_MINUTE = "GenerateRequestsPerMinutePerProjectPerModel"


def read(code: object, body: object, retry_after: str | None = None) -> Failure:
    return failure_of_status(code, body, retry_after=retry_after, now=NOW, model="m")


def error(status: str = "", message: str = "", **more: Any) -> dict[str, Any]:
    return {"error": {"status": status, "message": message, **more}}


@pytest.mark.parametrize(
    ("quota", "retry_s", "kind", "wait_s"),
    [
        (PER_MINUTE, 38, "limited", 38),
        (PER_MINUTE, 300, "limited", 300),
        (PER_MINUTE, None, "limited", None),
        (PER_DAY, None, "spent", None),
        (PER_DAY, 7200, "spent", None),
        (PER_DAY, 36, "disputed", 36),
    ],
)
def test_a_limit_is_told_from_a_spent_quota_by_both_fields(
    quota: str, retry_s: float | None, kind: Kind, wait_s: float | None
) -> None:
    failure = read(429, limited(quota=quota, retry_s=retry_s).body)
    assert (failure.kind, failure.wait_s) == (kind, wait_s)


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [("38", 38.0), ("Tue, 02 Mar 2027 09:00:20 GMT", 20.0), ("Tue, 02 Mar 2027 08:00:00 GMT", 0.0), ("soon", None)],
)
def test_the_retry_after_header_counts_when_the_body_gives_no_delay(header: str, wait_s: float | None) -> None:
    assert read(429, error("RESOURCE_EXHAUSTED"), header).wait_s == wait_s


@pytest.mark.parametrize(
    ("code", "body", "kind"),
    [
        (400, error("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "misconfigured"),
        (400, error("FAILED_PRECONDITION", "User location is not supported for the API use."), "misconfigured"),
        (401, error("UNAUTHENTICATED"), "misconfigured"),
        (403, error("PERMISSION_DENIED", "denied"), "misconfigured"),
        (302, "moved", "misconfigured"),
        (403, error("PERMISSION_DENIED", "You have no permission to access the File or it may not exist."), "no_file"),
        (404, error("NOT_FOUND", "models/x is not found for API version v1beta"), "gone"),
        (400, error("INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens"), "too_long"),
        (413, "too large", "too_long"),
        (400, error("INVALID_ARGUMENT", "Corrupted thought signature."), "unsigned"),
        (400, error("INVALID_ARGUMENT", "Function call is missing a thought_signature."), "unsigned"),
        (400, error("INVALID_ARGUMENT", "Unknown name"), "refused"),
        (500, error("INTERNAL"), "overloaded"),
        (503, "<html>", "overloaded"),
        (204, None, "unreachable"),
        (None, None, "unreachable"),
    ],
)  # fmt: skip
def test_each_status_is_of_one_kind(code: object, body: object, kind: Kind) -> None:
    assert read(code, body).kind == kind


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "details", "violations", "quotaId", "retryDelay", "reason", "message"]),
            inner,
            max_size=4,
        )
    ),
)


@given(st.integers(100, 599), anything, st.none() | st.text(max_size=8))
def test_any_body_of_any_status_is_a_failure(code: int, body: object, header: str | None) -> None:
    assert isinstance(fault_of([read(code, body, header)]), ModelFault)


def test_the_servers_sentences_stay_out_of_the_error() -> None:
    body = error("INVALID_ARGUMENT", "Invalid value: my diary", details=[{"reason": "my diary says"}])
    fault = fault_of([read(400, body)])
    assert str(fault) == "HTTP 400 INVALID_ARGUMENT (m)"


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("overloaded", ModelBusy),
        ("unreachable", ModelBusy),
        ("limited", ModelBusy),
        ("disputed", ModelBusy),
        ("spent", ModelQuotaSpent),
        ("gone", ModelMisconfigured),
        ("misconfigured", ModelMisconfigured),
        ("unsigned", ModelRefused),
        ("no_file", ModelRefused),
        ("refused", ModelRefused),
        ("too_long", PromptTooLong),
        ("garbled", ModelSilent),
        ("silent", ModelSilent),
    ],
)
def test_each_kind_names_who_must_act(kind: Kind, fault: type[ModelFault]) -> None:
    assert type(fault_of([Failure(kind, wait_s=3.0, reason="r")])) is fault


def test_every_kind_has_a_fault() -> None:
    assert all(isinstance(fault_of([Failure(kind)]), ModelFault) for kind in get_args(Kind))


def test_a_disputed_quota_is_spent_when_it_is_named_again_after_its_delay() -> None:
    disputed = Failure("disputed", wait_s=36.0)
    busy = fault_of([disputed])
    assert isinstance(busy, ModelBusy)
    assert busy.retry_after_s == 36.0
    assert isinstance(fault_of([disputed, disputed]), ModelQuotaSpent)
