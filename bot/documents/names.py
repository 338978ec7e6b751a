"""What a document is called here: a name that every system and every reader takes for a name. Pure."""

import mimetypes
import re
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import PurePosixPath

from memory.store.files import MAX_NAME_CHARS
from memory.store.redaction import Redactor, strip_hidden

MAX_SUFFIX_CHARS = 10
UNNAMED = "document"
_ODD = re.compile(r"[^\w .,()+&'#%=@!-]+")
_REDACTOR = Redactor(())


def plain_name(name: str, mime_type: str) -> str:
    """Return a name of letters, digits and plain signs; what is none becomes a stroke, what is missing is added."""
    last = _REDACTOR.redact(strip_hidden(unicodedata.normalize("NFC", name))).text.replace("\\", "/").rpartition("/")[2]
    path = PurePosixPath(_ODD.sub("_", last).strip(" ._") or UNNAMED)
    suffix = path.suffix if 1 < len(path.suffix) <= MAX_SUFFIX_CHARS else mimetypes.guess_extension(mime_type) or ""
    stem = path.stem if path.suffix == suffix else path.name
    return f"{stem[: MAX_NAME_CHARS - MAX_SUFFIX_CHARS].strip(' ._') or UNNAMED}{suffix}"


def numbered_names(name: str) -> Iterator[str]:
    """Yield a name, then the same with numbers."""
    path = PurePosixPath(name)
    yield name
    yield from (f"{path.stem} {number}{path.suffix}" for number in count(2))
