"""PDF, page by page. A page that cannot be read is an empty one."""

from io import BytesIO

from pypdf import PdfReader

from bot.documents.program import Gathered, Stopped, run

MAX_PAGES = 2_000


def read_pdf(data: bytes, gathered: Gathered) -> None:
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Stopped("locked")
    gathered.pages = len(reader.pages)
    for number in range(min(gathered.pages, MAX_PAGES)):
        gathered.add(_text(reader, number), label=f"page {number + 1}")
    if gathered.pages > MAX_PAGES:
        raise Stopped("cut")


def _text(reader: PdfReader, number: int) -> str:
    try:
        return reader.pages[number].extract_text().strip()
    except MemoryError:
        raise
    except Exception:
        # One broken page is no reason to give up the others, and there is no telling how a library breaks on it.
        return ""


if __name__ == "__main__":
    run(read_pdf)
