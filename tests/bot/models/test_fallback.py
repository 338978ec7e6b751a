"""Another model answers where the chat model is gone, overloaded or at its limit, and it comes back by itself."""

import base64

import pytest

from bot.models.gemini import GeminiModel
from bot.models.history import UNSIGNED_CALL
from memory.errors import ModelBusy, ModelMisconfigured
from memory.messages import TextPart
from tests.bot.models.talk import RECALL, answers_to, ask, new_model, reply_message, user
from tests.fakes.clock import FakeClock
from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.gemini_replies import Reply, call, error, limited, overloaded, say

CHAT, LITE = "gemini-3.8-flash", "gemini-3.5-flash-lite"
HELLO = ask(user("When?"), tools=[RECALL])


def unless_lite(reply: Reply, then: Reply) -> object:
    """Return a responder for which the chat model gives one reply and every other model another."""
    return lambda request: reply if request.model == CHAT else then


def asked(fake: FakeGemini) -> list[str]:
    return [request.model for request in fake.requests]


@pytest.mark.parametrize("trouble", [overloaded(), limited(retry_s=300), limited(retry_s=38), limited()])
async def test_an_answer_of_another_model_says_whose_it_is_and_why(
    trouble: Reply, fake: FakeGemini, model: GeminiModel
) -> None:
    fake.answer("chat", lambda request: trouble if request.model == CHAT else say("Friday."))
    reply = await model.generate(HELLO)
    assert (reply.model, reply.text) == (LITE, "Friday.")
    assert isinstance(reply.fault, ModelBusy)
    fake.assert_all_accepted()


async def test_an_answer_of_the_chat_model_has_no_fault(fake: FakeGemini, model: GeminiModel) -> None:
    fake.script(overloaded(), say("Friday."))
    assert (await model.generate(HELLO)).fault is None
    assert (await model.generate(ask(user("Read."), task="extract"))).fault is None


async def test_the_fallback_of_the_settings_is_asked_with_the_same_request(fake: FakeGemini, clock: FakeClock) -> None:
    fake.models.add("gemini-3.1-flash-lite")
    fake.models.remove(CHAT)
    async with new_model(fake, clock, fallback_model="gemini-3.1-flash-lite") as model:
        reply = await model.generate(HELLO)
    assert reply.model == "gemini-3.1-flash-lite"
    assert isinstance(reply.fault, ModelMisconfigured)
    first, second = fake.requests
    assert first.body == second.body


@pytest.mark.parametrize(("trouble", "rest_s"), [(overloaded(), 60), (limited(), 60), (limited(retry_s=300), 300)])
async def test_the_chat_model_is_passed_over_for_a_while_and_then_comes_back(
    trouble: Reply, rest_s: int, fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    fake.answer("chat", lambda request: trouble if request.model == CHAT else say("Friday."))
    await model.generate(HELLO)
    fake.requests.clear()

    clock.advance(rest_s - 1)
    assert (await model.generate(HELLO)).fault is not None
    assert asked(fake) == [LITE]

    fake.answer("chat", lambda request: say("Monday."))
    clock.advance(1)
    reply = await model.generate(HELLO)
    assert (reply.model, reply.text, reply.fault) == (CHAT, "Monday.", None)


async def test_waiting_for_a_limit_leaves_time_for_another_model(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    fake.answer("chat", lambda request: limited(retry_s=38) if request.model == CHAT else say("Friday."))
    assert (await model.generate(HELLO)).text == "Friday."
    assert clock.slept == [38, 38], "the third wait would have taken the rest of the deadline"


async def test_a_limit_that_is_over_in_time_is_waited_out(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    fake.script(limited(retry_s=38), say("Friday."))
    assert (await model.generate(HELLO)).model == CHAT
    assert clock.slept == [38]


def signatures(request: Request) -> set[bytes]:
    parts = [part for content in request.contents for part in content["parts"]]
    found = (part["thoughtSignature"] for part in parts if "thoughtSignature" in part)
    return {base64.urlsafe_b64decode(one.replace("+", "-").replace("/", "_")) for one in found}


async def test_in_the_middle_of_a_turn_no_signature_of_another_model_is_sent(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    fake.script(call("recall", {"query": "tax"}))
    first = reply_message(await model.generate(HELLO))
    steps = [user("When?"), first, answers_to(first)]
    fake.answer("chat", lambda request: overloaded() if request.model == CHAT else call("recall", {"query": "due"}))

    second = await model.generate(ask(*steps, tools=[RECALL]))

    assert signatures(fake.requests[-2]) == {first.calls[0].signature}
    assert signatures(fake.requests[-1]) == {UNSIGNED_CALL}
    fake.assert_all_accepted()

    # And back: what the other one signed means nothing to the chat model, which says so once.
    fake.forget_signatures()
    fake.answer("chat", lambda request: say("Friday."))
    clock.advance(60)
    more = reply_message(second)
    reply = await model.generate(ask(*steps, more, answers_to(more), tools=[RECALL]))
    assert (reply.model, reply.parts) == (CHAT, (TextPart(text="Friday."),))
    assert len(fake.refusals) == 1


@pytest.mark.parametrize(("gone", "busy"), [(LITE, CHAT), (CHAT, LITE)])
async def test_both_out_of_reach_is_busy_even_where_one_does_not_exist(
    gone: str, busy: str, fake: FakeGemini, model: GeminiModel
) -> None:
    fake.models.remove(gone)
    fake.answer("chat", lambda request: overloaded())
    with pytest.raises(ModelBusy, match=busy):
        await model.generate(HELLO)


@pytest.mark.parametrize("final", [error(400, "INVALID_ARGUMENT"), error(403, "PERMISSION_DENIED")])
async def test_what_another_model_would_refuse_too_is_not_put_to_it(
    final: Reply, fake: FakeGemini, model: GeminiModel
) -> None:
    def refused(request: Request) -> Reply:
        return final

    fake.answer("chat", refused)
    with pytest.raises(Exception, match="HTTP 40"):
        await model.generate(HELLO)
    assert asked(fake) == [CHAT]
