"""Runs as an examination might return them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.findings import Canary, CaseResult, Fingerprint, Run, Step, Verdict

AT = datetime(2027, 3, 3, 2, 30, tzinfo=UTC)
FINGERPRINT = Fingerprint(
    model="reader", embedder="none", code="1", schema_version=9, prompts={"chat": "a1"}, settings={"ledger": "b2"}
)
WELL = Canary(is_well=True, steps=(Step(name="extracted", is_well=True),))
SICK = Canary(is_well=False, steps=(Step(name="planted", is_well=True), Step(name="extracted", is_well=False)))


def case(ref: str, verdict: Verdict = "pass", **more: Any) -> CaseResult:
    """Return a result; an ordinary one was answered and assembled a prompt of 400 tokens."""
    values: dict[str, Any] = {"message_id": 1, "critical": False, "is_answered": True, "prompt_tokens": 400}
    return CaseResult(ref=ref, verdict=verdict, **{**values, **more})


def run(*results: CaseResult, after_days: int = 0, **more: Any) -> Run:
    """Return a whole run that found these results and a well canary."""
    at = AT + timedelta(days=after_days)
    values: dict[str, Any] = {"canary": WELL, "has_model_arms": True, "fingerprint": FINGERPRINT}
    return Run(
        space_id="local", started_at=at, ended_at=at + timedelta(minutes=2), results=results, **{**values, **more}
    )


def many(count: int, verdict: Verdict = "pass", *, start: int = 1) -> Sequence[CaseResult]:
    """Return ordinary results of so many facts."""
    return [case(f"f{number}", verdict) for number in range(start, start + count)]
