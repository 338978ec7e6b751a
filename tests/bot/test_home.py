import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.home import BadSpaceId, Home, HomeBusy, HomeUnusable

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, time
from pathlib import Path
from bot.home import Home
with Home(Path(sys.argv[1])).locked():
    print("held", flush=True)
    time.sleep(60)
"""


def _holder(root: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(root)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "deep" / "home")
    before = os.umask(0)
    try:
        home.create()
        folder = home.create_space("local")
    finally:
        os.umask(before)

    made = [home.root, home.spaces, home.backups, home.logs, folder.path]
    assert [oct(path.stat().st_mode & 0o777) for path in made] == ["0o700"] * 5


def test_making_a_home_again_leaves_it_as_it_is(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create()
    (home.logs / "kept").write_text("x")

    home.create()

    assert (home.logs / "kept").exists()


def test_a_home_that_cannot_be_made_says_which_setting_to_change(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(HomeUnusable, match="REMEMBRANCER_HOME"):
        Home(tmp_path / "file" / "home").create()


@pytest.mark.parametrize("space_id", ["local", "42", "-1001234567890", "a_b-C", "x" * 64])
def test_a_chat_s_number_and_plain_names_are_space_ids(tmp_path: Path, space_id: str) -> None:
    assert Home(tmp_path).space(space_id).path == tmp_path / "spaces" / space_id


@pytest.mark.parametrize("space_id", ["", ".", "..", "a/b", "a.b", "é", "x" * 65, "a\n", "٣"])
def test_nothing_else_is_a_space_id(tmp_path: Path, space_id: str) -> None:
    with pytest.raises(BadSpaceId):
        Home(tmp_path).space(space_id)


def test_only_folders_with_a_memory_count_as_spaces(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.space_ids() == []
    home.create_space("empty")
    for name in ("b", "a", "not.one"):
        (home.spaces / name).mkdir()
        (home.spaces / name / "memory.db").write_text("")

    assert home.space_ids() == ["a", "b"]


def test_a_second_server_in_one_home_is_refused_and_the_home_named(tmp_path: Path) -> None:
    with Home(tmp_path).locked(), pytest.raises(HomeBusy, match=str(tmp_path)), Home(tmp_path).locked():
        pytest.fail("both hold the home")


def test_two_homes_can_be_served_beside_each_other(tmp_path: Path) -> None:
    with Home(tmp_path / "a").locked(), Home(tmp_path / "b").locked():
        assert (tmp_path / "b" / "lock").exists()


def test_a_home_is_free_again_when_its_holder_was_killed(tmp_path: Path) -> None:
    holder = _holder(tmp_path)
    with pytest.raises(HomeBusy), Home(tmp_path).locked():
        pytest.fail("both hold the home")

    holder.send_signal(signal.SIGKILL)
    holder.communicate()

    with Home(tmp_path).locked():
        assert (tmp_path / "lock").exists()


async def test_a_writer_waits_for_the_home_and_says_so_once(tmp_path: Path) -> None:
    holder = _holder(tmp_path)
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        holder.kill()
        holder.communicate()

    async with Home(tmp_path).locked_after(say):
        with pytest.raises(HomeBusy), Home(tmp_path).locked():
            pytest.fail("both hold the home")

    assert said == [f"waiting until the Remembrancer that works in {tmp_path} stops (Ctrl-C to give up)"]


async def test_a_writer_says_nothing_when_the_home_is_free(tmp_path: Path) -> None:
    said: list[str] = []

    async with Home(tmp_path).locked_after(said.append):
        pass

    assert said == []
