"""Documents made from their texts: PDF by hand, so that each byte is known; Word and Excel by the writers of their
libraries.
"""

import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO

from docx import Document
from openpyxl import Workbook
from pypdf import PdfReader, PdfWriter

Rows = Sequence[Sequence[object]]


def pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF with these pages; each line of a text is a line of its page."""
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font.encode(),
    ]
    for number, text in enumerate(pages):
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        bodies.append(stream(_shown(text)))
    return of_objects(bodies)


def stream(data: bytes) -> bytes:
    """Return the object of a packed stream."""
    packed = zlib.compress(data)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def of_objects(bodies: Sequence[bytes]) -> bytes:
    """Return a PDF of these objects, the first of which is its catalogue."""
    out, places = BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(bodies, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, start))
    return out.getvalue()


def locked_pdf(pages: Sequence[str], password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf(pages))))
    writer.encrypt(password, algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def word(*blocks: str | Sequence[Sequence[str]]) -> bytes:
    """Return a Word document of paragraphs and tables."""
    document = Document()
    for block in blocks:
        if isinstance(block, str):
            document.add_paragraph(block)
            continue
        table = document.add_table(rows=len(block), cols=len(block[0]))
        for row, texts in zip(table.rows, block, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def sheets(named: Mapping[str, Rows]) -> bytes:
    """Return a workbook of sheets."""
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for title, rows in named.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    out = BytesIO()
    workbook.save(out)
    return out.getvalue()


def _shown(text: str) -> bytes:
    lines = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in text.split("\n")]
    shown = "".join(f"({line}) Tj T*\n" for line in lines)
    return f"BT /F1 11 Tf 14 TL 40 800 Td\n{shown}ET".encode("cp1252")
