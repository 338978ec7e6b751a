"""The check of tool declarations before any of them is sent.

Gemini refuses a whole request, even a greeting, for one schema keyword outside its subset. So the declarations are
checked at start, where the fault names the tool and the place, and not at the member's first word.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory.ports import ToolSpec

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_KEYWORDS = frozenset(
    {
        "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength",
        "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern",
        "properties", "propertyOrdering", "required", "title", "type",
    }
)  # fmt: skip
_FORMATS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"enum", "date-time"}),
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}


class BadDeclaration(ValueError):
    """A tool is declared in a way the model's API would refuse; `tool` and `problem` say which and why."""

    def __init__(self, tool: str, problem: str) -> None:
        super().__init__(f"the declaration of the tool {tool!r} would be refused: {problem}")
        self.tool = tool
        self.problem = problem


def check_declarations(tools: Sequence[ToolSpec]) -> None:
    """Check names and schemas of tools against what Gemini accepts.

    Raises: BadDeclaration for the first that it would refuse.
    """
    names: set[str] = set()
    for tool in tools:
        if tool.name in names:
            raise BadDeclaration(tool.name, "the name is declared twice")
        names.add(tool.name)
        for problem in _tool_problems(tool):
            raise BadDeclaration(tool.name, problem)


def _tool_problems(tool: ToolSpec) -> Iterator[str]:
    if not _NAME.fullmatch(tool.name):
        yield "the name must be 1 to 64 letters, digits or _.:- and begin with a letter or _"
    if not tool.description.strip():
        yield "it has no description"
    if tool.parameters:
        if tool.parameters.get("type") != "object":
            yield "the parameters must be an object"
        yield from _schema_problems(tool.parameters, "parameters")


def _schema_problems(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    for keyword in sorted(set(schema) - _KEYWORDS):
        yield f"{path}: the keyword {keyword!r} is not in Gemini's subset"
    yield from _type_problems(schema, path)
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in properties:
            yield f"{path}: {name!r} is required but not declared"
    for name, child in properties.items():
        yield from _schema_problems(child, f"{path}.{name}")
    for index, child in enumerate(schema.get("anyOf", ())):
        yield from _schema_problems(child, f"{path}.anyOf[{index}]")
    if "items" in schema:
        yield from _schema_problems(schema["items"], f"{path}[]")


def _type_problems(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    kind = schema.get("type")
    if "anyOf" not in schema and (not isinstance(kind, str) or kind not in _TYPES):
        yield f"{path}: the type must be one of {', '.join(sorted(_TYPES))}, alone"
        return
    if kind == "array" and "items" not in schema:
        yield f"{path}: an array must declare its items"
    if "format" in schema and schema["format"] not in _FORMATS.get(str(kind), frozenset()):
        yield f"{path}: the format {schema['format']!r} is not accepted"
    if "enum" in schema and (kind != "string" or not all(isinstance(value, str) and value for value in schema["enum"])):
        yield f"{path}: an enum must be of non-empty strings"
