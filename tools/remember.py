"""The remember tool: enters a fact into the ledger, if the member's own words of this turn support it."""

from typing import Any, ClassVar

from pydantic import Field

from memory.block import RECALLED_HEADING
from memory.ledger.facts import Kind
from memory.ledger.remember import Proposal, Rememberer
from memory.ledger.support import NotSupported
from tools.tool import Arguments, Context, Effect, ToolError


class RememberArguments(Arguments):
    kind: Kind = Field(description="what sort of fact it is")
    subject: str = Field(description="what the fact is about, e.g. 'report deadline'")
    value: str = Field(description="the value, in the member's own words, numbers and names unchanged")
    replaces: str = Field(default="", description="id of the established fact (f12) that this changes")


class RememberTool:
    name: ClassVar[str] = "remember"
    description: ClassVar[str] = (
        "Enters a fact that the member stated in this turn into the established facts. Facts in plain statements are "
        "entered by the program anyway: use it when the member asks you to remember something."
    )
    help_line: ClassVar[str] = "keep a fact you ask me to remember"
    arguments: ClassVar[type[Arguments]] = RememberArguments
    effect: ClassVar[Effect] = "local"
    is_reference: ClassVar[bool] = True

    async def run(self, arguments: RememberArguments, context: Context) -> dict[str, Any]:
        space = context.space
        said = await space.sessions.turn_messages(context.turn_id)
        block = (await space.sessions.turn(context.turn_id)).block or ""
        recalled = block.partition(RECALLED_HEADING)[2]
        rememberer = Rememberer(space.facts, space.clock, space.zone)
        proposal = Proposal(arguments.kind, arguments.subject, arguments.value, arguments.replaces or None)
        try:
            remembered = await rememberer.remember(proposal, said, recalled=recalled)
        except NotSupported as refusal:
            raise ToolError(
                f"not stored: the member's own words of this turn do not support it ({refusal.reason}). "
                "Tell the member it was not stored, or ask them to state it."
            ) from refusal
        context.receipts.extend(remembered.receipts)
        fact = remembered.fact
        return {"stored": fact.ref, "subject": fact.subject, "value": fact.value, "is_new": bool(remembered.receipts)}
