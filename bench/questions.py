"""Questions about recorded talks, each with the names of the messages that answer it: what `bench retrieval` reads.

A folder for each talk holds `transcript.jsonl` (lines as `remembrancer import` takes them), `queries.jsonl`
(`{"query", "refs", "category"}` a line) and `unanswerable.jsonl` (questions about what was never said). Nothing here
searches.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.inputs import UsageFault, lines_of
from memory.errors import BadImport
from memory.importing import read_lines
from memory.messages import Message

MULTI_HOP = 1
CATEGORIES = {MULTI_HOP: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_FILES = ("transcript.jsonl", "queries.jsonl", "unanswerable.jsonl")
_ZONE = ZoneInfo("UTC")


@dataclass(frozen=True)
class Question:
    """What is asked, and the refs of the messages that answer it."""

    text: str
    refs: frozenset[str]
    category: int


@dataclass(frozen=True)
class Talk:
    """One recorded talk and the questions about it. Its refs carry its name, so that no two talks share one."""

    name: str
    messages: Sequence[Message]
    questions: Sequence[Question]
    unanswerable: Sequence[Question]


def session_of(ref: str) -> str:
    """Return the part of a ref that names the session: `D3` of `D3:11`."""
    return ref.rpartition(":")[0]


def read_talks(folder: Path) -> list[Talk]:
    """Return the talks in a folder, by name. Raises: UsageFault that says what is missing."""
    if not folder.is_dir():
        raise UsageFault(f"there is no folder {folder}")
    folders = sorted(found.parent for found in folder.glob(f"*/{_FILES[0]}"))
    if len(folders) < 2:
        raise UsageFault(f"{folder} must hold two or more folders, each with {', '.join(_FILES)}")
    return [_talk(found) for found in folders]


def hash_of(folder: Path) -> str:
    """Return the SHA-256 over names and bytes of what `read_talks` reads, its first 16 digits."""
    digest = hashlib.sha256()
    for path in sorted(path for name in _FILES for path in folder.glob(f"*/{name}")):
        digest.update(f"{path.parent.name}/{path.name}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _talk(folder: Path) -> Talk:
    transcript, queries, unanswerable = (folder / name for name in _FILES)
    try:
        messages = read_lines(lines_of(transcript), _ZONE)
    except BadImport as error:
        raise UsageFault(f"{transcript}: {error}") from None
    named = [_named(message, folder.name) for message in messages]
    return Talk(folder.name, named, list(_questions(queries)), list(_questions(unanswerable)))


def _named(message: Message, talk: str) -> Message:
    return message.model_copy(update={"ref": f"{talk}/{message.ref}"})


def _questions(path: Path) -> Iterator[Question]:
    for number, line in enumerate(lines_of(path), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            refs = frozenset(f"{path.parent.name}/{ref}" for ref in entry["refs"])
            yield Question(str(entry["query"]), refs, int(entry["category"]))
        except (json.JSONDecodeError, KeyError, TypeError, ValueError):
            raise UsageFault(f'{path}, line {number}: must be {{"query", "refs", "category"}}') from None
