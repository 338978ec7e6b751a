"""The Gemini model over the real library, against a strict server: what it sends, shows and returns."""

import asyncio
import gc
import logging
from typing import Any

import pytest

from bot.models.gemini import GeminiModel
from memory.errors import ModelMisconfigured
from memory.messages import (
    CallPart,
    FilePart,
    Message,
    OpaquePart,
    TextPart,
    ThoughtPart,
    media_part,
    parts_from_json,
    parts_to_json,
)
from memory.ports import ToolSpec
from tests.bot.models.talk import AT, RECALL, Screen, answers_to, ask, new_model, notice, reply_message, user
from tests.fakes.clock import FakeClock
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import call, calls, parts, say

FACTS = ToolSpec("facts", "List the facts.", {"type": "object", "properties": {}})


# --- requests


async def test_an_answer_streams_and_is_returned_whole(fake: FakeGemini, model: GeminiModel) -> None:
    screen = Screen()
    fake.script(say("The report is due on Friday.", chunks=3))
    reply = await model.generate(ask(user("When is the report due?")), on_text=screen)
    assert reply.parts == (TextPart(text="The report is due on Friday."),)
    assert screen.shown == ["The report", "The report is due on", "The report is due on Friday."]
    assert reply.model == model.name == "gemini-3.8-flash"
    assert reply.usage.prompt_tokens > 0
    assert not reply.usage.is_estimate
    assert not reply.was_cut
    fake.assert_all_accepted()


async def test_the_whole_request_that_is_sent(fake: FakeGemini, model: GeminiModel) -> None:
    await model.generate(ask(user("hi"), memory_block="Now: noon", tools=[RECALL, FACTS]))
    (request,) = fake.requests
    assert request.system == "task: chat\nBe kind."
    assert request.contents == [{"role": "user", "parts": [{"text": "hi"}, {"text": "Now: noon"}]}]
    assert request.body["tools"] == [
        {
            "functionDeclarations": [
                {"name": "recall", "description": "Search memory.", "parameters_json_schema": RECALL.parameters},
                {"name": "facts", "description": "List the facts."},
            ]
        }
    ]
    assert request.body["toolConfig"]["functionCallingConfig"]["mode"] == "AUTO"
    assert request.headers["x-goog-api-key"] == fake.api_key
    assert request.headers["x-server-timeout"] == "120"


async def test_tools_that_are_off_stay_declared(fake: FakeGemini, model: GeminiModel) -> None:
    await model.generate(ask(user("hi"), tools=[RECALL], tools_enabled=False))
    (request,) = fake.requests
    assert len(request.body["tools"][0]["functionDeclarations"]) == 1
    assert request.body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"


async def test_every_task_but_chat_goes_to_the_utility_model(fake: FakeGemini, model: GeminiModel) -> None:
    schema = {"type": "object", "properties": {"changes": {"type": "array", "items": {"type": "object"}}}}
    reply = await model.generate(ask(user("message:\nhi"), task="extract", schema=schema))
    assert reply.model == fake.requests[0].model == "gemini-3.5-flash-lite"
    config = fake.requests[0].body["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == schema
    assert reply.parts == (TextPart(text='{"changes": []}'),)
    fake.assert_all_accepted()


async def test_media_are_sent_with_their_bytes(fake: FakeGemini, model: GeminiModel) -> None:
    photo = media_part(b"pixels", "image/png")
    await model.generate(ask(Message(role="user", parts=(photo, TextPart(text="what?")), at=AT)))
    assert fake.requests[0].contents[0]["parts"][0] == {"inlineData": {"mimeType": "image/png", "data": "cGl4ZWxz"}}
    fake.assert_all_accepted()


async def test_what_is_shown_stands_right_before_the_memory_block(fake: FakeGemini, model: GeminiModel) -> None:
    photo = media_part(b"pixels", "image/png")
    await model.generate(ask(user("what?"), shown=(photo,), memory_block="Now: today"))
    words, label, shown, block = fake.requests[0].contents[0]["parts"]
    assert (words["text"], block["text"]) == ("what?", "Now: today")
    assert photo.label in label["text"]
    assert shown == {"inlineData": {"mimeType": "image/png", "data": "cGl4ZWxz"}}
    fake.assert_all_accepted()


async def test_a_shown_medium_that_the_service_refuses_is_named_instead(fake: FakeGemini, model: GeminiModel) -> None:
    sheet = media_part(b"cells", "application/vnd.ms-excel")
    await model.generate(ask(user("what?"), shown=(sheet,)))
    assert fake.refusals == ["Unsupported MIME type: application/vnd.ms-excel"]
    assert f"{sheet.label} cannot be shown" in str(fake.requests[-1].contents)


async def test_the_service_is_reached_by_the_name_of_the_chat_model(fake: FakeGemini, clock: FakeClock) -> None:
    async with new_model(fake, clock) as model:
        assert await model.reach() == model.name
    async with new_model(fake, clock, chat_model="gemini-gone") as model:
        with pytest.raises(ModelMisconfigured):
            await model.reach()


# --- tool rounds


@pytest.mark.parametrize("restarts", [False, True])
async def test_signatures_are_replayed_over_many_rounds_and_restarts(
    fake: FakeGemini, clock: FakeClock, restarts: bool
) -> None:
    fake.script(*(call("recall", {"query": f"tax {n}"}) for n in range(5)), say("Friday."), say("Monday."))
    messages = [user("When?")]
    for _ in range(5):
        async with new_model(fake, clock) as model:
            reply = await model.generate(ask(*messages, memory_block="Now: noon", tools=[RECALL]))
        message = reply_message(reply)
        if restarts:
            message = message.model_copy(update={"parts": parts_from_json(parts_to_json(message.parts))})
        messages += [message, answers_to(message)]
    async with new_model(fake, clock) as model:
        messages.append(reply_message(await model.generate(ask(*messages, tools=[RECALL]))))
        reply = await model.generate(ask(*messages, user("And then?"), tools=[RECALL]))
    assert reply.parts == (TextPart(text="Monday."),)
    fake.assert_all_accepted()


async def test_parallel_calls_keep_their_ids_and_are_answered_together(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(calls(("recall", {"query": "a"}), ("recall", {"query": "b"}), ("facts", {}), text="Let me look."))
    message = reply_message(await model.generate(ask(user("?"), tools=[RECALL, FACTS])))
    assert [part.kind for part in message.parts] == ["text", "call", "call", "call"]
    assert len({part.call_id for part in message.calls}) == 3
    await model.generate(ask(user("?"), message, answers_to(message), tools=[RECALL, FACTS]))
    fake.assert_all_accepted()


async def test_calls_without_ids_are_told_apart_and_answered_by_order_and_name(
    fake: FakeGemini, model: GeminiModel
) -> None:
    twice = calls(("recall", {"query": "a"}), ("recall", {"query": "b"}), with_ids=False)
    fake.script(twice, twice)
    messages = [user("?")]
    for _ in range(2):
        message = reply_message(await model.generate(ask(*messages, tools=[RECALL])))
        messages += [message, answers_to(message)]
    await model.generate(ask(*messages, tools=[RECALL]))
    assert len({part.call_id for message in messages for part in message.calls}) == 4
    answered = fake.requests[-1].contents[-1]["parts"]
    assert [part["functionResponse"]["name"] for part in answered] == ["recall", "recall"]
    assert [part["functionResponse"]["response"]["found"]["query"] for part in answered] == ["a", "b"]
    fake.assert_all_accepted()


async def test_the_budgets_notice_after_results_is_accepted(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(call("recall", {"query": "a"}), say("That is all I could do."))
    message = reply_message(await model.generate(ask(user("?"), tools=[RECALL])))
    history = [user("?"), message, answers_to(message), notice("Stop now and sum up.")]
    await model.generate(ask(*history, memory_block="Now: noon", tools=[RECALL], tools_enabled=False))
    fake.assert_all_accepted()


async def test_a_history_without_its_signatures_is_accepted(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(*(call("recall", {"query": str(n)}) for n in range(3)), say("ok"), call("recall", {"query": "x"}))
    messages = [user("first")]
    for _ in range(4):
        message = reply_message(await model.generate(ask(*messages, tools=[RECALL])))
        messages += [message] if not message.calls else [message, answers_to(message)]
    messages.append(user("second"))
    message = reply_message(await model.generate(ask(*messages, tools=[RECALL])))
    messages += [message, answers_to(message)]
    bare = [
        message.model_copy(
            update={"parts": tuple(part.model_copy(update={"signature": None}) for part in message.parts)}
        )
        for message in messages
    ]
    await model.generate(ask(*bare, tools=[RECALL]))
    sent = str(fake.requests[-1].contents)
    assert "first" in sent
    assert "second" in sent
    fake.assert_all_accepted()


async def test_signatures_of_another_model_are_left_out_after_one_refusal(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(call("recall", {"query": "a"}))
    message = reply_message(await model.generate(ask(user("?"), tools=[RECALL])))
    fake.forget_signatures()
    fake.script(say("Friday."))
    reply = await model.generate(ask(user("?"), message, answers_to(message), tools=[RECALL]))
    assert reply.parts == (TextPart(text="Friday."),)
    assert fake.refusals == ["Corrupted thought signature."]


async def test_a_file_that_is_gone_is_left_out_after_one_refusal(fake: FakeGemini, model: GeminiModel) -> None:
    file = FilePart(uri="https://files.example/v1beta/files/abc", mime_type="image/png")
    fake.expired_files.add(file.uri)
    reply = await model.generate(ask(Message(role="user", parts=(file, TextPart(text="what?")), at=AT)))
    assert reply.parts
    assert len(fake.requests) == 2
    assert "no longer available" in str(fake.requests[-1].contents)


async def test_a_medium_that_the_model_cannot_read_does_not_block_the_talk(
    fake: FakeGemini, model: GeminiModel
) -> None:
    sheet = media_part(b"cells", "application/vnd.ms-excel")
    reply = await model.generate(ask(Message(role="user", parts=(sheet, TextPart(text="what?")), at=AT)))
    assert reply.parts
    assert fake.refusals == ["Unsupported MIME type: application/vnd.ms-excel"]
    assert f"[document {sheet.sha256[:8]}]" in str(fake.requests[-1].contents)


async def test_a_photo_of_monday_does_not_break_thursday(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    file = FilePart(uri="https://files.example/v1beta/files/abc", mime_type="image/png")
    fake.expired_files.add(file.uri)
    clock.advance(3 * 86_400)
    await model.generate(ask(Message(role="user", parts=(file, TextPart(text="what?")), at=AT)))
    fake.assert_all_accepted()


# --- answers


async def test_a_part_of_tomorrow_is_kept_raw_and_sent_back_unchanged(fake: FakeGemini, model: GeminiModel) -> None:
    hologram: dict[str, Any] = {"hologram": {"depth": 3, "title": None}, "thoughtSignature": "c2ln"}
    fake.script(parts({"text": "Look:"}, hologram, {"text": "there"}))
    reply = await model.generate(ask(user("show me")))
    assert reply.parts == (TextPart(text="Look:"), OpaquePart(raw=hologram), TextPart(text="there"))
    await model.generate(ask(user("show me"), reply_message(reply), user("thanks")))
    assert fake.requests[-1].contents[1]["parts"][1] == hologram
    fake.assert_all_accepted()


async def test_calls_side_by_side_do_not_mix_their_raw_answers(fake: FakeGemini, model: GeminiModel) -> None:
    def answer(request: Any) -> Any:
        return parts({"hologram": {"of": request.text}}, {"text": request.text})

    fake.answer("chat", answer)
    replies = await asyncio.gather(*(model.generate(ask(user(f"number {n}"))) for n in range(8)))
    assert [reply.parts for reply in replies] == [
        (OpaquePart(raw={"hologram": {"of": f"number {n}"}}), TextPart(text=f"number {n}")) for n in range(8)
    ]


async def test_thoughts_are_kept_apart_and_never_shown(fake: FakeGemini, model: GeminiModel) -> None:
    screen = Screen()
    fake.script(say("Friday.", thought="The canary sings."))
    reply = await model.generate(ask(user("When?")), on_text=screen)
    assert reply.parts == (ThoughtPart(text="The canary sings."), TextPart(text="Friday."))
    assert screen.shown == ["Friday."]
    await model.generate(ask(user("When?"), reply_message(reply), user("Sure?")))
    fake.assert_all_accepted()


async def test_a_closing_empty_text_keeps_its_signature(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(parts({"text": "Fri"}, {"text": "day."}, {"text": "", "thoughtSignature": "c2ln"}))
    reply = await model.generate(ask(user("When?")))
    assert [part.kind for part in reply.parts] == ["text", "text"]
    assert reply.parts[1].signature == b"sig"
    await model.generate(ask(user("When?"), reply_message(reply), user("Sure?")))
    assert fake.requests[-1].contents[1]["parts"][1] == {"text": "", "thoughtSignature": "c2ln"}
    fake.assert_all_accepted()


async def test_code_and_its_result_are_kept_and_replayed(fake: FakeGemini, model: GeminiModel) -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "print(1)", "id": "e1"}}
    outcome = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1", "id": "e1"}}
    fake.script(parts(code, outcome, {"text": "It is 1."}))
    reply = await model.generate(ask(user("run it")))
    assert [part.kind for part in reply.parts] == ["code", "code_result", "text"]
    await model.generate(ask(user("run it"), reply_message(reply), user("thanks")))
    assert fake.requests[-1].contents[1]["parts"] == [code, outcome, {"text": "It is 1."}]
    fake.assert_all_accepted()


async def test_the_usage_of_a_stream_is_its_last_count(fake: FakeGemini, model: GeminiModel) -> None:
    reply = say("Friday.", chunks=2)
    counted = {"usageMetadata": {"promptTokenCount": 9, "thoughtsTokenCount": 5, "cachedContentTokenCount": 4}}
    last = {"usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3}}
    fake.script(type(reply)((reply.events[0] | counted, reply.events[1] | last)))
    usage = (await model.generate(ask(user("When?")))).usage
    assert (usage.prompt_tokens, usage.output_tokens, usage.thought_tokens, usage.cached_tokens) == (10, 3, 5, 4)


async def test_a_call_is_never_run_by_the_library(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(call("recall", {"query": "a"}))
    reply = await model.generate(ask(user("?"), tools=[RECALL]))
    assert isinstance(reply.parts[0], CallPart)
    assert len(fake.requests) == 1


# --- the client


async def test_keys_are_in_no_log_line(fake: FakeGemini, clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with new_model(fake, clock) as model:
        await model.generate(ask(user("a private word")))
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("bot")]
    assert not any("private" in line for line in ours)
    assert fake.api_key not in caplog.text


async def test_the_client_lives_as_long_as_the_model(fake: FakeGemini, model: GeminiModel) -> None:
    gc.collect()
    for _ in range(3):
        await model.generate(ask(user("hi")))
    fake.assert_all_accepted()
