"""Parts survive the way from the provider through storage and back, whatever they hold."""

import base64
from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from bot.models.parts import part_from_wire, part_to_wire
from memory.messages import (
    CallPart,
    MediaPart,
    OpaquePart,
    Part,
    TextPart,
    ThoughtPart,
    parts_from_json,
    parts_to_json,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(st.text(max_size=6), json_values, max_size=4)
names = st.text(min_size=1, max_size=12)
maybe_bool = st.none() | st.booleans()


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


picture = types.FunctionResponsePart(inline_data=types.FunctionResponseBlob(data=b"x", mime_type="image/png"))
kinds = st.one_of(
    st.fixed_dictionaries({"text": st.text(), "thought": maybe_bool}),
    st.fixed_dictionaries(
        {
            "function_call": st.builds(
                types.FunctionCall, id=maybe(names), name=maybe(names), args=maybe(objects), will_continue=maybe_bool
            )
        }
    ),
    st.fixed_dictionaries(
        {
            "function_response": st.builds(
                types.FunctionResponse,
                id=maybe(names),
                name=maybe(names),
                response=maybe(objects),
                scheduling=maybe(st.sampled_from(types.FunctionResponseScheduling)),
                parts=st.none()
                | st.just([types.FunctionResponsePart(inline_data=types.FunctionResponseBlob(data=b"x"))]),
            )
        }
    ),
    st.fixed_dictionaries(
        {
            "inline_data": st.builds(
                types.Blob, data=maybe(st.binary()), mime_type=maybe(names), display_name=maybe(names)
            )
        }
    ),
    st.fixed_dictionaries(
        {
            "file_data": st.builds(
                types.FileData, file_uri=maybe(names), mime_type=maybe(names), display_name=maybe(names)
            )
        }
    ),
    st.fixed_dictionaries(
        {
            "executable_code": st.builds(
                types.ExecutableCode,
                code=maybe(st.text()),
                language=maybe(st.sampled_from(types.Language)),
                id=maybe(names),
            )
        }
    ),
    st.fixed_dictionaries(
        {
            "code_execution_result": st.builds(
                types.CodeExecutionResult,
                outcome=maybe(st.sampled_from(types.Outcome)),
                output=maybe(st.text()),
                id=maybe(names),
            )
        }
    ),
    st.fixed_dictionaries({"tool_call": st.builds(types.ToolCall, id=maybe(names), args=maybe(objects))}),
    st.fixed_dictionaries({"tool_response": st.builds(types.ToolResponse, id=maybe(names), response=maybe(objects))}),
    st.fixed_dictionaries({"audio_transcription": st.builds(types.Transcription, text=maybe(st.text()))}),
)
sdk_parts = st.builds(
    lambda kind, signature, metadata, video: types.Part(
        **kind, thought_signature=signature, part_metadata=metadata, video_metadata=video
    ),
    kinds,
    maybe(st.binary()),
    maybe(objects),
    maybe(st.builds(types.VideoMetadata, fps=maybe(st.just(2.0)), start_offset=maybe(st.just("3s")))),
)


def to_wire(part: types.Part) -> dict[str, Any]:
    return part.model_dump(mode="json", by_alias=True, exclude_none=True)


def stored_and_loaded(part: Part) -> Part:
    (loaded,) = parts_from_json(parts_to_json([part]))
    if isinstance(part, MediaPart):
        assert isinstance(loaded, MediaPart)
        return loaded.model_copy(update={"data": part.data})
    return loaded


@given(sdk_parts)
def test_any_part_of_the_library_survives_storage_and_is_sent_back_equal(part: types.Part) -> None:
    ours = part_from_wire(to_wire(part), call_id="synth-1")
    loaded = stored_and_loaded(ours)
    assert loaded == ours
    assert types.Part.model_validate(part_to_wire(loaded)) == part


@given(sdk_parts)
def test_the_known_kinds_are_not_opaque(part: types.Part) -> None:
    ours = part_from_wire(to_wire(part), call_id="synth-1")
    if part.text is not None:
        assert isinstance(ours, ThoughtPart if part.thought else TextPart)
        assert ours.text == part.text
        assert ours.signature == part.thought_signature
    if part.function_call is not None and part.function_call.name is not None:
        assert isinstance(ours, CallPart)
        assert ours.args == (part.function_call.args or {})
        assert ours.call_id == (part.function_call.id or "synth-1")
    if part.inline_data is not None and part.inline_data.data and part.inline_data.mime_type:
        assert isinstance(ours, MediaPart)
        assert ours.data == part.inline_data.data


@pytest.mark.parametrize(
    "raw",
    [
        {"hologram": {"depth": 3}, "thoughtSignature": "c2ln"},
        {"text": "a", "functionCall": {"name": "f"}},
        {"functionCall": {"args": {}}},
        {"functionCall": "nonsense"},
        {"text": 7},
        {"text": "a", "thoughtSignature": "not base64!"},
        {"inlineData": {"mimeType": "image/png", "data": "*"}},
        {},
    ],
)
def test_what_is_of_no_known_kind_is_kept_and_sent_back_as_it_came(raw: dict[str, Any]) -> None:
    part = part_from_wire(raw, call_id="synth-1")
    assert isinstance(part, OpaquePart)
    assert part_to_wire(stored_and_loaded(part)) == raw


def test_fields_of_tomorrow_on_a_known_part_are_sent_back() -> None:
    raw = {"functionCall": {"id": "c1", "name": "f", "args": {"a": None}, "priority": "high"}, "mood": {"calm": True}}
    part = stored_and_loaded(part_from_wire(raw, call_id="synth-1"))
    assert isinstance(part, CallPart)
    assert part_to_wire(part) == raw


@given(st.binary(min_size=1), st.booleans())
def test_signatures_are_read_in_either_alphabet_padded_or_not(signature: bytes, is_padded: bool) -> None:
    for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
        text = encode(signature).decode()
        part = part_from_wire({"text": "", "thoughtSignature": text if is_padded else text.rstrip("=")}, call_id="")
        assert part.signature == signature


def test_an_id_that_was_made_up_is_never_sent() -> None:
    part = part_from_wire({"functionCall": {"name": "f", "args": {"a": 1}}}, call_id="synth-4")
    assert isinstance(part, CallPart)
    assert part.call_id == "synth-4"
    assert part_to_wire(part) == {"functionCall": {"name": "f", "args": {"a": 1}}}


@pytest.mark.parametrize(
    "raw",
    [
        {"text": "a\ud800b\ud83d\ude00"},
        {"functionCall": {"name": "n", "args": {"\ud800": ["\udc00"]}}},
        {"x": "\ud800"},
    ],
)
def test_halves_of_signs_can_be_stored(raw: dict[str, Any]) -> None:
    part = part_from_wire(raw, call_id="c")
    assert parts_from_json(parts_to_json([part])) == (part,)
    assert "text" not in raw or part == TextPart(text="a\ufffdb\N{GRINNING FACE}")
