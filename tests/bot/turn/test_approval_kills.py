"""Killed at any commit between a question, its answer and what comes of it: asked once, run once, told once."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
QUESTION = "❔ May I do this (a1)? It is a call of *bell*, and this is all of it:"


@pytest.mark.timeout(120)
def test_a_kill_at_every_commit_runs_an_approved_call_at_most_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bot.turn.approval_crashes", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) > 15, "the turns have fewer commits than they should"
    assert any(found["was_cut_off"] for found in outcomes)
    for found in outcomes:
        at = f"before commit {found['commit']}"
        arrived = Counter(found["delivered"])
        # The message that asked is sent, and later takes its new form without buttons.
        assert set(arrived) | set(found["repeated"]) == {QUESTION, "Asked.", "Told."}, at
        assert arrived[QUESTION] + found["repeated"].count(QUESTION) in (2, 3), at
        assert max(arrived["Asked."], arrived["Told."]) <= 1, at
        assert len(found["repeated"]) <= 1, at
        assert found["rings"] == 1 or found["was_cut_off"], at
        assert found["rings"] <= 1, at
        assert found["in_doubt"] == int(found["was_cut_off"]), at
        assert found["approvals"] == [["approved", 2]], at
        assert found["open"] == [0, 0, 0, 0], at
