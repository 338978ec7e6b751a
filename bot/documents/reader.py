"""Reader: a document as pieces of text, each with its place in it. Never fails: what it could not read it says.

Text is cleaned of hidden signs and secrets here, as everything is that is to be stored.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bot.apart import done_apart
from bot.documents.kinds import Kind, decoded, kind_of
from bot.documents.program import MAX_CHARS, Trouble
from memory.recall.segments import cut
from memory.store.redaction import Redactor, strip_hidden

DEADLINE_S = 120.0
WHOLE_CHARS = 4_000
"""A document of at most so many characters is one piece."""

_PROGRAMS: dict[Kind, str] = {
    "pdf": "bot.documents.pdf",
    "word": "bot.documents.word",
    "sheets": "bot.documents.sheets",
    "html": "bot.web.readable",
}
_REDACTOR = Redactor(())


class Piece(NamedTuple):
    """A stretch of a document: the page of that number, or the so-manieth part; `label` says it in words."""

    number: int
    label: str
    text: str


@dataclass(frozen=True)
class Reading:
    """What a document says. `pages` are its pages, 0 where its kind has none; `parts` is up to where pieces count."""

    kind: Kind | None
    pieces: tuple[Piece, ...] = ()
    pages: int = 0
    parts: int = 0
    trouble: Trouble | None = None

    @property
    def chars(self) -> int:
        return sum(len(piece.text) for piece in self.pieces)


async def read_document(data: bytes) -> Reading:
    """Return what the bytes of a file say."""
    kind = await asyncio.to_thread(kind_of, data)
    if kind is None:
        return Reading(None)
    if kind == "text":
        return await asyncio.to_thread(_of_text, data)
    # A page is read with its address in front of it; a file has none.
    answer = await done_apart(_PROGRAMS[kind], b"\n" + data if kind == "html" else data, deadline_s=DEADLINE_S)
    if answer is None:
        return Reading(kind, trouble="too large")
    return await asyncio.to_thread(_of_answer, kind, answer)


def _of_text(data: bytes) -> Reading:
    text = decoded(data[: 4 * MAX_CHARS])
    return _reading("text", [("", text[:MAX_CHARS])], 0, "cut" if len(text) > MAX_CHARS else None)


def _of_answer(kind: Kind, answer: bytes) -> Reading:
    found = json.loads(answer)
    if kind == "html":
        return _reading(kind, [("", "\n\n".join(filter(None, [found["title"], found["text"]])))], 0, None)
    return _reading(kind, found["pieces"], found["pages"], found["trouble"])


def _reading(kind: Kind, raw: Sequence[tuple[str, str]], pages: int, trouble: Trouble | None) -> Reading:
    cleaned = [(_clean(label), _clean(text).strip()) for label, text in raw]
    if sum(len(text) for _, text in cleaned) <= WHOLE_CHARS:
        pieces = _whole(cleaned)
        return Reading(kind, pieces, pages, len(pieces), trouble)
    stretches = cleaned if pages else _parts(cleaned)
    numbered = [Piece(number, label, text) for number, (label, text) in enumerate(stretches, 1)]
    return Reading(kind, tuple(piece for piece in numbered if piece.text), pages, len(numbered), trouble)


def _whole(cleaned: Sequence[tuple[str, str]]) -> tuple[Piece, ...]:
    """Return all of a short document as one piece, each page under its label."""
    texts = [f"[{label}]\n{text}" if label and len(cleaned) > 1 else text for label, text in cleaned if text]
    return (Piece(1, "", "\n\n".join(texts)),) if texts else ()


def _parts(cleaned: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for label, text in cleaned:
        spans = list(cut(text))
        for number, span in enumerate(spans, 1):
            part = f"part {number}" if len(spans) > 1 else ""
            if words := text[slice(*span)].strip():
                yield ", ".join(filter(None, [label, part])), words


def _clean(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode().replace("\0", "")
    return _REDACTOR.redact(strip_hidden(whole)).text
