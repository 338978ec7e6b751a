"""The real bubblewrap, where it can run; elsewhere what needs it is skipped and says why."""

import shutil
import subprocess

import pytest


def _can_make_sandboxes() -> bool:
    """Try bubblewrap itself, not our use of it: what is wrong with that is to fail."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    command = (program, "--unshare-all", "--ro-bind", "/", "/", "true")
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


needs_sandbox = pytest.mark.skipif(not _can_make_sandboxes(), reason="bubblewrap is not installed or not allowed here")
