"""What the member said elsewhere is shown to choose from, and stays until they choose."""

from memory.forget import plan
from memory.forget.masking import MASK
from tests.memory.forget.world import CANARY, QUOTE, TOLD, World


async def test_a_mention_in_other_words_is_offered_by_its_meaning(world: World) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    await world.learn(1)
    await world.turn("I changed the code of the safe last summer.", world.answer("I see."))
    await world.turn("The kayak lies behind the boathouse.", world.answer("Good."))

    words = await world.forget("f1")

    assert "Perhaps these are about it as well; they stay:\n- m3 “I changed the code of the safe last summer.”" in words
    assert "kayak" not in words
    assert "`/forget m3` takes such a message too" in words
    assert (await world.space.sessions.message(3)).text == "I changed the code of the safe last summer."


async def test_what_was_said_around_a_message_does_not_make_it_a_mention(world: World) -> None:
    """The index holds neighbours' words beside a message."""
    await world.turn("Good morning to you!", world.answer("Good morning."))
    await world.turn(TOLD, world.answer("Noted."))
    await world.learn(3)
    await world.turn("The kayak lies behind the boathouse.", world.answer("Good."))

    assert (await plan(world.space, "f1")).mentions == ()


async def test_the_receipts_quotation_goes_with_the_mention(world: World) -> None:
    """The receipt stands in the outbox, so what it quotes must be found there too."""
    mention = f"My cat was born in {CANARY}, believe it or not, on a day as hot as no other that we had in that year."
    await world.turn(TOLD, world.answer("Noted."))
    await world.learn(1)
    await world.turn(mention, world.answer("A fine place for a cat."))
    await world.post_answer(await world.forget("f1"))
    assert (await world.columns_with("my cat was born"))["outbox.body"]

    await world.forget("m3")

    assert await world.columns_with("my cat was born") == {}
    assert await world.columns_with("zanzibar") == {}
    assert world.files_with("zanzibar") == []


async def test_a_long_list_of_mentions_is_cut_and_counted(world: World) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    await world.learn(1)
    for n in range(11):
        await world.turn(f"In house {n} they say that {QUOTE} as well.", world.answer("I see."))

    words = await world.forget("f1")

    assert words.count("\n- m") == 8
    assert "\n- and 3 more\n" in words


async def test_a_listing_that_was_sent_loses_the_line_of_a_forgotten_fact(world: World) -> None:
    """A subject and a value of two letters are no spelling to look for, but the line names the fact."""
    await world.turn("The gate is in row 7.", world.answer("Noted."))
    fact = await world.learn(1, value="7", quote="The gate is in row 7", subject="gate")
    await world.post_answer(
        f"**Deadlines**\n- {fact.ref} gate: 7 (since 2027-03-02)\n- f99 roof: new (since 2027-03-02)"
    )

    await world.forget(fact.ref)

    rows = await world.space.db.fetch_all("SELECT body FROM outbox WHERE key LIKE 'answer:%' ORDER BY id")
    assert "gate" not in rows[0]["body"]
    assert MASK in rows[0]["body"]
    assert "f99 roof: new" in rows[0]["body"]
