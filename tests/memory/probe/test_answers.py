"""Answers: patterns first, the judge on misses, repeats while the value stands in the prompt."""

from typing import Any

import pytest

from memory.errors import CeilingReached, ModelBusy, ModelSilent
from memory.ports import ModelReply
from memory.probe.answers import Answers, Heard, hear, is_admitted, put
from memory.probe.judge import Judge
from tests.fakes.model import calls
from tests.memory.probe.scripted import ScriptedAssistant, answering, case_of, closed, evidence_of, prompt

RIGHT, MISSING, UNKNOWN = Heard("right"), Heard("missing"), Heard(None)
DONT_KNOW = "I don't have that."


async def answers_of(assistant: ScriptedAssistant, **more: Any) -> Answers:
    case = case_of("16:00", former=["15:00"])
    answers = await put(assistant, Judge(assistant), evidence_of(case, **more))
    closed(assistant)
    return answers


async def test_an_answer_that_the_patterns_recognise_needs_no_judge() -> None:
    assert await answers_of(answering("At 16:00.", DONT_KNOW)) == Answers(RIGHT, MISSING)


async def test_the_prompts_are_put_as_they_were_assembled() -> None:
    assistant, case = answering("16:00", DONT_KNOW), case_of()
    evidence = evidence_of(case)

    await put(assistant, Judge(assistant), evidence)

    assert evidence.absent is not None
    assert assistant.asked == [evidence.present.request, evidence.absent.request]


async def test_a_phrasing_that_no_pattern_knows_goes_to_the_judge() -> None:
    answers = await answers_of(answering("Four in the afternoon.", DONT_KNOW, judge=["YES"]))

    assert answers.present == Heard("right", is_judged=True)


async def test_an_answer_that_only_ends_in_doubt_goes_to_the_judge() -> None:
    answers = await answers_of(answering("Four in the afternoon. I don't know the room.", DONT_KNOW, judge=["YES"]))

    assert answers.present == Heard("right", is_judged=True)


async def test_an_answer_from_a_prompt_without_the_value_is_heard_by_the_same_rule() -> None:
    answers = await answers_of(answering("16:00", "Four in the afternoon.", judge=["YES"]))

    assert answers.absent == Heard("right", is_judged=True)


async def test_a_miss_is_asked_twice_more_while_the_value_stands_in_the_prompt() -> None:
    assistant = answering("At noon.", DONT_KNOW, "At 17:00.", DONT_KNOW, judge=["NO", "NO"])

    assert await answers_of(assistant) == Answers(Heard("missing", is_judged=True), MISSING)


async def test_one_miss_of_three_is_forgiven() -> None:
    assert (await answers_of(answering("Hm, at noon.", "16:00", "16:00.", DONT_KNOW, judge=["NO"]))).present == RIGHT


async def test_one_hit_of_three_is_not_enough() -> None:
    assert (await answers_of(answering(DONT_KNOW, "16:00", DONT_KNOW, DONT_KNOW))).present == MISSING


async def test_a_miss_from_a_clean_prompt_is_not_asked_again() -> None:
    assert (await answers_of(answering("16:00", "At noon.", judge=["NO"]))).absent == Heard("missing", is_judged=True)


async def test_a_former_value_instead_of_the_new_one_is_stale() -> None:
    assistant = answering("At 15:00.", "At 15:00.", DONT_KNOW, DONT_KNOW, judge=["NO", "NO"])

    assert (await answers_of(assistant)).present == Heard("stale", is_judged=True)


async def test_a_former_value_named_as_former_beside_the_new_one_is_right() -> None:
    assert (await answers_of(answering("It used to be 15:00, now 16:00.", DONT_KNOW))).present == RIGHT


async def test_a_value_that_is_denied_is_not_stated() -> None:
    assistant = answering("It is not at 16:00.", "I can't say whether it's 16:00.", DONT_KNOW, DONT_KNOW, judge=["NO"])

    assert (await answers_of(assistant)).present == Heard("missing", is_judged=True)


@pytest.mark.parametrize("nonsense", ["<html>502 Bad Gateway</html>", "lorem ipsum", "👍", "{}"])
async def test_an_answer_about_something_else_is_a_miss(nonsense: str) -> None:
    assistant = answering(*[nonsense] * 4, judge=["NO"] * 4)

    assert (await answers_of(assistant)).present == Heard("missing", is_judged=True)


@pytest.mark.parametrize("reply", [calls(("recall", {"query": "bank"})), ModelReply((), model="scripted")])
async def test_an_answer_without_words_is_a_miss_that_needs_no_judge(reply: ModelReply) -> None:
    assert (await answers_of(answering(*[reply] * 4))).present == MISSING


async def test_a_model_that_fails_leaves_the_answer_unknown_and_the_next_is_asked() -> None:
    assert await answers_of(answering(ModelBusy("503"), DONT_KNOW)) == Answers(UNKNOWN, MISSING)
    assert await answers_of(answering("16:00", ModelSilent("safety"))) == Answers(RIGHT, UNKNOWN)


async def test_a_repeat_that_fails_decides_nothing() -> None:
    assert (await answers_of(answering(DONT_KNOW, "16:00", ModelBusy("503"), DONT_KNOW))).present == UNKNOWN


async def test_two_misses_decide_even_if_the_third_answer_never_came() -> None:
    assert (await answers_of(answering(DONT_KNOW, DONT_KNOW, ModelBusy("503"), DONT_KNOW))).present == MISSING


@pytest.mark.parametrize("word", [ModelBusy("503"), "I would say yes"])
async def test_a_judge_without_a_verdict_leaves_the_answer_unknown(word: str | ModelBusy) -> None:
    assert (await answers_of(answering("Four.", DONT_KNOW, judge=[word]))).present == UNKNOWN


async def test_the_end_of_the_money_ends_it_wherever_it_comes() -> None:
    for assistant in (
        answering(CeilingReached()),
        answering("16:00", CeilingReached()),
        answering("Four.", judge=[CeilingReached()]),
    ):
        with pytest.raises(CeilingReached):
            await put(assistant, Judge(assistant), evidence_of(case_of()))


async def test_a_prompt_that_lacks_the_value_is_not_put_nor_one_that_is_not_clean() -> None:
    assert await answers_of(answering(DONT_KNOW), layers=()) == Answers(None, MISSING)
    assert await answers_of(answering("16:00"), absent=None) == Answers(RIGHT, None)


async def test_a_day_with_a_dot_ends_no_sentence() -> None:
    case = case_of("28. März um 3:30", r"(?s)\A(?=.*?28\. März)(?=.*?3:30)")
    assistant = answering()

    assert await hear(Judge(assistant), case, "Das ist am 28. März um 3:30.") == RIGHT
    assert assistant.asked == []


async def test_parts_of_a_value_that_two_sentences_hold_are_not_the_value() -> None:
    case = case_of("12 March 17:30", r"(?s)\A(?=.*?12 March)(?=.*?17:30)")
    assistant = answering(judge=["NO"])

    assert await hear(Judge(assistant), case, "The report: 17:30 on 12 March.") == RIGHT
    apart = await hear(Judge(assistant), case, "The report is due on 12 March. The dentist is at 17:30.")
    assert apart == Heard("missing", is_judged=True)


async def test_a_pattern_that_never_ends_leaves_the_answer_unknown() -> None:
    case = case_of("aaaa", r"(a+)+\1+b$", quote="aaaa")
    assistant = answering()

    assert await hear(Judge(assistant), case, "a" * 4_000) == UNKNOWN


@pytest.mark.parametrize(("answer", "is_right"), [(DONT_KNOW, True), ("There are 84 steps.", False)])
async def test_what_nobody_told_must_be_admitted(answer: str, is_right: bool) -> None:
    assert await is_admitted(answering(answer), prompt("How many steps lead up to it?")) is is_right


async def test_no_answer_to_what_nobody_told_is_not_known() -> None:
    assert await is_admitted(answering(ModelBusy("503")), prompt("How many steps lead up to it?")) is None
    with pytest.raises(CeilingReached):
        await is_admitted(answering(CeilingReached()), prompt("How many?"))
