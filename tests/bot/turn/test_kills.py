"""Killed at any commit of a talk: after the restart everything was answered once, nothing is lost, no fact doubled."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.turn.crashes import TALK

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(300)
def test_a_kill_at_every_commit_boundary_loses_and_doubles_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bot.turn.crashes", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) > 40, "the talk has fewer commits than it should"
    for outcome in outcomes:
        at = f"commit {outcome['commit']}, {'after' if outcome['after'] else 'before'}"
        replies = [text for text in outcome["delivered"] if text.startswith("reply to: ")]
        arrived = [*outcome["delivered"], *outcome["repeated"]]
        assert set(arrived) >= {f"reply to: {text}" for text in TALK}, at
        assert len(replies) == len(set(replies)), at
        assert len(outcome["repeated"]) <= 1, at
        assert outcome["said"] == list(TALK), at
        assert outcome["facts"] == ["4711", "Dr. Brandt"], at
        assert outcome["open"] == [0, 0, 0, 0], at
        assert outcome["integrity"] == "ok", at
