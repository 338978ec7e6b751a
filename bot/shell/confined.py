"""Confined: a command in bubblewrap and everything it starts, which ends as a whole before the context does.

The first process inside is the one that the kernel ends all others with. It is held back until there is a handle on it,
so that it, and none that got its number, is ended and waited for.
"""

import asyncio
import json
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from io import FileIO
from pathlib import Path


@asynccontextmanager
async def confined(
    program: str, options: Sequence[str], command: Sequence[str], *, environment: Mapping[str, str]
) -> AsyncIterator[Process]:
    """Start a command by bubblewrap with these options, and end it with all that it started.

    The environment is bubblewrap's: it can be read from inside. Raises: OSError when it cannot be started.
    """
    with ExitStack() as ends:
        told, tells = _pipe(ends)
        held, lets_go = _pipe(ends)
        process = await asyncio.create_subprocess_exec(
            program,
            *("--info-fd", str(tells.fileno()), "--block-fd", str(held.fileno())),
            *options,
            "--",
            *command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            env=environment,
            pass_fds=(tells.fileno(), held.fileno()),
            start_new_session=True,
        )
        tells.close()
        first = asyncio.create_task(_first(told), name="first process of the sandbox")
        try:
            await asyncio.shield(first)
            lets_go.write(b"1")
            yield process
        finally:
            await _end(process, await first)


def _pipe(ends: ExitStack) -> tuple[FileIO, FileIO]:
    """Return the end to read and the end to write of a pipe."""
    reading, writing = os.pipe()
    return ends.enter_context(FileIO(reading, "r")), ends.enter_context(FileIO(writing, "w"))


async def _first(told: FileIO) -> int | None:
    """Return a handle on the first process inside, once there is one; None where none was started."""
    words = await asyncio.to_thread(told.read)
    with suppress(ValueError, KeyError, ProcessLookupError):
        number = json.loads(words)["child-pid"]
        handle = os.pidfd_open(number)
        _let_go_first(number)
        return handle
    return None


def _let_go_first(number: int) -> None:
    """Have the kernel end this process, and what it starts, before any other when memory runs out: each has a limit,
    all together have none.
    """
    with suppress(OSError):
        Path(f"/proc/{number}/oom_score_adj").write_text("1000", encoding="ascii")


async def _end(process: Process, first: int | None) -> None:
    if first is not None:
        try:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(first, signal.SIGKILL)
            await _is_over(first)
        finally:
            os.close(first)
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def _is_over(handle: int) -> None:
    """Wait until a process and all that it is the first of have ended."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(handle)
