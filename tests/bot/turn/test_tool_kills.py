"""Killed at any commit of a turn with files and the web: one file, no search made twice, every document once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.turn.tool_crashes import PATH, TEXT

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(120)
def test_a_kill_at_every_commit_leaves_one_file_one_search_and_one_document(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bot.turn.tool_crashes", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) > 8, "the turn has fewer commits than it should"
    assert any(found["was_cut_off"] for found in outcomes)
    for found in outcomes:
        at = f"before commit {found['commit']}"
        arrived = [*found["delivered"], *found["repeated"]]
        assert set(arrived) == {f"📎 {PATH}", "There you are."}, at
        assert len(found["delivered"]) == len(set(found["delivered"])), at
        assert len(found["repeated"]) <= 1, at
        assert found["searches"] == 1 or found["was_cut_off"], at
        assert found["searches"] <= 1, at
        assert found["files"] == {PATH: TEXT}, at
        assert found["open"] == 0, at
