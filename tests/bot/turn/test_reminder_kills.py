"""Killed at any commit while a reminder is set and rings: it rings once, and never a second time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.turn.reminder_crashes import RINGS

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(300)
def test_a_kill_at_every_commit_boundary_loses_no_reminder_and_rings_none_twice(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bot.turn.reminder_crashes", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) >= 12, "there are fewer commits than there should be"
    for outcome in outcomes:
        at = f"commit {outcome['commit']}, {'after' if outcome['after'] else 'before'}"
        assert outcome["delivered"].count(RINGS) + outcome["repeated"].count(RINGS) in (1, 2), at
        assert outcome["delivered"].count(RINGS) <= 1, at
        assert len(outcome["repeated"]) <= 1, at
        assert outcome["reminders"] == [["pills", "waiting", "2027-03-03T09:20:00.000000+00:00"]], at
        assert outcome["open"] == 0, at
