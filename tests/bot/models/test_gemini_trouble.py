"""Odd endings, overload, limits, broken streams: one clean answer, or an error that says who must act."""

import asyncio
import threading
import time
from dataclasses import replace

import pytest

from bot.models.garble import NOT_RUN
from bot.models.gemini import GeminiModel
from memory.errors import (
    ModelBusy,
    ModelFault,
    ModelMisconfigured,
    ModelQuotaSpent,
    ModelRefused,
    ModelSilent,
    PromptTooLong,
)
from memory.messages import TextPart
from tests.bot.models.talk import RECALL, Screen, ask, new_model, user
from tests.fakes.clock import FakeClock
from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.gemini_replies import (
    PER_DAY,
    Reply,
    blocked,
    breaks,
    call,
    ending,
    error,
    limited,
    overloaded,
    parts,
    say,
    stalls,
)

FRIDAY = (TextPart(text="Friday."),)
HELLO = ask(user("When?"), tools=[RECALL])


# --- endings


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE"])
async def test_a_withheld_answer_is_silence_with_its_reason_and_not_asked_again(
    reason: str, fake: FakeGemini, model: GeminiModel
) -> None:
    fake.script(ending(reason))
    with pytest.raises(ModelSilent) as caught:
        await model.generate(HELLO)
    assert caught.value.reason == reason.lower()
    fake.assert_all_accepted()


async def test_words_before_a_withheld_answer_are_not_an_answer(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(ending("SAFETY", text="Well, the"))
    with pytest.raises(ModelSilent):
        await model.generate(HELLO)


async def test_a_blocked_prompt_is_silence_with_its_reason(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(blocked("PROHIBITED_CONTENT"))
    with pytest.raises(ModelSilent) as caught:
        await model.generate(HELLO)
    assert caught.value.reason == "prohibited_content"


ONCE = [
    parts(),
    ending("STOP", text=" \n"),
    say("", thought="Only thinking."),
    ending("MALFORMED_FUNCTION_CALL", message="print(recall("),
    ending("UNEXPECTED_TOOL_CALL"),
    ending("OTHER"),
]


@pytest.mark.parametrize("odd", ONCE)
async def test_an_odd_ending_is_looked_at_twice(odd: Reply, fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(odd, say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    fake.assert_all_accepted()


@pytest.mark.parametrize("odd", ONCE)
async def test_an_odd_ending_that_comes_again_is_silence(odd: Reply, fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(odd, odd)
    with pytest.raises(ModelSilent):
        await model.generate(HELLO)
    fake.assert_all_accepted()


async def test_an_output_limit_before_anything_was_said_is_silence(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(ending("MAX_TOKENS"))
    with pytest.raises(ModelSilent) as caught:
        await model.generate(HELLO)
    assert caught.value.reason == "max_tokens"
    fake.assert_all_accepted()


async def test_an_output_limit_after_words_is_a_reply_that_was_cut(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(ending("MAX_TOKENS", text="It is due on Fri"))
    reply = await model.generate(HELLO)
    assert reply.parts == (TextPart(text="It is due on Fri"),)
    assert reply.was_cut


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")
async def test_a_finish_reason_of_tomorrow_with_words_is_a_reply(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(ending("ENLIGHTENED", text="Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY


async def test_a_missing_signature_reported_at_the_end_is_repaired(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(ending("MISSING_THOUGHT_SIGNATURE"), say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY


# --- text that only looks like an answer


@pytest.mark.parametrize("unit", ["I cannot help with that. ", "no ", "I am not able to say anything about it. " * 4])
async def test_an_endless_repetition_is_cut_early_and_asked_again(
    unit: str, fake: FakeGemini, model: GeminiModel
) -> None:
    screen = Screen()
    fake.script(replace(say(unit * (20_000 // len(unit)), chunks=400), pause_s=0.001), say("Friday."))
    assert (await model.generate(HELLO, on_text=screen)).parts == FRIDAY
    assert max(len(text) for text in screen.shown) < 2_000
    assert screen.shown[-1] == "Friday."


async def test_an_endless_repetition_that_comes_again_is_silence(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(say("Sorry. " * 300), say("Sorry. " * 300))
    with pytest.raises(ModelSilent) as caught:
        await model.generate(ask(user("Sum up."), task="chat"))
    assert caught.value.reason == "repetition"


async def test_a_call_written_as_text_is_asked_again_and_not_shown(fake: FakeGemini, model: GeminiModel) -> None:
    screen = Screen()
    fake.script(
        say("<tool_call>{'name': 'recall'}</tool_call>\nI have set it.", chunks=4), call("recall", {"query": "a"})
    )
    reply = await model.generate(HELLO, on_text=screen)
    assert [part.kind for part in reply.parts] == ["call"]
    assert not any("I have set it" in text or "tool_call>" in text for text in screen.shown)


async def test_a_call_written_as_text_twice_is_cut_out_and_said_not_to_have_run(
    fake: FakeGemini, model: GeminiModel
) -> None:
    fake.script(say("```tool_code\nrecall(1)\n```"), say('Here:\nrecall(query="a")'))
    reply = await model.generate(HELLO)
    assert reply.parts == (TextPart(text=f"Here:\n\n{NOT_RUN}"),)


# --- broken streams


async def test_a_broken_stream_is_asked_again_without_doubling_text(fake: FakeGemini, model: GeminiModel) -> None:
    screen = Screen()
    answer = say("It is due on Friday at noon.", chunks=6)
    fake.script(breaks(answer, after=3), answer)
    reply = await model.generate(HELLO, on_text=screen)
    assert reply.parts == (TextPart(text="It is due on Friday at noon."),)
    assert screen.shown[-1] == "It is due on Friday at noon."
    fake.assert_all_accepted()


async def test_a_stream_that_ends_without_a_finish_reason_is_asked_again(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(say("It is due on", finish=None), Reply(), say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    fake.assert_all_accepted()


@pytest.mark.parametrize("before", [{}, {"responseId": "r1"}], ids=["alone", "among other fields"])
async def test_a_limit_after_half_a_stream_is_obeyed(
    before: dict[str, str], fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    half = say("It is due on Friday.", chunks=2)
    fake.script(Reply((half.events[0], before | limited(retry_s=38).body, half.events[1])), say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    assert clock.slept == [38]
    fake.assert_all_accepted()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html>proxy</html>",
        b"data: {\n\n",
        b"data: []\n\n",
        b'data: "text"\n\n',
        b"data: 7\n\n",
        b"data: null\n\n",
        b'data: {"candidates": 3}\n\n',
        b'data: {"candidates": [{"content": "x"}]}\n\n',
        b'data: {"candidates": [{"content": {"parts": ["x"]}}]}\n\n',
        b'data: {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": []}}]}}]}\n\n',
        b'data: {"error": "broken"}\n\n',
        b'data: {"error": {"code": "x"}}\n\n',
        b'data: {"usageMetadata": []}\n\n',
        b": keepalive\n\n",
        b"\xff\xfe\x00",
    ],
)
async def test_any_bytes_end_in_an_error_of_the_port(raw: bytes, fake: FakeGemini, model: GeminiModel) -> None:
    fake.answer("chat", lambda request: Reply(raw=raw))
    with pytest.raises(ModelFault):
        await model.generate(HELLO)


async def test_no_server_at_all_is_busy(fake: FakeGemini, clock: FakeClock) -> None:
    async with new_model(fake, clock, base_url="http://127.0.0.1:9") as model:
        with pytest.raises(ModelBusy):
            await model.generate(HELLO)
    assert clock.slept == [1, 2, 4]


# --- deadlines and cancelling


async def test_a_server_that_never_answers_is_busy_at_the_deadline_and_the_next_message_works(
    fake: FakeGemini, model: GeminiModel
) -> None:
    fake.script(stalls(), stalls())
    began = time.monotonic()
    with pytest.raises(ModelBusy):
        await model.generate(ask(user("When?"), deadline_s=0.3))
    assert time.monotonic() - began < 1.0
    fake.reset()
    assert (await model.generate(HELLO)).parts


async def test_a_stall_is_tried_again_within_the_deadline(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(stalls(), say("Friday."))
    assert (await model.generate(ask(user("When?"), deadline_s=3))).parts == FRIDAY


async def test_a_slow_stream_is_not_a_stall(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(replace(say("Friday.", chunks=7), pause_s=0.1))
    assert (await model.generate(ask(user("When?"), deadline_s=1.0))).parts == FRIDAY


async def test_cancelling_is_passed_on_and_the_model_stays_usable(fake: FakeGemini, model: GeminiModel) -> None:
    arrived = threading.Event()

    def stall(request: Request) -> Reply:
        arrived.set()
        return stalls()

    fake.answer("chat", stall)
    task = asyncio.create_task(model.generate(HELLO))
    await asyncio.to_thread(arrived.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    fake.reset()
    assert (await model.generate(HELLO)).parts


async def test_the_screens_own_failure_is_not_taken_for_the_models(fake: FakeGemini, model: GeminiModel) -> None:
    async def broken(text: str) -> None:
        raise TimeoutError("the screen")

    with pytest.raises(TimeoutError, match="the screen"):
        await model.generate(HELLO, on_text=broken)
    assert len(fake.requests) == 1


# --- limits and overload


async def test_overload_is_waited_out_briefly(fake: FakeGemini, model: GeminiModel, clock: FakeClock) -> None:
    fake.script(overloaded(), overloaded(), say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    assert clock.slept == [1, 2]
    fake.assert_all_accepted()


async def test_lasting_overload_of_the_chat_model_goes_to_the_fallback(fake: FakeGemini, model: GeminiModel) -> None:
    fake.answer("chat", lambda request: overloaded() if request.model == model.name else say("Friday."))
    reply = await model.generate(HELLO)
    assert reply.model == "gemini-3.5-flash-lite"
    assert reply.parts == FRIDAY


async def test_lasting_overload_of_all_models_is_busy(fake: FakeGemini, model: GeminiModel) -> None:
    fake.answer("chat", lambda request: overloaded())
    with pytest.raises(ModelBusy):
        await model.generate(HELLO)
    assert len(fake.requests) == 8


async def test_the_servers_delay_is_obeyed(fake: FakeGemini, model: GeminiModel, clock: FakeClock) -> None:
    fake.script(limited(retry_s=38), say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    assert clock.slept == [38]
    fake.assert_all_accepted()


async def test_the_delay_of_a_header_is_obeyed(fake: FakeGemini, model: GeminiModel, clock: FakeClock) -> None:
    fake.script(error(429, "RESOURCE_EXHAUSTED", retry_after="21"), say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    assert clock.slept == [21]


async def test_a_long_delay_is_told_at_once(fake: FakeGemini, model: GeminiModel, clock: FakeClock) -> None:
    fake.answer("chat", lambda request: limited(retry_s=300))
    with pytest.raises(ModelBusy) as caught:
        await model.generate(HELLO)
    assert caught.value.retry_after_s == 300
    assert clock.slept == []
    assert [request.model for request in fake.requests] == ["gemini-3.8-flash", "gemini-3.5-flash-lite"]


async def test_a_delay_beyond_the_deadline_is_told_at_once(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    fake.answer("chat", lambda request: limited(retry_s=38))
    with pytest.raises(ModelBusy):
        await model.generate(ask(user("When?"), deadline_s=30))
    assert clock.slept == []


async def test_a_spent_day_is_told_after_a_single_call(fake: FakeGemini, model: GeminiModel, clock: FakeClock) -> None:
    fake.script(limited(quota=PER_DAY))
    with pytest.raises(ModelQuotaSpent):
        await model.generate(HELLO)
    assert len(fake.requests) == 1
    assert clock.slept == []


async def test_a_day_named_with_a_short_delay_is_waited_for_once(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    disputed = limited(quota=PER_DAY, retry_s=36)
    fake.script(disputed, say("Friday."))
    assert (await model.generate(HELLO)).parts == FRIDAY
    fake.script(disputed, disputed)
    with pytest.raises(ModelQuotaSpent):
        await model.generate(HELLO)
    assert clock.slept == [36, 36]


# --- what the operator must mend


async def test_a_retired_chat_model_is_told_once_and_the_fallback_answers(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    fake.models.remove("gemini-3.8-flash")
    for _ in range(3):
        assert (await model.generate(HELLO)).model == "gemini-3.5-flash-lite"
    asked = [request.model for request in fake.requests]
    assert asked == ["gemini-3.8-flash", *["gemini-3.5-flash-lite"] * 3]
    assert [record.levelname for record in caplog.records if "GEMINI_MODEL" in record.getMessage()] == ["WARNING"]
    clock.advance(3700)
    fake.models.add("gemini-3.8-flash")
    assert (await model.generate(HELLO)).model == "gemini-3.8-flash"


async def test_retired_models_without_a_way_out_are_a_setting_to_mend(fake: FakeGemini, model: GeminiModel) -> None:
    fake.models.clear()
    with pytest.raises(ModelMisconfigured, match=r"gemini-3\.5-flash-lite"):
        await model.generate(HELLO)
    assert len(fake.requests) == 2


async def test_a_wrong_key_is_a_setting_to_mend(fake: FakeGemini, clock: FakeClock) -> None:
    for key in ("wrong-key", "schlüssel", "two\nlines"):
        async with new_model(fake, clock, api_key=key) as model:
            with pytest.raises(ModelMisconfigured) as caught:
                await model.generate(HELLO)
        assert key not in str(caught.value)
    assert fake.requests == []
    assert clock.slept == []


async def test_a_prompt_that_is_too_long_says_so(fake: FakeGemini, model: GeminiModel) -> None:
    fake.max_prompt_tokens = 50
    with pytest.raises(PromptTooLong):
        await model.generate(ask(user("long " * 100)))
    assert len(fake.requests) == 1


async def test_a_refused_request_is_not_repeated(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(error(400, "INVALID_ARGUMENT", "Unknown name at my diary"))
    with pytest.raises(ModelRefused) as caught:
        await model.generate(HELLO)
    assert "diary" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert len(fake.requests) == 1
