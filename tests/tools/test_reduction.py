"""Schemas of other programs, as narrow as every model's provider takes them; and arguments against them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.declarations import check_declarations
from memory.ports import ToolSpec
from tools.reduction import MAX_PARTS, Irreducible, problems, reduced


def properties(schema: dict[str, Any], **more: object) -> Any:
    """Return what becomes of the one argument `x`."""
    return reduced({"type": "object", "properties": {"x": schema}, **more})["properties"].get("x")


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "format": "uri", "title": "X"}, {"type": "string", "description": "(uri)"}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        ({"type": ["integer", "null"]}, {"type": "integer", "nullable": True}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"anyOf": [{"type": "string"}, {}]}, {"type": "string"}),
        ({"const": "z"}, {"type": "string", "enum": ["z"]}),
        ({"enum": ["a", "", None]}, {"type": "string", "enum": ["a"], "nullable": True}),
        ({"enum": [1, 2]}, {"type": "integer", "description": "one of: 1, 2"}),
        ({"allOf": [{"$ref": "#/$defs/P"}], "description": "d"}, {"type": "number", "description": "d"}),
        ({"type": "array", "items": {"$ref": "#/$defs/P"}}, {"type": "array", "items": {"type": "number"}}),
        ({"type": "string", "description": "a\u202eb\n c"}, {"type": "string", "description": "ab c"}),
    ],
)
def test_what_a_provider_would_refuse_is_told_otherwise(schema: dict[str, Any], told: dict[str, Any]) -> None:
    assert properties(schema, **{"$defs": {"P": {"type": "number"}}, "additionalProperties": False}) == told


@pytest.mark.parametrize(
    "schema", [{}, True, {"type": "object"}, {"type": "array"}, {"$ref": "#/nowhere"}, {"$ref": "#/properties/x"}]
)
def test_an_argument_that_cannot_be_told_is_left_out_or_refuses_the_tool(schema: dict[str, Any]) -> None:
    assert properties(schema) is None
    with pytest.raises(Irreducible, match="x: "):
        properties(schema, required=["x"])


def test_a_schema_that_multiplies_itself_ends_soon() -> None:
    levels = {
        str(n): {"type": "object", "properties": {c: {"$ref": f"#/$defs/{n + 1}"} for c in "abcdefgh"}}
        for n in range(9)
    }
    with pytest.raises(Irreducible):
        reduced({"type": "object", "$defs": levels, "properties": {"x": {"$ref": "#/$defs/0"}}, "required": ["x"]})
    assert MAX_PARTS < 1_000


_WORDS = st.sampled_from(
    ["type", "properties", "items", "enum", "anyOf", "allOf", "required", "const", "$ref", "a", "minimum", "maxLength"]
)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["string", "object", "array", "#/$defs/a"])
)
_JSON = st.recursive(_LEAVES, lambda part: st.lists(part, max_size=3) | st.dictionaries(_WORDS, part, max_size=4))


@given(_JSON)
def test_whatever_a_program_declares_is_accepted_by_the_provider_or_left_out(part: Any) -> None:
    schema = {"type": "object", "properties": {"x": part, "y": part}, "$defs": {"a": part}, "required": ["y"]}
    try:
        told = reduced(schema)
    except Irreducible:
        return
    check_declarations([ToolSpec("x", "d", told)])
    json.dumps(told, allow_nan=False)
    assert isinstance(list(problems(part, told)), list)


SCHEMA = reduced(
    {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "kind": {"enum": ["a", "b"]},
            "list": {"type": "array", "items": {"type": "string", "minLength": 2}, "maxItems": 2},
            "deep": {"type": "object", "properties": {"s": {"type": ["string", "null"]}}, "required": ["s"]},
            "either": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        },
        "required": ["n"],
    }
)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"n": 1, "kind": "a", "list": ["ab"], "deep": {"s": None}, "either": True}, []),
        ({"n": 2.0}, []),
        ({}, ["n: is missing"]),
        ({"n": True}, ["n: must be an integer"]),
        ({"n": 0}, ["n: is under 1 (minimum)"]),
        ({"n": 1, "kind": "c"}, ["kind: must be one of a, b"]),
        ({"n": 1, "list": ["ab", "c", "de"]}, ["list[1]: is under 2 (minLength)", "list: is over 2 (maxItems)"]),
        ({"n": 1, "deep": {}}, ["deep.s: is missing"]),
        ({"n": 1, "either": 3}, ["either: has none of its forms"]),
        ({"n": 1, "m": 1}, ["m: there is no such argument"]),
        ([], ["the arguments: must be an object"]),
    ],
)
def test_arguments_are_checked_as_far_as_they_were_told(value: object, wrong: list[str]) -> None:
    assert list(problems(value, SCHEMA)) == wrong
