"""Kept in a file and brought back, by the commands as they are: backup and restore, export and import."""

import json
import os
import re
import shutil
import stat
from pathlib import Path
from zipfile import ZipFile

import pytest

from bot.backup.swap import has_unfinished
from tests.bot.imports.exports import TALK, account, chat, said, write
from tests.program import wait_until
from tests.test_contract import FACT, LIMIT_S, matches, remembrancer, started


def values(home: Path, *args: str) -> set[str]:
    _, out, _ = remembrancer(home, "facts", "--json", *args)
    return {fact["value"] for fact in json.loads(out)["facts"]}


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which two things were told."""
    home = tmp_path_factory.mktemp("keeping") / "state"
    assert remembrancer(home, "chat", said="My vet is Dr. Brandt.\nThe locker code is 4711.\n")[0] == 0
    return home


@pytest.fixture
def home(talked: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    return shutil.copytree(talked, tmp_path / "state")


# Backup and restore


def test_a_backup_says_what_where_how_large_and_that_it_is_not_encrypted(home: Path) -> None:
    code, out, err = remembrancer(home, "backup")

    path, held, warning, back = out.splitlines()
    assert (code, err) == (0, "")
    assert Path(path).parent == home / "backups"
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert re.fullmatch(r"1 space \(local: 4 messages, 2 facts\), 0 further files, [\d.]+ kB", held)
    assert "not encrypted" in warning
    assert back == f"To bring it back: remembrancer restore {path}"


def test_a_backup_has_the_name_that_was_given_and_overwrites_nothing(home: Path, tmp_path: Path) -> None:
    asked = tmp_path / "mine.zip"
    assert remembrancer(home, "backup", str(asked))[0] == 0
    before = asked.read_bytes()

    code, out, err = remembrancer(home, "backup", str(asked))
    elsewhere, _, _ = remembrancer(home, "backup", str(tmp_path))

    assert (code, out, elsewhere) == (2, "", 0)
    assert "is not overwritten" in err
    assert asked.read_bytes() == before
    assert len(list(tmp_path.glob("*.zip"))) == 2


def test_of_a_home_without_memories_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    code, out, err = remembrancer(tmp_path / "state", "backup")

    assert (code, out, "nothing to back up" in err) == (1, "", True)


def test_beside_a_chat_a_backup_is_written_and_a_restore_is_refused(home: Path) -> None:
    with started(home, "chat") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write("I live in Oslo.\n")
        running.stdin.flush()
        assert "Oslo" in running.stdout.readline()

        written, out, _ = remembrancer(home, "backup")
        refused, nothing, err = remembrancer(home, "restore", out.splitlines()[0])
        running.stdin.close()

        assert (written, refused, nothing) == (0, 1, "")
        assert "another Remembrancer works in" in err
        assert "stop it first" in err
        assert running.wait(LIMIT_S) == 0
    assert values(home) == {"Dr. Brandt", "4711", "Oslo"}


def test_after_a_restore_it_is_as_before_but_what_was_forgotten_since_stays_forgotten(home: Path) -> None:
    _, out, _ = remembrancer(home, "backup")
    remembrancer(home, "chat", said="My vet is Dr. Kern.\nI live in Oslo.\n")
    assert remembrancer(home, "forget", "f2")[0] == 0

    code, told, err = remembrancer(home, "restore", out.splitlines()[0])

    assert (code, err) == (0, "")
    assert told.splitlines()[:2] == [
        "local: 4 messages, 2 facts restored",
        "local: 1 thing forgotten since the backup: forgotten again",
    ]
    assert values(home) == {"Dr. Brandt"}
    kept = Path(told.splitlines()[-1].removeprefix("what was there before is kept in "))
    assert (kept / "spaces" / "local" / "memory.db").is_file()
    assert remembrancer(home, "recall", "4711")[1] == "Nothing found.\n"
    assert remembrancer(home, "doctor")[1].count("✗") == 0


def test_a_backup_makes_a_home_on_another_machine(home: Path, tmp_path: Path) -> None:
    _, out, _ = remembrancer(home, "backup")

    code, told, _ = remembrancer(tmp_path / "other", "restore", out.splitlines()[0])

    assert (code, "is kept in" in told) == (0, False)
    assert values(tmp_path / "other") == {"Dr. Brandt", "4711"}


@pytest.mark.parametrize("kind", ["export", "text"])
def test_what_is_no_backup_is_refused_in_a_line_and_nothing_changes(home: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "file.zip"
    if kind == "export":
        remembrancer(home, "export", str(file))
    else:
        file.write_text("hello", encoding="utf-8")

    code, out, err = remembrancer(home, "restore", str(file))

    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "nothing was changed" in err
    assert values(home) == {"Dr. Brandt", "4711"}


def test_a_restore_that_was_killed_is_brought_to_its_end_by_the_next_command(home: Path) -> None:
    _, out, _ = remembrancer(home, "backup")
    remembrancer(home, "chat", said="I live in Oslo.\n")
    with started(home, "restore", out.splitlines()[0]) as running:
        wait_until(lambda: has_unfinished(home) or running.poll() is not None, "the restore at work")
        running.kill()

    # Once it was decided, whoever comes next brings it to its end.
    assert values(home) == {"Dr. Brandt", "4711"}
    assert not (home / "restoring").exists()


# Export and import


@pytest.fixture
def export(home: Path, tmp_path: Path) -> Path:
    path = tmp_path / "all.zip"
    code, out, err = remembrancer(home, "export", str(path))
    assert (code, err, out.splitlines()[0]) == (0, "", str(path))
    return path


def test_an_export_holds_the_facts_in_the_shape_of_the_contract_and_lines_that_import_reads(
    export: Path, home: Path, tmp_path: Path
) -> None:
    with ZipFile(export) as archive:
        facts = json.loads(archive.read("facts.json"))
        lines = Path(archive.extract("messages.jsonl", tmp_path))

    assert matches(facts, {"facts": [FACT]})
    code, out, _ = remembrancer(tmp_path / "other", "import", str(lines))
    assert (code, out.split(",")[0]) == (0, "4 stored")


def test_an_export_is_taken_in_by_another_space_each_thing_once(export: Path, home: Path) -> None:
    first = remembrancer(home, "import", str(export), "--space", "copy")
    again = remembrancer(home, "import", str(export), "--space", "copy")

    assert first[1].splitlines()[:2] == [
        "4 stored, 0 known already, 0 forgotten earlier and left out, 0 with a secret masked (space copy)",
        "facts: 2 taken over, 0 known already",
    ]
    assert again[1].splitlines()[1] == "facts: 0 taken over, 2 known already"
    assert values(home, "--space", "copy") == {"Dr. Brandt", "4711"}
    assert remembrancer(home, "import", str(export), "--extract")[0] == 2


def test_an_export_overwrites_nothing(export: Path, home: Path) -> None:
    code, out, err = remembrancer(home, "export", str(export))

    assert (code, out, "is not overwritten" in err) == (2, "", True)


def test_a_backup_is_not_taken_in_as_an_export(home: Path) -> None:
    _, out, _ = remembrancer(home, "backup")

    code, _, err = remembrancer(home, "import", out.splitlines()[0])

    assert (code, "remembrancer restore" in err) == (1, True)


# Telegram Desktop


def test_a_chat_of_telegram_desktop_is_taken_in_and_its_facts_are_read(tmp_path: Path) -> None:
    home, file = tmp_path / "state", str(write(tmp_path, TALK))

    code, out, err = remembrancer(home, "import", file, "--extract")
    again = remembrancer(home, "import", file, "--extract")

    assert (code, err) == (0, "")
    assert out.splitlines()[0] == (
        "6 stored, 0 known already, 0 forgotten earlier and left out, 0 with a secret masked (space local); "
        "left out: 2 service messages, 2 media without words"
    )
    assert values(home) == {"Dr. Vogel", "the kitchen green"}
    assert again[1].splitlines()[0].startswith("0 stored, 6 known already")
    assert again[1].splitlines()[1] == "facts: nothing left to read in it"


def test_an_older_word_from_telegram_does_not_replace_a_newer_one(tmp_path: Path) -> None:
    home = tmp_path / "state"
    remembrancer(home, "chat", said="My dentist is Dr. Neu.\n")

    remembrancer(home, "import", str(write(tmp_path, TALK)), "--extract")

    assert values(home) == {"Dr. Neu", "the kitchen green"}


def test_of_a_whole_account_a_chat_must_be_chosen_and_who_one_is_where_that_cannot_be_told(tmp_path: Path) -> None:
    talk = (said(1, "Ann", "user5", "x"), said(2, "Bob", "user6", "y"))
    group = chat(*talk, name="Team", kind="private_group", number=9)
    home, file = tmp_path / "state", str(write(tmp_path, account(TALK, group)))

    which = remembrancer(home, "import", file)
    who = remembrancer(home, "import", file, "--chat", "Team")
    done = remembrancer(home, "import", file, "--chat", "9", "--me", "Ann")

    assert (which[0], "Bob (77, 10 messages); Team (9, 2 messages)" in which[2]) == (2, True)
    assert (who[0], "--me ID: Ann (5, 1 messages); Bob (6, 1 messages)" in who[2]) == (2, True)
    assert (done[0], done[1].split(",")[0]) == (0, "2 stored")


def test_a_file_cut_off_in_the_middle_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    home, file = tmp_path / "state", write(tmp_path, TALK)
    os.truncate(file, file.stat().st_size - 200)

    code, out, err = remembrancer(home, "import", str(file))

    assert (code, out) == (2, "")
    assert "cut off" in err
    assert not home.exists()
