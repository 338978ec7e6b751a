"""What Gemini refuses, read strictly: the rules of histories, signatures, tools and schemas as one pure check.

`refusal(body, …)` names the first rule a request breaks. Both spellings of names (camelCase, snake_case) are read,
as the real API does and its own library sends.
"""

import base64
import binascii
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

UNSIGNED_CALL = base64.b64encode(b"skip_thought_signature_validator").decode()

DATA_KEYS = (
    "text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult",
    "toolCall", "toolResponse",
)  # fmt: skip
_DECLARED_KEYWORDS = {
    "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength", "maxProperties",
    "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties",
    "propertyOrdering", "required", "title", "type",
}  # fmt: skip
_JSON_KEYWORDS = {
    "$anchor", "$defs", "$id", "$ref", "additionalProperties", "anyOf", "description", "enum", "format", "items",
    "maxItems", "maximum", "minItems", "minimum", "oneOf", "prefixItems", "properties", "propertyOrdering", "required",
    "title", "type",
}  # fmt: skip
_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}


_MEDIA = {
    "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif",
    "audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac", "audio/m4a",
    "audio/mp4", "audio/opus", "audio/webm",
    "video/mp4", "video/mpeg", "video/mpg", "video/quicktime", "video/mov", "video/avi", "video/x-flv", "video/webm",
    "video/wmv", "video/3gpp",
    "application/pdf",
}  # fmt: skip
_MAX_INLINE_BYTES = 20 * 1024 * 1024
"""What a request may hold of encoded bytes."""


class Broken(Exception):
    """A rule is broken; `message` is what the server would say, `code` its HTTP status."""

    def __init__(self, message: str, code: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def get(body: Mapping[str, Any], name: str) -> Any:
    """Read a field under its camelCase name or the snake_case one."""
    for key, value in body.items():
        if key == name or camel(key) == name:
            return value
    return None


def check_request(
    body: Mapping[str, Any], *, signatures: Mapping[str, str], opaque: Collection[str], expired: Collection[str]
) -> None:
    """Check a request.

    `signatures` are those issued (base64) with the call each belongs to ("" for other parts), `opaque` the parts of
    unknown kinds that were sent (canonical JSON), `expired` the addresses of files that are gone. Raises: Broken.
    """
    _check_config(body)
    contents = get(body, "contents")
    if not isinstance(contents, list) or not contents:
        raise Broken("contents is not specified")
    for content in contents:
        _check_content(content, signatures, opaque, expired)
    _check_size(contents)
    _check_order(contents)
    _check_current_turn(contents)


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def call_key(call: Mapping[str, Any]) -> str:
    return canonical([call.get("name"), call.get("args") or {}])


def _check_content(
    content: Mapping[str, Any], signatures: Mapping[str, str], opaque: Collection[str], expired: Collection[str]
) -> None:
    if content.get("role") not in {"user", "model"}:
        raise Broken("Please use a valid role: user, model.")
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        raise Broken("Unable to submit request because it must include at least one parts field")
    for part in parts:
        _check_part(part, content["role"], signatures, opaque)
        file = get(part, "fileData")
        if file is not None and get(file, "fileUri") in expired:
            raise Broken("You do not have permission to access the File or it may not exist.", 403)


def _check_size(contents: list[Mapping[str, Any]]) -> None:
    blobs = [get(part, "inlineData") for content in contents for part in content["parts"]]
    if sum(len(blob["data"]) for blob in blobs if blob is not None) > _MAX_INLINE_BYTES:
        raise Broken(f"Request payload size exceeds the limit: {_MAX_INLINE_BYTES} bytes.")


def _check_part(part: Mapping[str, Any], role: str, signatures: Mapping[str, str], opaque: Collection[str]) -> None:
    if canonical(part) in opaque:
        return
    kinds = [key for key in DATA_KEYS if get(part, key) is not None]
    if len(kinds) != 1:
        raise Broken("required oneof field 'data' must have one initialized field")
    signature = get(part, "thoughtSignature")
    if kinds == ["text"] and not part["text"] and signature is None:
        raise Broken("Unable to submit request because it has an empty text parameter")
    if signature is not None and signature != UNSIGNED_CALL:
        _check_signature(part, signature, signatures)
    if get(part, "functionCall") is not None and (role != "model" or not part_call(part).get("name")):
        raise Broken("a function call must have a name and the role model")
    if get(part, "functionResponse") is not None and role != "user":
        raise Broken("a function response must have the role user")
    if get(part, "inlineData") is not None:
        _check_blob(get(part, "inlineData"))


def _check_blob(blob: Mapping[str, Any]) -> None:
    mime_type, data = get(blob, "mimeType"), blob.get("data")
    if not mime_type or not data:
        raise Broken("inlineData needs a mimeType and data")
    if mime_type not in _MEDIA and not mime_type.startswith("text/"):
        raise Broken(f"Unsupported MIME type: {mime_type}")
    try:
        base64.b64decode(data.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error:
        raise Broken("Invalid value at 'inline_data.data' (TYPE_BYTES), Base64 decoding failed") from None


def _check_signature(part: Mapping[str, Any], signature: str, signatures: Mapping[str, str]) -> None:
    standard = signature.replace("-", "+").replace("_", "/")
    call = get(part, "functionCall")
    expected = call_key(call) if call is not None else ""
    if signatures.get(standard) != expected:
        raise Broken("Corrupted thought signature.")


def part_call(part: Mapping[str, Any]) -> Mapping[str, Any]:
    call: Mapping[str, Any] = get(part, "functionCall") or {}
    return call


def _calls(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [call for part in content["parts"] if (call := get(part, "functionCall")) is not None]


def _responses(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [response for part in content["parts"] if (response := get(part, "functionResponse")) is not None]


def _check_order(contents: list[Mapping[str, Any]]) -> None:
    if contents[0]["role"] != "user":
        raise Broken("Please ensure that the first content has the role user.")
    if contents[-1]["role"] == "model":
        raise Broken("Requests ending with a model turn are not supported.")
    open_calls: list[Mapping[str, Any]] = []
    previous: Mapping[str, Any] | None = None
    for content in contents:
        responses = _responses(content)
        if responses or open_calls:
            _check_answers(open_calls, responses, content)
        open_calls = _calls(content)
        if open_calls and (previous is None or previous["role"] != "user"):
            raise Broken("Please ensure that a function call turn comes immediately after a user turn or a response.")
        previous = content


def _check_answers(
    calls: list[Mapping[str, Any]], responses: list[Mapping[str, Any]], content: Mapping[str, Any]
) -> None:
    if len(calls) != len(responses) or len(content["parts"]) != len(responses):
        raise Broken("the number of function response parts must equal the number of function call parts")
    for call, response in zip(calls, responses, strict=True):
        if call.get("id") != response.get("id") or call.get("name") != response.get("name"):
            raise Broken("function response id and name must match those of the call")
        if not isinstance(response.get("response"), dict):
            raise Broken("function_response.response: not a struct")


def _check_current_turn(contents: list[Mapping[str, Any]]) -> None:
    words = [index for index, content in enumerate(contents) if content["role"] == "user" and not _responses(content)]
    for content in contents[words[-1] :]:
        first = next((part for part in content["parts"] if get(part, "functionCall") is not None), None)
        if first is not None and get(first, "thoughtSignature") is None:
            raise Broken("Function call is missing a thought_signature in functionCall parts.")


def _check_config(body: Mapping[str, Any]) -> None:
    config = get(body, "generationConfig") or {}
    for name in ("presencePenalty", "frequencyPenalty"):
        if get(config, name) is not None:
            raise Broken(f"{name} is not supported")
    names: set[str] = set()
    for tool in body.get("tools") or []:
        for declaration in get(tool, "functionDeclarations") or []:
            _check_declaration(declaration, names)
    _check_response_schema(config, bool(names))
    calling = get(get(body, "toolConfig") or {}, "functionCallingConfig") or {}
    if calling.get("mode") not in {None, "AUTO", "ANY", "NONE", "VALIDATED"}:
        raise Broken("Invalid value at 'tool_config.function_calling_config.mode'")


def _check_declaration(declaration: Mapping[str, Any], names: set[str]) -> None:
    name = declaration.get("name", "")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", name) or name in names:
        raise Broken(f"Invalid or duplicate function name {name!r}")
    names.add(name)
    schema = get(declaration, "parameters") or get(declaration, "parametersJsonSchema")
    if schema is not None:
        if not schema.get("properties"):
            raise Broken("parameters.properties: should be non-empty for OBJECT type")
        _raise_first(_schema_problems(schema, _DECLARED_KEYWORDS, allow_type_lists=False))


def _check_response_schema(config: Mapping[str, Any], has_functions: bool) -> None:
    declared, document = get(config, "responseSchema"), get(config, "responseJsonSchema")
    if declared is None and document is None:
        return
    if get(config, "responseMimeType") != "application/json":
        raise Broken("response_schema needs the response mime type application/json")
    if has_functions:
        raise Broken("Function calling with a response mime type: 'application/json' is unsupported")
    if declared is not None:
        _raise_first(_schema_problems(declared, _DECLARED_KEYWORDS, allow_type_lists=False))
    if document is not None:
        _raise_first(_schema_problems(document, _JSON_KEYWORDS, allow_type_lists=True))


def _raise_first(problems: Iterator[str]) -> None:
    for problem in problems:
        raise Broken(problem)


def _schema_problems(schema: Mapping[str, Any], keywords: Collection[str], *, allow_type_lists: bool) -> Iterator[str]:
    for key in schema:
        if camel(key) not in keywords:
            yield f'Unknown name "{key}" at a schema: Cannot find field.'
    kinds = schema.get("type")
    if isinstance(kinds, list) and not allow_type_lists:
        yield "Proto field is not repeating, cannot start list: type"
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind is not None and str(kind).lower() not in _TYPES:
            yield f"Invalid value at a schema's type: {kind}"
    properties = schema.get("properties") or {}
    for name in schema.get("required") or []:
        if name not in properties:
            yield f"required[{name}]: property is not defined"
    if schema.get("enum") and kinds != "string" and not allow_type_lists:
        yield "enum: only allowed for STRING type"
    children = [*properties.values(), *(get(schema, "anyOf") or []), *([schema["items"]] if "items" in schema else [])]
    for child in children:
        yield from _schema_problems(child, keywords, allow_type_lists=allow_type_lists)
