"""Work done by a process of its own: bytes in, bytes out, a deadline, and nothing of the server's settings.

For what is large to load, or reads what a stranger wrote: it can neither hold up the server nor bring it down.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path


async def done_apart(module: str, data: bytes, *, deadline_s: float) -> bytes | None:
    """Return what a module of ours, run as a program, makes of the data; None when it fails or takes too long."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", module, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_environment()
    )
    try:
        async with asyncio.timeout(deadline_s):
            answer, _ = await process.communicate(data)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return answer if process.returncode == 0 and answer else None


def _environment() -> dict[str, str]:
    """Return the environment without anything that is set up for the server: no key and no token is passed on."""
    passed_on = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**passed_on, "PYTHONPATH": str(Path(__file__).parents[1])}
