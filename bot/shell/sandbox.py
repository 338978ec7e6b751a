"""Sandbox: runs a command by bubblewrap, apart from everything but one folder.

Inside there are the system's programs, read-only, and the folder as `/files`: no network, no other process, no setting,
no home, no configuration of the system; its environment is made anew. Time, memory, processes, the size of files and
what is printed are limited. Whatever ends the call ends everything that the command started. Who may run what is not
decided here.
"""

import asyncio
import math
import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bot.shell.confined import confined
from tools.shell import RUN_S, TOOK_TOO_LONG, WROTE_TOO_MUCH, Ran
from tools.tool import ToolError

PROGRAM = "bwrap"
NAME = "sandbox"
INSTALL = (
    "bubblewrap (bwrap) is not installed, so the shell is not offered; install it (Debian: apt install bubblewrap) "
    "and start again"
)
UNUSABLE = (
    "bubblewrap (bwrap) cannot make a sandbox here, so the shell is not offered; allow user namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1; in a container a seccomp profile that permits them) and start again"
)
MAX_KEPT_BYTES = 100_000
"""So much of the beginning and as much of the end of what is printed."""
MAX_FOLDER_BYTES = 200_000_000
LOOK_S = 0.5
"""How often the size of the folder is looked at."""
TRY_S = 10.0
_CHUNK = 65_536
_ENTRY_BYTES = 4_096
"""What the least file takes of a disk, and a folder."""
_TMP_BYTES = 64 * 1024 * 1024
_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders of programs that may be links into /usr, or folders of their own."""
_HARMLESS = ("/etc/alternatives", "/etc/ld.so.cache")
_CONFIGURATION = (Path("/usr/local/etc"), Path("/usr/etc"))
"""Of the system, among its programs."""
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/files", "LANG": "C.UTF-8", "TERM": "dumb"}
_LIMITS = (
    "ulimit -c 0; ulimit -t 60; ulimit -v 1048576; ulimit -f 102400; ulimit -n 256; "
    "ulimit -u 64 2>/dev/null || ulimit -p 64 2>/dev/null; "
    'if [ -x /bin/bash ]; then exec /bin/bash -c "$1"; else exec /bin/sh -c "$1"; fi'
)
"""In the units of `sh`: CPU seconds, KB of memory a process, blocks of 512 bytes a file, open files, processes (named
differently by different shells). Without a core file.
"""


class Bubblewrap:
    """Implements `Sandbox`. `hidden` are folders that stay unseen even where they lie among the system's programs."""

    def __init__(
        self,
        *,
        hidden: Sequence[Path] = (),
        run_s: float = RUN_S,
        max_folder_bytes: int = MAX_FOLDER_BYTES,
        program: str = PROGRAM,
    ) -> None:
        self._hidden = hidden
        self._run_s = run_s
        self._max_folder_bytes = max_folder_bytes
        self._program = program

    async def trouble(self) -> str | None:
        """Try it; return what is to be done before it can be used, None when it is well."""
        if shutil.which(self._program) is None:
            return INSTALL
        with tempfile.TemporaryDirectory() as folder:
            try:
                async with asyncio.timeout(TRY_S):
                    ran = await self.run("true", Path(folder))
            except (ToolError, TimeoutError):
                return UNUSABLE
        return None if ran.exit_code == 0 else UNUSABLE

    async def run(self, command: str, files: Path) -> Ran:
        """Run a command with a folder as all that it sees and may write.

        Raises: ToolError when no sandbox can be made.
        """
        if files.is_symlink():
            raise ToolError("the folder of files is a link; tell the member that the operator must look at it")
        files.mkdir(mode=0o700, parents=True, exist_ok=True)
        printed, command_line = _Printed(), ("/bin/sh", "-c", _LIMITS, "sh", command)
        try:
            async with confined(
                self._program, [*self._options(files)], command_line, environment=_ENVIRONMENT
            ) as process:
                stopped = await self._until_its_end(process, printed, files)
        except OSError as error:
            raise ToolError(f"no sandbox can be made ({type(error).__name__}); tell the member so") from error
        return printed.ran(process.returncode, stopped)

    async def _until_its_end(self, process: asyncio.subprocess.Process, printed: "_Printed", files: Path) -> str | None:
        """Read what a command prints until it ends, or return why it must be stopped."""
        read = asyncio.create_task(printed.read(process), name="output of the sandbox")
        ends = time.monotonic() + self._run_s
        try:
            while True:
                left_s = ends - time.monotonic()
                await asyncio.wait({read}, timeout=max(0.0, min(LOOK_S, left_s)))
                if read.done():
                    return None
                if left_s <= 0:
                    return TOOK_TOO_LONG
                if await asyncio.to_thread(_size, files) > self._max_folder_bytes:
                    return WROTE_TOO_MUCH
        finally:
            read.cancel()
            await asyncio.gather(read, return_exceptions=True)

    def _options(self, files: Path) -> Iterator[str]:
        yield from ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
        yield from ("--clearenv", "--hostname", NAME)
        for name, value in _ENVIRONMENT.items():
            yield from ("--setenv", name, value)
        yield from ("--ro-bind", "/usr", "/usr")
        for folder in (Path("/", name) for name in _SYSTEM):
            if folder.is_symlink():
                yield from ("--symlink", str(folder.readlink()), str(folder))
            elif folder.is_dir():
                yield from ("--ro-bind", str(folder), str(folder))
        for path in _HARMLESS:
            yield from ("--ro-bind-try", path, path)
        for hidden in self._among_programs():
            yield from ("--tmpfs", str(hidden), "--remount-ro", str(hidden))
        yield from ("--proc", "/proc", "--dev", "/dev")
        for path in ("/dev/shm", "/tmp"):  # noqa: S108 - the sandbox's own
            yield from ("--size", str(_TMP_BYTES), "--tmpfs", path)
        yield from ("--bind", str(files), "/files", "--chdir", "/files")
        for path in ("/proc", "/dev", "/"):
            # Whoever runs as root may otherwise set what the kernel does, even without any capability.
            yield from ("--remount-ro", path)

    def _among_programs(self) -> Iterator[Path]:
        roots = [root.resolve() for root in (Path("/usr"), *(Path("/", name) for name in _SYSTEM))]
        real = {hidden.resolve() for hidden in (*_CONFIGURATION, *self._hidden)}
        among = [path for path in sorted(real) if path.is_dir() and any(map(path.is_relative_to, roots))]
        # What lies in one that is hidden is not there to be hidden itself.
        yield from (path for path in among if not set(path.parents) & set(among))


class _Printed:
    """What a command printed: the beginning and the end, however much there was."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._left_out = 0

    async def read(self, process: asyncio.subprocess.Process) -> None:
        """Take in what comes until nothing more can come."""
        assert process.stdout is not None
        while chunk := await process.stdout.read(_CHUNK):
            room = MAX_KEPT_BYTES - len(self._head)
            self._head += chunk[:room]
            if rest := chunk[room:]:
                self._keep_end(rest)
        await process.wait()

    def _keep_end(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail[0]) >= MAX_KEPT_BYTES:
            gone = len(self._tail.popleft())
            self._tail_bytes -= gone
            self._left_out += gone

    def ran(self, exit_code: int | None, stopped: str | None) -> Ran:
        tail = b"".join(self._tail)
        if not self._left_out:
            return Ran(exit_code, _text(bytes(self._head) + tail), stopped=stopped)
        cut = max(0, len(tail) - MAX_KEPT_BYTES)
        left_out = self._left_out + cut
        return Ran(exit_code, _text(bytes(self._head)), _text(tail[cut:]), left_out=left_out, stopped=stopped)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _size(folder: Path) -> float:
    """Return the bytes that the files under a folder take. One that is shut to us, or too deep, may hold anything: it
    counts as endless. What went meanwhile counts as nothing.
    """
    total = 0
    waiting = [folder]
    while waiting:
        try:
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += _ENTRY_BYTES
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        with suppress(OSError):
                            total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            return math.inf
    return total
