"""What is left of a value in a prompt that should not hold it: in its pieces, or where no piece accounts for it."""

from collections.abc import Iterator

import regex

from memory.ports import Assembled, Piece
from memory.probe.cases import Case, pieces_that_state, stated

_HEADING = regex.compile(r"(?m)^\[s\d+ · [^\]\n]*\] ?")
_PROGRAMS_OWN = regex.compile(r"(?m)^(?:Now: |- … and \d+ more).*$")


def residue(case: Case, assembled: Assembled) -> list[Piece]:
    """Return what of a prompt states the value: pieces, parts of one message together, what no piece accounts for."""
    found = pieces_that_state(case, assembled)
    if found:
        return found
    for parts in _by_message(assembled):
        if stated(case.patterns, "\n".join(piece.text for piece in parts)):
            return parts
    return [Piece("recalled", "", "")] if any(stated(case.patterns, line) for line in _unnamed(assembled)) else []


def _by_message(assembled: Assembled) -> Iterator[list[Piece]]:
    recalled = [piece for piece in assembled.pieces if piece.message_id is not None]
    for message_id in dict.fromkeys(piece.message_id for piece in recalled):
        parts = [piece for piece in recalled if piece.message_id == message_id]
        if len(parts) > 1:
            yield parts


def _unnamed(assembled: Assembled) -> Iterator[str]:
    """Yield the lines of a prompt that no piece accounts for: no headings, no time, not the question."""
    request = assembled.request
    for text in (*(message.text for message in request.messages[:-1]), request.memory_block or ""):
        for piece in sorted(assembled.pieces, key=lambda piece: -len(piece.text)):
            text = text.replace(piece.text, "")
        yield from filter(None, _PROGRAMS_OWN.sub("", _HEADING.sub("", text)).splitlines())
