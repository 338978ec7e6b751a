"""The remember tool: enters a fact into the ledger, if the member's own words of this turn support it.

What only somebody else's words support (of a document, a forward) waits for the member's yes.
"""

import re
from typing import Any, ClassVar

from pydantic import Field

from memory.block import RECALLED_HEADING
from memory.catalogue import N_
from memory.ledger.facts import Kind
from memory.ledger.remember import Proposal, Rememberer
from memory.ledger.support import NotSupported
from memory.messages import Message
from memory.space import Space
from tools.tool import Arguments, Context, Effect, Tool, ToolError

ASKED = "nothing is stored: the member is asked to keep or drop it"
KNOWN = "that is known, or the member is asked about it already"


class RememberArguments(Arguments):
    kind: Kind = Field(description="what sort of fact it is")
    subject: str = Field(description="what the fact is about, e.g. 'report deadline'")
    value: str = Field(description="the value, in the member's own words, numbers and names unchanged")
    replaces: str = Field(default="", description="id of the established fact (f12) that this changes")
    source: str = Field(
        default="",
        description="only for what a document or forward states: the id (m12, s12) of its words; the member is asked",
    )


class RememberTool(Tool):
    name: ClassVar[str] = "remember"
    description: ClassVar[str] = (
        "Enters a fact that the member stated in this turn into the established facts. Facts in plain statements are "
        "entered by the program anyway: use it when the member asks you to remember something."
    )
    help_line: ClassVar[str] = N_("keep a fact you ask me to remember")
    arguments: ClassVar[type[Arguments]] = RememberArguments
    effect: ClassVar[Effect] = "local"
    is_reference: ClassVar[bool] = True

    async def run(self, arguments: RememberArguments, context: Context) -> dict[str, Any]:
        if arguments.source:
            return await _suggested(arguments, context)
        space = context.space
        said = await space.sessions.turn_messages(context.turn_id)
        block = (await space.sessions.turn(context.turn_id)).block or ""
        recalled = block.partition(RECALLED_HEADING)[2]
        rememberer = Rememberer(space.facts, space.clock, space.preferences)
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


async def _suggested(arguments: RememberArguments, context: Context) -> dict[str, Any]:
    """Let what somebody else's words state wait for the member's yes."""
    space = context.space
    message = await _message(space, arguments.source)
    proposal = Proposal(arguments.kind, arguments.subject, arguments.value, arguments.replaces or None)
    try:
        receipts = await Rememberer(space.facts, space.clock, space.preferences).suggest(proposal, message)
    except NotSupported as refusal:
        raise ToolError(
            f"not stored: these words do not state it, or they are the member's own ({refusal.reason})"
        ) from refusal
    context.receipts.extend(receipts)
    return {"asked": [receipt.fact.ref for receipt in receipts], "note": ASKED if receipts else KNOWN}


async def _message(space: Space, ref: str) -> Message:
    match = re.fullmatch(r"([ms])([0-9]{1,18})", ref.strip().lower())
    if match is None:
        raise ToolError(f"{ref!r} names no words; take the id that stands beside them, such as m12 or s12")
    number = int(match[2])
    if match[1] == "s":
        number = (await space.segments.segment(number)).message_id
    return await space.sessions.message(number)
