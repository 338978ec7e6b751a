"""What people, containers and scripts may rely on: names, defaults, exit codes. A change needs a migration note."""

import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from datetime import time
from pathlib import Path
from sqlite3 import connect
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot import cli
from bot.__main__ import Remembrancer
from bot.settings import Settings, load, names
from tests.program import wait_until

ROOT = Path(__file__).parents[1]

SETTINGS: dict[str, object] = {
    "TELEGRAM_BOT_TOKEN": None,
    "TELEGRAM_OWNER_ID": None,
    "TELEGRAM_ALLOWED_IDS": (),
    "TELEGRAM_BASE_URL": None,
    "TELEGRAM_BASE_FILE_URL": None,
    "TELEGRAM_WEBHOOK_URL": None,
    "TELEGRAM_WEBHOOK_SECRET": None,
    "TELEGRAM_WEBHOOK_LISTEN": None,
    "GEMINI_API_KEY": None,
    "GEMINI_BASE_URL": None,
    "GEMINI_MODEL": "gemini-3.8-flash",
    "GEMINI_UTILITY_MODEL": "gemini-3.5-flash-lite",
    "GEMINI_FALLBACK_MODEL": None,
    "REMEMBRANCER_HOME": ...,
    "REMEMBRANCER_TIMEZONE": ZoneInfo("Asia/Tokyo"),
    "REMEMBRANCER_COMPACT_AT_TOKENS": 24_000,
    "REMEMBRANCER_KEEP_TURNS": 4,
    "REMEMBRANCER_LEDGER_TOKENS": 600,
    "REMEMBRANCER_RECALL_TOKENS": 900,
    "REMEMBRANCER_RECENCY_PERCENT": 0,
    "REMEMBRANCER_EMBEDDER": "auto",
    "REMEMBRANCER_COMPRESS": False,
    "REMEMBRANCER_TOOL_CALLS_PER_TURN": 15,
    "REMEMBRANCER_TURN_SECONDS": 180,
    "REMEMBRANCER_PROBE_AT": time(3, 30),
    "REMEMBRANCER_REPORT_AT": time(8, 0),
    "REMEMBRANCER_REPORT": "nightly",
    "REMEMBRANCER_DAILY_USD": 1.0,
    "REMEMBRANCER_SHELL": False,
    "REMEMBRANCER_MCP": None,
    "REMEMBRANCER_WORKBENCH": None,
}
"""The table of the contract, and the share of recency; `...` is the platform's."""


def test_the_settings_are_exactly_those_of_the_contract() -> None:
    assert set(names()) == set(SETTINGS)


def test_every_setting_has_the_default_of_the_contract(tmp_path: Path) -> None:
    settings = load(tmp_path, find_zone=lambda: ZoneInfo("Asia/Tokyo")).settings

    held = {name: getattr(settings, field) for name, field in names().items()}

    assert {name: value for name, value in held.items() if SETTINGS[name] is not ...} == {
        name: value for name, value in SETTINGS.items() if value is not ...
    }


def test_the_example_file_lists_every_setting_once_with_its_default(tmp_path: Path) -> None:
    listed = re.findall(r"^#([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(name for name, _ in listed) == sorted(SETTINGS)

    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in listed if value), encoding="utf-8")
    written = load(tmp_path, find_zone=lambda: None).settings
    assert written.model_dump() == Settings.model_validate({}).model_dump()


def test_the_readme_names_every_setting_and_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert [name for name in SETTINGS if name not in readme] == []
    assert [name for name in COMMANDS if f"remembrancer {name}" not in readme] == []


COMMANDS = (
    "chat",
    "facts",
    "recall",
    "why",
    "forget",
    "probe",
    "import",
    "backup",
    "restore",
    "export",
    "doctor",
    "bench",
)


class Program:
    """The wired program, run in a folder without settings and with nothing on its standard input."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = folder / "state"
        self._capsys = capsys
        monkeypatch.chdir(folder)
        monkeypatch.setenv("REMEMBRANCER_HOME", str(self.home))

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        code = cli.run(argv, Remembrancer)
        return code, *self._capsys.readouterr()


@pytest.fixture
def program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, own_logs: None
) -> Iterator[Program]:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield Program(tmp_path, capsys, monkeypatch)


def test_help_names_every_command_and_is_fine(program: Program) -> None:
    code, out, err = program("--help")

    assert (code, err) == (0, "")
    assert [name for name in COMMANDS if not re.search(rf"^ +{name} ", out, re.MULTILINE)] == []


def test_a_process_of_its_own_says_its_version(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert re.fullmatch(r"remembrancer \d+\.\d+\.\d+\n", done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "args",
    [
        ("no-such-command",),
        ("recall",),
        ("recall", "x", "--batch", "f"),
        ("recall", "x", "--k", "0"),
        ("recall", "--batch", "no-such-file"),
        ("facts", "--space", "../etc"),
        ("forget", "x9"),
        ("probe", "f1"),
        ("probe", "--space", "../etc"),
        ("probe", "--fixture", "--space", "local"),
        ("why", "yesterday"),
        ("import", "no-such-file"),
        ("import", "/dev/null", "--chat", "Bob"),
        ("backup", "copy.tar.gz"),
        ("restore",),
        ("restore", "no-such-file"),
        ("export", "no-such-folder/copy.zip"),
        ("bench", "everything"),
    ],
)
def test_wrong_use_is_one_line_on_stderr_and_2(program: Program, args: tuple[str, ...]) -> None:
    code, out, err = program(*args)

    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("remembrancer: ")


def test_a_wrong_setting_is_one_line_on_stderr_and_2(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_KEEP_TURNS", "all")

    code, out, err = program("facts")

    assert (code, out) == (2, "")
    assert err == (
        "remembrancer: REMEMBRANCER_KEEP_TURNS must be a whole number; for example REMEMBRANCER_KEEP_TURNS=4\n"
    )


def test_with_nobody_to_talk_to_it_says_what_to_set_and_2(program: Program) -> None:
    code, out, err = program()

    assert (code, out) == (2, "")
    assert "TELEGRAM_BOT_TOKEN" in err.splitlines()[-1]


@pytest.mark.parametrize(
    "args",
    [
        ("recall", "x"),
        ("why",),
        ("forget", "f1"),
        ("probe",),
        ("facts", "--space", "other"),
        ("export",),
        ("export", "--space", "other"),
    ],
)
def test_where_there_is_no_memory_it_says_so_and_1(program: Program, args: tuple[str, ...]) -> None:
    code, out, err = program(*args)

    assert (code, out) == (1, "")
    assert err.startswith("remembrancer: there is no space ")


def test_the_facts_of_a_memory_that_is_still_empty_are_an_empty_list_and_fine(program: Program) -> None:
    code, out, err = program("facts", "--json")

    assert (code, err) == (0, "")
    assert out == '{\n  "facts": []\n}\n'
    assert not program.home.exists()


def test_a_container_without_a_server_is_not_live(program: Program) -> None:
    code, out, _ = program("doctor", "--live")

    assert code == 1
    assert out.startswith("✗ heartbeat: none")


# JSON shapes, through the program as it is

LIMIT_S = 60.0
SAID = (
    "The tax report is due on Friday 12 March 2027 at 17:30.\nWe decided to use Postgres for the archive.\n"
    "My vet is Dr. Brandt.\nNo, Dr. Kern.\nThe dentist is on 3 April 2027 at 9:00\nThe dentist is cancelled.\n"
    "What is the deadline of the tax report?\n"
)
Shape = Mapping[str, Any]


@contextmanager
def restored_logs() -> Iterator[None]:
    """Leave logging as it was."""
    root = logging.getLogger()
    before, level, raises = list(root.handlers), root.level, logging.raiseExceptions
    try:
        yield
    finally:
        for handler in [one for one in root.handlers if one not in before]:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)
        logging.raiseExceptions = raises


def matches(value: object, shape: object) -> bool:
    """Tell whether a value has a shape: a pattern a string, a type, a dict with at least these keys, a list of one."""
    match shape:
        case re.Pattern():
            return isinstance(value, str) and shape.fullmatch(value) is not None
        case tuple():
            return any(matches(value, one) for one in shape)
        case list():
            return isinstance(value, list) and all(matches(one, shape[0]) for one in value)
        case dict():
            return isinstance(value, dict) and all(key in value and matches(value[key], shape[key]) for key in shape)
        case type():
            return type(value) is shape or (shape is float and type(value) is int)
        case _:
            return value == shape


def ids(letters: str) -> re.Pattern[str]:
    return re.compile(rf"[{letters}][1-9][0-9]*")


MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+\d\d:\d\d|Z)")
SOURCE = {"turn": (ids("t"), None), "message": (ids("m"), None)}
FACT = {
    "id": ids("f"),
    "kind": re.compile("deadline|decision|constraint|entity|user_attribute"),
    "subject": str,
    "value": str,
    "quote": str,
    "question": re.compile(r".+\?"),
    "critical": bool,
    "status": re.compile("active|superseded|retracted|forgotten|pending"),
    "since": MOMENT,
    "until": (MOMENT, None),
    "replaces": (ids("f"), None),
    "by": (str, None),
    "source": SOURCE,
}
RECALLED = {
    "query": str,
    "items": [
        {
            "id": ids("fsphj"),
            "layer": re.compile("fact|segment|procedure|handoff|journal"),
            "text": str,
            "score": float,
            "at": MOMENT,
            "refs": [str],
            "source": SOURCE,
            "tokens": int,
        }
    ],
    "excluded": [{"id": ids("fsphj"), "reason": str}],
    "ms": float,
}
WHY = {
    "turn": ids("t"),
    "items": [{"layer": str, "id": str, "tokens": int, "text": (str, None)}],
    "prompt_tokens": int,
    "model": str,
}
REF = ids("fq")
PROBED = {
    "ok": (True, False, None),
    "recall_rate": (float, None),
    "cases": int,
    "asked": int,
    "lost": [REF],
    "lost_critical": [REF],
    "leaks": [REF],
    "stale": [REF],
    "unaskable": [REF],
    "unknown": [REF],
    "prompt_tokens": int,
    "judge_calls": int,
    "effect": ({"value": float, "low": float, "high": float, "present": [int], "absent": [int]}, None),
    "problems": [str],
    "warnings": [str],
    "canary": {"ok": (True, False, None), "steps": [{"name": str, "ok": (True, False, None), "detail": str}]},
    "integrity": {"ok": (True, False, None), "findings": [str]},
    "autopsies": [{"fact": REF, "layer": str, "detail": str}],
}


def remembrancer(home: Path, *args: str, said: str = "") -> tuple[int, str, str]:
    """Run the program with something piped in, and return its exit code and what it wrote."""
    typed = io.TextIOWrapper(io.BytesIO(said.encode("utf-8", "surrogateescape")))
    written, told = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(written), redirect_stderr(told), restored_logs():
        patched.chdir(home.parent)
        patched.setenv("REMEMBRANCER_HOME", str(home))
        patched.setattr(sys, "stdin", typed)
        code = cli.run(args, Remembrancer)
    return code, written.getvalue(), told.getvalue()


WITH_SMALL_FILES = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from bot.__main__ import main
main()
"""
"""The program where every write beyond a size fails, as it does on a full disk."""


def started(home: Path, *args: str, largest_file: int | None = None) -> subprocess.Popen[str]:
    """Start the program in a process of its own; `largest_file` is in bytes."""
    how = ["-m", "bot"] if largest_file is None else ["-c", WITH_SMALL_FILES, str(largest_file)]
    return subprocess.Popen(
        [sys.executable, *how, *args],
        cwd=home.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "REMEMBRANCER_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home in which a short talk was held."""
    home = tmp_path_factory.mktemp("contract") / "state"
    code, out, _ = remembrancer(home, "chat", said=SAID)
    assert code == 0
    assert "Fri 12 Mar 2027 17:30" in out.splitlines()[-1]
    return home


@pytest.mark.parametrize(
    ("args", "shape"),
    [
        (("facts",), {"facts": [FACT]}),
        (("facts", "--history"), {"facts": [FACT]}),
        (("recall", "archive"), RECALLED),
        (("recall", "--k", "3", "who is the vet of us all"), RECALLED),
        (("recall", "zebra"), RECALLED | {"items": []}),
        (("why",), WHY),
        (("why", "t1"), WHY),
    ],
)
def test_json_is_one_document_of_the_shape_of_the_contract(talked: Path, args: tuple[str, ...], shape: Shape) -> None:
    code, out, err = remembrancer(talked, *args, "--json")

    assert (code, err) == (0, "")
    assert matches(json.loads(out), shape), out


def test_a_probe_is_one_document_of_the_shape_of_the_contract_and_its_exit_code_says_whether_all_is_well(
    talked: Path,
) -> None:
    code, out, err = remembrancer(talked, "probe", "--json")
    probed = json.loads(out)

    assert (code, err) == (0 if probed["ok"] else 1, "")
    assert matches(probed, PROBED), out
    assert set(probed) == set(PROBED)
    assert (probed["ok"], probed["lost"], probed["problems"]) == (True, [], [])
    assert probed["cases"] >= 3


def test_a_probe_says_in_a_line_how_the_memory_is_and_changes_nothing_of_it(talked: Path) -> None:
    _, before, _ = remembrancer(talked, "facts", "--history", "--json")
    code, out, err = remembrancer(talked, "probe")
    _, after, _ = remembrancer(talked, "facts", "--history", "--json")

    assert (code, err) == (0, "")
    assert re.match(r"Memory (\d+)/\1 · .*canary ok · integrity ok", out), out
    assert after == before


def test_what_a_killed_examination_left_is_gone_after_the_next_start(tmp_path: Path) -> None:
    left = tmp_path / "state" / "scratch" / "0123" / "spaces" / "local"
    left.mkdir(parents=True)
    (left / "memory.db").write_bytes(b"a copy of a memory")

    assert remembrancer(tmp_path / "state", "chat", said="hello\n")[0] == 0

    assert list((tmp_path / "state" / "scratch").iterdir()) == []


def test_the_frozen_talk_is_examined_without_any_home(tmp_path: Path) -> None:
    code, out, err = remembrancer(tmp_path / "state", "probe", "--fixture", "--json")
    probed = json.loads(out)

    assert (code, err) == (0, "")
    assert matches(probed, {**PROBED, "autopsies": []}), out
    assert (probed["ok"], probed["cases"], probed["canary"]["ok"]) == (True, 14, True)
    assert list(tmp_path.iterdir()) == []


def test_facts_without_history_are_those_that_hold_and_history_tells_what_became_of_the_others(talked: Path) -> None:
    _, now, _ = remembrancer(talked, "facts", "--json")
    _, ever, _ = remembrancer(talked, "facts", "--history", "--json")
    history = {fact["value"]: fact for fact in json.loads(ever)["facts"]}

    assert {fact["status"] for fact in json.loads(now)["facts"]} == {"active"}
    assert {value: fact["status"] for value, fact in history.items() if fact["status"] != "active"} == {
        "Dr. Brandt": "superseded",
        'Sat 3 Apr 2027 09:00 ("3 April 2027 at 9:00")': "retracted",
    }
    assert history["Dr. Kern"]["replaces"] == history["Dr. Brandt"]["id"]
    assert history["Dr. Brandt"]["until"] == history["Dr. Kern"]["since"]


def test_a_batch_answers_each_line_with_a_line_of_the_shape_of_recall(talked: Path, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"id": "a", "query": "archive"}\n\n{"id": 7, "query": "don\'t \\"AND\\" *"}\n', encoding="utf-8")

    code, out, err = remembrancer(talked, "recall", "--batch", str(batch))
    lines = [json.loads(line) for line in out.splitlines()]

    assert (code, err) == (0, "")
    assert [line["id"] for line in lines] == ["a", 7]
    assert all(matches(line, RECALLED) for line in lines)


def test_a_blank_query_is_wrong_use(talked: Path) -> None:
    code, out, err = remembrancer(talked, "recall", "  ")

    assert (code, out, len(err.splitlines())) == (2, "", 1)


def test_what_is_piped_in_under_a_name_can_be_imported_and_a_folder_cannot(tmp_path: Path) -> None:
    line = '{"at": "2026-01-01T10:00:00Z", "role": "user", "text": "The boat is called Wilma.", "ref": "r1"}\n'

    with started(tmp_path / "state", "import", "/dev/stdin") as running:
        out, _ = running.communicate(line, LIMIT_S)
        code = running.returncode
    wrong, _, err = remembrancer(tmp_path / "state", "import", str(tmp_path))

    assert (code, out.split(",")[0]) == (0, "1 stored")
    assert (wrong, "is a folder" in err, len(err.splitlines())) == (2, True, 1)


def test_bytes_that_are_no_text_neither_stop_the_talk_nor_the_next_line(tmp_path: Path) -> None:
    code, out, _ = remembrancer(tmp_path / "state", "chat", said="caf\udce9 here\nI live in Oslo\nWhere do I live?\n")

    assert code == 0
    assert "Oslo" in out.splitlines()[-1]


EVERY = (
    ("facts",),
    ("recall", "x"),
    ("why",),
    ("forget", "f1"),
    ("probe",),
    ("chat",),
    ("doctor",),
    ("import", "/dev/null"),
    ("backup",),
    ("export",),
)


@pytest.mark.parametrize("broken", ["spaces/local/memory.db", "bot.db"])
def test_over_a_damaged_file_every_command_ends_in_one_line_and_leaves_the_file(tmp_path: Path, broken: str) -> None:
    home = tmp_path / "state"
    assert remembrancer(home, "chat", said="I live in Oslo\n")[0] == 0
    damaged = home / broken
    damaged.write_bytes(b"no database" * 1_000)
    for args in EVERY:
        code, out, err = remembrancer(home, *args, said="hello\n")
        is_concerned = code != 0
        told = [line for line in (err + out).splitlines() if str(damaged) in line]

        assert is_concerned or (broken == "bot.db" and args[0] in {"facts", "recall", "why", "export"}), args
        assert len(told) == is_concerned, (args, err, out)
        assert "Traceback" not in err
    assert damaged.read_bytes() == b"no database" * 1_000


@pytest.mark.parametrize("args", [("facts",), ("forget", "f1"), ("chat",)])
def test_a_process_ends_within_the_limit_also_when_its_start_fails(tmp_path: Path, args: tuple[str, ...]) -> None:
    home = tmp_path / "state"
    assert remembrancer(home, "chat", said="I live in Oslo\n")[0] == 0
    for name in ("bot.db", "spaces/local/memory.db"):
        (home / name).write_bytes(b"no database" * 1_000)

    with started(home, *args) as running:
        _, err = running.communicate("hello\n", LIMIT_S)

    assert (running.returncode, "Traceback" in err) == (1, False)


def test_a_file_of_a_later_version_is_refused_in_one_line(tmp_path: Path) -> None:
    home = tmp_path / "state"
    assert remembrancer(home, "chat", said="I live in Oslo\n")[0] == 0
    with closing(connect(home / "spaces" / "local" / "memory.db")) as database:
        database.execute("INSERT INTO migrations VALUES (999, 'later', '', '2027-01-01T00:00:00.000000+00:00')")
        database.commit()

    for args in (("facts",), ("chat",)):
        code, out, err = remembrancer(home, *args, said="hello\n")
        assert (code, out) == (1, "")
        assert "newer Remembrancer (schema 999" in err.splitlines()[-1]


def test_a_full_disk_is_told_in_one_line_claims_nothing_and_is_over_when_there_is_room(tmp_path: Path) -> None:
    home = tmp_path / "state"
    assert remembrancer(home, "chat", said="I live in Oslo\n")[0] == 0
    size = (home / "spaces" / "local" / "memory.db").stat().st_size

    with started(home, "chat", largest_file=size + 20_000) as full:
        out, err = full.communicate("My dog is called Rex\n" * 40, LIMIT_S)
    _, held, _ = remembrancer(home, "facts", "--json")
    again, answered, _ = remembrancer(home, "chat", said="My cat is called Minka\nWhere do I live?\n")

    assert (full.returncode, "no space left" in err.splitlines()[-1]) == (1, True)
    assert "✎ dog" not in out or "Rex" in held
    assert again == 0
    assert "cat → Minka" in answered
    assert "Oslo" in answered.splitlines()[-1]


def test_beside_a_chat_a_second_one_is_refused_and_reading_goes_on(talked: Path) -> None:
    with started(talked, "chat") as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdin.write("hello\n")
        first.stdin.flush()
        assert first.stdout.readline().startswith("Hello!")

        code, out, err = remembrancer(talked, "chat", said="hello\n")
        read, facts, _ = remembrancer(talked, "facts")
        first.stdin.close()

        assert (code, out) == (1, "")
        assert "another Remembrancer works in" in err.splitlines()[-1]
        assert (read, "Dr. Kern" in facts) == (0, True)
        assert first.wait(LIMIT_S) == 0


def test_an_import_that_was_killed_is_taken_up_by_the_next_one_and_nothing_comes_twice(tmp_path: Path) -> None:
    home, file = tmp_path / "state", tmp_path / "talk.jsonl"
    line = '{{"at": "2026-01-01T10:00:00Z", "role": "user", "text": "Line {0} of the talk.", "ref": "r{0}"}}\n'
    file.write_text("".join(line.format(number) for number in range(600)), encoding="utf-8")
    database = home / "spaces" / "local" / "memory.db"
    with started(home, "import", str(file)) as first:
        wait_until(lambda: first.poll() is not None or _stored(database), "the first lines stored")
        first.kill()
    before = _stored(database)

    code, out, _ = remembrancer(home, "import", str(file))

    assert 0 < before < 600
    assert (code, out.split(" (")[0].split(", ")[:2]) == (0, [f"{600 - before} stored", f"{before} known already"])
    assert _stored(database) == 600


def _stored(database: Path) -> int:
    if not database.exists():
        return 0
    with closing(connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as reader:
        if not reader.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages'").fetchone():
            return 0
        return int(reader.execute("SELECT count(*) FROM messages").fetchone()[0])
