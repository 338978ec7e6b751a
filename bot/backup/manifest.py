"""The manifest of a backup: what stands in the archive, file by file, and which version of what it was written by."""

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MANIFEST = "manifest.json"
FORMAT = 1
_SPACE_FILE = re.compile(r"spaces/(?P<space>[A-Za-z0-9_-]{1,64})/(?P<rest>.+)")


class BadBackup(Exception):
    """A file that cannot be restored; the message says why and what to do. Nothing was changed."""


class Packed(BaseModel):
    """A file of the archive."""

    model_config = ConfigDict(frozen=True)

    size: int = Field(ge=0)
    sha256: str


class PackedSpace(BaseModel):
    """A memory of the archive: the version of its schema, and how much it holds."""

    model_config = ConfigDict(frozen=True)

    schema_version: int
    messages: int
    facts: int


class Manifest(BaseModel):
    """All of it. `kind` tells a backup from other archives."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["remembrancer-backup"] = "remembrancer-backup"
    format: int = FORMAT
    program: str
    made_at: str
    bot_schema: int | None
    spaces: Mapping[str, PackedSpace]
    files: Mapping[str, Packed]


def is_fit(name: str) -> bool:
    """Tell whether a file of this name may stand in a backup: nothing that leads out of a home, or to odd places."""
    if name == "bot.db":
        return True
    found = _SPACE_FILE.fullmatch(name)
    parts = name.split("/")
    is_plain = all(part not in ("", ".", "..") for part in parts) and not set(name) & {"\\", "\0", ":"}
    return found is not None and is_plain and not found["rest"].startswith("memory.db-")
