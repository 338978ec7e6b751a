"""The sandbox, with the real bubblewrap: what a command can reach, what limits it, and that nothing of it stays."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from bot.shell.sandbox import INSTALL, MAX_KEPT_BYTES, UNUSABLE, Bubblewrap
from tests.bot.shell.real import needs_sandbox
from tools.shell import TOOK_TOO_LONG, WROTE_TOO_MUCH, Ran
from tools.tool import ToolError

CANARY = "canary-4711"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "spaces" / "7" / "files"
    folder.mkdir(parents=True)
    return folder


async def run(command: str, files: Path) -> Ran:
    return await Bubblewrap().run(command, files)


# What it reaches


@needs_sandbox
async def test_a_command_works_on_the_files_and_its_words_come_back(files: Path) -> None:
    (files / "a.txt").write_text("b\na\n")
    ran = await run("pwd; sort a.txt > sorted.txt; echo oops >&2; exit 3", files)
    assert (ran.exit_code, ran.output, ran.stopped) == (3, "/files\noops\n", None)
    assert (files / "sorted.txt").read_text() == "a\nb\n"


@needs_sandbox
async def test_the_folder_of_files_is_made_where_there_is_none(tmp_path: Path) -> None:
    assert (await run("touch made", tmp_path / "new")).exit_code == 0
    assert (tmp_path / "new" / "made").is_file()


@needs_sandbox
async def test_no_environment_variable_is_seen_in_any_process(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", CANARY)
    ran = await run("env; cat /proc/*/environ | tr '\\0' '\\n'", files)
    assert CANARY not in ran.output
    names = {line.partition("=")[0] for line in ran.output.splitlines()}
    assert names <= {"PATH", "HOME", "LANG", "TERM", "PWD", "OLDPWD", "SHLVL", "_"}


@needs_sandbox
async def test_no_other_process_is_seen(files: Path) -> None:
    ran = await run(f"ls -d /proc/[0-9]* | wc -l; kill -0 {os.getpid()} 2>&1 || echo none", files)
    count, *rest = ran.output.splitlines()
    assert int(count) <= 6
    assert rest[-1] == "none"


@needs_sandbox
async def test_nothing_of_the_host_but_its_programs_is_seen(files: Path) -> None:
    (files.parent / "memory.db").write_text(CANARY)
    other = files.parents[1] / "8" / "files"
    other.mkdir(parents=True)
    (other / "diary.txt").write_text(CANARY)
    ran = await run(
        f"ls / /etc; ls -la {files.parent} {other} /home /root /var /run /opt /srv /mnt /sys 2>&1;"
        f" cat ../memory.db /files/../memory.db {other}/diary.txt /etc/passwd /etc/shadow ~/.bashrc 2>&1",
        files,
    )
    assert CANARY not in ran.output
    seen = set(ran.output.splitlines())
    assert {"usr", "files", "tmp", "proc", "dev"} <= seen
    assert not {"home", "root", "var", "run", "opt", "srv", "mnt", "sys", "passwd", "memory.db"} & seen
    assert ran.exit_code != 0


@needs_sandbox
async def test_a_link_that_points_outside_gives_nothing(files: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text(CANARY)
    (files / "link.txt").symlink_to(outside)
    (files / "up").symlink_to(files.parent)
    ran = await run("cat link.txt up/* 2>&1; echo changed > link.txt; ln -s /etc/passwd p; cat p 2>&1", files)
    assert CANARY not in ran.output
    assert "root:" not in ran.output
    assert outside.read_text() == CANARY


@needs_sandbox
async def test_a_folder_of_files_that_is_a_link_is_refused(files: Path, tmp_path: Path) -> None:
    link = tmp_path / "linked"
    link.symlink_to(files)
    with pytest.raises(ToolError, match="is a link"):
        await run("true", link)


@needs_sandbox
async def test_there_is_no_network(files: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = await run(f"exec 2>&1; echo hello > /dev/tcp/127.0.0.1/{port} || echo unreachable", files)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "unreachable" in ran.output


@needs_sandbox
async def test_only_the_files_and_the_temporary_folder_can_be_written(files: Path) -> None:
    ran = await run(
        "for place in / /usr /etc /bin /dev /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/self/comm; do"
        ' (echo x > "$place/x" || echo x > "$place") 2>/dev/null && echo "wrote $place";'
        " done; echo x > /tmp/x && echo x > /files/x && echo both",
        files,
    )
    assert ran.output == "both\n"


@needs_sandbox
async def test_no_device_can_be_made_and_nothing_mounted(files: Path) -> None:
    ran = await run("mknod d b 8 0 2>/dev/null && echo made; mount -t tmpfs x /tmp 2>/dev/null && echo mounted", files)
    assert ran.output == ""
    assert list(files.iterdir()) == []


@needs_sandbox
async def test_what_is_hidden_stays_so_among_the_programs(files: Path) -> None:
    hidden = Path("/usr/share")
    assert list(hidden.iterdir())
    ran = await Bubblewrap(hidden=(hidden,)).run("ls -A /usr/share; touch /usr/share/x 2>/dev/null || echo shut", files)
    assert ran.output == "shut\n"


@needs_sandbox
async def test_what_lies_in_a_hidden_folder_may_be_hidden_too(files: Path) -> None:
    inner = next(path for path in sorted(Path("/usr/share").iterdir()) if path.is_dir() and not path.is_symlink())
    for hidden in ((Path("/usr/share"), inner), (inner, Path("/usr/share"))):
        assert (await Bubblewrap(hidden=hidden).run("ls -A /usr/share", files)).output == ""


@needs_sandbox
async def test_the_configuration_among_the_programs_is_not_seen(files: Path) -> None:
    assert (await run("ls -A /usr/local/etc /usr/etc 2>/dev/null | grep -v -e ':$' -e '^$'", files)).output == ""


@needs_sandbox
async def test_when_memory_runs_out_what_a_command_started_goes_first(files: Path) -> None:
    assert (await run("cat /proc/self/oom_score_adj; (cat /proc/self/oom_score_adj)", files)).output == "1000\n1000\n"


@needs_sandbox
async def test_there_is_nothing_to_read_from_the_one_who_started_it(files: Path) -> None:
    assert (await run("read line; echo $?", files)).output == "1\n"


# What limits it


@needs_sandbox
async def test_a_command_that_takes_too_long_is_stopped_with_all_that_it_started(files: Path) -> None:
    ran = await Bubblewrap(run_s=0.3).run("echo begun; (sleep 5; touch late) & sleep 60", files)
    assert (ran.stopped, ran.output) == (TOOK_TOO_LONG, "begun\n")
    assert not (files / "late").exists()
    assert not running("sleep 60")


@needs_sandbox
async def test_what_a_command_leaves_running_ends_with_it(files: Path) -> None:
    ran = await run("sleep 61 & echo done", files)
    assert (ran.output, ran.stopped) == ("done\n", None)
    assert not running("sleep 61")


@needs_sandbox
async def test_a_call_that_is_cancelled_ends_its_command(files: Path) -> None:
    call = asyncio.create_task(run("sleep 62", files))
    await until_running("sleep 62")
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert call.cancelled()
    assert not running("sleep 62")


@needs_sandbox
async def test_memory_and_the_size_of_a_file_are_limited(files: Path) -> None:
    ran = await run(
        "head -c 200000000 /dev/zero > big; stat -c %s big; ulimit -v; ulimit -c; ulimit -u; ulimit -v unlimited",
        files,
    )
    assert [line for line in ran.output.splitlines() if line.isdigit()] == ["52428800", "1048576", "0", "64"]
    assert "cannot modify limit" in ran.output


@needs_sandbox
async def test_a_command_that_fills_the_folder_is_stopped(files: Path) -> None:
    for fill in ("head -c 2000000 /dev/zero > big", "for i in {1..500}; do : > f$i; done"):
        ran = await Bubblewrap(max_folder_bytes=1_000_000).run(f"{fill}; sleep 60", files)
        assert ran.stopped == WROTE_TOO_MUCH
        for file in files.iterdir():
            file.unlink()


@needs_sandbox
@pytest.mark.parametrize(
    "hide",
    [
        "name=$(printf 'd%.0s' {1..200}); for i in {1..25}; do mkdir $name; cd $name; done",
        pytest.param("mkdir d; chmod 300 d", marks=pytest.mark.skipif(os.geteuid() == 0, reason="root may look")),
    ],
)
async def test_where_the_folder_cannot_be_looked_through_a_command_is_stopped(files: Path, hide: str) -> None:
    assert (await run(f"{hide}; sleep 60", files)).stopped == WROTE_TOO_MUCH


@needs_sandbox
async def test_of_much_output_the_beginning_and_the_end_are_kept(files: Path) -> None:
    ran = await run("echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo last", files)
    assert ran.head.startswith("first\nxxx")
    assert ran.tail.endswith("xxx\nlast\n")
    assert (len(ran.head), len(ran.tail)) == (MAX_KEPT_BYTES, MAX_KEPT_BYTES)
    assert ran.left_out == 1_000_012 - 2 * MAX_KEPT_BYTES
    assert f"[… {ran.left_out} bytes left out …]" in ran.output


@needs_sandbox
async def test_bytes_that_are_no_text_are_shown_as_such(files: Path) -> None:
    assert (await run(r"printf 'a\xff\n'", files)).output == "a\ufffd\n"


async def until_running(command: str) -> None:
    async with asyncio.timeout(10):
        while not running(command):  # noqa: ASYNC110 - another process starts it
            await asyncio.sleep(0)


def running(command: str) -> bool:
    """Whether a process with these arguments runs on the host."""
    wanted = command.replace(" ", "\0").encode() + b"\0"
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if process.read_bytes() == wanted:
                return True
        except OSError:
            continue
    return False


# Where it cannot be made


async def test_where_bubblewrap_is_missing_the_trouble_says_what_to_install(tmp_path: Path) -> None:
    missing = Bubblewrap(program="no-such-bwrap")
    assert await missing.trouble() == INSTALL
    with pytest.raises(ToolError, match="no sandbox can be made"):
        await missing.run("true", tmp_path)


async def test_where_bubblewrap_fails_the_trouble_says_what_to_allow() -> None:
    assert await Bubblewrap(program="false").trouble() == UNUSABLE
