"""A declaration that Gemini would refuse stops the start, and the strict server agrees."""

from typing import Any

import pytest

from bot.models.declarations import BadDeclaration, check_declarations
from bot.models.gemini import GeminiModel
from memory.errors import ModelRefused
from memory.ports import ToolSpec
from tests.bot.models.talk import RECALL, ask, user
from tests.fakes.gemini import FakeGemini

GOOD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words.", "minLength": 1},
        "layers": {"type": "array", "items": {"type": "string", "enum": ["fact", "segment"]}, "maxItems": 3},
        "k": {"type": "integer", "minimum": 1, "maximum": 50},
        "since": {"type": "string", "format": "date-time", "nullable": True},
        "either": {"anyOf": [{"type": "string"}, {"type": "number", "format": "double"}]},
    },
    "required": ["query"],
}


def tool(**changes: Any) -> ToolSpec:
    return ToolSpec("recall", "Search memory.", GOOD | changes)


def with_property(schema: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {**GOOD["properties"], "extra": schema}}


BAD: list[dict[str, Any]] = [
    {"additionalProperties": False},
    {"$schema": "https://json-schema.org/draft/2020-12/schema"},
    {"$defs": {}},
    {"required": ["query", "nobody"]},
    with_property({"type": "integer", "exclusiveMinimum": 0}),
    with_property({"type": ["string", "null"]}),
    with_property({"type": "string", "const": "x"}),
    with_property({"oneOf": [{"type": "string"}]}),
    with_property({"type": "array", "items": {"type": "object", "properties": {}, "additionalProperties": True}}),
    with_property({"type": "text"}),
    with_property({"type": "integer", "enum": [1, 2]}),
]


@pytest.mark.parametrize("changes", BAD)
async def test_a_keyword_outside_the_subset_is_refused_at_start_as_by_the_server(
    changes: dict[str, Any], fake: FakeGemini, model: GeminiModel
) -> None:
    with pytest.raises(BadDeclaration, match="recall"):
        check_declarations([tool(**changes)])
    with pytest.raises(ModelRefused):
        await model.generate(ask(user("hi"), tools=[tool(**changes)]))
    assert len(fake.refusals) == 1


@pytest.mark.parametrize(
    "tools",
    [
        [ToolSpec("re call", "Search.", GOOD)],
        [ToolSpec("", "Search.", GOOD)],
        [ToolSpec("recall", " ", GOOD)],
        [RECALL, RECALL],
        [ToolSpec("recall", "Search.", {"type": "string"})],
        [ToolSpec("recall", "Search.", {"type": "object", "properties": {"a": {"type": "array"}}})],
        [ToolSpec("recall", "Search.", {"type": "object", "properties": {"a": {"type": "string", "format": "email"}}})],
    ],
)
def test_names_descriptions_and_shapes_are_checked(tools: list[ToolSpec]) -> None:
    with pytest.raises(BadDeclaration):
        check_declarations(tools)


async def test_a_good_declaration_passes_both(fake: FakeGemini, model: GeminiModel) -> None:
    tools = [tool(), ToolSpec("clock", "Tell the time.", {}), ToolSpec("facts", "List.", {"type": "object"})]
    check_declarations(tools)
    await model.generate(ask(user("hi"), tools=tools))
    fake.assert_all_accepted()
