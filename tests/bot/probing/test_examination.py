"""The side that starts the process which examines: here that is a script which says what it is told to."""

import asyncio
import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.home import Home
from bot.probing.errand import ORDERS_FILE, Said
from bot.probing.examination import Examination, ExaminationFault, environment
from bot.probing.scratch import night_backup
from bot.settings import Settings, load
from bot.telegram.chats import ChatStore
from memory.errors import StorageFull
from memory.findings import Canary, CaseResult, Fingerprint, Run
from memory.messages import text_message
from memory.space import Space
from memory.store.database import Database
from tests.bot.turn.house import ZONE
from tests.fakes.clock import FakeClock
from tests.program import wait_until

FINGERPRINT = Fingerprint(model="m", embedder="none", code="c", schema_version=9, prompts={}, settings={})
RUN_TABLES = {"probe_runs", "probe_results", "probe_alarms"}
NIGHT = date(2027, 3, 2)
SAYS = "import sys; print(sys.argv[1], flush=True)"
HANGS = "import sys, time; sys.stdin.close(); time.sleep(600)"


def run_of(verdict: str = "pass") -> Run:
    at = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
    result = CaseResult.model_validate({"ref": "f1", "message_id": 1, "critical": True, "verdict": verdict})
    return Run(
        space_id="7",
        started_at=at,
        ended_at=at,
        results=(result,),
        fingerprint=FINGERPRINT,
        canary=Canary(is_well=True, steps=()),
        has_model_arms=True,
        usd=0.05,
    )


def saying(line: str, *, and_then: str = "") -> tuple[str, ...]:
    """Return a program that prints a line, whatever scratch it is given."""
    return (sys.executable, "-c", f"{SAYS}; {and_then}", line)


@dataclass
class Lab:
    home: Home
    space: Space
    shared: Database
    clock: FakeClock

    def examination(self, *program: str, **more: Any) -> Examination:
        settings = more.pop("settings", Settings.model_validate({}))
        return Examination(settings, self.home, self.shared, self.clock, program=program, **more)

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(self.space.db.path)) as reader:
            return reader.execute(sql).fetchall()

    def state(self) -> dict[str, str]:
        """Return a hash of every live file's content but the run tables."""
        found = {
            path.relative_to(self.home.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in (path for path in self.home.root.rglob("*") if self.home.scratch not in path.parents)
            if path.is_file() and not path.name.startswith(("memory.db", "bot.db", "lock")) and "night" not in path.name
        }
        return found | contents(self.space.db.path) | contents(self.shared.path)


def contents(database: Path) -> dict[str, str]:
    with closing(sqlite3.connect(database)) as reader:
        tables = [name for (name,) in reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            f"{database.name}:{table}": hashlib.sha256(
                repr(reader.execute(f"SELECT * FROM {table}").fetchall()).encode()
            ).hexdigest()
            for table in tables
            if table not in RUN_TABLES | {"sqlite_sequence"}
        }


@asynccontextmanager
async def lab(tmp_path: Path, *, says: str = "I live in Oslo") -> AsyncIterator[Lab]:
    clock, home = FakeClock(), Home(tmp_path / "home")
    shared = None
    space = await Space.open(home.create_space("7").path, default_zone=ZONE, clock=clock, backups=home.backups)
    try:
        shared = await Database.open(home.database, "bot", clock=clock, backups=home.backups)
        if says:
            async with space.db.transaction():
                said = text_message("user", says, clock.now())
                await space.segments.store(await space.sessions.append(said, session_id=None, turn_id=None))
        (space.folder / "media").mkdir()
        (space.folder / "media" / "a").write_bytes(b"a picture")
        yield Lab(home, space, shared, clock)
    finally:
        await space.close()
        if shared is not None:
            await shared.close()


async def test_what_the_process_finds_is_judged_and_stored(tmp_path: Path) -> None:
    async with lab(tmp_path) as it:
        run, judged = await it.examination(*saying(Said(run=run_of()).line())).run(it.space, night=NIGHT)

        stored = await it.space.probes.last_done()
        assert stored is not None
        assert (stored.night, stored.ok, stored.run.results) == (NIGHT, judged.ok, run.results)
        assert it.rows("SELECT state FROM probe_runs") == [("done",)]
        assert night_backup(it.home, "7").exists()
        assert list(it.home.scratch.iterdir()) == []


async def test_some_cases_alone_are_what_the_errand_names(tmp_path: Path) -> None:
    mark = tmp_path / "orders"
    line = Said(run=run_of().model_copy(update={"only": ("f1",)})).line()
    script = f"import shutil, sys; shutil.copy(sys.argv[2] + '/{ORDERS_FILE}', {str(mark)!r}); {SAYS}"
    async with lab(tmp_path) as it:
        await it.examination(sys.executable, "-c", script, line).run(it.space, only=["f1"])

        assert json.loads(mark.read_text())["orders"]["only"] == ["f1"]
        assert it.rows("SELECT state, is_whole FROM probe_runs") == [("done", 0)]


async def test_progress_is_passed_on_in_order(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    async def noted(done: int, total: int) -> None:
        seen.append((done, total))

    lines = [Said(progress=(number, 3)) for number in (1, 2, 3)] + [Said(run=run_of())]
    async with lab(tmp_path) as it:
        program = saying("".join(line.line() for line in lines))
        await it.examination(*program).run(it.space, on_progress=noted)

    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"failed": "DamagedDatabase"}', "DamagedDatabase"),
        ("all is well", "Nonsense"),
        ("{}", "Nonsense"),
        ("[1, 2]", "Nonsense"),
        ('{"run": {"ok": true}}', "Nonsense"),
        ('{"progress": [1, 2], "failed": "X"}', "Nonsense"),
        ('{"failed": "My vet is called Dr. Brandt"}', "Nonsense"),
        ('{"progress": [1, 2]}', "Died"),
    ],
)
async def test_a_process_that_fails_dies_or_talks_nonsense_makes_the_run_a_failed_one(
    tmp_path: Path, line: str, error: str
) -> None:
    async with lab(tmp_path) as it:
        before = it.state()
        with pytest.raises(ExaminationFault) as caught:
            await it.examination(*saying(line)).run(it.space, night=NIGHT)

        assert caught.value.error == error
        assert it.rows("SELECT state, ok, error FROM probe_runs") == [("failed", None, error)]
        assert await it.space.probes.last_done() is None
        assert it.state() == before
        assert list(it.home.scratch.iterdir()) == []


async def test_a_program_that_cannot_be_started_makes_the_run_a_failed_one(tmp_path: Path) -> None:
    async with lab(tmp_path) as it:
        with pytest.raises(OSError, match="nowhere"):
            await it.examination(str(tmp_path / "nowhere")).run(it.space)

        assert it.rows("SELECT state, error FROM probe_runs") == [("failed", "FileNotFoundError")]


async def test_a_process_that_hangs_is_ended(tmp_path: Path) -> None:
    async with lab(tmp_path) as it:
        with pytest.raises(ExaminationFault) as caught:
            await it.examination(sys.executable, "-c", HANGS, silence_s=0.3).run(it.space)

        assert caught.value.error == "Hung"
        assert it.rows("SELECT state, error FROM probe_runs") == [("failed", "Hung")]


async def test_cancelling_ends_the_process_and_leaves_no_scratch(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    script = f"import os; open({str(mark)!r}, 'w').write(str(os.getpid())); {HANGS}"
    async with lab(tmp_path) as it:
        running = asyncio.create_task(it.examination(sys.executable, "-c", script).run(it.space))
        await asyncio.to_thread(wait_until, lambda: mark.exists() and mark.read_text(), "the process to run")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.read_text()), 0)
        assert it.rows("SELECT state, error FROM probe_runs") == [("failed", "CancelledError")]
        assert list(it.home.scratch.iterdir()) == []


async def test_examinations_of_one_home_come_one_after_another(tmp_path: Path) -> None:
    counted = tmp_path / "counted"
    script = (
        f"import pathlib, sys, time; p = pathlib.Path({str(counted)!r}); assert not p.exists(); p.touch();"
        f"time.sleep(0.1); p.unlink(); {SAYS}"
    )
    async with lab(tmp_path) as it:
        examination = it.examination(sys.executable, "-c", script, Said(run=run_of()).line())
        await asyncio.gather(*(examination.run(it.space) for _ in range(3)))

        assert it.rows("SELECT DISTINCT state FROM probe_runs") == [("done",)]


async def test_without_room_for_the_copies_the_operator_is_told(tmp_path: Path) -> None:
    async with lab(tmp_path) as it:
        with pytest.raises(StorageFull):
            await it.examination(*saying(""), free=lambda _: 0).run(it.space)

        assert it.rows("SELECT error FROM probe_runs") == [("StorageFull",)]


async def test_an_empty_memory_beside_a_full_one_is_not_well(tmp_path: Path) -> None:
    async with lab(tmp_path / "beside"):
        pass
    (tmp_path / "beside" / "home").rename(tmp_path / "full")

    async with lab(tmp_path, says="") as it:
        _, judged = await it.examination(*saying(Said(run=run_of()).line())).run(it.space)

        assert judged.ok is False
        assert any("empty memory" in problem for problem in judged.problems)


async def test_a_chat_older_than_its_empty_memory_is_not_well(tmp_path: Path) -> None:
    async with lab(tmp_path, says="") as it:
        early = FakeClock(datetime(2027, 2, 1, tzinfo=UTC))
        await ChatStore(it.shared, early).pause(7)

        _, judged = await it.examination(*saying(Said(run=run_of()).line())).run(it.space)

        assert judged.ok is False


KEEPS_ORDERS = f"""
import pathlib, shutil, sys
line, kept, scratch = sys.argv[1:]
shutil.copy(pathlib.Path(scratch) / "{ORDERS_FILE}", kept)
print(line, flush=True)
"""


async def ordered(it: Lab, folder: Path, *, night: date | None = NIGHT, **settings: object) -> dict[str, Any]:
    kept = folder / "kept.json"
    program = (sys.executable, "-c", KEEPS_ORDERS, Said(run=run_of()).line(), str(kept))
    examination = it.examination(*program, settings=Settings.model_validate(settings))
    await examination.run(it.space, night=night)
    errand: dict[str, Any] = json.loads(kept.read_text())
    return errand


async def test_the_orders_hold_what_earlier_nights_knew_and_no_live_path(tmp_path: Path) -> None:
    async with lab(tmp_path) as it:
        first = await ordered(it, tmp_path)
        second = await ordered(it, tmp_path, night=date(2027, 3, 3))

        assert (first["orders"]["known"], first["orders"]["has_trial"]) == ([], True)
        assert [known["ref"] for known in second["orders"]["known"]] == ["f1"]
        assert first["orders"]["seed"] != second["orders"]["seed"]
        assert str(it.home.root) not in json.dumps([first, second])


@pytest.mark.parametrize(
    ("daily", "first", "second"), [("1.00", 0.2, 0.15), ("0", 0.0, 0.0), ("0.20", 0.04, 0.0), ("none", None, None)]
)
async def test_the_examinations_of_a_day_share_a_fifth_of_its_dollars(
    tmp_path: Path, daily: str, first: float | None, second: float | None
) -> None:
    async with lab(tmp_path) as it:
        allowed = [
            (await ordered(it, tmp_path, night=night, REMEMBRANCER_DAILY_USD=daily))["allowance_usd"]
            for night in (NIGHT, None)
        ]

        assert allowed == [pytest.approx(first), pytest.approx(second)]


async def test_a_memory_with_a_budget_of_its_own_is_examined_within_it_and_offline_where_that_is_nothing(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "key"
    script = f"import os, pathlib; pathlib.Path({str(kept)!r}).write_text(os.environ.get('GEMINI_API_KEY', '')); {SAYS}"
    settings = Settings.model_validate({"GEMINI_API_KEY": "a-key", "REMEMBRANCER_DAILY_USD": "1.00"})
    async with lab(tmp_path) as it:
        examination = it.examination(sys.executable, "-c", script, Said(run=run_of()).line(), settings=settings)
        for own, allowance, key in ((0.5, 0.1, "a-key"), (0.0, 0.0, "")):
            async with it.space.db.transaction():
                await it.space.preference_store.set(daily_usd=own)
            errand = await ordered(it, tmp_path, night=None, REMEMBRANCER_DAILY_USD="1.00")
            assert errand["allowance_usd"] == pytest.approx(allowance)
            async with it.space.db.transaction():
                await it.space.db.execute("DELETE FROM probe_runs")
            await examination.run(it.space)
            assert kept.read_text() == key


def test_the_process_gets_the_settings_it_needs_and_nothing_that_leads_to_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings.model_validate(
        {
            "TELEGRAM_BOT_TOKEN": "123456789:secret-token",
            "TELEGRAM_OWNER_ID": "424242",
            "TELEGRAM_ALLOWED_IDS": "434343",
            "GEMINI_API_KEY": "a-key",
            "GEMINI_BASE_URL": "http://127.0.0.1:8090",
            "REMEMBRANCER_HOME": str(tmp_path / "live"),
            "REMEMBRANCER_TIMEZONE": "Asia/Tokyo",
            "REMEMBRANCER_COMPRESS": "on",
            "REMEMBRANCER_LEDGER_TOKENS": "700",
            "REMEMBRANCER_RECENCY_PERCENT": "20",
            "REMEMBRANCER_EMBEDDER": "none",
        }
    )
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "123456789:secret-token")
    monkeypatch.setenv("OTHER_SECRET", "something else")

    given = environment(settings, tmp_path / "scratch")
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TELEGRAM_BOT_TOKEN")
    there = load(tmp_path).settings

    written = json.dumps(given)
    assert [word for word in ("secret", "424242", "434343", "something", "live") if word in written] == []
    assert there.home == tmp_path / "scratch"
    same = settings.model_copy(
        update={
            "telegram_bot_token": None,
            "telegram_owner_id": None,
            "telegram_allowed_ids": (),
            "home": there.home,
        }
    )
    assert there.model_dump() == same.model_dump()
