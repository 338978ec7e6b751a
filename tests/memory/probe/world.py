"""A memory that is told things the way members tell them, and examined; it can be damaged on purpose."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from memory.ledger.bearing import Around
from memory.ledger.extract import apply_changes, known_to, source_of
from memory.ledger.facts import Fact, Kind, Statement
from memory.ledger.verify import Change, verified
from memory.ports import Embedder
from memory.probe.arms import Evidence, control_for, gather
from memory.probe.autopsy import autopsy
from memory.probe.cases import Case, cases_of
from memory.space import Space
from memory.store.database import Database
from memory.store.tombstones import Tombstones
from tests.fakes.blank import lay_blank
from tests.fakes.clock import FakeClock
from tests.memory.forget.world import ZONE
from tests.memory.forget.world import World as ForgetWorld
from tests.memory.probe.assistant import Assembler

DAY = 86_400


class World(ForgetWorld):
    """`assistant` assembles the prompts of the space."""

    def __init__(self, space: Space, bot: Database, clock: FakeClock) -> None:
        super().__init__(space, bot, clock, Tombstones(bot, clock))
        self.assistant = Assembler(space)

    async def says(self, text: str, answer: str = "Understood.", *, trace: tuple[str, ...] = ()) -> int:
        """Have a turn and return the id of the member's message."""
        turn = await self.turn(text, self.answer(answer), trace=trace)
        return next(m.id for m in await self.space.sessions.turn_messages(turn) if m.id is not None)

    async def tell(
        self,
        text: str,
        subject: str,
        value: str,
        *,
        question: str,
        kind: Kind = "entity",
        replaces: str | None = None,
        answer: str = "Understood.",
        message_id: int | None = None,
        patterns: tuple[str, ...] = (),
    ) -> Fact:
        """Have a turn whose words state a fact, verified as an extraction is, and return the fact."""
        space = self.space
        said = await space.sessions.message(message_id or await self.says(text, answer))
        change = Change(
            op="replace" if replaces else "add",
            replaces=replaces,
            kind=kind,
            subject=subject,
            value=value,
            quote=text,
            question=question,
            patterns=list(patterns),
        )
        source = source_of(said, space.preferences, space.clock.now(), around=Around(), is_shared=False)
        async with space.db.transaction():
            known = await known_to(change, source, await space.facts.active(), space.facts)
            await apply_changes(space.facts, source.message_id, [verified(change, source, known)])
        found = await space.facts.from_messages([source.message_id])
        return found[-1]

    async def case(self, ref: str) -> Case:
        return next(case for case in await cases_of(self.space) if case.ref == ref)

    async def examine(self, ref: str = "f1") -> Evidence:
        """Gather the evidence on one case, with the next fit fact as its control."""
        cases = await cases_of(self.space)
        case = next(one for one in cases if one.ref == ref)
        return await gather(self.space, self.assistant, case, control=control_for(case, cases))

    async def autopsy(self, evidence: Evidence) -> tuple[str, str]:
        return await autopsy(self.space, self.assistant, evidence.case, evidence)

    async def damage(self, *statements: str) -> None:
        """Change rows behind the program's back, without the checks that would notice."""
        await self.space.db.fetch_all("PRAGMA foreign_keys=OFF")
        async with self.space.db.transaction():
            for sql in statements:
                await self.space.db.execute(sql)
        await self.space.db.fetch_all("PRAGMA foreign_keys=ON")


@asynccontextmanager
async def open_world(home: Path, clock: FakeClock, *, embedder: Embedder | None = None) -> AsyncIterator[World]:
    """Open the space `ana` and bot.db in a home."""
    await lay_blank(home / "spaces" / "ana" / "memory.db")
    await lay_blank(home / "bot.db", "bot")
    space = await Space.open(
        home / "spaces" / "ana", default_zone=ZONE, clock=clock, backups=home / "backups", embedder=embedder
    )
    bot = await Database.open(home / "bot.db", "bot", clock=clock, backups=home / "backups")
    try:
        yield World(space, bot, clock)
    finally:
        await bot.close()
        await space.close()


async def grow(world: World) -> None:
    """Tell some forty facts over weeks: shared, corrected, retracted, said again, long, private, in several scripts."""
    await _people(world)
    await _plans(world)
    await _changes(world)
    await _odd(world)
    for n in range(8):
        await world.says(f"Shelf {n} in the workshop holds {n + 31} jars of screws, and the lamp above it flickers.")
    await world.compact()
    world.clock.advance(DAY)
    await world.says("What do we have to do this week?", "The report is due on 12 March at 17:30, and mind the vet.")


async def _people(world: World) -> None:
    told = {
        "My sister Anna Weber lives in Lisbon": ("sister's home", "Lisbon", "Where does Anna Weber live?"),
        "My brother Otto Weber lives in Lisbon too": ("brother's home", "Lisbon", "Where does Otto Weber live?"),
        "Our dentist is Dr. Okonkwo in Lindgasse": ("dentist", "Dr. Okonkwo", "Who is our dentist?"),
        "The accountant is Vera Brandt": ("accountant", "Vera Brandt", "Who is the accountant?"),
        "Моя подруга Ирина живёт в Казани": ("подруга Ирина", "в Казани", "Где живёт подруга Ирина?"),
        "Unser Hausmeister heißt Jürgen Müßig": ("Hausmeister", "Jürgen Müßig", "Wie heißt unser Hausmeister?"),
        "我的老师叫王小明": ("老师", "王小明", "我的老师叫什么名字？"),
        "My cat is called Professor Mittens": ("cat", "Professor Mittens", "What is the cat called?"),
        "The plumber's number is 0171 2345678": ("plumber's number", "0171 2345678", "What is the plumber's number?"),
        "My shoe size is 43": ("shoe size", "43", "What is my shoe size?"),
        "I am allergic to hazelnuts": ("allergy", "hazelnuts", "What am I allergic to?"),
        "My passport is in the blue drawer": ("passport", "in the blue drawer", "Where is my passport?"),
    }
    await _tell_all(world, told, kind="entity")


async def _plans(world: World) -> None:
    deadlines = {
        "The report is due on 12 March at 17:30": ("report", "12 March at 17:30", "When is the report due?"),
        "The tax return is due on 31 May 2027": ("tax return", "31 May 2027", "When is the tax return due?"),
        "The library books are due tomorrow at 10:00": ("library books", "tomorrow at 10:00", "When are they due?"),
        "Der Vertrag läuft am 1. Oktober aus": ("Vertrag", "1. Oktober", "Wann läuft der Vertrag aus?"),
        "The demo is due on 12 March": ("demo", "12 March", "When is the demo due?"),
    }
    await _tell_all(world, deadlines, kind="deadline")
    limits = {
        "The kitchen may cost at most 3,000 euros": ("kitchen", "at most 3,000 euros", "What may the kitchen cost?"),
        "The trip may cost at most 1.5 thousand": ("trip", "1.5 thousand", "What may the trip cost?"),
        "No calls before 9:30": ("calls", "before 9:30", "From when are calls all right?"),
        "The team may not grow beyond 12 people": ("team", "12 people", "How large may the team be?"),
        "The server must stay below 75 % load": ("server", "75 %", "What load may the server have?"),
    }
    await _tell_all(world, limits, kind="constraint")
    decisions = {
        "We decided to use Postgres 16 for the shop": ("shop database", "Postgres 16", "What runs the shop?"),
        "We decided to paint the hall sage green": (
            "hall colour",
            "sage green",
            "In which colour is the hall?",
        ),
        "We decided to meet in the Café Übersee": ("meeting place", "Café Übersee", "Where do we meet?"),
        "We decided to hire Nadia Petrova": ("hire", "Nadia Petrova", "Whom do we hire?"),
    }
    await _tell_all(world, decisions, kind="decision")


async def _changes(world: World) -> None:
    """Correct some, take some back, say some again, and let the assistant repeat some."""
    first = await world.tell("The rehearsal is at 18:00", "rehearsal", "18:00", question="When is the rehearsal?")
    world.clock.advance(DAY)
    second = await world.tell(
        "The rehearsal is at 19:30 now", "rehearsal", "19:30", question="When is the rehearsal?", replaces=first.ref
    )
    world.clock.advance(DAY)
    await world.tell(
        "The rehearsal is at 18:00 again", "rehearsal", "18:00", question="When is the rehearsal?", replaces=second.ref
    )
    plain = await world.tell(
        "The archive runs on Postgres Aurora", "archive", "Postgres Aurora", question="What does the archive run on?"
    )
    world.clock.advance(DAY)
    await world.tell(
        "The archive runs on plain Postgres now",
        "archive",
        "plain Postgres",
        question="What does the archive run on?",
        replaces=plain.ref,
    )
    for n in range(2):
        await world.tell("My locker is number 214", "locker", "number 214", question="What number has my locker?")
        world.clock.advance(DAY * (n + 1))
    gym = await world.tell("My gym is Ironworks", "gym", "Ironworks", question="What is my gym?")
    pinned = await world.tell("The alarm code hint is Marigold", "alarm hint", "Marigold", question="What is the hint?")
    async with world.space.db.transaction():
        await world.space.facts.retract(gym.id, at=world.clock.now())
        await world.space.facts.changes.set_pinned(pinned.id, is_pinned=True)
    await world.says("And who does our books?", "Your accountant is Vera Brandt.", trace=("f4",))
    await world.says("Vera Brandt was at the fair, and Lisbon was lovely last summer.")


async def _odd(world: World) -> None:
    rooms = ("alder", "beech", "cedar", "elder", "hazel", "larch", "maple")
    long = "a house with " + ", ".join(f"room {word}" for word in rooms * 4)
    told = {
        f"The inventory is {long}": ("inventory", long, "What is in the inventory?"),
        "The wifi of the cabin is called Löwenzahn/5G": ("cabin wifi", "Löwenzahn/5G", "How is the cabin wifi called?"),
        "The build lives at https://ci.example.org/main": (
            "build address",
            "https://ci.example.org/main",
            "Where does the build live?",
        ),
        "The garage is on level B2": ("garage", "level B2", "On which level is the garage?"),
        "Grandma's birthday is 3 March": ("grandma's birthday", "3 March", "When is grandma's birthday?"),
        "The meter reads 004711": ("meter", "004711", "What does the meter read?"),
        "The tent was bought on 2 March 2027": ("tent", "2 March 2027", "When was the tent bought?"),
        "The kiln heats up to 1,240 degrees": ("kiln", "1,240 degrees", "How hot does the kiln get?"),
        "The boat lies in berth 7": ("boat", "berth 7", "In which berth does the boat lie?"),
        "The spare key is with Ada Berg": ("spare key", "Ada Berg", "Who has the spare key?"),
    }
    await _tell_all(world, told, kind="entity")
    message_id = await world.says("Remember that my locker PIN is ⟦secret⟧")
    async with world.space.db.transaction():
        await world.space.facts.add(
            Statement(
                kind="entity",
                subject="locker PIN",
                value="tiger-9412",
                quote="Remember that my locker PIN is ⟦secret⟧",
                question="locker PIN?",
                patterns=(r"(?<!\w)tiger\-9412(?!\w)",),
                since=(await world.space.sessions.message(message_id)).at,
                message_id=message_id,
                private=True,
            )
        )


async def _tell_all(world: World, told: dict[str, tuple[str, str, str]], *, kind: Kind) -> None:
    for text, (subject, value, question) in told.items():
        await world.tell(text, subject, value, question=question, kind=kind)
        world.clock.advance(DAY / 4)
