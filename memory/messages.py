"""Message and Part: the values a transcript is made of, for every provider.

Pure values: no SQL, no SDK. A part holds what a model can send or be sent; what the known fields do not cover travels
in `extra` (opaque provider data, replayed unchanged), and a part whose kind nobody here knows is an `OpaquePart`.
One TypeAdapter turns parts into JSON and back, without loss; bytes of media stay outside the JSON (`MediaPart.data`).
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Base64UrlBytes, BaseModel, ConfigDict, Field, TypeAdapter

Role = Literal["user", "model", "tool", "notice"]
"""Who speaks: the member, the model, the results of tools, or the program itself (guardrail, budget)."""

Origin = Literal["own", "forward", "document", "quote", "import", "model", "tool", "program"]
"""Where the words come from. Only `own` (and imported lines of the member) may write facts by themselves."""


PICTURE_TOKENS = 1_120
"""What Gemini 3 counts for a picture at its usual resolution."""
AUDIO_TOKENS_A_SECOND = 32
VIDEO_TOKENS_A_SECOND = 300
"""Pictures and sound together."""
PAGE_TOKENS = 560
AUDIO_BYTES_A_SECOND, VIDEO_BYTES_A_SECOND, PAGE_BYTES = 2_000, 50_000, 50_000
"""Guesses, where nobody says how long a file is."""
NAMED_HASH = 8
"""So many digits of a file's hash name it in a prompt."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)

    signature: Base64UrlBytes | None = None
    """The provider's thought signature; must be replayed on exactly this part."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Provider fields that no field here covers, in the provider's JSON."""


class TextPart(_Part):
    kind: Literal["text"] = "text"
    text: str


class ThoughtPart(_Part):
    """The model thinking aloud: stored and replayed, never shown, indexed or extracted."""

    kind: Literal["thought"] = "thought"
    text: str


class CallPart(_Part):
    kind: Literal["call"] = "call"
    call_id: str
    """Unique within the turn; made up (`synth-…`) when the provider gave none."""
    name: str
    args: dict[str, Any] = Field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Name and canonical arguments: equal for calls that ask for the same thing."""
        return f"{self.name} {json.dumps(self.args, sort_keys=True, ensure_ascii=False)}"


class ResultPart(_Part):
    """The one answer to a call. Errors are results too: `response` then has the key `error`."""

    kind: Literal["result"] = "result"
    call_id: str
    name: str
    response: dict[str, Any]
    whole: str | None = None
    """SHA-256 of the whole result in the media store when `response` shows only its head and tail."""
    is_reference: bool = False
    """It repeats memory (recall, facts): never indexed, never extracted."""


class NotePart(_Part):
    """What the program says of a message (a place, a sticker, a photo that could not be fetched): nobody's words."""

    kind: Literal["note"] = "note"
    text: str


class MediaPart(_Part):
    """Bytes (photo, voice, document), kept beside the database by their hash."""

    kind: Literal["media"] = "media"
    mime_type: str
    sha256: str
    size: int
    name: str | None = None
    width: int | None = None
    height: int | None = None
    duration_s: int | None = None
    is_heard: bool = False
    """What is said in it stands in words: the model is shown it only when it asks."""
    data: bytes | None = Field(default=None, exclude=True, repr=False)
    """The bytes, while they are at hand; never in the JSON."""

    @property
    def noun(self) -> str:
        nouns = {"image": "photo", "audio": "audio", "video": "video"}
        return nouns.get(self.mime_type.partition("/")[0], "document")

    @property
    def label(self) -> str:
        """How a prompt names it: what it is, the beginning of its hash, its measures and its file's name."""
        size = f"{self.width}×{self.height}" if self.width and self.height else None
        length = f"{self.duration_s // 60}:{self.duration_s % 60:02}" if self.duration_s is not None else None
        name = f"«{self.name}»" if self.name else None
        return ", ".join(filter(None, [f"{self.noun} {self.sha256[:NAMED_HASH]}", size, length, name]))


class FilePart(_Part):
    """A file at the provider, by address; it expires there."""

    kind: Literal["file"] = "file"
    uri: str
    mime_type: str | None = None


class CodePart(_Part):
    kind: Literal["code"] = "code"
    language: str
    code: str


class CodeResultPart(_Part):
    kind: Literal["code_result"] = "code_result"
    outcome: str
    output: str | None = None


class OpaquePart(_Part):
    """A part of a kind that is not known here, as the provider sent it."""

    kind: Literal["opaque"] = "opaque"
    raw: dict[str, Any]


Part = Annotated[
    TextPart
    | ThoughtPart
    | CallPart
    | ResultPart
    | NotePart
    | MediaPart
    | FilePart
    | CodePart
    | CodeResultPart
    | OpaquePart,
    Field(discriminator="kind"),
]

_PARTS: TypeAdapter[tuple[Part, ...]] = TypeAdapter(tuple[Part, ...])


class Message(BaseModel):
    """One entry of the transcript. `id` and `turn_id` are None until it is stored (and `turn_id` for imports)."""

    model_config = ConfigDict(frozen=True)

    role: Role
    parts: tuple[Part, ...]
    at: datetime
    """When it was said (UTC): Telegram's time, the import's time; not when it was stored."""
    origin: Origin = "own"
    author: str | None = None
    """The speaker's name as shown; None for the assistant and in a private terminal."""
    author_id: int | None = None
    source: str | None = None
    """Unique: `tg:<bot id>:<update id>`, `cli:…`, `import:…`; None for what the program itself adds."""
    ref: str | None = None
    """The name an import gave this entry."""
    id: int | None = None
    turn_id: int | None = None

    @property
    def text(self) -> str:
        """The visible words: text parts only, one after the other (no thoughts, no calls, no results)."""
        return text_of(self.parts)

    @property
    def calls(self) -> tuple[CallPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, CallPart))

    @property
    def media(self) -> tuple[MediaPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, MediaPart))

    @property
    def results(self) -> tuple[ResultPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ResultPart))


def parts_to_json(parts: Sequence[Part]) -> str:
    """Return the JSON of parts as stored; bytes of media are left out (they are kept by hash)."""
    return _PARTS.dump_json(tuple(parts), exclude_defaults=False, exclude_none=True).decode()


@lru_cache(maxsize=4096)
def parts_from_json(body: str) -> tuple[Part, ...]:
    """Return the parts of a stored body. Raises pydantic.ValidationError on anything else.

    Parts are frozen, and each step of a turn reads the same tail again: parsing is remembered.
    """
    return _PARTS.validate_json(body)


def text_of(parts: Iterable[Part]) -> str:
    """Return the visible words of parts."""
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def text_message(role: Role, text: str, at: datetime, *, origin: Origin = "own", source: str | None = None) -> Message:
    """Return a message of one text part."""
    return Message(role=role, parts=(TextPart(text=text),), at=at, origin=origin, source=source)


def media_part(data: bytes, mime_type: str, *, name: str | None = None) -> MediaPart:
    """Return a media part named by the hash of its bytes."""
    return MediaPart(mime_type=mime_type, sha256=hashlib.sha256(data).hexdigest(), size=len(data), name=name, data=data)


def storable(value: Any) -> Any:
    """Return a JSON value whose texts a database takes: halves of surrogate pairs are joined, or replaced if alone."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {storable(name): storable(item) for name, item in value.items()}
        case list():
            return [storable(item) for item in value]
    return value


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units, in which clients of chats measure."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def estimate_tokens(text: str) -> int:
    """Return the tokens of a text where no provider counted: UTF-8 bytes / 4, rounded up."""
    size = len(text) if text.isascii() else len(text.encode())
    return -(-size // 4)


def estimate_message_tokens(messages: Iterable[Message]) -> int:
    """Return the estimated tokens of messages as a model would be sent them (JSON of non-text parts included)."""
    return sum(estimate_parts_tokens(message.parts) for message in messages)


def estimate_parts_tokens(parts: Iterable[Part]) -> int:
    """Return the same for parts; media count only while their bytes are at hand, else by their names."""
    return sum(_part_tokens(part) for part in parts)


def _part_tokens(part: Part) -> int:
    match part:
        case TextPart() | ThoughtPart() | NotePart():
            return estimate_tokens(part.text)
        case MediaPart():
            return estimate_tokens(part.label) if part.data is None else _media_tokens(part)
        case CallPart():
            return estimate_tokens(part.fingerprint)
        case ResultPart():
            return estimate_tokens(json.dumps(part.response, ensure_ascii=False))
        case _:
            return estimate_tokens(part.model_dump_json(exclude_none=True))


def _media_tokens(part: MediaPart) -> int:
    match part.noun:
        case "photo":
            return PICTURE_TOKENS
        case "audio":
            return AUDIO_TOKENS_A_SECOND * (part.duration_s or -(-part.size // AUDIO_BYTES_A_SECOND))
        case "video":
            return VIDEO_TOKENS_A_SECOND * (part.duration_s or -(-part.size // VIDEO_BYTES_A_SECOND))
        case _:
            return PAGE_TOKENS * -(-part.size // PAGE_BYTES)
