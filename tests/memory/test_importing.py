"""Importing: checked whole, stored once, never part of a tail."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.errors import BadImport
from memory.importing import BATCH, Imported, Importer, read_lines
from memory.messages import Message
from memory.recall.search import Recall
from memory.recall.segments import SegmentStore
from memory.store.database import Database
from memory.store.preferences import Preferences
from memory.store.sessions import SessionStore
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock

ZONE = ZoneInfo("Europe/Berlin")
AT = "2023-05-08T13:56:00+00:00"


class Home:
    def __init__(self, database: Database, clock: FakeClock) -> None:
        self.db = database
        self.sessions = SessionStore(database, clock)
        self.segments = SegmentStore(database, Preferences(ZONE))
        self.recall = Recall(database, Preferences(ZONE), clock)
        self.progress: list[int] = []
        self.forgotten: set[str] = set()

    async def take(self, lines: list[str]) -> Imported:
        importer = Importer(self.db, self.sessions, self.segments)
        return await importer.store(
            read_lines(lines, ZONE),
            redact=lambda text: text.replace("sk-secret", "█████████"),
            is_forgotten=self.is_forgotten,
            on_stored=self.progress.append,
        )

    async def is_forgotten(self, entry: Message) -> bool:
        return entry.text in self.forgotten

    async def count(self) -> int:
        row = await self.db.fetch_one("SELECT count(*) FROM messages")
        assert row is not None
        return int(row[0])


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Home]:
    await lay_blank(tmp_path / "memory.db")
    database = await Database.open(tmp_path / "memory.db", "memory", clock=clock, backups=tmp_path / "backups")
    yield Home(database, clock)
    await database.close()


def line(text: str, *, at: str = AT, role: str = "user", **more: str) -> str:
    return json.dumps({"at": at, "role": role, "text": text, **more})


async def test_what_was_forgotten_does_not_come_back(home: Home) -> None:
    home.forgotten.add("I adopted a beagle.")
    done = await home.take([line("I adopted a beagle."), line("Lovely!", role="model")])
    assert (done, await home.count()) == (Imported(stored=1, forgotten=1), 1)


async def test_lines_are_stored_indexed_and_no_part_of_a_tail(home: Home) -> None:
    done = await home.take([line("I adopted a beagle.", name="Maria", ref="D1:1"), "", line("Lovely!", role="model")])
    assert done == Imported(stored=2)
    (item,) = (await home.recall.search("Maria beagle", k=1)).items
    assert (item.text, item.refs, item.turn, item.author) == ("I adopted a beagle.", ("D1:1",), None, "Maria")
    assert item.at.isoformat() == AT
    async with home.db.transaction():
        session_id = await home.sessions.current_session()
    assert await home.sessions.tail(session_id) == []
    assert await home.db.fetch_all("SELECT 1 FROM jobs") == []


async def test_importing_again_stores_nothing(home: Home) -> None:
    lines = [line("One.", ref="1"), line("Two."), line("Two."), line("Three.", name="Maria")]
    assert await home.take(lines) == Imported(stored=4)
    assert await home.take(lines) == Imported(known=4)
    assert await home.take([*lines, line("Two.")]) == Imported(stored=1, known=4)


@pytest.mark.parametrize(
    "other",
    [
        line("One.", ref="2"),
        line("One!", ref="1"),
        line("One.", ref="1", at="2023-05-08T13:56:01+00:00"),
        line("One."),
    ],
)
async def test_an_entry_is_another_when_ref_time_or_text_differ(home: Home, other: str) -> None:
    await home.take([line("One.", ref="1")])
    assert await home.take([other]) == Imported(stored=1)


async def test_an_entry_is_the_same_when_ref_time_and_text_match(home: Home) -> None:
    await home.take([line("One.", ref="1")])
    again = line("One.", ref="1", at="2023-05-08T15:56:00+02:00", name="Maria", role="model")
    assert await home.take([again]) == Imported(known=1)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "line 2: is not JSON"),
        ("[1]", "line 2: must be one JSON object"),
        ('{"role": "user", "text": "x"}', "line 2: at: field required"),
        (line("x", at="yesterday"), "line 2: at: must be a time like"),
        (line("x", at="0001-01-01T00:00:00+14:00"), "line 2: at: must be a time like"),
        (line("x", role="system"), "line 2: role: "),
        ('{"at": "2023-05-08", "role": "user", "text": 7}', "line 2: text: "),
        (line("my words \ud800"), "line 2: text: holds half a character"),
        ("[" * 100_000, "line 2: is "),
        ('{"at": ' + "9" * 5_000 + "}", "line 2: holds a number of too many digits"),
    ],
)
async def test_a_bad_line_is_named_and_nothing_is_stored(home: Home, bad: str, reason: str) -> None:
    with pytest.raises(BadImport) as caught:
        await home.take([line("Fine."), bad, line("Fine too.")])
    assert str(caught.value).startswith(reason)
    assert "my words" not in str(caught.value)
    assert await home.count() == 0


async def test_a_time_without_an_offset_is_local(home: Home) -> None:
    (entry,) = read_lines([line("x", at="2023-05-08T13:56:00")], ZONE)
    assert entry.at.isoformat() == "2023-05-08T11:56:00+00:00"


async def test_secrets_are_masked_before_anything_is_stored(home: Home) -> None:
    lines = [line("My key is sk-secret.", name="sk-secret"), line("Nothing here.")]
    assert await home.take(lines) == Imported(stored=2, redacted=1)
    assert await home.take(lines) == Imported(known=2, redacted=1)
    dump = json.dumps([tuple(row) for row in await home.db.fetch_all("SELECT text, body, author FROM messages")])
    assert "sk-secret" not in dump


async def test_progress_is_told_after_each_batch(home: Home) -> None:
    await home.take([line(f"Entry {number}.") for number in range(BATCH + 3)])
    assert home.progress == [BATCH, BATCH + 3]


async def test_context_ends_where_the_conversation_paused(home: Home) -> None:
    await home.take(
        [
            line("alpha", at="2023-05-08T10:00:00+00:00"),
            line("bravo", at="2023-05-08T10:01:00+00:00"),
            line("charlie", at="2023-05-09T10:00:00+00:00"),
        ]
    )
    assert [item.text for item in (await home.recall.search("bravo")).items] == ["bravo", "alpha"]
