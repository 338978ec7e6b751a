"""The fake refuses what Gemini would: a fake that accepts everything proves nothing."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import call, calls, say
from tests.fakes.gemini_rules import UNSIGNED_CALL

STREAM = "gemini-3.8-flash:streamGenerateContent?alt=sse"
WHOLE = "gemini-3.8-flash:generateContent"


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    with httpx2.Client() as client:
        yield client


def post(
    http: httpx2.Client,
    fake: FakeGemini,
    contents: list[Any],
    *,
    path: str = WHOLE,
    version: str = "v1beta",
    **body: Any,
) -> httpx2.Response:
    headers = {"x-goog-api-key": body.pop("key", fake.api_key)}
    return http.post(f"{fake.url}/{version}/models/{path}", json={"contents": contents, **body}, headers=headers)


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def asks(call_id: str = "c1", name: str = "f", signature: str | None = UNSIGNED_CALL) -> dict[str, Any]:
    part: dict[str, Any] = {"functionCall": {"id": call_id, "name": name, "args": {}}}
    return part | ({"thoughtSignature": signature} if signature else {})


def answers(call_id: str = "c1", name: str = "f") -> dict[str, Any]:
    return {"functionResponse": {"id": call_id, "name": name, "response": {"ok": 1}}}


HI = user({"text": "hi"})
OK = model({"text": "ok"})

REFUSED: dict[str, list[Any]] = {
    "nothing": [],
    "no parts": [user()],
    "an empty part": [user({})],
    "empty text": [user({"text": ""})],
    "a part of two kinds": [user({"text": "a", "functionCall": {"name": "f"}})],
    "an unknown part": [user({"hologram": {}})],
    "an unknown role": [{"role": "tool", "parts": [{"text": "a"}]}],
    "model first": [OK, HI],
    "model last": [HI, OK],
    "a call after a model turn": [HI, OK, model(asks()), user(answers())],
    "no results": [HI, model(asks()), HI],
    "fewer results": [HI, model(asks(), asks("c2", signature=None)), user(answers())],
    "more results": [HI, model(asks()), user(answers(), answers("c2"))],
    "results in another order": [HI, model(asks(), asks("c2", signature=None)), user(answers("c2"), answers())],
    "another id": [HI, model(asks()), user(answers("c9"))],
    "another name": [HI, model(asks()), user(answers(name="g"))],
    "text beside results": [HI, model(asks()), user(answers(), {"text": "a"})],
    "results of nothing": [HI, OK, user(answers())],
    "a response that is no object": [HI, model(asks()), user({"functionResponse": {"id": "c1", "name": "f"}})],
    "no signature in the current turn": [HI, model(asks(signature=None)), user(answers())],
    "no signature in a later step": [
        HI, model(asks()), user(answers()), model(asks("c2", signature=None)), user(answers("c2")),
    ],
    "a signature of somebody else": [HI, model(asks(signature=base64.b64encode(b"x").decode())), user(answers())],
    "media of a type nobody reads": [user({"inlineData": {"mimeType": "application/zip", "data": "eA=="}})],
    "media of a type that is nearly one": [user({"inlineData": {"mimeType": "image/gif", "data": "eA=="}})],
    "media that are not base64": [user({"inlineData": {"mimeType": "image/png", "data": "???"}})],
    "more media than a request holds": [user(*[{"inlineData": {"mimeType": "image/png", "data": "eHh4" * 2**20}}] * 6)],
    "media without bytes": [user({"inlineData": {"mimeType": "image/png", "data": ""}})],
}  # fmt: skip


@pytest.mark.parametrize("contents", REFUSED.values(), ids=REFUSED)
def test_a_broken_rule_is_refused(contents: list[Any], fake: FakeGemini, http: httpx2.Client) -> None:
    assert post(http, fake, contents).status_code == 400
    with pytest.raises(AssertionError, match="refused"):
        fake.assert_all_accepted()


ACCEPTED: dict[str, list[Any]] = {
    "words": [HI],
    "a talk": [HI, OK, HI],
    "an unsigned call of an older turn": [HI, model(asks(signature=None)), user(answers()), OK, HI],
    "a note after results": [HI, model(asks()), user(answers()), HI],
    "snake case": [
        user({"inline_data": {"mime_type": "image/png", "data": "eA=="}}),
        model({"function_call": {"id": "c", "name": "f"}, "thought_signature": UNSIGNED_CALL}),
        user({"function_response": {"id": "c", "name": "f", "response": {}}}),
    ],
}


@pytest.mark.parametrize("contents", ACCEPTED.values(), ids=ACCEPTED)
def test_a_sound_history_is_accepted(contents: list[Any], fake: FakeGemini, http: httpx2.Client) -> None:
    assert post(http, fake, contents).status_code == 200
    fake.assert_all_accepted()


def test_a_signature_belongs_to_its_call_alone(fake: FakeGemini, http: httpx2.Client) -> None:
    fake.script(calls(("f", {}), ("g", {})), say("done"))
    first, second = post(http, fake, [HI]).json()["candidates"][0]["content"]["parts"]
    assert "thoughtSignature" not in second
    ids = [part["functionCall"]["id"] for part in (first, second)]
    results = user(answers(ids[0]), answers(ids[1], "g"))
    assert post(http, fake, [HI, model(first, second), results]).status_code == 200
    stolen = {**second, "thoughtSignature": first["thoughtSignature"]}
    assert post(http, fake, [HI, model(stolen), user(answers(ids[1], "g"))]).status_code == 400


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"key": "wrong"}, 400),
        ({"version": "v1"}, 404),
        ({"path": "gemini-1.0:generateContent"}, 404),
        ({"path": "gemini-3.8-flash:dream"}, 404),
        ({"generationConfig": {"presencePenalty": 1}}, 400),
        ({"generationConfig": {"responseSchema": {"type": "object"}}}, 400),
        ({"generation_config": {"response_mime_type": "application/json", "response_schema": {"type": "OBJECT"}}}, 200),
        ({"toolConfig": {"functionCallingConfig": {"mode": "SOMETIMES"}}}, 400),
        ({"tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "object"}}]}]}, 400),
        ({"tools": [{"function_declarations": [{"name": "f"}]}]}, 200),
    ],
)
def test_key_version_model_and_settings_are_checked(
    changes: dict[str, Any], status: int, fake: FakeGemini, http: httpx2.Client
) -> None:
    assert post(http, fake, [HI], **changes).status_code == status


@pytest.mark.parametrize(
    ("schema", "status"),
    [
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "additionalProperties": False}, 200),
        ({"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}, 200),
        ({"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}, 400),
        ({"type": "object", "properties": {"a": {"type": "string", "const": "x"}}}, 400),
        ({"type": "object", "required": ["a"]}, 400),
    ],
)
def test_the_schema_of_a_json_answer_is_checked(
    schema: dict[str, Any], status: int, fake: FakeGemini, http: httpx2.Client
) -> None:
    config = {"responseMimeType": "application/json", "responseJsonSchema": schema}
    assert post(http, fake, [HI], generationConfig=config).status_code == status


def test_the_answer_depends_on_the_task(fake: FakeGemini, http: httpx2.Client) -> None:
    def ask(task: str, text: str) -> str:
        instruction = {"parts": [{"text": f"task: {task}\nDo it."}]}
        answer = post(http, fake, [user({"text": text})], systemInstruction=instruction).json()
        return str(answer["candidates"][0]["content"]["parts"][0]["text"])

    fake.script(say("scripted"))
    assert json.loads(ask("extract", "message:\nhi")) == {"changes": []}
    assert "hello there" in ask("summarise", "hello there")
    assert ask("judge", "question: q\nexpected: Friday\nquote: x\nanswer: on Friday") == "YES"
    assert ask("judge", "question: q\nexpected: Friday\nquote: x\nanswer: unknown") == "NO"
    assert ask("chat", "hi") == "scripted"
    assert [request.task for request in fake.of_task("judge")] == ["judge", "judge"]


def test_a_stream_and_a_whole_answer_say_the_same(fake: FakeGemini, http: httpx2.Client) -> None:
    fake.script(say("one two three", chunks=3), say("one two three", chunks=3))
    whole = post(http, fake, [HI]).json()["candidates"][0]["content"]["parts"]
    lines = post(http, fake, [HI], path=STREAM).text.split("\r\n\r\n")[:-1]
    streamed = [json.loads(line.removeprefix("data: "))["candidates"][0]["content"]["parts"][0] for line in lines]
    assert whole == streamed
    assert "".join(part["text"] for part in whole) == "one two three"


def test_a_scripted_reply_that_nobody_asked_for_is_reported(fake: FakeGemini) -> None:
    fake.script(call("f"))
    with pytest.raises(AssertionError, match="nobody asked"):
        fake.assert_all_accepted()
