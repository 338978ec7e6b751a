"""When the model may rest: only while nothing an answer depends on has changed, and never for long."""

from datetime import date, timedelta
from typing import Any

import pytest

from memory.findings import Arms
from memory.probe.rest import may_rest
from tests.memory.probe.found import FINGERPRINT

NIGHT = date(2027, 3, 9)
LAST = Arms(night=NIGHT - timedelta(days=6), memory_mark="m", fingerprint=FINGERPRINT)
ORDINARY: dict[str, Any] = {
    "night": NIGHT,
    "last": LAST,
    "mark": "m",
    "fingerprint": FINGERPRINT,
    "refs": ["f1", "f2"],
    "asked": {"f1": NIGHT, "f2": NIGHT},
}


def test_the_model_rests_while_nothing_changes() -> None:
    assert may_rest(**ORDINARY)


@pytest.mark.parametrize(
    "change",
    [
        {"last": None},
        {"night": NIGHT + timedelta(days=1)},
        {"mark": "n"},
        {"fingerprint": FINGERPRINT.model_copy(update={"model": "another"})},
        {"refs": ["f1", "f2", "f3"]},
    ],
    ids=["never asked", "seven nights", "memory", "model", "a case never asked"],
)
def test_the_model_is_asked_again_after(change: dict[str, Any]) -> None:
    assert not may_rest(**{**ORDINARY, **change})
