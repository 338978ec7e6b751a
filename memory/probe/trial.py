"""The trial of the extractor: statements told to an empty memory, counted by what the ledger then holds.

It says how good the extractor is today; it fails nothing by itself.
"""

from collections.abc import Sequence
from random import Random

from memory.errors import CeilingReached, ModelFault
from memory.findings import Trial
from memory.ports import Assistant
from memory.probe.statements import ODD, PLAUSIBLE, Statement
from memory.space import Space

OF_EACH = 10
"""Statements of a kind in one trial."""


def drawn(seed: int) -> tuple[list[Statement], list[Statement]]:
    """Return the plausible and the odd-looking statements of a trial."""
    random = Random(seed)  # noqa: S311 - not a secret
    return random.sample(PLAUSIBLE, OF_EACH), random.sample(ODD, OF_EACH)


async def trial(space: Space, assistant: Assistant, *, seed: int) -> Trial:
    """Tell ten plausible and ten odd-looking statements by turns, and return how many of each the ledger keeps.

    `space` is empty and is thrown away after. What the model did not read, for want of a model, counts in neither
    number.

    Raises: CeilingReached.
    """
    plausible: list[bool | None] = []
    odd: list[bool | None] = []
    for pair in zip(*drawn(seed), strict=True):
        for statement, kept in zip(pair, (plausible, odd), strict=True):
            kept.append(await _is_kept(space, assistant, statement))
    return Trial(plausible=_counted(plausible), odd=_counted(odd))


async def _is_kept(space: Space, assistant: Assistant, statement: Statement) -> bool | None:
    """Tell a statement, and return whether a fact then holds it; None when it was not read."""
    try:
        await assistant.say(statement.sentence)
    except CeilingReached:
        raise
    except ModelFault:
        pass  # the turn got no answer; the words may have been read all the same
    facts = await space.facts.listed()
    if any(statement.holds.casefold() in fact.value.casefold() for fact in facts):
        return True
    return None if await space.jobs.waiting_reads() else False


def _counted(kept: Sequence[bool | None]) -> tuple[int, int]:
    """Return how many were kept, of how many that were read."""
    return sum(one is True for one in kept), sum(one is not None for one in kept)
