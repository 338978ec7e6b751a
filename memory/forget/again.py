"""Forgetting again: a file that is older than a forgetting (a restored one) loses what it brought back.

A file knows up to which tombstone its rows are clean; only later ones are looked for, so opening an ordinary file costs
one comparison. What is found goes by the same steps as the first time.
"""

from memory.forget.everything import EVERYTHING, empty_rows
from memory.forget.lineage import lineage, stretch_lineage
from memory.forget.steps import forget_rows, note_tombstones, plan_of
from memory.messages import Message
from memory.space import Space
from memory.store.jobs import FORGET_EFFECTS
from memory.store.tombstones import Graves, RowBurial, RowKind, Tombstones


async def forget_again(space: Space, tombstones: Tombstones) -> int:
    """Forget what was forgotten after this file was written; return how many things. The effects wait as a job."""
    row = await space.db.fetch_one("SELECT forgotten_at FROM profile")
    clean_until = str(row["forgotten_at"] or "") if row else ""
    newest = await tombstones.newest(space.id)
    if newest is None or newest <= clean_until:
        return 0
    graves = await tombstones.graves(space.id, after=clean_until)
    async with space.db.transaction():
        if graves.is_whole_space:
            await space.db.execute("UPDATE inbox SET state = 'done', body = NULL WHERE received_at <= ?", (newest,))
            count = await empty_rows(space)
        else:
            count = await _facts(space, graves) + await _erased(space, graves) + await _struck(space, graves)
            count += await _procedures(space, graves)
        await note_tombstones(space, tombstones)
        if count:
            payload = {EVERYTHING: int(graves.is_whole_space)}
            await space.jobs.add(FORGET_EFFECTS, f"{FORGET_EFFECTS}:again:{newest}:{clean_until}", payload)
    return count


async def _facts(space: Space, graves: Graves) -> int:
    count = 0
    for fact in await space.facts.history():
        if not graves.holds(RowBurial("value", fact.id, fact.since, fact.quote)):
            continue
        if (await space.facts.fact(fact.id)).status != "forgotten":
            await forget_rows(space, await plan_of(space, await lineage(space, f"f{fact.id}")))
            count += 1
    return count


async def _procedures(space: Space, graves: Graves) -> int:
    gone = {
        version.procedure_id
        for version in await space.procedures.versions()
        if graves.holds(RowBurial("procedure", version.id, version.at, version.says.text))
    }
    for number in gone:
        await forget_rows(space, await plan_of(space, await lineage(space, f"p{number}")))
    return len(gone)


async def _erased(space: Space, graves: Graves) -> int:
    found = [m for m in await _messages(space) if graves.holds(_row("erased", m))]
    for message in reversed(found):  # an entry comes behind the documents that go with it
        assert message.id is not None
        if (await space.sessions.message(message.id)).text == message.text:
            await forget_rows(space, await plan_of(space, await lineage(space, f"m{message.id}")))
    return len(found)


async def _struck(space: Space, graves: Graves) -> int:
    """Mask what no fact stood for in this file: it was read only later, or never."""
    found = [m for m in await _messages(space) if graves.holds(_row("struck", m))]
    counts = [await _strike(space, graves, message) for message in found]
    return sum(counts)


async def _strike(space: Space, graves: Graves, message: Message) -> int:
    assert message.id is not None
    count = 0
    while spans := graves.spans(message.text):
        covered = await stretch_lineage(space, f"m{message.id}", message, spans[0])
        await forget_rows(space, await plan_of(space, covered))
        message = await space.sessions.message(message.id)
        count += 1
    return count


def _row(kind: RowKind, message: Message) -> RowBurial:
    assert message.id is not None
    return RowBurial(kind, message.id, message.at, message.text)


async def _messages(space: Space) -> list[Message]:
    rows = await space.db.fetch_all("SELECT id FROM messages ORDER BY id")
    return await space.sessions.messages([row["id"] for row in rows])
