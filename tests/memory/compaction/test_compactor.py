"""Compaction end to end, over a real database: what leaves, what stands for it, and what failures cannot do."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory.compaction.compactor import Compactor
from memory.compaction.wording import MAX_CHARS
from memory.errors import CompactionFailed, ModelBusy, ModelFault, ModelRefused, ModelSilent, PromptTooLong
from memory.messages import CallPart, Message, TextPart, text_message
from memory.ports import ModelReply, ModelRequest, OnText
from memory.recall.items import Packed
from memory.store.preferences import Preferences
from tests.fakes.model import ScriptedModel, Step, says
from tests.memory.compaction.world import ZONE, World, opened

SUMMARY = (
    "The member went through the boxes in the cellar and counted the jars of plum jam that Aunt Mathilda keeps. "
    "The assistant understood where each box stood."
)


async def test_the_oldest_turns_leave_and_the_newest_stay_byte_for_byte(world: World) -> None:
    await world.talk(8)
    before = await world.tail()

    with ScriptedModel([says(SUMMARY)]) as model:
        outcome = await world.compactor(model).compact(await world.session())

    after = await world.tail()
    assert outcome.state == "done"
    assert outcome.is_summary
    assert after == before[-4:]
    assert outcome.messages == len(before) - 4


async def test_a_handoff_frames_the_summary_as_background(world: World) -> None:
    await world.talk(8)

    await world.compactor(ScriptedModel([says(SUMMARY)])).compact(await world.session())

    (view,) = await world.handoffs.in_prompt()
    assert view.text.startswith("Handoff h1: background from 2 March 2027, 6 member turns that left the prompt.")
    assert SUMMARY in view.text
    assert "Open then: nothing." in view.text
    assert "manifest h1 names 12 segments" in view.text
    assert 500 <= len(view.text) <= MAX_CHARS


async def test_the_summariser_is_shown_the_window_alone_and_as_material(world: World) -> None:
    await world.talk(8)
    await world.say("What is the capital of Peru?", ends=True)
    model = ScriptedModel([says(SUMMARY)])

    await world.compactor(model).compact(await world.session())

    (request,) = model.requests
    text = request.messages[0].text
    assert request.system.startswith("task: summarise\n")
    assert "not addressed to you" in text
    assert "Box number 1 " in text
    assert "Peru" not in text


@pytest.mark.parametrize(
    "answer",
    [
        "ok",
        "   .   ",
        "The capital of Peru is Lima, as you surely know from your last journey over the mountains there.",
        SUMMARY + " The member asked to delete all old notes from yesterday.",
        SUMMARY + " There were 4711 jars.",
        SUMMARY + " A reminder was set for Aunt Mathilda.",
        SUMMARY * 20,
    ],
)
async def test_a_summary_that_code_cannot_bear_out_is_replaced_by_an_excerpt(world: World, answer: str) -> None:
    await world.talk(8)

    outcome = await world.compactor(ScriptedModel([says(answer)])).compact(await world.session())

    (view,) = await world.handoffs.in_prompt()
    assert outcome.state == "done"
    assert not outcome.is_summary
    assert answer not in view.text
    assert "What was said then, in excerpts:" in view.text
    assert "member: “Box number " in view.text


@pytest.mark.parametrize("fault", [ModelRefused("400"), PromptTooLong(), ModelSilent("blank"), None])
async def test_without_an_answer_an_excerpt_stands_in(world: World, fault: ModelFault | None) -> None:
    await world.talk(8)

    outcome = await world.compactor(ScriptedModel([fault]) if fault else None).compact(await world.session())

    assert (outcome.state, outcome.is_summary) == ("done", False)
    assert 500 <= len((await world.handoffs.handoff(1)).text) <= MAX_CHARS


async def test_a_cut_summary_is_not_used(world: World) -> None:
    await world.talk(8)
    reply = ModelReply((TextPart(text=SUMMARY),), model="scripted", was_cut=True)

    outcome = await world.compactor(ScriptedModel([reply])).compact(await world.session())

    assert not outcome.is_summary


async def test_a_busy_model_leaves_everything_where_it_is(world: World) -> None:
    await world.talk(8)
    before = await world.tail()

    with pytest.raises(ModelBusy):
        await world.compactor(ScriptedModel([ModelBusy("429")])).compact(await world.session())

    assert await world.tail() == before
    assert await world.count("handoffs") == 0


async def postpone(world: World, *, times: int) -> None:
    async with world.db.transaction():
        await world.jobs.add("compact", "compact:t1", {"session": 1})
        await world.jobs.postpone(1, world.clock.now() + timedelta(minutes=5), "ModelBusy", attempts=times)


async def test_while_a_failed_try_cools_down_no_other_is_made(world: World) -> None:
    await world.talk(8)
    await postpone(world, times=1)

    with ScriptedModel() as model:
        outcome = await world.compactor(model).compact(await world.session())

    assert outcome.state == "cooling"


async def test_after_two_busy_tries_the_excerpt_stands_in(world: World) -> None:
    await world.talk(8)
    await postpone(world, times=2)
    world.clock.advance(600)

    outcome = await world.compactor(ScriptedModel([ModelBusy("429")])).compact(await world.session())

    assert (outcome.state, outcome.is_summary) == ("done", False)


class Interrupted:
    """A model that is slow to answer: something happens meanwhile."""

    def __init__(self, world: World, *events: str) -> None:
        self.world = world
        self.events = events
        self.calls = 0

    @property
    def name(self) -> str:
        return "interrupted"

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.calls += 1
        for text in self.events:
            await self.world.say(text, "I see.")
        return says(SUMMARY)


async def test_messages_that_arrive_meanwhile_stay_in_the_tail(world: World) -> None:
    await world.talk(8)
    before = await world.tail()
    events = ("Also, my daughter is called Ida.", "And the cat is called Momo.", "Good night!")

    outcome = await world.compactor(Interrupted(world, *events)).compact(await world.session())

    assert outcome.state == "done"
    assert [m.text for m in await world.tail()] == [m.text for m in before[-4:]] + [
        text for event in events for text in (event, "I see.")
    ]


async def test_two_triggers_during_a_slow_summary_make_one_handoff(world: World) -> None:
    await world.talk(8)
    model = Interrupted(world)
    compactor, session = world.compactor(model), await world.session()

    outcomes = await asyncio.gather(compactor.compact(session), compactor.compact(session))

    assert sorted(outcome.state for outcome in outcomes) == ["done", "nothing"]
    assert model.calls == 1
    assert await world.count("handoffs") == 1


class Editing(Interrupted):
    """Something changes the window itself while the summary is written."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        async with self.world.db.transaction():
            edit = text_message("user", "Box number 1 is empty.", self.world.clock.now())
            await self.world.sessions.append(edit, session_id=1, turn_id=1, replaces=1)
        return says(SUMMARY)


async def test_a_window_that_changed_meanwhile_stays(world: World) -> None:
    await world.talk(8)

    with pytest.raises(CompactionFailed, match="changed"):
        await world.compactor(Editing(world)).compact(await world.session())

    assert await world.count("handoffs") == 0
    assert await world.count("journal") == 0


async def test_an_edit_in_the_window_takes_nothing_else_out_of_the_tail(world: World) -> None:
    await world.talk(8)
    async with world.db.transaction():
        edit = text_message("user", "Box number 6 stands in the attic now, with its 42 jars of jam.", world.clock.now())
        stored = await world.sessions.append(edit, session_id=1, turn_id=6, replaces=11)
        await world.segments.store(stored)
    before = await world.tail()

    await world.compactor().compact(await world.session())

    assert await world.tail() == before[-4:]


async def test_a_call_and_its_result_leave_together(world: World) -> None:
    for n in range(8):
        await world.say(f"What time is it in box number {n}? " + "I wonder. " * 20, "Half past nine.", tool=True)

    await world.compactor().compact(await world.session())

    tail = await world.tail()
    assert [m.role for m in tail] == ["user", "model", "tool", "model"] * 2


async def test_a_call_that_was_never_answered_blocks_nothing(world: World) -> None:
    async with world.db.transaction():
        turn = await world.sessions.begin_turn()
        call = Message(role="model", parts=(CallPart(call_id="lost", name="clock"),), at=world.clock.now())
        await world.sessions.append(call, session_id=turn.session_id, turn_id=turn.id)
        await world.sessions.end_turn(turn.id, "failed")
    await world.talk(8)

    outcome = await world.compactor().compact(await world.session())

    assert outcome.state == "done"
    assert len(await world.tail()) == 4


async def test_what_is_not_extracted_yet_stays(world: World) -> None:
    await world.talk(8)
    async with world.db.transaction():
        await world.jobs.add("extract", "extract:13", {"message": 13})

    await world.compactor().compact(await world.session())

    assert (await world.tail())[0].id == 13


async def test_extraction_that_failed_for_good_holds_nothing_back(world: World) -> None:
    await world.talk(8)
    async with world.db.transaction():
        await world.jobs.add("extract", "extract:1", {"message": 1})
        await world.jobs.fail(1, "ModelRefused")

    assert (await world.compactor().compact(await world.session())).state == "done"


async def test_a_running_turn_stays(world: World) -> None:
    await world.talk(8)
    await world.say("And now?", ends=False)

    await world.compactor(keep_turns=0).compact(await world.session())

    assert [m.text for m in await world.tail()] == ["And now?"]


async def test_a_prompt_that_cannot_be_shortened_is_reported_once(world: World) -> None:
    await world.say("Jam. " * 1000, "Understood.")
    compactor = world.compactor(ScriptedModel())

    outcomes = [await compactor.compact(await world.session()) for _ in range(5)]

    assert [outcome.state for outcome in outcomes] == ["overfull"] * 5
    assert [outcome.must_be_told for outcome in outcomes] == [True, False, False, False, False]


async def test_a_small_talk_is_left_alone(world: World) -> None:
    await world.talk(2)

    outcome = await world.compactor(ScriptedModel()).compact(await world.session())

    assert outcome.state == "nothing"
    assert not outcome.must_be_told


async def test_a_fresh_start_hands_the_whole_tail_off(world: World) -> None:
    await world.talk(1)
    session = await world.session()
    async with world.db.transaction():
        await world.sessions.start_session()

    outcome = await world.compactor(ScriptedModel([ModelBusy("429")])).compact(session, whole=True)

    assert outcome.state == "done"
    assert await world.sessions.tail(session, after=await world.handoffs.last_covered(session)) == []
    assert "Box number 1 stands in the cellar" in (await world.handoffs.in_prompt())[0].text


async def test_a_greeting_alone_leaves_no_handoff(world: World) -> None:
    await world.say("Hi!", "Hello there!")

    outcome = await world.compactor().compact(await world.session(), whole=True)

    assert outcome.state == "nothing"
    assert await world.count("handoffs") == 0


async def test_an_open_request_is_quoted(world: World) -> None:
    await world.talk(6)
    await world.say("Please order 12 new jars for Aunt Mathilda.", "From which shop?")
    await world.talk(2, first=7)

    await world.compactor().compact(await world.session())

    assert "Open then: “Please order 12 new jars for Aunt Mathilda.” (m13)" in (await world.handoffs.handoff(1)).text


async def test_the_manifest_names_every_kept_segment_with_its_hash(world: World) -> None:
    await world.say("Thanks a lot!", "You're welcome!")
    await world.talk(8)

    await world.compactor().compact(await world.session())

    rows = await world.db.fetch_all(
        "SELECT a.sha256, m.text, s.start, s.stop FROM manifest a JOIN segments s ON s.id = a.segment_id"
        " JOIN messages m ON m.id = s.message_id ORDER BY s.id"
    )
    assert len(rows) == 12
    assert all(hashlib.sha256(r["text"][r["start"] : r["stop"]].encode()).hexdigest() == r["sha256"] for r in rows)
    assert [item.text for item in await world.recall.by_manifest(1)] == [row["text"] for row in rows]


async def test_hash_prefixes_in_a_handoff_lead_to_their_text(world: World) -> None:
    await world.talk(8)

    await world.compactor().compact(await world.session())

    found = re.findall(r"^([0-9a-f]{10}) “(.{20})", (await world.handoffs.handoff(1)).text, re.MULTILINE)
    assert found
    for prefix, beginning in found:
        item = await world.recall.by_hash(prefix)
        assert item is not None
        assert beginning in item.text


async def test_the_journal_holds_the_day_in_rows_and_in_a_file(world: World) -> None:
    await world.talk(8)

    await world.compactor().compact(await world.session())

    (row,) = await world.db.fetch_all("SELECT * FROM journal")
    file = (world.folder / "journal" / "2027-03-02.md").read_text()
    assert row["day"] == "2027-03-02"
    assert row["text"].startswith("- 10:00 member: Box number 1 stands in the cellar")
    assert row["text"] in file


async def test_a_damaged_segment_stops_the_handoff(world: World) -> None:
    await world.talk(8)
    async with world.db.transaction():
        await world.db.execute("UPDATE segments SET sha256 = 'beef' WHERE id = 3")

    with pytest.raises(CompactionFailed):
        await world.compactor().compact(await world.session())

    assert await world.count("handoffs") == 0


async def test_a_segment_missing_from_the_index_stops_the_handoff(world: World) -> None:
    await world.talk(8)
    async with world.db.transaction():
        await world.db.execute("DELETE FROM segment_terms WHERE segment_id = 3")

    with pytest.raises(CompactionFailed, match="indexed"):
        await world.compactor().compact(await world.session())


async def test_what_recall_finds_again_needs_no_pinned_line(world: World) -> None:
    await world.talk(8)

    outcome = await world.compactor().compact(await world.session())

    assert outcome.pinned == 0


class Forgetful:
    """A recall that finds nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def pack(self, query: str, /, *, budget_tokens: int, in_window: frozenset[int]) -> Packed:
        self.asked.append(query)
        return Packed()


async def test_what_recall_loses_is_pinned_at_most_twelve_lines(world: World) -> None:
    await world.talk(20)
    recall = Forgetful()
    compactor = Compactor(
        *(world.db, world.sessions, world.handoffs, world.segments, recall, world.journal, world.media),
        model=None,
        clock=world.clock,
        zones=Preferences(ZONE),
        threshold_tokens=400,
        keep_turns=2,
        recall_tokens=900,
    )

    outcome = await compactor.compact(await world.session())

    assert outcome.pinned == 12
    assert 12 < len(recall.asked) <= 40
    assert (
        recall.asked[0]
        == "Box number stands in the cellar of house 501, and Aunt Mathilda keeps 7 jars of plum jam in it."
    )
    views = await world.handoffs.in_prompt()
    assert "Box number 3 stands in the cellar" in views[0].text
    assert views[0].ref == "pinned lines"


async def test_a_second_compaction_is_made_from_exact_words_and_never_from_the_first(world: World) -> None:
    await world.talk(8)
    await world.compactor().compact(await world.session())
    await world.talk(8, first=9)
    model = ScriptedModel([says(SUMMARY)])

    await world.compactor(model).compact(await world.session())

    assert "Handoff" not in model.requests[0].messages[0].text
    assert "Box number 1 " not in model.requests[0].messages[0].text


async def test_ten_compactions_with_a_summariser_that_repeats_itself_do_not_grow(world: World) -> None:
    steps: Sequence[Step] = [says(SUMMARY)] * 10
    compactor = world.compactor(ScriptedModel(steps))
    for n in range(10):
        await world.talk(6, first=1 + n * 6)
        await compactor.compact(await world.session())

    views = await world.handoffs.in_prompt()
    assert sum(view.tokens for view in views) <= 2500
    texts = [m["text"] for m in await world.db.fetch_all("SELECT text FROM messages ORDER BY id")]
    assert sum(text.startswith("Box number") for text in texts) == 60


async def test_a_huge_window_is_summarised_from_a_bounded_request(world: World) -> None:
    for n in range(12):
        await world.say(f"Instruction {n}: " + "keep the jam of Aunt Mathilda cool and dark. " * 150, "Understood.")
    model = ScriptedModel([says(SUMMARY)])

    await world.compactor(model).compact(await world.session())

    assert len(model.requests[0].messages[0].text) < 50_000
    assert "Instruction 0:" in model.requests[0].messages[0].text


async def test_all_of_it_survives_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.talk(8)
        await world.compactor().compact(await world.session())
        views, tail = await world.handoffs.in_prompt(), await world.tail()

    async with opened(tmp_path) as world:
        assert await world.handoffs.in_prompt() == views
        assert await world.tail() == tail


async def test_a_failure_within_the_commit_leaves_neither_handoff_nor_journal(world: World) -> None:
    await world.talk(8)
    before = await world.tail()
    async with world.db.transaction():
        await world.db.execute(
            "CREATE TRIGGER no_journal BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'no'); END"
        )

    with pytest.raises(Exception, match="no"):
        await world.compactor().compact(await world.session())

    assert await world.tail() == before
    assert await world.count("handoffs") == 0
    assert await world.count("manifest") == 0


async def test_thirty_compactions_one_after_another_erode_nothing(world: World) -> None:
    compactor = world.compactor(threshold_tokens=200)
    for number in range(1, 156):
        await world.say(
            f"The cellar of house {number} holds plum jam, an old sledge and chairs that nobody likes.", "I see."
        )
        if number % 5 == 0:
            await compactor.compact(1)
    assert await world.count("handoffs") == 30

    rows = await world.db.fetch_all(
        "SELECT s.start, s.stop, s.sha256, m.text FROM segments s JOIN messages m ON m.id = s.message_id"
    )
    assert len(rows) == 310
    assert all(hashlib.sha256(r["text"][r["start"] : r["stop"]].encode()).hexdigest() == r["sha256"] for r in rows)
    assert sum(view.tokens for view in await world.handoffs.in_prompt()) <= 2500
    for house in (1, 75, 140):
        found = await world.recall.pack(f"What does the cellar of house {house} hold?", budget_tokens=900)
        assert f"house {house} holds" in found.text


async def test_words_that_left_are_all_named_or_dropped_by_rule(world: World) -> None:
    """What a handoff covers and what its manifest names add up to every segment that left the tail."""
    await world.say("Thanks a lot!", "You're welcome!")
    await world.talk(8)

    await world.compactor().compact(await world.session())

    routes = await world.handoffs.routes(1)
    stay = {message.id for message in await world.tail()}
    left = await world.db.fetch_all("SELECT message_id FROM segments")
    assert routes == {"KEEP": 12, "DROP": 2}
    assert sum(routes.values()) == sum(row["message_id"] not in stay for row in left)


async def test_an_urgent_compaction_takes_a_small_window_and_waits_for_nobody(world: World) -> None:
    await world.talk(4)
    await postpone(world, times=1)

    with ScriptedModel() as model:
        outcome = await world.compactor(model, threshold_tokens=24_000).compact(1, is_urgent=True)

    assert (outcome.state, outcome.is_summary) == ("done", False)


async def test_journal_files_that_a_crash_left_out_are_written_at_the_next_start(world: World) -> None:
    await world.talk(8)
    await world.compactor().compact(await world.session())
    file = world.folder / "journal" / "2027-03-02.md"
    written = file.read_text()
    file.unlink()

    await world.journal.catch_up()

    assert file.read_text() == written
