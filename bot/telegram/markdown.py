r"""Markdown as a model writes it, turned into Telegram's text and entities.

The converter is a library's. It leaves out what it takes for HTML, mathematics or an unused link definition, and it
hides what stands between `||`; in an answer these are nearly always a type (`List<int>`), a price, a note or a
condition. So the source is read with the library's own parser first, and whatever would be lost is escaped with a
backslash until nothing is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyromark
from telegramify_markdown import convert
from telegramify_markdown.config import RenderConfig
from telegramify_markdown.converter import STANDARD_OPTIONS

from bot.telegram.entities import Entity, is_linkable, tidy
from bot.telegram.tables import stacked

_MAX_READINGS = 24
"""A text that still hides something after so many readings (page-long HTML) is better shown as it is."""

_DEFINITION = re.compile(rb"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(\[)((?:[^\[\]\\]|\\.)+)\]:\s*(\S+)", re.MULTILINE)
_PIPES = re.compile(rb"(?<!\\)\|\|")
_BARE_ADDRESS = {"Autolink", "Email"}

_Insertion = tuple[int, bytes]
_Event = tuple[Any, dict[str, int]]


class HiddenText(Exception):
    """Escaping did not bring everything to light."""


def to_entities(markdown: str) -> tuple[str, list[Entity]]:
    """Return the text a reader sees and its entities, in Telegram's nesting.

    `markdown` must hold no lone surrogates. Raises: HiddenText; ValueError and others of the parser are possible.
    """
    text, entities = convert(escaped(stacked(markdown)), latex_escape=False, config=_config())
    return text, tidy(entity.to_dict() for entity in entities)


def escaped(markdown: str) -> str:
    """Return the Markdown with a backslash before everything the converter would leave out. Raises: HiddenText."""
    for _ in range(_MAX_READINGS):
        insertions = sorted(set(_hidden(markdown.encode())))
        if not insertions:
            return markdown
        markdown = _insert(markdown.encode(), insertions).decode()
    raise HiddenText


def _config() -> RenderConfig:
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.task_uncompleted = "☐"
    symbols.unordered_list_item = "•"
    config.cite_expandable = False
    return config


def _insert(source: bytes, insertions: list[_Insertion]) -> bytes:
    pieces, position = [], 0
    for offset, added in insertions:
        pieces += [source[position:offset], added]
        position = offset
    return b"".join([*pieces, source[position:]])


@dataclass
class _Reading:
    """What one pass over the parser's events found."""

    source: bytes
    code: list[tuple[int, int]] = field(default_factory=list)
    tables: list[tuple[int, int]] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    is_in_cell: bool = False
    cell_end: int = 0


def _hidden(source: bytes) -> Iterator[_Insertion]:
    """Yield what to insert where, in bytes, to keep what this reading of the source would lose."""
    reading = _Reading(source)
    for payload, span in pyromark.events_with_range(source.decode(), options=STANDARD_OPTIONS):
        start, end = span["start"], span["end"]
        if isinstance(payload, dict):
            for kind, detail in payload.items():
                yield from _RULES.get(kind, _nothing)(reading, detail, start, end)
    yield from _orphan_definitions(reading)
    yield from _pipes(reading)


def _nothing(reading: _Reading, detail: Any, start: int, end: int) -> Iterator[_Insertion]:
    yield from ()


def _on_inline_html(reading: _Reading, detail: str, start: int, end: int) -> Iterator[_Insertion]:
    yield start, b"\\"


def _on_math(reading: _Reading, detail: str, start: int, end: int) -> Iterator[_Insertion]:
    dollars = 2 if reading.source[start : start + 2] == b"$$" and end - start >= 4 else 1
    for offset in range(dollars):
        yield start + offset, b"\\"
        yield end - 1 - offset, b"\\"


def _on_code(reading: _Reading, detail: Any, start: int, end: int) -> Iterator[_Insertion]:
    reading.code.append((start, end))
    yield from ()


def _on_start(reading: _Reading, tag: Any, start: int, end: int) -> Iterator[_Insertion]:
    match tag:
        case "HtmlBlock":
            yield reading.source.index(b"<", start), b"\\"
        case "TableCell":
            reading.is_in_cell = True
        case {"CodeBlock": _}:
            reading.code.append((start, end))
        case {"Table": _}:
            reading.tables.append((start, end))
        case {"Link": link} | {"Image": link}:
            reading.labels.add(link["id"].casefold())
            is_bare = link["link_type"] in _BARE_ADDRESS
            if not is_bare and (reading.is_in_cell or not is_linkable(link["dest_url"])):
                yield start, b"\\"


def _on_end(reading: _Reading, tag: Any, start: int, end: int) -> Iterator[_Insertion]:
    """Notice the cells of a row beyond the table's last column: they are joined to the last one."""
    if tag == "TableCell":
        reading.is_in_cell, reading.cell_end = False, end
    elif tag == "TableRow" and reading.source[reading.cell_end : end].strip(b"| \t\r\n>"):
        yield reading.cell_end, b"\\"


_RULES: dict[str, Callable[[_Reading, Any, int, int], Iterator[_Insertion]]] = {
    "InlineHtml": _on_inline_html,
    "InlineMath": _on_math,
    "DisplayMath": _on_math,
    "Code": _on_code,
    "Start": _on_start,
    "End": _on_end,
}


def _orphan_definitions(reading: _Reading) -> Iterator[_Insertion]:
    """Notice `[label]: words` that no link uses: such a line is never shown."""
    for match in _outside(reading.code, _DEFINITION, reading.source):
        label = " ".join(match[2].decode().split()).casefold()
        if label in reading.labels and is_linkable(match[3].decode().strip("<>")):
            reading.labels.discard(label)
        else:
            yield match.start(1), b"\\"


def _pipes(reading: _Reading) -> Iterator[_Insertion]:
    """Notice `||`: an empty cell in a table, a plain sign elsewhere."""
    for match in _outside(reading.code, _PIPES, reading.source):
        is_table = any(start <= match.start() < end for start, end in reading.tables)
        yield (match.start() + 1, b" ") if is_table else (match.start(), b"\\")


def _outside(regions: list[tuple[int, int]], pattern: re.Pattern[bytes], source: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the matches that begin in none of the regions (in document order)."""
    ahead = iter(regions)
    start, end = next(ahead, (len(source), len(source)))
    for match in pattern.finditer(source):
        while end <= match.start():
            start, end = next(ahead, (len(source), len(source) + 1))
        if not start <= match.start() < end:
            yield match
