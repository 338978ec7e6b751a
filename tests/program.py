"""The real program in a process of its own between the fake servers: started, told to stop, killed, asked by command.

Its log holds every level (the program itself stops at INFO), so that a test can say that no level tells too much.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

from tests.fakes.gemini import FakeGemini
from tests.fakes.telegram import FakeTelegram

ROOT = Path(__file__).parents[1]
START_S = 60.0
TALKATIVE = """
import logging, sys
logging.RootLogger.setLevel = lambda self, level: logging.Logger.setLevel(self, logging.DEBUG)
from bot.__main__ import main
main()
"""
"""The program with its log opened wide. (The library is replaced, not a module of ours.)"""
ASKING = """
import contextlib, io, json, sys
from bot.__main__ import Remembrancer
from bot.cli import run
answers = []
for args in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = run(args, Remembrancer)
    answers.append((code, printed.getvalue()))
print(json.dumps(answers))
"""
"""Several commands in one process: starting it costs more than they do."""


class Program:
    """The program over one home; `environment` holds its settings, `more` those of one test.

    `command` is what Python is told to run as the server.
    """

    def __init__(
        self,
        home: Path,
        telegram: FakeTelegram,
        gemini: FakeGemini,
        owner: int,
        *,
        command: Sequence[str] = ("-c", TALKATIVE),
        **more: str,
    ) -> None:
        self.home = home
        self._command = command
        self._telegram = telegram
        self._folder = home.parent
        self._output = home.parent / "output"
        self._server: subprocess.Popen[bytes] | None = None
        self.environment = {
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "TELEGRAM_OWNER_ID": str(owner),
            "TELEGRAM_BASE_URL": telegram.base_url,
            "TELEGRAM_BASE_FILE_URL": telegram.base_file_url,
            "GEMINI_API_KEY": gemini.api_key,
            "GEMINI_BASE_URL": gemini.url,
            "REMEMBRANCER_HOME": str(home),
            "REMEMBRANCER_TIMEZONE": "Europe/Berlin",
            **more,
        }

    def _environment(self) -> dict[str, str]:
        """Return the settings for a process in another folder than ours, where no `.env` of a developer is read."""
        return os.environ | self.environment | {"PYTHONPATH": str(ROOT)}

    def start(self) -> None:
        """Start the server; it goes on while this process does other things."""
        with self._output.open("ab") as output:
            self._server = subprocess.Popen(
                [sys.executable, *self._command],
                cwd=self._folder,
                env=self._environment(),
                stdout=output,
                stderr=output,
            )

    @property
    def is_running(self) -> bool:
        return self._server is not None and self._server.poll() is None

    def terminate(self) -> int:
        """Tell the server to stop, wait until it did, and return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the server without a warning. It may have ended before."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> int:
        assert self._server is not None
        self._server.send_signal(number)
        code = self._server.wait(START_S)
        self._server = None
        return code

    def stop(self) -> None:
        """End the server if it still runs."""
        if self.is_running:
            self.kill()

    def ask(self, *commands: Sequence[str]) -> list[Any]:
        """Run commands that print JSON beside the server, check that all were fine and silent, and return it."""
        done = subprocess.run(
            [sys.executable, "-c", ASKING, json.dumps(commands)],
            cwd=self._folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
        answers = json.loads(done.stdout)
        assert [code for code, _ in answers] == [0] * len(commands)
        return [json.loads(printed) for _, printed in answers]

    def rows(self, space_id: int, sql: str) -> list[Any]:
        """Read the database of a space beside the server."""
        path = self.home / "spaces" / str(space_id) / "memory.db"
        with closing(connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()

    def is_idle(self, space_id: int) -> bool:
        """Whether nothing waits in a space: no entry, no turn, no job that is ready, no message to send."""
        (counts,) = self.rows(
            space_id,
            "SELECT (SELECT count(*) FROM inbox WHERE state IN ('new', 'taken')),"
            " (SELECT count(*) FROM turns WHERE state = 'running'),"
            " (SELECT count(*) FROM jobs WHERE state = 'ready'),"
            " (SELECT count(*) FROM outbox WHERE state IN ('streaming', 'waiting', 'sending'))",
        )
        return not any(counts)

    def said(self) -> str:
        """Return all that the server wrote: stdout, stderr and its logs."""
        files = [self._output, *sorted((self.home / "logs").glob("*.log*"))]
        return "\n".join(file.read_text(errors="replace") for file in files if file.exists())


def wait_until(holds: Callable[[], object], what: str, timeout_s: float = START_S) -> None:
    """Look again and again until something holds. Raises: TimeoutError that names it."""
    ends = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > ends:
            raise TimeoutError(f"not within {timeout_s:g} s: {what}")
        time.sleep(0.01)
