"""Logging: set up once, in a form that can hold no secret and no person's text.

The formatter is the one place every record passes: secrets are masked in the finished line, whoever wrote it, and
of an exception it prints the frames and the type, but the message only where our own errors wrote it (a library's
message may quote what a person said). HTTP clients, which put the bot token's address into INFO lines, are quiet.
"""

import copy
import logging
import sys
import traceback
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from memory.errors import MemoryFault
from memory.store.redaction import Redactor

QUIET = (
    "httpx", "httpx2", "httpcore", "httpcore2", "telegram", "tornado", "google_genai", "asyncio",
    "aiosqlite", "apscheduler",
)  # fmt: skip
SILENT = ("mcp", "client")
"""The library that speaks to servers of tools: it logs, with a trace each, what they say and we refuse."""
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class SafeFormatter(logging.Formatter):
    """Formats a record without secrets and without foreign exceptions' messages."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__(FORMAT)
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        # Another formatter may have left its own rendering of the exception in the record.
        fresh = copy.copy(record)
        fresh.exc_text = None
        return self._redactor.redact(super().format(fresh)).text

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 (the name is logging's)
        return "\n".join(_lines(ei[1])) if ei[1] else ""


def set_up(redactor: Redactor, *, folder: Path | None, on_stderr: int | None) -> None:
    """Send records to a rotating file in `folder` and, from level `on_stderr`, to stderr; None leaves one out."""
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler.formatter, SafeFormatter)]:
        root.removeHandler(handler)
        handler.close()
    handlers: list[logging.Handler] = []
    if folder is not None:
        handlers.append(_file(folder / "remembrancer.log"))
    if on_stderr is not None:
        screen = logging.StreamHandler(sys.stderr)
        screen.setLevel(on_stderr)
        handlers.append(screen)
    for handler in handlers:
        handler.setFormatter(SafeFormatter(redactor))
        root.addHandler(handler)
    root.setLevel(logging.INFO)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in SILENT:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # A record that cannot be written must not print its arguments.
    logging.raiseExceptions = False


def _file(path: Path) -> logging.Handler:
    path.touch(mode=0o600, exist_ok=True)
    return RotatingFileHandler(path, maxBytes=5_000_000, backupCount=3, encoding="utf-8")


def _lines(error: BaseException) -> Iterator[str]:
    """Yield the frames and types of an exception and of what it came from, oldest first."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "then:"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
    yield f"{type(error).__module__}.{type(error).__qualname__}{_said(error)}"
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _lines(inner)


def _said(error: BaseException) -> str:
    if isinstance(error, MemoryFault):
        return f": {error}"
    if isinstance(error, OSError):
        return f": {error.strerror}"
    return ""
