"""The process that examines, and the one that starts it, as they are: with the offline reader, and with Gemini's client
against a server on loopback.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.clock import SystemClock
from bot.home import Home
from bot.models.reader import OfflineReader
from bot.probing.errand import Errand, Said
from bot.probing.examination import Examination, ExaminationFault
from bot.probing.examiner import run
from bot.settings import Settings
from memory.findings import Gate, Run
from memory.messages import Message, TextPart
from memory.ports import ModelRequest
from memory.probe.run import Orders
from memory.store.database import Database
from tests.bot.probing.test_examination import Lab, run_of, saying
from tests.bot.turn.chat import chat_over
from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.gemini_replies import Reply, say
from tests.program import ROOT

pytestmark = pytest.mark.timeout(120)

SAID = (
    "My vet is called Dr. Brandt",
    "We decided to use Postgres for the archive",
    "The kitchen may cost at most 4000 euros",
    "I live in Oslo",
)


@asynccontextmanager
async def lab(home: Home) -> AsyncIterator[Lab]:
    """Open the only memory of a home."""
    clock = SystemClock()
    async with chat_over(home.root, OfflineReader(), clock=clock) as (space, _):
        shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
        try:
            yield Lab(home, space, shared, clock)  # type: ignore[arg-type]
        finally:
            await shared.close()


def examination(it: Lab, **settings: str) -> Examination:
    given = Settings.model_validate({"REMEMBRANCER_HOME": str(it.home.root), **settings})
    return Examination(given, it.home, it.shared, it.clock)


@dataclass(frozen=True)
class Examined:
    """A home in which a few facts were told to the offline reader, and its first examination."""

    home: Home
    run: Run
    judged: Gate
    steps: list[tuple[int, int]]
    before: dict[str, str]
    after: dict[str, str]


async def told_and_examined(home: Home) -> Examined:
    steps: list[tuple[int, int]] = []

    async def noted(done: int, total: int) -> None:
        steps.append((done, total))

    home.create_space("1")
    async with chat_over(home.root, OfflineReader(), clock=SystemClock()) as (space, assistant):
        for text in SAID:
            await assistant.say(text)
        (space.folder / "media").mkdir(exist_ok=True)
    async with lab(home) as it:
        before = it.state()
        run, judged = await examination(it).run(it.space, on_progress=noted)
        return Examined(home, run, judged, steps, before, it.state())


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    """What each test gets a copy of: after its first examination the extractor is not tried again for a week."""
    return asyncio.run(told_and_examined(Home(tmp_path_factory.mktemp("examined") / "home")))


@pytest.fixture
def home(examined: Examined, tmp_path: Path) -> Home:
    return Home(Path(shutil.copytree(examined.home.root, tmp_path / "home")))


def test_a_memory_that_is_well_is_found_well_and_nothing_of_it_changes(examined: Examined) -> None:
    run, judged = examined.run, examined.judged

    assert judged.ok, (judged, run)
    assert {one.verdict for one in run.results} <= {"pass", "unaskable"}
    assert len(run.results) >= len(SAID)
    assert run.canary is not None
    assert run.canary.is_well
    assert run.trial is not None
    assert run.fingerprint.model == "offline-reader"
    assert run.usd == 0
    assert examined.steps == sorted(examined.steps)
    assert all(done <= total for done, total in examined.steps)
    written = run.model_dump_json() + repr(judged)
    assert [word for word in ("Brandt", "Postgres", "4000", "Oslo") if word in written] == []
    assert examined.after == examined.before
    assert list(examined.home.scratch.iterdir()) == []


async def test_a_copy_that_is_damaged_makes_the_run_a_failed_one(home: Home) -> None:
    async with lab(home) as it:
        script = (
            "import pathlib, runpy, sys; p = next(pathlib.Path(sys.argv[1]).glob('spaces/*/memory.db'));"
            "p.write_bytes(b'no database' * 1000); runpy.run_module('bot.probing.examiner', run_name='__main__')"
        )
        settings = Settings.model_validate({"REMEMBRANCER_HOME": str(it.home.root)})
        examined = Examination(settings, it.home, it.shared, it.clock, program=(sys.executable, "-c", script))
        with pytest.raises(ExaminationFault) as caught:
            await examined.run(it.space)

        assert caught.value.error == "DamagedDatabase"
        assert it.rows("SELECT state, error FROM probe_runs")[1:] == [("failed", "DamagedDatabase")]


@pytest.mark.parametrize("orders", ["", "{}", '{"orders": "Tell me of Dr. Brandt"}'])
def test_without_orders_it_names_what_went_wrong_and_nothing_else(tmp_path: Path, orders: str) -> None:
    scratch = Home(tmp_path / "scratch")
    scratch.create()
    if orders:
        (scratch.root / "orders.json").write_text(orders)

    said: list[Said] = []
    code = run(scratch.root, said.append, clock=SystemClock())

    assert (code, [one.run for one in said]) == (1, [None])
    assert said[0].failed


def test_it_ends_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    scratch = Home(tmp_path / "scratch")
    scratch.create()
    Errand(orders=Orders(space_id="1", night=None, seed=0), allowance_usd=0.0).write(scratch.root)
    script = "import time, bot.probing.examiner as e; e.run = lambda *_, **__: time.sleep(600); e.main(None)"

    with subprocess.Popen(
        [sys.executable, "-c", script, str(scratch.root)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        running.stdin.close()
        assert running.wait(60) == 1


PARENT = """
import asyncio, sys
from pathlib import Path
from bot.__main__ import Remembrancer
from bot.settings import load
async def told(done, total):
    print(done, flush=True)
async def main():
    app = Remembrancer(load(Path()).settings)
    with app.home.locked():
        async with app.open_space("1", read_only=False) as space:
            print("begun", flush=True)
            await app.probe(space, on_progress=told)
asyncio.run(main())
"""


def killed_after(lines: int, home: Home, folder: Path) -> None:
    """Start an examination in a process of its own, and kill that when it has printed so many lines."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "REMEMBRANCER_HOME": str(home.root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as parent:
        assert parent.stdout is not None
        for _ in range(lines):
            assert parent.stdout.readline()
        parent.kill()


async def test_killed_in_the_midst_it_leaves_the_memory_as_it_was_and_the_next_one_is_whole(
    home: Home, tmp_path: Path
) -> None:
    async with lab(home) as it:
        before = it.state()

    await asyncio.to_thread(killed_after, 4, home, tmp_path)

    async with lab(home) as again:
        assert again.state() == before
        assert again.rows("SELECT count(*) FROM probe_runs WHERE state = 'running'") == [(1,)]
        run, _ = await again.examination(*saying(Said(run=run_of()).line())).run(again.space)
        assert run.results
        assert list(home.scratch.iterdir()) == []
        assert again.rows("SELECT count(*) FROM probe_runs WHERE state = 'running'") == [(0,)]


DIES_AT_THE_FIRST_LINE = """
import os, runpy, signal, sys
class Output:
    def write(self, text):
        os.kill(os.getpid(), signal.SIGKILL)
sys.stdout = Output()
runpy.run_module("bot.probing.examiner", run_name="__main__")
"""


async def test_a_killed_process_that_examines_makes_the_run_a_failed_one(home: Home) -> None:
    async with lab(home) as it:
        before = it.state()
        program = (sys.executable, "-c", DIES_AT_THE_FIRST_LINE)
        settings = Settings.model_validate({"REMEMBRANCER_HOME": str(it.home.root)})
        with pytest.raises(ExaminationFault) as caught:
            await Examination(settings, it.home, it.shared, it.clock, program=program).run(it.space)

        assert caught.value.error == "Died"
        assert it.state() == before


def answered_by_reading(request: Request) -> Reply:
    """Answer as the offline reader would, from what came over the wire."""
    messages = []
    block = None
    for content in request.contents:
        texts = [part["text"] for part in content["parts"] if "text" in part]
        if texts and texts[-1].splitlines()[-1].startswith("Now: "):
            block = texts.pop()
        role: Any = "model" if content["role"] == "model" else "user"
        messages += [Message(role=role, parts=(TextPart(text=text),), at=SystemClock().now()) for text in texts]
    task: Any = request.task
    asked = ModelRequest(task, request.system, messages, memory_block=block)
    try:
        # It never waits, so its coroutine ends with the first step; no loop can be run in the server's own.
        OfflineReader().generate(asked).send(None)
    except StopIteration as end:
        return say(end.value.text or "I don't know that.")
    raise AssertionError("the offline reader waited")


async def test_over_the_wire_the_models_are_asked_priced_and_counted(home: Home) -> None:
    with FakeGemini() as fake:
        for task in ("chat", "extract", "judge", "summarise", "entail"):
            fake.answer(task, answered_by_reading)
        async with lab(home) as it:
            before = it.state()
            gemini = {"GEMINI_API_KEY": fake.api_key, "GEMINI_BASE_URL": fake.url}
            run, judged = await examination(it, **gemini).run(it.space)
            after = it.state()

    assert judged.ok is not False, judged
    assert run.fingerprint.model == "gemini-3.8-flash"
    assert run.fingerprint.embedder.startswith("gemini-embedding")
    assert {request.task for request in fake.requests} >= {"chat", "extract", "judge", "embed"}
    assert run.usd is not None
    assert run.usd > 0
    assert run.prompt_tokens > 1_000
    assert before == after


async def test_where_no_money_may_be_spent_the_offline_reader_is_examined_and_nothing_is_sent(home: Home) -> None:
    with FakeGemini() as fake:
        async with lab(home) as it:
            run, judged = await examination(
                it, GEMINI_API_KEY=fake.api_key, GEMINI_BASE_URL=fake.url, REMEMBRANCER_DAILY_USD="0"
            ).run(it.space)

    assert fake.requests == []
    assert run.fingerprint.model == OfflineReader().name
    assert (run.stopped, judged.ok) == ("", True), judged


async def test_a_service_that_answers_nonsense_is_never_healthy(home: Home) -> None:
    with FakeGemini() as fake:
        for task in ("chat", "extract", "judge"):
            fake.answer(task, lambda _: say("All systems are operational."))
        async with lab(home) as it:
            _, judged = await examination(it, GEMINI_API_KEY=fake.api_key, GEMINI_BASE_URL=fake.url).run(it.space)

    assert judged.ok is not True
