"""The programs that read documents: bytes on stdin, JSON on stdout (`Gathered`), so much memory, time and text.

Whatever a file is, its program ends with an answer: what it had gathered by then, and what stood in the way of more.
"""

import json
import logging
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from types import FrameType
from typing import Literal

MAX_CHARS = 6_000_000
MAX_MEMORY_BYTES = 1_000_000_000
MAX_CPU_S = 45
LAST_WORDS_S = 5
"""CPU time that is left for the answer when the time to read is over."""

Trouble = Literal["locked", "damaged", "too large", "cut"]
"""It asks for a password; it is not what it says; it unpacks to too much; only its beginning was read."""


@dataclass
class Gathered:
    """What was read so far: pieces with their labels ("page 3", or ""). `pages`: how many there are, 0 where none is
    counted.
    """

    pieces: list[tuple[str, str]] = field(default_factory=list)
    pages: int = 0
    trouble: Trouble | None = None
    _chars: int = 0

    def add(self, text: str, *, label: str = "") -> None:
        """Take a piece. Raises: Stopped when there is enough."""
        left = MAX_CHARS - self._chars
        self.pieces.append((label, text[:left]))
        self._chars += len(text)
        if len(text) > left:
            raise Stopped("cut")


class Stopped(BaseException):
    """Reading ends here. No `Exception`: a library that goes on after any error must not catch it."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble


Read = Callable[[bytes, Gathered], None]


def run(read: Read) -> None:
    """Be the program that reads stdin so."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S + LAST_WORDS_S))
    signal.signal(signal.SIGXCPU, _out_of_time)
    logging.disable()
    gathered = gathered_by(read, sys.stdin.buffer.read())
    answer = {name: value for name, value in asdict(gathered).items() if not name.startswith("_")}
    sys.stdout.buffer.write(json.dumps(answer).encode())


def gathered_by(read: Read, data: bytes) -> Gathered:
    """Return what a reader makes of bytes."""
    gathered = Gathered()
    try:
        read(data, gathered)
    except Stopped as stopped:
        gathered.trouble = stopped.trouble
    except MemoryError:
        gathered.trouble = "cut" if gathered.pieces else "too large"
    except Exception:
        # The boundary of the program: a library may break on a stranger's file in any way.
        gathered.trouble = "cut" if gathered.pieces else "damaged"
    return gathered


def _out_of_time(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    raise Stopped("cut")
