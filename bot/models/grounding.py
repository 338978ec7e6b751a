"""The sources of an answer that rests on the provider's search: who they are, and where in the words they belong.

Pure, over the provider's JSON. What it says may be incomplete or wrong: a source without an address is none, and a
place that is none is passed over.
"""

from bot.models.parts import Wire
from memory.ports import Source

_WITHIN = frozenset(bytes([byte]) for byte in range(0x80, 0xC0))
"""Bytes that go on with a letter."""


def with_sources(text: str, grounding: Wire) -> tuple[str, tuple[Source, ...]]:
    """Return the words with the numbers of their sources in brackets, and the sources in the order of their numbers."""
    numbers: dict[int, int] = {}
    sources: list[Source] = []
    for place, chunk in enumerate(_list(grounding, "groundingChunks")):
        page = chunk.get("web") or {}
        if page.get("uri"):
            sources.append(Source(title=str(page.get("title") or page["uri"]), url=str(page["uri"])))
            numbers[place] = len(sources)
    return _marked(text, _list(grounding, "groundingSupports"), numbers), tuple(sources)


def _marked(text: str, supports: list[Wire], numbers: dict[int, int]) -> str:
    """The provider counts a place in bytes of UTF-8; one within a letter is none."""
    data = text.encode("utf-8", "surrogatepass")
    marks: dict[int, dict[int, None]] = {}
    for support in supports:
        stop = (support.get("segment") or {}).get("endIndex")
        found = [numbers[place] for place in support.get("groundingChunkIndices") or [] if place in numbers]
        if isinstance(stop, int) and 0 < stop <= len(data) and found and data[stop : stop + 1] not in _WITHIN:
            marks.setdefault(stop, {}).update(dict.fromkeys(found))
    for stop in sorted(marks, reverse=True):
        shown = "".join(f"[{number}]" for number in marks[stop])
        data = data[:stop] + f" {shown}".encode() + data[stop:]
    return data.decode("utf-8", "surrogatepass")


def _list(grounding: Wire, name: str) -> list[Wire]:
    found = grounding.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
