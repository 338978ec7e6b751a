"""Killed at any commit of a compaction: after the restart it happened once, and nothing of it is half there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(120)
def test_a_kill_at_every_commit_of_a_compaction_leaves_one_handoff_and_one_notice(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bot.turn.compaction_crashes", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) > 4, "a compaction has fewer commits than it should"
    for found in outcomes:
        at = f"commit {found['commit']}"
        assert (found["handoffs"], found["journal"], found["manifest"]) == (1, 1, 5), at
        assert found["texts"] == 16, at
        assert found["open"] == 0, at
        assert found["files"] == ["2027-03-02.md"], at
        assert sum(text.startswith("Compacted: 8 messages") for text in found["told"]) + found["repeated"] >= 1, at
        assert sum("Nothing to compact" in text for text in found["told"]) == 0, at
