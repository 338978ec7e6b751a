"""A JSON document read piece by piece: a file of any size in the memory that its largest single piece needs.

The caller walks objects and lists; whatever it does not walk is read as one value. Control characters written as
`\\x1F`, which Telegram Desktop writes and JSON does not know, are read as what they mean.
"""

import json
import re
from collections.abc import Iterator
from typing import IO, Any

CHUNK = 1 << 16
MAX_PIECE = 1 << 24
"""Characters of one value; more is no talk."""
_IN_NUMBERS = frozenset("0123456789.eE+-")
_SPACE = re.compile(r"[ \t\r\n]*")
_HEX_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})")


class NotJson(Exception):
    """The text is not JSON, or cut off; the message says where."""


class JsonStream:
    """A place in a JSON document, moving on. `file` is a text file at its beginning."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._before = 0
        self._is_over = False
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """Return the next character that is no space; "" at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or not self._fill(CHUNK):
                return self._text[self._at : self._at + 1]

    def fields(self) -> Iterator[str]:
        """Walk an object: yield each key, whose value the caller reads before it asks for the next one."""
        self._expect("{")
        if self.peek() == "}":
            self._expect("}")
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._wrong("a key is no string")
            self._expect(":")
            yield key
            if self._next_or("}"):
                return

    def items(self) -> Iterator[None]:
        """Walk a list: yield before each element, which the caller reads."""
        self._expect("[")
        if self.peek() == "]":
            self._expect("]")
            return
        while True:
            yield
            if self._next_or("]"):
                return

    def value(self) -> Any:
        """Read the next value whole. Raises: NotJson."""
        self.peek()
        size = CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._mended(error) and not self._fill(size):
                    raise self._wrong(error.msg) from None
            except RecursionError:
                raise self._wrong("it is nested too deeply") from None
            except ValueError:
                raise self._wrong("a number has too many digits") from None
            else:
                # A number may go on behind what was read so far, or be half of one that does.
                is_whole = end < len(self._text) and self._text[end] not in _IN_NUMBERS
                if is_whole or not self._fill(size):
                    self._at = end
                    return value
            size *= 2
            if len(self._text) - self._at > MAX_PIECE:
                raise self._wrong("one value is too large, or never ends")

    def _mended(self, error: json.JSONDecodeError) -> bool:
        """Put right an escape that JSON does not know; False when that is not what was wrong."""
        found = _HEX_ESCAPE.match(self._text, error.pos)
        if found is None:
            return False
        self._text = f"{self._text[: error.pos]}\\u00{found[1]}{self._text[found.end() :]}"
        return True

    def _next_or(self, end: str) -> bool:
        """Step over a comma, or over the end; tell whether it was the end."""
        if self.peek() == end:
            self._expect(end)
            return True
        self._expect(",")
        return False

    def _expect(self, char: str) -> None:
        if self.peek() != char:
            raise self._wrong(f"{char!r} is missing")
        self._at += 1

    def _fill(self, size: int) -> bool:
        """Read on; what was walked over is let go. False at the end."""
        chunk = "" if self._is_over else self._file.read(size)
        self._is_over = not chunk
        self._before += self._at
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)

    def _wrong(self, what: str) -> NotJson:
        return NotJson(f"it is not JSON, or cut off, near character {self._before + self._at}: {what}")
