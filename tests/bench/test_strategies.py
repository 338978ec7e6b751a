"""`bench strategies`: the frozen talk alone, held to the goals, and what it counts as right, lost and stale."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import chart, strategies
from bench.strategies import NEITHER, NO_LEDGER, OURS, Asked, Bar, Told
from bench.variants import variants
from memory.ports import ModelRequest
from memory.probe import frozen

CASES = {case.ref: case for case in frozen.cases()}


class NoMemory:
    name = "no memory"

    async def request(self, told: Told, question: str) -> ModelRequest:
        return await told.prompt_with(question, [])


async def test_the_frozen_talk_meets_the_goals(capsys: pytest.CaptureFixture[str]) -> None:
    assert await strategies.run(as_json=True, talks=1) == 0

    printed = json.loads(capsys.readouterr().out)
    figures = {figure["name"]: figure for figure in printed["figures"]}
    recall = {name.partition(":")[0]: figure["value"] for name, figure in figures.items() if ": recall (" in name}
    assert printed["about"]["questions"] == 14
    assert recall[OURS] == 100
    assert recall[NEITHER] < recall[NO_LEDGER] < 100


async def test_without_any_memory_no_question_is_answered(tmp_path: Path) -> None:
    asked = Asked()
    frozen_talk = variants(1, seed=1)[0]
    begun = replace(frozen_talk, turns=frozen_talk.turns[:12])

    async with strategies.telling(tmp_path / "home", begun) as told:
        await strategies.ask(told, NoMemory(), asked)

    assert (asked.right, asked.asked) == (0, 14)
    assert asked.critical_lost == sum(case.critical for case in CASES.values())


def test_an_old_value_counts_as_stale_unless_the_answer_says_that_it_was_one() -> None:
    asked = Asked()

    asked.enter(CASES["home"], "You live in Leipzig.", tokens=10)
    asked.enter(CASES["home"], "You live in Halle, no longer in Leipzig.", tokens=20)
    asked.enter(CASES["passport"], "I don't know.", tokens=30)

    assert (asked.right, asked.stale, asked.critical_lost, asked.tokens_each) == (1, 1, 1, 20)


def test_the_chart_has_a_bar_for_each_strategy(tmp_path: Path) -> None:
    one = {"full history": Bar(85.0, 79.0, 90.0, 9_000, is_ours=False)}

    chart.draw_strategies(tmp_path / "one.png", one, about="a talk")
    chart.draw_strategies(tmp_path / "two.png", {**one, OURS: Bar(100.0, 97.0, 100.0, 1_100, is_ours=True)}, about="")

    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "one.png").read_bytes() != (tmp_path / "two.png").read_bytes()
