"""Tables of a Markdown text, made readable on a phone: what is too wide for its screen is told row by row.

Works on the source, before it is converted; a narrow table is left to the converter, which draws a grid.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyromark
from telegramify_markdown.converter import STANDARD_OPTIONS

MAX_COLUMNS = 34
"""As many letters of one width as a phone shows in a line."""
NO_VALUE = "–"
_BETWEEN = 3
"""Columns that the grid puts between two cells."""
_PIPE = re.compile(r"\\(?=\|)")


@dataclass
class _Cell:
    source: str
    width: int = 0
    is_even: bool = True
    """It has no sign of double width, which throws a grid out of line."""


@dataclass
class _Table:
    start: int
    end: int
    rows: list[list[_Cell]] = field(default_factory=list)


def stacked(markdown: str) -> str:
    """Return the Markdown with a paragraph a row, and a line a cell, in place of each table that is too wide.

    `markdown` must hold no lone surrogates.
    """
    source = markdown.encode()
    for table in reversed(list(_tables(markdown, source))):
        if _is_too_wide(table):
            before = source[source.rfind(b"\n", 0, table.start) + 1 : table.start].decode()
            told = _told(table, re.sub(r"[^>\s]", " ", before))
            source = b"".join([source[: table.start], told.encode(), source[table.end :]])
    return source.decode()


def _tables(markdown: str, source: bytes) -> Iterator[_Table]:
    """Yield the tables with their cells, in order."""
    table = _Table(0, 0)
    cell: _Cell | None = None
    for payload, span in pyromark.events_with_range(markdown, options=STANDARD_OPTIONS):
        match payload:
            case {"Start": {"Table": _}}:
                table = _Table(span["start"], span["end"])
            case {"Start": "TableHead" | "TableRow"}:
                table.rows.append([])
            case {"Start": "TableCell"}:
                cell = _Cell(source[span["start"] : span["end"]].decode().strip())
                table.rows[-1].append(cell)
            case {"End": "TableCell"}:
                cell, cell_end = None, span["end"]
            case {"End": "TableRow"}:
                # A row may have more cells than the table has columns.
                more = source[cell_end : span["end"]].decode().strip("| \t\r\n>")
                table.rows[-1][-1].source += f" | {more}" if more else ""
            case {"End": "Table"}:
                yield table
            case {"Text": str(text)} | {"Code": str(text)} if cell is not None:
                _measure(cell, text)


def _measure(cell: _Cell, text: str) -> None:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    cell.width += len(text) + wide
    cell.is_even = cell.is_even and not wide


def _is_too_wide(table: _Table) -> bool:
    columns = list(zip(*table.rows, strict=True))
    width = sum(max(cell.width for cell in column) for column in columns) + _BETWEEN * (len(columns) - 1)
    return width > MAX_COLUMNS or not all(cell.is_even for column in columns[:-1] for cell in column)


def _told(table: _Table, prefix: str) -> str:
    """Return the rows; every line but the first begins with what stands before the table."""
    names, *rows = ([_PIPE.sub("", cell.source) for cell in row] for row in table.rows)
    told = ["\n".join(_line(*cell) for cell in zip(names, row, strict=True) if any(cell)) for row in rows]
    if not any(told):
        told = ["\n".join(filter(None, names))]
    return "\n\n".join(filter(None, told)).replace("\n", f"\n{prefix}") + "\n"


def _line(name: str, value: str) -> str:
    bare = name.strip("*").rstrip(":").strip()
    return f"**{bare}**: {value or NO_VALUE}" if bare else f"• {value}"
