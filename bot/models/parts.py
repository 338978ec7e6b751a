"""Parts as Gemini writes them in JSON, and back, without loss.

A part of the wire becomes one of our parts when it is of exactly one kind that we know and its fields fit; whatever
else it carries goes into `extra` at the place it came from. Everything else (server-side tools, kinds of tomorrow)
becomes an `OpaquePart` and is sent back as it came. Nothing here knows the SDK, the history's rules or the network.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from memory.messages import (
    CallPart,
    CodePart,
    CodeResultPart,
    FilePart,
    MediaPart,
    OpaquePart,
    Part,
    ResultPart,
    TextPart,
    ThoughtPart,
    media_part,
    storable,
)

Wire = dict[str, Any]
"""A JSON object of the provider."""

SYNTHETIC = "synth-"
"""How an id begins that we made up because the provider gave none; such ids never go out."""

_SIGNATURE = "thoughtSignature"


@dataclass(frozen=True)
class _Kind:
    """A kind whose body is an object: which of its fields are which of ours."""

    part: type[CallPart] | type[ResultPart] | type[FilePart] | type[CodePart] | type[CodeResultPart]
    fields: Mapping[str, str]
    optional_object: str | None = None
    """An object that we hold as {} when it is absent."""


_OBJECTS: Mapping[str, _Kind] = {
    "functionCall": _Kind(CallPart, {"id": "call_id", "name": "name", "args": "args"}, "args"),
    "functionResponse": _Kind(ResultPart, {"id": "call_id", "name": "name", "response": "response"}, "response"),
    "fileData": _Kind(FilePart, {"fileUri": "uri", "mimeType": "mime_type"}),
    "executableCode": _Kind(CodePart, {"language": "language", "code": "code"}),
    "codeExecutionResult": _Kind(CodeResultPart, {"outcome": "outcome", "output": "output"}),
}
_DATA_KEYS = frozenset(_OBJECTS) | {"text", "inlineData", "toolCall", "toolResponse"}


def part_from_wire(raw: Wire, *, call_id: str) -> Part:
    """Return the part a JSON object stands for; `call_id` names a call or result that came without an id."""
    raw = storable(raw)
    try:
        return _known_part(raw, call_id)
    except (ValidationError, TypeError, ValueError, KeyError, AttributeError):
        # Of no kind or of two, or a field is missing or of another type than ours: kept as it came.
        return OpaquePart(raw=raw)


def part_to_wire(part: Part) -> Wire:
    """Return the JSON object of a part; the bytes of a media part must be at hand."""
    if isinstance(part, OpaquePart):
        return part.raw
    wire = dict(part.extra)
    match part:
        case TextPart():
            wire["text"] = part.text
        case ThoughtPart():
            wire |= {"text": part.text, "thought": True}
        case MediaPart():
            assert part.data is not None, "history replaces media whose bytes are not at hand"
            data = base64.b64encode(part.data).decode()
            wire["inlineData"] = {"mimeType": part.mime_type, "data": data} | part.extra.get("inlineData", {})
        case _:
            key = next(key for key, kind in _OBJECTS.items() if isinstance(part, kind.part))
            wire[key] = _body_to_wire(part, key)
    if part.signature is not None:
        wire[_SIGNATURE] = base64.b64encode(part.signature).decode()
    return wire


def _known_part(raw: Wire, call_id: str) -> Part:
    (key,) = [name for name in raw if name in _DATA_KEYS]
    extra = _without(raw, key, _SIGNATURE)
    if key == "text":
        part = _text_part(raw[key], extra)
    elif key == "inlineData":
        part = _media_part(raw[key], extra)
    else:
        part = _object_part(key, raw[key], extra, call_id)
    if raw.get(_SIGNATURE) is None:
        return part
    return part.model_copy(update={"signature": _bytes(raw[_SIGNATURE])})


def _text_part(text: object, extra: Wire) -> Part:
    if extra.get("thought") is True:
        return ThoughtPart.model_validate({"text": text, "extra": _without(extra, "thought")})
    return TextPart.model_validate({"text": text, "extra": extra})


def _media_part(body: Wire, extra: Wire) -> Part:
    rest = _without(body, "data", "mimeType")
    part = media_part(_bytes(body["data"]), body["mimeType"])
    return part.model_copy(update={"extra": extra | ({"inlineData": rest} if rest else {})})


def _object_part(key: str, body: Wire, extra: Wire, call_id: str) -> Part:
    kind = _OBJECTS[key]
    given = {name: value for name, value in body.items() if value is not None}
    fields: Wire = {"call_id": call_id} if "id" in kind.fields else {}
    fields |= {field: given[name] for name, field in kind.fields.items() if name in given}
    rest = _without(given, *kind.fields)
    if kind.optional_object is not None and kind.optional_object not in given:
        fields[kind.fields[kind.optional_object]] = {}
        rest[kind.optional_object] = None
    return kind.part.model_validate({**fields, "extra": extra | ({key: rest} if rest else {})})


def _body_to_wire(part: Part, key: str) -> Wire:
    """A null in `extra` says that the field was absent; an id that we made up stays at home."""
    body: Wire = {name: getattr(part, field) for name, field in _OBJECTS[key].fields.items()} | part.extra.get(key, {})
    if str(body.get("id", "")).startswith(SYNTHETIC):
        del body["id"]
    return {name: value for name, value in body.items() if value is not None}


def _without(body: Wire, *names: str) -> Wire:
    return {name: value for name, value in body.items() if name not in names}


def _bytes(encoded: str) -> bytes:
    """Decode either alphabet of base64, padded or not: the provider and its SDK write both."""
    plain = encoded.rstrip("=").replace("+", "-").replace("/", "_")
    padded = plain + "=" * (-len(plain) % 4)
    decoded = base64.urlsafe_b64decode(padded)
    if base64.urlsafe_b64encode(decoded).decode() != padded:
        raise binascii.Error("not base64")
    return decoded
