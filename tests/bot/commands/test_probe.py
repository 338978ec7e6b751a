"""`/probe` and `/health`: what is asked for by hand, and what the buttons of a report do."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import date
from pathlib import Path

import pytest

from bot.commands import probe, probe_questions
from bot.probing.examining import BROKE_OFF, NO_ROOM, Progress
from bot.probing.restoring import NO_SOURCE, NOT_FOUND, RENAMED, RESTORED, UNEXAMINED
from memory.errors import ModelBusy, StorageFull
from memory.findings import CaseResult, Finding, Gate, Run
from memory.space import Space
from memory.store.entries import Button
from tests.bot.probing.examinations import ScriptedExamination, known, lost
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

RENT = "My rent is 850 euros a month."
READ = extracts(change("rent", "850 euros", RENT, critical=True))


@asynccontextmanager
async def rented(home: Path, examination: ScriptedExamination, *reads: object) -> AsyncIterator[House]:
    """Open a memory that holds the fact f1 and is examined by the script."""
    model = TaskModel(ScriptedModel([says("Noted.")]), extract=ScriptedModel([READ, *reads]))  # type: ignore[list-item]
    async with house(home, model=model, examination=examination) as h:
        await h.say(RENT)
        assert [fact.value for fact in await h.space.facts.active()] == ["850 euros"]
        yield h


def buttons(h: House) -> list[Button]:
    return [button for row in h.screen.rows[-1].message.buttons for button in row]


async def press(h: House, label: str) -> str:
    """Press a button of the last message and return what is said last then."""
    (button,) = [one for one in buttons(h) if one.text == label]
    shown = h.screen.rows[-1].place
    assert shown is not None
    await h.say("", kind="press", press=button.data, message_id=int(shown.split(":")[2]))
    return h.screen.delivered[-1]


async def test_an_examination_on_request_shows_how_far_it_is_and_ends_with_the_report(tmp_path: Path) -> None:
    examination = ScriptedExamination(tuple(known(f"f{n}") for n in range(1, 9)))
    async with rented(tmp_path, examination) as h:
        await h.say("/probe", kind="command")
        begun, *steps, told = h.screen.rows[-6:]
        assert begun.message.text == probe.BEGUN.format(last=probe.FIRST)
        assert [step.message.text[-6:] for step in steps] == ["2 of 8", "4 of 8", "6 of 8", "8 of 8"]
        assert {step.place for step in steps} == {begun.place}
        assert told.message.text.startswith("Memory 8/8")
        assert examination.nights == [None]


async def test_a_second_request_waits_for_the_first(tmp_path: Path) -> None:
    async with rented(tmp_path, ScriptedExamination((known("f1"),))) as h:
        await h.receive("/probe", kind="command")
        await h.say("/probe", kind="command")
        assert probe.ON_ITS_WAY in h.screen.delivered
        assert await h.space.probes.last_done() is not None


async def test_while_another_memory_is_examined_a_request_says_that_it_waits(tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    examination.is_busy = True
    async with rented(tmp_path, examination) as h:
        await h.say("/probe", kind="command")
        assert any(text.startswith("Another memory is being examined") for text in h.screen.delivered)


@pytest.mark.parametrize(("fault", "words"), [(ModelBusy(), BROKE_OFF), (StorageFull(Path("x")), NO_ROOM)])
async def test_an_examination_that_breaks_off_is_said_and_can_be_run_again(
    tmp_path: Path, fault: ModelBusy | StorageFull, words: str
) -> None:
    async with rented(tmp_path, ScriptedExamination(fault, (known("f1"),))) as h:
        await h.say("/probe", kind="command")
        assert h.screen.delivered[-1] == words
        assert (await press(h, "Run again")).startswith("Memory 1/1")


def damaged(h: House, *statements: str) -> None:
    """Damage the rows behind the program's back, where no foreign key is looked after."""
    with closing(sqlite3.connect(h.space.db.path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


async def told_of(h: House, examination: ScriptedExamination, *found: CaseResult) -> None:
    """Let an examination find this; later ones find all of it well."""
    examination.then(*found)
    await h.say("/probe", kind="command")
    examination.then(*(known(one.ref, one.message_id) for one in found))


async def test_a_row_that_was_deleted_is_restored_under_its_id_and_examined(tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with rented(tmp_path, examination, READ) as h:
        (fact,) = await h.space.facts.active()
        damaged(h, "DELETE FROM facts")
        await told_of(h, examination, lost("f1", "extracted", fact.message_id))
        assert f"> {RENT}" in h.screen.delivered[-1]
        told = await press(h, "Restore from source")
        assert told == RESTORED.format(about="rent", value="850 euros", ref="f1", message=fact.message_id)
        (restored,) = await h.space.facts.active()
        assert (restored.ref, restored.value, restored.quote) == ("f1", "850 euros", RENT)
        assert await h.space.db.fetch_all("PRAGMA foreign_key_check") == []
        assert await h.space.probes.open_alarms() == []
        await h.say("/probe", kind="command")
        assert "Well again" not in h.screen.delivered[-1]


@pytest.mark.parametrize("damage", ["value = '950 euros'", "status = 'retracted'", "status = 'superseded'"])
async def test_a_row_that_was_altered_is_set_right_from_its_source(tmp_path: Path, damage: str) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with rented(tmp_path, examination, READ) as h:
        (fact,) = await h.space.facts.active()
        damaged(h, f"UPDATE facts SET {damage}")
        await told_of(h, examination, lost("f1", "active", fact.message_id))
        ref = "f2" if "value" in damage else "f1"
        examination.then(known(ref, fact.message_id))
        told = await press(h, "Restore from source")
        assert told.splitlines()[0] == RESTORED.format(
            about="rent", value="850 euros", ref=ref, message=fact.message_id
        )
        assert told.splitlines()[1:] == ([RENAMED.format(old="f1", ref="f2")] if ref == "f2" else [])
        assert [one.value for one in await h.space.facts.active()] == ["850 euros"]
        assert await h.space.probes.open_alarms() == []


async def test_an_index_that_was_emptied_is_made_anew(tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with rented(tmp_path, examination) as h:
        (fact,) = await h.space.facts.active()
        damaged(h, "DELETE FROM segment_terms")
        index = Finding(about="index", count=1, words="rows are missing")
        examination.then(lost("f1", "indexed", fact.message_id), integrity=(index,))
        await h.say("/probe", kind="command")
        examination.then(known("f1", fact.message_id))
        told = await press(h, "Restore 1")
        assert told.splitlines()[1] == "✓ Well again: my files (index)."
        found = await h.space.recall.search("rent a month", k=5)
        assert any(RENT in item.text for item in found.items)


async def test_files_that_can_be_made_anew_are_by_a_button_and_all_is_examined(tmp_path: Path) -> None:
    index = Finding(about="index", count=1, words="rows are missing", can_be_rebuilt=True)
    examination = ScriptedExamination((known("f1"),), integrity=(index,))
    async with rented(tmp_path, examination) as h:
        damaged(h, "DELETE FROM segment_terms")
        await h.say("/probe", kind="command")
        assert "I can make it anew" in h.screen.delivered[-1]
        examination.then(known("f1"))
        told = await press(h, "Restore")
        assert told.startswith("Memory 1/1")
        assert told.endswith("✓ Well again: my files (index).")
        assert (await h.space.recall.search("rent a month", k=5)).items


async def test_files_that_cannot_be_made_anew_have_no_such_button(tmp_path: Path) -> None:
    found = Finding(about="messages", count=1, words="are not what was said")
    async with rented(tmp_path, ScriptedExamination((known("f1"),), integrity=(found,))) as h:
        await h.say("/probe", kind="command")
        assert "doctor --deep" in h.screen.delivered[-1]
        assert [button.text for button in buttons(h)] == ["Dismiss", "Run again"]


@pytest.mark.parametrize(
    ("examined", "words"),
    [
        ((lost("f1", "indexed", 1),), NOT_FOUND),
        ((known("f1", verdict="unknown"),), UNEXAMINED),
        (ModelBusy("gone"), UNEXAMINED),
        (StorageFull(Path("x")), UNEXAMINED),
    ],
)
async def test_what_is_restored_is_well_only_when_an_examination_says_so(
    tmp_path: Path, examined: tuple[CaseResult, ...] | ModelBusy | StorageFull, words: str
) -> None:
    examination = ScriptedExamination((lost("f1", "indexed"),), examined)
    async with rented(tmp_path, examination) as h:
        await h.say("/probe", kind="command")
        told = await press(h, "Restore from source")
        assert told == words.format(about="rent", value="850 euros", ref="f1", message=1)
        assert len(await h.space.probes.open_alarms()) == 1


async def test_what_has_no_source_left_is_not_restored_and_says_so(tmp_path: Path) -> None:
    async with rented(tmp_path, ScriptedExamination((lost("f9", "stored", 99),))) as h:
        await h.say("/probe", kind="command")
        assert "Restore from source" not in [button.text for button in buttons(h)]
        await h.say("/probe restore f9", kind="command")
        assert h.screen.delivered[-1] == NO_SOURCE.format(ref="f9")


async def test_the_source_is_shown_as_it_was_said(tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),))
    async with rented(tmp_path, examination) as h:
        (fact,) = await h.space.facts.active()
        examination.then(lost("f1", "read", fact.message_id))
        await h.say("/probe", kind="command")
        assert f"**m{fact.message_id}**" in await press(h, "Show source")
        assert h.screen.delivered[-1].endswith(f"> {RENT}")


async def test_what_was_dismissed_stays_quiet_until_it_is_something_else(tmp_path: Path) -> None:
    examination = ScriptedExamination((lost("f1", "read"),))
    async with rented(tmp_path, examination) as h:
        await h.say("/probe", kind="command")
        await press(h, "Dismiss")
        assert any(text.startswith("Dismissed") for text in h.screen.delivered)
        await h.say("/probe", kind="command")
        assert "still" not in h.screen.delivered[-1]
        examination.then(lost("f1", "indexed"))
        await h.say("/probe", kind="command")
        assert "search index has lost it" in h.screen.delivered[-1]


async def test_a_button_of_an_alarm_that_is_over_says_so(tmp_path: Path) -> None:
    examination = ScriptedExamination((lost("f1", "read"),))
    async with rented(tmp_path, examination) as h:
        await h.say("/probe", kind="command")
        (data,) = [button.data for button in buttons(h) if button.text == "Dismiss"]
        examination.then(known("f1"))
        await h.say("/probe", kind="command")
        await h.say("", kind="press", press=data)
        assert h.screen.delivered[-1] == probe.GONE


async def test_a_fact_shows_what_the_last_nights_said_of_it(tmp_path: Path) -> None:
    examination = ScriptedExamination((known("f1"),), (lost("f1", "indexed", detail="the index has no row of it"),))
    async with rented(tmp_path, examination) as h:
        await h.say("/probe", kind="command")
        await h.say("/probe", kind="command")
        await h.say("/probe f1", kind="command")
        head, *lines = h.screen.delivered[-1].splitlines()
        assert head == "**rent** · f1"
        assert [line.partition(": ")[2] for line in lines[:2]] == [
            "lost (indexed), the index has no row of it",
            "known",
        ]


@pytest.mark.parametrize(
    ("ref", "told"), [("f1", probe.NEVER_ASKED.format(ref="f1")), ("f7", "There is no f7"), ("q1", "There is no q1")]
)
async def test_what_was_never_examined_is_told_from_what_is_not_there(tmp_path: Path, ref: str, told: str) -> None:
    async with rented(tmp_path, ScriptedExamination()) as h:
        await h.say(f"/probe {ref}", kind="command")
        assert h.screen.delivered[-1].startswith(told)


class HeldExamination(ScriptedExamination):
    """One that goes on until it is let go."""

    def __init__(self) -> None:
        super().__init__((known("f1"),))
        self.may_end = asyncio.Event()

    async def run(
        self, space: Space, *, night: date | None = None, only: Sequence[str] = (), on_progress: Progress | None = None
    ) -> tuple[Run, Gate]:
        await self.may_end.wait()
        return await super().run(space, night=night, only=only, on_progress=on_progress)


async def test_an_examination_holds_up_neither_turns_nor_the_reading_of_facts(tmp_path: Path) -> None:
    examination = HeldExamination()
    model = TaskModel(ScriptedModel([says("Noted.")]), extract=ScriptedModel([READ]))
    async with house(tmp_path, model=model, examination=examination) as h, asyncio.timeout(10):
        h.runner.start()
        await h.receive("/probe", kind="command")
        await h.receive(RENT)
        await h.screen.until(3)
        assert [text[:6] for text in h.screen.delivered] == ["I exam", "Noted.", "✎ rent"]
        examination.may_end.set()
        await h.screen.until(5)
        assert h.screen.delivered[-1].startswith("Memory 1/1")


# Questions of one's own


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("How much is the rent", f"{probe_questions.BLANK} {probe_questions.ADD_HOW}"),
        ("= 850 euros", f"{probe_questions.BLANK} {probe_questions.ADD_HOW}"),
        ("How much is the rent? = ", f"{probe_questions.BLANK} {probe_questions.ADD_HOW}"),
        ("Is a=b or a=c? = yes", None),
        ("Is a=b=c", f"{probe_questions.SEVERAL} {probe_questions.ADD_HOW}"),
        ("Is the rent 850 euros? = 850 euros", probe_questions.GIVEN_AWAY),
        ("How is it? = it", probe_questions.TOO_COMMON),
        (f"{'How ' * 90}? = 850 euros", probe_questions.TOO_LONG.format(question=300, answer=400)),
        ("What is the deposit? = 2,400 euros", None),
    ],
)
async def test_a_question_that_cannot_be_examined_is_refused_with_a_reason(
    tmp_path: Path, said: str, answer: str | None
) -> None:
    async with rented(tmp_path, ScriptedExamination(())) as h:
        await h.say(f"/probe add {said}", kind="command")
        told = h.screen.delivered[-1]
        assert told == answer if answer else "so I could only fail" in told or told == probe_questions.TOO_COMMON
        assert await h.space.probes.questions.all() == []


async def test_a_question_whose_answer_a_fact_states_is_tied_to_it(tmp_path: Path) -> None:
    async with rented(tmp_path, ScriptedExamination(())) as h:
        await h.say("/probe add What does the flat cost each month? = 850 euros", kind="command")
        (asked,) = await h.space.probes.questions.all()
        assert (asked.question, asked.answer, asked.fact_id) == ("What does the flat cost each month?", "850 euros", 1)
        await h.say("/probe add what does the flat cost each month? = 850 euros", kind="command")
        assert h.screen.delivered[-1] == probe_questions.KNOWN.format(ref="q1")
        await h.say("/probe list", kind="command")
        assert h.screen.delivered[-1] == "• q1 What does the flat cost each month? = 850 euros (f1)"
        await h.say("/probe drop q1", kind="command")
        assert await h.space.probes.questions.all() == []


async def test_a_question_whose_answer_stands_in_the_talk_alone_is_taken(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("Lovely.")]))
    async with house(tmp_path, model=model, examination=ScriptedExamination(())) as h:
        await h.say("We had dinner at the Lindenhof with Karla.")
        await h.say("/probe add Where did we have dinner with Karla? = Lindenhof", kind="command")
        (asked,) = await h.space.probes.questions.all()
        assert asked.fact_id is None


async def test_in_a_group_only_who_asked_or_the_operator_takes_a_question_back(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("Lovely.")]))
    async with house(tmp_path, model=model, examination=ScriptedExamination(()), space_id="-5", operator_id=9) as h:
        await h.say("We had dinner at the Lindenhof with Karla.", author_id=7, author="Ida")
        await h.say("/probe add Where did we have dinner? = Lindenhof", kind="command", author_id=7)
        await h.say("/probe drop q1", kind="command", author_id=8)
        assert len(await h.space.probes.questions.all()) == 1
        await h.say("/probe drop q1", kind="command", author_id=9)
        assert await h.space.probes.questions.all() == []


# Health


async def test_health_tells_what_is_not_well_first(tmp_path: Path) -> None:
    async with rented(tmp_path, ScriptedExamination((known("f1"),))) as h:
        await h.say("/probe", kind="command")
        await h.say("/health", kind="command")
        well = h.screen.delivered[-1]
        assert well.startswith("✓ All is well.")
        assert "Memory 1/1" in well
        h.clock.advance(5 * 86_400)
        await h.say("/health", kind="command")
        assert h.screen.delivered[-1].startswith("⚠️ my memory was last examined 5 days ago")


async def test_recall_alone_tells_of_the_last_examination(tmp_path: Path) -> None:
    async with rented(tmp_path, ScriptedExamination((known("f1"),))) as h:
        await h.say("/probe", kind="command")
        await h.say("/recall", kind="command")
        assert "• Last examined on" in h.screen.delivered[-1]
