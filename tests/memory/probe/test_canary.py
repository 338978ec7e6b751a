"""The canary's cycle through the ordinary path: well with the offline reader, and each failure at its own step."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pytest

from bot.models.reader import OfflineReader
from memory.errors import CeilingReached, ModelBusy
from memory.findings import Canary
from memory.messages import TextPart
from memory.ports import Assembled, Assistant, ModelReply, ModelRequest, OnText, Spent, Task
from memory.probe.canary import (
    ADMITTED,
    ANSWERED,
    COUNTED,
    EXTRACTED,
    FORGOTTEN,
    GONE,
    LITERAL,
    MEANING,
    PARAPHRASED,
    PLANTED,
    RETRIEVED,
    SILENT,
    STEPS,
    canary,
    lead,
    rows_with,
)
from memory.probe.plants import TEMPLATES, Plant, Template, draw, fill
from memory.recall.stems import stem
from memory.space import Space
from tests.bot.turn.chat import chat_over

PLANT = Plant(
    "The piano tuner of Tilda is called Quelanrup.",
    "What is the piano tuner of Tilda called?",
    "Quelanrup",
    ("Tilda", "Quelanrup"),
)
LOST_ROW = "UPDATE facts SET status = 'retracted' WHERE status = 'active'"


@dataclass
class Reader:
    """The offline reader, with another answer (or a fault) for some tasks."""

    instead: Mapping[Task, str | Exception | Callable[[ModelRequest], str]] = field(default_factory=dict)
    name: str = "offline-reader"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        reply = await OfflineReader().generate(request)
        answer = self.instead.get(request.task)
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            return reply
        return replace(reply, parts=(TextPart(text=answer if isinstance(answer, str) else answer(request)),))


@dataclass
class Meddled:
    """An assistant behind whose back somebody does something each time after it was told something."""

    assistant: Assistant
    meddle: Callable[[str], Awaitable[None]]

    @property
    def model_name(self) -> str:
        return self.assistant.model_name

    async def assemble(self, question: str) -> Assembled:
        return await self.assistant.assemble(question)

    async def ask(self, request: ModelRequest) -> ModelReply:
        return await self.assistant.ask(request)

    async def say(self, text: str) -> str:
        answer = await self.assistant.say(text)
        await self.meddle(text)
        return answer

    def spent(self) -> Mapping[Task, Spent]:
        return self.assistant.spent()


async def led(home: Path, model: Reader | None = None, *, after: str = "", sql: Sequence[str] = ()) -> Canary:
    """Lead the canary; `sql` is done to the memory whenever something beginning with `after` was said."""
    async with chat_over(home, model or Reader()) as (space, assistant):

        async def meddle(said: str) -> None:
            if said.startswith(after):
                async with space.db.transaction():
                    for statement in sql:
                        await space.db.execute(statement)

        return await lead(space, Meddled(assistant, meddle), PLANT)


def steps_of(result: Canary) -> dict[str, bool | None]:
    return {step.name: step.is_well for step in result.steps}


def failed(result: Canary) -> set[str]:
    return {name for name, is_well in steps_of(result).items() if is_well is False}


def untried(result: Canary) -> set[str]:
    return {name for name, is_well in steps_of(result).items() if is_well is None}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.sentence)
async def test_the_offline_reader_leads_every_template_through_all_steps(tmp_path: Path, template: Template) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        result = await lead(space, assistant, fill(template, Random(1)))

    assert tuple(step.name for step in result.steps) == STEPS
    assert [step.name for step in result.steps if not step.is_well] == []
    assert result.is_well is True


async def test_nothing_of_it_is_left_in_any_column(tmp_path: Path) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        await assistant.say(PLANT.sentence)
        told = await rows_with(space, PLANT.detail)
        await assistant.say("/forget f1")
        result = await canary(space, assistant, seed=3)

        assert told > 3
        assert result.is_well is True
        assert [await rows_with(space, word) for word in (PLANT.detail, draw(Random(3)).detail)] == [0, 0]


async def test_a_canary_of_which_something_stands_there_is_drawn_again(tmp_path: Path) -> None:
    first = draw(Random(3))
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        await assistant.say(f"By the way, {first.names[0]} wrote about {first.detail}.")
        result = await canary(space, assistant, seed=3)

        assert result.is_well is True
        assert not await _was_told(space, first.sentence)


async def test_a_canary_whose_question_the_memory_answers_is_drawn_again(tmp_path: Path) -> None:
    first = draw(Random(3))
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        held = first.sentence
        for name in first.names:
            held = held.replace(name, "Marzipan")
        await assistant.say(held)
        result = await canary(space, assistant, seed=3)

        assert result.is_well is True
        assert not await _was_told(space, first.sentence)


async def _was_told(space: Space, sentence: str) -> bool:
    return await space.db.fetch_one("SELECT 1 FROM messages WHERE text = ?", (sentence,)) is not None


async def test_a_count_that_is_not_zero_before_is_seen(tmp_path: Path) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):
        await assistant.say("Somebody called Quelanrup left a note.")
        result = await lead(space, assistant, PLANT)

    assert COUNTED in failed(result)


async def test_a_model_that_is_away_leaves_its_steps_unknown_and_the_rest_tried(tmp_path: Path) -> None:
    result = await led(tmp_path, Reader({"chat": ModelBusy("503"), "extract": ModelBusy("503")}))

    assert result.is_well is None
    assert untried(result) == {EXTRACTED, ANSWERED, ADMITTED}
    assert failed(result) == set()
    assert steps_of(result)[RETRIEVED] is True
    assert steps_of(result)[FORGOTTEN] is True


async def test_the_end_of_the_money_ends_the_cycle(tmp_path: Path) -> None:
    async with chat_over(tmp_path, Reader(name="of no known price"), allowance_usd=0.0) as (space, assistant):
        with pytest.raises(CeilingReached):
            await lead(space, assistant, PLANT)


async def test_an_extractor_that_finds_nothing_fails_at_extracting_and_the_words_are_forgotten(tmp_path: Path) -> None:
    result = await led(tmp_path, Reader({"extract": '{"changes": []}'}))

    assert result.is_well is False
    assert failed(result) == {EXTRACTED}


async def test_an_answer_about_something_else_fails_at_answering_and_at_not_knowing(tmp_path: Path) -> None:
    result = await led(tmp_path, Reader({"chat": "<html>502 Bad Gateway</html>"}))

    assert failed(result) == {ANSWERED, ADMITTED}


async def test_an_answer_that_denies_the_detail_fails(tmp_path: Path) -> None:
    result = await led(tmp_path, Reader({"chat": "I don't know whether it is Quelanrup."}))

    assert failed(result) >= {ANSWERED, ADMITTED}


async def test_a_model_that_still_knows_what_was_forgotten_fails_at_the_end(tmp_path: Path) -> None:
    result = await led(tmp_path, Reader({"chat": "It is Quelanrup."}))

    assert failed(result) == {ADMITTED}


async def test_an_index_that_finds_nothing_fails_at_finding(tmp_path: Path) -> None:
    result = await led(tmp_path, after=PLANT.sentence, sql=["DELETE FROM segment_terms"])

    assert failed(result) == {LITERAL, MEANING}
    assert result.warnings == ()


async def test_words_that_are_found_only_by_their_question_are_a_warning(tmp_path: Path) -> None:
    swap = f"UPDATE segment_terms SET body = replace(body, '{stem(PLANT.detail.lower())}', 'someone')"

    result = await led(tmp_path, after=PLANT.sentence, sql=[swap, "DELETE FROM fact_terms"])

    assert failed(result) == {LITERAL}
    assert result.warnings == (PARAPHRASED,)
    assert result.is_well is True


async def test_recall_alone_brings_it_where_the_ledger_has_lost_it(tmp_path: Path) -> None:
    result = await led(tmp_path, after="/new", sql=[LOST_ROW])

    assert steps_of(result)[RETRIEVED] is True


async def test_a_prompt_without_it_fails_at_retrieving_and_answering(tmp_path: Path) -> None:
    tables = ("segment_terms", "manifest", "pinned_lines", "journal", "handoffs")

    result = await led(tmp_path, after="/new", sql=[LOST_ROW, *(f"DELETE FROM {table}" for table in tables)])

    assert failed(result) >= {RETRIEVED, ANSWERED}


async def test_what_forgetting_leaves_behind_fails_the_count(tmp_path: Path) -> None:
    left = (
        "INSERT INTO journal (day, at, text, handoff_id) SELECT '2027-03-02', '2027-03-02T09:00:00Z', 'Quelanrup', id"
    )

    result = await led(tmp_path, after="/forget", sql=[f"{left} FROM handoffs LIMIT 1"])

    assert failed(result) == {GONE}
    assert next(step.detail for step in result.steps if step.name == GONE) == "1 row"


async def test_forgetting_that_does_nothing_fails_at_all_that_follows(tmp_path: Path) -> None:
    async with chat_over(tmp_path, OfflineReader()) as (space, assistant):

        @dataclass
        class Deaf(Meddled):
            async def say(self, text: str) -> str:
                return "Forgotten." if text.startswith("/forget") else await super().say(text)

        async def nothing(said: str) -> None:
            """Leave all as it is."""

        result = await lead(space, Deaf(assistant, nothing), PLANT)

    assert failed(result) == {FORGOTTEN, GONE, SILENT, ADMITTED}
    assert steps_of(result)[PLANTED] is True
