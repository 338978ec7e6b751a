"""Media types: what Gemini reads of bytes inside a request, how much of it, and what bytes begin like.

The types are those that Google's pages on images, video, audio and documents name (ai.google.dev/gemini-api/docs).
Nothing is decoded here.
"""

from collections.abc import Mapping

MAX_INLINE_BYTES = 14_000_000
"""A request holds 20 MB, and base64 makes four bytes of three; the rest is left for its words."""

READ: frozenset[str] = frozenset(
    {
        "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif",
        "audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac", "audio/m4a",
        "audio/mp4", "audio/opus", "audio/webm",
        "video/mp4", "video/mpeg", "video/mpg", "video/quicktime", "video/mov", "video/avi", "video/x-flv",
        "video/webm", "video/wmv", "video/3gpp",
        "application/pdf", "text/plain",
    }
)  # fmt: skip
_ALIASES: Mapping[str, str] = {
    "image/jpg": "image/jpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-m4a": "audio/m4a",
    "audio/x-aiff": "audio/aiff",
    "audio/x-flac": "audio/flac",
    "application/ogg": "audio/ogg",
    "video/x-msvideo": "video/avi",
    "video/x-ms-wmv": "video/wmv",
}
_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)
_BRANDS = {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heif", b"avif": "image/avif"}


def is_read(mime_type: str) -> bool:
    """Whether Gemini reads bytes of this type."""
    return mime_type in READ


def usual(mime_type: str) -> str:
    """Return the name by which Gemini knows a type, without parameters."""
    plain = mime_type.partition(";")[0].strip().lower()
    return _ALIASES.get(plain, plain)


def picture_type(data: bytes) -> str | None:
    """Return the type of the picture these bytes begin like; None when they begin like none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and data[8:12] in _BRANDS:
        return _BRANDS[data[8:12]]
    return next((kind for beginning, kind in _BEGINNINGS if data.startswith(beginning)), None)
