from pathlib import Path
from typing import get_args

import pytest

from bot.models.reader import OfflineReader
from bot.probing.fingerprint import BEARING, fingerprint, prompt_texts
from bot.settings import Settings
from memory.ports import Task
from memory.probe.judge import SYSTEM as JUDGE
from tests.bot.turn.chat import chat_over

UTTERED = {"chat", "extract", "summarise", "route", "entail", "judge", "web"}
"""The tasks that are asked in this version; the others have no text yet."""


def made(**values: object) -> object:
    return fingerprint(Settings.model_validate(values), model="gemini-3.8-flash", embedder=None)


def test_the_same_program_under_the_same_settings_has_the_same_fingerprint() -> None:
    assert made() == made()


def test_each_task_that_is_asked_has_its_own_text_in_it() -> None:
    texts = prompt_texts()

    assert set(texts) == UTTERED
    assert set(texts) <= set(get_args(Task))
    assert [task for task, text in texts.items() if not text.startswith(f"task: {task}\n")] == []


async def test_the_texts_are_those_that_are_really_sent(tmp_path: Path) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (_, assistant):
        request = (await assistant.assemble("Who is my vet?")).request

    text = prompt_texts()["chat"]
    fixed = request.system.split("Your tools")[0].rstrip()
    assert fixed in text
    assert [spec.name for spec in request.tools if spec.description not in text.replace('\\"', '"')] == []
    assert prompt_texts()["judge"] == JUDGE


@pytest.mark.parametrize("task", sorted(UTTERED))
def test_another_text_of_a_task_is_told_as_a_change_of_its_prompt(task: Task) -> None:
    before = fingerprint(Settings.model_validate({}), model="m", embedder="e")
    texts = {**prompt_texts(), task: f"{prompt_texts()[task]} And be brief."}
    now = fingerprint(Settings.model_validate({}), model="m", embedder="e", texts=texts)

    assert now.changes_since(before) == (f"the {task} prompt",)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"REMEMBRANCER_LEDGER_TOKENS": "700"}, "REMEMBRANCER_LEDGER_TOKENS"),
        ({"REMEMBRANCER_TIMEZONE": "Asia/Tokyo"}, "REMEMBRANCER_TIMEZONE"),
        ({"GEMINI_UTILITY_MODEL": "gemini-2.5-flash"}, "GEMINI_UTILITY_MODEL"),
    ],
)
def test_a_setting_that_bears_on_memory_is_told_by_its_name_and_its_value_is_not(
    values: dict[str, str], name: str
) -> None:
    before = fingerprint(Settings.model_validate({}), model="m", embedder="e")
    now = fingerprint(Settings.model_validate(values), model="m", embedder="e")

    assert name in BEARING
    assert now.changes_since(before) == (name,)
    assert [value for value in values.values() if value in now.model_dump_json()] == []


def test_the_model_and_the_embedder_are_told_by_name() -> None:
    before = fingerprint(Settings.model_validate({}), model="a", embedder=None)
    now = fingerprint(Settings.model_validate({}), model="b", embedder="use:384")

    assert now.changes_since(before) == ("the model (a → b)", "the embedder (none → use:384)")
