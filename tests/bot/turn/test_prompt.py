"""The prompt: what it holds while the conversation is compacted beside it."""

import asyncio
from pathlib import Path

from bot.turn.prompt import Ceilings, PromptBuilder
from memory.compaction.handoff import Covered
from tests.bot.turn.house import house
from tests.fakes.model import says
from tools.registry import Registry


async def test_a_compaction_that_commits_meanwhile_leaves_no_gap_in_the_prompt(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say("The archive server stands in the cellar.")
        space = h.space
        turn = await space.sessions.last_turn()
        assert turn is not None
        said, answered = await space.sessions.turn_messages(turn.id)
        assert said.id is not None
        assert answered.id is not None
        covered = Covered(
            key="k", session_id=turn.session_id, first_message_id=said.id, last_message_id=answered.id, chars=50
        )

        async def hand_off() -> None:
            async with space.db.transaction():
                await space.handoffs.add(1, covered, text="Handoff h1", origin="excerpt", manifest=[], pinned=[])

        prompts = PromptBuilder(space, Registry([]), Ceilings())
        asking = asyncio.create_task(prompts.request(turn, tools_enabled=True, deadline_s=1.0))
        handing_off = asyncio.create_task(hand_off())
        request = await asking
        await handing_off
        texts = [message.text for message in request.messages]
        assert texts in (["Handoff h1"], ["The archive server stands in the cellar.", "ok"])
