"""Word documents (.docx): paragraphs and tables in their order; a row of a table is a line."""

from collections.abc import Iterator
from io import BytesIO

from docx import Document
from docx.document import Document as WordDocument
from docx.table import Table, _Cell

from bot.documents.archive import check_archive
from bot.documents.program import Gathered, run


def read_word(data: bytes, gathered: Gathered) -> None:
    check_archive(data)
    gathered.add("\n".join(_lines(Document(BytesIO(data)))).strip())


def _lines(holder: WordDocument | _Cell) -> Iterator[str]:
    for block in holder.iter_inner_content():
        if isinstance(block, Table):
            for row in block.rows:
                cells = dict.fromkeys(row.cells)  # one that spans columns comes once for each
                yield " | ".join(" ".join(" ".join(_lines(cell)).split()) for cell in cells)
        else:
            yield block.text


if __name__ == "__main__":
    run(read_word)
