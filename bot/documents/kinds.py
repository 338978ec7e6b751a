"""What kind of file bytes are: by what they hold, not by what they are called. Pure."""

import re
from contextlib import suppress
from io import BytesIO
from typing import Literal
from zipfile import BadZipFile, ZipFile

Kind = Literal["pdf", "word", "sheets", "html", "text"]

_PDF_WITHIN = 1024
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_NOT_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_BEGINNING = 4_000


def kind_of(data: bytes) -> Kind | None:
    """Return what can be read of a file; None for all else."""
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _office_kind(data)
    if not data or not _is_text(data):
        return None
    return "html" if _HTML.match(data[:_BEGINNING].lstrip(b"\xef\xbb\xbf")) else "text"


def decoded(data: bytes) -> str:
    """Return bytes as text: by their mark, as UTF-8, or as Windows wrote it in the West."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _is_text(data: bytes) -> bool:
    return data.startswith(tuple(mark for mark, _ in _MARKS)) or not _NOT_IN_TEXT.search(data)


def _office_kind(data: bytes) -> Kind | None:
    with suppress(BadZipFile, ValueError, OSError, NotImplementedError), ZipFile(BytesIO(data)) as archive:
        names = set(archive.namelist())
        if "word/document.xml" in names:
            return "word"
        if "xl/workbook.xml" in names:
            return "sheets"
    return None
