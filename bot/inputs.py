"""Inputs: what a command is given to read, files and the standard input. Wrong ones are named with what is right."""

import json
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class UsageFault(Exception):
    """The command was used wrongly; the message says how."""


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file, or of what is piped in under a name like /dev/stdin. Raises: UsageFault."""
    if not path.exists():
        raise UsageFault(f"there is no file {path}")
    if path.is_dir():
        raise UsageFault(f"{path} is a folder, not a file")
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise UsageFault(f"{path} is not UTF-8 text") from None


def queries_of(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield `{"id", "query"}` of each line. Raises: UsageFault with the number of the first line that is neither."""
    for number, line in enumerate(lines_of(path), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):  # no JSON, or nested or with digits beyond all measure
            entry = None
        if not isinstance(entry, dict) or "id" not in entry or not isinstance(entry.get("query"), str):
            raise UsageFault(f'{path}, line {number}: must be {{"id": …, "query": "…"}}')
        if _HALF_CHARACTER.search(entry["query"]):
            raise UsageFault(f"{path}, line {number}: the query holds half a character")
        yield entry


def has_input() -> bool:
    """Tell whether there is a terminal or something piped in (a null device, as services have it, is neither)."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return sys.stdin.isatty() or stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
