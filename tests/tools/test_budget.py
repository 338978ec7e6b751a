"""How many calls a turn may make, and which of them run."""

from hypothesis import given
from hypothesis import strategies as st

from memory.messages import CallPart, Message
from tests.fakes.clock import FakeClock
from tools.budget import Budget


def call(name: str, **args: object) -> CallPart:
    return CallPart(call_id="x", name=name, args=dict(args))


def asked(*calls: CallPart) -> Message:
    return Message(role="model", parts=calls, at=FakeClock().now(), origin="model")


def results() -> Message:
    return Message(role="tool", parts=(), at=FakeClock().now(), origin="tool")


def test_parallel_calls_each_count_and_those_past_the_limit_do_not_run() -> None:
    budget = Budget(3, ("a",))
    assert budget.judge([call("b"), call("c"), call("d"), call("e")]) == ["run", "run", "over_budget", "over_budget"]


def test_the_third_identical_call_anywhere_in_the_turn_is_not_run() -> None:
    first, other = call("recall", query="x"), call("clock")
    budget = Budget.of_turn([asked(first, other), results(), asked(first), results(), asked(first)], 15)
    assert not budget.is_spent
    assert budget.judge([first]) == ["repeated"]


def test_after_a_third_identical_call_tools_are_off() -> None:
    same = call("recall", query="x")
    messages = [asked(same), results(), asked(same), results(), asked(same), results()]
    assert Budget.of_turn(messages, 15).is_spent
    assert Budget.of_turn(messages, 15).judge([call("clock")]) == ["over_budget"]


def test_the_order_of_arguments_makes_no_difference() -> None:
    assert call("a", x=1, y=2).fingerprint == call("a", y=2, x=1).fingerprint
    assert call("a", x=1).fingerprint != call("a", x="1").fingerprint


def test_calls_that_wait_for_their_answer_are_not_counted_yet() -> None:
    waiting = asked(call("a"), call("b"))
    assert Budget.of_turn([waiting], 2).made == ()
    assert Budget.of_turn([waiting, results()], 2).is_spent


def test_a_limit_of_zero_runs_nothing() -> None:
    assert Budget(0).is_spent
    assert Budget(0).judge([call("a")]) == ["over_budget"]


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), max_size=8), st.integers(0, 15))
def test_never_more_calls_run_than_the_limit_and_each_gets_a_verdict(steps: list[list[str]], limit: int) -> None:
    budget, ran = Budget(limit), 0
    for step in steps:
        calls = [call(name) for name in step]
        verdicts = budget.judge(calls)
        assert len(verdicts) == len(calls)
        ran += verdicts.count("run")
        budget = Budget(limit, (*budget.made, *(c.fingerprint for c in calls)))
    assert ran <= limit
