"""Spreadsheets (.xlsx): the values of each sheet, a row a line, as they were when the file was saved."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from io import BytesIO

from openpyxl import load_workbook

from bot.documents.archive import check_archive
from bot.documents.program import Gathered, Stopped, run

MAX_ROWS = 20_000
"""Of all sheets together."""
MAX_COLUMNS = 200


def read_sheets(data: bytes, gathered: Gathered) -> None:
    check_archive(data)
    workbook = load_workbook(BytesIO(data), read_only=True, data_only=True)
    left = MAX_ROWS
    for sheet in workbook.worksheets:
        rows = sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS, max_row=left + 1)
        lines = list(_lines(rows))
        gathered.add("\n".join(lines[:left]), label=f"sheet {sheet.title}")
        left -= len(lines)
        if left < 0:
            raise Stopped("cut")


def _lines(rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    for row in rows:
        line = " | ".join(map(_shown, row)).strip(" |")
        if line:
            yield line


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat(" ", "minutes") if isinstance(value, datetime) else value.isoformat()
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return " ".join(str(value).split())


if __name__ == "__main__":
    run(read_sheets)
