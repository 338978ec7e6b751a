import asyncio
import io
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TextIO

import pytest

from bot import cli
from bot.health import Heartbeat, OutOfReach, Reach
from bot.home import Home
from bot.imports.reading_back import OnRead, ReadBack
from bot.probing.examination import ExaminationFault, Progress
from bot.settings import Settings
from memory.errors import CeilingReached, DamagedDatabase, UnknownId
from memory.findings import Gate, Run
from memory.ledger.facts import Statement
from memory.messages import text_message
from memory.probe.gate import gate
from memory.space import Space
from memory.store.database import Database
from memory.store.jobs import IMPORTED
from memory.store.sessions import TraceItem
from memory.store.tombstones import Burial, Tombstones
from tests.bot.probing.test_examination import run_of
from tests.fakes.clock import FakeClock

Result = tuple[int, str, str]
LINES = (
    '{"at": "2027-02-01T10:00:00+01:00", "role": "user", "text": "The heron nests by the weir.", "ref": "D1:1"}\n'
    '{"at": "2027-02-01T10:01:00+01:00", "role": "model", "text": "A heron, by the weir. Lovely.", "ref": "D1:2"}\n'
)


class StubApp:
    """The program with real memories; serving, chatting and forgetting are noted in `did`."""

    def __init__(self, settings: Settings, did: list[str]) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.clock = FakeClock()
        self.did = did

    @asynccontextmanager
    async def open_space(self, space_id: str, *, read_only: bool, as_it_is: bool = False) -> AsyncIterator[Space]:
        space = await Space.open(
            self.home.space(space_id).path,
            default_zone=self.settings.timezone,
            clock=self.clock,
            backups=self.home.backups,
            read_only=read_only,
            as_it_is=as_it_is,
        )
        try:
            yield space
        finally:
            await space.close()

    async def serve_telegram(self) -> None:
        if self.settings.telegram_owner_id == 13:
            raise OutOfReach("Telegram refuses the token; check TELEGRAM_BOT_TOKEN")
        self.did.append("served Telegram")

    async def chat(self, space_id: str) -> None:
        self.did.append(f"chatted in {space_id}")

    async def forget(self, space: Space, ref: str) -> str:
        if ref == "f99":
            raise UnknownId(ref)
        if ref == "f98":
            raise DamagedDatabase(space.db.path, "torn")
        if ref == "f97":
            raise KeyError("canary: a person's words")
        self.did.append(f"forgot {ref}")
        return f"Forgot {ref}."

    async def probe(self, space: Space, *, on_progress: Progress | None) -> tuple[Run, Gate]:
        if self.settings.keep_turns == 1:
            raise ExaminationFault("Died")
        run = run_of("pass" if self.settings.keep_turns > 2 else "lost")
        return run, gate(run, ())

    async def probe_frozen(self, *, on_progress: Progress | None) -> tuple[Run, Gate]:
        run = run_of("unknown")
        return run, gate(run, ())

    async def read_back(self, space: Space, tombstones: Tombstones, *, on_read: OnRead) -> ReadBack:
        self.did.append(f"read the facts of {await space.jobs.count_waiting(IMPORTED)} messages")
        on_read(1)
        return ReadBack(read=1, facts=1, left=1, stopped_by=CeilingReached)

    def reach(self) -> Mapping[str, Reach]:
        async def telegram() -> str:
            return "answers"

        return {"Telegram": telegram}


class Shell:
    """Runs commands as a shell would, in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.home = Home(folder / "state")
        self.did: list[str] = []
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self.set(REMEMBRANCER_HOME=str(self.home.root), REMEMBRANCER_TIMEZONE="Europe/Berlin")
        monkeypatch.chdir(folder)
        self._stdin: TextIO | None = None
        self.stdin(Path(os.devnull))

    def set(self, **env: str) -> None:
        for name, value in env.items():
            self._monkeypatch.setenv(name, value)

    def stdin(self, path: Path) -> None:
        self.close()
        self._stdin = path.open(encoding="utf-8")
        self._monkeypatch.setattr(sys, "stdin", self._stdin)

    def close(self) -> None:
        if self._stdin is not None:
            self._stdin.close()

    def run(self, *argv: str) -> Result:
        code = cli.run(argv, self._app)
        out, err = self._capsys.readouterr()
        return code, out, err

    def json(self, *argv: str) -> Any:
        code, out, err = self.run(*argv)
        assert (code, err) == (0, "")
        return json.loads(out)

    def in_space(self, work: Callable[[Space], Awaitable[None]], space_id: str = "local") -> None:
        async def open_and_work() -> None:
            self.home.create_space(space_id)
            async with self._app(Settings.model_validate({"REMEMBRANCER_HOME": self.home.root})).open_space(
                space_id, read_only=False
            ) as space:
                await work(space)

        asyncio.run(open_and_work())

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def _app(self, settings: Settings) -> StubApp:
        return StubApp(settings, self.did)


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, own_logs: None
) -> Iterator[Shell]:
    shell = Shell(tmp_path, capsys, monkeypatch)
    yield shell
    shell.close()


async def _nothing(_: Space) -> None:
    """A memory that is there, and empty."""


async def _one_turn(space: Space) -> None:
    """A member states a deadline, the model answers, and the deadline becomes a fact."""
    at = FakeClock().now()
    async with space.db.transaction():
        turn = await space.sessions.begin_turn()
        said = text_message("user", "The tax report is due on 12 March.", at, source="cli:1")
        message = await space.sessions.append(said, session_id=turn.session_id, turn_id=turn.id)
        await space.segments.store(message)
        assert message.id is not None
        await space.facts.add(
            Statement(
                kind="deadline",
                subject="tax report",
                value="12 March",
                quote="The tax report is due on 12 March",
                question="When is the tax report due?",
                patterns=("12 March",),
                since=at,
                message_id=message.id,
                critical=True,
            )
        )
        await space.sessions.keep_block(
            turn.id, "block", [TraceItem("tail", f"m{message.id}", 9), TraceItem("ledger", "f1", 8)]
        )
        await space.sessions.end_turn(turn.id, "done")


# What is served


def test_with_a_token_it_serves_telegram_and_nobody_else_can_meanwhile(shell: Shell) -> None:
    shell.set(TELEGRAM_BOT_TOKEN="1:abc", TELEGRAM_OWNER_ID="42")

    assert shell.run()[0] == 0
    assert shell.did == ["served Telegram"]

    with shell.home.locked():
        code, out, err = shell.run()
    assert (code, out) == (1, "")
    assert err == (
        f"remembrancer: another Remembrancer works in {shell.home.root}; "
        "stop it first, or set REMEMBRANCER_HOME to another folder\n"
    )


def test_a_token_that_is_refused_is_a_wrong_setting(shell: Shell) -> None:
    shell.set(TELEGRAM_BOT_TOKEN="1:abc", TELEGRAM_OWNER_ID="13")

    code, out, err = shell.run()

    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == "remembrancer: Telegram refuses the token; check TELEGRAM_BOT_TOKEN"


def test_without_a_token_it_chats_with_what_is_piped_in(shell: Shell) -> None:
    shell.stdin(shell.folder / shell.file("lines", "hello\n"))

    assert shell.run() == (0, "", "")
    assert shell.did == ["chatted in local"]


def test_without_a_token_and_without_input_it_says_what_to_set(shell: Shell) -> None:
    code, out, err = shell.run()

    assert (code, out, shell.did) == (2, "", [])
    assert err.startswith("remembrancer: there is nobody to talk to: set TELEGRAM_BOT_TOKEN")


def test_chat_goes_to_the_named_space_else_the_operator_s_else_the_terminal_s(shell: Shell) -> None:
    shell.run("chat")
    shell.run("chat", "--space", "-1001")
    shell.set(TELEGRAM_BOT_TOKEN="1:abc", TELEGRAM_OWNER_ID="42")
    shell.run("chat")

    assert shell.did == ["chatted in local", "chatted in -1001", "chatted in 42"]


def test_the_start_says_what_is_not_in_this_version_and_a_reading_command_does_not(shell: Shell) -> None:
    shell.set(REMEMBRANCER_WORKBENCH="127.0.0.1:8321")

    line = "remembrancer: REMEMBRANCER_WORKBENCH: the workbench is not available in this version; nothing is served\n"
    assert shell.run("chat")[2] == line
    assert shell.run("facts")[2] == ""


# Reading


def test_facts_have_the_shape_of_the_contract(shell: Shell) -> None:
    shell.in_space(_one_turn)

    assert shell.json("facts", "--json") == {
        "facts": [
            {
                "id": "f1",
                "kind": "deadline",
                "subject": "tax report",
                "value": "12 March",
                "quote": "The tax report is due on 12 March",
                "question": "When is the tax report due?",
                "critical": True,
                "private": False,
                "status": "active",
                "since": "2027-03-02T09:00:00+00:00",
                "until": None,
                "replaces": None,
                "by": None,
                "source": {"turn": "t1", "message": "m1"},
            }
        ]
    }
    assert shell.run("facts")[1] == "f1  [deadline] tax report: 12 March  (2027-03-02)\n"


def test_history_also_lists_what_no_longer_holds(shell: Shell) -> None:
    async def retract(space: Space) -> None:
        await _one_turn(space)
        async with space.db.transaction():
            await space.facts.retract(1, at=FakeClock().now())

    shell.in_space(retract)

    assert shell.json("facts", "--json") == {"facts": []}
    assert [fact["status"] for fact in shell.json("facts", "--history", "--json")["facts"]] == ["retracted"]
    assert shell.run("facts", "--history")[1].endswith("[retracted]\n")


def test_recall_has_the_shape_of_the_contract(shell: Shell) -> None:
    shell.run("import", shell.file("talk.jsonl", LINES))

    found = shell.json("recall", "heron nests", "--json")

    assert set(found) == {"query", "items", "excluded", "ms"}
    first = found["items"][0]
    assert set(first) >= {"id", "layer", "text", "score", "at", "refs", "source", "tokens"}
    assert (first["text"], first["refs"], first["layer"]) == ("The heron nests by the weir.", ["D1:1"], "segment")
    assert first["source"] == {"turn": None, "message": "m1"}
    assert first["at"] == "2027-02-01T09:00:00+00:00"


def test_recall_shows_people_the_exact_words_and_says_when_there_are_none(shell: Shell) -> None:
    shell.run("import", shell.file("talk.jsonl", LINES))

    assert "    The heron nests by the weir.\n" in shell.run("recall", "heron")[1]
    assert shell.run("recall", "zeppelin") == (0, "Nothing found.\n", "")


def test_a_batch_of_queries_is_answered_line_by_line(shell: Shell) -> None:
    shell.run("import", shell.file("talk.jsonl", LINES))
    batch = shell.file("batch", '{"id": "a", "query": "heron"}\n\n{"id": 7, "query": "zeppelin"}\n')

    code, out, err = shell.run("recall", "--batch", batch, "--k", "1")

    answers = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [(answer["id"], len(answer["items"])) for answer in answers] == [("a", 1), (7, 0)]


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"id": 1}', '{"query": "x"}', '{"id": 1, "query": 2}', "[" * 100_000, '{"id": ' + "9" * 5_000 + "}"],
    ids=range(7),
)
def test_a_bad_line_of_a_batch_is_named_before_anything_is_answered(shell: Shell, line: str) -> None:
    shell.run("import", shell.file("talk.jsonl", LINES))
    batch = shell.file("batch", f'{{"id": "a", "query": "heron"}}\n{line}\n')

    code, out, err = shell.run("recall", "--batch", batch)

    assert (code, out) == (2, "")
    assert err.startswith("remembrancer: batch, line 2: must be ")


def test_a_query_that_holds_half_a_character_is_named(shell: Shell) -> None:
    code, out, err = shell.run("recall", "--batch", shell.file("batch", '{"id": 1, "query": "\\ud800 heron"}\n'))

    assert (code, out) == (2, "")
    assert err.startswith("remembrancer: batch, line 1: the query holds half a character")


def test_why_has_the_shape_of_the_contract(shell: Shell) -> None:
    shell.in_space(_one_turn)

    expected = {
        "turn": "t1",
        "items": [
            {"layer": "tail", "id": "m1", "tokens": 9, "text": "The tax report is due on 12 March."},
            {"layer": "ledger", "id": "f1", "tokens": 8, "text": "tax report: 12 March"},
        ],
        "prompt_tokens": None,
        "model": None,
    }
    assert shell.json("why", "--json") == expected
    assert shell.json("why", "t1", "--json") == expected
    assert "ledger    f1" in shell.run("why", "1")[1]


def test_why_of_a_turn_that_never_was_is_not_well(shell: Shell) -> None:
    shell.in_space(_one_turn)

    assert shell.run("why", "t9") == (1, "", "remembrancer: there is no t9 in this memory\n")


def test_reading_works_beside_a_server(shell: Shell) -> None:
    shell.in_space(_one_turn)

    with shell.home.locked():
        assert shell.run("facts")[0] == shell.run("recall", "tax")[0] == shell.run("why")[0] == 0


def test_a_command_about_a_memory_that_is_not_there_names_those_that_are(shell: Shell) -> None:
    shell.in_space(_one_turn, "42")

    code, out, err = shell.run("facts", "--space", "43")

    assert (code, out) == (1, "")
    assert err == f"remembrancer: there is no space 43 in {shell.home.root} (spaces: 42)\n"
    assert shell.home.space_ids() == ["42"]


# Writing


def test_importing_twice_stores_once(shell: Shell) -> None:
    talk = shell.file("talk.jsonl", LINES)

    assert shell.run("import", talk, "--space", "demo")[:2] == (
        0,
        "2 stored, 0 known already, 0 forgotten earlier and left out, 0 with a secret masked (space demo)\n",
    )
    assert shell.run("import", talk, "--space", "demo")[1].startswith("0 stored, 2 known already")


def test_importing_does_not_bring_back_what_was_forgotten(shell: Shell) -> None:
    async def forget(space: Space) -> None:
        database = await Database.open(shell.home.database, "bot", clock=FakeClock(), backups=shell.home.backups)
        await Tombstones(database, FakeClock()).add("local", [Burial("message", "The heron nests by the weir.")])
        await database.close()

    shell.in_space(forget)

    assert shell.run("import", shell.file("talk.jsonl", LINES))[1].startswith("1 stored, 0 known already, 1 forgotten")


def test_what_is_dated_ahead_of_now_is_left_out_as_nothing_could_be_said_after_it(shell: Shell) -> None:
    talk = shell.file(
        "talk.jsonl", '{"at": "9999-01-01", "role": "user", "text": "The cat is called Zorro."}\n' + LINES
    )

    out = shell.run("import", talk)[1]

    assert (out[:9], out.rstrip().partition("; ")[2]) == ("2 stored,", "left out: 1 dated ahead of now")


def test_a_zip_that_is_cut_off_is_told_from_a_text(shell: Shell) -> None:
    shell.file("cut.zip", "PK\x03\x04 and no more")

    assert shell.run("import", "cut.zip")[::2] == (
        2,
        "remembrancer: cut.zip is a zip that is damaged or cut off; make the export again, or copy it again\n",
    )


def test_a_bad_line_of_an_import_is_named_and_nothing_is_stored(shell: Shell) -> None:
    talk = shell.file("talk.jsonl", LINES + '{"at": "noon", "role": "user", "text": "canary"}\n')

    code, out, err = shell.run("import", talk)

    assert (code, out) == (1, "")
    assert err == "remembrancer: line 3: at: must be a time like 2027-03-12T17:30:00+01:00\n"
    assert shell.run("recall", "heron")[1] == "Nothing found.\n"


def test_facts_are_read_at_a_price_that_was_agreed_to(shell: Shell) -> None:
    shell.set(GEMINI_API_KEY="AIza-test")
    talk = shell.file("talk.jsonl", LINES)

    unasked, out, err = shell.run("import", talk, "--extract")
    assert (unasked, shell.did) == (2, [])
    assert re.search(r"facts: 1 message to read with \S+, about [\d,]+ tokens, about \S+ \(prices as of ", out)
    assert "give --yes" in err

    agreed, out, err = shell.run("import", talk, "--extract", "--yes")
    assert (agreed, shell.did) == (1, ["read the facts of 1 messages"])
    assert out.splitlines()[-1].startswith("facts: 1 message read, 1 more fact holds now")
    assert "1 message still to be read: what may be spent on this today is spent" in err


def test_without_a_key_facts_are_read_for_nothing_and_that_is_said(shell: Shell) -> None:
    _, out, _ = shell.run("import", shell.file("talk.jsonl", LINES), "--extract")

    assert "offline and free" in out
    assert shell.did == ["read the facts of 1 messages"]


def test_forget_prints_the_receipt(shell: Shell) -> None:
    shell.in_space(_one_turn)

    assert shell.run("forget", "f1") == (0, "Forgot f1.\n", "")
    assert shell.did == ["forgot f1"]


def test_a_failure_is_one_line_and_1(shell: Shell) -> None:
    shell.in_space(_one_turn)

    assert shell.run("forget", "f99") == (1, "", "remembrancer: there is no f99 in this memory\n")
    code, out, err = shell.run("forget", "f98")
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "memory.db is damaged (torn)" in err


def test_a_defect_of_the_program_shows_where_it_is_and_nothing_a_person_said(shell: Shell) -> None:
    shell.in_space(_one_turn)

    code, out, err = shell.run("forget", "f97")

    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == "remembrancer: unexpected KeyError; the log says where"
    assert "in forget" in err
    assert "canary" not in err


# Looking after it


def test_probe_sums_up_in_a_line_and_is_fine_when_all_is_well(shell: Shell) -> None:
    shell.in_space(_nothing)

    code, out, err = shell.run("probe")

    assert (code, err) == (0, "")
    assert out.startswith("Memory 1/1 · ")


def test_probe_names_what_is_lost_and_is_1(shell: Shell) -> None:
    shell.in_space(_nothing)
    shell.set(REMEMBRANCER_KEEP_TURNS="2")

    code, out, err = shell.run("probe")
    as_json, document, _ = shell.run("probe", "--json")

    assert (code, as_json, err) == (1, 1, "")
    assert "✗ lost and critical: f1" in out
    assert json.loads(document)["lost_critical"] == ["f1"]


def test_probe_of_the_frozen_talk_needs_no_memory_and_is_1_when_it_is_not_known_whether_all_is_well(
    shell: Shell,
) -> None:
    code, document, err = shell.run("probe", "--fixture", "--json")

    assert (code, err) == (1, "")
    assert json.loads(document)["ok"] is None
    assert shell.home.space_ids() == []


def test_a_probe_that_came_to_nothing_says_so_in_one_line(shell: Shell) -> None:
    shell.in_space(_nothing)
    shell.set(REMEMBRANCER_KEEP_TURNS="1")

    code, out, err = shell.run("probe", "--json")

    assert (code, out) == (1, "")
    assert err == "remembrancer: the examination came to nothing (Died); nothing is called lost\n"


def test_doctor_prints_a_line_for_each_thing_it_looked_at(shell: Shell) -> None:
    shell.in_space(_one_turn)

    code, out, err = shell.run("doctor")

    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "✓ settings",
        "✓ disk",
        "✓ privacy",
        "✓ spaces/local/memory.db",
        "✓ Telegram",
    ]


def test_doctor_names_a_setting_that_does_not_exist(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_HOM", "x")

    assert shell.run("doctor")[2].startswith("remembrancer: REMEMBRANCER_HOM: there is no such setting")
    assert shell.run("doctor", "--live")[2] == ""


def test_doctor_is_1_when_something_is_not_well(shell: Shell) -> None:
    shell.home.create_space("local").database.write_text("no database" * 1000)

    code, out, _ = shell.run("doctor")

    assert code == 1
    assert "✗ spaces/local/memory.db" in out


def test_live_looks_at_the_heartbeat_alone(shell: Shell) -> None:
    shell.home.create_space("local").database.write_text("no database" * 1000)
    Heartbeat(shell.home.heartbeat, FakeClock()).beat()

    assert shell.run("doctor", "--live") == (0, "✓ heartbeat: 0 s ago\n", "")


def test_a_reader_that_goes_away_is_no_defect(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

        def fileno(self) -> int:
            return os.open(os.devnull, os.O_WRONLY)

    monkeypatch.setattr(sys, "stdout", Gone())

    assert cli.run(["facts"], lambda settings: StubApp(settings, [])) == 1
