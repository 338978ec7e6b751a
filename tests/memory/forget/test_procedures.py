"""A forgotten procedure is gone from wherever it stood, and procedures lose what is forgotten elsewhere."""

from pathlib import Path

from memory.forget import effects, forget_again
from memory.forget.masking import MASK
from memory.messages import CallPart, Message, ResultPart
from memory.store.entries import Button, Outgoing
from memory.store.instructions import Instructions
from memory.store.recalls import Hit, Search
from memory.store.sessions import TraceItem
from tests.fakes.clock import FakeClock
from tests.memory.forget.test_again import restored
from tests.memory.forget.world import CANARY, QUOTE, World, everywhere, open_world

WORD = "Quetzal"
SAYS = Instructions(f"{WORD} care", f"when I ask how the {WORD} is fed", (f"take the {WORD} out", "tea", "wash up"))
SECOND = Instructions(f"{WORD} care", f"when the {WORD} is hungry", ("tea", f"give the {WORD} an apple"))


async def seep(world: World) -> None:
    """Have a proposed procedure and its second version in every layer that may hold one."""
    space = world.space
    call = CallPart(call_id="c1", name="procedures", args={"action": "propose", "steps": list(SAYS.steps)})
    result = ResultPart(call_id="c1", name="procedures", response={"proposed": "p1"}, is_reference=True)
    turn_id = await world.turn(
        "Please keep how we do that.",
        Message(role="model", parts=(call,), at=world.clock.now()),
        Message(role="tool", parts=(result,), at=world.clock.now(), origin="tool"),
        world.answer(f"I suggest it: take the {WORD} out, then tea."),
    )
    async with space.db.transaction():
        proposed = await space.procedures.propose(SAYS, turn_id=turn_id)
        shown = Outgoing(
            text=f"Tea\n{WORD} \n1. tea", shows=("p1",), buttons=((Button(text="Keep p1", data="pkeep:1"),),)
        )
        await space.mailbox.post("receipt:1", shown, turn_id=turn_id)
        await space.procedures.keep(proposed.id, by=f"{WORD} keeper")
        await space.procedures.teach(SECOND, procedure_id=1)
        await space.recalls.keep(Search(f"how is the {WORD} fed?", (Hit("p1", 1.0, 1.0),)))
    follows = await world.turn("Do it as we do it.", world.answer(f"First I give the {WORD} an apple, as you want it."))
    async with space.db.transaction():
        await space.sessions.keep_block(follows, "block", [TraceItem("procedure", "p1", 30)])
        await space.db.execute("UPDATE turns SET block = NULL WHERE id = ?", (follows,))
        running = await space.sessions.begin_turn()
        await space.sessions.keep_block(running.id, f"Procedures:\n- p1 · {SAYS.name}\n  1. {SAYS.steps[0]}", [])


async def test_a_forgotten_procedure_is_in_no_column_and_no_byte(world: World) -> None:
    await seep(world)
    layers = {"procedure_versions.name", "procedure_versions.by", "messages.body", "outbox.body", "recalls.question"}
    assert set(await world.columns_with(WORD)) >= layers | {"messages.text", "turns.block", "segment_terms.body"}

    receipt = await world.forget("p1")

    assert await world.columns_with(WORD) == {}
    assert world.files_with(WORD) == []
    assert "1 procedure" in receipt
    assert await world.space.procedures.listed() == []
    assert await world.space.db.fetch_all("SELECT 1 FROM traces WHERE ref = 'p1'") == []


async def test_the_members_own_words_stay_and_are_shown(world: World) -> None:
    await world.turn(f"I always take the {WORD} out before tea.", world.answer("I see."))
    await world.turn(f"Mind this: take the {WORD} out.", world.answer("I see."))
    async with world.space.db.transaction():
        await world.space.procedures.teach(SAYS)
    receipt = await world.forget("p1")
    assert "You said it in other messages too" in receipt
    assert (await world.columns_with(WORD))["messages.text"] == [
        f"I always take the {WORD} out before tea.",
        f"Mind this: take the {WORD} out.",
    ]


async def test_forgetting_a_fact_takes_its_value_out_of_the_procedures(world: World) -> None:
    fact = await everywhere(world)
    steps = (f"open the safe with {CANARY}", "count the coins")
    async with world.space.db.transaction():
        await world.space.procedures.teach(Instructions("Safe", f"when I say that {QUOTE}", steps))
    receipt = await world.forget(fact.ref)
    assert await world.columns_with(CANARY) == {}
    assert world.files_with(CANARY) == []
    (kept,) = await world.space.procedures.active()
    assert kept.says.steps == (f"open the safe with {MASK}", "count the coins")
    assert "1 procedure" in receipt


async def test_an_answer_that_shows_parts_of_a_message_goes_with_it(world: World) -> None:
    await everywhere(world)
    async with world.space.db.transaction():
        for refs in (("m3",), ("m1",)):
            shown = Outgoing(text=f"the **safe** {refs[0]} code is …", shows=refs)
            await world.space.mailbox.post(f"answer:{refs[0]}", shown)
        await world.space.recalls.keep(Search("the zanzibar question", (Hit("s3", 1.0, 1.0),)))
    await world.forget("m3")
    texts = {row["key"]: row["text"] for row in await _outbox(world)}
    assert texts["answer:m3"] == MASK
    assert texts["answer:m1"] == "the **safe** m1 code is …"
    assert await world.space.db.fetch_all("SELECT * FROM recalls") == []


async def _outbox(world: World) -> list[dict[str, str]]:
    rows = await world.space.db.fetch_all("SELECT key, json_extract(body, '$.text') AS text FROM outbox")
    return [{"key": row["key"], "text": row["text"]} for row in rows]


async def test_a_restored_file_loses_a_forgotten_procedure_again(tmp_path: Path, clock: FakeClock) -> None:
    backup = tmp_path / "backups" / "before.db"
    async with open_world(tmp_path, clock) as world:
        await seep(world)
        async with world.space.db.transaction():
            await world.space.procedures.teach(Instructions("Other", "when it rains", ("close the windows",)))
        await world.space.db.backup_to(backup)
        await world.forget("p1")

    async with restored(tmp_path, backup, clock) as world:
        assert await world.columns_with(WORD)
        assert await forget_again(world.space, world.tombstones) == 1
        await effects(world.space)
        assert await world.columns_with(WORD) == {}
        assert [one.says.name for one in await world.space.procedures.active()] == ["Other"]
