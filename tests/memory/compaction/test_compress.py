"""Shorter texts: what code and a second question let through, and that the exact words are never touched."""

import json

import pytest

from memory.compaction.compress import is_faithful
from memory.errors import ModelBusy, ModelFault
from memory.ports import ModelReply, ModelRequest, OnText
from tests.fakes.model import says
from tests.memory.compaction.world import World

SOURCE = (
    "I was thinking about it on the way home, because the evening was warm. Aunt Mathilda keeps 42 jars of plum jam "
    "for the feast on 14 May, as long as nobody opens the cellar. So we sat in the kitchen for a while and talked."
)
SHORT = "Aunt Mathilda keeps 42 jars of plum jam for the feast on 14 May, as long as nobody opens the cellar."


@pytest.mark.parametrize(
    ("text", "is_accepted"),
    [
        (SHORT, True),
        ("Aunt Mathilda keeps 43 jars.", False),
        ("The feast is on 15 May.", False),
        ("42 jars of plum jam, kept by Bertha.", False),
        ("Aunt Mathilda keeps 4 jars.", False),
        (SOURCE, False),
        (SOURCE + " Yes.", False),
        ("  ", False),
    ],
)
def test_code_accepts_only_what_is_shorter_and_holds_no_value_of_its_own(text: str, is_accepted: bool) -> None:
    assert is_faithful(text, SOURCE) is is_accepted


class Shortener:
    """Proposes one text for every segment and gives one verdict."""

    name = "shortener"

    def __init__(self, text: str, verdict: str | ModelFault) -> None:
        self.text = text
        self.verdict = verdict
        self.tasks: list[str] = []

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.tasks.append(request.task)
        if request.task == "entail":
            if isinstance(self.verdict, ModelFault):
                raise self.verdict
            return says(self.verdict)
        if request.task == "route":
            numbers = [int(line.split(":")[0]) for line in request.messages[0].text.splitlines()[1:]]
            return says(json.dumps({"texts": [{"number": n, "text": self.text} for n in numbers]}))
        return says("")


async def compacted(world: World, model: Shortener, *, compress: bool = True) -> dict[str, int]:
    await world.say(SOURCE, "Thanks a lot!")
    await world.talk(8)
    outcome = await world.compactor(model, compress=compress).compact(await world.session())
    assert outcome.state == "done"
    return await world.handoffs.routes(1)


async def test_an_accepted_text_stands_beside_the_exact_words(world: World) -> None:
    model = Shortener(SHORT, "YES")

    routes = await compacted(world, model)

    assert routes["COMPRESS"] == 1
    assert model.tasks == ["summarise", "route", "entail"]
    assert f"in short: {SHORT}" in (await world.handoffs.handoff(1)).text
    assert (await world.recall.by_manifest(1))[0].text == SOURCE


@pytest.mark.parametrize("verdict", ["NO", "yes", "YES, it does", "", ModelBusy("429")])
async def test_only_an_exact_yes_lets_a_text_through(world: World, verdict: str | ModelFault) -> None:
    routes = await compacted(world, Shortener(SHORT, verdict))

    assert "COMPRESS" not in routes
    assert await world.count("short_texts") == 0


async def test_nothing_is_asked_where_it_is_off(world: World) -> None:
    model = Shortener(SHORT, "YES")

    await compacted(world, model, compress=False)

    assert model.tasks == ["summarise"]


async def test_a_shorter_text_goes_with_the_words_it_was_made_of(world: World) -> None:
    await compacted(world, Shortener(SHORT, "YES"))
    assert await world.count("short_texts") == 1

    async with world.db.transaction():
        await world.db.execute("UPDATE messages SET text = replace(text, '42 jars', '⟦forgotten⟧') WHERE id = 1")
        await world.segments.recut(1, reason="forgotten")

    assert await world.count("short_texts") == 0
