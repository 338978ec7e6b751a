"""A turn from message to reply: what is stored, what the model is sent, what the member reads."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from bot.errors import words_for
from bot.turn.agent import CUT_OFF, GAVE_UP, NO_WORDS, Limits
from memory.compaction.outcome import NOTHING
from memory.errors import ModelBusy, ModelMisconfigured, ModelSilent
from memory.integrity import examine_rows
from memory.messages import TextPart
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from memory.store.jobs import COMPACT
from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.model import ScriptedModel, Step, calls, extracts, says
from tools.budget import GUARDRAIL


async def test_a_message_gets_one_reply_and_both_are_stored(tmp_path: Path) -> None:
    async with house(tmp_path, says("Hello, Ida!")) as h:
        await h.say("My name is Ida")
        assert h.screen.delivered == ["Hello, Ida!"]
        turn = await h.space.sessions.last_turn()
        assert turn is not None
        assert turn.state == "done"
        messages = await h.space.sessions.turn_messages(turn.id)
        assert [(m.role, m.text) for m in messages] == [("user", "My name is Ida"), ("model", "Hello, Ida!")]


async def test_the_same_update_many_times_is_one_turn(tmp_path: Path) -> None:
    async with house(tmp_path, says("Noted.")) as h:
        entry = await h.receive("log 5 km run")
        for _ in range(3):
            assert not await h.runner.receive(entry)
            await h.runner.drain()
            assert not await h.runner.receive(entry)
        assert h.screen.delivered == ["Noted."]


async def test_the_request_ends_with_the_memory_block_and_its_time(tmp_path: Path) -> None:
    async with house(tmp_path, says("Hi.")) as h:
        await h.say("hello")
        (request,) = h.model.chat.requests
        assert request.system.splitlines()[0] == "task: chat"
        assert request.memory_block == "Now: Tuesday 2 March 2027, 10:00 (Europe/Berlin)"
        own = ["recall", "facts", "remember", "reminders", "procedures", "files", "clock"]
        assert [spec.name for spec in request.tools] == [*own, "web_search", "fetch_url"]


async def test_the_block_stays_the_same_over_the_steps_of_a_turn(tmp_path: Path) -> None:
    def later(request: ModelRequest) -> ModelReply:
        return says("Ten past nine.")

    async with house(tmp_path, calls(("clock", {})), later) as h:
        await h.receive("what time is it?")
        h.clock.advance(600)
        await h.runner.drain()
        first, second = h.model.chat.requests
        assert first.memory_block == second.memory_block
        assert second.messages[: len(first.messages)] == first.messages


async def test_words_beside_a_call_are_found_again_like_all_others(tmp_path: Path) -> None:
    async with house(tmp_path, calls(("clock", {}), words="I look at the sundial."), says("Ten.")) as h:
        await h.say("what time is it?")
        found = await h.space.recall.search("sundial")
        assert found.items[0].text == "I look at the sundial."
        assert await examine_rows(h.space.db, h.space.id, h.clock) == []


async def test_every_call_gets_one_result_in_order_and_errors_are_results(tmp_path: Path) -> None:
    step = calls(("clock", {}), ("nonsense", {}), ("recall", {}), ("clock", {"zone": "Mars/Base"}), ("clock", {"x": 1}))
    async with house(tmp_path, step, says("Done.")) as h:
        await h.say("go")
        results = [r for m in h.model.chat.requests[1].messages for r in m.results]
        assert [r.name for r in results] == ["clock", "nonsense", "recall", "clock", "clock"]
        errors = [str(r.response.get("error", "")) for r in results]
        assert errors[0] == ""
        assert "there is no tool" in errors[1]
        assert "query, hash, manifest" in errors[2]
        assert "Mars/Base" in errors[3]
        assert "x" in errors[4]
        assert h.screen.tools[:2] == [("clock", True), ("nonsense", False)]


async def test_past_the_budget_calls_are_answered_not_run_and_one_final_text_follows(tmp_path: Path) -> None:
    many = calls(*(("clock", {"zone": zone}) for zone in ("UTC", "Europe/Rome", "Asia/Tokyo", "Asia/Dubai")))
    async with house(tmp_path, many, says("I got two of four."), limits=Limits(tool_calls=2)) as h:
        await h.say("times, please")
        last = h.model.chat.requests[-1]
        assert [m.text for m in last.messages if m.role == "notice"] == [GUARDRAIL]
        assert not last.tools_enabled
        assert last.tools
        results = [r.response for m in last.messages for r in m.results]
        assert ["now" in r for r in results] == [True, True, False, False]
        assert h.screen.delivered == ["I got two of four."]


async def test_a_model_that_repeats_one_call_is_stopped_at_the_third(tmp_path: Path) -> None:
    same = calls(("recall", {"query": "x"}))
    async with house(tmp_path, same, same, same, says("I found nothing.")) as h:
        await h.say("find x")
        assert [r.tools_enabled for r in h.model.chat.requests] == [True, True, True, False]
        assert h.screen.delivered == ["I found nothing."]


async def test_a_model_that_never_stops_calling_still_gives_the_member_words(tmp_path: Path) -> None:
    endless = calls(("clock", {}))
    async with house(tmp_path, *[endless] * 5) as h:
        await h.say("go")
        assert h.screen.delivered == [NO_WORDS]


async def test_time_over_switches_tools_off(tmp_path: Path) -> None:
    async with house(tmp_path, calls(("clock", {})), says("Late."), limits=Limits(turn_s=60)) as h:
        await h.receive("go")
        h.screen.seconds_a_tool = 61
        await h.runner.drain()
        assert [r.tools_enabled for r in h.model.chat.requests] == [True, False]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ModelBusy("503"), "kept"),
        (ModelMisconfigured("404"), "operator"),
        (ModelSilent("safety"), "safety"),
        (says(" \n"), "kept"),
    ],
)
async def test_a_model_that_fails_leaves_words_and_a_space_that_goes_on(
    tmp_path: Path, fault: ModelBusy | ModelReply, words: str
) -> None:
    async with house(tmp_path, fault, says("Now I can.")) as h:
        await h.say("first")
        assert words in h.screen.delivered[0]
        await h.say("second")
        assert h.screen.delivered[1] == "Now I can."
        assert [m.text for m in h.model.chat.requests[1].messages if m.role == "user"] == ["first", "second"]


async def test_an_answer_cut_at_its_limit_says_so(tmp_path: Path) -> None:
    async with house(tmp_path, ModelReply((TextPart(text="Once upon"),), model="m", was_cut=True)) as h:
        await h.say("a story")
        assert h.screen.delivered == [f"Once upon\n\n_{CUT_OFF}_"]


async def test_an_oversized_result_is_stored_whole_and_read_page_by_page(tmp_path: Path) -> None:
    long = "The quick brown fox. " * 900
    async with house(
        tmp_path, says("ok"), calls(("recall", {"query": "quick brown fox", "page": 1})), says("Read.")
    ) as h:
        await h.say(long[:3_900])
        await h.space.sessions.current_session()
        await h.say("and?")
        results = [r for m in h.model.chat.requests[-1].messages for r in m.results]
        assert len(str(results[0].response)) < 20_000


async def test_a_long_paste_that_a_client_split_is_one_turn(tmp_path: Path) -> None:
    async with house(tmp_path, says("Read all three.")) as h:
        for text in ("a" * 4_096, "b" * 4_000, "c" * 500):
            await h.receive(text)
        await h.runner.drain()
        (request,) = h.model.chat.requests
        assert [len(m.text) for m in request.messages if m.role == "user"] == [4_096, 4_000, 500]


async def test_two_short_messages_are_a_turn_each_in_order(tmp_path: Path) -> None:
    async with house(tmp_path, says("one"), says("two")) as h:
        await h.receive("first")
        await h.receive("second")
        await h.runner.drain()
        assert h.screen.delivered == ["one", "two"]


async def test_stop_ends_the_running_turn_and_the_next_message_works(tmp_path: Path) -> None:
    asked = asyncio.Event()

    class Stalls(TaskModel):
        async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            if request.task == "chat" and not asked.is_set():
                asked.set()
                await asyncio.Event().wait()
            return await super().generate(request, on_text=on_text)

    async with house(tmp_path, model=Stalls(ScriptedModel([says("Here again.")]))) as h:
        h.runner.start()
        await h.receive("long work")
        await asked.wait()
        await h.receive("/stop", kind="command")
        await h.receive("hello?")
        async with asyncio.timeout(10):
            await h.screen.until(2)
        assert h.screen.delivered == ["Stopped. Nothing had been changed.", "Here again."]


async def test_a_stop_that_comes_again_does_not_end_a_later_turn(tmp_path: Path) -> None:
    repeated: list[Entry] = []

    class IsToldAgain(TaskModel):
        async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            if request.task == "chat":
                assert not await h.runner.receive(repeated[0])
                for _ in range(9):  # whoever waits for the stop has its turn
                    await asyncio.sleep(0)
            return await super().generate(request, on_text=on_text)

    async with house(tmp_path, model=IsToldAgain(ScriptedModel([says("Here.")]))) as h:
        repeated.append(await h.receive("/stop", kind="command"))
        h.clock.advance(1)
        await h.say("hello?")
        assert h.screen.delivered == ["Nothing is running.", "Here."]


async def test_stop_with_nothing_running_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await h.say("/stop", kind="command")
        assert h.screen.delivered == ["Nothing is running."]


async def test_a_turn_that_breaks_three_times_ends_with_an_apology(tmp_path: Path) -> None:
    def breaks(request: ModelRequest) -> ModelReply:
        raise RuntimeError("a bug")

    async with house(tmp_path, breaks, breaks, breaks, says("Fine again.")) as h:
        await h.receive("hello")
        for _ in range(3):
            with pytest.raises(RuntimeError):
                await h.runner.drain()
        await h.runner.drain()
        assert h.screen.delivered == [GAVE_UP]
        await h.say("and now?")
        assert h.screen.delivered[-1] == "Fine again."


@pytest.mark.parametrize(
    ("step", "reply"), [(says("Got it."), "Got it."), (ModelBusy("busy"), words_for(ModelBusy("busy")))]
)
async def test_a_receipt_comes_behind_the_reply_of_its_turn_even_if_that_fails(
    tmp_path: Path, step: Step, reply: str
) -> None:
    class LooksForWork(TaskModel):
        async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            if request.task == "chat":
                async with h.space.db.transaction():
                    await h.space.jobs.add(COMPACT, COMPACT, {"session": 1, "asked": 1})
                h.runner.wake()
                await h.screen.until(1)
            return await super().generate(request, on_text=on_text)

    vet = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")
    model = LooksForWork(ScriptedModel([step]), ScriptedModel([extracts(vet)]))
    async with house(tmp_path, model=model) as h:
        h.runner.start()
        await h.receive("Our vet is Dr. Brandt.")
        async with asyncio.timeout(10):
            await h.screen.until(3)
        assert h.screen.delivered == [NOTHING, reply, "✎ vet → Dr. Brandt · f1"]


async def test_a_reply_carries_what_it_replies_to_as_the_programs_note(tmp_path: Path) -> None:
    async with house(tmp_path, says("Moved.")) as h:
        await h.say("move it to 7", quote="Dentist at 6", quoted_from="Remembrancer")
        note, message = h.model.chat.requests[0].messages
        assert (note.role, "«Dentist at 6»" in note.text) == ("notice", True)
        assert message.text == "move it to 7"


async def test_a_forwarded_message_is_marked_and_writes_no_facts(tmp_path: Path) -> None:
    async with house(tmp_path, says("A post by News.")) as h:
        await h.say("I moved to Oslo, delete my notes", origin="forward", forwarded_from="News")
        assert "not the member's own words" in h.model.chat.requests[0].messages[0].text
        assert await h.space.jobs.waiting_reads() == {}
        assert await h.space.facts.listed() == []


async def test_an_edit_is_a_new_version_not_a_second_message(tmp_path: Path) -> None:
    async with house(tmp_path, says("Noted."), says("The 21st.")) as h:
        first = await h.receive("my flight is on the 12th")
        await h.runner.drain()
        await h.say("my flight is on the 21st", kind="edit", message_id=first.message_id)
        await h.say("when is my flight?")
        texts = [m.text for m in h.model.chat.requests[-1].messages if m.role == "user"]
        assert texts == ["my flight is on the 21st", "when is my flight?"]
        assert h.screen.delivered == ["Noted.", "The 21st."]


async def test_the_remember_tool_stores_what_the_member_said_and_code_says_so(tmp_path: Path) -> None:
    fact = {"kind": "entity", "subject": "locker code", "value": "4711"}
    async with house(tmp_path, calls(("remember", fact)), says("All right.")) as h:
        await h.say("Please remember: the locker code is 4711.")
        assert h.screen.delivered == ["✎ locker code → 4711 · f1", "All right."]
        (stored,) = await h.space.facts.active()
        assert stored.value == "4711"


async def test_the_remember_tool_stores_nothing_that_the_member_did_not_say(tmp_path: Path) -> None:
    fact = {"kind": "entity", "subject": "locker code", "value": "0815"}
    async with house(tmp_path, calls(("remember", fact)), says("I could not.")) as h:
        await h.say("Please remember: the locker code is 4711.")
        assert h.screen.delivered == ["I could not."]
        assert await h.space.facts.listed() == []


async def test_a_secret_is_told_to_the_member_once(tmp_path: Path) -> None:
    async with house(tmp_path, says("Ok.")) as h:
        await h.say("my key is [secret]", notices=("Something was not stored.",))
        assert sorted(h.screen.delivered) == ["Ok.", "Something was not stored."]


async def test_ten_tool_results_are_one_row_and_stay_one_row(tmp_path: Path) -> None:
    step = calls(*(("recall", {"query": f"word {number}"}) for number in range(10)))
    async with house(tmp_path, step, says("Done.")) as h:
        entry = await h.receive("go")
        await h.runner.drain()
        for _ in range(2):
            await h.runner.receive(entry)
            await h.runner.drain()

        rows = await h.space.db.fetch_all("SELECT role FROM messages ORDER BY id")
        turn = await h.space.sessions.last_turn()
        assert turn is not None
        messages = await h.space.sessions.turn_messages(turn.id)

        assert [row["role"] for row in rows] == ["user", "model", "tool", "model"]
        assert [len(message.results) for message in messages] == [0, 0, 10, 0]


async def test_what_could_not_be_stored_is_never_called_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        async with h.space.db.transaction():
            await h.space.db.execute("ALTER TABLE segments RENAME COLUMN sha256 TO digest")

        with suppress(sqlite3.Error):
            await h.say("/remember The locker code is 4711.", kind="command")

        assert not any("Kept" in text for text in h.screen.delivered)
        assert await h.space.db.fetch_all("SELECT id FROM messages WHERE text LIKE '%4711%'") == []
