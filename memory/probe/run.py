"""One examination of one memory, from the files to the last answer, in an order that loses least when it ends early.

It is for a copy: the canary goes its way in it. Evidence comes first and for every case; then the model is asked, about
what is critical before the rest. A model that fails makes answers unknown, a spent budget leaves the evidence. Whether
what was found is well is the business of `gate`, keeping it that of `ProbeStore`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memory.errors import CeilingReached, StorageInTrouble
from memory.findings import (
    Arms,
    Canary,
    CaseResult,
    Finding,
    Fingerprint,
    JudgeCheck,
    Known,
    LossLayer,
    NeverTold,
    Run,
    Trial,
)
from memory.integrity import examine_rows, read_by_text
from memory.messages import estimate_tokens
from memory.ports import Assembled, Assistant
from memory.probe.answers import Answers, Heard, put
from memory.probe.answers import is_admitted as is_admitted_by
from memory.probe.arms import Evidence, control_for, gather, never_told, never_told_questions
from memory.probe.autopsy import autopsy, may_be_forgotten, vanished
from memory.probe.canary import canary
from memory.probe.cases import Case, cases_of
from memory.probe.judge import Judge
from memory.probe.rest import mark_of, may_rest
from memory.probe.trial import trial
from memory.probe.verdict import verdict
from memory.space import Space
from memory.store.tombstones import Tombstones

NIGHTS = 7
"""Each case is asked at least once in so many nights."""
NEVER_TOLD = 3
SILENT_CASES = 3
"""After so many cases in a row without a finished answer there is no model tonight."""
NOT_HEARD = Answers(Heard(None), Heard(None))

NewSpace = Callable[[], AbstractAsyncContextManager[tuple[Space, Assistant]]]
Progress = Callable[[int, int], None]
"""Called with how many steps are done, of how many."""


class Orders(BaseModel):
    """What to examine, as it travels to the process that examines.

    `night` is the local date it counts for; None: somebody asked for it, and everything is asked. `known` are the cases
    of the last run, `asked` says when the model was last asked about each, `amiss` are those with an open alarm. Where
    `last_arms` is given, the model may rest. `only`: these cases alone, with neither canary nor never-told nor trial;
    empty: all of it.
    """

    model_config = ConfigDict(frozen=True)

    space_id: str
    night: date | None
    seed: int
    known: tuple[Known, ...] = ()
    asked: Mapping[str, date] = {}
    amiss: tuple[str, ...] = ()
    has_model_arms: bool = True
    has_trial: bool = False
    last_arms: Arms | None = None
    only: tuple[str, ...] = ()


@dataclass
class _Work:
    """An examination under way. `sound` are the cases whose prompts are as they should be, `waiting` those of them
    that the model is to be asked about.
    """

    space: Space
    assistant: Assistant
    orders: Orders
    judge: Judge
    on_progress: Progress
    total: int = 0
    done: int = 0
    stopped: Literal["", "budget", "model"] = ""
    sound: list[Evidence] = field(default_factory=list)
    waiting: list[Evidence] = field(default_factory=list)
    answers: dict[str, Answers] = field(default_factory=dict)
    losses: dict[str, tuple[LossLayer, str]] = field(default_factory=dict)
    """By case: the first layer that lost it, or that kept recall alone from its source."""
    silent: int = 0

    def step(self) -> None:
        self.done += 1
        self.on_progress(self.done, max(self.done, self.total))


async def examine(
    space: Space,
    assistant: Assistant,
    orders: Orders,
    fingerprint: Fingerprint,
    *,
    new_space: NewSpace,
    on_progress: Progress,
    cases: Sequence[Case] | None = None,
    tombstones: Tombstones | None = None,
) -> Run:
    """Examine a memory and return what was found. `space` is a copy, and is changed.

    `cases` None: those of the memory itself. `new_space` opens an empty memory with the chat over it. With `tombstones`
    it is looked for what was forgotten and is back.

    Raises: OperatorMustAct when the copy cannot be read.
    """
    began = space.clock.now()
    mark = await mark_of(space.db)
    facts = len(await space.facts.active())
    integrity = await _integrity(space, tombstones)
    await read_by_text(space.db)
    all_cases = await cases_of(space) if cases is None else cases
    work = _Work(space, assistant, orders, Judge(assistant), on_progress)
    work.total = len(all_cases) + (1 if all_cases and not orders.only else 0)

    evidence = await _evidence(work, all_cases)
    missing = await _missing(space, orders, all_cases)
    unheard = [] if orders.only else await _unheard(work)
    # Where there is nothing to ask about, neither the canary nor the trial is worth its money.
    is_empty = not (evidence or missing or orders.only)
    has_arms = orders.has_model_arms and not is_empty and not _rests(work, fingerprint, mark)
    has_canary = not (is_empty or orders.only)
    heard = await _heard(work, unheard, new_space, has_arms=has_arms, has_canary=has_canary)

    prompts, outputs, usd = _spent(assistant)
    return Run(
        space_id=orders.space_id,
        started_at=began,
        ended_at=space.clock.now(),
        results=(*(_result(work, one, heard.judge) for one in evidence), *missing),
        never_told=heard.never_told,
        canary=heard.canary,
        trial=heard.trial,
        integrity=integrity or (),
        has_integrity=integrity is not None,
        judge=heard.judge.model_copy(update={"calls": work.judge.calls, "tokens": work.judge.tokens}),
        fingerprint=fingerprint,
        has_model_arms=has_arms,
        only=orders.only,
        stopped=work.stopped,
        memory_mark=mark,
        ledger_facts=facts,
        ledger_tokens=max((_ledger_tokens(one.present) for one in evidence), default=0),
        prompt_tokens=prompts,
        output_tokens=outputs,
        judge_tokens=work.judge.tokens,
        usd=usd,
    )


def due(cases: Sequence[Case], orders: Orders) -> frozenset[str]:
    """Return the cases to ask tonight: what is critical or was amiss, of the rest a seventh, the longest unasked
    first, and whatever was not asked for seven nights. All of them where somebody asked for it.
    """
    if orders.night is None or orders.only:
        return frozenset(case.ref for case in cases)
    rest = sorted((case.ref for case in cases if not case.critical), key=lambda ref: orders.asked.get(ref, date.min))
    share = math.ceil(len(rest) / NIGHTS)
    late = orders.night - timedelta(days=NIGHTS)
    overdue = [ref for ref in rest if ref in orders.asked and orders.asked[ref] <= late]
    always = (case.ref for case in cases if case.critical or case.ref in orders.amiss)
    return frozenset({*always, *rest[:share], *overdue})


# Without a model


def _rests(work: _Work, fingerprint: Fingerprint, mark: str) -> bool:
    night, last = work.orders.night, work.orders.last_arms
    refs = [one.case.ref for one in work.sound]
    return night is not None and may_rest(
        night, last, mark=mark, fingerprint=fingerprint, refs=refs, asked=work.orders.asked
    )


async def _integrity(space: Space, tombstones: Tombstones | None) -> tuple[Finding, ...] | None:
    """Return what does not agree in the files; None when that could not be seen."""
    try:
        return tuple(await examine_rows(space.db, space.id, space.clock, tombstones=tombstones))
    except StorageInTrouble:
        return None


async def _evidence(work: _Work, cases: Sequence[Case]) -> list[Evidence]:
    """Return the evidence on every case, and walk after what is lost while the memory is still as it was."""
    found = []
    for case in cases:
        if not work.orders.only or case.ref in work.orders.only:
            evidence = await gather(work.space, work.assistant, case, control=control_for(case, cases))
            seen = verdict(evidence, None, judge_is_reliable=None)
            if seen.verdict == "lost" or seen.source == "lost":
                work.losses[case.ref] = await autopsy(work.space, work.assistant, case, evidence)
            if seen.verdict == "lost" and await may_be_forgotten(work.space, case):
                evidence = replace(evidence, case=replace(case, patterns=()))
            if seen.verdict == "pass":
                work.sound.append(evidence)
            found.append(evidence)
        work.step()
    return found


async def _missing(space: Space, orders: Orders, cases: Sequence[Case]) -> list[CaseResult]:
    """Return as lost what was there last night, is no case now, and did not go rightly."""
    met = {case.ref for case in cases}
    lost = []
    for known in orders.known:
        if known.ref in met or (orders.only and known.ref not in orders.only):
            continue
        found = await vanished(space, known.ref, known.message_id)
        if found is not None:
            layer, detail = found
            lost.append(CaseResult(**known.model_dump(), verdict="lost", layer=layer, detail=detail))
    return lost


async def _unheard(work: _Work) -> list[tuple[Assembled, bool]]:
    questions = never_told_questions(work.orders.seed, NEVER_TOLD)
    return [await never_told(work.space, work.assistant, question) for question in questions]


def _ledger_tokens(prompt: Assembled) -> int:
    return sum(estimate_tokens(piece.text) for piece in prompt.pieces if piece.layer == "ledger")


# With a model


@dataclass(frozen=True)
class _WithModel:
    """What came of asking, beside the answers of the cases."""

    judge: JudgeCheck
    canary: Canary | None
    never_told: tuple[NeverTold, ...]
    trial: Trial | None


async def _heard(
    work: _Work,
    unheard: Sequence[tuple[Assembled, bool]],
    new_space: NewSpace,
    *,
    has_arms: bool,
    has_canary: bool,
) -> _WithModel:
    """Ask the model all that is to be asked, what is critical first; the canary takes its way even while it rests."""
    if has_arms:
        asked = due([one.case for one in work.sound], work.orders)
        work.waiting = [one for one in work.sound if one.case.ref in asked]
        work.total += len(work.waiting)
    judge = await _judged(work)
    await _ask(work, critical=True)
    bird = await _canary(work) if has_canary else None
    await _ask(work, critical=False)
    told = await _never_told(work, unheard, has_arms=has_arms)
    has_trial = work.orders.has_trial and has_arms and not work.orders.only
    return _WithModel(judge, bird, told, await _trial(work, new_space) if has_trial else None)


async def _judged(work: _Work) -> JudgeCheck:
    """Examine the judge, where anything is to be asked."""
    if not work.waiting:
        return JudgeCheck()
    try:
        return await work.judge.check()
    except CeilingReached:
        work.stopped = "budget"
        return JudgeCheck()


async def _ask(work: _Work, *, critical: bool) -> None:
    """Put the prompts of the critical or of the other cases to the model, until money or model end."""
    waiting = [one for one in work.waiting if one.case.critical is critical]
    # The longest unasked first: where the money ends each night, it does not end before the same ones.
    for evidence in sorted(waiting, key=lambda one: work.orders.asked.get(one.case.ref, date.min)):
        if not work.stopped:
            await _put(work, evidence)
        if work.stopped == "model":
            work.answers[evidence.case.ref] = NOT_HEARD


async def _put(work: _Work, evidence: Evidence) -> None:
    try:
        answers = await put(work.assistant, work.judge, evidence)
    except CeilingReached:
        work.stopped = "budget"
        return
    work.answers[evidence.case.ref] = answers
    heard = [one for one in (answers.present, answers.absent) if one is not None]
    is_silent = bool(heard) and all(one.says is None for one in heard)
    work.silent = work.silent + 1 if is_silent else 0
    if work.silent == SILENT_CASES:
        work.stopped = "model"
    work.step()


async def _canary(work: _Work) -> Canary:
    if work.stopped:
        return Canary(is_well=None, steps=())
    try:
        found = await canary(work.space, work.assistant, seed=work.orders.seed)
    except CeilingReached:
        work.stopped = "budget"
        return Canary(is_well=None, steps=())
    work.step()
    return found


async def _never_told(
    work: _Work, unheard: Sequence[tuple[Assembled, bool]], *, has_arms: bool
) -> tuple[NeverTold, ...]:
    told = []
    for prompt, is_silent in unheard:
        is_admitted = None
        if has_arms and not work.stopped:
            try:
                is_admitted = await is_admitted_by(work.assistant, prompt)
            except CeilingReached:
                work.stopped = "budget"
        told.append(NeverTold(is_silent=is_silent, is_admitted=is_admitted))
    return tuple(told)


async def _trial(work: _Work, new_space: NewSpace) -> Trial | None:
    if work.stopped:
        return None
    try:
        async with new_space() as (space, assistant):
            return await trial(space, assistant, seed=work.orders.seed)
    except CeilingReached:
        work.stopped = "budget"
        return None


def _spent(assistant: Assistant) -> tuple[int, int, float | None]:
    """Return what all calls took: tokens of prompts and of answers, and dollars where every price is known."""
    spent = assistant.spent().values()
    prices = [one.usd for one in spent]
    usd = None if None in prices else sum(price for price in prices if price is not None)
    return sum(one.prompt_tokens for one in spent), sum(one.output_tokens for one in spent), usd


def _result(work: _Work, evidence: Evidence, judged: JudgeCheck) -> CaseResult:
    ref = evidence.case.ref
    found = verdict(evidence, work.answers.get(ref), judge_is_reliable=judged.is_reliable)
    layer, detail = work.losses.get(ref, ("", ""))
    if found.verdict == "lost" and not found.layer:
        found = found.model_copy(update={"layer": layer, "detail": detail})
    elif found.source == "lost":
        found = found.model_copy(update={"source_layer": layer})
    return found
