"""Procedures as rows: versions never change, one holds, one may wait, and only a decision lets it hold."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.errors import UnknownId
from memory.store.database import Database
from memory.store.instructions import Instructions, UnclearProcedure
from memory.store.procedures import MOST_PENDING, ProcedureStore
from memory.store.recalls import KEPT, Hit, RecallStore, Search
from memory.store.sessions import SessionStore
from tests.fakes.clock import FakeClock

TEA = Instructions("Tea", "when I want tea", ("boil water", "pour"))


def tea(number: int) -> Instructions:
    return Instructions(f"Tea {number}", TEA.trigger, TEA.steps)


class Rows:
    def __init__(self, db: Database) -> None:
        self.db = db
        self.store = ProcedureStore(db, FakeClock())

    async def turn(self) -> int:
        async with self.db.transaction():
            turn = await SessionStore(self.db, FakeClock()).begin_turn()
            await SessionStore(self.db, FakeClock()).end_turn(turn.id, "done")
        return turn.id

    async def propose(self, says: Instructions, *, procedure_id: int | None = None) -> int:
        """Propose in a turn of its own and return the id of the version."""
        turn_id = await self.turn()
        async with self.db.transaction():
            return (await self.store.propose(says, turn_id=turn_id, procedure_id=procedure_id)).id

    async def teach(self, says: Instructions, *, procedure_id: int | None = None) -> int:
        async with self.db.transaction():
            return (await self.store.teach(says, by="Ana", procedure_id=procedure_id)).procedure_id

    async def held(self) -> list[tuple[str, Instructions]]:
        return [(one.ref, one.says) for one in await self.store.active()]


@pytest.fixture
async def rows(tmp_path: Path) -> AsyncIterator[Rows]:
    db = await Database.open(tmp_path / "memory.db", "memory", clock=FakeClock(), backups=tmp_path / "backups")
    yield Rows(db)
    await db.close()


async def test_what_a_member_teaches_holds_at_once_and_a_new_version_ends_the_old_one(rows: Rows) -> None:
    number = await rows.teach(tea(1))
    await rows.teach(tea(2), procedure_id=number)
    assert await rows.held() == [("p1", tea(2))]
    versions = (await rows.store.procedure(1)).versions
    assert [(one.number, one.status, one.says) for one in versions] == [
        (1, "superseded", tea(1)),
        (2, "active", tea(2)),
    ]


async def test_a_proposal_waits_until_exactly_that_version_is_kept(rows: Rows) -> None:
    version_id = await rows.propose(TEA)
    assert await rows.held() == []
    async with rows.db.transaction():
        assert await rows.store.keep(version_id + 1) is None
        kept = await rows.store.keep(version_id, by="Ana", by_id=7)
    assert kept is not None
    assert (kept.by, kept.by_id, kept.status) == ("Ana", 7, "active")
    assert await rows.held() == [("p1", TEA)]
    async with rows.db.transaction():
        assert await rows.store.keep(version_id) is None


async def test_a_late_decision_never_lets_another_proposal_hold(rows: Rows) -> None:
    dropped = await rows.propose(tea(1))
    async with rows.db.transaction():
        assert await rows.store.drop(dropped) is not None
        assert await rows.store.drop(dropped) is None
    other = await rows.propose(tea(2))
    assert other != dropped
    async with rows.db.transaction():
        assert await rows.store.keep(dropped) is None
    assert await rows.held() == []
    with pytest.raises(UnknownId):
        await rows.store.procedure(1)


async def test_a_proposed_version_leaves_the_one_that_holds_until_it_is_kept(rows: Rows) -> None:
    await rows.teach(tea(1))
    waiting = await rows.propose(tea(2), procedure_id=1)
    assert await rows.held() == [("p1", tea(1))]
    with pytest.raises(UnclearProcedure, match="waits already"):
        await rows.propose(tea(3), procedure_id=1)
    async with rows.db.transaction():
        await rows.store.keep(waiting)
    assert await rows.held() == [("p1", tea(2))]


async def test_the_same_words_twice_and_too_many_proposals_are_refused(rows: Rows) -> None:
    await rows.teach(TEA)
    with pytest.raises(UnclearProcedure, match="p1 says exactly that already"):
        await rows.teach(TEA)
    for number in range(MOST_PENDING):
        await rows.propose(tea(number))
    with pytest.raises(UnclearProcedure, match="decide about some first"):
        await rows.propose(tea(99))
    with pytest.raises(UnknownId):
        await rows.propose(tea(99), procedure_id=77)


async def test_an_erased_procedure_leaves_its_number_unused(rows: Rows) -> None:
    await rows.teach(tea(1))
    async with rows.db.transaction():
        await rows.store.erase([1])
    assert await rows.teach(tea(2)) == 2
    assert [one.procedure_id for one in await rows.store.versions()] == [2]


async def test_only_the_newest_searches_are_kept_and_none_after_a_clearing(rows: Rows) -> None:
    store = RecallStore(rows.db, FakeClock())
    search = Search("where is the key?", (Hit("s1", 1.5, 0.5, "window"), Hit("f2", 0.5, 1.0)), (("s3", "repeat"),))
    async with rows.db.transaction():
        ids = [await store.keep(search) for _ in range(KEPT + 2)]
    assert await store.search(ids[0]) is None
    found = await store.search(ids[-1])
    assert found is not None
    assert (found.question, found.hits, found.left_out) == (search.question, search.hits, search.left_out)
    async with rows.db.transaction():
        await store.clear()
    assert await store.search(ids[-1]) is None
