"""What the assistant says, as messages Telegram accepts: text and entities, cut where it hurts least.

`render` is for Markdown, `plain` for the program's own notices. A `Piece` is one message. Nothing is sent here.
"""

import logging
import unicodedata
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import regex

from bot.telegram.entities import Entity, clipped, end_of, is_blank
from bot.telegram.markdown import to_entities
from memory.messages import utf16_length

MAX_UNITS = 4096
MAX_ENTITIES = 100
MAX_HEADINGS = 3
"""As many headings may stand above each other; more lines in bold are a text."""

_CLUSTER = regex.compile(r"\X")
_BLANK_LINES = regex.compile(r"(?:[^\S\n]*\n)*")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Piece:
    """One message: at most 4,096 UTF-16 units and 100 entities, and never blank."""

    text: str
    entities: tuple[Entity, ...] = ()


def render(markdown: str, *, max_units: int = MAX_UNITS) -> list[Piece]:
    """Return the messages of a Markdown text, in order; none only if the text shows nothing at all.

    What the converter cannot take is shown as it was written.
    """
    source = _clean(markdown)
    try:
        text, entities = to_entities(source)
    except Exception:  # whatever a foreign parser makes of a model's text, the answer must arrive
        _log.warning("Markdown of %d characters could not be converted and is sent as plain text", len(source))
        return plain(source, max_units=max_units)
    return _Cutter(_without_controls(text), entities, max_units).pieces() or plain(source, max_units=max_units)


def plain(text: str, *, max_units: int = MAX_UNITS) -> list[Piece]:
    """Return the messages of a text that is no Markdown, in order; none only if the text shows nothing at all."""
    return _Cutter(_clean(text), [], max_units).pieces()


def _clean(text: str) -> str:
    """Return the text with one kind of line end, without control characters and lone surrogates."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _without_controls(whole.replace("\r\n", "\n").replace("\r", "\n"))


def _without_controls(text: str) -> str:
    """Return a text of the same length with spaces for control characters, as the server would make it."""
    return "".join(" " if unicodedata.category(char) == "Cc" and char not in "\n\t" else char for char in text)


class _Cutter:
    """Cuts one text, once. Positions are indexes of characters; units are UTF-16 units from the beginning."""

    def __init__(self, text: str, entities: Sequence[Entity], max_units: int) -> None:
        self._text = text
        self._max_units = max_units
        self._units = list(accumulate((1 + (char > "\uffff") for char in text), initial=0))
        blocks = [entity for entity in entities if entity["type"] == "pre"]
        self._block_starts = [bisect_left(self._units, entity["offset"]) for entity in blocks]
        self._block_ends = [bisect_left(self._units, end_of(entity)) for entity in blocks]
        self._headings = dict(self._bold_lines(entities))
        """Where headings begin, by where they end; a line that is bold as a whole is as good as one."""
        self._coming = deque(entities)
        self._open: list[Entity] = []
        """Those that began before the place reached and end after it."""

    def pieces(self) -> list[Piece]:
        return [piece for start, end in self._spans() if (piece := self._piece(start, end))]

    def _spans(self) -> Iterator[tuple[int, int]]:
        start = 0
        while start < len(self._text):
            stop = self._reach(start)
            end = stop if stop == len(self._text) else self._border(start, stop)
            yield start, end
            start = end

    def _reach(self, start: int) -> int:
        """Return how far a message that begins at `start` can go by both limits."""
        last = self._units[bisect_right(self._units, self._units[start] + self._max_units) - 1]
        free = MAX_ENTITIES - len(self._open)
        if len(self._coming) > free:
            last = min(last, self._coming[free]["offset"])
        return max(bisect_left(self._units, last), start + 1)

    def _border(self, start: int, stop: int) -> int:
        """Return the best place to end before `stop`: a paragraph, a line (outside a code block if possible), a word,
        each in the second half; else the last whole character as a reader counts them."""
        floor = start + (stop - start) // 2
        for mark, is_code_whole in (("\n\n", True), ("\n", True), ("\n", False), (" ", False)):
            position = self._last(mark, floor, stop, is_code_whole=is_code_whole)
            if position > start:
                return self._before_heading(start, position)
        end = start
        for cluster in _CLUSTER.finditer(self._text, start):
            if cluster.end() > stop:
                break
            end = cluster.end()
        return end if end > start else stop

    def _before_heading(self, start: int, position: int) -> int:
        """Return the place before the headings that a cut there would part from what they stand above, if any."""
        place = position
        for _level in range(MAX_HEADINGS + 1):
            end = start + len(self._text[start:place].rstrip())
            if end not in self._headings:
                return place if place > start else position
            place = self._headings[end]
        return position

    def _bold_lines(self, entities: Sequence[Entity]) -> Iterator[tuple[int, int]]:
        for entity in entities:
            if entity["type"] == "bold":
                start, end = bisect_left(self._units, entity["offset"]), bisect_left(self._units, end_of(entity))
                is_line = self._text[start - 1 : start] in ("", "\n") and self._text[end : end + 1] in ("", "\n")
                if is_line and "\n" not in self._text[start:end]:
                    yield end, start

    def _last(self, mark: str, floor: int, stop: int, *, is_code_whole: bool) -> int:
        position = self._text.rfind(mark, floor, stop + len(mark))
        if is_code_whole and position >= 0:
            block = self._block_around(position)
            if block is not None and block < position:
                return self._last(mark, floor, block, is_code_whole=True) if block > floor else -1
        return position

    def _block_around(self, position: int) -> int | None:
        """Return where the code block that holds this character begins."""
        number = bisect_right(self._block_starts, position) - 1
        return self._block_starts[number] if number >= 0 and position < self._block_ends[number] else None

    def _piece(self, start: int, end: int) -> Piece | None:
        """Return the message of a span without the space around it (a code block keeps its indentation)."""
        entities = self._pass(self._units[end])
        start += _BLANK_LINES.match(self._text[start:end]).end()
        if self._block_around(start) is None:
            start += len(self._text[start:end]) - len(self._text[start:end].lstrip())
        text = self._text[start:end].rstrip()
        if is_blank(text):
            return None
        return Piece(text, tuple(clipped(entities, self._units[start], self._units[start] + utf16_length(text))))

    def _pass(self, unit: int) -> list[Entity]:
        """Move on to a unit and return the entities on the way there."""
        passed = self._open
        while self._coming and self._coming[0]["offset"] < unit:
            passed.append(self._coming.popleft())
        self._open = [entity for entity in passed if end_of(entity) > unit]
        return passed
