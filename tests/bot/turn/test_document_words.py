"""What is said of a document is what became of it."""

from dataclasses import replace

from bot.turn.attachments.document_words import Handed, note, told
from memory.store.documents import Document

LONG = Document(1, "ab" * 32, "pdf", pages=5_000, parts=2_000, chars=5_000_000, trouble="cut", is_read=True)
HANDED = Handed(LONG, "atlas.pdf", 9_000_000, "atlas.pdf", "Chapter 1", is_whole=False, is_shown=False)


def test_a_document_too_long_to_be_read_whole_says_how_far_it_was_read() -> None:
    assert (
        told(HANDED)
        == "📄 atlas.pdf is very long: I read its beginning, 2,000 pages, 5,000,000 characters. Ask me about it."
    )
    assert "5000 page(s)" in note(HANDED)
    assert "only its beginning was read, 2000 parts" in note(HANDED)


def test_a_long_document_says_where_the_rest_is_and_a_short_one_that_this_is_all() -> None:
    assert "Its first words stand" in note(HANDED)
    assert note(HANDED).endswith("recall finds its pieces.")
    whole = note(replace(HANDED, document=replace(LONG, trouble=None), is_whole=True))
    assert "All its words stand" in whole
    assert whole.endswith("=== end of document abababab ===")


def test_a_file_that_found_no_room_is_told_even_where_nothing_else_is() -> None:
    short = replace(HANDED, document=replace(LONG, trouble=None), is_whole=True, path=None)
    assert told(short).startswith("There is no room left for the file itself")
    assert told(replace(short, path="a.pdf")) == ""
