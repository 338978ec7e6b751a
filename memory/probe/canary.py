"""The canary: a fact nobody would guess, told, looked up, asked for and forgotten by the ordinary path, step by step.

It changes the memory it is told to, so that must be a copy. What a missing model leaves undone is not known, never a
failure.
"""

from random import Random
from typing import Final

from memory.errors import CeilingReached, ModelFault
from memory.findings import Canary, Step
from memory.ledger.facts import Fact
from memory.ports import Assistant
from memory.probe.assertions import admits_ignorance, asserted
from memory.probe.plants import Plant, draw
from memory.space import Space
from memory.store.private import PRIVATE_COLUMNS

COUNTED: Final = "not there before"
PLANTED: Final = "planted"
EXTRACTED: Final = "extracted"
LITERAL: Final = "found literally"
MEANING: Final = "found by meaning"
RETRIEVED: Final = "retrieved"
ANSWERED: Final = "answered"
FORGOTTEN: Final = "forgotten"
GONE: Final = "count as before"
SILENT: Final = "not retrieved"
ADMITTED: Final = "not known"
STEPS: Final = (
    *(COUNTED, PLANTED, EXTRACTED, LITERAL, MEANING, RETRIEVED, ANSWERED),
    *(FORGOTTEN, GONE, SILENT, ADMITTED),
)
"""The names of the steps, in their order."""
PARAPHRASED: Final = "paraphrased"

MAX_DRAWS = 50
_ALIKE = 0.5
"""A fact that has so much of a question in it may answer it."""


async def canary(space: Space, assistant: Assistant, *, seed: int) -> Canary:
    """Lead a canary through its cycle and return what came of each step. The same seed draws the same canary, as long
    as nothing of it stands in the memory.

    Raises: CeilingReached.
    """
    return await lead(space, assistant, await _drawn(space, Random(seed)))  # noqa: S311 - not a secret


async def lead(space: Space, assistant: Assistant, plant: Plant) -> Canary:
    """Lead this canary through the cycle.

    One that is found by its question and not by its own words is paraphrased: that step is not well, and a warning
    only.

    Raises: CeilingReached.
    """
    cycle = _Cycle(space, assistant, plant)
    await cycle.run()
    steps = tuple(cycle.steps)
    well = {step.name: step.is_well for step in steps}
    is_paraphrased = well[LITERAL] is False and well[MEANING] is True
    counted = [is_well for name, is_well in well.items() if not (is_paraphrased and name == LITERAL)]
    is_well = False if False in counted else None if None in counted else True
    return Canary(is_well=is_well, steps=steps, warnings=(PARAPHRASED,) if is_paraphrased else ())


async def rows_with(space: Space, word: str) -> int:
    """Return in how many rows of private columns a word stands, whatever its case."""
    count = 0
    for name in sorted(PRIVATE_COLUMNS):
        table, column = name.split(".")
        # SQLite's lower() knows ASCII alone; what is derived from other letters is kept folded.
        row = await space.db.fetch_one(
            f"SELECT count(*) FROM {table} WHERE instr(lower({column}), ?1) OR instr({column}, ?2)",
            (word.casefold(), word),
        )
        count += int(row[0]) if row else 0
    return count


async def _drawn(space: Space, random: Random) -> Plant:
    """Draw until nothing of it stands in the memory, nor what might answer its question."""
    plant = draw(random)
    for _ in range(MAX_DRAWS):
        if not await _is_near(space, plant):
            break
        plant = draw(random)
    return plant


async def _is_near(space: Space, plant: Plant) -> bool:
    if any([await rows_with(space, name) for name in plant.names]):
        return True
    found = await space.recall.search(plant.question)
    may_answer = any(item.layer != "segment" and item.share >= _ALIKE for item in found.items)
    return may_answer or bool((await space.recall.pack(plant.question, budget_tokens=900)).items)


class _Cycle:
    """One canary on its way through a memory."""

    def __init__(self, space: Space, assistant: Assistant, plant: Plant) -> None:
        self.steps: list[Step] = []
        self._space = space
        self._assistant = assistant
        self._plant = plant

    async def run(self) -> None:
        before = await rows_with(self._space, self._plant.detail)
        self._note(COUNTED, before == 0, _rows(before))
        planted = await self._planted()
        fact = await self._extracted(planted)
        await self._found(planted)
        self._note(RETRIEVED, await self._is_retrieved())
        answer = await self._asked()
        self._note(ANSWERED, None if answer is None else self._holds(asserted(answer)))
        await self._forgotten(fact, planted)
        after = await rows_with(self._space, self._plant.detail)
        self._note(GONE, after == before, _rows(after))
        self._note(SILENT, not await self._is_retrieved())
        answer = await self._asked()
        self._note(ADMITTED, None if answer is None else admits_ignorance(answer) and not self._holds(answer))

    async def _planted(self) -> int | None:
        """Tell it, and return the id of the message it is stored as."""
        await self._say(self._plant.sentence)
        row = await self._space.db.fetch_one(
            "SELECT id FROM messages WHERE role = 'user' AND text = ? ORDER BY id DESC LIMIT 1", (self._plant.sentence,)
        )
        self._note(PLANTED, row is not None)
        return int(row["id"]) if row else None

    async def _extracted(self, planted: int | None) -> Fact | None:
        facts = await self._space.facts.active()
        fact = next((one for one in facts if self._holds(one.value)), None)
        is_unread = planted in await self._space.jobs.waiting_reads()
        self._note(EXTRACTED, None if fact is None and is_unread else fact is not None)
        return fact

    async def _found(self, planted: int | None) -> None:
        by_words = (await self._space.recall.search(self._plant.detail)).items
        self._note(LITERAL, any(item.layer == "segment" and self._holds(item.text) for item in by_words))
        by_question = (await self._space.recall.search(self._plant.question)).items
        self._note(MEANING, any(item.layer == "segment" and item.message == planted for item in by_question))

    async def _is_retrieved(self) -> bool:
        """Begin a fresh conversation, and tell whether its prompt brings the detail."""
        await self._say("/new")
        assembled = await self._assistant.assemble(self._plant.question)
        return any(self._holds(piece.text) for piece in assembled.pieces)

    async def _asked(self) -> str | None:
        return await self._say(self._plant.question)

    async def _forgotten(self, fact: Fact | None, planted: int | None) -> None:
        """Forget it as the member would: the fact, or the message where there is none."""
        if planted is None:
            self._note(FORGOTTEN, None)
            return
        await self._say(f"/forget {fact.ref if fact else f'm{planted}'}")
        listed = await self._space.facts.listed()
        (message,) = await self._space.sessions.messages([planted])
        is_gone = not self._holds(message.text) and all(one.id != fact.id for one in listed if fact)
        self._note(FORGOTTEN, is_gone)

    async def _say(self, text: str) -> str | None:
        """Return the answer; None when the model gave none."""
        try:
            return await self._assistant.say(text)
        except CeilingReached:
            raise
        except ModelFault:
            return None

    def _holds(self, text: str) -> bool:
        return self._plant.detail.casefold() in text.casefold()

    def _note(self, name: str, is_well: bool | None, detail: str = "") -> None:
        self.steps.append(Step(name=name, is_well=is_well, detail=detail))


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"
