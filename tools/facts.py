"""The facts tool: what stands in the ledger now, whole, with ids."""

from typing import Any, ClassVar

from pydantic import Field

from memory.catalogue import N_
from memory.ledger.facts import Fact
from tools.tool import Arguments, Context, Effect, Tool

MAX_FACTS = 40


class FactsArguments(Arguments):
    about: str = Field(default="", description="words to look for in subject or value; empty for all facts")


class FactsTool(Tool):
    name: ClassVar[str] = "facts"
    description: ClassVar[str] = (
        "The established facts (deadlines, decisions, constraints, names, attributes) with their ids. "
        "Use it when the memory block says that further facts were left out."
    )
    help_line: ClassVar[str] = N_("look up the established facts")
    arguments: ClassVar[type[Arguments]] = FactsArguments
    effect: ClassVar[Effect] = "none"
    is_reference: ClassVar[bool] = True

    async def run(self, arguments: FactsArguments, context: Context) -> dict[str, Any]:
        store = context.space.facts
        found = await store.nearest(arguments.about, MAX_FACTS) if arguments.about else await store.active()
        shown = [_line(fact) for fact in found[:MAX_FACTS]]
        return {"facts": shown, "shown": len(shown), "of": len(found)}


def _line(fact: Fact) -> dict[str, Any]:
    return {
        "id": f"f{fact.id}",
        "kind": fact.kind,
        "subject": fact.about,
        "value": fact.value,
        "since": fact.since.date().isoformat(),
    }
