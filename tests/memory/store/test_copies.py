"""Copies are made beside a writer, looked into before they are used, and give no id that was given before."""

from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from memory.errors import DamagedDatabase, NewerSchema
from memory.store.copies import contents_of, copy_database, keep_ids_unused
from tests.fakes.blank import lay_blank


@pytest.fixture
async def memory(tmp_path: Path) -> Path:
    await lay_blank(tmp_path / "memory.db")
    return tmp_path / "memory.db"


def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE notes (text TEXT)")
        other.commit()

    with pytest.raises(DamagedDatabase):
        contents_of(tmp_path / "other.db", "memory")


def test_a_damaged_page_is_found(memory: Path) -> None:
    content = bytearray(memory.read_bytes())
    content[8192:12288] = content[4096:8192]
    memory.write_bytes(content)

    with pytest.raises(DamagedDatabase):
        contents_of(memory, "memory")


def test_a_later_version_is_told(memory: Path) -> None:
    with closing(connect(memory)) as database:
        database.execute("INSERT INTO migrations VALUES (999, 'later', '', '2027')")
        database.commit()

    with pytest.raises(NewerSchema):
        contents_of(memory, "memory")


def test_what_stands_in_the_log_alone_is_copied(memory: Path, tmp_path: Path) -> None:
    with closing(connect(memory)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("INSERT INTO sessions (started_at) VALUES ('2027')")
        writer.commit()
        copy_database(memory, tmp_path / "copy.db")

    with closing(connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT count(*) FROM sessions").fetchone() == (1,)


def test_ids_go_on_where_the_later_file_stopped(memory: Path, tmp_path: Path) -> None:
    copy_database(memory, tmp_path / "older.db")
    with closing(connect(memory)) as later:
        later.execute("INSERT INTO procedures (id, created_at) VALUES (7, '2027')")
        later.commit()

    keep_ids_unused(tmp_path / "older.db", memory)

    with closing(connect(tmp_path / "older.db")) as older:
        assert older.execute("INSERT INTO procedures (created_at) VALUES ('2027')").lastrowid == 8
