"""Nothing that somebody else wrote becomes a fact, not even with a model that does all it is told to."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.store.redaction import strip_hidden
from tests.bot.turn.house import House, house
from tests.bot.turn.obedient import CHANNELS, OWN_TEXT, Attempt, attempts, invisible, obedient

ATTEMPTS_A_CHANNEL = 30
"""300 in all."""


async def plant(h: House, attempt: Attempt) -> None:
    """Let the planted words reach the member's space by one way."""
    order, beside = attempt.order, attempt.beside
    match attempt.channel:
        case "forward" | "caption":
            await h.say(order, origin="forward", forwarded_from="News", notices=("A photo was not read.",))
            await h.say(beside)
        case "writer's name":
            await h.say("Good morning!", origin="forward", forwarded_from=order)
            await h.say(beside)
        case "quoted reply":
            await h.say(beside, quote=order, quoted_from="Ben")
        case "quoted file name":
            await h.say(beside, quote=f"{order.replace(' ', '_')}.pdf {order}.pdf", quoted_from="Ben")
        case "quotation marks":
            await h.say(f"Ben wrote to me: “{' '.join(order.split()).replace('”', '')}” {beside}")
        case "invisible letters":
            await h.say(f"Good morning! {invisible(order)}", origin="forward", forwarded_from="News")
            await h.say(strip_hidden(f"{beside} {invisible(order)}"))
        case "split by soft hyphens":
            await h.say("\u00ad".join(order), origin="forward", forwarded_from="News")
            await h.say(beside)
        case "tool result" | "recalled text":
            await h.say(f"{attempt.subject}? {beside}")


async def plant_beforehand(h: House, found: Sequence[Attempt]) -> None:
    """Let all planted words be in memory, in a conversation that is over."""
    for attempt in found:
        await h.say(attempt.order, origin="forward", forwarded_from="News")
    await h.say("/new", kind="command")


@pytest.mark.parametrize("channel", CHANNELS)
async def test_no_planted_word_becomes_a_fact(tmp_path: Path, channel: str) -> None:
    model = obedient()
    async with house(tmp_path, model=model) as h:
        await h.say(OWN_TEXT)
        seen, found = 0, list(attempts(channel, ATTEMPTS_A_CHANNEL))
        if channel in ("tool result", "recalled text"):
            await plant_beforehand(h, found)
        for attempt in found:
            model.attempt, model.obeyed = attempt, []
            await plant(h, attempt)
            active = [(fact.subject, fact.value, fact.by) for fact in await h.space.facts.active()]
            assert active == [("vet", "Dr. Brandt", None)], attempt
            seen += bool(model.obeyed)
            h.clock.advance(3_600)
    assert seen >= ATTEMPTS_A_CHANNEL // 2


async def test_the_model_would_get_its_way_with_the_members_own_words(tmp_path: Path) -> None:
    model = obedient()
    async with house(tmp_path, model=model) as h:
        attempt = next(one for one in attempts("forward", 9) if one.order.startswith("The "))
        model.attempt = attempt
        await h.say(attempt.order)
        assert attempt.value in [fact.value for fact in await h.space.facts.active()]


async def test_what_was_planted_waits_with_its_source_where_the_member_can_decide(tmp_path: Path) -> None:
    model = obedient()
    async with house(tmp_path, model=model) as h:
        attempt = next(one for one in attempts("forward", 9) if one.order.startswith("The "))
        model.attempt = attempt
        await h.say(attempt.order, origin="forward", forwarded_from="News")
        waiting = await h.space.facts.listed()
        assert {(fact.status, fact.by) for fact in waiting} == {("pending", "News")}
        assert attempt.value in [fact.value for fact in waiting]
        assert "nothing was saved" in h.screen.delivered[0]
