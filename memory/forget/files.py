"""What becomes of the assistant's own files when something is forgotten: they lose the words, in their text and names.

A file is no row, so it changes at once, not with the transaction: doing it again changes nothing, and a forgetting that
fails after it is asked for again. What is no text is not looked into.
"""

from collections.abc import Iterable

from memory.forget.lineage import Lineage
from memory.space import Space

NAMELESS = "forgotten {number}.txt"


def files_with(space: Space, covered: Lineage) -> tuple[str, ...]:
    """Return the paths of the files that hold it. Reads only."""
    wide = covered.wording.wide
    found = []
    for file in space.files.listed():
        text = _text(space.files.read(file.path))
        if wide.mask(file.path) != file.path or wide.mask(text) != text:
            found.append(file.path)
    return tuple(found)


def strike_files(space: Space, covered: Lineage, paths: Iterable[str]) -> None:
    """Mask it in these files; one that has it in its name gets another."""
    wide = covered.wording.wide
    for path in paths:
        data = space.files.read(path)
        text = _text(data)
        masked = wide.mask(text).encode() if text else data
        is_named = wide.mask(path) != path
        space.files.rewrite(_new_name(space) if is_named else path, masked)
        if is_named:
            space.files.delete(path)


def _new_name(space: Space) -> str:
    taken = {file.path for file in space.files.listed()}
    return next(name for number in range(1, len(taken) + 2) if (name := NAMELESS.format(number=number)) not in taken)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""
