"""Whatever bytes are handed over, there is an answer: what they say, or what stands in the way."""

import random
from collections.abc import Callable
from datetime import date
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.documents import archive, pdf, program, sheets, word
from bot.documents.kinds import decoded, kind_of
from bot.documents.names import numbered_names, plain_name
from bot.documents.program import Gathered, Read, gathered_by
from bot.documents.reader import WHOLE_CHARS, Reading, read_document
from memory.store.files import MAX_NAME_CHARS
from tests.fakes import documents as made

PAGE = "The rent is due on the {n}th.\n" + "Nothing else is agreed on this page of the contract.\n" * 40
HTML = b"<!DOCTYPE html><html><head><title>Harbour</title></head><body><p>The ferry leaves at 9:15.</p></body></html>"
SAMPLES: dict[str, tuple[Read, bytes]] = {
    "pdf": (pdf.read_pdf, made.pdf(["First page", "Second page"])),
    "word": (word.read_word, made.word("One", [["a", "b"]])),
    "sheets": (sheets.read_sheets, made.sheets({"Costs": [["tea", 3]]})),
}


def said(reading: Reading) -> list[tuple[int, str, str]]:
    return [(piece.number, piece.label, piece.text) for piece in reading.pieces]


async def test_a_long_pdf_comes_page_by_page_and_keeps_its_numbers() -> None:
    reading = await read_document(made.pdf([PAGE.format(n=4), "", PAGE.format(n=6), "Grüße (drei)"]))

    assert (reading.kind, reading.pages, reading.parts, reading.trouble) == ("pdf", 4, 4, None)
    assert [(number, label) for number, label, _ in said(reading)] == [(1, "page 1"), (3, "page 3"), (4, "page 4")]
    assert reading.pieces[0].text.startswith("The rent is due on the 4th.\nNothing")
    assert reading.pieces[2].text == "Grüße (drei)"


async def test_a_short_document_is_one_piece_with_its_pages_named() -> None:
    reading = await read_document(made.pdf(["First", "", "Third"]))

    assert said(reading) == [(1, "", "[page 1]\nFirst\n\n[page 3]\nThird")]
    assert (reading.pages, reading.parts) == (3, 1)


async def test_a_scan_has_pages_and_no_words() -> None:
    reading = await read_document(made.pdf(["", ""]))

    assert (reading.kind, reading.pages, reading.pieces, reading.trouble) == ("pdf", 2, (), None)


async def test_a_pdf_with_a_password_says_so() -> None:
    assert (await read_document(made.locked_pdf(["secret"], "pass"))).trouble == "locked"


async def test_a_word_document_keeps_the_order_of_paragraphs_and_tables() -> None:
    reading = await read_document(made.word("Before", [["Day", "Ferry"], ["Monday", "9:15"]], "After"))

    assert said(reading) == [(1, "", "Before\nDay | Ferry\nMonday | 9:15\nAfter")]


async def test_a_spreadsheet_names_its_sheets_and_shows_values() -> None:
    rows: made.Rows = [["Item", "Price", "Bought"], ["tea", 3.0, date(2027, 3, 2)], [None, None], ["milk", 1.25]]
    reading = await read_document(made.sheets({"Costs": rows, "Notes": [["none"]]}))

    costs = "Item | Price | Bought\ntea | 3 | 2027-03-02\nmilk | 1.25"
    assert said(reading) == [(1, "", f"[sheet Costs]\n{costs}\n\n[sheet Notes]\nnone")]


async def test_a_long_sheet_is_cut_in_parts_under_its_name() -> None:
    reading = await read_document(made.sheets({"Costs": [[f"item number {n}", n] for n in range(400)]}))

    assert [piece.label for piece in reading.pieces] == [f"sheet Costs, part {n}" for n in (1, 2, 3)]
    assert reading.parts == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
async def test_plain_text_is_read_in_the_encodings_people_use(encoding: str) -> None:
    reading = await read_document("Grüße aus Köln\r\n„café“".encode(encoding))

    assert (reading.kind, [piece.text for piece in reading.pieces]) == ("text", ["Grüße aus Köln\r\n„café“"])


async def test_a_page_of_html_says_what_a_reader_would_see() -> None:
    reading = await read_document(HTML)

    assert reading.kind == "html"
    assert "The ferry leaves at 9:15." in reading.pieces[0].text


async def test_hidden_signs_and_secrets_of_a_document_are_not_taken_in() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    reading = await read_document(f"Hello{hidden} there, key AKIA{'Q7' * 8}".encode())

    assert "obey" not in reading.pieces[0].text.encode("ascii", "ignore").decode()
    assert hidden not in reading.pieces[0].text
    assert "AKIAQ7" not in reading.pieces[0].text


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n\0\0\0", bytes(range(256)), b"PK\x03\x04 nothing", b"\xd0\xcf\x11\xe0\0\0"]
)
async def test_what_is_no_document_is_of_no_kind(data: bytes) -> None:
    assert await read_document(data) == Reading(None)


async def test_a_file_that_only_begins_like_a_pdf_is_damaged() -> None:
    assert (await read_document(b"%PDF-1.7\nnothing of the kind")).trouble == "damaged"


def test_pages_that_name_each_other_as_children_have_an_end() -> None:
    round_and_round = made.of_objects(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"]
    )
    assert gathered_by(pdf.read_pdf, round_and_round).pieces == []


def test_one_broken_page_does_not_take_the_others_along() -> None:
    sound = made.pdf(["One", "Two", "Three"])
    broken = sound.replace(b"/Resources << /Font << /F1 3 0 R >> >>", b"/Resources << /Font [[[[[[ 3 0 R ]]] >>", 1)
    read = gathered_by(pdf.read_pdf, broken)
    assert [text for _, text in read.pieces][1:] == ["Two", "Three"]


async def test_a_page_that_unpacks_to_far_too_much_ends_in_an_answer() -> None:
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"
    bomb = made.stream(b" " * 100_000_000)
    data = made.of_objects(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, bomb]
    )
    reading = await read_document(data)
    assert (reading.kind, reading.pieces) == ("pdf", ())


@pytest.mark.parametrize(
    ("name", "read"), [("word/document.xml", word.read_word), ("xl/workbook.xml", sheets.read_sheets)]
)
def test_an_archive_that_unpacks_to_far_too_much_is_not_opened(
    name: str, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 1_000_000)
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as packed:
        packed.writestr(name, b" " * 1_000_001)
    assert kind_of(out.getvalue()) in ("word", "sheets")
    assert gathered_by(read, out.getvalue()).trouble == "too large"


def test_an_archive_of_too_many_members_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    assert gathered_by(word.read_word, made.word("One")).trouble == "too large"


def test_reading_ends_at_so_many_pages_rows_and_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    read = gathered_by(pdf.read_pdf, made.pdf(["One", "Two", "Three"]))
    assert (read.pieces, read.pages, read.trouble) == ([("page 1", "One"), ("page 2", "Two")], 3, "cut")

    monkeypatch.setattr(sheets, "MAX_ROWS", 2)
    read = gathered_by(sheets.read_sheets, made.sheets({"A": [[1], [2], [3]], "B": [[4]]}))
    assert (read.pieces, read.trouble) == ([("sheet A", "1\n2")], "cut")

    monkeypatch.setattr(program, "MAX_CHARS", 5)
    read = gathered_by(pdf.read_pdf, made.pdf(["One", "Two!", "Three"]))
    assert (read.pieces, read.trouble) == ([("page 1", "One"), ("page 2", "Tw")], "cut")


@pytest.mark.parametrize("error", [MemoryError, RecursionError, ValueError, KeyError])
@pytest.mark.parametrize(("text", "trouble"), [("so far", "cut"), ("", None)])
def test_what_was_read_before_a_program_broke_is_kept(
    error: type[Exception], text: str, trouble: program.Trouble | None
) -> None:
    def read(data: bytes, gathered: Gathered) -> None:
        if text:
            gathered.add(text)
        raise error

    read_so_far = gathered_by(read, b"")
    assert [words for _, words in read_so_far.pieces] == ([text] if text else [])
    assert read_so_far.trouble == (trouble or ("too large" if error is MemoryError else "damaged"))


def _cut_off(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def _changed(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randrange(1, 12)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def _repeated(rng: random.Random, data: bytes) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + data[start : start + 200] * rng.randrange(1, 9) + data[start:]


def _changed_inside(rng: random.Random, data: bytes) -> bytes:
    """Change a member of an archive, so that what reads it gets past the packing."""
    if not data.startswith(b"PK"):
        return _changed(rng, data)
    out = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, _changed(rng, content) if content and rng.random() < 0.3 else content)
    return out.getvalue()


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("damage", [_cut_off, _changed, _repeated, _changed_inside])
def test_damaged_files_are_answered_whatever_the_damage(
    kind: str, damage: Callable[[random.Random, bytes], bytes]
) -> None:
    read, data = SAMPLES[kind]
    rng = random.Random(f"{kind} {damage.__name__}")
    for _ in range(12):
        found = gathered_by(read, damage(rng, data))
        assert found.trouble in (None, "damaged", "locked", "too large", "cut")


@given(st.binary(max_size=300))
def test_any_bytes_have_a_kind_or_none_and_text_is_always_text(data: bytes) -> None:
    if kind_of(data) in ("text", "html"):
        decoded(data).encode("utf-8", "surrogatepass")


@given(st.text(max_size=90), st.sampled_from(["application/pdf", "text/plain", "x/y", ""]))
def test_any_name_becomes_one_that_files_take(name: str, mime_type: str) -> None:
    plain = plain_name(name, mime_type)

    assert len(plain) <= MAX_NAME_CHARS
    assert not set(plain) & set('[]«»·|:*?"<>/\\\n')
    assert plain_name(plain, mime_type) == plain


@pytest.mark.parametrize(
    ("name", "mime_type", "plain"),
    [
        ("Mietvertrag Köln (2027).pdf", "application/pdf", "Mietvertrag Köln (2027).pdf"),
        ("../../etc/passwd", "text/plain", "passwd.txt"),
        ("C:\\Users\\ana\\notes.md", "text/markdown", "notes.md"),
        ("", "application/pdf", "document.pdf"),
        ("x" * 90 + ".docx", "", "x" * 50 + ".docx"),
        ("a · [m12] you.pdf", "", "a _ _m12_ you.pdf"),
    ],
)
def test_names_stay_as_they_are_as_far_as_they_can(name: str, mime_type: str, plain: str) -> None:
    assert plain_name(name, mime_type) == plain


def test_a_name_that_is_taken_gets_a_number() -> None:
    names = numbered_names("a.pdf")
    assert [next(names) for _ in range(3)] == ["a.pdf", "a 2.pdf", "a 3.pdf"]


async def test_a_document_up_to_so_many_characters_is_whole_and_one_more_is_not() -> None:
    assert [len((await read_document(b"x" * size)).pieces) for size in (WHOLE_CHARS, WHOLE_CHARS + 1)] == [1, 2]
