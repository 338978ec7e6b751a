"""The arms of an examination: the prompts under which a case is looked at, and what they hold. No model is asked.

Present: the memory as it is. Source only: without ledger, handoffs, pinned lines and procedures. Absent: after
forgetting, and after all else that tells it is gone too, while a control fact is still found. Never told: a question
about nothing. Each change is made in a block that is undone, and the prompt is assembled in it as the chat would.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from memory.errors import DamagedDatabase
from memory.forget.lineage import Lineage, lineage
from memory.forget.steps import forget_rows, plan_of
from memory.ledger.facts import Fact
from memory.ledger.subjects import share_words
from memory.ports import Assembled, Assistant, Piece, PromptLayer
from memory.probe.cases import (
    Case,
    UnsoundPattern,
    former_values,
    is_askable,
    is_own_line,
    pieces_that_state,
    stated,
    states,
)
from memory.probe.derived import clear, leak_after, unindex
from memory.probe.residue import residue
from memory.probe.standing import doubt, is_outdated
from memory.space import Space

ROUNDS = 4
"""So often what still stands in the absent prompt is taken away by its message."""
_LEDGER_AND_LIKE = ("facts", "handoffs", "pinned_lines", "procedure_versions")


@dataclass(frozen=True)
class Evidence:
    """What the prompts of a case hold.

    `present_layers` are empty where the prompt does not state the value, or states another in its place. `source`: None
    where recall has no source to bring. `absent` is the clean prompt that a model may be asked; None when there is
    none. `leak` and `stale` name a layer; "" when all is well. `control_is_found`: None without a fit control.
    """

    case: Case
    present: Assembled
    present_layers: frozenset[PromptLayer] = frozenset()
    source: Literal["pass", "lost"] | None = None
    absent: Assembled | None = None
    leak: str = ""
    mentions: int = 0
    control_is_found: bool | None = None
    stale: str = ""


async def gather(space: Space, assistant: Assistant, case: Case, *, control: Case | None) -> Evidence:
    """Return the evidence on one case, the memory unchanged after it. `control` is another fact that should stay.

    A case that cannot be examined has its present prompt and nothing else.
    """
    present = await assistant.assemble(case.question)
    if not is_askable(case):
        return Evidence(case, present)
    try:
        return await _evidence(space, assistant, case, present, control)
    except UnsoundPattern:
        return Evidence(replace(case, patterns=()), present)


def control_for(case: Case, cases: Sequence[Case]) -> Case | None:
    """Return the next case that nothing ties to this one: another message, another value; None when there is none."""
    place = next((n for n, one in enumerate(cases) if one.ref == case.ref), 0)
    others = [*cases[place + 1 :], *cases[:place]]
    return next((one for one in others if one.fact_id is not None and _is_apart(one, case)), None)


async def _evidence(
    space: Space, assistant: Assistant, case: Case, present: Assembled, control: Case | None
) -> Evidence:
    try:
        absent = await _absent(space, assistant, case, control)
    except DamagedDatabase:
        # Nothing can be taken out of an index that does not fit its rows; the examination of the files names it.
        absent = _Absent()
    return Evidence(
        case=case,
        present=present,
        present_layers=await _present_layers(space, case, present),
        source=await _source(space, assistant, case),
        absent=absent.prompt,
        leak=absent.leak,
        mentions=absent.mentions,
        control_is_found=await _control(assistant, case, control, absent),
        stale=await _stale(space, case, present),
    )


# Present


async def _present_layers(space: Space, case: Case, present: Assembled) -> frozenset[PromptLayer]:
    own = [piece for piece in present.pieces if is_own_line(case, piece)]
    if not all(states(case, piece) for piece in own) or await doubt(space, case):
        return frozenset()
    return frozenset(piece.layer for piece in pieces_that_state(case, present))


async def _stale(space: Space, case: Case, present: Assembled) -> str:
    """Return the layer in which an old value stands as current."""
    if case.fact_id is None:
        return ""
    fact = await space.facts.fact(case.fact_id)
    if await is_outdated(space, fact):
        return "ledger"
    before = await former_values(space, fact)
    patterns = [pattern for value, group in case.former for pattern in group if not _is_unfit(pattern, case.value)]
    if not before:
        return ""
    sources = {message_id for one in before for message_id in await space.facts.sources(one.id)}
    sources -= set(await space.facts.sources(fact.id))
    for piece in present.pieces:
        if await _is_stale(space, piece, fact, patterns, {one.ref for one in before}, sources):
            return piece.layer
    return ""


async def _is_stale(
    space: Space, piece: Piece, fact: Fact, patterns: Sequence[str], refs: set[str], sources: set[int]
) -> bool:
    if piece.layer == "ledger":
        return piece.ref in refs
    if piece.layer == "recalled":
        return piece.message_id in sources and not piece.is_outdated and stated(patterns, piece.text)
    if piece.layer == "procedure" and stated(patterns, piece.text) and share_words(fact.subject, piece.text):
        return (await space.procedures.procedure(int(piece.ref[1:]))).shown.at < fact.since
    return False


def _is_unfit(pattern: str, value: str) -> bool:
    """Tell whether a former value's pattern could not tell it from the current one."""
    try:
        return stated([pattern], value)
    except UnsoundPattern:
        return True


# Source only


async def _source(space: Space, assistant: Assistant, case: Case) -> Literal["pass", "lost"] | None:
    """Return whether recall brings the words that say it, or any that state it, without help of the ledger."""
    said = await space.facts.sources(case.fact_id) if case.fact_id is not None else []
    if case.is_private or (case.fact_id is not None and not said):
        return None
    async with space.db.rolled_back():
        await without_ledger(space)
        assembled = await assistant.assemble(case.question)
    recalled = [piece for piece in assembled.pieces if piece.layer == "recalled"]
    quoted = _flat(case.quote)
    is_found = any(states(case, one) or (one.message_id in said and quoted in _flat(one.text)) for one in recalled)
    return "pass" if is_found else "lost"


async def without_ledger(space: Space) -> None:
    """Let this connection see empty tables where ledger, handoffs and procedures are. Inside a block that is undone."""
    await shadow(space, _LEDGER_AND_LIKE)


async def shadow(space: Space, tables: Iterable[str]) -> None:
    """Let this connection see empty tables. Inside a block that is undone."""
    for table in tables:
        await space.db.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE 0")


# Absent


@dataclass(frozen=True)
class _Absent:
    prompt: Assembled | None = None
    leak: str = ""
    mentions: int = 0
    control: Assembled | None = None
    covered: Lineage | None = field(default=None, repr=False)


async def _absent(space: Space, assistant: Assistant, case: Case, control: Case | None) -> _Absent:
    covered = await lineage(space, f"f{case.fact_id}") if case.fact_id is not None else None
    async with space.db.rolled_back():
        leak = ""
        if covered is not None:
            # What was sent reaches no prompt, and looking through it would cost more than all else.
            await shadow(space, ["outbox"])
            await forget_rows(space, await plan_of(space, covered))
            leak = await leak_after(space, case, covered)
        prompt, mentions, standing = await _cleaned(space, assistant, case)
        found = await assistant.assemble(control.question) if control is not None else None
    return _Absent(prompt, leak or standing, mentions, found, covered)


async def _cleaned(space: Space, assistant: Assistant, case: Case) -> tuple[Assembled | None, int, str]:
    """Return a prompt that does not state the value, how many mentions went, and the layer that would not."""
    mentions = 0
    assembled = await assistant.assemble(case.question)
    for attempt in range(ROUNDS):
        left = residue(case, assembled)
        if not left:
            return assembled, mentions, ""
        if attempt == 0:
            mentions += await clear(space, case)
        else:
            ids = {piece.message_id for piece in left if piece.message_id is not None}
            await unindex(space, ids)
            mentions += len(ids)
        assembled = await assistant.assemble(case.question)
    left = residue(case, assembled)
    return (None, mentions, left[0].layer if left[0].text else "prompt") if left else (assembled, mentions, "")


# Control


async def _control(assistant: Assistant, case: Case, control: Case | None, absent: _Absent) -> bool | None:
    """Return whether the control fact was found although the other one was gone; None where it could not be."""
    if control is None or absent.control is None:
        return None
    if pieces_that_state(control, absent.control):
        return True
    stating = pieces_that_state(control, await assistant.assemble(control.question))
    is_tied = absent.covered is not None and _is_covered(control, absent.covered)
    return None if is_tied or not stating or any(states(case, piece) for piece in stating) else False


def _is_covered(control: Case, covered: Lineage) -> bool:
    mask = covered.wording.close.mask
    texts = (control.value, control.quote)
    return control.message_id in covered.sources or any(mask(text) != text for text in texts)


def _is_apart(one: Case, other: Case) -> bool:
    try:
        is_shared = stated(one.patterns, f"{other.value}\n{other.quote}") or stated(
            other.patterns, f"{one.value}\n{one.quote}"
        )
    except UnsoundPattern:
        return False
    is_same = one.fact_id == other.fact_id or one.message_id == other.message_id
    return is_askable(one) and not is_shared and not is_same


# Never told


_THINGS = ("lighthouse", "harpsichord", "greenhouse", "sailboat", "beehive", "telescope", "windmill", "accordion")
_ASKED = (
    "What is the name of the {thing} keeper in {place}?",
    "How many steps lead up to the {thing} of {place}?",
    "Who sold me the {thing} from {place}?",
    "When does the {thing} in {place} have to be repainted?",
    "What colour is the {thing} that stands in {place}?",
    "What did I pay for the {thing} in {place}?",
)
_BEGINNINGS = ("Vel", "Tor", "Quim", "Sarn", "Yel", "Brun", "Osk", "Drav", "Pell", "Zim")
_MIDDLES = ("mo", "da", "ri", "ge", "lu", "na", "pe", "vi")
_ENDINGS = ("ra", "dell", "quist", "born", "veth", "mund", "lo", "stad")


def never_told_questions(seed: int, count: int) -> list[str]:
    """Return questions about things that nobody has: plausible, and different with each seed."""
    dice = random.Random(seed)  # noqa: S311 - not a secret: the same night asks the same
    found: dict[str, None] = {}
    while len(found) < count:
        place = dice.choice(_BEGINNINGS) + dice.choice(_MIDDLES) + dice.choice(_ENDINGS)
        found[dice.choice(_ASKED).format(thing=dice.choice(_THINGS), place=place)] = None
    return list(found)


async def never_told(space: Space, assistant: Assistant, question: str) -> tuple[Assembled, bool]:
    """Return the prompt of a question about nothing, and whether memory kept silent: nothing recalled, no procedure."""
    assembled = await assistant.assemble(question)
    return assembled, not any(piece.layer in ("recalled", "procedure") for piece in assembled.pieces)


def _flat(text: str) -> str:
    return " ".join(text.split())
