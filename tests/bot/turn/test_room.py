"""Compaction around turns: before a model call, within a loop of tools, on request, and when the model refuses."""

from collections.abc import Callable
from pathlib import Path

from bot.turn.agent import Limits
from memory.compaction.outcome import NOTHING
from memory.errors import ModelBusy, PromptTooLong
from memory.messages import CallPart, Message, text_message
from memory.ports import ModelReply, ModelRequest, estimate_request_tokens
from tests.bot.models.test_history import build
from tests.bot.turn.house import House, TaskModel, house
from tests.fakes.model import ScriptedModel, calls, says

SUMMARY = "The member looked at the houses in Riga day by day and talked about the garden of each at length."
LIMITS = Limits(compact_at_tokens=3_000)


def words(number: int) -> str:
    return f"Day {number}: we looked at house {number + 300} in Riga and talked about the garden at length. " * 8


async def talk(h: House, count: int, *, first: int = 0) -> None:
    for number in range(first, first + count):
        await h.say(words(number))
        h.clock.advance(3600)


def roomy(count: int, *summaries: str) -> TaskModel:
    return TaskModel(ScriptedModel([says("I see.")] * count), summarise=ScriptedModel([says(s) for s in summaries]))


async def test_a_compaction_is_told_in_one_silent_line_with_what_was_kept(tmp_path: Path) -> None:
    async with house(tmp_path, model=roomy(14, SUMMARY), limits=LIMITS) as h:
        await talk(h, 14)
        told = [row.message for row in h.screen.rows if row.message.text.startswith("I put the older part")]
        (notice,) = told
        assert notice.text == (
            "I put the older part of our talk (20 messages) aside to keep answers quick; every word stays stored, and "
            "/recall finds it."
        )
        ((button,),) = notice.buttons
        assert notice.is_silent
        assert (button.text, button.typed) == ("What was kept", "/compact h1")

        await h.say("", kind="press", press=button.data)

        kept = h.screen.delivered[-1]
        assert kept.startswith("h1: ")
        assert "characters stand in each prompt for" in kept
        assert f"> {SUMMARY}" in kept
        assert "segments named by its manifest" in kept
        await h.say("/compact h1", kind="command")
        assert h.screen.delivered[-1] == kept


async def test_compact_shows_what_would_leave_and_does_it_only_when_told(tmp_path: Path) -> None:
    limits = Limits(compact_at_tokens=100_000)
    async with house(tmp_path, model=roomy(14, SUMMARY), limits=limits) as h:
        await talk(h, 14)
        await h.say("/compact", kind="command")
        preview = h.screen.rows[-1].message
        assert "20 messages" in preview.text
        assert "10 of your turns" in preview.text
        assert "the newest 8 messages" in preview.text
        assert await h.space.handoffs.in_prompt() == []

        await h.say("", kind="press", press=preview.buttons[0][0].data)

        assert h.screen.delivered[-1].startswith("Compacted: 20 messages")
        await h.say("/compact now", kind="command")
        assert h.screen.delivered[-1] == NOTHING


async def test_wrong_words_after_compact_are_answered_with_the_right_ones(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await h.say("/compact everything", kind="command")
        assert "/compact now" in h.screen.delivered[-1]
        await h.say("/compact h7", kind="command")
        assert "there is no h7" in h.screen.delivered[-1].lower()


def pages(h: House, sha256: str, count: int) -> list[ModelReply | Callable[[ModelRequest], ModelReply]]:
    return [calls(("recall", {"hash": sha256, "page": page})) for page in range(1, count + 1)]


async def stored(h: House, count: int) -> str:
    async with h.space.db.transaction():
        return (await h.space.media.put(("x" * 5_900 + "\n").encode() * count, "text/plain")).sha256


async def test_a_loop_of_long_results_stays_under_the_limit_of_a_strict_model(tmp_path: Path) -> None:
    sizes: list[int] = []

    class Strict(TaskModel):
        async def generate(self, request: ModelRequest, **more: object) -> ModelReply:
            if request.task == "chat":
                sizes.append(estimate_request_tokens(request))
                if sizes[-1] > 9_000:
                    raise PromptTooLong
            return await super().generate(request)

    model = Strict()
    async with house(tmp_path, model=model, limits=Limits(compact_at_tokens=6_000)) as h:
        model.chat.then(*pages(h, await stored(h, 12), 12), says("All twelve pages are read."))
        await h.say("Read it all, please.")
        assert h.screen.delivered == ["All twelve pages are read."]
        assert max(sizes) < 9_000
        last = model.chat.requests[-1].messages[-1].results[0]
        assert len(last.response["text"]) > 4_000, "the newest result is not the one that was shortened"


async def test_a_busy_summariser_is_asked_once_in_a_turn_of_many_steps(tmp_path: Path) -> None:
    chat = ScriptedModel([says("I see.")] * 12)
    chat.then(*(calls(("clock", {})), calls(("facts", {})), calls(("clock", {"zone": "UTC"}))), says("Half past nine."))
    model = TaskModel(chat, summarise=ScriptedModel([ModelBusy("429")] * 2))
    async with house(tmp_path, model=model, limits=Limits(compact_at_tokens=3_600)) as h:
        await talk(h, 11)
        before = len(model.summarise.requests) if model.summarise else 0
        await talk(h, 1, first=11)
        await h.say("What time is it? " + "Hm. " * 500)
        assert model.summarise is not None
        assert len(model.summarise.requests) - before <= 1
        assert h.screen.delivered[-1] == "Half past nine."
        assert await h.space.handoffs.in_prompt() == []
        stored_words = await h.space.db.fetch_all("SELECT text FROM messages WHERE role = 'user' ORDER BY id")
        assert [row["text"] for row in stored_words[:12]] == [words(number) for number in range(12)]


async def test_a_prompt_the_model_refuses_as_too_long_is_compacted_and_asked_again(tmp_path: Path) -> None:
    def too_long(request: ModelRequest) -> ModelReply:
        raise PromptTooLong

    model = roomy(9, SUMMARY)
    model.chat.then(too_long, says("That was house 300."))
    async with house(tmp_path, model=model) as h:
        await talk(h, 9)
        await h.say("Which was the first house?")
        assert h.screen.delivered[-1] == "That was house 300."
        assert words(0) not in [m.text for m in model.chat.requests[-1].messages]
        assert model.chat.requests[-1].messages[0].text.startswith("Handoff h1")


async def test_a_prompt_that_stays_too_long_ends_in_words_and_no_loop(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([PromptTooLong()]))
    async with house(tmp_path, model=model) as h:
        await h.say("Hello?")
        assert "longer than the model can read" in h.screen.delivered[-1]


async def test_a_fixed_part_over_the_threshold_is_told_once_and_asks_no_model(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("I see.")] * 5), summarise=ScriptedModel())
    async with house(tmp_path, model=model, limits=Limits(compact_at_tokens=500)) as h:
        for number in range(5):
            await h.say(f"Message {number}.")
        told = [text for text in h.screen.delivered if "over the size at which I compact" in text]
        assert len(told) == 1
        assert len(h.screen.delivered) == 6


async def test_a_big_early_instruction_is_found_again_after_it_left(tmp_path: Path) -> None:
    rule = "All jars in the shed carry the mark QX-7719 and must never be opened. "
    model = roomy(8, "")
    model.chat.then(says("They carry QX-7719."))
    async with house(tmp_path, model=model, limits=Limits(compact_at_tokens=6_000)) as h:
        await h.say(rule + "Keep it cool and dark, and count it every week. " * 500)
        await talk(h, 7)
        assert await h.space.handoffs.in_prompt() != []
        await h.say("Which mark do the jars in the shed carry?")
        assert "QX-7719" in (model.chat.requests[-1].memory_block or "")


async def test_recall_by_dates_alone_brings_those_days_journal(tmp_path: Path) -> None:
    limits = Limits(compact_at_tokens=100_000)
    model = roomy(14, SUMMARY)
    model.chat.then(calls(("recall", {"since": "2027-03-02", "until": "2027-03-02"})), says("We looked at houses."))
    async with house(tmp_path, model=model, limits=limits) as h:
        await talk(h, 14)
        await h.say("/compact now", kind="command")

        await h.say("What did we do on the second of March?")

        (result,) = model.chat.requests[-1].messages[-1].results
        assert [day["day"] for day in result.response["journal"]] == ["2027-03-02"]


async def test_after_a_crash_within_a_tool_the_talk_is_compacted_and_goes_on(tmp_path: Path) -> None:
    """A call whose result never came leaves no request that the strict reading refuses."""
    model = roomy(14, SUMMARY)
    model.chat.then(says("I see."), says("Hello again."))
    async with house(tmp_path, model=model, limits=Limits(compact_at_tokens=100_000)) as h:
        await talk(h, 14)
        async with h.space.db.transaction():
            turn = await h.space.sessions.begin_turn()
            asked = text_message("user", "What time is it?", h.clock.now())
            call = Message(role="model", parts=(CallPart(call_id="lost", name="clock"),), at=h.clock.now())
            for message in (asked, call):
                await h.space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
            await h.space.sessions.end_turn(turn.id, "failed")
        await h.say(words(15))
        await h.say("/compact now", kind="command")
        assert h.screen.delivered[-1].startswith("Compacted: ")
        await h.say("hello")

        request = model.chat.requests[-1]
        build(*request.messages, block=request.memory_block)
