from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.prices import TOKENS_FOR_A_DOLLAR
from bot.models.spend import EXPECTED_OUTPUT, Purse, SpendingEmbedder, SpendingModel
from memory.errors import CeilingReached, ModelBusy, ModelSilent
from memory.messages import text_message
from memory.ports import ModelRequest, Spent, Task, Usage
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.model import ScriptedModel, says

PRICED, UTILITY, UNPRICED = "gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-4-argon"


def request(text: str = "Where is the key?", *, task: Task = "chat") -> ModelRequest:
    said = text_message("user", text, datetime(2027, 3, 2, tzinfo=UTC))
    return ModelRequest(task, f"task: {task}", [said])


def paid(model: ScriptedModel, purse: Purse) -> SpendingModel:
    return SpendingModel(model, purse, utility_model=UTILITY)


async def test_without_money_no_call_is_made_but_what_is_free_is(clock: FakeClock) -> None:
    purse = Purse(0.0, clock)

    with ScriptedModel(name=PRICED) as costly, pytest.raises(CeilingReached):
        await paid(costly, purse).generate(request())
    with ScriptedModel([says("In the drawer.", model="offline-reader")], name="offline-reader") as free:
        await paid(free, purse).generate(request())

    assert purse.spent() == {"chat": Spent(1, 0, 0, 0.0)}


async def test_a_call_without_a_known_price_is_limited_by_tokens_and_its_cost_is_not_known(clock: FakeClock) -> None:
    purse = Purse(0.1, clock)
    usage = Usage(prompt_tokens=int(TOKENS_FOR_A_DOLLAR * 0.1) - 2_000)

    with ScriptedModel([says("Here.", usage=usage, model=UNPRICED)] * 2, name=UNPRICED) as model:
        await paid(model, purse).generate(request())
        await paid(model, purse).generate(request())
        with pytest.raises(CeilingReached):
            await paid(model, purse).generate(request())

    assert purse.spent()["chat"].usd is None


async def test_without_a_ceiling_all_calls_are_made(clock: FakeClock) -> None:
    purse = Purse(None, clock)
    usage = Usage(prompt_tokens=1_000_000_000)

    with ScriptedModel([says("Here.", usage=usage, model=PRICED)] * 2, name=PRICED) as model:
        await paid(model, purse).generate(request())
        await paid(model, purse).generate(request())

    assert purse.spent()["chat"].usd == pytest.approx(3_000.0)


async def test_tasks_are_priced_by_the_model_that_will_answer_them(clock: FakeClock) -> None:
    purse = Purse(0.0015, clock)

    with ScriptedModel([says("YES", model=UTILITY)], name=PRICED) as model:
        await paid(model, purse).generate(request(task="judge"))
        with pytest.raises(CeilingReached):
            await paid(model, purse).generate(request())


async def test_an_answer_that_came_to_nothing_is_paid_and_one_that_was_never_made_is_not(clock: FakeClock) -> None:
    purse = Purse(1.0, clock)

    with ScriptedModel([ModelSilent("safety"), ModelBusy("no network")], name=PRICED) as model:
        for fault in (ModelSilent, ModelBusy):
            with pytest.raises(fault):
                await paid(model, purse).generate(request())

    assert purse.spent()["chat"].calls == 2
    assert purse.spent()["chat"].output_tokens == EXPECTED_OUTPUT["chat"]


async def test_vectors_are_counted_as_a_task_of_their_own(clock: FakeClock) -> None:
    purse = Purse(1.0, clock)

    await SpendingEmbedder(FakeEmbedder(), purse).embed(["four words of text"] * 3, task="document", timeout_s=1)

    assert (purse.spent()["embed"].calls, purse.spent()["embed"].prompt_tokens) == (1, 15)


async def test_vectors_are_refused_before_the_embedder_is_asked(clock: FakeClock) -> None:
    embedder = FakeEmbedder()

    with pytest.raises(CeilingReached):
        await SpendingEmbedder(embedder, Purse(0.0, clock)).embed(["a text"], task="query", timeout_s=1)

    assert embedder.asked == []


calls = st.lists(st.tuples(st.sampled_from([PRICED, UTILITY, UNPRICED]), st.integers(0, 50_000)), max_size=40)


@given(calls, st.floats(0, 0.5))
def test_what_is_spent_never_goes_beyond_the_ceiling_when_estimates_hold(
    made: Sequence[tuple[str, int]], allowance_usd: float
) -> None:
    purse = Purse(allowance_usd, FakeClock())
    tasks: dict[str, Task] = {PRICED: "chat", UTILITY: "extract", UNPRICED: "judge"}
    for model, prompt_tokens in made:
        usage = purse.expected(tasks[model], prompt_tokens)
        try:
            purse.check(model, usage)
        except CeilingReached:
            continue
        purse.count(tasks[model], model, usage)

    spent = purse.spent()
    unpriced = spent.get("judge", Spent())
    assert sum(total.usd or 0.0 for total in spent.values()) <= allowance_usd + 1e-9
    assert unpriced.prompt_tokens + unpriced.output_tokens <= allowance_usd * TOKENS_FOR_A_DOLLAR
