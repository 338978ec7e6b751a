"""The gate: whether an examination shows a memory that is well. Pure; one table of rules, no row and no model.

What is not known fails nothing and clears nothing: where it is about something critical, the answer is "not known".
"""

import math
import statistics
from collections.abc import Iterable, Sequence

from memory.findings import Baseline, CaseResult, Gate, Run, Verdict, prompt_size

MIN_RECALL = 0.95
MAX_GROWTH = 1.2
FEW = 3
"""So few cases may be of a kind that no examination can tell anything of."""
NOTHING_YET = "nothing to examine yet"


def gate(run: Run, healthy: Sequence[Baseline]) -> Gate:
    """Judge a run; `healthy` are earlier healthy runs of this memory, the newest first."""
    rate = recall_rate(run.results)
    problems = tuple(_problems(run, rate))
    doubts = tuple(_doubts(run, rate))
    lost = _with(run, "lost")
    return Gate(
        ok=False if problems else None if doubts else True,
        recall_rate=rate,
        problems=(*problems, *doubts),
        warnings=tuple(_warnings(run, healthy)),
        lost=_refs(lost),
        lost_critical=_refs(one for one in lost if one.critical),
        leaks=_refs(_with(run, "leak")),
        stale=_refs(_with(run, "stale")),
        unaskable=_refs(_with(run, "unaskable")),
        unknown=_refs(_with(run, "unknown")),
    )


def recall_rate(results: Iterable[CaseResult]) -> float | None:
    """Return the share of passes in what is known: neither unknown nor unaskable; None where nothing is."""
    known = [one.verdict == "pass" for one in results if one.verdict not in ("unknown", "unaskable")]
    return sum(known) / len(known) if known else None


def growth_of(run: Run, healthy: Sequence[Baseline]) -> tuple[int, int] | None:
    """Return the tokens of a prompt in healthy runs before and now, where it has grown too much; else None."""
    sizes = [one.prompt_size for one in healthy if one.prompt_size]
    size = prompt_size(run.results)
    if sizes and size and size > MAX_GROWTH * statistics.median(sizes):
        return round(statistics.median(sizes)), size
    return None


def _problems(run: Run, rate: float | None) -> Iterable[str]:
    lost = _with(run, "lost")
    if critical := [one for one in lost if one.critical]:
        yield f"lost and critical: {_named(critical)}"
    if rate is not None and rate < MIN_RECALL:
        missed = f": lost {_named(lost)}" if lost else ""
        yield f"recall {math.floor(100 * rate)}%, below {MIN_RECALL:.0%}{missed}"
    for words, verdict in (("forgetting would leave", "leak"), ("an old value stands as current", "stale")):
        if found := [one for one in run.results if one.verdict == verdict]:
            yield f"{words}: {_named(found)}"
    if run.canary is not None and run.canary.is_well is False:
        failed = ", ".join(step.name for step in run.canary.steps if step.is_well is False)
        yield f"canary: {failed or 'not well'}"
    for finding in run.integrity:
        yield f"{finding.about}: {finding.count} {finding.words}"


def _doubts(run: Run, rate: float | None) -> Iterable[str]:
    unknown = _with(run, "unknown")
    if critical := [one for one in unknown if one.critical]:
        yield f"not known and critical: {_named(critical)}"
    elif unknown and rate is None:
        yield "not known: nothing of it could be examined"
    blind = len(_with(run, "unaskable"))
    if blind > max(FEW, len(run.results) / 2):
        yield f"not known: {blind} of {len(run.results)} cases cannot be examined"
    if run.is_whole and run.results and (run.canary is None or run.canary.is_well is None):
        yield "not known: the canary's way in and out"
    if not run.has_integrity:
        yield "not known: whether the files agree"


def _warnings(run: Run, healthy: Sequence[Baseline]) -> Iterable[str]:
    if not run.results:
        yield NOTHING_YET
    if run.stopped:
        left = sum(not one.is_answered for one in run.results)
        why = "its share of the day's money is spent" if run.stopped == "budget" else "the model gave no answers"
        yield f"ended early: {why}; {left} cases rest on the assembled prompts alone"
    yield from _grown(run, healthy)
    yield from _about_cases(run)
    if run.judge.is_reliable is False:
        yield "the judge failed its own examination: what it alone decided is not known"
    elif run.judge.is_reliable is None and run.judge.detail:
        yield "the judge gave no answer: what it alone would decide is not known"
    if run.canary is not None:
        yield from (f"canary: {words}" for words in run.canary.warnings)
    yield from _never_told(run)
    yield from _trial(run, healthy)


def _about_cases(run: Run) -> Iterable[str]:
    if sources := [one for one in run.results if one.source == "lost"]:
        yield f"recall alone does not bring the source of {', '.join(_refs(sources))}"
    if unaskable := _with(run, "unaskable"):
        yield f"cannot be examined: {_named(unaskable)}"
    if unknown := [one for one in _with(run, "unknown") if not one.critical]:
        yield f"not known: {_named(unknown)}"


def _grown(run: Run, healthy: Sequence[Baseline]) -> Iterable[str]:
    if growth := growth_of(run, healthy):
        yield f"a prompt holds {growth[1]} tokens; {growth[0]} in healthy nights before"


def _never_told(run: Run) -> Iterable[str]:
    if loud := sum(not one.is_silent for one in run.never_told):
        yield f"recall brought something for {loud} of {len(run.never_told)} questions about what nobody told"
    if guessed := sum(one.is_admitted is False for one in run.never_told):
        yield f"{guessed} of {len(run.never_told)} such questions were answered all the same"


def _trial(run: Run, healthy: Sequence[Baseline]) -> Iterable[str]:
    before = next((one.trial for one in healthy if one.trial is not None), None)
    if run.trial is None or before is None:
        return
    for words, now, then in (
        ("plausible", run.trial.plausible, before.plausible),
        ("odd-looking", run.trial.odd, before.odd),
    ):
        if now[0] * then[1] < then[0] * now[1]:
            yield f"the extractor kept {now[0]}/{now[1]} {words} statements; {then[0]}/{then[1]} before"


def _with(run: Run, verdict: Verdict) -> list[CaseResult]:
    return [one for one in run.results if one.verdict == verdict]


def _refs(results: Iterable[CaseResult]) -> tuple[str, ...]:
    return tuple(one.ref for one in results)


def _named(results: Iterable[CaseResult]) -> str:
    return ", ".join(f"{one.ref} ({one.layer})" if one.layer else one.ref for one in results)
