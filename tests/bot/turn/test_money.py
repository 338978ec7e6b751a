"""Money and stand-ins as a member meets them: a warning, answers from memory, and nothing lost."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.models.reader import OfflineReader
from memory.errors import CeilingReached, ModelBusy, ModelFault, ModelMisconfigured, ModelQuotaSpent
from memory.forget import confirmation
from memory.ports import ModelReply, Usage
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, Step, calls, extracts, says
from tools.budget import GUARDRAIL

NAME = "gemini-3.8-flash"
VET = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")
READER = OfflineReader(is_stand_in=True)
UNTIL = "until 00:00 (Wed 3 Mar)"
SPENT = f"_From memory, without the model: the $1.00 that a day may cost leaves no room for another answer {UNTIL}._"


def costs(usd: float, text: str = "I see.") -> ModelReply:
    """Return an answer that costs so much."""
    return says(text, usage=Usage(output_tokens=round(usd * 1_000_000 / 7.5)), model=NAME)


def priced(*steps: Step, extract: ScriptedModel | None = None) -> TaskModel:
    return TaskModel(ScriptedModel(steps, name=NAME), extract, name=NAME)


async def states(h: House) -> list[tuple[str, str | None]]:
    rows = await h.space.db.fetch_all("SELECT state, model FROM turns ORDER BY id")
    return [(row["state"], row["model"]) for row in rows]


async def test_the_member_is_warned_once_a_day(tmp_path: Path) -> None:
    model = priced(costs(0.79), costs(0.05), costs(0.05), costs(0.85))
    async with house(tmp_path, model=model, daily_usd=1.0, stand_in=READER) as h:
        for _ in range(3):
            await h.say("Hello")
        warning = (
            f"$0.84 of the $1.00 that a day may cost is spent. When all is, I answer from memory {UNTIL}. "
            "/usage shows what it went to."
        )
        assert h.screen.delivered == ["I see.", "I see.", warning, "I see."]
        assert h.screen.rows[2].message.is_silent

        h.clock.advance(24 * 3600)
        await h.say("Hello")
        assert "until 00:00 (Thu 4 Mar)" in h.screen.delivered[-1]


async def test_at_the_ceiling_answers_come_from_memory_and_nothing_is_lost(tmp_path: Path) -> None:
    dog = extracts(change("dog", "Rex", "Our dog is called Rex."))
    read = ScriptedModel([extracts(VET), extracts(), dog, extracts(), extracts()])
    model = priced(costs(0.01), costs(0.99), says("Rex.", model=NAME), extract=read)
    async with house(tmp_path, model=model, daily_usd=1.0, stand_in=READER) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Hello")
        h.screen.delivered.clear()

        await h.say("Our dog is called Rex.")
        await h.say("Who is our vet?")

        assert len(h.screen.delivered) == 2
        assert all(text.startswith(f"{SPENT}\n\n") for text in h.screen.delivered)
        assert "Rex" in h.screen.delivered[0]
        assert "Dr. Brandt" in h.screen.delivered[1]
        assert (await states(h))[2:] == [("done", "offline-reader")] * 2
        assert not [fact for fact in await h.space.facts.listed() if fact.value == "Rex"]
        jobs = await h.space.db.fetch_all("SELECT kind, attempts, state FROM jobs WHERE state <> 'done'")
        assert [tuple(job) for job in jobs] == [("extract", 0, "ready")] * 3

        h.clock.advance(15 * 3600)
        await h.runner.drain()
        assert h.screen.delivered[-1] == "✎ dog → Rex · f2"
        await h.say("What is our dog called?")
        assert h.screen.delivered[-1] == "Rex."
        read.close()


async def test_the_ceiling_holds_over_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    async with house(tmp_path, model=priced(costs(1.0)), daily_usd=1.0, stand_in=READER, clock=clock) as h:
        await h.say("Hello")
    async with house(tmp_path, model=priced(), daily_usd=1.0, stand_in=READER, clock=clock) as h:
        await h.say("Hello again", source="tg:1:99")
        assert h.screen.delivered[-1].startswith(SPENT)


async def test_a_memory_that_is_forgotten_whole_has_spent_what_it_spent(tmp_path: Path) -> None:
    async with house(tmp_path, model=priced(costs(1.0)), daily_usd=1.0, stand_in=READER) as h:
        await h.say("Hello")
        await h.say(f"/forget everything {await confirmation(h.space)}", kind="command")
        assert await h.space.sessions.last_turn() is None
        await h.say("Hello again")
        assert h.screen.delivered[-1].startswith(SPENT)


async def test_another_ceiling_counts_from_the_next_start(tmp_path: Path, clock: FakeClock) -> None:
    async with house(tmp_path, model=priced(costs(1.0)), daily_usd=1.0, stand_in=READER, clock=clock) as h:
        await h.say("Hello")
    async with house(tmp_path, model=priced(costs(0.1)), daily_usd=2.0, stand_in=READER, clock=clock) as h:
        await h.say("Hello again", source="tg:1:99")
        assert h.screen.delivered == ["I see."]


async def test_a_dear_answer_overruns_the_ceiling_by_itself_alone(tmp_path: Path) -> None:
    step = replace(calls(("clock", {}), usage=Usage(output_tokens=260_000)), model=NAME)
    async with house(tmp_path, model=priced(step), daily_usd=1.0, stand_in=READER) as h:
        await h.say("What time is it?")
        assert h.screen.delivered[0].startswith(SPENT)
        assert len(h.model.chat.requests) == 1


async def test_at_zero_no_model_is_called_at_all(tmp_path: Path) -> None:
    async with house(tmp_path, model=priced(extract=ScriptedModel()), daily_usd=0.0, stand_in=READER) as h:
        await h.say("Our vet is Dr. Brandt.")
        heading, _, answer = h.screen.delivered[0].partition("\n\n")
        assert heading == "_From memory, without the model: the operator allows no model calls._"
        assert "Dr. Brandt" in answer
        assert len(h.screen.delivered) == 1
        assert await h.space.jobs.is_waiting("extract")


async def test_background_work_leaves_the_chat_its_money(tmp_path: Path) -> None:
    dear = says('{"changes": []}', usage=Usage(output_tokens=60_000), model=NAME)
    read = ScriptedModel([dear])
    async with house(tmp_path, model=priced(costs(0.0), costs(0.0), extract=read), daily_usd=1.0, stand_in=READER) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Our dog is called Rex.")
        assert h.screen.delivered == ["I see.", "I see."]
        assert await h.space.jobs.is_waiting("extract")
        read.close()


async def test_a_turn_that_has_cost_a_quarter_of_the_day_is_brought_to_its_end(tmp_path: Path) -> None:
    def summed_up(request: object) -> ModelReply:
        return says("That is as far as I got.", model=NAME)

    step = replace(calls(("clock", {}), usage=Usage(output_tokens=40_000)), model=NAME)
    async with house(tmp_path, model=priced(step, summed_up), daily_usd=1.0, stand_in=READER) as h:
        await h.say("Find out everything")
        last = h.model.chat.requests[-1]
        assert not last.tools_enabled
        assert last.messages[-1].text == GUARDRAIL
        assert h.screen.delivered == ["That is as far as I got."]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ModelBusy("HTTP 503"), "it is busy or out of reach; ask again in a while for more than quotations"),
        (ModelQuotaSpent("HTTP 429"), "its quota for today is used up; tomorrow I think again"),
        (ModelMisconfigured("HTTP 404"), "it cannot be used as it is set up; the operator must change the settings"),
    ],
)
async def test_while_no_model_can_answer_memory_does_and_says_why(
    tmp_path: Path, fault: ModelFault, words: str
) -> None:
    model = priced(costs(0.0), fault, costs(0.0, "I am back."), extract=ScriptedModel([extracts(VET), extracts()]))
    async with house(tmp_path, model=model, stand_in=READER) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Who is our vet?")
        assert h.screen.delivered[-1].startswith(f"_From memory, without the model: {words}._\n\n")
        assert "Dr. Brandt" in h.screen.delivered[-1]

        await h.say("And now?")
        assert h.screen.delivered[-1] == "I am back."
        told = [message.text for message in h.model.chat.requests[-1].messages if message.role == "notice"]
        assert told == [f"From memory, without the model: {words}."], "the model knows whose words those were"


async def test_words_of_a_stand_in_are_not_shown_before_it_is_said_whose_they_are(tmp_path: Path) -> None:
    async with house(tmp_path, model=priced(ModelBusy("HTTP 503")), stand_in=READER) as h:
        await h.say("Write me a poem about ducks.")
        assert h.screen.shown == ["begin t1", "end"]


async def test_a_stand_in_advises_nobody_to_set_up_the_model_that_is_there(tmp_path: Path) -> None:
    async with house(tmp_path, model=priced(ModelBusy("HTTP 503")), stand_in=READER) as h:
        await h.say("Write me a poem about ducks.")
        assert "can only quote what you told me." in h.screen.delivered[0]
        assert "GEMINI_API_KEY" not in h.screen.delivered[0]


async def test_another_model_that_answers_is_named_in_a_quiet_line_once_in_a_while(tmp_path: Path) -> None:
    def lite(fault: ModelFault) -> ModelReply:
        return ModelReply(says("Friday.").parts, model="gemini-3.5-flash-lite", fault=fault)

    busy, gone = lite(ModelBusy("HTTP 503")), lite(ModelMisconfigured("HTTP 404"))
    async with house(tmp_path, model=priced(busy, busy, gone), stand_in=READER) as h:
        for pause_s in (60, 6 * 3600, 0):
            await h.say("When?")
            h.clock.advance(pause_s)
        by = "Answered by gemini-3.5-flash-lite, because gemini-3.8-flash is"
        assert h.screen.delivered == [
            *("Friday.", f"{by} overloaded or at its limit just now."),
            "Friday.",
            *("Friday.", f"{by} no longer to be had (the operator can set another)."),
        ]
        assert h.screen.rows[1].message.is_silent
        assert await states(h) == [("done", "gemini-3.5-flash-lite")] * 3


async def test_without_a_stand_in_the_member_is_told_that_the_money_is_spent(tmp_path: Path) -> None:
    async with house(tmp_path, model=priced(CeilingReached())) as h:
        await h.say("Hello")
        assert "spent" in h.screen.delivered[0]


async def test_an_idle_week_costs_nothing(tmp_path: Path) -> None:
    read = ScriptedModel([extracts()])
    async with house(tmp_path, model=priced(costs(0.01), extract=read), daily_usd=1.0, stand_in=READER) as h:
        await h.say("Hello")
        for _ in range(7 * 24):
            h.clock.advance(3600)
            await h.runner.drain()
        assert len(h.screen.delivered) == 1
        read.close()


async def test_a_budget_that_a_member_sets_holds_for_the_next_call_and_one_that_is_lifted_too(tmp_path: Path) -> None:
    model = priced(costs(0.3), costs(0.01))
    async with house(tmp_path, model=model, daily_usd=1.0, stand_in=READER) as h:
        await h.say("Hello")
        await h.say("/settings budget 0.30", kind="command")
        await h.say("Hello")
        assert "the $0.30 that a day may cost leaves no room for another answer" in h.screen.delivered[-1]
        await h.say("/settings budget 0", kind="command")
        await h.say("Hello")
        assert "the budget here is set to 0 (/settings budget)" in h.screen.delivered[-1]
        await h.say("/settings budget default", kind="command")
        await h.say("Hello")
        assert h.screen.delivered[-1] == "I see."
