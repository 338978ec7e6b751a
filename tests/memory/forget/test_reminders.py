"""What is forgotten is forgotten in reminders too: words are masked, and what came of a forgotten message goes."""

from datetime import datetime
from pathlib import Path

from memory.forget import EVERYTHING, rows_of_everything
from memory.store.entries import Outgoing
from memory.store.reminder_rows import Asker, Reminder, Timing
from tests.fakes.clock import FakeClock
from tests.memory.forget.world import CANARY, TOLD, World, open_world

LATER = Timing(wall=datetime(2027, 3, 9, 9, 0))  # noqa: DTZ001 (wall times are naive)


async def remind(world: World, text: str, *, turn_id: int | None = None) -> Reminder:
    """Set a reminder and have its receipt in the outbox."""
    async with world.space.db.transaction():
        added = await world.space.reminders.add(text, LATER, Asker(), turn_id=turn_id)
        receipt = Outgoing(text=f"⏰ Reminder {added.ref} set\n> {text}", shows=(added.ref,))
        await world.space.mailbox.post(f"answer:{added.ref}", receipt)
        return added


async def texts(world: World) -> list[str]:
    return [one.text for one in await world.space.reminders.waiting()]


async def test_a_forgotten_facts_words_are_masked_in_reminders_and_what_they_were_before(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with open_world(tmp_path, clock) as world:
        await world.turn(TOLD)
        fact = await world.learn(1)
        kept = await remind(world, "water the plants")
        told = await remind(world, f"open the safe with {CANARY} at noon")
        async with world.space.db.transaction():
            await world.space.reminders.change(told.id, text="open the safe")
            await world.space.reminders.change(told.id, text=f"use {CANARY.lower()} soon")
        receipt = await world.forget(fact.ref)
        assert "1 reminder," in receipt
        assert await world.columns_with(CANARY) == {}
        assert await texts(world) == [kept.text, "use ⟦forgotten⟧ soon"]


async def test_a_reminder_that_says_nothing_else_goes(tmp_path: Path, clock: FakeClock) -> None:
    async with open_world(tmp_path, clock) as world:
        await world.turn(TOLD)
        fact = await world.learn(1)
        await remind(world, f"{CANARY}!")
        await world.forget(fact.ref)
        assert await texts(world) == []
        assert await world.columns_with(CANARY) == {}
        assert world.files_with(CANARY) == []


async def test_a_reminder_goes_with_the_message_that_asked_for_it(tmp_path: Path, clock: FakeClock) -> None:
    async with open_world(tmp_path, clock) as world:
        turn_id = await world.turn("Please remind me to see Dr. Zacharias on Tuesday.", world.answer("I will."))
        await remind(world, "Zacharias", turn_id=turn_id)
        other = await remind(
            world, "bank", turn_id=await world.turn("And remind me of the bank.", world.answer("Yes."))
        )
        await world.forget("m1")
        assert await texts(world) == [other.text]
        assert await world.columns_with("Zacharias") == {}


async def test_forgetting_everything_takes_the_reminders(tmp_path: Path, clock: FakeClock) -> None:
    async with open_world(tmp_path, clock) as world:
        await remind(world, "bank", turn_id=await world.turn("Remind me of the bank."))
        async with world.space.db.transaction():
            report = await rows_of_everything(world.space, world.tombstones)
        assert (report.ref, report.before["reminders"], report.after) == (EVERYTHING, 1, 0)
        assert await texts(world) == []
