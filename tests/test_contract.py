"""What people, containers and scripts may rely on: names, defaults, exit codes. A change needs a migration note."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot import cli
from bot.__main__ import Remembrancer
from bot.settings import Settings, load, names

ROOT = Path(__file__).parents[1]

SETTINGS: dict[str, object] = {
    "TELEGRAM_BOT_TOKEN": None,
    "TELEGRAM_OWNER_ID": None,
    "TELEGRAM_ALLOWED_IDS": (),
    "TELEGRAM_BASE_URL": None,
    "TELEGRAM_BASE_FILE_URL": None,
    "TELEGRAM_WEBHOOK_URL": None,
    "TELEGRAM_WEBHOOK_SECRET": None,
    "TELEGRAM_WEBHOOK_LISTEN": None,
    "GEMINI_API_KEY": None,
    "GEMINI_BASE_URL": None,
    "GEMINI_MODEL": "gemini-3.8-flash",
    "GEMINI_UTILITY_MODEL": "gemini-3.5-flash-lite",
    "GEMINI_FALLBACK_MODEL": None,
    "REMEMBRANCER_HOME": ...,
    "REMEMBRANCER_TIMEZONE": ZoneInfo("Asia/Tokyo"),
    "REMEMBRANCER_COMPACT_AT_TOKENS": 24_000,
    "REMEMBRANCER_KEEP_TURNS": 4,
    "REMEMBRANCER_LEDGER_TOKENS": 600,
    "REMEMBRANCER_RECALL_TOKENS": 900,
    "REMEMBRANCER_EMBEDDER": "auto",
    "REMEMBRANCER_COMPRESS": False,
    "REMEMBRANCER_TOOL_CALLS_PER_TURN": 15,
    "REMEMBRANCER_TURN_SECONDS": 180,
    "REMEMBRANCER_PROBE_AT": time(3, 30),
    "REMEMBRANCER_REPORT_AT": time(8, 0),
    "REMEMBRANCER_REPORT": "nightly",
    "REMEMBRANCER_DAILY_USD": 1.0,
    "REMEMBRANCER_SHELL": False,
    "REMEMBRANCER_MCP": None,
    "REMEMBRANCER_WORKBENCH": None,
}
"""The table of the contract; `...` is the platform's."""


def test_the_settings_are_exactly_those_of_the_contract() -> None:
    assert set(names()) == set(SETTINGS)


def test_every_setting_has_the_default_of_the_contract(tmp_path: Path) -> None:
    settings = load(tmp_path, find_zone=lambda: ZoneInfo("Asia/Tokyo")).settings

    held = {name: getattr(settings, field) for name, field in names().items()}

    assert {name: value for name, value in held.items() if SETTINGS[name] is not ...} == {
        name: value for name, value in SETTINGS.items() if value is not ...
    }


def test_the_example_file_lists_every_setting_once_with_its_default(tmp_path: Path) -> None:
    listed = re.findall(r"^#([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(name for name, _ in listed) == sorted(SETTINGS)

    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in listed if value), encoding="utf-8")
    written = load(tmp_path, find_zone=lambda: None).settings
    assert written.model_dump() == Settings.model_validate({}).model_dump()


def test_the_readme_names_every_setting_and_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert [name for name in SETTINGS if name not in readme] == []
    assert [name for name in COMMANDS if f"remembrancer {name}" not in readme] == []


COMMANDS = ("chat", "facts", "recall", "why", "forget", "import", "doctor", "bench")


class Program:
    """The wired program, run in a folder without settings and with nothing on its standard input."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = folder / "state"
        self._capsys = capsys
        monkeypatch.chdir(folder)
        monkeypatch.setenv("REMEMBRANCER_HOME", str(self.home))

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        code = cli.run(argv, Remembrancer)
        return code, *self._capsys.readouterr()


@pytest.fixture
def program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, own_logs: None
) -> Iterator[Program]:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield Program(tmp_path, capsys, monkeypatch)


def test_help_names_every_command_and_is_fine(program: Program) -> None:
    code, out, err = program("--help")

    assert (code, err) == (0, "")
    assert [name for name in COMMANDS if not re.search(rf"^ +{name} ", out, re.MULTILINE)] == []


def test_a_process_of_its_own_says_its_version(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert re.fullmatch(r"remembrancer \d+\.\d+\.\d+\n", done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "args",
    [
        ("no-such-command",),
        ("recall",),
        ("recall", "x", "--batch", "f"),
        ("recall", "x", "--k", "0"),
        ("recall", "--batch", "no-such-file"),
        ("facts", "--space", "../etc"),
        ("forget", "x9"),
        ("why", "yesterday"),
        ("import", "no-such-file"),
        ("bench", "everything"),
    ],
)
def test_wrong_use_is_one_line_on_stderr_and_2(program: Program, args: tuple[str, ...]) -> None:
    code, out, err = program(*args)

    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("remembrancer: ")


def test_a_wrong_setting_is_one_line_on_stderr_and_2(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_KEEP_TURNS", "all")

    code, out, err = program("facts")

    assert (code, out) == (2, "")
    assert err == (
        "remembrancer: REMEMBRANCER_KEEP_TURNS must be a whole number; for example REMEMBRANCER_KEEP_TURNS=4\n"
    )


def test_with_nobody_to_talk_to_it_says_what_to_set_and_2(program: Program) -> None:
    code, out, err = program()

    assert (code, out) == (2, "")
    assert "TELEGRAM_BOT_TOKEN" in err.splitlines()[-1]


@pytest.mark.parametrize("args", [("recall", "x"), ("why",), ("forget", "f1"), ("facts", "--space", "other")])
def test_where_there_is_no_memory_it_says_so_and_1(program: Program, args: tuple[str, ...]) -> None:
    code, out, err = program(*args)

    assert (code, out) == (1, "")
    assert err.startswith("remembrancer: there is no space ")


def test_the_facts_of_a_memory_that_is_still_empty_are_an_empty_list_and_fine(program: Program) -> None:
    code, out, err = program("facts", "--json")

    assert (code, err) == (0, "")
    assert out == '{\n  "facts": []\n}\n'
    assert not program.home.exists()


def test_a_container_without_a_server_is_not_live(program: Program) -> None:
    code, out, _ = program("doctor", "--live")

    assert code == 1
    assert out.startswith("✗ heartbeat: none")
