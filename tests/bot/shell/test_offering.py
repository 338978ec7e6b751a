"""Whether the shell is offered, as an operator reads it: at the start and from `doctor`."""

import io
import sys
from pathlib import Path

import pytest

from bot.__main__ import Remembrancer
from bot.health import OutOfReach
from bot.settings import Settings
from bot.shell.offering import sandbox_of
from bot.shell.sandbox import INSTALL
from tests.bot.shell.real import needs_sandbox


def settings(home: Path, shell: str = "on") -> Settings:
    return Settings.model_validate({"REMEMBRANCER_HOME": str(home), "REMEMBRANCER_SHELL": shell})


@needs_sandbox
async def test_doctor_tries_the_sandbox_where_the_shell_is_on(tmp_path: Path) -> None:
    assert "sandbox" in await Remembrancer(settings(tmp_path)).reach()["shell"]()


async def test_doctor_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OutOfReach) as raised:
        await Remembrancer(settings(tmp_path)).reach()["shell"]()
    assert str(raised.value) == INSTALL


def test_doctor_looks_for_no_sandbox_where_the_shell_is_off(tmp_path: Path) -> None:
    assert "shell" not in Remembrancer(settings(tmp_path, shell="off")).reach()


@needs_sandbox
async def test_the_home_and_the_folder_of_the_settings_stay_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, beside = Path("/usr/share"), Path("/usr/sbin")
    assert all(any(folder.iterdir()) for folder in (home, beside))
    monkeypatch.chdir(beside)
    ran = await sandbox_of(settings(home)).run(f"ls -A {home} {beside}", tmp_path / "files")
    assert [line for line in ran.output.splitlines() if line] == [f"{beside}:", f"{home}:"]


async def test_the_start_says_once_that_no_sandbox_can_be_made_and_the_talk_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO("Our vet is Dr. Brandt.\n"))
    await Remembrancer(settings(tmp_path / "home")).chat("local")
    printed = capsys.readouterr()
    assert printed.err.count(f"remembrancer: REMEMBRANCER_SHELL: {INSTALL}\n") == 1
    assert "Dr. Brandt" in printed.out
