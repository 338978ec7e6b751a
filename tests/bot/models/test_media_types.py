"""Pictures are known by their first bytes, and types by the names the provider gives them."""

import pytest

from bot.models.media_types import is_read, picture_type, usual

BEGINNINGS = [
    (b"\xff\xd8\xff\xe0 rest", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n rest", "image/png"),
    (b"GIF89a rest", "image/gif"),
    (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    (b"\0\0\0\x18ftypheic rest", "image/heic"),
    (b"\0\0\0\x18ftypisom rest", None),
    (b"RIFF\x10\0\0\0WAVEfmt ", None),
    (b"%PDF-1.7", None),
    (b"", None),
]


@pytest.mark.parametrize(("data", "expected"), BEGINNINGS)
def test_a_picture_is_known_by_its_first_bytes(data: bytes, expected: str | None) -> None:
    assert picture_type(data) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("audio/x-wav", "audio/wav"),
        ("Image/JPG", "image/jpeg"),
        ("audio/ogg; codecs=opus", "audio/ogg"),
        ("a/b", "a/b"),
    ],
)
def test_a_type_has_one_name(said: str, expected: str) -> None:
    assert usual(said) == expected


@pytest.mark.parametrize("mime_type", ["image/gif", "image/svg+xml", "application/zip", "text/html", "audio/midi"])
def test_what_the_model_cannot_read_is_known(mime_type: str) -> None:
    assert not is_read(mime_type)
